//! What a door hands in of the process it runs in: nothing here asks the process itself.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use secrecy::SecretString;

use crate::keys::Asking;
use elophanto_base::process;
use elophanto_net::vault::Vault;

/// Where secrets are to be had.
pub trait Secrets: Send + Sync {
    /// One that the user put into a variable of the environment.
    fn variable(&self, name: &str) -> Option<SecretString>;

    /// The user's vault, opened; `None` if there is none.
    ///
    /// # Errors
    /// Why it stays closed, in words.
    fn vault(&self, asking: Asking) -> Result<Option<Vault>, String>;
}

/// Variables, folders, the program itself, and secrets. Cloning is cheap.
#[derive(Clone)]
pub struct Environment(Arc<Parts>);

/// What an [`Environment`] is made of.
pub struct Parts {
    /// Variables that set settings, locate the user's files, or speak of the terminal.
    pub variables: BTreeMap<String, String>,
    /// What a program that the user named needs to run; nothing that is made to hold a secret.
    pub harmless: process::Environment,
    /// The program to start for work in the background; none starts none.
    pub program: Option<PathBuf>,
    pub secrets: Box<dyn Secrets>,
}

impl Environment {
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Of a program that has no variables, no vault and nothing to start: everything works that needs
    /// neither a key nor the network.
    pub fn offline() -> Self {
        let (variables, harmless) = (BTreeMap::new(), BTreeMap::new());
        Self::new(Parts { variables, harmless, program: None, secrets: Box::new(NoSecrets) })
    }

    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.0.variables
    }

    pub fn harmless(&self) -> &process::Environment {
        &self.0.harmless
    }

    pub fn program(&self) -> Option<&Path> {
        self.0.program.as_deref()
    }

    pub fn secrets(&self) -> &dyn Secrets {
        &*self.0.secrets
    }

    /// Whether this is a machine that builds and tests unattended, as they all say it.
    pub fn is_ci(&self) -> bool {
        self.0.variables.get("CI").is_some_and(|value| !["", "0", "false"].contains(&&**value))
    }

    /// Folder of what the user keeps for us: the vault, models.
    pub fn data_folder(&self) -> Option<PathBuf> {
        Some(self.home_folder("XDG_DATA_HOME", ".local/share")?.join("elophanto"))
    }

    /// Folder of what we keep for the user: what was spent, which providers fail.
    pub fn state_folder(&self) -> Option<PathBuf> {
        Some(self.home_folder("XDG_STATE_HOME", ".local/state")?.join("elophanto"))
    }

    /// Folder of the settings of all the user's programs.
    pub fn config_home(&self) -> Option<PathBuf> {
        self.home_folder("XDG_CONFIG_HOME", ".config")
    }

    /// The user's home.
    pub fn home(&self) -> Option<PathBuf> {
        self.0.variables.get("HOME").map(PathBuf::from).filter(|path| path.is_absolute())
    }

    fn home_folder(&self, variable: &str, otherwise: &str) -> Option<PathBuf> {
        let path = |name: &str| self.0.variables.get(name).map(PathBuf::from);
        let named = path(variable).filter(|path| path.is_absolute());
        named.or_else(|| Some(self.home()?.join(otherwise)))
    }
}

/// There are none.
struct NoSecrets;

impl Secrets for NoSecrets {
    fn variable(&self, _: &str) -> Option<SecretString> {
        None
    }

    fn vault(&self, _: Asking) -> Result<Option<Vault>, String> {
        Ok(None)
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Environment {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let (variables, harmless) = (pairs.collect(), BTreeMap::new());
        Environment::new(Parts { variables, harmless, program: None, secrets: Box::new(NoSecrets) })
    }

    #[test]
    fn where_the_users_folders_are() {
        let data = |pairs: &[(&str, &str)]| of(pairs).data_folder();
        let (home, named) = (("HOME", "/h"), ("XDG_DATA_HOME", "/d"));
        assert_eq!(data(&[home, named]).unwrap(), Path::new("/d/elophanto"));
        assert_eq!(data(&[home]).unwrap(), Path::new("/h/.local/share/elophanto"));
        let relative = ("XDG_DATA_HOME", "d");
        assert_eq!(data(&[home, relative]).unwrap(), Path::new("/h/.local/share/elophanto"));
        assert_eq!(data(&[relative]), None);
        assert_eq!(of(&[home]).state_folder().unwrap(), Path::new("/h/.local/state/elophanto"));
        assert_eq!(of(&[home]).config_home().unwrap(), Path::new("/h/.config"));
    }

    #[test]
    fn machines_that_build_say_so() {
        for (value, expected) in [("", false), ("0", false), ("false", false), ("true", true)] {
            assert_eq!(of(&[("CI", value)]).is_ci(), expected, "{value}");
        }
        assert!(!of(&[]).is_ci());
    }
}
