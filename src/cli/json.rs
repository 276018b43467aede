//! `--json`, as most commands take it. Whether it was given is asked of what clap read.

use std::ops::Deref;

// The arguments of a command, and whether it prints for programs. What a comment of documentation would
// say here would take the place of what the command says of itself.
#[derive(clap::Args, Debug)]
pub struct Json<A: clap::Args> {
    #[command(flatten)]
    args: A,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

impl<A: clap::Args> Deref for Json<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.args
    }
}
