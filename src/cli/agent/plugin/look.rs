//! `elophanto agent plugin list`, `show`, `test`.

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    super::super::{
        Outcome,
        error::Result,
        ui::{Ui, escape_control_line, visible},
    },
    Prepared,
};
use elophanto_agent::plugins::{Plugin, PluginFile};
use elophanto_app::plugins::{self, described, plugin, told};

/// List the plugins, and why some are no tools
#[derive(clap::Args, Debug)]
pub struct ListArgs {}

/// Show what a plugin is: what it says of itself, its files, whether it is a tool
///
/// Exits with 1 if it is no tool.
#[derive(clap::Args, Debug)]
pub struct ShowArgs {
    /// Name of its folder below `plugins/`
    name: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Run a plugin's tests in the sandbox
///
/// Without secrets and without network. Exits with 1 if they did not pass.
#[derive(clap::Args, Debug)]
pub struct TestArgs {
    /// Name of its folder below `plugins/`
    name: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A plugin, as `--json` prints it.
#[derive(Serialize)]
struct PluginWire<'a> {
    name: &'a str,
    description: &'a str,
    level: &'static str,
    network: bool,
    secrets: &'a [String],
    hash: &'a str,
    program: &'a str,
    test: &'a str,
    files: Vec<FileWire<'a>>,
    input: &'a Value,
    output: Option<&'a Value>,
    /// Whether the agent can call it.
    tool: bool,
    /// Why it is no tool.
    problem: Option<String>,
    readme: &'a str,
}

#[derive(Serialize)]
struct FileWire<'a> {
    path: &'a str,
    bytes: usize,
    executable: bool,
}

pub fn list(prepared: &Prepared, ui: &mut Ui) -> Result<Outcome> {
    let rows = plugins::list(prepared);
    for row in &rows {
        let level = row.level.unwrap_or("no tool");
        let text = row.description.as_deref().or(row.problem.as_deref()).unwrap_or_default();
        let line = format!("{:<20} {level:<12} {text}", row.name);
        ui.emit(row, escape_control_line(line.trim_start()))?;
    }
    if rows.is_empty() {
        return Ok(ui.nothing(
            "there is no folder below `plugins/`: `elophanto agent plugin new NAME` makes one",
        ));
    }
    Ok(Outcome::Done)
}

pub fn show(args: &ShowArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome> {
    let plugin = plugin(prepared, &args.name)?;
    let wire = wire(prepared, &plugin);
    let is_tool = wire.tool;
    let mut text = described(&plugin).join("\n");
    match &wire.problem {
        None => text.push_str("\nIt is a tool of the agent."),
        Some(problem) => text.push_str(&format!("\nIt is no tool: {problem}")),
    }
    text.push_str(&format!("\n\n{}", plugin.readme.trim()));
    ui.emit(&wire, visible(&text))?;
    Ok(if is_tool { Outcome::Done } else { Outcome::Negative })
}

pub fn test(args: &TestArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome> {
    let plugin = plugin(prepared, &args.name)?;
    let report = plugins::test(prepared, &plugin);
    let wire = json!({
        "name": plugin.name,
        "hash": report.hash(),
        "passed": report.passed(),
        "reason": report.reason(),
        "output": report.output(),
    });
    ui.emit(&wire, visible(&told(&report)))?;
    Ok(if report.passed() { Outcome::Done } else { Outcome::Negative })
}

fn wire<'a>(prepared: &Prepared, plugin: &'a Plugin) -> PluginWire<'a> {
    let problem = prepared.problems.iter().find(|problem| problem.name == plugin.name);
    let declared = &plugin.declared;
    let file = |file: &'a PluginFile| FileWire {
        path: &file.path,
        bytes: file.bytes.len(),
        executable: file.is_executable,
    };
    PluginWire {
        name: &plugin.name,
        description: &declared.description,
        level: declared.level.name(),
        network: declared.network,
        secrets: &declared.secrets,
        hash: &plugin.hash,
        program: &plugin.program,
        test: &plugin.test,
        files: plugin.files.iter().map(file).collect(),
        input: &declared.input,
        output: declared.output.as_ref(),
        tool: plugins::is_tool(prepared, plugin),
        problem: problem.map(|problem| problem.reason.clone()),
        readme: &plugin.readme,
    }
}
