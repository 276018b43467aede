//! `elophanto agent install`

use std::path::Path;

use serde::Serialize;

use super::super::{
    Outcome, env,
    error::Result,
    ui::{Ui, escape_control_line, visible},
};
use elophanto_app::clients::{Client, Scope, Setup, SetupRequest, diff, setup};

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

/// A changed file, as `--json` prints it.
#[derive(Serialize)]
struct ChangeWire<'a> {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    purpose: Option<&'a str>,
    /// `made`, `changed` or `removed`.
    change: &'static str,
    /// Whether it was written.
    done: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
}

pub fn run(args: &InstallArgs, ui: &mut Ui) -> Result<Outcome> {
    let scope = if args.project { Scope::Project } else { Scope::User };
    let InstallArgs { client, hooks, remove, .. } = *args;
    let request = SetupRequest { client, scope, hooks, remove, folder: Path::new(".") };
    let setup = setup(&request, &env::environment())?;
    if setup.changes.is_empty() {
        ui.talk("nothing to change");
        return Ok(Outcome::Negative);
    }
    if !ui.json {
        for change in &setup.changes {
            ui.line(visible(&diff(change)))?;
        }
        ui.flush()?;
    }
    let is_agreed = !args.dry_run && (args.yes || ui.confirm("Make these changes?")?);
    carry_out(&setup, is_agreed, true, ui)?;
    if is_agreed {
        if !args.remove && scope == Scope::Project {
            ui.talk("the program may ask you once whether it trusts what a project brings");
        }
        return Ok(Outcome::Done);
    }
    if !args.dry_run {
        ui.talk("nothing was changed; --yes makes these changes without asking");
    }
    Ok(Outcome::Negative)
}

/// Makes the changes if they were agreed to, and says what was done or would be.
pub fn carry_out(setup: &Setup, is_agreed: bool, says_purpose: bool, ui: &mut Ui) -> Result<()> {
    for change in &setup.changes {
        let backup = if is_agreed { setup.make(change)? } else { None };
        let backup = backup.map(|path| path.to_string_lossy().into_owned());
        let path = change.path.to_string_lossy().into_owned();
        let what = match (&change.before, &change.after) {
            (None, _) => "made",
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "removed",
        };
        if ui.json {
            let purpose = says_purpose.then_some(change.purpose);
            ui.json(&ChangeWire { path, purpose, change: what, done: is_agreed, backup })?;
        } else if is_agreed {
            let kept = backup
                .map_or(String::new(), |path| format!(" (before: {})", escape_control_line(&path)));
            ui.talk(format_args!("{what} {}{kept}", escape_control_line(&path)));
        }
    }
    Ok(())
}
