//! `elophanto agent mcp add`, `list`, `trust` and `remove`

use crate::cli::{NoArgs, Outcome, Result, Ui, env, escape_control_line};
use crate::wire::upkeep::RemovedWire;
use elophanto_agent::mcp_client::USUAL_ENVIRONMENT;
use elophanto_app::mcp::{self, AddRequest, Added, Server};

/// Add a server of somebody else, whose tools the agent may use
///
/// It is a program, or an address where a server runs already. A program runs as you, outside of
/// the sandbox, with the variables that --env names and no others, in your home folder. An address
/// is asked over the network: over TLS, unless it is on this machine, and on a private network with
/// --private only. Nothing is started or asked before you trust it: --trust does it once to see what
/// it offers. When it offers something else later, its tools are left out until you say so again.
/// What is kept lies beside your own settings, never in a repository.
#[derive(clap::Args, Debug)]
pub struct AddArgs {
    /// What to call it: up to 24 small letters, digits and `_`; its tools are named NAME_TOOL. An
    /// address here makes a name of its host
    #[arg(value_name = "NAME|ADDRESS")]
    name: String,
    /// Where it is, such as https://mcp.example.org/mcp
    address: Option<String>,
    /// A variable of the environment that a program gets, such as PATH; may be repeated
    #[arg(long, value_name = "NAME")]
    env: Vec<String>,
    /// Give a program PATH and HOME, which launchers such as npx and uvx need
    #[arg(long)]
    usual_env: bool,
    /// Where the token for an address is: `env:NAME` or `vault:NAME`
    #[arg(long, value_name = "PLACE")]
    key: Option<String>,
    /// The address may be on a private network
    #[arg(long)]
    private: bool,
    /// The level of a tool, by the server's own name of it; may be repeated
    ///
    /// Levels are safe, moderate, destructive and critical. A tool that is not named is
    /// destructive.
    #[arg(long, value_name = "TOOL=LEVEL")]
    level: Vec<String>,
    /// Look at what it offers, and use that in runs from now on
    #[arg(long)]
    trust: bool,
    /// The program and its arguments; no shell sees them
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Look at what a server offers, and use that in runs from now on
///
/// Shows its command or address first and asks before it is started or asked; then shows its tools
/// and asks before they are used.
#[derive(clap::Args, Debug)]
pub struct TrustArgs {
    /// Its name
    name: String,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// Remove a server
#[derive(clap::Args, Debug)]
pub struct RemoveArgs {
    /// Its name
    name: String,
}

pub fn run(args: &AddArgs, ui: &mut Ui) -> Result<Outcome> {
    let request = AddRequest {
        name: args.name.clone(),
        address: args.address.clone(),
        command: args.command.clone(),
        environment: args.env.clone(),
        usual: args.usual_env,
        private: args.private,
        key: args.key.clone(),
        levels: args.level.clone(),
        trust: args.trust,
    };
    let Added { server, replaces, wants_sign_in, lacks, is_missing } =
        mcp::add(request, &env::environment(), ui)?;
    show(&server, ui)?;
    let name = &server.name;
    if replaces {
        ui.talk(format_args!("this replaces the former server `{name}`"));
    }
    if is_missing {
        let program = server.command.first().map(String::as_str).unwrap_or_default();
        let place = if program.contains('/') { "" } else { " in PATH" };
        ui.warn(format_args!(
            "there is no program `{}`{place}: the server cannot start before it is installed",
            escape_control_line(program)
        ));
    }
    if !lacks.is_empty() {
        let lacks = lacks.join(" and ");
        ui.talk(format_args!("launchers such as this one often fail without {lacks}: --usual-env"));
    } else if server.url.is_none() && server.environment.is_empty() {
        let usual = USUAL_ENVIRONMENT.join(", ");
        ui.talk(format_args!("it gets no variables; many programs need some of {usual}: --env"));
    }
    if wants_sign_in {
        return Ok(ui.nothing(format_args!(
            "it wants you to sign in: elophanto agent mcp login {name}; or, if you have a token for it, add \
             it again with --key env:NAME or --key vault:NAME"
        )));
    }
    if !args.trust {
        let done = if server.url.is_some() { "asked" } else { "started" };
        ui.talk(format_args!(
            "it is not {done} before you trust it: elophanto agent mcp trust {name}"
        ));
    }
    Ok(Outcome::Done)
}

pub fn list(_: &NoArgs, ui: &mut Ui) -> Result<Outcome> {
    let servers = mcp::list(&env::environment())?;
    for server in &servers {
        let state = if server.trusted { "trusted" } else { "not trusted" };
        let text = format!("{}  {state}  {}", server.name, server.place());
        ui.emit(server, escape_control_line(&text))?;
    }
    Ok(ui.listed(servers.is_empty(), "no server was added: `elophanto agent mcp add NAME -- COMMAND`, or `agent mcp add ADDRESS`"))
}

pub fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome> {
    let server = mcp::remove(&args.name, &env::environment())?;
    ui.emit(&RemovedWire { removed: &args.name }, format_args!("removed: {}", args.name))?;
    if server.signed_in {
        ui.talk(format_args!(
            "what it granted is still in the vault: elophanto agent mcp logout {}",
            args.name
        ));
    }
    Ok(Outcome::Done)
}

pub fn trust(args: &TrustArgs, ui: &mut Ui) -> Result<Outcome> {
    let Some(server) = mcp::trust(&args.name, args.yes, &env::environment(), ui)? else {
        return Ok(Outcome::Negative);
    };
    show(&server, ui)?;
    Ok(Outcome::Done)
}

pub(super) fn show(server: &Server, ui: &mut Ui) -> Result<()> {
    ui.emit(server, server.lines().join("\n"))?;
    ui.flush()
}
