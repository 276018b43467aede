//! `elophanto agent install`

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, visible, visible_line},
};
use elophanto_app::clients::{self, Change, Client, MAX_FILE_BYTES, Places, Scope, diff};
use elophanto_base::beneath::Folder;

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
    let scope = if args.project { Scope::Project } else { Scope::User };
    let project = match elophanto_repo::locate(Path::new(".")) {
        Ok(repository) => Some(repository.root),
        // What concerns all projects can be said outside of any.
        Err(_) if scope == Scope::User => None,
        Err(cause) => return Err(cause.into()),
    };
    let environment = env::environment();
    let (Some(home), Some(config_home)) =
        (environment.variables().get("HOME").map(PathBuf::from), environment.config_home())
    else {
        return Err(CliError::new("there is no home folder").hint("set HOME"));
    };
    let root = project.as_deref();
    let places =
        Places { project: root.unwrap_or(Path::new(".")), home: &home, config_home: &config_home };
    let changes = plan(args, scope, &places)?;
    let brought = root.filter(|_| scope == Scope::Project);
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
        let backup = if is_agreed { write(change, brought)? } else { None };
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
    let root = (scope == Scope::Project).then_some(places.project);
    let read = |path: &Path| reach(path, root).and_then(|(top, path)| read(&top, &path));
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

/// The text of a file beneath a folder.
fn read(top: &Folder, path: &Path) -> io::Result<Option<String>> {
    let file = match top.read(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?.0,
    };
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(io::Error::other("it is too large"));
    }
    String::from_utf8(bytes).map(Some).map_err(io::Error::other)
}

/// Where a file really is, and the open folder it is reached from without following a link. A link
/// of the user's is followed, and stays one. What the repository at `root` brings is not, be it
/// the file or a folder above it.
fn reach(path: &Path, root: Option<&Path>) -> io::Result<(Folder, PathBuf)> {
    if let Some(root) = root.filter(|root| path.starts_with(root)) {
        return Ok((Folder::open(root)?, path.to_owned()));
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_there = |above: &&Path| above.is_dir();
    let above = path.ancestors().skip(1).find(is_there).unwrap_or(Path::new("/"));
    Ok((Folder::open(above)?, path))
}

/// Makes a change, if the file is still as it was shown; says where the old one is kept.
/// `root` is that of the repository which brings the file, if one does.
fn write(change: &Change, root: Option<&Path>) -> Result<Option<PathBuf>, CliError> {
    let (top, path) = reach(&change.path, root)?;
    if read(&top, &path)? != change.before {
        return Err(CliError::new(format_args!("`{}` has just changed", path.display()))
            .hint("run this again"));
    }
    let mut backup = None;
    let is_skill = path.file_name().is_some_and(|name| name == "SKILL.md");
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".before-elophanto");
    let kept = path.with_file_name(name);
    // What goes as a whole was all ours.
    if let (Some(before), Some(_)) = (&change.before, &change.after) {
        // The first one is what was there before us.
        if !top.exists(&kept) && !is_skill {
            top.write_private(&kept, before.as_bytes())?;
            backup = Some(kept.clone());
        }
    }
    match &change.after {
        Some(text) => {
            let write = if root.is_some() { Folder::write } else { Folder::write_private };
            write(&top, &path, text.as_bytes())?;
        }
        None => {
            top.remove(&path)?;
            if let Some(above) = path.parent().filter(|_| is_skill) {
                // The skill's own folder, unless the user has put more into it.
                let _ = top.remove_folder(above);
            }
        }
    }
    // A copy of what stands there again is of no more use.
    let is_back = |after: &String| read(&top, &kept).is_ok_and(|kept| kept.as_ref() == Some(after));
    if change.after.as_ref().is_some_and(is_back) {
        top.remove(&kept)?;
        backup = None;
    }
    Ok(backup)
}
