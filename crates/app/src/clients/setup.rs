//! Planning changes to the files of a program on this machine, and making those that were agreed to.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Change, Client, MAX_FILE_BYTES, Places, Scope, hooks, install, remove};
use crate::{Environment, Error, Result};
use elophanto_base::regular::if_there;
use elophanto_base::{beneath::Folder, regular::read_capped};

/// Which program to set up, for what, and with what.
#[derive(Debug, Clone, Copy)]
pub struct SetupRequest<'r> {
    /// The program.
    pub client: Client,
    /// Whether for this repository or for all of the user's.
    pub scope: Scope,
    /// With hooks, which only Claude Code has.
    pub hooks: bool,
    /// Take out what was put in.
    pub remove: bool,
    /// A folder of the project.
    pub folder: &'r Path,
}

/// Changes to look at.
#[derive(Debug)]
pub struct Setup {
    /// In the order in which they are made.
    pub changes: Vec<Change>,
    /// Root of the repository that brings the files, if one does.
    root: Option<PathBuf>,
}

/// What became of a file, or would.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Made {
    /// Relative to the root if it lies there, else absolute.
    pub path: String,
    /// What the change is for, a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<&'static str>,
    /// `made`, `changed` or `removed`.
    pub change: &'static str,
    /// Whether it was written.
    pub done: bool,
    /// Where the old one is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
}

/// Plans what to change; nothing is written.
///
/// # Errors
/// When a file cannot be read or understood, there is no project or home, or the program has no
/// hooks.
pub fn setup(request: &SetupRequest, environment: &Environment) -> Result<Setup> {
    let SetupRequest { client, scope, .. } = *request;
    if request.hooks && client != Client::ClaudeCode {
        return Err(Error::new(format_args!("{client} has no hooks of this kind"))
            .hint("only `claude-code` does"));
    }
    let project = match elophanto_repo::locate(request.folder) {
        Ok(repository) => Some(repository.root),
        // What concerns all projects can be said outside of any.
        Err(_) if scope == Scope::User => None,
        Err(cause) => return Err(cause.into()),
    };
    let home = environment.variables().get("HOME").map(PathBuf::from);
    let (Some(home), Some(config_home)) = (home, environment.config_home()) else {
        return Err(Error::new("there is no home folder").hint("set HOME"));
    };
    let places = Places {
        project: project.as_deref().unwrap_or(request.folder),
        home: &home,
        config_home: &config_home,
    };
    let root = (scope == Scope::Project).then_some(places.project);
    let read = |path: &Path| reach(path, root).and_then(|(top, path)| read(&top, &path));
    let changes = if request.remove {
        remove(client, scope, &places, &read)?
    } else {
        // A path of this machine means nothing in a file that others get.
        let program = match scope {
            Scope::Project => "elophanto".into(),
            Scope::User => environment
                .program()
                .ok_or_else(|| Error::new("where this program lies cannot be told"))?
                .to_string_lossy(),
        };
        let mut changes = install(client, scope, &places, &program, &read)?;
        if request.hooks {
            changes.extend(hooks(scope, &places, &program, &read)?);
        }
        changes
    };
    Ok(Setup { changes, root: root.map(Path::to_owned) })
}

/// Plans changes to files of the user's own, as `plan` says; nothing is written.
///
/// # Errors
/// Those of `plan`.
pub fn own_files(plan: impl FnOnce(&super::Read<'_>) -> Result<Vec<Change>>) -> Result<Setup> {
    let read = |path: &Path| reach(path, None).and_then(|(top, path)| read(&top, &path));
    Ok(Setup { changes: plan(&read)?, root: None })
}

/// The text of a file beneath a folder.
fn read(top: &Folder, path: &Path) -> io::Result<Option<String>> {
    let Some((file, _)) = if_there(top.read(path))? else { return Ok(None) };
    let bytes = read_capped(file, MAX_FILE_BYTES as u64)?;
    let bytes = bytes.ok_or_else(|| io::Error::other("it is too large"))?;
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

impl Setup {
    /// Makes one of the changes if it was agreed to, and the file is still as it was when it was planned.
    ///
    /// # Errors
    /// When the file has changed since, or cannot be written.
    pub fn make(&self, change: &Change, is_agreed: bool) -> Result<Made> {
        let backup = if is_agreed { self.write(change)? } else { None };
        Ok(Made {
            path: change.path.to_string_lossy().into_owned(),
            purpose: Some(change.purpose),
            change: match (&change.before, &change.after) {
                (None, _) => "made",
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "removed",
            },
            done: is_agreed,
            backup: backup.map(|path| path.to_string_lossy().into_owned()),
        })
    }

    /// Makes one of the changes; where the old file is kept.
    fn write(&self, change: &Change) -> Result<Option<PathBuf>> {
        let root = self.root.as_deref();
        let (top, path) = reach(&change.path, root)?;
        if read(&top, &path)? != change.before {
            return Err(Error::new(format_args!("`{}` has just changed", path.display()))
                .hint("run this again"));
        }
        let failed = |cause: io::Error| {
            Error::new(format_args!("`{}` cannot be written: {cause}", path.display()))
        };
        let mut backup = None;
        let is_skill = path.file_name().is_some_and(|name| name == "SKILL.md");
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".before-elophanto");
        let kept = path.with_file_name(name);
        // What goes as a whole was all ours.
        if let (Some(before), Some(_)) = (&change.before, &change.after) {
            // The first one is what was there before us.
            if !top.exists(&kept) && !is_skill {
                top.write_private(&kept, before.as_bytes()).map_err(failed)?;
                backup = Some(kept.clone());
            }
        }
        match &change.after {
            Some(text) => {
                let write = if root.is_some() { Folder::write } else { Folder::write_private };
                write(&top, &path, text.as_bytes()).map_err(failed)?;
            }
            None => {
                top.remove(&path).map_err(failed)?;
                if let Some(above) = path.parent().filter(|_| is_skill) {
                    // The skill's own folder, unless the user has put more into it.
                    let _ = top.remove_folder(above);
                }
            }
        }
        // A copy of what stands there again is of no more use.
        let is_back =
            |after: &String| read(&top, &kept).is_ok_and(|kept| kept.as_ref() == Some(after));
        if change.after.as_ref().is_some_and(is_back) {
            top.remove(&kept)?;
            backup = None;
        }
        Ok(backup)
    }
}
