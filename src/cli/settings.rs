//! Settings for commands that work outside of a knowledge base too.

use std::path::{Path, PathBuf};

use super::{env, error::CliError, ui::Ui};
use crate::{
    config::{Config, Layers},
    repo::{LocateError, locate},
};

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
        let variables = env::variables();
        let layers = match &root {
            Some(root) => Layers::read(root, variables, flags)?,
            None => Layers::without_repository(variables, flags)?,
        };
        let (config, warnings) = Config::load(&layers)?;
        for warning in warnings {
            ui.warn(warning);
        }
        Ok(Self { root, config })
    }
}
