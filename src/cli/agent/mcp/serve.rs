//! `elophanto agent mcp serve` and `status`

use std::{
    net::{IpAddr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::super::super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, escape_control_line},
    workspace::{self, KnowledgeBase},
};
use crate::mcp::{
    operations,
    running::{Files, Running},
    server::{Http, Server, new_token, serve_http, serve_stdio},
    tell_of_changes,
};
use elophanto_base::process;
use elophanto_index::store::lock;

/// Where it listens if nothing else is said.
const ADDRESS: &str = "127.0.0.1:7397";
/// How long a server may take to answer for the first time.
const START: Duration = Duration::from_secs(10);
/// How long a check of a running one may take.
pub(super) const CHECK: Duration = Duration::from_millis(500);

/// Serve MCP over standard input and output, or over HTTP
///
/// Over HTTP, only this machine is listened to unless another address is given, and every request
/// must bear the token of the server; `agent mcp status --token` prints it.
#[derive(clap::Args, Debug)]
pub struct ServeArgs {
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
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Say whether the HTTP server of this repository runs, and where
#[derive(clap::Args, Debug)]
pub struct StatusArgs {
    /// Print the token alone
    #[arg(long)]
    token: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A server, as `--json` prints it.
#[derive(Serialize)]
struct ServerWire<'a> {
    url: String,
    pid: u32,
    running: bool,
    started: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
}

/// Serves, or makes sure that somebody does.
///
/// # Errors
/// When nothing can be served.
pub fn run(args: &ServeArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    if args.ensure { ensure(args, ui) } else { serve(args, ui) }
}

fn serve(args: &ServeArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let (root, is_somewhere) = home(ui)?;
    let listener = args.http.map(listen).transpose()?;
    let files = args.http.map(|_| Files::of(&root, &env::environment())).transpose()?;
    let health = serde_json::json!({ "root": root.to_string_lossy(), "pid": std::process::id() });
    let base = KnowledgeBase { folder: PathBuf::from("."), environment: env::environment() };
    let operations = operations(base.clone(), Arc::new(ui.beside()));
    let (server, handle) = Server::new(operations, env!("CARGO_PKG_VERSION"), health);
    if is_somewhere {
        let watched = root.clone();
        let tell = move || tell_of_changes(&watched, &base, &handle);
        std::thread::Builder::new().name("watch".to_owned()).spawn(tell)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = match (listener, files) {
        (Some(listener), Some(files)) => {
            let token = new_token().map_err(CliError::new)?;
            let address = listener.local_addr()?;
            let running = Running {
                pid: std::process::id(),
                address: address.to_string(),
                token: token.clone(),
                root: root.to_string_lossy().into_owned(),
            };
            files.write(&running)?;
            ui.emit(&wire(&running, true, true), format_args!("{}", running.url()))?;
            ui.flush()?;
            let mut allowed_hosts = args.allow_host.clone();
            // No name that somebody else could point here.
            match address.ip() {
                ip if ip.is_unspecified() => {}
                IpAddr::V4(ip) => allowed_hosts.push(ip.to_string()),
                IpAddr::V6(ip) => allowed_hosts.push(format!("[{ip}]")),
            }
            let http = Http {
                listener,
                token,
                allowed_hosts,
                allowed_origins: args.allow_origin.clone(),
                requests_per_minute: args.rate,
            };
            let served = runtime.block_on(serve_http(server, http, ended()));
            files.remove(&running);
            served
        }
        _ => runtime.block_on(serve_stdio(server)),
    };
    // An operation that is still at work is nobody's any more.
    runtime.shutdown_timeout(Duration::from_secs(1));
    served.map(|()| Outcome::Done).map_err(CliError::new)
}

/// The root of the knowledge base here, or where there is none the current folder: a client gets a
/// server that says so rather than none. What is wrong with the settings is said once, on stderr.
pub(super) fn home(ui: &Ui) -> Result<(PathBuf, bool), CliError> {
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

fn listen(address: SocketAddr) -> Result<TcpListener, CliError> {
    TcpListener::bind(address).map_err(|cause| {
        let error = CliError::new(format_args!("cannot listen at {address}: {cause}"));
        match cause.kind() {
            std::io::ErrorKind::AddrInUse => {
                error.hint("another program is there; give another one: --http 127.0.0.1:0")
            }
            _ => error.hint("give an address of this machine, such as --http 127.0.0.1:7397"),
        }
    })
}

/// When the process is told to end.
async fn ended() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut ended), Ok(mut interrupted)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = ended.recv() => {}
        _ = interrupted.recv() => {}
    }
}

fn ensure(args: &ServeArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let (root, _) = home(ui)?;
    let files = Files::of(&root, &env::environment())?;
    // Of several that want one, the first starts it and the others find it.
    let _lock = lock::wait(&files.lock).map_err(|cause| files.unwritable(&cause))?;
    if let Some(running) = files.read().filter(|running| running.is_well(CHECK)) {
        ui.emit(&wire(&running, true, false), running.url())?;
        return Ok(Outcome::Done);
    }
    let address = args.http.map_or(ADDRESS.to_owned(), |address| address.to_string());
    let started = start(&address, args, &root, &files);
    // Another program, or the server of another repository, may be at the usual place.
    let started = match started {
        Err(_) if args.http.is_none() => start("127.0.0.1:0", args, &root, &files),
        started => started,
    };
    let running = started?;
    ui.emit(&wire(&running, true, true), running.url())?;
    Ok(Outcome::Done)
}

/// Starts a server in the background and waits until it answers.
fn start(address: &str, args: &ServeArgs, root: &Path, files: &Files) -> Result<Running, CliError> {
    let mut argv = vec![env::own_program()?.to_string_lossy().into_owned()];
    argv.extend(["agent", "mcp", "serve"].map(str::to_owned));
    argv.push(format!("--http={address}"));
    argv.push(format!("--rate={}", args.rate));
    argv.extend(args.allow_host.iter().map(|host| format!("--allow-host={host}")));
    argv.extend(args.allow_origin.iter().map(|origin| format!("--allow-origin={origin}")));
    let mut started =
        process::detach(&argv, root, Stdio::null(), Some(&files.log)).map_err(CliError::new)?;
    let begun = Instant::now();
    while begun.elapsed() < START {
        let running = files.read().filter(|running| running.pid == started.id());
        if let Some(running) = running.filter(|running| running.is_well(CHECK)) {
            return Ok(running);
        }
        if started.has_ended() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // One that nobody finds must not stay.
    started.stop();
    if let Some(running) = files.read().filter(|running| running.pid == started.id()) {
        files.remove(&running);
    }
    let said = std::fs::read_to_string(&files.log).unwrap_or_default();
    let last = said.lines().find(|line| line.starts_with("error")).unwrap_or("it says nothing");
    Err(CliError::new(format_args!("the server does not start: {}", escape_control_line(last)))
        .hint(format!("its words are in `{}`", files.log.display())))
}

/// Says where the server is.
///
/// # Errors
/// When its settings are unusable.
pub fn status(args: &StatusArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let (root, _) = home(ui)?;
    let files = Files::of(&root, &env::environment())?;
    let Some(running) = files.read().filter(|running| running.is_well(CHECK)) else {
        ui.talk("no server runs; start one with `elophanto agent mcp serve --ensure`");
        return Ok(Outcome::Negative);
    };
    if args.token {
        ui.line(&running.token)?;
    } else {
        ui.emit(&wire(&running, true, false), running.url())?;
    }
    Ok(Outcome::Done)
}

fn wire(running: &Running, is_running: bool, started: bool) -> ServerWire<'_> {
    let (url, pid) = (running.url(), running.pid);
    ServerWire { url, pid, running: is_running, started, version: Some(env!("CARGO_PKG_VERSION")) }
}
