//! How a knowledge base is, and how it grew.

use std::time::Duration;

use crate::{
    Error,
    doctor::{Diagnosis, examine},
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_repo::Git;

/// Git may take this long to tell when notes were added.
const PATIENCE: Duration = Duration::from_secs(30);
/// Weeks of which the growth is told.
pub const WEEKS: usize = 52;
const WEEK: i64 = 7 * 86_400;

/// What doctor finds, and more that takes its time.
pub struct Health {
    pub diagnosis: Diagnosis,
    /// Notes that were committed by the end of each of the last weeks, the oldest first, whatever became
    /// of them since; empty where git does not tell.
    pub growth: Vec<usize>,
}

impl Health {
    pub(super) fn of(workspace: &Workspace) -> Result<Self, Error> {
        let diagnosis = examine(workspace)?;
        let endings = &workspace.config.knowledge.extensions;
        let git = Git::of(&workspace.repository).map(|git| git.with_timeout(PATIENCE));
        let added = git.and_then(|git| git.additions(endings).ok()).unwrap_or_default();
        Ok(Self { diagnosis, growth: by_week(&added, now_nanoseconds() / 1_000_000_000) })
    }
}

fn by_week(added: &[i64], now: i64) -> Vec<usize> {
    if added.is_empty() {
        return Vec::new();
    }
    let ago = |week: usize| i64::try_from(WEEKS - 1 - week).unwrap_or(0) * WEEK;
    let by = |week| added.iter().filter(|time| **time <= now - ago(week)).count();
    (0..WEEKS).map(by).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_counted_by_week() {
        let now = 100 * WEEK;
        let grown = by_week(&[now, now - WEEK, now - 60 * WEEK], now);
        assert_eq!((grown.len(), grown[0], grown[50], grown[51]), (WEEKS, 1, 2, 3));
        assert!(by_week(&[], now).is_empty());
    }
}
