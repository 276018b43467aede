//! `elophanto agent`: what agents use, each command in a file of its own.

mod chat;
mod fenced;
mod hook;
mod hub;
pub mod install;
mod mcp;
mod memory;
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

use super::{Json, commands};

commands! {
    /// The agent, and what agents share: lessons, notes, an MCP server
    struct AgentArgs(args, ui) #[command(defer = true)];
    Run(run::RunArgs) => run::run(args, ui);
    Chat(chat::ChatArgs) => chat::run(args, ui);
    Runs(runs::RunsArgs) => runs::run(args, ui);
    Sessions(runs::SessionsArgs) => runs::list_sessions(args, ui);
    Undo(Json<undo::UndoArgs>) => undo::run(args, ui);
    Tools(Json<tools::ToolsArgs>) => tools::run(args, ui);
    Plugin(plugin::PluginArgs) => plugin::run(args, ui);
    Skill(skill::SkillArgs) => args.run(ui);
    Hub(hub::HubArgs) => args.run(ui);
    Remember(Json<remember::RememberArgs>) => remember::run(args, ui);
    Recall(Json<recall::RecallArgs>) => recall::run(args, ui);
    Memory(memory::MemoryArgs) => memory::run(args, ui);
    Note(Json<note::NoteArgs>) => note::run(args, ui);
    Mcp(mcp::McpArgs) => args.run(ui);
    Install(Json<install::InstallArgs>) => install::run(args, ui);
    #[command(hide = true)]
    Hook(hook::HookArgs) => hook::run(args, ui);
    #[command(hide = true)]
    Fenced(fenced::FencedArgs) => fenced::run(args);
}
