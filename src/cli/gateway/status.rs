//! `elophanto gateway status` and `stop`

use std::time::Duration;

use axum::http::Method;
use serde::Serialize;
use serde_json::Value;

use super::{
    super::{
        Outcome, env,
        error::CliError,
        ui::{Ui, exact_line},
    },
    serve::GatewayWire,
};
use crate::{
    gateway::files::GatewayFiles,
    listening::{life, own},
};

/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Say whether your gateway runs, where, and what it serves
#[derive(clap::Args, Debug)]
pub struct StatusArgs {
    /// Print the token alone
    #[arg(long)]
    token: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Stop your gateway
///
/// Runs that go on are ended and written down. Exits with 1 if none runs.
#[derive(clap::Args, Debug)]
pub struct StopArgs {
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// What `status --json` prints.
#[derive(Serialize)]
struct StatusWire {
    #[serde(flatten)]
    gateway: GatewayWire,
    /// Names and roots.
    repositories: Value,
}

#[derive(Serialize)]
struct StoppedWire {
    stopped: String,
    pid: u32,
}

pub fn run(args: &StatusArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let files = GatewayFiles::of(&env::environment())?;
    let Some(running) = files.running() else {
        return Ok(none(&files, "; start one with `elophanto gateway --ensure`", ui));
    };
    if args.token {
        ui.line(&running.token)?;
        return Ok(Outcome::Done);
    }
    let health = own::ask(&files.socket, Method::GET, "/health", PATIENCE)?.1;
    let wire = StatusWire {
        gateway: GatewayWire::of(&running, false),
        repositories: health["repositories"].clone(),
    };
    let mut text = format!("{}, process {}", wire.gateway.url, running.pid);
    for repository in wire.repositories.as_array().into_iter().flatten() {
        let of = |key: &str| exact_line(repository[key].as_str().unwrap_or_default());
        text.push_str(&format!("\n{}  {}", of("name"), of("root")));
    }
    ui.emit(&wire, text)?;
    Ok(Outcome::Done)
}

pub fn stop(_args: &StopArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let files = GatewayFiles::of(&env::environment())?;
    let Some(running) = life::stop(&files.server)? else { return Ok(none(&files, "", ui)) };
    files.wait_until_ended()?;
    let stopped = GatewayWire::of(&running, false).url;
    let text = format!("stopped: {stopped}");
    ui.emit(&StoppedWire { stopped, pid: running.pid }, text)?;
    Ok(Outcome::Done)
}

/// That there is none, or one that does not answer.
fn none(files: &GatewayFiles, hint: &str, ui: &Ui) -> Outcome {
    match files.silent() {
        Some(pid) => ui.talk(format_args!(
            "a gateway of yours, process {pid}, does not answer: it is stopped (`kill -CONT {pid}` \
             lets it go on), or very busy"
        )),
        None => ui.talk(format_args!("no gateway runs{hint}")),
    }
    Outcome::Negative
}
