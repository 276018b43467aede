//! `elophanto init`

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    ui::{Ui, visible_line},
    workspace::{Workspace, write_beneath},
};
use crate::{
    init::{InitAction, InitOptions, plan},
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
        write_beneath(&repository.root, &step.path, &step.bytes)?;
        let action = match &step.action {
            InitAction::Create => "created",
            InitAction::Block => "managed block written",
            InitAction::Settings(_) => "settings written",
        };
        let path = step.path.display().to_string();
        ui.emit(
            &StepWire { path: path.clone(), action },
            format_args!("{action}: {}", visible_line(&path)),
        )?;
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
