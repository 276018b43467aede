//! What the arguments of several commands have in common, and how a command with commands below it is
//! put together.

use std::ops::Deref;

use clap::builder::{PossibleValuesParser, TypedValueParser};

// The arguments of a command, and whether it prints for programs. What a comment of documentation would
// say here would take the place of what the command says of itself.
macro_rules! printing {
    ($($name:ident: $help:literal;)+) => {
        $(
            #[derive(clap::Args, Debug)]
            pub struct $name<A: clap::Args> {
                #[command(flatten)]
                args: A,
                #[arg(long, help = $help)]
                pub json: bool,
            }

            impl<A: clap::Args> Deref for $name<A> {
                type Target = A;

                fn deref(&self) -> &A {
                    &self.args
                }
            }
        )+
    };
}

printing! {
    Json: "Print JSON Lines";
    OneJson: "Print JSON";
    DoneJson: "Print what was done as JSON";
    DoneLines: "Print what was done as JSON Lines";
}

// What a command takes that takes nothing of its own.
#[derive(clap::Args, Debug)]
pub struct NoArgs {}

// A command with commands below it, or all of the program: one row for each, with what it takes and what
// is called then. The names that rows call things by stand in the first line, and one more there is handed
// to each of them.
macro_rules! commands {
    (
        $(#[$($about:tt)*])*
        struct $group:ident($args:ident, $ui:ident $(, $with:ident: $type:ty)?)
        $(#[$($how:tt)*])*;
        $($rows:tt)+
    ) => {
        $(#[$($about)*])*
        #[derive(clap::Args, Debug)]
        pub struct $group {
            #[command(subcommand)]
            command: Command,
        }

        impl $group {
            pub fn run(
                &self,
                $ui: &mut $crate::cli::Ui
                $(, $with: $type)?
            ) -> $crate::cli::Result<$crate::cli::Outcome> {
                self.command.run($ui $(, $with)?)
            }
        }

        $crate::cli::arguments::commands! {
            $(#[$($how)*])*
            enum Command($args, $ui $(, $with: $type)?);
            $($rows)+
        }
    };
    (
        $(#[$($how:tt)*])*
        enum $name:ident($args:ident, $ui:ident $(, $with:ident: $type:ty)?);
        $($(#[$($about:tt)*])* $command:ident($given:ty) => $run:expr;)+
    ) => {
        #[derive(clap::Subcommand, Debug)]
        $(#[$($how)*])*
        enum $name {
            $($(#[$($about)*])* $command($given),)+
        }

        impl $name {
            fn run(
                &self,
                $ui: &mut $crate::cli::Ui
                $(, $with: $type)?
            ) -> $crate::cli::Result<$crate::cli::Outcome> {
                match self {
                    $(Self::$command($args) => $run,)+
                }
            }
        }
    };
}

pub(super) use commands;

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

/// Settings that the command line says something of.
pub fn flags<const N: usize>(said: [(&str, Option<String>); N]) -> Vec<(String, String)> {
    said.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}
