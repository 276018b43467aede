//! `elophanto agent plugin deploy`, `remove`.

use std::{fs::File, path::Path};

use jiff::Timestamp;
use serde::Serialize;

use super::{
    super::{
        super::{
            Outcome,
            error::CliError,
            ui::{Ui, visible_line},
            workspace::write_beneath,
        },
        work::{
            self,
            plugins::{agree, disagree, manifest},
        },
    },
    Prepared,
    look::{described, told},
    plugin, tested,
};
use elophanto_agent::plugins::{
    self, FOLDER, MANIFEST, Plugin, PluginError, TestReport, check_name, entries, examine, withdraw,
};
use elophanto_app::plugin_pages;

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
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
}

/// Take a plugin out of the tools of the agent
///
/// Its files stay. Exits with 1 if it was not deployed.
#[derive(clap::Args, Debug)]
pub struct RemoveArgs {
    /// Name of its folder below `plugins/`
    name: String,
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
}

/// What `deploy` and `remove` did, as `--json` prints it.
#[derive(Serialize)]
struct DoneWire<'a> {
    name: &'a str,
    /// Of what is deployed now.
    hash: Option<&'a str>,
    deployed: bool,
    /// Why it was not.
    reason: Option<String>,
    /// What was written, relative to the root.
    written: Vec<String>,
}

pub fn deploy(args: &DeployArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome, CliError> {
    let plugin = plugin(prepared, &args.name)?;
    for line in described(&plugin) {
        ui.talk(visible_line(&line));
    }
    let report = tested(prepared, &plugin);
    ui.talk(format_args!("tests ({}):\n{}", plugin.test, told(&report)));
    let refused = match report.passed() {
        false => Some(report.reason().to_owned()),
        true => {
            let question = format!("Make `{}` a tool of the agent?", plugin.name);
            match args.yes || ui.confirm(&question)? {
                true => None,
                false => Some("nobody agreed (`--yes` agrees)".to_owned()),
            }
        }
    };
    if let Some(reason) = refused {
        let text = format!("not deployed: {}", visible_line(&reason));
        let (name, reason) = (plugin.name.as_str(), Some(reason));
        let wire = DoneWire { name, hash: None, deployed: false, reason, written: Vec::new() };
        ui.emit(&wire, text)?;
        return Ok(Outcome::Negative);
    }
    let root = &prepared.workspace.repository.root;
    agree(root, &plugin.name, &plugin.hash)?;
    let mut written = write_down(prepared, &plugin, &report)?;
    written.extend(document(prepared, ui)?);
    let text = format!("`{}` is a tool of the agent", plugin.name);
    let (name, hash) = (plugin.name.as_str(), Some(plugin.hash.as_str()));
    ui.emit(&DoneWire { name, hash, deployed: true, reason: None, written }, text)?;
    Ok(Outcome::Done)
}

/// Into the manifest, unless somebody deployed the same before.
fn write_down(
    prepared: &Prepared,
    plugin: &Plugin,
    report: &TestReport,
) -> Result<Vec<String>, CliError> {
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

pub fn remove(args: &RemoveArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome, CliError> {
    check_name(&args.name, &[]).map_err(PluginError::from)?;
    let root = &prepared.workspace.repository.root;
    let name = args.name.as_str();
    let mut written = Vec::new();
    {
        let lock = prepared.bench.lock();
        // Released when it is closed.
        let held = File::options().create(true).append(true).open(lock)?;
        held.lock()?;
        if let Some(text) = withdraw(&manifest(root)?, name)? {
            write_beneath(root, Path::new(MANIFEST), text.as_bytes())?;
            written.push(MANIFEST.to_owned());
        }
    }
    disagree(root, name)?;
    let was_deployed = !written.is_empty();
    let (text, outcome) = match was_deployed {
        true => {
            written.extend(document(prepared, ui)?);
            let text = format!("`{name}` is no tool any more; its files stay in {FOLDER}/{name}");
            (text, Outcome::Done)
        }
        false => (format!("`{name}` was not deployed"), Outcome::Negative),
    };
    let wire = DoneWire { name, hash: None, deployed: false, reason: None, written };
    ui.emit(&wire, text)?;
    Ok(outcome)
}

/// Brings the pages about plugins and tools up to date; those that changed.
fn document(prepared: &Prepared, ui: &Ui) -> Result<Vec<String>, CliError> {
    let workspace = prepared.workspace;
    let mut paths = plugin_pages::mirror(workspace, ui);
    let tools: Vec<_> = work::prepare(workspace, &Ui::silent())?.tools.specs().collect();
    paths.extend(plugin_pages::capabilities(workspace, &tools)?);
    Ok(paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect())
}
