//! `elophanto agent plugin`: looking at plugins, testing, deploying and removing them.

mod deploy;
mod look;
mod new;

use super::work;
use crate::cli::{DoneJson, Json, NoArgs, OneJson, Outcome, Result, Ui, commands, workspace};
use elophanto_app::agent::Prepared;

commands! {
    /// Plugins: programs below `plugins/` that are tools of the agent once you agreed to them
    ///
    /// A plugin is a folder `plugins/NAME` with `plugin.*`, `test_plugin.*`, `README.md` and
    /// `schema.json`. It reads JSON on standard input and prints JSON, in any language. It is a tool
    /// only if `plugins/manifest.json` has the hash of exactly its files, and you agreed to that hash
    /// on this machine.
    struct PluginArgs(args, ui, prepared: &Prepared<'_>);
    New(OneJson<new::NewArgs>) => new::new(args, prepared, ui);
    /// List the plugins, and why some are no tools
    List(Json<NoArgs>) => look::list(args, prepared, ui);
    Show(OneJson<look::ShowArgs>) => look::show(args, prepared, ui);
    Test(OneJson<look::TestArgs>) => look::test(args, prepared, ui);
    Deploy(DoneJson<deploy::DeployArgs>) => deploy::deploy(args, prepared, ui);
    Remove(DoneJson<deploy::RemoveArgs>) => deploy::remove(args, prepared, ui);
}

pub fn run(args: &PluginArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    // What is said of plugins in general is not said here, but of each that is asked about.
    args.run(ui, &work::prepare(&workspace, std::sync::Arc::new(Ui::silent()))?)
}
