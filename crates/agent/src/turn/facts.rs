//! What tools and the checkpoint report of a run: never the model's word. Pure.

use std::{collections::BTreeSet, path::PathBuf};

/// Lines of what was done.
const DID_CAP: usize = 200;
const TOUCHED_CAP: usize = 10_000;
const COMMITS_CAP: usize = 1_000;

#[derive(Default)]
pub(super) struct Facts {
    pub(super) touched: BTreeSet<PathBuf>,
    /// In order, each once.
    pub(super) commits: Vec<String>,
    pub(super) did: Vec<Did>,
    /// Calls beyond the cap.
    pub(super) more: usize,
}

/// A call, in one line.
pub(super) struct Did {
    pub(super) line: String,
    pub(super) failed: bool,
    /// Whether it writes or reaches out, and was made or only wanted somebody's approval.
    pub(super) has_effect: bool,
}

impl Facts {
    pub(super) fn take(&mut self, touched: &[PathBuf], commits: &[String]) {
        let left = TOUCHED_CAP.saturating_sub(self.touched.len());
        self.touched.extend(touched.iter().take(left).cloned());
        for id in commits {
            if self.commits.len() < COMMITS_CAP && !self.commits.contains(id) {
                self.commits.push(id.clone());
            }
        }
    }

    /// The last one is always kept: it tells how the run ended.
    pub(super) fn push(&mut self, did: Did) {
        if self.did.len() >= DID_CAP {
            self.did.remove(DID_CAP - 1);
            self.more += 1;
        }
        self.did.push(did);
    }

    /// The last call that writes or reaches out, if it failed or nobody was there to approve it.
    pub(super) fn bad_end(&self) -> Option<&str> {
        let last = self.did.iter().rev().find(|did| did.has_effect)?;
        last.failed.then_some(last.line.as_str())
    }
}
