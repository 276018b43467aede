//! The vectors that go along with a commit.
//!
//! What a model that is not instant has not embedded yet it embeds now, as much as is allowed: the
//! notes of this commit before those that earlier ones left. What is left comes with a later
//! commit.

use std::{collections::BTreeSet, path::PathBuf};

use super::{CommitError, Done};
use elophanto_base::regular::read_text;
use elophanto_index::{
    Context, Progress, Snapshot,
    fill::{self, Allowance, Filled},
    stage::{StagedTables, plan_staged, remove_obsolete},
    store::write_whole,
};
use elophanto_knowledge::corpus;
use elophanto_repo::{CommitId, Git, NotePath};
use elophanto_text::changelog;

/// Digits of a number that is remembered.
const MOST_DIGITS: u64 = 20;

/// Stages the vectors of what is staged. `changed`: notes and pages that the commit brings.
pub(super) fn stage(
    context: &Context,
    git: &Git,
    parents: &[CommitId],
    changed: &BTreeSet<&NotePath>,
    allowance: Option<&Allowance>,
    progress: Progress,
    done: &mut Done,
) -> Result<(), CommitError> {
    let tables = StagedTables::of(git, parents)?;
    // To tell what new tables are of, nothing may be passed over.
    let parents: &[CommitId] = if tables.brings_any() { &[] } else { parents };
    // Listed anew: the entries are notes too.
    let (mut refreshed, mut along) = corpus::of_staged(context, git, parents, progress)?;
    if refreshed.report.waiting > 0 {
        let filled = embed(context, &refreshed.snapshot, changed, allowance);
        if filled.embedded > 0 {
            (refreshed, along) = corpus::of_staged(context, git, parents, progress)?;
        }
    }
    let plan = plan_staged(context, git, &refreshed.snapshot, &tables)?;
    git.stage(&plan.changes)?;
    remove_obsolete(context, &plan)?;
    // What waits for a slow model has to be looked at again.
    let is_whole = refreshed.report.waiting == 0;
    along.iter().filter(|_| is_whole).for_each(|it| it.remember(context));
    done.vectors = if plan.changes.is_empty() { 0 } else { plan.vectors };
    done.left = Left::of(context).told(refreshed.report.waiting);
    done.notices.extend(refreshed.report.notices);
    Ok(())
}

/// Embeds what is allowed of what waits, into the vector cache.
fn embed(
    context: &Context,
    snapshot: &Snapshot,
    changed: &BTreeSet<&NotePath>,
    allowance: Option<&Allowance>,
) -> Filled {
    let Some(allowance) = allowance else { return Filled::default() };
    // Of a damaged view nothing is embedded; whoever searches it finds out and mends it.
    let Ok(mut passages) = fill::waiting(context, snapshot) else { return Filled::default() };
    let entries = changelog::folder(context.write_root);
    let is_new = |path: &NotePath| changed.contains(path) || path.as_path().starts_with(&entries);
    fill::smallest_first(&mut passages, is_new);
    fill::fill_within(context, &passages, allowance)
}

/// How much was left when that was last said: a large repository says it once, not at every commit
/// until all is made.
struct Left {
    file: PathBuf,
}

impl Left {
    fn of(context: &Context) -> Self {
        Self { file: context.view_dir().join("left-by-commits") }
    }

    /// What is to be said of so many that are left: nothing if there were as many before.
    fn told(&self, left: usize) -> usize {
        let before = read_text(&self.file, MOST_DIGITS).ok().and_then(|text| text.parse().ok());
        let before: usize = before.unwrap_or_default();
        if left != before {
            // Where that cannot be kept, it is said again.
            let _ = write_whole(&self.file, left.to_string().as_bytes());
        }
        if left > before { left } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_said_when_it_becomes_more() {
        let folder = tempfile::tempdir().unwrap();
        let left = Left { file: folder.path().join("left") };
        for (now, said) in [(0, 0), (70, 70), (70, 0), (20, 0), (30, 30), (0, 0), (5, 5)] {
            assert_eq!(left.told(now), said, "{now}");
        }
    }
}
