//! `elophanto model`

mod add;
mod list;
mod test;
mod tune;

use super::{Json, NoArgs, OneJson, commands};

commands! {
    /// See which models are used for what, and try them
    ///
    /// Models that turn text into vectors are chosen for each repository; language models for each
    /// kind of task, in the order in which they are asked.
    struct ModelArgs(args, ui);
    /// Show which models are used for what, and why others are not
    ///
    /// First the model that turns this repository's text into vectors and others that could, then the
    /// language models for each kind of task, in the order in which they are asked. Nobody is asked
    /// anything, no passphrase either, and nothing is sent: whether anything listens at an address of
    /// this machine is all that is tried.
    List(Json<NoArgs>) => list::run(args, ui);
    Test(test::TestArgs) => test::run(args, ui);
    Add(OneJson<add::AddArgs>) => add::add(args, ui);
    Remove(OneJson<add::RemoveArgs>) => add::remove(args, ui);
    Tune(OneJson<tune::TuneArgs>) => tune::run(args, ui);
}
