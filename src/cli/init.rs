//! `elophanto init`

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    ui::{Ui, exact_line},
    workspace::{self, write_beneath},
};
use elophanto_app::{
    config::{Provider, REPOSITORY_FILE, read_repository_file},
    init::{InitAction, InitOptions, plan},
    settings::is_in_conflict,
};
use elophanto_app::{embedding::pin, hidden, pages::Pages};
use elophanto_base::beneath::Folder;
use elophanto_index::Options;
use elophanto_repo::{LocateError, Repository, locate};

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
    /// If there is a key for OpenRouter: let it embed the text of this repository
    #[arg(long, short)]
    yes: bool,
    /// Print what was written as JSON Lines
    #[arg(long)]
    pub json: bool,
}

const SETTINGS_WRITTEN: &str = "settings written";

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
    let workspace = workspace::at(repository.clone(), Vec::new(), ui)?;
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
    let pages = Pages::open(&repository.root, &workspace.config, &workspace.environment);
    for step in &steps {
        write_beneath(&repository.root, &step.path, &step.bytes)?;
        let action = match &step.action {
            InitAction::Create => "created",
            InitAction::Block => "managed block written",
            InitAction::Settings(_) => SETTINGS_WRITTEN,
        };
        let path = step.path.display().to_string();
        ui.emit(
            &StepWire { path: path.clone(), action },
            format_args!("{action}: {}", exact_line(&path)),
        )?;
    }
    // They say what this program says.
    let new = steps.iter().filter(|step| step.action == InitAction::Create);
    let new = new.filter(|step| pages.is_page(&step.path));
    if let Err(cause) = pages.record(new.map(|step| (&*step.path, &*step.bytes))) {
        ui.note(format_args!("the new pages could not be trusted: {cause}"));
    }
    let in_settings = steps.iter().any(|step| step.path == Path::new(REPOSITORY_FILE));
    let decided = decide(repository.clone(), args.yes, ui)?;
    if decided && !in_settings {
        ui.emit(
            &StepWire { path: REPOSITORY_FILE.to_owned(), action: SETTINGS_WRITTEN },
            format_args!("{SETTINGS_WRITTEN}: {REPOSITORY_FILE}"),
        )?;
    }
    if steps.is_empty() && !decided && !ui.json {
        ui.line("already a knowledge base, nothing to do")?;
    }
    hidden::say(&workspace::again(repository)?, ui);
    if !steps.is_empty() {
        ui.talk("next: `elophanto index`, then `elophanto search \"...\"`");
    }
    Ok(Outcome::Done)
}

/// Decides which model embeds, if that is open, and writes it down. Says whether it did.
fn decide(repository: Repository, yes: bool, ui: &Ui) -> Result<bool, CliError> {
    let workspace = workspace::again(repository)?;
    let count = || {
        let options = Options { full: false, patience: None, progress: &|_, _| {} };
        Ok((&workspace.refresh(options)?.report).into())
    };
    if workspace.config.knowledge.embedding_provider != Provider::Auto {
        return Ok(false);
    }
    let pins = pin::decide(&workspace, &count, yes, ui)?;
    let decided = !pins.is_empty();
    pin::write_down(workspace, pins, ui)?;
    Ok(decided)
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

/// Content of a file, or nothing for what else is there.
fn existing(root: &Folder, path: &Path) -> Option<Vec<u8>> {
    if !root.exists(path) {
        return None;
    }
    let mut bytes = Vec::new();
    let read = root.read(path).and_then(|(mut file, _)| file.read_to_end(&mut bytes));
    Some(read.map_or_else(|_| Vec::new(), |_| bytes))
}
