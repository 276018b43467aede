//! `elophanto agent install`

use std::path::Path;

use crate::cli::{Outcome, Result, Ui, env, escape_control_line, visible};
use elophanto_app::clients::{Client, Made, Scope, Setup, SetupRequest, diff, setup};

/// Set up an agent's program: the MCP server and a skill that says when to use it
///
/// Shows every change first and asks; what a file said before is kept beside it, and everything else
/// in it stays as it is. --remove takes out what this put in.
#[derive(clap::Args, Debug)]
pub struct InstallArgs {
    /// claude-code, codex, cursor, vscode, gemini or opencode
    client: Client,
    /// For this repository only, in files that git may carry
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// For everything you work on (the default)
    #[arg(long)]
    user: bool,
    /// With claude-code: hooks that recall when a session begins and remind when it ends
    #[arg(long)]
    hooks: bool,
    /// Take it out again
    #[arg(long, conflicts_with = "hooks")]
    remove: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub fn run(args: &InstallArgs, ui: &mut Ui) -> Result<Outcome> {
    let scope = if args.project { Scope::Project } else { Scope::User };
    let InstallArgs { client, hooks, remove, .. } = *args;
    let request = SetupRequest { client, scope, hooks, remove, folder: Path::new(".") };
    let setup = setup(&request, &env::environment())?;
    if setup.changes.is_empty() {
        return Ok(unchanged(remove, ui));
    }
    if !ui.json {
        for change in &setup.changes {
            ui.line(visible(&diff(change)))?;
        }
        ui.flush()?;
    }
    let is_agreed = !args.dry_run && (args.yes || ui.confirm("Make these changes?")?);
    carry_out(&setup, is_agreed, true, ui)?;
    if is_agreed && !args.remove && scope == Scope::Project {
        ui.talk("the program may ask you once whether it trusts what a project brings");
    }
    Ok(outcome(is_agreed, args.dry_run, ui))
}

/// All is as it was asked for: what is to be there is, and what is to be taken out never was.
pub fn unchanged(remove: bool, ui: &mut Ui) -> Outcome {
    if remove {
        return ui.nothing("nothing to take out");
    }
    ui.talk("it is set up already: nothing to change");
    Outcome::Done
}

/// That nothing was changed is said where somebody was asked.
pub fn outcome(is_agreed: bool, dry_run: bool, ui: &mut Ui) -> Outcome {
    if is_agreed {
        return Outcome::Done;
    }
    if !dry_run {
        ui.talk("nothing was changed; --yes makes these changes without asking");
    }
    Outcome::Negative
}

/// Makes the changes if they were agreed to, and says what was done or would be.
pub fn carry_out(setup: &Setup, is_agreed: bool, says_purpose: bool, ui: &mut Ui) -> Result<()> {
    for change in &setup.changes {
        let made = setup.make(change, is_agreed)?;
        if ui.json {
            ui.json(&Made { purpose: made.purpose.filter(|_| says_purpose), ..made })?;
        } else if is_agreed {
            let kept = made.backup.as_deref().map(escape_control_line);
            let kept = kept.map(|path| format!(" (before: {path})")).unwrap_or_default();
            ui.talk(format_args!("{} {}{kept}", made.change, escape_control_line(&made.path)));
        }
    }
    Ok(())
}
