//! Plugins of the work tree: what they run with, and which of them the user agreed to.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;

use super::{sandboxing::Fencing, state_folder};
use crate::{
    Environment, Error, Reporter, Result, Workspace,
    config::{TrustEntry, TrustStore},
    keys::{self, Asking},
};
use elophanto_agent::{
    plugins::{FOLDER, Loaded, Loading, MANIFEST, MAX_MANIFEST_BYTES, Runtime, load, text_at},
    sandbox::Kind,
};
use elophanto_base::platform;

/// Where copies of plugins lie while they run, below the folder of the state.
const COPIES: &str = "plugins";
const COPIES_LOCK: &str = "plugins.lock";
/// Held by whoever changes the manifest.
const MANIFEST_LOCK: &str = "plugins.lock";

/// What plugins of one work tree run with.
pub struct PluginContext {
    root: PathBuf,
    environment: Environment,
    lock: PathBuf,
    /// For tools: where there is no sandbox, each call asks.
    tools: Arc<Runtime>,
    /// For tests, of which nobody has looked at the program yet: in the sandbox or not at all.
    pub tests: Arc<Runtime>,
    /// Keeps other processes from emptying the folder of copies.
    _copies: File,
}

impl PluginContext {
    /// # Errors
    /// When there is no folder for copies.
    pub fn open(
        workspace: &Workspace,
        fencing: &Arc<Fencing>,
        reporter: &Arc<dyn Reporter + Send + Sync>,
    ) -> Result<Self> {
        let environment = workspace.environment.clone();
        let state = state_folder(&environment)?;
        let (copies, held) = copies(&state).map_err(|cause| {
            Error::new(format_args!("`{}`: {cause}", state.display()))
                .hint("it must be a folder that you can write to")
        })?;
        let runtime = |runner| {
            let (environment, reporter) = (environment.clone(), Arc::clone(reporter));
            let secrets =
                Box::new(move |names: &[String]| secrets(names, &environment, &*reporter));
            Arc::new(Runtime { runner, secrets, copies: copies.clone() })
        };
        let fence = Arc::clone(fencing);
        let tools = runtime(Box::new(move |request| fence.plugin(request)));
        let fence = Arc::clone(fencing);
        let tests = runtime(Box::new(move |request| match fence.kind() {
            Kind::Absent(why) => Err(format!("tests run in the sandbox alone: {why}")),
            _ => fence.plugin(request),
        }));
        let local = workspace.repository.local_dir();
        let root = workspace.repository.root.clone();
        let lock = local.join(MANIFEST_LOCK);
        Ok(Self { root, environment, lock, tools, tests, _copies: held })
    }

    /// The deployed plugins that the user agreed to, and why others are no tools.
    pub fn load(&self, built_in: &[&str], reporter: &dyn Reporter) -> Loaded {
        let store = TrustStore::open_for(&self.root, self.environment.variables());
        if let Err(cause) = &store {
            reporter.warn(cause);
        }
        let agreed = |name: &str, hash: &str| {
            store.as_ref().is_ok_and(|it| it.trusts_digest(&self.root, &trusted_as(name), hash))
        };
        let root = &self.root;
        load(&Loading { root, built_in, agreed: &agreed, runtime: &self.tools })
    }

    /// The file that is locked to change the manifest.
    pub fn lock(&self) -> &Path {
        if let Some(folder) = self.lock.parent() {
            // Where it cannot be made, whoever locks the file is told.
            let _ = fs::create_dir_all(folder);
        }
        &self.lock
    }
}

/// Keeps that the user agreed to exactly this content of a plugin in this repository.
///
/// # Errors
/// When it cannot be kept in the user's own folder.
pub fn agree(root: &Path, environment: &Environment, name: &str, hash: &str) -> Result<()> {
    let entry = TrustEntry {
        digest: hash.to_owned(),
        file: trusted_as(name),
        since: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        root: root.to_owned(),
    };
    TrustStore::open_for(root, environment.variables())?.record(entry)?;
    Ok(())
}

/// Text of the manifest; empty if there is none.
///
/// # Errors
/// When it cannot be read.
pub fn manifest(root: &Path) -> Result<String> {
    Ok(text_at(root, Path::new(MANIFEST), MAX_MANIFEST_BYTES)?.unwrap_or_default())
}

/// Takes all agreement to a plugin back.
///
/// # Errors
/// When that cannot be kept.
pub fn disagree(root: &Path, environment: &Environment, name: &str) -> Result<()> {
    TrustStore::open_for(root, environment.variables())?.forget_file(root, &trusted_as(name))?;
    Ok(())
}

/// The name of a plugin in the store of trust.
fn trusted_as(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

/// The folder of copies, emptied unless another process uses it. It is in use as long as the file
/// is open.
fn copies(state: &Path) -> std::io::Result<(PathBuf, File)> {
    let folder = state.join(COPIES);
    platform::make_folders(&folder, platform::PRIVATE_FOLDER)?;
    let held = File::options().create(true).append(true).open(state.join(COPIES_LOCK))?;
    match held.try_lock() {
        Ok(()) => {
            for left in fs::read_dir(&folder)? {
                fs::remove_dir_all(left?.path())?;
            }
        }
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(cause)) => return Err(cause),
    }
    held.lock_shared()?;
    Ok((folder, held))
}

/// From the vault, and from nowhere else.
fn secrets(
    names: &[String],
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<std::collections::BTreeMap<String, secrecy::SecretString>, String> {
    let one = |name: &String| match keys::secret(name, environment, Asking::Through(reporter))? {
        Some(value) => Ok((name.clone(), value)),
        None => {
            Err(format!("the vault has no secret `{name}`: `elophanto vault set {name}` keeps one"))
        }
    };
    names.iter().map(one).collect()
}
