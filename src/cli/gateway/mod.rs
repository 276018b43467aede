//! `elophanto gateway`

mod connect;
pub mod serve;
mod status;
mod token;

use super::{Json, NoArgs, Outcome, Result, Ui};

/// Serve conversations with the agent, and MCP, to programs of yours
///
/// Listens at this machine alone unless another address is given. One gateway serves you, for the
/// repository around the current folder or those of gateway.repositories; `agent chat` talks through
/// it while it runs.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct GatewayArgs {
    #[command(subcommand)]
    command: Option<GatewayCommand>,
    #[command(flatten)]
    serve: Json<serve::ServeArgs>,
}

#[derive(clap::Subcommand, Debug)]
enum GatewayCommand {
    Status(Json<status::StatusArgs>),
    /// Stop your gateway
    ///
    /// Runs that go on are ended and written down. Exits with 1 if none runs.
    Stop(Json<NoArgs>),
    Token(token::TokenArgs),
    Connect(connect::ConnectArgs),
}

pub fn run(args: &GatewayArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.command {
        None => serve::run(&args.serve, ui),
        Some(GatewayCommand::Status(args)) => status::run(args, ui),
        Some(GatewayCommand::Stop(args)) => status::stop(args, ui),
        Some(GatewayCommand::Token(args)) => args.run(ui),
        Some(GatewayCommand::Connect(args)) => connect::run(args, ui),
    }
}
