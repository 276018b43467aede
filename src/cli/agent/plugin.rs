//! `elophanto agent plugin`: looking at plugins, testing, deploying and removing them.

mod deploy;
mod look;
mod new;

use super::{
    super::{Outcome, arguments::Json, error::Result, ui::Ui, workspace},
    work,
};
use elophanto_app::agent::Prepared;

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
    New(new::NewArgs),
    List(Json<look::ListArgs>),
    Show(look::ShowArgs),
    Test(look::TestArgs),
    Deploy(deploy::DeployArgs),
    Remove(deploy::RemoveArgs),
}

pub fn run(args: &PluginArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    // What is said of plugins in general is not said here, but of each that is asked about.
    let prepared = work::prepare(&workspace, std::sync::Arc::new(Ui::silent()))?;
    match &args.command {
        PluginCommand::New(args) => new::new(args, &prepared, ui),
        PluginCommand::List(_) => look::list(&prepared, ui),
        PluginCommand::Show(args) => look::show(args, &prepared, ui),
        PluginCommand::Test(args) => look::test(args, &prepared, ui),
        PluginCommand::Deploy(args) => deploy::deploy(args, &prepared, ui),
        PluginCommand::Remove(args) => deploy::remove(args, &prepared, ui),
    }
}
