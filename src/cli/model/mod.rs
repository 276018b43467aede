//! `elophanto model`

mod add;
mod list;
mod test;
mod tune;

use super::{Outcome, arguments::Json, error::Result, ui::Ui};
use add::{AddArgs, RemoveArgs};
use list::ListArgs;
use test::TestArgs;
use tune::TuneArgs;

/// See which models are used for what, and try them
///
/// Models that turn text into vectors are chosen for each repository; language models for each
/// kind of task, in the order in which they are asked.
#[derive(clap::Args, Debug)]
pub struct ModelArgs {
    #[command(subcommand)]
    command: ModelCommand,
}

#[derive(clap::Subcommand, Debug)]
enum ModelCommand {
    List(Json<ListArgs>),
    Test(TestArgs),
    Add(AddArgs),
    Remove(RemoveArgs),
    Tune(TuneArgs),
}

pub fn run(args: &ModelArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.command {
        ModelCommand::List(args) => list::run(args, ui),
        ModelCommand::Test(args) => test::run(args, ui),
        ModelCommand::Add(args) => add::add(args, ui),
        ModelCommand::Remove(args) => add::remove(args, ui),
        ModelCommand::Tune(args) => tune::run(args, ui),
    }
}
