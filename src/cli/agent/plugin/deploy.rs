//! `elophanto agent plugin deploy`, `remove`.

use super::Prepared;
use crate::cli::{Outcome, Result, Ui, agent::work, escape_control_line};
use elophanto_agent::{Spec, plugins::FOLDER};
use elophanto_app::plugins;

/// Make a plugin a tool of the agent, after you looked at it
///
/// Shows what it is and its files, runs its tests in the sandbox, asks, writes its hash into
/// `plugins/manifest.json` and keeps your agreement in your own folder. A plugin that changed is no
/// tool until this looked at it again.
#[derive(clap::Args, Debug)]
pub struct DeployArgs {
    /// Name of its folder below `plugins/`
    name: String,
    /// Agree without being asked
    #[arg(long, short)]
    yes: bool,
}

/// Take a plugin out of the tools of the agent
///
/// Its files stay. Exits with 1 if it was not deployed.
#[derive(clap::Args, Debug)]
pub struct RemoveArgs {
    /// Name of its folder below `plugins/`
    name: String,
}

pub fn deploy(args: &DeployArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome> {
    let done = plugins::deploy(prepared, &args.name, args.yes, &|| tools(prepared), ui)?;
    let text = match &done.reason {
        None => format!("`{}` is a tool of the agent", done.name),
        Some(reason) => format!("not deployed: {}", escape_control_line(reason)),
    };
    ui.emit(&done, text)?;
    Ok(if done.deployed { Outcome::Done } else { Outcome::Negative })
}

pub fn remove(args: &RemoveArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome> {
    let done = plugins::remove(prepared, &args.name, &|| tools(prepared), ui)?;
    let name = &done.name;
    let (text, outcome) = match done.written.is_empty() {
        false => {
            let text = format!("`{name}` is no tool any more; its files stay in {FOLDER}/{name}");
            (text, Outcome::Done)
        }
        true => (format!("`{name}` was not deployed"), Outcome::Negative),
    };
    ui.emit(&done, text)?;
    Ok(outcome)
}

/// The tools of the agent, as they are now.
fn tools(prepared: &Prepared) -> Result<Vec<Spec>> {
    Ok(work::prepare(prepared.workspace, std::sync::Arc::new(Ui::silent()))?
        .tools
        .specs()
        .collect())
}
