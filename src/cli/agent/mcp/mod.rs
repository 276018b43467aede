//! `elophanto agent mcp`: our own server, and those of others.

mod add;
mod login;
mod serve;

use crate::cli::{Json, NoArgs, commands};

commands! {
    /// The MCP server of this knowledge base, and servers of others as tools of the agent
    struct McpArgs(args, ui);
    Serve(Box<Json<serve::ServeArgs>>) => serve::run(args, ui);
    Status(Json<serve::StatusArgs>) => serve::status(args, ui);
    /// Stop the HTTP server of this repository
    ///
    /// It ends what it is at and goes. Exits with 1 if none runs.
    Stop(Json<NoArgs>) => serve::stop(args, ui);
    Add(Json<add::AddArgs>) => add::run(args, ui);
    /// List the servers that were added
    List(Json<NoArgs>) => add::list(args, ui);
    Trust(Json<add::TrustArgs>) => add::trust(args, ui);
    Login(Json<login::LoginArgs>) => login::login(args, ui);
    Logout(Json<login::LogoutArgs>) => login::logout(args, ui);
    Remove(Json<add::RemoveArgs>) => add::remove(args, ui);
}
