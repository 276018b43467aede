//! `elophanto agent mcp`: our own server, and those of others.

mod add;
mod login;
mod serve;
mod stop;

use super::super::{Outcome, arguments::Json, error::Result, ui::Ui};

/// The MCP server of this knowledge base, and servers of others as tools of the agent
#[derive(clap::Args, Debug)]
pub struct McpArgs {
    #[command(subcommand)]
    command: McpCommand,
}

#[derive(clap::Subcommand, Debug)]
enum McpCommand {
    Serve(Box<Json<serve::ServeArgs>>),
    Status(Json<serve::StatusArgs>),
    Stop(Json<stop::StopArgs>),
    Add(add::AddArgs),
    List(Json<add::ListArgs>),
    Trust(Json<add::TrustArgs>),
    Login(Json<login::LoginArgs>),
    Logout(Json<login::LogoutArgs>),
    Remove(Json<add::RemoveArgs>),
}

pub fn run(args: &McpArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.command {
        McpCommand::Serve(args) => serve::run(args, ui),
        McpCommand::Status(args) => serve::status(args, ui),
        McpCommand::Stop(args) => stop::run(args, ui),
        McpCommand::Add(args) => add::run(args, ui),
        McpCommand::List(args) => add::list(args, ui),
        McpCommand::Trust(args) => add::trust(args, ui),
        McpCommand::Login(args) => login::login(args, ui),
        McpCommand::Logout(args) => login::logout(args, ui),
        McpCommand::Remove(args) => add::remove(args, ui),
    }
}
