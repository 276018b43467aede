//! Why a checkpoint was not made, or a run was not undone.

use std::{
    io,
    path::{Path, PathBuf},
};

use elophanto_base::jsonl::JsonlError;
use elophanto_repo::GitError;

/// What a step of a checkpoint comes to.
pub type Result<T, E = CheckpointError> = std::result::Result<T, E>;

/// Something of a checkpoint failed. Whatever call returned it has acknowledged nothing.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("run `{run}` is at work in this repository since {since}")]
    Busy { run: String, since: jiff::Timestamp },
    #[error("another process is at work in this repository")]
    BusyUnnamed,
    #[error("`{0}` is no id of a run")]
    BadRun(String),
    #[error("there is no checkpoint of a run `{0}` here")]
    UnknownRun(String),
    #[error("there is already a checkpoint of a run `{0}`")]
    RunExists(String),
    #[error("`{}` lies outside of the work tree", .0.display())]
    Outside(PathBuf),
    #[error("`{}` belongs to git", .0.display())]
    OfGit(PathBuf),
    #[error("`{}` cannot be written, so nothing could be taken back: {source}", path.display())]
    ReadOnly { path: PathBuf, source: io::Error },
    #[error("`{}` cannot be {action}: {source}", path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("more than {limit} files and folders")]
    TooMany { limit: usize },
    #[error("run `{run}` worked in `{}`", root.display())]
    OtherWorkTree { run: String, root: PathBuf },
    /// What the run did last cannot be told from what others did between its end and its sealing.
    #[error("run `{run}` was interrupted: what changed after that cannot be told apart")]
    Interrupted { run: String },
    /// Nothing was undone, as part of it cannot be.
    #[error("{} of the changed paths cannot be restored", .left.len())]
    Conflicts { left: Vec<super::Left> },
    #[error("the checkpoint of run `{run}` is damaged: {reason}")]
    Damaged { run: String, reason: String },
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Journal(#[from] JsonlError),
}

impl CheckpointError {
    /// The error of a file operation, as a function of its cause.
    pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |cause| match cause.kind() {
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
                if action != "read" =>
            {
                Self::ReadOnly { path, source: cause }
            }
            _ => Self::Io { path, action, source: cause },
        }
    }

    pub(super) fn damaged(run: &str, reason: impl ToString) -> Self {
        Self::Damaged { run: run.to_owned(), reason: reason.to_string() }
    }
}
