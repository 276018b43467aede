//! Plugins of a work tree: looked at, tested, made tools of the agent once the user agreed, and taken
//! out again.

use std::{fs::File, path::Path, time::Duration};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Result,
    agent::{
        Prepared,
        plugins::{agree, disagree, manifest},
    },
    plugin_pages,
    reporter::Reporter,
    workspace::write_beneath,
};
use elophanto_agent::{
    Source, Spec,
    develop::MAX_TEST_SECONDS,
    plugins::{
        self, MANIFEST, Plugin, PluginError, TestReport, check_name, entries, examine, new_plugin,
        withdraw,
    },
};
use elophanto_base::visible::escape_control_line;

/// A plugin in a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Listed {
    /// The name of its folder.
    pub name: String,
    /// Whether the agent can call it.
    pub tool: bool,
    /// `safe`, `moderate`, `destructive` or `critical`, as its manifest says.
    pub level: Option<&'static str>,
    /// Of its manifest.
    pub description: Option<String>,
    /// BLAKE3 of all its files, in hex.
    pub hash: Option<String>,
    /// Why it is no tool.
    pub problem: Option<String>,
}

/// What became of a plugin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Done {
    /// The name of its folder.
    pub name: String,
    /// Of what is deployed now.
    pub hash: Option<String>,
    /// Whether the agent can call it now.
    pub deployed: bool,
    /// Why it was not.
    pub reason: Option<String>,
    /// What was written, relative to the root.
    pub written: Vec<String>,
}

/// The plugins, by name.
pub fn list(prepared: &Prepared) -> Vec<Listed> {
    let of_tool = |spec: Spec| match spec.source {
        Source::Plugin { hash } => Some(Listed {
            name: spec.name,
            tool: true,
            level: Some(spec.level.name()),
            description: Some(spec.description),
            hash: Some(hash),
            problem: None,
        }),
        _ => None,
    };
    let mut listed: Vec<Listed> = prepared.tools.specs().filter_map(of_tool).collect();
    listed.extend(prepared.problems.iter().map(|it| {
        let (name, problem) = (it.name.clone(), Some(it.reason.clone()));
        Listed { name, problem, ..Listed::default() }
    }));
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    listed
}

/// Makes a plugin to fill in, which works and whose tests pass; what was written, relative to the root.
///
/// # Errors
/// When its name is not allowed, it is there already, or it cannot be written.
pub fn new(prepared: &Prepared, name: &str, description: Option<&str>) -> Result<Vec<String>> {
    let root = &prepared.workspace.repository.root;
    let written = with_built_in(prepared, |names| new_plugin(root, name, description, names))?;
    // It can be looked at, or it would be of no use to anybody.
    plugin(prepared, name)?;
    Ok(written.into_iter().map(|path| path.to_string_lossy().into_owned()).collect())
}

/// The plugin of this name.
///
/// # Errors
/// When there is none, or it is not in the right form.
pub fn plugin(prepared: &Prepared, name: &str) -> Result<Plugin> {
    let root = &prepared.workspace.repository.root;
    Ok(with_built_in(prepared, |names| examine(root, name, names))?)
}

/// Does something with the names that no plugin may have.
fn with_built_in<T>(prepared: &Prepared, work: impl FnOnce(&[&str]) -> T) -> T {
    let built_in = prepared.tools.specs().filter(|spec| spec.source == Source::BuiltIn);
    let names: Vec<String> = built_in.map(|spec| spec.name).collect();
    work(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Whether the agent can call it as it is.
pub fn is_tool(prepared: &Prepared, plugin: &Plugin) -> bool {
    let source = Source::Plugin { hash: plugin.hash.clone() };
    prepared.tools.get(&plugin.name).is_some_and(|tool| tool.spec().source == source)
}

/// Runs its tests in the sandbox.
pub fn test(prepared: &Prepared, plugin: &Plugin) -> TestReport {
    let time = prepared.workspace.config.agent.tool_timeout;
    let time = time.min(Duration::from_secs(MAX_TEST_SECONDS));
    plugins::test(plugin, &prepared.bench.tests, time, &|| false)
}

/// What tests printed, and what that comes to.
pub fn told(report: &TestReport) -> String {
    let printed: String = report.output().lines().map(|line| format!("  | {line}\n")).collect();
    format!("{printed}{}", report.reason())
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
        format!("level: {}", declared.level.name()),
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

/// Makes a plugin a tool of the agent once its tests passed and the user agreed to what was shown;
/// `tools` says afterwards which tools there are.
///
/// # Errors
/// When there is no such plugin, it changes meanwhile, or something cannot be written.
pub fn deploy(
    prepared: &Prepared,
    name: &str,
    yes: bool,
    tools: &dyn Fn() -> Result<Vec<Spec>>,
    reporter: &dyn Reporter,
) -> Result<Done> {
    let plugin = plugin(prepared, name)?;
    for line in described(&plugin) {
        reporter.talk(escape_control_line(&line));
    }
    let report = test(prepared, &plugin);
    reporter.talk(format_args!("tests ({}):\n{}", plugin.test, told(&report)));
    let name = plugin.name.clone();
    let question = format!("Make `{name}` a tool of the agent?");
    let reason = if !report.passed() {
        Some(report.reason().to_owned())
    } else if yes || reporter.confirm(&question)? {
        None
    } else {
        Some("nobody agreed (`--yes` agrees)".to_owned())
    };
    if reason.is_some() {
        return Ok(Done { name, reason, ..Done::default() });
    }
    let workspace = prepared.workspace;
    agree(&workspace.repository.root, &workspace.environment, &name, &plugin.hash)?;
    let mut written = write_down(prepared, &plugin, &report)?;
    written.extend(document(prepared, tools, reporter)?);
    Ok(Done { name, hash: Some(plugin.hash), deployed: true, reason, written })
}

/// Into the manifest, unless somebody deployed the same before.
fn write_down(prepared: &Prepared, plugin: &Plugin, report: &TestReport) -> Result<Vec<String>> {
    let root = &prepared.workspace.repository.root;
    let there = entries(&manifest(root)?)?;
    if there.contains(&(plugin.name.clone(), plugin.hash.clone())) {
        let name = plugin.name.clone();
        return match examine(root, &name, &[])? == *plugin {
            true => Ok(Vec::new()),
            false => Err(PluginError::Changed { name }.into()),
        };
    }
    let write = |path: &Path, text: &str| {
        write_beneath(root, path, text.as_bytes()).map_err(|error| error.message().to_owned())
    };
    plugins::deploy(root, plugin, report, prepared.bench.lock(), Timestamp::now(), &write)?;
    Ok(vec![MANIFEST.to_owned()])
}

/// Takes a plugin out of the tools of the agent; its files stay. Nothing is written if it was not
/// deployed.
///
/// # Errors
/// When that cannot be written down.
pub fn remove(
    prepared: &Prepared,
    name: &str,
    tools: &dyn Fn() -> Result<Vec<Spec>>,
    reporter: &dyn Reporter,
) -> Result<Done> {
    check_name(name, &[]).map_err(PluginError::from)?;
    let workspace = prepared.workspace;
    let root = &workspace.repository.root;
    let mut written = Vec::new();
    {
        // Released when it is closed.
        let held = File::options().create(true).append(true).open(prepared.bench.lock())?;
        held.lock()?;
        if let Some(text) = withdraw(&manifest(root)?, name)? {
            write_beneath(root, Path::new(MANIFEST), text.as_bytes())?;
            written.push(MANIFEST.to_owned());
        }
    }
    disagree(root, &workspace.environment, name)?;
    if !written.is_empty() {
        written.extend(document(prepared, tools, reporter)?);
    }
    Ok(Done { name: name.to_owned(), written, ..Done::default() })
}

/// Brings the pages about plugins and tools up to date; those that changed.
fn document(
    prepared: &Prepared,
    tools: &dyn Fn() -> Result<Vec<Spec>>,
    reporter: &dyn Reporter,
) -> Result<Vec<String>> {
    let mut paths = plugin_pages::mirror(prepared.workspace, reporter);
    paths.extend(plugin_pages::capabilities(prepared.workspace, &tools()?)?);
    Ok(paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect())
}
