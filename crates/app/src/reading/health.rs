//! How a knowledge base is, and how it grew.

use std::time::Duration;

use crate::{
    Result,
    doctor::{Diagnosis, examine},
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_index::commit::TABLES;
use elophanto_repo::{CommitId, Git, GitError};

/// Git may take this long to tell when notes were added.
const PATIENCE: Duration = Duration::from_secs(30);
/// Weeks of which the growth is told.
pub const WEEKS: usize = 52;
const WEEK: i64 = 7 * 86_400;

/// What doctor finds, and more that takes its time.
pub struct Health {
    /// What doctor finds.
    pub diagnosis: Diagnosis,
    /// Notes that were committed at the end of each of the last weeks, the oldest first; empty where git
    /// does not tell.
    pub growth: Vec<usize>,
    /// Bytes of the committed vectors at the end of each of these weeks; empty where there are none.
    pub index: Vec<u64>,
}

impl Health {
    pub(super) fn of(workspace: &Workspace) -> Result<Self> {
        let diagnosis = examine(workspace)?;
        let endings = &workspace.config.knowledge.extensions;
        let git = Git::of(&workspace.repository).map(|git| git.with_timeout(PATIENCE));
        let now = now_nanoseconds() / 1_000_000_000;
        let moves = git.as_ref().and_then(|git| git.comings(endings).ok()).unwrap_or_default();
        let index = git.and_then(|git| index_by_week(&git, now).ok()).unwrap_or_default();
        Ok(Self { diagnosis, growth: by_week(&moves, now), index })
    }
}

/// The end of a week, in seconds since 1970.
fn end_of(week: usize, now: i64) -> i64 {
    now - i64::try_from(WEEKS - 1 - week).unwrap_or(0) * WEEK
}

fn index_by_week(git: &Git, now: i64) -> Result<Vec<u64>, GitError> {
    let changes = git.commits_below(TABLES)?;
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let mut known: Option<(CommitId, u64)> = None;
    let mut weeks = Vec::with_capacity(WEEKS);
    for week in 0..WEEKS {
        let last = changes.iter().find(|(time, _)| *time <= end_of(week, now));
        let bytes = match (last, known) {
            (None, _) => 0,
            (Some((_, commit)), Some((of, bytes))) if *commit == of => bytes,
            (Some((_, commit)), _) => git.bytes_at(commit, TABLES)?,
        };
        known = last.map(|(_, commit)| (*commit, bytes));
        weeks.push(bytes);
    }
    Ok(weeks)
}

/// `moves`: when a note came or went.
fn by_week(moves: &[(i64, bool)], now: i64) -> Vec<usize> {
    if moves.is_empty() {
        return Vec::new();
    }
    let by = |week| {
        let past = moves.iter().filter(|(time, _)| *time <= end_of(week, now));
        let (came, all) =
            past.fold((0_usize, 0), |(came, all), it| (came + usize::from(it.1), all + 1));
        // Each of two branches may take the same note away.
        came.saturating_sub(all - came)
    };
    (0..WEEKS).map(by).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_counted_by_week() {
        let now = 100 * WEEK;
        let came = |time| (time, true);
        let moves = [(now, false), came(now), came(now - WEEK), came(now - 60 * WEEK)];
        let grown = by_week(&moves, now);
        assert_eq!((grown.len(), grown[0], grown[50], grown[51]), (WEEKS, 1, 2, 2));
        assert!(by_week(&[], now).is_empty());
    }
}
