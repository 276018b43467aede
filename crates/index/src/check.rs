//! Is everything indexed? For CI: nothing is written.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Refreshed, commit, store::registry::BadTable};

/// What a check found. All zero is a pass.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gaps {
    /// Vectors in use that no committed table holds, and chunks that have none.
    pub uncommitted: usize,
    /// Tables that cannot be read.
    pub damaged: usize,
    /// Files that cannot be indexed.
    pub skipped: usize,
    /// Files not searched because another process is indexing.
    pub stale: usize,
}

impl Gaps {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What the local view, just brought up to date, lacks: with so many vectors in use that no table holds, and
/// these tables that cannot be read.
pub fn check(mut refreshed: Refreshed, uncommitted: usize, bad: &[BadTable]) -> (Gaps, Refreshed) {
    let notices =
        bad.iter().map(|table| format!("`{}/{}`: {}", commit::TABLES, table.name, table.cause));
    refreshed.report.notices.extend(notices);
    let gaps = Gaps {
        uncommitted: uncommitted + refreshed.report.waiting,
        damaged: bad.len(),
        skipped: refreshed.report.problems.len(),
        stale: refreshed.report.stale,
    };
    (gaps, refreshed)
}
