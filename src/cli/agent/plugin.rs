//! `elophanto agent plugin`: looking at plugins, testing, deploying and removing them.

mod deploy;
mod look;

use std::time::Duration;

use super::{
    super::{Outcome, error::CliError, ui::Ui, workspace},
    work::{self, Prepared},
};
use elophanto_agent::{
    Source,
    develop::MAX_TEST_SECONDS,
    plugins::{self, Plugin, TestReport, examine},
};

/// Plugins: programs below `plugins/` that are tools of the agent once you agreed to them
///
/// A plugin is a folder `plugins/NAME` with `plugin.*`, `test_plugin.*`, `README.md` and
/// `schema.json`. It reads JSON on standard input and prints JSON, in any language. It is a tool
/// only if `plugins/manifest.json` has the hash of exactly its files, and you agreed to that hash
/// on this machine.
#[derive(clap::Args, Debug)]
pub struct PluginArgs {
    #[command(subcommand)]
    command: PluginCommand,
}

#[derive(clap::Subcommand, Debug)]
enum PluginCommand {
    List(look::ListArgs),
    Show(look::ShowArgs),
    Test(look::TestArgs),
    Deploy(deploy::DeployArgs),
    Remove(deploy::RemoveArgs),
}

impl PluginArgs {
    /// Whether stdout is JSON Lines.
    pub fn is_json(&self) -> bool {
        match &self.command {
            PluginCommand::List(args) => args.json,
            PluginCommand::Show(args) => args.json,
            PluginCommand::Test(args) => args.json,
            PluginCommand::Deploy(args) => args.json,
            PluginCommand::Remove(args) => args.json,
        }
    }
}

pub fn run(args: &PluginArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    // What is said of plugins in general is not said here, but of each that is asked about.
    let prepared = work::prepare(&workspace, &Ui::silent())?;
    match &args.command {
        PluginCommand::List(_) => look::list(&prepared, ui),
        PluginCommand::Show(args) => look::show(args, &prepared, ui),
        PluginCommand::Test(args) => look::test(args, &prepared, ui),
        PluginCommand::Deploy(args) => deploy::deploy(args, &prepared, ui),
        PluginCommand::Remove(args) => deploy::remove(args, &prepared, ui),
    }
}

/// The plugin of this name.
fn plugin(prepared: &Prepared, name: &str) -> Result<Plugin, CliError> {
    let is_ours = |source: &Source| *source == Source::BuiltIn;
    let built_in = prepared.tools.specs().filter(|spec| is_ours(&spec.source));
    let names: Vec<String> = built_in.map(|spec| spec.name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(examine(&prepared.workspace.repository.root, name, &names)?)
}

/// Runs its tests in the sandbox.
fn tested(prepared: &Prepared, plugin: &Plugin) -> TestReport {
    let time = prepared.workspace.config.agent.tool_timeout;
    let time = time.min(Duration::from_secs(MAX_TEST_SECONDS));
    plugins::test(plugin, &prepared.bench.tests, time, &|| false)
}
