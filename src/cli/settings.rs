//! Settings for commands that work outside of a knowledge base too.

use std::path::{Path, PathBuf};

use super::{env, error::CliError, ui::Ui};
use elophanto_app::config::{Config, ConfigError, Layers, REPOSITORY_FILE};
use elophanto_repo::{Git, LocateError, Side, locate};

/// The layers of settings of a knowledge base.
///
/// # Errors
/// When a file of settings cannot be read.
pub fn layers(root: &Path, flags: Vec<(String, String)>) -> Result<Layers, ConfigError> {
    let ours = || {
        let git = Git::of(&locate(root).ok()?)?;
        git.side(Path::new(REPOSITORY_FILE), Side::Ours)
    };
    Layers::read(root, &ours, env::variables(), flags)
}

/// What holds in the current folder.
pub struct Settings {
    /// Top of the knowledge base around it, if there is one.
    pub root: Option<PathBuf>,
    pub config: Config,
}

impl Settings {
    /// Those of the knowledge base around the current folder; where there is none, the user's own.
    ///
    /// # Errors
    /// When the repository is damaged, or a setting is unusable.
    pub fn here(flags: Vec<(String, String)>, ui: &Ui) -> Result<Self, CliError> {
        let root = match locate(Path::new(".")) {
            Ok(repository) => Some(repository.root),
            Err(LocateError::Nowhere { .. }) => None,
            Err(cause) => return Err(cause.into()),
        };
        let layers = match &root {
            Some(root) => layers(root, flags)?,
            None => Layers::without_repository(env::variables(), flags)?,
        };
        let (config, warnings) = Config::load(&layers)?;
        for warning in warnings {
            ui.warn(warning);
        }
        Ok(Self { root, config })
    }
}
