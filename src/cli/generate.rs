//! `elophanto completions` and `elophanto man`, generated from the definitions of the commands.

use clap::CommandFactory;

use super::{Cli, CliError, Outcome, Result, Ui};

/// Print completions for a shell
///
/// For example `elophanto completions bash > ~/.local/share/bash-completion/completions/elophanto`.
#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

/// Print the manual page
///
/// For example `elophanto man | man -l -`.
#[derive(clap::Args, Debug)]
pub struct ManArgs {
    /// The page of one command, such as search
    command: Option<String>,
}

pub fn completions(args: &CompletionsArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "elophanto", &mut script);
    ui.raw(&script)?;
    ui.flush()?;
    Ok(Outcome::Done)
}

pub fn man(args: &ManArgs, ui: &mut Ui) -> Result<Outcome> {
    let mut program = Cli::command();
    program.build();
    let (command, title) = match &args.command {
        None => (program, "elophanto".to_owned()),
        Some(name) => match program.find_subcommand(name) {
            Some(command) => (command.clone(), format!("elophanto-{name}")),
            None => {
                return Err(CliError::new(format_args!("there is no command `{name}`"))
                    .hint("`elophanto --help` lists them"));
            }
        },
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).title(title).render(&mut page)?;
    ui.raw(&page)?;
    ui.flush()?;
    Ok(Outcome::Done)
}
