//! Where skills lie for this user in this repository, and where new ones come from.

use std::path::PathBuf;

use crate::{Error, Result, Workspace};
use elophanto_agent::skills::{self, Discovered, Outside, Places, SkillError, hub};
use elophanto_base::process::Environment;

/// Folders of skills, the hub that the settings name, and what can be fetched again.
#[derive(Debug, Clone)]
pub struct SkillStore {
    /// Folders of skills: the user's, the repository's, and of those that were installed.
    pub places: Places,
    /// Address of the hub: `builtin`, an absolute path, or that of a git repository.
    pub hub: Option<String>,
    cache: PathBuf,
    environment: Environment,
}

impl SkillStore {
    /// Reads nothing yet.
    ///
    /// # Errors
    /// When the user has no folder for what is installed: a relative one would be anybody's.
    pub fn of(workspace: &Workspace) -> Result<Self> {
        let environment = &workspace.environment;
        let data = environment.data_folder().ok_or_else(|| {
            Error::new("there is no folder for skills")
                .hint("set HOME, or XDG_DATA_HOME to a folder")
        })?;
        let config = environment.config_home().map(|folder| folder.join("elophanto"));
        let places = Places {
            user: config.map(|folder| folder.join("skills")),
            repository: Some(workspace.repository.root.clone()),
            installed: data.join("skills"),
        };
        let hub = workspace.config.agent.hub.clone().map(|hub| match hub.strip_prefix("~/") {
            Some(below) => match environment.home() {
                Some(home) => home.join(below).to_string_lossy().into_owned(),
                None => hub,
            },
            None => hub,
        });
        Ok(Self { places, hub, cache: data.join("hub"), environment: environment.for_git() })
    }

    /// All skills there are now.
    pub fn discover(&self) -> Discovered {
        skills::discover(&self.places)
    }

    /// What planning an install needs.
    pub fn outside(&self) -> Outside<'_> {
        let hub = self.hub.as_deref();
        Outside { environment: &self.environment, cache: &self.cache, hub }
    }

    /// The hub as it was read last; opens no connection.
    ///
    /// # Errors
    /// When none is set, or it was not read yet.
    pub fn kept_hub(&self) -> Result<hub::Hub, SkillError> {
        hub::load(self.address()?, &self.cache)
    }

    /// The hub as it is now.
    ///
    /// # Errors
    /// When none is set, or it cannot be read.
    pub fn fetched_hub(&self) -> Result<hub::Hub, SkillError> {
        hub::refresh(self.address()?, &self.cache, &self.environment)
    }

    fn address(&self) -> Result<&str, SkillError> {
        self.hub.as_deref().ok_or(SkillError::NoHub)
    }
}
