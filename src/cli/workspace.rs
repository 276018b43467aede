//! The knowledge base around the current folder.

use std::path::Path;

use super::{Result, Ui, env, escape_control_line};
use elophanto_app::settings::Settings;
pub use elophanto_app::workspace::*;
use elophanto_repo::{Repository, locate};

/// Finds it and reads its settings; `flags` are settings of the command line.
///
/// # Errors
/// When there is none, or a setting is unusable.
pub fn open(flags: Vec<(String, String)>, ui: &Ui) -> Result<Workspace> {
    let repository = locate(Path::new("."))?;
    let root = &repository.root;
    // A variable of git that somebody forgot must not lead a hook of theirs to another repository.
    if let Some(told) = env::work_tree_of_git()
        && std::fs::canonicalize(&told).ok().as_ref() != Some(root)
    {
        let [root, told] = [root, &told].map(|path| escape_control_line(&path.to_string_lossy()));
        ui.note(format_args!(
            "this is `{root}`, where the command was run; `GIT_WORK_TREE` ({told}) is passed over: `cd` there first"
        ));
    }
    at(repository, flags, ui)
}

/// The same, or what holds for the user everywhere where there is none.
///
/// # Errors
/// When a setting is unusable.
pub fn open_anywhere(flags: Vec<(String, String)>, ui: &Ui) -> Result<Workspace> {
    Workspace::anywhere(Path::new("."), env::environment(), flags, ui)
}

/// The knowledge base of a known repository.
///
/// # Errors
/// When a setting is unusable.
pub fn at(repository: Repository, flags: Vec<(String, String)>, ui: &Ui) -> Result<Workspace> {
    let workspace = Workspace::at(repository, env::environment(), flags, ui)?;
    // Here alone, where somebody is told.
    workspace.put_aside_of_killed().iter().for_each(|line| ui.warn(line));
    Ok(workspace)
}

/// The same, when what is wrong with the settings was said before.
///
/// # Errors
/// When a setting is unusable.
pub fn again(repository: Repository) -> Result<Workspace> {
    Workspace::again(repository, env::environment(), Vec::new())
}

/// The same of the current folder.
///
/// # Errors
/// When there is none, or a setting is unusable.
pub fn here_again() -> Result<Workspace> {
    again(locate(Path::new("."))?)
}

/// What holds in the current folder, in a knowledge base or not.
///
/// # Errors
/// When the repository is damaged, or a setting is unusable.
pub fn settings(flags: Vec<(String, String)>, ui: &Ui) -> Result<Settings> {
    Settings::around(Path::new("."), &env::environment(), flags, ui)
}
