//! What became of lines of entities in commits that no hook saw, or that took nothing along: made with
//! `--no-verify` or of chosen files, picked, reverted.

use std::path::Path;

use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};
use ulid::Ulid;

use super::{
    CommitError,
    entities::{Pages, Touched},
    seen::Seen,
};
use elophanto_knowledge::learn::{entity_store::retired, record::RetiredLine};
use elophanto_repo::{CommitId, Git, Logged, Objects, Version};
use elophanto_text::entity::{LineHash, Retired};

/// Commits that are looked at, the newest ones.
const MOST_LOOKED_AT: usize = 50;

/// The newest word of such commits on each line, of those that were made in this work tree.
pub(super) struct Unseen {
    pub(super) gone: Vec<RetiredLine>,
    /// With the parent of the commit that brought it.
    pub(super) back: FxHashMap<LineHash, Option<CommitId>>,
    seen: Seen,
    head: Option<CommitId>,
    /// When this began, and when the commit that was looked at last was first seen, in milliseconds since 1970.
    began: u64,
    since: u64,
}

impl Unseen {
    pub(super) fn read(
        git: &Git,
        objects: &Objects,
        folder: &Path,
        head: Option<CommitId>,
        now: Timestamp,
    ) -> Result<Self, CommitError> {
        let began = Ulid::new().timestamp_ms();
        let seen = Seen::of_facts(git);
        seen.begin(git)?;
        let since = seen.since(git);
        let logged = match (&head, seen.commits()) {
            (Some(head), Some(commits)) if !commits.contains(head) => {
                git.commits_since(&commits, head, MOST_LOOKED_AT)?
            }
            _ => Vec::new(),
        };
        let (mut gone, mut back) = (Vec::new(), Vec::new());
        let mut told = FxHashSet::default();
        for Logged { commit, parent, .. } in logged {
            let pages = Pages::of(git, folder, &Version::Commit(commit), parent.as_slice())?;
            for (slug, page, changes) in Touched::of(folder, &pages, objects).pages {
                for line in changes.back.iter().filter(|line| told.insert(line.hash)) {
                    back.push((commit, (line.hash, parent)));
                }
                for line in changes.gone.iter().filter(|line| told.insert(line.hash)) {
                    let line = retired(&slug, line, page.raw(line), page.reason(line), now);
                    gone.push((commit, line));
                }
            }
        }
        let made = match (&gone[..], &back[..]) {
            ([], []) => Vec::new(),
            // What was pulled is for those to tell who made it.
            _ => git.made_here()?,
        };
        gone.retain(|(commit, _)| made.contains(commit));
        back.retain(|(commit, _)| made.contains(commit));
        let gone = gone.into_iter().map(|(_, line)| line).collect();
        let back = back.into_iter().map(|(_, line)| line).collect();
        Ok(Self { gone, back, seen, head, began, since })
    }

    /// Whether there is a word on a line.
    pub(super) fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.back.is_empty()
    }

    /// Whether the newest word on a line is that it is gone.
    fn is_gone(&self, hash: &LineHash) -> bool {
        self.gone.iter().any(|line| line.line.hash == *hash)
    }

    /// Whether a retirement may be of an attempt that came to nothing: others were told of when a commit was
    /// seen that was made after it.
    pub(super) fn may_be_of_nothing(&self, line: &RetiredLine) -> bool {
        let is_new = Ulid::from_string(&line.id).is_ok_and(|id| id.timestamp_ms() >= self.since);
        is_new && !self.is_gone(&line.line.hash)
    }

    /// Remembers that all is written down, if records that are committed hold what is gone: until then
    /// another attempt must know it.
    pub(super) fn settle(&self, git: &Git, committed: &Retired) {
        if self.gone.iter().all(|line| committed.holds(&line.line.hash))
            && let Some(head) = self.head
        {
            self.seen.write(git, head, self.began);
        }
    }
}
