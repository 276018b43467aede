//! The knowledge base around the current folder.

use std::path::Path;

use super::{Result, Ui, env};
use elophanto_app::settings::Settings;
pub use elophanto_app::workspace::*;
use elophanto_repo::{Repository, locate};

/// Finds it and reads its settings; `flags` are settings of the command line.
///
/// # Errors
/// When there is none, or a setting is unusable.
pub fn open(flags: Vec<(String, String)>, ui: &Ui) -> Result<Workspace> {
    at(locate(Path::new("."))?, flags, ui)
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
