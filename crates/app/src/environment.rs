//! What a door hands in of the process it runs in: nothing here asks the process itself.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use secrecy::{ExposeSecret as _, SecretString};

use crate::keys::Asking;
use elophanto_base::process;
use elophanto_net::vault::Vault;

/// What any program needs to run: where things are, how to speak, where to show.
pub const HARMLESS: [&str; 14] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "TERM",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];
/// What git needs besides to fetch from elsewhere.
const FOR_GIT: [&str; 12] = [
    "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
    "NO_PROXY", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_CONFIG_HOME",
];

/// Where secrets are to be had.
pub trait Secrets: Send + Sync {
    /// One that the user put into a variable of the environment, be it empty.
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
    /// The program elophanto: it is started for work in the background, and shuts in what the agent
    /// runs. Without it neither is done.
    pub program: Option<PathBuf>,
    /// Where keys and passwords come from; asked only when one is needed.
    pub secrets: Box<dyn Secrets>,
}

impl Environment {
    /// Of a program that says itself what it hands in.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Of a program that has no variables, no vault and nothing to start: everything works that needs
    /// neither a key nor the network.
    pub fn offline() -> Self {
        Self::of_variables([])
    }

    /// Of a program that has these variables, keys of providers among them, but no vault and nothing
    /// to start.
    pub fn of_variables(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let variables: BTreeMap<_, _> = variables.into_iter().collect();
        let is_harmless = |name: &&String| HARMLESS.contains(&name.as_str());
        let harmless = variables.iter().filter(|(name, _)| is_harmless(name));
        let harmless = harmless.map(|(name, value)| (name.clone(), value.clone())).collect();
        let secrets = Box::new(Variables(variables.clone()));
        Self::new(Parts { variables, harmless, program: None, secrets })
    }

    /// Those that set settings, locate files, or speak of the terminal; see [`Parts::variables`].
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.0.variables
    }

    /// Those that any program may be given; see [`HARMLESS`].
    pub fn harmless(&self) -> &process::Environment {
        &self.0.harmless
    }

    /// The program elophanto, if it may be started; see [`Parts::program`].
    pub fn program(&self) -> Option<&Path> {
        self.0.program.as_deref()
    }

    /// Where keys and passwords are to be had.
    pub fn secrets(&self) -> &dyn Secrets {
        &*self.0.secrets
    }

    /// Variables that the user has granted to a program by their names; `PATH`, in which it is looked
    /// for, is always among them.
    pub fn granted<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> process::Environment {
        let value = |name: &str| {
            let value = self.secrets().variable(name)?;
            Some((name.to_owned(), value.expose_secret().to_owned()))
        };
        names.into_iter().chain(["PATH"]).filter_map(value).collect()
    }

    /// What git needs to fetch from elsewhere: what any program does, proxies, the agent of ssh keys.
    pub fn for_git(&self) -> process::Environment {
        let mut environment = self.harmless().clone();
        environment.extend(self.granted(FOR_GIT));
        environment
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

    /// Folder of what can be had again at any time.
    pub fn cache_folder(&self) -> Option<PathBuf> {
        Some(self.home_folder("XDG_CACHE_HOME", ".cache")?.join("elophanto"))
    }

    /// Folder of the settings of all the user's programs.
    pub fn config_home(&self) -> Option<PathBuf> {
        self.home_folder("XDG_CONFIG_HOME", ".config")
    }

    /// The user's home.
    pub fn home(&self) -> Option<PathBuf> {
        self.0.variables.get("HOME").map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// A path as it was typed, where `~` stands for the user's home.
    pub fn with_home(&self, path: &str) -> PathBuf {
        let below = path.strip_prefix("~/").or_else(|| (path == "~").then_some(""));
        match (below, self.home()) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(path),
        }
    }

    fn home_folder(&self, variable: &str, otherwise: &str) -> Option<PathBuf> {
        let path = |name: &str| self.0.variables.get(name).map(PathBuf::from);
        let named = path(variable).filter(|path| path.is_absolute());
        named.or_else(|| Some(self.home()?.join(otherwise)))
    }
}

/// Variables, and no vault.
struct Variables(BTreeMap<String, String>);

impl Secrets for Variables {
    fn variable(&self, name: &str) -> Option<SecretString> {
        self.0.get(name).cloned().map(SecretString::from)
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
        Environment::of_variables(pairs)
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
    fn programs_get_what_they_are_granted() {
        let given =
            of(&[("PATH", "/bin"), ("TOKEN", "t"), ("https_proxy", "http://p"), ("HOME", "")]);
        let names = |got: process::Environment| got.into_keys().collect::<Vec<_>>();
        assert_eq!(names(given.granted(["TOKEN", "GONE"])), ["PATH", "TOKEN"]);
        assert_eq!(names(given.harmless().clone()), ["HOME", "PATH"]);
        assert_eq!(names(given.for_git()), ["HOME", "PATH", "https_proxy"]);
    }

    #[test]
    fn machines_that_build_say_so() {
        for (value, expected) in [("", false), ("0", false), ("false", false), ("true", true)] {
            assert_eq!(of(&[("CI", value)]).is_ci(), expected, "{value}");
        }
        assert!(!of(&[]).is_ci());
    }
}
