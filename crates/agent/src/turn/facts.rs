//! What tools and the checkpoint report of a run: never the model's word. Pure.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use super::honest::is_test;
use elophanto_base::one_line::one_line;

/// Lines of what was done.
const DID_CAP: usize = 200;
const TOUCHED_CAP: usize = 10_000;
const COMMITS_CAP: usize = 1_000;
const TESTS_CAP: usize = 100;
/// Characters of a test's line.
const TEST_CHARS: usize = 200;

#[derive(Default)]
pub(super) struct Facts {
    pub(super) touched: BTreeSet<PathBuf>,
    /// In order, each once.
    pub(super) commits: Vec<String>,
    pub(super) did: Vec<Did>,
    /// Calls beyond the cap.
    pub(super) more: usize,
    /// Calls that were made, and those of them that change, run or reach something.
    pub(super) made: usize,
    pub(super) effects: usize,
    /// Tools that were to write or commit and did not run since, and whether a call that writes did.
    pub(super) unwritten: BTreeSet<String>,
    pub(super) has_written: bool,
    /// Commands that were not run.
    pub(super) unrun: usize,
    /// Shell lines that test something, each with whether it failed when it ran last.
    pub(super) tests: BTreeMap<String, bool>,
    /// Files were changed since the check of the repository ran.
    pub(super) is_unchecked: bool,
    pub(super) failed_checks: u32,
    /// Why the check of the repository says nothing of the last changes.
    pub(super) unchecked: Option<String>,
    /// Why what the run changed is not all on the branch of its own.
    pub(super) uncommitted: Option<String>,
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

    /// A shell line that ran.
    pub(super) fn ran(&mut self, line: &str, failed: bool) {
        let line = one_line(line, TEST_CHARS);
        if is_test(&line) && (self.tests.len() < TESTS_CAP || self.tests.contains_key(&line)) {
            self.tests.insert(line, failed);
        }
    }

    /// A shell line that tests something and failed when it ran last.
    pub(super) fn failing_test(&self) -> Option<&str> {
        self.tests.iter().find(|(_, failed)| **failed).map(|(line, _)| line.as_str())
    }

    /// The last call that writes or reaches out, if it failed or nobody was there to approve it.
    pub(super) fn bad_end(&self) -> Option<&str> {
        let last = self.did.iter().rev().find(|did| did.has_effect)?;
        last.failed.then_some(last.line.as_str())
    }
}
