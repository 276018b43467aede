//! `elophanto agent install`

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, visible, visible_line},
    workspace::Workspace,
};
use crate::clients::{self, Change, Client, MAX_FILE_BYTES, Places, Scope, diff};

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
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A changed file, as `--json` prints it.
#[derive(Serialize)]
struct ChangeWire<'a> {
    path: String,
    purpose: &'a str,
    /// `made`, `changed` or `removed`.
    change: &'static str,
    /// Whether it was written.
    done: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
}

pub fn run(args: &InstallArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    if args.hooks && args.client != Client::ClaudeCode {
        return Err(CliError::new(format_args!("{} has no hooks of this kind", args.client))
            .hint("only `claude-code` does"));
    }
    let workspace = Workspace::open(Vec::new(), ui)?;
    let variables = env::variables();
    let (Some(home), Some(config_home)) =
        (variables.get("HOME").map(PathBuf::from), env::config_home(&variables))
    else {
        return Err(CliError::new("there is no home folder").hint("set HOME"));
    };
    let project = &workspace.repository.root;
    let places = Places { project, home: &home, config_home: &config_home };
    let scope = if args.project { Scope::Project } else { Scope::User };
    let changes = plan(args, scope, &places)?;
    if changes.is_empty() {
        ui.talk("nothing to change");
        return Ok(Outcome::Negative);
    }
    if !ui.json {
        for change in &changes {
            ui.line(visible(&diff(change)))?;
        }
        ui.flush()?;
    }
    let is_agreed = !args.dry_run && (args.yes || ui.confirm("Make these changes?")?);
    for change in &changes {
        let backup = if is_agreed { write(change, &workspace)? } else { None };
        let wire = ChangeWire {
            path: change.path.to_string_lossy().into_owned(),
            purpose: change.purpose,
            change: match (&change.before, &change.after) {
                (None, _) => "made",
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "removed",
            },
            done: is_agreed,
            backup: backup.map(|path| path.to_string_lossy().into_owned()),
        };
        if ui.json {
            ui.json(&wire)?;
        } else if is_agreed {
            let kept = match &wire.backup {
                Some(path) => format!(" (before: {})", visible_line(path)),
                None => String::new(),
            };
            ui.talk(format_args!("{} {}{kept}", wire.change, visible_line(&wire.path)));
        }
    }
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

fn plan(args: &InstallArgs, scope: Scope, places: &Places) -> Result<Vec<Change>, CliError> {
    let read = |path: &Path| read(path);
    if args.remove {
        return Ok(clients::remove(args.client, scope, places, &read)?);
    }
    // A path of this machine means nothing in a file that others get.
    let program = match scope {
        Scope::Project => "elophanto".to_owned(),
        Scope::User => env::own_program()?.to_string_lossy().into_owned(),
    };
    let mut changes = clients::install(args.client, scope, places, &program, &read)?;
    if args.hooks {
        changes.extend(clients::hooks(scope, places, &program, &read)?);
    }
    Ok(changes)
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::metadata(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(cause),
        Ok(file) if !file.is_file() => return Err(io::Error::other("it is no file")),
        Ok(file) if file.len() > MAX_FILE_BYTES as u64 => {
            return Err(io::Error::other("it is too large"));
        }
        Ok(_) => {}
    }
    String::from_utf8(fs::read(path)?).map(Some).map_err(io::Error::other)
}

/// Makes a change, if the file is still as it was shown; says where the old one is kept.
fn write(change: &Change, workspace: &Workspace) -> Result<Option<PathBuf>, CliError> {
    // A link of the user's is followed, and stays one. What a repository brings is not.
    let path = fs::canonicalize(&change.path).unwrap_or_else(|_| change.path.clone());
    let root = &workspace.repository.root;
    if change.path.starts_with(root) && !path.starts_with(root) {
        return Err(CliError::new(format_args!(
            "`{}` leads out of the repository",
            path.display()
        ))
        .hint("replace the link with a file of its own, then run this again"));
    }
    if read(&path)? != change.before {
        return Err(CliError::new(format_args!("`{}` has just changed", path.display()))
            .hint("run this again"));
    }
    let mut backup = None;
    if let Some(before) = &change.before {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".before-elophanto");
        let kept = path.with_file_name(name);
        // The first one is what was there before us.
        let is_ours = path.file_name().is_some_and(|name| name == "SKILL.md");
        if !kept.exists() && !is_ours {
            crate::store::write_whole(&kept, before.as_bytes())?;
            backup = Some(kept);
        }
    }
    match &change.after {
        Some(text) => {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let rights = fs::metadata(&path).map(|file| file.permissions());
            crate::store::write_whole(&path, text.as_bytes())?;
            if let Ok(rights) = rights {
                fs::set_permissions(&path, rights)?;
            }
        }
        None => fs::remove_file(&path)?,
    }
    Ok(backup)
}
