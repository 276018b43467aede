//! What a repository says that holds only once the user trusts it: settings, and pages that an agent
//! obeys.

use std::path::{Path, PathBuf};

use crate::{
    Error, Result,
    config::{
        Config, Guarded, Layers, Program, REPOSITORY_FILE, TrustEntry, TrustStore, digest,
        programs, read_repository_file, run_in_sandbox, run_unseen,
    },
    environment::Environment,
    pages::Pages,
    settings::is_in_conflict,
};
use elophanto_base::visible::exact_line;
use elophanto_repo::locate;

/// A repository before it is trusted.
pub struct Untrusted<'a> {
    /// Settings that need trust.
    pub settings: Vec<Guarded>,
    /// Digest of the file that holds them.
    pub digest: String,
    /// Files of the repository that these settings have run: they are trusted with them, as they are.
    pub programs: Vec<Program>,
    /// Those that the agent's sandbox runs, whatever later commits make of them.
    pub run_in_sandbox: Vec<PathBuf>,
    /// Settings that have something run and name no file of the repository: what they find there is trusted,
    /// whatever later commits make of it.
    pub run_unseen: Vec<String>,
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
        let programs = file.as_ref().map(|file| programs(&root, file)).unwrap_or_default();
        let run_in_sandbox = file.as_ref().map(|file| run_in_sandbox(&root, file));
        let run_in_sandbox = run_in_sandbox.unwrap_or_default();
        let run_unseen = file.as_ref().map(|file| run_unseen(&root, file)).unwrap_or_default();
        let untrusted =
            Self { settings, digest, programs, run_in_sandbox, run_unseen, root, environment };
        if !untrusted.settings.is_empty() {
            // Nothing is shown as if it could be trusted where it cannot.
            untrusted.store()?;
        }
        Ok(untrusted)
    }

    fn store(&self) -> Result<TrustStore> {
        Ok(TrustStore::open_for(&self.root, self.environment.variables())?)
    }

    /// Whether the settings are trusted as they are, and so what they have run.
    ///
    /// # Errors
    /// When the user's trust cannot be read.
    pub fn is_trusted(&self) -> Result<bool> {
        let store = self.store()?;
        Ok(store.trusts_digest(&self.root, REPOSITORY_FILE, &self.digest)
            && self.programs.iter().all(|it| it.is_trusted(&store, &self.root)))
    }

    /// Trusts the settings as they are, and what they have run; `false` if all was trusted already.
    ///
    /// # Errors
    /// When that cannot be kept, or a program not be read.
    pub fn trust(&self) -> Result<bool> {
        let entry = |digest: &String, file| TrustEntry::now(digest.clone(), file, &self.root);
        let mut entries = vec![entry(&self.digest, REPOSITORY_FILE.to_owned())];
        for program in &self.programs {
            let Some(digest) = &program.digest else {
                let path = exact_line(&program.file());
                return Err(Error::new(format_args!(
                    "`{path}` cannot be read, or is too large to be trusted"
                ))
                .hint("name another program, or one outside of the repository"));
            };
            entries.push(entry(digest, program.file()));
        }
        Ok(self.store()?.record_all(entries)? > 0)
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
