//! `elophanto editor install`

use std::path::PathBuf;

use crate::cli::{
    Outcome, Result, Ui,
    agent::install::{carry_out, outcome, unchanged},
    env, escape_control_line, visible,
};
use crate::wire::upkeep::CommandWire;
use elophanto_app::{
    clients::diff,
    editor_setup::{EditorProgram, EditorRequest, plan},
};

/// Have your editor start the language server
///
/// Shows every change first and asks; what a file said before is kept beside it, and everything else in
/// it stays as it is. --remove takes out what this put in.
#[derive(clap::Args, Debug)]
pub struct InstallArgs {
    /// vscode, neovim, helix or emacs
    editor: EditorProgram,
    /// For vscode: the extension, as editors/vscode/pack.sh makes it
    #[arg(long, value_name = "FILE", conflicts_with = "remove")]
    vsix: Option<PathBuf>,
    /// Take it out again
    #[arg(long)]
    remove: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub fn run(args: &InstallArgs, ui: &mut Ui) -> Result<Outcome> {
    let environment = env::environment();
    let InstallArgs { editor, remove, .. } = *args;
    let request = EditorRequest { editor, remove, vsix: args.vsix.as_deref() };
    let planned = plan(&request, &environment)?;
    if planned.is_done() {
        return Ok(unchanged(remove, ui));
    }
    if !ui.json {
        for change in &planned.setup.changes {
            ui.line(visible(&diff(change)))?;
        }
        if let Some(command) = &planned.command {
            ui.line(escape_control_line(&command.join(" ")))?;
        }
        ui.flush()?;
    }
    let is_agreed = !args.dry_run && (args.yes || ui.confirm("Make these changes?")?);
    carry_out(&planned.setup, is_agreed, false, ui)?;
    if let Some(command) = &planned.command {
        let said = if is_agreed { planned.run(&environment)? } else { String::new() };
        if ui.json {
            ui.json(&CommandWire::of(command, is_agreed))?;
        } else if !said.is_empty() {
            ui.talk(visible(&said));
        }
    }
    Ok(outcome(is_agreed, args.dry_run, ui))
}
