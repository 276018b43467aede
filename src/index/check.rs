//! Is everything indexed? For CI: nothing is written.

use super::{Context, IndexError, Options, Refreshed, commit, refresh};

/// What a check found. All zero is a pass.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Vectors in use that no committed table holds.
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

/// Brings the local view up to date and compares it with what is committed.
///
/// # Errors
/// Those of [`refresh()`], and an unreadable folder of tables.
pub fn check(context: &Context, options: Options) -> Result<(Gaps, Refreshed), IndexError> {
    let mut refreshed = refresh(context, options)?;
    let (uncommitted, bad) = commit::uncommitted(context, &refreshed.snapshot)?;
    let notices =
        bad.iter().map(|table| format!("`{}/{}`: {}", commit::TABLES, table.name, table.cause));
    refreshed.report.notices.extend(notices);
    let gaps = Gaps {
        uncommitted,
        damaged: bad.len(),
        skipped: refreshed.report.problems.len(),
        stale: refreshed.report.stale,
    };
    Ok((gaps, refreshed))
}
