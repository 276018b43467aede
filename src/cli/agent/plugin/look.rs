//! `elophanto agent plugin list`, `show`, `test`.

use serde::Serialize;
use serde_json::Value;

use super::{
    super::super::{
        Outcome,
        error::CliError,
        ui::{Ui, visible, visible_line},
    },
    Prepared, plugin, tested,
};
use elophanto_agent::{
    Source, level_name,
    plugins::{Plugin, TestReport},
};

/// List the plugins, and why some are no tools
#[derive(clap::Args, Debug)]
pub struct ListArgs {
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

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

/// A plugin in the list, as `--json` prints it.
#[derive(Serialize)]
struct ListedWire {
    name: String,
    /// Whether the agent can call it.
    tool: bool,
    level: Option<&'static str>,
    description: Option<String>,
    hash: Option<String>,
    /// Why it is no tool.
    problem: Option<String>,
}

/// A plugin, as `show --json` and `deploy --json` print it.
#[derive(Serialize)]
pub struct PluginWire<'a> {
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

/// What tests came to, as `--json` prints it.
#[derive(Serialize)]
struct TestedWire<'a> {
    name: &'a str,
    hash: &'a str,
    passed: bool,
    reason: &'a str,
    output: &'a str,
}

pub fn list(prepared: &Prepared, ui: &mut Ui) -> Result<Outcome, CliError> {
    let mut rows = Vec::new();
    for spec in prepared.tools.specs() {
        if let Source::Plugin { hash } = spec.source {
            rows.push(ListedWire {
                name: spec.name,
                tool: true,
                level: Some(level_name(spec.level)),
                description: Some(spec.description),
                hash: Some(hash),
                problem: None,
            });
        }
    }
    for problem in &prepared.problems {
        rows.push(ListedWire {
            name: problem.name.clone(),
            tool: false,
            level: None,
            description: None,
            hash: None,
            problem: Some(problem.reason.clone()),
        });
    }
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    for row in &rows {
        let level = row.level.unwrap_or("no tool");
        let text = row.description.as_deref().or(row.problem.as_deref()).unwrap_or_default();
        let line = format!("{:<20} {level:<12} {text}", row.name);
        ui.emit(row, visible_line(line.trim_start()))?;
    }
    if rows.is_empty() {
        ui.note("there is no folder below `plugins/`");
    }
    Ok(Outcome::Done)
}

pub fn show(args: &ShowArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome, CliError> {
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

pub fn test(args: &TestArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome, CliError> {
    let plugin = plugin(prepared, &args.name)?;
    let report = tested(prepared, &plugin);
    let wire = TestedWire {
        name: &plugin.name,
        hash: report.hash(),
        passed: report.passed(),
        reason: report.reason(),
        output: report.output(),
    };
    ui.emit(&wire, visible(&told(&report)))?;
    Ok(if report.passed() { Outcome::Done } else { Outcome::Negative })
}

/// What tests printed, and what that comes to.
pub fn told(report: &TestReport) -> String {
    let printed: String = report.output().lines().map(|line| format!("  | {line}\n")).collect();
    format!("{printed}{}", report.reason())
}

pub fn wire<'a>(prepared: &Prepared, plugin: &'a Plugin) -> PluginWire<'a> {
    let tool = prepared.tools.get(&plugin.name);
    let is_it = |source: &Source| *source == Source::Plugin { hash: plugin.hash.clone() };
    let tool = tool.is_some_and(|tool| is_it(&tool.spec().source));
    let problem = prepared.problems.iter().find(|problem| problem.name == plugin.name);
    let declared = &plugin.declared;
    let file = |file: &'a elophanto_agent::plugins::PluginFile| FileWire {
        path: &file.path,
        bytes: file.bytes.len(),
        executable: file.is_executable,
    };
    PluginWire {
        name: &plugin.name,
        description: &declared.description,
        level: level_name(declared.level),
        network: declared.network,
        secrets: &declared.secrets,
        hash: &plugin.hash,
        program: &plugin.program,
        test: &plugin.test,
        files: plugin.files.iter().map(file).collect(),
        input: &declared.input,
        output: declared.output.as_ref(),
        tool,
        problem: problem.map(|problem| problem.reason.clone()),
        readme: &plugin.readme,
    }
}

/// What somebody has to know to agree to it, line by line.
pub fn described(plugin: &Plugin) -> Vec<String> {
    let declared = &plugin.declared;
    let secrets = match declared.secrets.join(", ") {
        none if none.is_empty() => "none".to_owned(),
        names => names,
    };
    let network = if declared.network { "yes" } else { "no" };
    let mut lines = vec![
        format!("{}: {}", plugin.name, declared.description),
        format!("level: {}", level_name(declared.level)),
        format!("network: {network}"),
        format!("secrets it is given: {secrets}"),
        format!("content hash: {}", plugin.hash),
        format!("files in plugins/{}:", plugin.name),
    ];
    lines.extend(plugin.files.iter().map(|file| {
        let executable = if file.is_executable { ", executable" } else { "" };
        format!("  {} ({} bytes{executable})", file.path, file.bytes.len())
    }));
    lines
}
