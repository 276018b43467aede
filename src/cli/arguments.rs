//! What the arguments of several commands have in common.

use std::ops::Deref;

use clap::builder::{PossibleValuesParser, TypedValueParser};

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

/// Takes one of these by its name.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.iter().map(|it| name(*it)));
    names.try_map(move |said| {
        all.iter().copied().find(|it| name(*it) == said).ok_or("there is no such name")
    })
}
