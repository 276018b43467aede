//! `elophanto gateway` itself: serves, or makes sure that somebody does.

use std::{
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;

use super::super::{
    Outcome, env,
    error::CliError,
    ui::Ui,
    workspace::{self, KnowledgeBase, Workspace},
};
use crate::{
    gateway::{
        files::GatewayFiles,
        serving::{self, Serving},
    },
    listening::{life, running::Running},
};
use elophanto_app::{Error, gateway::Served};
use elophanto_repo::locate;

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
    #[arg(long, value_name = "N", default_value_t = 6_000)]
    rate: u32,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A gateway, as `--json` prints it.
#[derive(Serialize)]
pub struct GatewayWire {
    /// Where conversations are held.
    pub url: String,
    /// Where MCP is served.
    pub mcp: String,
    /// Where programs of this user reach it.
    pub socket: Option<PathBuf>,
    pub pid: u32,
    pub running: bool,
    pub started: bool,
    pub version: &'static str,
}

impl GatewayWire {
    pub fn of(running: &Running, started: bool) -> Self {
        Self {
            url: running.base().replacen("http", "ws", 1) + "/gateway",
            mcp: running.url(),
            socket: running.socket.clone(),
            pid: running.pid,
            running: true,
            started,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

pub fn run(args: &ServeArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(args.flags(), ui)?;
    let settings = &workspace.config.gateway;
    let environment = workspace.environment.clone();
    if args.ensure {
        let files = GatewayFiles::of(&environment)?;
        files.prepare()?;
        let root = &workspace.repository.root;
        let (running, started) = life::ensure(root, &files.server, &[args.program()?])?;
        let wire = GatewayWire::of(&running, started);
        ui.emit(&wire, &wire.url)?;
        if files.reach(root).is_none() {
            ui.note(
                "your gateway does not serve this repository: name it in gateway.repositories of your \
                 own settings, then `elophanto gateway stop` and start it again",
            );
        }
        return Ok(Outcome::Done);
    }
    let serving = Serving {
        repositories: repositories(&workspace)?,
        reporter: Arc::new(ui.beside()),
        address: SocketAddr::new(settings.host, settings.port),
        allowed_hosts: args.allow_host.clone(),
        requests_per_minute: args.rate,
        approval_expires: settings.approval_expires,
        same_person: people(&settings.same_person),
        environment,
    };
    if !settings.host.is_loopback() {
        ui.warn("what is said there can be read on the way: put TLS (wss) in front");
    }
    serving::serve(serving, &mut |running| {
        let wire = GatewayWire::of(running, true);
        ui.emit(&wire, &wire.url)?;
        ui.flush()
    })?;
    Ok(Outcome::Done)
}

/// The words that start a gateway by the settings.
///
/// # Errors
/// When the program itself is not to be found.
pub fn usual_program() -> Result<Vec<String>, CliError> {
    Ok(vec![env::own_program()?.to_string_lossy().into_owned(), "gateway".to_owned()])
}

impl ServeArgs {
    fn flags(&self) -> Vec<(String, String)> {
        let host = self.host.map(|host| ("gateway.host".to_owned(), host.to_string()));
        let port = self.port.map(|port| ("gateway.port".to_owned(), port.to_string()));
        host.into_iter().chain(port).collect()
    }

    /// The words that start one here.
    fn program(&self) -> Result<Vec<String>, CliError> {
        let mut words = usual_program()?;
        words.extend(self.host.map(|host| format!("--host={host}")));
        words.extend(self.port.map(|port| format!("--port={port}")));
        words.push(format!("--rate={}", self.rate));
        words.extend(self.allow_host.iter().map(|host| format!("--allow-host={host}")));
        Ok(words)
    }
}

/// What the settings say is served, each once.
fn repositories(workspace: &Workspace) -> Result<Vec<Served>, CliError> {
    let around = &workspace.repository.root;
    let mut roots: Vec<PathBuf> = Vec::new();
    for folder in &workspace.config.gateway.repositories {
        let root = root(&around.join(folder))?;
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    let names = serving::names(&roots);
    let served = names.into_iter().zip(roots).map(|(name, root)| {
        let base =
            KnowledgeBase { folder: root.clone(), environment: workspace.environment.clone() };
        Served { name, root, base }
    });
    Ok(served.collect())
}

fn root(folder: &Path) -> Result<PathBuf, CliError> {
    let found = locate(folder).map(|repository| repository.root);
    found.map_err(|cause| {
        Error::new(format_args!("gateway.repositories names `{}`: {cause}", folder.display()))
            .hint("name folders of repositories there")
    })
}

fn people(same: &[String]) -> Vec<Vec<String>> {
    same.iter().map(|one| one.split_whitespace().map(str::to_owned).collect()).collect()
}
