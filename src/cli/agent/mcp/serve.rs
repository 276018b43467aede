//! `elophanto agent mcp serve`, `status` and `stop`

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use crate::cli::{NoArgs, Outcome, Result, Ui, env, workspace};
use crate::{
    listening::life,
    mcp::serving::{self, ADDRESS, OverHttp, Served},
    wire::servers::StoppedWire,
};
use elophanto_app::{
    Environment,
    fleet::{self, Reader, Rights},
    keys::Asking,
};

/// Serve MCP over standard input and output, or over HTTP
///
/// Over HTTP, only this machine is listened to unless another address is given, and every request
/// must bear the token of the server; `agent mcp status --token` prints it.
#[derive(clap::Args, Debug)]
pub struct ServeArgs {
    /// Search a fleet of repositories in place of this one: s3://BUCKET/FOLDER, gs://, az:// or
    /// file:///FOLDER, as `elophanto publish` takes it. Only `search` and `recall`
    /// are offered
    #[arg(long = "in", value_name = "URL", conflicts_with = "ensure")]
    fleet: Option<String>,
    /// With --in: answer from these repositories alone: a name, or the beginning of names with a slash
    /// at its end; may be repeated
    #[arg(long, value_name = "NAME", requires = "fleet")]
    only: Vec<String>,
    /// With --in and --http: a file of yours that says whose token finds which repositories, a list of
    /// entries such as `- { token: env:SEA_TOKEN, repositories: [github.com/acme/sea,
    /// github.com/acme/docs/] }`; a token is named as env:NAME, vault:NAME or blake3:HASH, and a
    /// folder of repositories ends with a slash. Any other token is refused; that of the server itself
    /// finds nothing then
    #[arg(
        long,
        value_name = "FILE",
        requires = "fleet",
        requires = "http",
        conflicts_with = "only"
    )]
    rights: Option<PathBuf>,
    /// Serve streamable HTTP at this address
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = ADDRESS)]
    http: Option<SocketAddr>,
    /// Start the HTTP server in the background unless it runs already, and say where it is
    #[arg(long)]
    ensure: bool,
    /// A name by which this machine may be called, besides `localhost`; may be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// A web page that may call, such as https://tools.example; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Most requests a minute
    #[arg(long, value_name = "N", default_value_t = 6_000)]
    rate: u32,
}

/// Say whether the HTTP server of this repository runs, and where
#[derive(clap::Args, Debug)]
pub struct StatusArgs {
    /// Print the token alone
    #[arg(long)]
    token: bool,
}

/// Serves, or makes sure that somebody does.
///
/// # Errors
/// When nothing can be served.
pub fn run(args: &ServeArgs, ui: &mut Ui) -> Result<Outcome> {
    if args.ensure { ensure(args, ui) } else { serve(args, ui) }
}

fn serve(args: &ServeArgs, ui: &mut Ui) -> Result<Outcome> {
    let environment = env::environment();
    let within = args.fleet.as_deref().map(|address| reader(address, args, &environment, ui));
    let within = within.transpose()?;
    let (root, is_somewhere) = match &within {
        None => home(ui)?,
        // Nobody is told of changes elsewhere.
        Some(_) => (PathBuf::from(".").canonicalize()?, false),
    };
    let mut base = workspace::KnowledgeBase { folder: PathBuf::from("."), environment, within };
    let mut callers = Vec::new();
    if let (Some(path), Some(reader)) = (&args.rights, &base.within) {
        let known = fleet::callers(path, &base.environment, Asking::Through(ui))?;
        let of =
            |rights| workspace::KnowledgeBase { within: Some(reader.with(rights)), ..base.clone() };
        callers = known.into_iter().map(|it| (it.token, of(it.rights))).collect();
        // Whoever serves has a token, too, and is not named.
        base = of(Rights::only(Vec::new()));
    }
    let readers = callers.iter().map(|(_, base)| base).chain([&base]);
    for name in Reader::in_vain(readers.filter_map(|base| base.within.as_ref()))? {
        ui.warn(format_args!(
            "no repository is published there as `{name}`, so nothing is found of it: \
             `elophanto publish --list URL` lists them"
        ));
    }
    let served = Served { base, callers, root, is_somewhere, reporter: Arc::new(ui.beside()) };
    let http = args.http.map(|address| OverHttp {
        address,
        allowed_hosts: args.allow_host.clone(),
        allowed_origins: args.allow_origin.clone(),
        requests_per_minute: args.rate,
    });
    serving::serve(served, http, &mut |running| {
        ui.emit(&serving::wire(running, true), running.url())?;
        ui.flush()
    })?;
    Ok(Outcome::Done)
}

/// The fleet that is asked, opened and warm.
fn reader(address: &str, args: &ServeArgs, environment: &Environment, ui: &Ui) -> Result<Reader> {
    let reader = Reader::new(fleet::open(address, environment, Asking::Through(ui), true)?);
    reader.warm()?;
    Ok(match args.only.is_empty() {
        true => reader,
        false => reader.with(Rights::only(args.only.clone())),
    })
}

/// The root of the knowledge base here, or where there is none the current folder: a client gets a
/// server that says so rather than none. What is wrong with the settings is said once, on stderr.
fn home(ui: &Ui) -> Result<(PathBuf, bool)> {
    match workspace::open(Vec::new(), ui) {
        Ok(workspace) => Ok((workspace.repository.root, true)),
        Err(cause) if cause.is_nowhere => {
            ui.warn(cause.message());
            ui.note("every tool says so until there is one: `elophanto init` makes one");
            Ok((PathBuf::from(".").canonicalize()?, false))
        }
        Err(cause) => Err(cause),
    }
}

fn ensure(args: &ServeArgs, ui: &mut Ui) -> Result<Outcome> {
    let (root, _) = home(ui)?;
    let files = serving::files(&root, &env::environment())?;
    let program = |address: &str| -> Result<Vec<String>> {
        let mut words = vec![env::own_program()?.to_string_lossy().into_owned()];
        words.extend(["agent", "mcp", "serve"].map(str::to_owned));
        words.push(format!("--http={address}"));
        words.push(format!("--rate={}", args.rate));
        words.extend(args.allow_host.iter().map(|host| format!("--allow-host={host}")));
        words.extend(args.allow_origin.iter().map(|origin| format!("--allow-origin={origin}")));
        Ok(words)
    };
    let (running, started) = serving::ensure(&root, &files, args.http, &program)?;
    ui.done(&serving::wire(&running, started), running.url())
}

/// Says where the server is.
///
/// # Errors
/// When its settings are unusable.
pub fn status(args: &StatusArgs, ui: &mut Ui) -> Result<Outcome> {
    let (root, _) = home(ui)?;
    let files = serving::files(&root, &env::environment())?;
    let Some(running) = life::running(&files) else {
        return Ok(
            ui.nothing("no server runs; start one with `elophanto agent mcp serve --ensure`")
        );
    };
    if args.token {
        ui.line(&running.token)?;
    } else {
        ui.emit(&serving::wire(&running, false), running.url())?;
    }
    Ok(Outcome::Done)
}

pub fn stop(_: &NoArgs, ui: &mut Ui) -> Result<Outcome> {
    let (root, _) = home(ui)?;
    let Some(running) = life::stop(&serving::files(&root, &env::environment())?)? else {
        return Ok(ui.nothing("no server runs"));
    };
    let wire = StoppedWire { stopped: running.url(), pid: running.pid };
    ui.done(&wire, format_args!("stopped: {}", wire.stopped))
}
