//! Settings for commands that work outside of a knowledge base too.

use std::path::{Path, PathBuf};

use crate::{
    Error,
    config::{Config, ConfigError, Layers, REPOSITORY_FILE},
    environment::Environment,
    reporter::Reporter,
};
use elophanto_repo::{Git, LocateError, Side, locate};

/// The layers of settings of a knowledge base.
///
/// # Errors
/// When a file of settings cannot be read.
pub fn layers(
    root: &Path,
    environment: &Environment,
    flags: Vec<(String, String)>,
) -> Result<Layers, ConfigError> {
    let ours = || {
        let git = Git::of(&locate(root).ok()?)?;
        git.side(Path::new(REPOSITORY_FILE), Side::Ours)
    };
    Layers::read(root, &ours, environment.variables().clone(), flags)
}

/// What holds in a folder.
pub struct Settings {
    /// Top of the knowledge base around it, if there is one.
    pub root: Option<PathBuf>,
    pub config: Config,
}

impl Settings {
    /// Those of the knowledge base around a folder; where there is none, the user's own.
    ///
    /// # Errors
    /// When the repository is damaged, or a setting is unusable.
    pub fn around(
        folder: &Path,
        environment: &Environment,
        flags: Vec<(String, String)>,
        reporter: &dyn Reporter,
    ) -> Result<Self, Error> {
        let root = match locate(folder) {
            Ok(repository) => Some(repository.root),
            Err(LocateError::Nowhere { .. }) => None,
            Err(cause) => return Err(cause.into()),
        };
        let layers = match &root {
            Some(root) => layers(root, environment, flags)?,
            None => Layers::without_repository(environment.variables().clone(), flags)?,
        };
        let (config, warnings) = Config::load(&layers)?;
        for warning in warnings {
            reporter.warn(warning);
        }
        Ok(Self { root, config })
    }
}
