//! Settings for commands that work outside of a knowledge base too.

use std::path::{Path, PathBuf};

use crate::{
    Result,
    config::{Config, ConfigError, Layers, REPOSITORY_FILE, Trusted, has_conflict_marks},
    embedding::embedders::Named,
    environment::Environment,
    reporter::Reporter,
};
use elophanto_repo::{Git, LocateError, Repository, Side, locate};

/// The layers of settings of a knowledge base.
///
/// # Errors
/// When a file of settings cannot be read.
pub fn layers(
    repository: &Repository,
    environment: &Environment,
    flags: Vec<(String, String)>,
) -> Result<Layers, ConfigError> {
    let git = Git::of(repository);
    let ours = || git.as_ref()?.side(Path::new(REPOSITORY_FILE), Side::Ours);
    let variables = environment.variables().clone();
    let mut layers = Layers::read(&repository.root, &ours, variables, flags)?;
    if let Some(side) = git.as_ref().and_then(|git| git.one_sided(Path::new(REPOSITORY_FILE))) {
        layers.in_conflict = true;
        if side == Side::Theirs {
            // Our side says nothing.
            layers.repository = None;
            layers.trusted = Trusted::No;
        }
    }
    Ok(layers)
}

/// Whether two sides of a merge say differently what the settings are, and nobody settled it yet;
/// `text` is what the file holds. Whoever would write there leaves it alone.
pub(crate) fn is_in_conflict(repository: &Repository, text: &str) -> bool {
    let is_one_sided = |git: Git| git.one_sided(Path::new(REPOSITORY_FILE)).is_some();
    has_conflict_marks(text) || Git::of(repository).is_some_and(is_one_sided)
}

/// What holds in a folder.
pub struct Settings {
    /// The knowledge base around it, if there is one.
    pub repository: Option<Repository>,
    /// With those of the repository, if there is one.
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
    ) -> Result<Self> {
        let repository = match locate(folder) {
            Ok(repository) => Some(repository),
            Err(LocateError::Nowhere { .. }) => None,
            Err(cause) => return Err(cause.into()),
        };
        let layers = match &repository {
            Some(repository) => layers(repository, environment, flags)?,
            None => Layers::without_repository(environment.variables().clone(), flags)?,
        };
        let (config, warnings) = Config::load(&layers)?;
        for warning in warnings {
            reporter.warn(warning);
        }
        Ok(Self { repository, config })
    }

    /// The model that they name, of the repository's own words if there is one.
    pub(crate) fn model(&self, environment: &Environment) -> Named {
        let nowhere = || Repository { root: PathBuf::from("."), git_dir: None, common_dir: None };
        let repository = self.repository.clone().unwrap_or_else(nowhere);
        Named::new(&self.config, &repository, environment)
    }
}
