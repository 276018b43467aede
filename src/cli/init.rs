//! `elophanto init`

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{Outcome, error::CliError, ui::Ui, workspace::Workspace};
use crate::{
    init::{InitAction, InitOptions, InitStep, plan},
    repo::{LocateError, Repository, locate},
};

/// Make this repository or folder a knowledge base
///
/// Creates the folders of notes with their first pages, the commented settings in
/// `.elophanto/config.yaml`, and a managed block in `.gitattributes`. What exists is left as it
/// is, so that it may be run again at any time.
#[derive(clap::Args, Debug)]
pub struct InitArgs {
    /// Search the notes below DIR; may be repeated. Without it, all Markdown of the repository
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
    /// Print what was written as JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// The `--json` shape.
#[derive(Serialize)]
struct StepWire<'a> {
    path: String,
    action: &'a str,
}

pub fn run(args: &InitArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let repository = match locate(Path::new(".")) {
        Ok(repository) => repository,
        Err(LocateError::Nowhere { start }) => {
            Repository { root: start, git_dir: None, common_dir: None }
        }
        Err(cause) => return Err(cause.into()),
    };
    let roots = args
        .root
        .iter()
        .map(|root| relative_root(root, &repository))
        .collect::<Result<Vec<_>, _>>()?;
    let workspace = Workspace::at(repository.clone(), Vec::new(), ui)?;
    let name = repository.root.file_name().map(|name| name.to_string_lossy().into_owned());
    let options = InitOptions {
        roots,
        write_root: workspace.config.knowledge.write_root.clone(),
        now: jiff::Timestamp::now(),
        project_name: name.unwrap_or_else(|| "this project".to_owned()),
        in_git: repository.git_dir.is_some(),
        pinned_provider: "builtin",
    };
    let steps = plan(&|path| existing(&repository.root.join(path)), &options)?;
    if steps.is_empty() && !ui.json {
        ui.line("already a knowledge base, nothing to do")?;
    }
    for step in &steps {
        write(&repository.root, step)?;
        let action = match &step.action {
            InitAction::Create => "created",
            InitAction::Block => "managed block written",
            InitAction::Settings(_) => "settings written",
        };
        let path = step.path.display().to_string();
        ui.emit(&StepWire { path: path.clone(), action }, format_args!("{action}: {path}"))?;
    }
    if !steps.is_empty() {
        ui.talk("next: `elophanto index`, then `elophanto search \"...\"`");
    }
    Ok(Outcome::Done)
}

/// A root as the settings hold it: relative to the repository.
fn relative_root(typed: &Path, repository: &Repository) -> Result<PathBuf, CliError> {
    let missing = |cause: io::Error| {
        CliError::new(format_args!("`{}`: {cause}", typed.display()))
            .hint("give a folder that exists beneath the repository")
    };
    let full = fs::canonicalize(typed).map_err(missing)?;
    if !full.is_dir() {
        return Err(CliError::new(format_args!("`{}` is no folder", typed.display()))
            .hint("give the folder that holds the notes"));
    }
    match full.strip_prefix(&repository.root) {
        Ok(below) if below.as_os_str().is_empty() => Ok(PathBuf::from(".")),
        Ok(below) => Ok(below.to_owned()),
        Err(_) => {
            let root = repository.root.display();
            Err(CliError::new(format_args!("`{}` is not beneath `{root}`", typed.display()))
                .hint("knowledge roots lie within the repository"))
        }
    }
}

/// Content of a file, or nothing for a folder that exists.
fn existing(path: &Path) -> Option<Vec<u8>> {
    let kind = fs::symlink_metadata(path).ok()?;
    if kind.is_file() { fs::read(path).ok().or(Some(Vec::new())) } else { Some(Vec::new()) }
}

fn write(root: &Path, step: &InitStep) -> Result<(), CliError> {
    let target = root.join(&step.path);
    let folder = target.parent().unwrap_or(root);
    // Looked at before any folder is made, so that none is made elsewhere.
    let there = folder.ancestors().find(|above| above.exists()).unwrap_or(root);
    let outside = !fs::canonicalize(there)?.starts_with(root)
        || fs::symlink_metadata(&target).is_ok_and(|kind| kind.is_symlink());
    if outside {
        let path = step.path.display();
        return Err(CliError::new(format_args!("`{path}` is a link that leads elsewhere"))
            .hint("replace the link with a file or folder of its own, then run this again"));
    }
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".tmp-elophanto-").tempfile_in(folder)?;
    io::Write::write_all(&mut file, &step.bytes)?;
    // A file of ours gets the rights any new file would get; one of the user's keeps its own.
    let permissions = match fs::metadata(&target) {
        Ok(metadata) => metadata.permissions(),
        Err(_) => std::os::unix::fs::PermissionsExt::from_mode(0o644),
    };
    fs::set_permissions(file.path(), permissions)?;
    file.persist(&target).map_err(|failed| failed.error)?;
    Ok(())
}
