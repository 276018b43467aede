//! Is everything indexed? For CI: nothing is written.

use serde::Serialize;

use super::{Context, IndexError, Refreshed, commit};

/// What a check found. All zero is a pass.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
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

/// Compares the local view, just brought up to date, with what is committed.
///
/// # Errors
/// When the folder of tables cannot be read.
pub fn check(context: &Context, mut refreshed: Refreshed) -> Result<(Gaps, Refreshed), IndexError> {
    let (uncommitted, bad) = commit::uncommitted(context, &refreshed.snapshot)?;
    let notices =
        bad.iter().map(|table| format!("`{}/{}`: {}", commit::TABLES, table.name, table.cause));
    refreshed.report.notices.extend(notices);
    let gaps = Gaps {
        uncommitted: uncommitted + refreshed.report.waiting,
        damaged: bad.len(),
        skipped: refreshed.report.problems.len(),
        stale: refreshed.report.stale,
    };
    Ok((gaps, refreshed))
}
