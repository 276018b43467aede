//! Making a folder a knowledge base: what is [planned](super::plan) is written, and it is decided which
//! model embeds.

use std::{
    fs, io,
    io::Read,
    path::{Path, PathBuf},
};

use super::{InitAction, InitOptions, plan};
use crate::{
    Error, Result,
    config::{Provider, REPOSITORY_FILE, read_repository_file},
    embedding::pin,
    environment::Environment,
    hidden,
    pages::Pages,
    reporter::Reporter,
    settings::is_in_conflict,
    workspace::{Workspace, write_beneath},
};
use elophanto_base::beneath::Folder;
use elophanto_index::Options;
use elophanto_repo::{LocateError, Repository, locate};

/// What to make a knowledge base of.
#[derive(Debug, Clone, Copy)]
pub struct InitRequest<'a> {
    /// The repository around this folder; where there is none, the folder itself.
    pub folder: &'a Path,
    /// Folders of notes, relative to that folder; none leaves the setting alone.
    pub roots: &'a [PathBuf],
    /// Whether the user agrees that a model elsewhere embeds the text.
    pub yes: bool,
}

/// Makes a repository or folder a knowledge base; says whether files were missing. `written` is told
/// of each file that was written; what it fails with ends the making.
///
/// # Errors
/// When a root lies elsewhere, a setting is unusable, or something cannot be written.
pub fn init(
    request: &InitRequest<'_>,
    environment: &Environment,
    reporter: &dyn Reporter,
    written: &mut dyn FnMut(&Path, &InitAction) -> Result<()>,
) -> Result<bool> {
    let repository = match locate(request.folder) {
        Ok(repository) => repository,
        Err(LocateError::Nowhere { start }) => {
            Repository { root: start, git_dir: None, common_dir: None }
        }
        Err(cause) => return Err(cause.into()),
    };
    let roots = request.roots.iter().map(|root| relative_root(root, request.folder, &repository));
    let roots = roots.collect::<Result<Vec<_>, _>>()?;
    let workspace = Workspace::at(repository.clone(), environment.clone(), Vec::new(), reporter)?;
    workspace.put_aside_of_killed().iter().for_each(|line| reporter.warn(line));
    let name = repository.root.file_name().map(|name| name.to_string_lossy().into_owned());
    let said = read_repository_file(&repository.root)?.map(|file| file.text);
    let options = InitOptions {
        roots,
        write_root: workspace.config.knowledge.write_root.clone(),
        now: jiff::Timestamp::now(),
        project_name: name.unwrap_or_else(|| "this project".to_owned()),
        settings_in_conflict: is_in_conflict(&repository, said.as_deref().unwrap_or_default()),
        in_git: repository.git_dir.is_some(),
        // In git it is decided below, for everybody who shares the repository.
        pinned_provider: if repository.git_dir.is_some() { "" } else { "builtin" },
    };
    let root = Folder::open(&repository.root)?;
    let steps = plan(&|path| existing(&root, path), &options)?;
    let pages = Pages::open(&repository.root, &workspace.config, environment);
    for step in steps.iter().filter(|step| step.action == InitAction::Create) {
        repository.refuse_left_out(&step.path)?;
    }
    for step in &steps {
        write_beneath(&repository.root, &step.path, &step.bytes)?;
        written(&step.path, &step.action)?;
    }
    // New pages say what this program says.
    let new = steps.iter().filter(|step| step.action == InitAction::Create);
    let new = new.filter(|step| pages.is_page(&step.path));
    if let Err(cause) = pages.record(new.map(|step| (&*step.path, &*step.bytes))) {
        reporter.note(format_args!("the new pages could not be trusted: {cause}"));
    }
    let again = || Workspace::again(repository.clone(), environment.clone(), Vec::new());
    let settings = Path::new(REPOSITORY_FILE);
    let set = decide(again()?, request.yes, reporter)?;
    if !set.is_empty() && !steps.iter().any(|step| step.path == settings) {
        written(settings, &InitAction::Settings(set))?;
    }
    hidden::say(&again()?, reporter);
    Ok(!steps.is_empty())
}

/// Decides which model embeds, if that is open, and writes it down: the settings, as `key: value`.
fn decide(workspace: Workspace, yes: bool, reporter: &dyn Reporter) -> Result<Vec<String>> {
    if workspace.config.knowledge.embedding_provider != Provider::Auto {
        return Ok(Vec::new());
    }
    let count = || {
        let options = Options { full: false, patience: None, progress: &|_, _| {} };
        Ok((&workspace.refresh(options)?.report).into())
    };
    let pins = pin::decide(&workspace, &count, yes, reporter)?;
    let set = pins.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    pin::write_down(workspace, pins, reporter)?;
    Ok(set)
}

/// A root as the settings hold it: relative to the repository.
fn relative_root(typed: &Path, folder: &Path, repository: &Repository) -> Result<PathBuf> {
    let missing = |cause: io::Error| {
        Error::new(format_args!("`{}`: {cause}", typed.display()))
            .hint("give a folder that exists beneath the repository")
    };
    let full = fs::canonicalize(folder.join(typed)).map_err(missing)?;
    if !full.is_dir() {
        return Err(Error::new(format_args!("`{}` is no folder", typed.display()))
            .hint("give the folder that holds the notes"));
    }
    match full.strip_prefix(&repository.root) {
        Ok(below) if below.as_os_str().is_empty() => Ok(PathBuf::from(".")),
        Ok(below) => Ok(below.to_owned()),
        Err(_) => {
            let root = repository.root.display();
            Err(Error::new(format_args!("`{}` is not beneath `{root}`", typed.display()))
                .hint("knowledge roots lie within the repository"))
        }
    }
}

/// Content of a file, or nothing for what else is there.
fn existing(root: &Folder, path: &Path) -> Option<Vec<u8>> {
    if !root.exists(path) {
        return None;
    }
    let mut bytes = Vec::new();
    let read = root.read(path).and_then(|(mut file, _)| file.read_to_end(&mut bytes));
    Some(read.map_or_else(|_| Vec::new(), |_| bytes))
}
