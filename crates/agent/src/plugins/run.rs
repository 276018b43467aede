//! Running a private copy of a plugin.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use secrecy::SecretString;

use super::{MAX_SAID_BYTES, PluginError, PluginFile, program};
use elophanto_base::{platform, regular};

/// A program to run, shut in.
pub struct RunRequest<'a> {
    /// No shell sees it. The first is an absolute path or is looked for in `PATH`.
    pub argv: Vec<String>,
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// The copy of the plugin: to be readable, and nothing that matters is lost if it is written.
    pub code: PathBuf,
    /// May hold secrets: for the program's standard input alone.
    pub stdin: &'a [u8],
    /// Whether it may open connections.
    pub network: bool,
    /// After this time it is ended with all it has started.
    pub time: Duration,
    /// Bytes of each stream that are kept at most.
    pub max_output: usize,
    /// Whether the user has ended the run: looked at often.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// How a program ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunEnded {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// It said more than was kept.
    pub cut: bool,
    /// Why it was ended, if it did not end by itself: `it took longer than 30 s`.
    pub stopped: Option<String>,
}

/// Runs a program in the fence; the error is for people.
pub type Runner = dyn Fn(&RunRequest<'_>) -> Result<RunEnded, String> + Send + Sync;

/// Gives the secrets of these names; called after a call was approved. The error is for people and
/// names which is missing.
pub type SecretsOf =
    dyn Fn(&[String]) -> Result<BTreeMap<String, SecretString>, String> + Send + Sync;

/// What plugins run with.
pub struct Runtime {
    pub runner: Box<Runner>,
    pub secrets: Box<SecretsOf>,
    /// A private folder outside the work tree that copies are made in; created as needed.
    pub copies: PathBuf,
}

/// What a run of a plugin's file needs to be told.
pub(super) struct Running<'a> {
    pub files: &'a [PluginFile],
    /// Path of the file to run.
    pub path: &'a str,
    /// Without one it starts in the copy.
    pub folder: Option<&'a Path>,
    pub stdin: &'a [u8],
    pub network: bool,
    pub time: Duration,
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// Copies the files and runs one of them.
pub(super) fn run(runtime: &Runtime, running: &Running<'_>) -> Result<RunEnded, PluginError> {
    let copy = copy(&runtime.copies, running.files)?;
    let code = copy.path().to_owned();
    let file = running.files.iter().find(|file| file.path == running.path);
    let missing = || PluginError::File { path: running.path.to_owned(), reason: "missing".into() };
    let request = RunRequest {
        argv: program::command(&code, file.ok_or_else(missing)?)?,
        folder: running.folder.unwrap_or(&code).to_owned(),
        code,
        stdin: running.stdin,
        network: running.network,
        time: running.time,
        max_output: MAX_SAID_BYTES,
        is_cancelled: running.is_cancelled,
    };
    (runtime.runner)(&request)
        .map_err(|reason| PluginError::File { path: running.path.to_owned(), reason })
}

/// What was hashed is what runs, whatever becomes of the plugin's folder meanwhile. Gone when
/// dropped.
fn copy(folder: &Path, files: &[PluginFile]) -> Result<tempfile::TempDir, PluginError> {
    let failed = |cause| PluginError::Io { path: folder.to_owned(), source: cause };
    platform::make_folders(folder, platform::PRIVATE_FOLDER).map_err(failed)?;
    let made = tempfile::Builder::new().prefix("plugin-").tempdir_in(folder);
    let made = made.map_err(failed)?;
    for file in files {
        let path = made.path().join(&file.path);
        let write = || {
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            let mode = if file.is_executable { 0o755 } else { 0o644 };
            regular::make_new(&path, mode)?.write_all(&file.bytes)
        };
        write().map_err(|cause| PluginError::Io { path: path.clone(), source: cause })?;
    }
    Ok(made)
}
