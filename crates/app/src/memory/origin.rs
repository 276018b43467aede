//! Who wrote a lesson down, and which commit brought it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use super::{Kept, Memories, Recalled, reply::Origin};
use elophanto_repo::{CommitId, Git, NotePath, Repository, head, is_tracked};

/// How long git may take to tell which commit a lesson came with.
const PATIENCE: Duration = Duration::from_millis(200);

/// Which commit brought a file of lessons, by its path.
#[derive(Default)]
pub(super) struct Commits {
    /// Once a file has one, it never changes again.
    known: BTreeMap<NotePath, String>,
    /// Those that had none, with the commit that was checked out then.
    without: BTreeSet<NotePath>,
    head: Option<CommitId>,
}

impl Memories<'_> {
    /// Tells the origin of a lesson; what git said of its file before is kept.
    pub fn origins<'m>(&'m self, kept: &'m Kept) -> impl Fn(&Recalled) -> Option<Origin> + 'm {
        let repository = &self.workspace.repository;
        let git = Git::of(repository).map(|git| git.with_timeout(PATIENCE));
        move |recalled| {
            let path = self.shown(recalled.path.as_path());
            let commit =
                git.as_ref().and_then(|git| commit_of(git, repository, &path, &kept.commits));
            Some(Origin { agent: recalled.memory.agent_id.clone(), commit })
        }
    }
}

/// The commit that brought a file; `None` while it is in none.
fn commit_of(
    git: &Git,
    repository: &Repository,
    path: &Path,
    commits: &Mutex<Commits>,
) -> Option<String> {
    let name = NotePath::from(path);
    let mut commits = commits.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(commit) = commits.known.get(&name) {
        return Some(commit.clone());
    }
    let head = head(git).ok()?;
    if commits.head != head {
        (commits.head, commits.without) = (head, BTreeSet::new());
    }
    if commits.without.contains(&name) {
        return None;
    }
    let is_there = is_tracked(repository, path).unwrap_or_default();
    let commit = if is_there { git.last_commit_of(&name).ok()? } else { None };
    match commit {
        Some(commit) => {
            commits.known.insert(name, commit.to_string());
            Some(commit.to_string())
        }
        None => {
            commits.without.insert(name);
            None
        }
    }
}
