//! `elophanto agent`: what agents use, each command in a file of its own.

mod around;
mod chat;
mod fenced;
mod hook;
mod hub;
pub mod install;
mod mcp;
mod memory;
mod memory_care;
mod memory_forget;
mod note;
mod plugin;
mod recall;
mod remember;
mod run;
mod runs;
mod skill;
mod tools;
mod undo;
mod work;

use super::{Outcome, arguments::Json, error::Result, ui::Ui};

/// The agent, and what agents share: lessons, notes, an MCP server
#[derive(clap::Args, Debug)]
pub struct AgentArgs {
    #[command(subcommand)]
    command: AgentCommand,
}

#[derive(clap::Subcommand, Debug)]
#[command(defer = true)]
enum AgentCommand {
    Run(run::RunArgs),
    Chat(chat::ChatArgs),
    Runs(runs::RunsArgs),
    Sessions(runs::SessionsArgs),
    Undo(Json<undo::UndoArgs>),
    Tools(Json<tools::ToolsArgs>),
    Plugin(plugin::PluginArgs),
    Skill(skill::SkillArgs),
    Hub(hub::HubArgs),
    Remember(Json<remember::RememberArgs>),
    Recall(Json<recall::RecallArgs>),
    Memory(memory::MemoryArgs),
    Note(Json<note::NoteArgs>),
    Mcp(mcp::McpArgs),
    Install(Json<install::InstallArgs>),
    #[command(hide = true)]
    Hook(hook::HookArgs),
    #[command(hide = true)]
    Fenced(fenced::FencedArgs),
}

pub fn run(args: &AgentArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.command {
        AgentCommand::Run(args) => run::run(args, ui),
        AgentCommand::Chat(args) => chat::run(args, ui),
        AgentCommand::Runs(args) => runs::run(args, ui),
        AgentCommand::Sessions(args) => runs::list_sessions(args, ui),
        AgentCommand::Undo(args) => undo::run(args, ui),
        AgentCommand::Tools(args) => tools::run(args, ui),
        AgentCommand::Plugin(args) => plugin::run(args, ui),
        AgentCommand::Skill(args) => skill::run(args, ui),
        AgentCommand::Hub(args) => hub::run(args, ui),
        AgentCommand::Fenced(_) => fenced::run(),
        AgentCommand::Remember(args) => remember::run(args, ui),
        AgentCommand::Recall(args) => recall::run(args, ui),
        AgentCommand::Memory(args) => memory::run(args, ui),
        AgentCommand::Note(args) => note::run(args, ui),
        AgentCommand::Mcp(args) => mcp::run(args, ui),
        AgentCommand::Install(args) => install::run(args, ui),
        AgentCommand::Hook(args) => hook::run(args, ui),
    }
}
