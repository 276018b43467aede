//! `elophanto agent plugin new`.

use super::Prepared;
use crate::cli::{Outcome, Result, Ui, visible};
use crate::wire::plugins::NewPluginWire;
use elophanto_app::plugins;

/// Make a plugin to fill in: a small program in Python that works, with tests that pass
///
/// Nothing that is there is touched, and it is no tool before it is deployed.
#[derive(clap::Args, Debug)]
pub struct NewArgs {
    /// Name of its folder below `plugins/`: small letters, digits and `_`
    name: String,
    /// What it is for and when to use it: what a model reads
    #[arg(long, short)]
    description: Option<String>,
}

pub fn new(args: &NewArgs, prepared: &Prepared, ui: &mut Ui) -> Result<Outcome> {
    let name = &args.name;
    let written = plugins::new(prepared, name, args.description.as_deref())?;
    ui.emit(&NewPluginWire { name, written: &written }, visible(&written.join("\n")))?;
    ui.talk(format_args!(
        "change them and run elophanto agent plugin test {name}; elophanto agent plugin deploy {name} \
         makes it a tool"
    ));
    Ok(Outcome::Done)
}
