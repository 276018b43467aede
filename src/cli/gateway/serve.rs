//! `elophanto gateway` itself: serves, or makes sure that somebody does.

use std::{
    net::{IpAddr, SocketAddr},
    path::Path,
    sync::Arc,
};

use crate::cli::{Outcome, Result, Ui, env, flags, report, workspace};
use crate::{
    gateway::{
        files::GatewayFiles,
        serving::{self, Serving},
        told,
    },
    listening::{life, own::own_name, running::Running},
    terminal::{
        json_lines::lines,
        secret_input::{self, take_stdin},
        system,
    },
};
use elophanto_app::{
    channels::{ChannelSettings, Here},
    fleet::{self, Reader},
    gateway::{Served, people},
    keys::Asking,
    settings::Settings,
};

const RATE: u32 = 6_000;
/// Bytes of a line that is typed.
const MOST_LINE: u64 = 64 * 1024;
/// The same at a terminal, which cuts longer ones without a word.
const MOST_TYPED: usize = 4_095;
const CHAT: &str = "write what is to be done; `/help` lists commands. `7a` presses the first button below #7, \
                    `7+` or `7-` says what you think of it, `7> text` answers it; Ctrl-C ends the gateway";

#[derive(clap::Args, Debug)]
pub struct ServeArgs {
    /// Address to listen at, in place of gateway.host
    #[arg(long, value_name = "ADDRESS")]
    host: Option<IpAddr>,
    /// Port to listen at, in place of gateway.port; 0 takes any that is free
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Start it in the background unless one of yours runs already, and say where it is
    #[arg(long)]
    ensure: bool,
    /// A name by which this machine may be called, besides `localhost`; may be repeated
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// Most requests a minute
    #[arg(long, value_name = "N", default_value_t = RATE)]
    rate: u32,
    /// A fleet of repositories for a page of its own: s3://BUCKET/FOLDER, gs://, az:// or file:///FOLDER,
    /// as `elophanto publish` takes it
    #[arg(long = "in", value_name = "URL")]
    fleet: Option<String>,
    /// Talk with the agent here, while it serves: one line is one message
    #[arg(long, conflicts_with_all = ["ensure", "json"])]
    chat: bool,
}

pub fn run(args: &ServeArgs, ui: &mut Ui) -> Result<Outcome> {
    let Settings { repository, config } = workspace::settings(args.flags(), ui)?;
    let around = repository.as_ref().map(|repository| repository.root.as_path());
    let settings = &config.gateway;
    let environment = env::environment();
    let (repositories, missing) = Served::all(&settings.repositories, around, &environment)?;
    for missing in &missing {
        ui.warn(format_args!("{missing}: it is not served until the gateway is started again"));
    }
    if args.ensure {
        return ensure(args, around, &repositories, ui);
    }
    let fleet = args.fleet.as_deref().map(|address| {
        let asking = Asking::Through(ui);
        fleet::open(address, &environment, asking, true).map(Reader::new)
    });
    let serving = Serving {
        repositories,
        fleet: fleet.transpose()?,
        missing,
        reporter: Arc::new(ui.beside()),
        address: SocketAddr::new(settings.host, settings.port),
        allowed_hosts: args.allow_host.clone(),
        requests_per_minute: args.rate,
        approval_expires: settings.approval_expires,
        same_person: people(&settings.same_person),
        channels: ChannelSettings::of(&config)?,
        here: args.chat.then(here).transpose()?,
        environment,
    };
    if !settings.host.is_loopback() {
        ui.warn("what is said there can be read on the way: put TLS (wss) in front");
    }
    let taken = serving::serve(serving, &mut |running| {
        ui.emit(&told::gateway(running, true), told::address(running))?;
        if args.chat {
            ui.note(CHAT);
        }
        ui.flush()
    })?;
    // An exit code of its own, by which systemd does not try again for ever.
    Ok(taken.map_or(Outcome::Done, |taken| {
        report(&taken);
        Outcome::Negative
    }))
}

/// Whoever sits at this terminal.
fn here() -> Result<Here> {
    // Not by the handle that others lock: nobody may be reading.
    let out = system::stdout()?;
    let typed = || {
        take_stdin();
        lines(MOST_LINE)
    };
    let most = if secret_input::stdin_is_terminal() { MOST_TYPED } else { MOST_LINE as usize };
    Ok(Here::new(own_name(), most, Box::new(typed), Box::new(out)))
}

/// Makes sure that one runs.
fn ensure(
    args: &ServeArgs,
    around: Option<&Path>,
    repositories: &[Served],
    ui: &mut Ui,
) -> Result<Outcome> {
    let files = GatewayFiles::of(&env::environment())?;
    files.prepare()?;
    let first = repositories.first().map_or(Path::new("/"), |served| &served.root);
    let folder = around.unwrap_or(first);
    let (running, started) = life::ensure(folder, &files.server, &[args.program()?])?;
    ui.emit(&told::gateway(&running, started), told::address(&running))?;
    if !started && args.says_else(&running) {
        ui.note(
            "your gateway runs already, as it was started: `elophanto gateway stop` first, for what you \
             say of host, port, rate, a fleet and names of this machine to hold",
        );
    }
    if around.is_some_and(|root| files.reach(root).is_none()) {
        ui.note(
            "your gateway does not serve this repository: name it in gateway.repositories of your \
             own settings, then `elophanto gateway stop` and start it again",
        );
    }
    Ok(Outcome::Done)
}

/// The words that start a gateway by the settings.
///
/// # Errors
/// When the program itself is not to be found.
pub fn usual_program() -> Result<Vec<String>> {
    Ok(vec![env::own_program()?.to_string_lossy().into_owned(), "gateway".to_owned()])
}

impl ServeArgs {
    fn flags(&self) -> Vec<(String, String)> {
        flags([
            ("gateway.host", self.host.map(|host| host.to_string())),
            ("gateway.port", self.port.map(|port| port.to_string())),
        ])
    }

    /// Whether it says anything of how one is to be started that may not hold for one that runs.
    fn says_else(&self, running: &Running) -> bool {
        let address = running.address.parse::<SocketAddr>().ok();
        let is_other_host =
            self.host.is_some_and(|host| address.is_none_or(|address| address.ip() != host));
        let is_other_port = self
            .port
            .filter(|port| *port != 0)
            .is_some_and(|port| address.is_none_or(|address| address.port() != port));
        is_other_host
            || is_other_port
            || !self.allow_host.is_empty()
            || self.rate != RATE
            || self.fleet.is_some()
    }

    /// The words that start one here.
    fn program(&self) -> Result<Vec<String>> {
        let mut words = usual_program()?;
        words.extend(self.host.map(|host| format!("--host={host}")));
        words.extend(self.port.map(|port| format!("--port={port}")));
        words.push(format!("--rate={}", self.rate));
        words.extend(self.fleet.iter().map(|address| format!("--in={address}")));
        words.extend(self.allow_host.iter().map(|host| format!("--allow-host={host}")));
        Ok(words)
    }
}
