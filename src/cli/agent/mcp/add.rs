//! `elophanto agent mcp add`, `list`, `trust` and `remove`

use serde::Serialize;

use super::super::super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, escape_control_line},
};
use elophanto_agent::mcp_client::USUAL_ENVIRONMENT;
use elophanto_app::mcp::{self, AddRequest, Server};

/// Add a server of somebody else, whose tools the agent may use
///
/// It is a program that runs as you, outside of the sandbox, with the variables that --env names
/// and no others, in your home folder. Nothing is started before you trust it: --trust starts it
/// once to see what it offers. When it offers something else later, its tools are left out until
/// you say so again. What is kept lies beside your own settings, never in a repository.
#[derive(clap::Args, Debug)]
pub struct AddArgs {
    /// What to call it: up to 24 small letters, digits and `_`; its tools are named NAME_TOOL
    name: String,
    /// A variable of the environment that it gets, such as PATH; may be repeated
    #[arg(long, value_name = "NAME")]
    env: Vec<String>,
    /// The level of a tool, by the server's own name of it; may be repeated
    ///
    /// Levels are safe, moderate, destructive and critical. A tool that is not named is
    /// destructive.
    #[arg(long, value_name = "TOOL=LEVEL")]
    level: Vec<String>,
    /// Start it, look at what it offers, and use that in runs from now on
    #[arg(long)]
    trust: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
    /// The program and its arguments; no shell sees them
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// List the servers that were added
#[derive(clap::Args, Debug)]
pub struct ListArgs {
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Start a server once, look at what it offers, and use that in runs from now on
///
/// Shows its command first and asks before it is started; then shows its tools and asks before they
/// are used.
#[derive(clap::Args, Debug)]
pub struct TrustArgs {
    /// Its name
    name: String,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Remove a server
#[derive(clap::Args, Debug)]
pub struct RemoveArgs {
    /// Its name
    name: String,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct RemovedWire<'a> {
    removed: &'a str,
}

pub fn run(args: &AddArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let request = AddRequest {
        name: args.name.clone(),
        command: args.command.clone(),
        environment: args.env.clone(),
        levels: args.level.clone(),
        trust: args.trust,
    };
    let (server, replaces) = mcp::add(request, &env::environment())?;
    show(&server, ui)?;
    if replaces {
        ui.talk(format_args!("this replaces the former server `{}`", args.name));
    }
    if server.environment.is_empty() {
        let usual = USUAL_ENVIRONMENT.join(", ");
        ui.talk(format_args!("it gets no variables; many programs need some of {usual}: --env"));
    }
    if !args.trust {
        ui.talk(format_args!(
            "it is not started before you trust it: elophanto agent mcp trust {}",
            args.name
        ));
    }
    Ok(Outcome::Done)
}

pub fn list(_args: &ListArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let servers = mcp::list(&env::environment())?;
    for server in &servers {
        let state = if server.trusted { "trusted" } else { "not trusted" };
        let text = format!("{}  {state}  {}", server.name, server.quoted());
        ui.emit(server, escape_control_line(&text))?;
    }
    if servers.is_empty() {
        return Ok(ui.nothing("no server was added: `elophanto agent mcp add NAME -- COMMAND`"));
    }
    Ok(Outcome::Done)
}

pub fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    if !mcp::remove(&args.name, &env::environment())? {
        ui.talk(format_args!("no server `{}` was added", args.name));
        return Ok(Outcome::Negative);
    }
    ui.emit(&RemovedWire { removed: &args.name }, format_args!("removed: {}", args.name))?;
    Ok(Outcome::Done)
}

pub fn trust(args: &TrustArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let Some(server) = mcp::trust(&args.name, args.yes, &env::environment(), ui)? else {
        return Ok(Outcome::Negative);
    };
    show(&server, ui)?;
    Ok(Outcome::Done)
}

fn show(server: &Server, ui: &mut Ui) -> Result<(), CliError> {
    ui.emit(server, server.lines().join("\n"))?;
    ui.flush()
}
