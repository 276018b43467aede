//! `elophanto editor`

mod install;

use super::{Outcome, arguments::Json, error::Result, ui::Ui};

/// Set up your editor
#[derive(clap::Args, Debug)]
pub struct EditorArgs {
    #[command(subcommand)]
    command: EditorCommand,
}

#[derive(clap::Subcommand, Debug)]
enum EditorCommand {
    Install(Json<install::InstallArgs>),
}

pub fn run(args: &EditorArgs, ui: &mut Ui) -> Result<Outcome> {
    let EditorCommand::Install(args) = &args.command;
    install::run(args, ui)
}
