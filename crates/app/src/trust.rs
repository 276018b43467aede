//! What a repository says that holds only once the user trusts it: settings, and pages that an agent
//! obeys.

use std::path::{Path, PathBuf};

use crate::{
    Error, Result,
    config::{
        Config, Guarded, Layers, REPOSITORY_FILE, TrustEntry, TrustStore, digest,
        read_repository_file,
    },
    environment::Environment,
    pages::Pages,
    settings::is_in_conflict,
};
use elophanto_repo::locate;

/// Settings that name a program with its arguments.
const PROGRAMS: &[&str] = &["learn.command", "notify.program", "agent.check"];

/// A repository before it is trusted.
pub struct Untrusted<'a> {
    /// Settings that need trust.
    pub settings: Vec<Guarded>,
    /// Digest of the file that holds them.
    pub digest: String,
    root: PathBuf,
    environment: &'a Environment,
}

impl<'a> Untrusted<'a> {
    /// The repository around a folder. Nothing of it is read but what is to be trusted.
    ///
    /// # Errors
    /// When there is none, its settings cannot be read, or the user's trust has no place to be kept.
    pub fn around(folder: &Path, environment: &'a Environment) -> Result<Self> {
        let repository = locate(folder)?;
        let file = read_repository_file(&repository.root)?;
        let text = file.as_ref().map_or("", |file| &file.text);
        if is_in_conflict(&repository, text) {
            return Err(Error::new(format_args!(
                "`{REPOSITORY_FILE}` is in conflict: only what it says in the end can be trusted"
            ))
            .hint("settle it and `git add` it, then run this again"));
        }
        let settings = file.as_ref().map(Config::guarded).transpose()?.unwrap_or_default();
        let (digest, root) = (digest(text.as_bytes()), repository.root);
        let untrusted = Self { settings, digest, root, environment };
        if !untrusted.settings.is_empty() {
            // Nothing is shown as if it could be trusted where it cannot.
            untrusted.store()?;
        }
        Ok(untrusted)
    }

    fn store(&self) -> Result<TrustStore> {
        Ok(TrustStore::open_for(&self.root, self.environment.variables())?)
    }

    /// Whether the settings are trusted as they are.
    ///
    /// # Errors
    /// When the user's trust cannot be read.
    pub fn is_trusted(&self) -> Result<bool> {
        Ok(self.store()?.trusts_digest(&self.root, REPOSITORY_FILE, &self.digest))
    }

    /// Trusts the settings as they are; `false` if they were trusted already.
    ///
    /// # Errors
    /// When that cannot be kept.
    pub fn trust(&self) -> Result<bool> {
        let entry = TrustEntry::now(self.digest.clone(), REPOSITORY_FILE.to_owned(), &self.root);
        Ok(self.store()?.record(entry)?)
    }

    /// Files of the repository that these settings have run, relative to its root: what is trusted names
    /// them, and not what they say.
    pub fn run_by_settings(&self) -> Vec<PathBuf> {
        let lines = self.settings.iter().filter(|it| PROGRAMS.contains(&it.name.as_str()));
        let words =
            lines.flat_map(|it| shlex::split(it.value.trim_matches('"')).unwrap_or_default());
        let real = words.filter_map(|word| self.root.join(word).canonicalize().ok());
        let files = real.filter(|path| path.is_file());
        let mut files: Vec<PathBuf> =
            files.filter_map(|it| Some(it.strip_prefix(&self.root).ok()?.to_owned())).collect();
        files.sort();
        files.dedup();
        files
    }

    /// The pages that an agent would obey. Where they lie is a setting.
    ///
    /// # Errors
    /// When a setting is unusable.
    pub fn pages(&self) -> Result<Pages> {
        let variables = self.environment.variables().clone();
        let layers = Layers::read(&self.root, &|| None, variables, Vec::new())?;
        Ok(Pages::open(&self.root, &Config::load(&layers)?.0, self.environment))
    }
}

/// Forgets all trust in the repository around a folder; says which that is, and how many contents
/// were trusted.
///
/// # Errors
/// When there is no repository, or the user's trust cannot be written.
pub fn revoke(folder: &Path, environment: &Environment) -> Result<(PathBuf, usize)> {
    let root = locate(folder)?.root;
    let store = TrustStore::open_for(&root, environment.variables())?;
    // Where there is nothing to forget, nothing is written.
    let known = store.entries().any(|entry| entry.root == root);
    let revoked = if known { store.forget(&root)? } else { 0 };
    Ok((root, revoked))
}
