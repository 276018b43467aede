//! A run of the agent from the command line: its settings, and what is prepared for it.

use std::sync::Arc;

use crate::cli::{Result, Ui, Workspace, env};
use crate::{mcp::knowledge_tools, terminal::screen::Screen};
use elophanto_app::{
    Reporter,
    agent::{self, Door, Prepared},
    config::AgentMode,
};

/// Whoever sits at the terminal.
const CHANNEL: &str = "terminal";

/// What the command line says of the settings.
pub fn flags(
    mode: Option<AgentMode>,
    max_steps: Option<usize>,
    budget: &Option<String>,
) -> Vec<(String, String)> {
    crate::cli::flags([
        ("agent.mode", mode.map(|mode| mode.to_string())),
        ("agent.max_steps", max_steps.map(|steps| steps.to_string())),
        ("llm.budget.run", budget.clone()),
    ])
}

/// The terminal that this process talks with.
pub fn screen(ui: &Ui) -> Screen {
    let is_dumb = env::variables().get("TERM").is_some_and(|term| term == "dumb");
    Screen::new(ui.beside(), !is_dumb)
}

/// Runs with the tools of the knowledge base, told by `reporter`.
///
/// # Errors
/// When rules cannot be understood, or there is no folder for the state.
pub fn prepare(
    workspace: &Workspace,
    reporter: Arc<dyn Reporter + Send + Sync>,
) -> Result<Prepared<'_>> {
    let tools = knowledge_tools(workspace, reporter.clone());
    agent::prepare(workspace, Door { channel: CHANNEL, user: None, tools, reporter })
}
