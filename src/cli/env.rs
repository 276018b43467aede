//! Every environment variable, read only here.

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf};

use secrecy::SecretString;

use super::UnlockArgs;
use elophanto_app::{
    environment::{Environment, HARMLESS, Parts, Secrets},
    keys::Asking,
    on_commit::GitVariables,
};
use elophanto_base::process;
use elophanto_net::vault::Vault;

const NAMES: &[&str] = &[
    "CI", "COLUMNS", "HF_ENDPOINT", "HOME", "NO_COLOR", "TERM", "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
];

/// Variables that set settings, locate the user's files, or speak of the terminal.
pub fn variables() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            let wanted = name.starts_with("ELOPHANTO_") || NAMES.contains(&&*name);
            wanted.then_some(())?;
            Some((name, value.into_string().ok()?))
        })
        .collect()
}

/// What the use cases are handed of this process.
pub fn environment() -> Environment {
    let value = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
    Environment::new(Parts {
        variables: variables(),
        harmless: HARMLESS.into_iter().filter_map(value).collect(),
        program: own_program().ok(),
        secrets: Box::new(OfProcess),
    })
}

/// Secrets of whoever runs this process.
struct OfProcess;

impl Secrets for OfProcess {
    fn variable(&self, name: &str) -> Option<SecretString> {
        std::env::var(name).ok().map(SecretString::from)
    }

    fn vault(&self, asking: Asking) -> Result<Option<Vault>, String> {
        UnlockArgs::default().open(asking).map_err(|cause| cause.message().to_owned())
    }
}

fn path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The work tree that git was told to take.
pub fn work_tree_of_git() -> Option<PathBuf> {
    path("GIT_WORK_TREE")
}

/// What git, running us as a hook, says of itself.
pub fn git_variables() -> GitVariables {
    let amends = GitVariables::amends(process::callers());
    GitVariables { git_dir: path("GIT_DIR"), index_file: path("GIT_INDEX_FILE"), amends }
}

/// Lance would leave a text file beside each table that two branches write differently.
pub fn forbid_version_hints() {
    // SAFETY: called first thing in `main`, while this is the only thread.
    unsafe { std::env::set_var("LANCE_USE_VERSION_HINT", "0") };
}

/// A write beyond the file size limit should be an error like a full disk, not the end of us.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    // SAFETY: sets a signal to be ignored, before any other thread exists; no handler runs.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Where the program that runs now lies.
pub fn own_program() -> std::io::Result<std::path::PathBuf> {
    std::env::current_exe()
}

/// What this program was called with, its own name first.
pub fn arguments() -> impl ExactSizeIterator<Item = OsString> {
    std::env::args_os()
}
