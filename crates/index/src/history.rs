//! When each note changed last: remembered, and brought up to date when HEAD has moved.

use std::{path::PathBuf, sync::Arc, time::Duration};

use super::Snapshot;
use crate::store;
use elophanto_repo::{
    FileStat, Git, GitError, Repository, Selection, head,
    history::{Age, History, coverage, history},
};

/// How long git may take to tell it. What it told by then is kept, the rest is unknown.
const PATIENCE: Duration = Duration::from_secs(5);

/// The history at HEAD, and why it is not whole, if that has just come to light.
///
/// Without git there is none. The git program is started only when HEAD is not where it was.
pub fn current(repository: &Repository, selection: &Selection) -> (Arc<History>, Option<String>) {
    let Some(git) = Git::of(repository) else { return Default::default() };
    let git = git.with_timeout(PATIENCE);
    match update(repository, &git, selection) {
        Ok((history, failure)) => (Arc::new(history), failure.as_ref().and_then(notice)),
        Err(cause) => (Arc::default(), notice(&cause)),
    }
}

/// The history as it was remembered last.
pub fn last(repository: &Repository) -> Arc<History> {
    store::history::load(&file(repository)).map(Arc::new).unwrap_or_default()
}

fn update(
    repository: &Repository,
    git: &Git,
    selection: &Selection,
) -> Result<(History, Option<GitError>), GitError> {
    let Some(head) = head(git)? else { return Ok(Default::default()) };
    let file = file(repository);
    let known = match store::history::load(&file) {
        Some(known) if known.head == Some(head) && known.coverage == coverage(git, selection) => {
            return Ok((known, None));
        }
        known => known,
    };
    let (history, failure) = history(git, head, selection, known.as_ref());
    // Remembered even if it is not whole, so that not every search waits for the same failure;
    // but a program that is missing may be there the next time.
    if !matches!(failure, Some(GitError::NoProgram(_))) {
        // Where nothing can be written, the next run finds it out again.
        let _ = store::history::save(&file, &history);
    }
    Ok((history, failure))
}

fn notice(cause: &GitError) -> Option<String> {
    match cause {
        // A machine without git is no fault of the repository: file times do.
        GitError::NoProgram(_) => None,
        cause => Some(format!("when some notes changed is not known: {cause}")),
    }
}

/// Beside the view, which may be replaced as a whole.
fn file(repository: &Repository) -> PathBuf {
    repository.view_dir().with_file_name("history")
}

impl Snapshot {
    /// When each of the files changed, in seconds since 1970: at its last commit, or, if it is not
    /// committed as it is, when it was written. `None` where that cannot be told.
    pub fn change_times(&self) -> Vec<Option<i64>> {
        // Both lists are sorted by path.
        let mut changes = self.history.changes.iter().peekable();
        let time = |file: &store::manifest::FileEntry| {
            while changes.next_if(|change| change.path < file.path).is_some() {}
            let change = changes.peek().filter(|change| change.path == file.path);
            match change.map_or(Age::NotCommitted, |change| change.age(&file.blob)) {
                Age::Committed(made) => Some(made.time),
                Age::Unknown => None,
                // A version that git holds has no file times.
                Age::NotCommitted if file.stat == FileStat::default() => None,
                Age::NotCommitted => Some(file.stat.mtime.div_euclid(1_000_000_000)),
            }
        };
        self.files.iter().map(time).collect()
    }
}
