//! `elophanto agent plugin list`, `show`, `test`.

use super::Prepared;
use crate::cli::{NoArgs, Outcome, Result, Ui, escape_control_line, visible};
use crate::wire::plugins::{PluginWire, TestedPluginWire};
use elophanto_app::plugins::{self, described, plugin, told};

/// Show what a plugin is: what it says of itself, its files, whether it is a tool
///
/// Exits with 1 if it is no tool.
#[derive(clap::Args, Debug)]
pub struct ShowArgs {
    /// Name of its folder below `plugins/`
    name: String,
}

/// Run a plugin's tests in the sandbox
///
/// Without secrets and without network. Exits with 1 if they did not pass.
#[derive(clap::Args, Debug)]
pub struct TestArgs {
    /// Name of its folder below `plugins/`
    name: String,
}

pub fn list(_: &NoArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome> {
    let rows = plugins::list(prepared);
    for row in &rows {
        let level = row.level.unwrap_or("no tool");
        let text = row.description.as_deref().or(row.problem.as_deref()).unwrap_or_default();
        let line = format!("{:<20} {level:<12} {text}", row.name);
        ui.emit(row, escape_control_line(line.trim_start()))?;
    }
    Ok(ui.listed(
        rows.is_empty(),
        "there is no folder below `plugins/`: `elophanto agent plugin new NAME` makes one",
    ))
}

pub fn show(args: &ShowArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome> {
    let plugin = plugin(prepared, &args.name)?;
    let problem = prepared.problems.iter().find(|problem| problem.name == plugin.name);
    let problem = problem.map(|problem| problem.reason.as_str());
    let is_tool = plugins::is_tool(prepared, &plugin);
    let mut text = described(&plugin).join("\n");
    match problem {
        None => text.push_str("\nIt is a tool of the agent."),
        Some(problem) => text.push_str(&format!("\nIt is no tool: {problem}")),
    }
    text.push_str(&format!("\n\n{}", plugin.readme.trim()));
    ui.emit(&PluginWire::of(&plugin, is_tool, problem), visible(&text))?;
    Ok(if is_tool { Outcome::Done } else { Outcome::Negative })
}

pub fn test(args: &TestArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome> {
    let plugin = plugin(prepared, &args.name)?;
    let report = plugins::test(prepared, &plugin);
    let wire = TestedPluginWire::of(&plugin.name, &report);
    ui.emit(&wire, visible(&told(&report)))?;
    Ok(if report.passed() { Outcome::Done } else { Outcome::Negative })
}
