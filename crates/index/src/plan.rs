//! What has to be read: a pure comparison of the walk with the stat cache.

use crate::store::manifest::FileEntry;
use elophanto_repo::{FileStat, NotePath};

/// The comparison of a walk with what is known.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Indexes of known files that are as they were.
    pub keep: Vec<usize>,
    /// Indexes into the walk of files that must be read.
    pub read: Vec<usize>,
    /// Indexes of known files that are gone.
    pub removed: Vec<usize>,
}

impl Plan {
    /// Whether nothing has to be done.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.removed.is_empty()
    }
}

/// A file as it was when it was last read.
pub trait Stated {
    /// Its path and stat, and when the stat was taken, in nanoseconds since 1970.
    fn stated(&self) -> (&NotePath, &FileStat, i64);
}

impl Stated for FileEntry {
    fn stated(&self) -> (&NotePath, &FileStat, i64) {
        (&self.path, &self.stat, self.recorded)
    }
}

/// Compares two lists sorted by path. With `full`, every file is read.
pub fn plan<'w>(
    known: &[impl Stated],
    walked: impl IntoIterator<Item = (&'w NotePath, &'w FileStat)>,
    full: bool,
) -> Plan {
    let mut plan = Plan::default();
    let mut at = 0;
    for (index, (path, stat)) in walked.into_iter().enumerate() {
        while known.get(at).is_some_and(|entry| entry.stated().0 < path) {
            plan.removed.push(at);
            at += 1;
        }
        match known.get(at) {
            Some(entry) if entry.stated().0 == path => {
                if !full && is_trusted(entry, stat) {
                    plan.keep.push(at);
                } else {
                    plan.read.push(index);
                }
                at += 1;
            }
            _ => plan.read.push(index),
        }
    }
    plan.removed.extend(at..known.len());
    plan
}

/// Whether an unchanged stat proves unchanged content.
fn is_trusted(entry: &impl Stated, stat: &FileStat) -> bool {
    let (_, known, recorded) = entry.stated();
    known == stat && stat.is_settled(recorded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::manifest::Place;
    use elophanto_repo::{BlobId, Walked};

    fn planned(known: &[FileEntry], walked: &[Walked], full: bool) -> Plan {
        plan(known, walked.iter().map(|file| (&file.path, &file.stat)), full)
    }

    const SECOND: i64 = 1_000_000_000;

    fn entry(path: &str, mtime: i64, recorded: i64) -> FileEntry {
        FileEntry {
            path: path.into(),
            stat: FileStat { size: 1, mtime, ctime: mtime, inode: 1 },
            recorded,
            blob: BlobId::of(b""),
            place: Place::Document { segment: 0, document: 0 },
        }
    }

    fn file(path: &str, mtime: i64) -> Walked {
        Walked { path: NotePath::from(path), stat: entry(path, mtime, 0).stat }
    }

    fn check(
        known: &[FileEntry],
        walked: &[Walked],
        keep: &[usize],
        read: &[usize],
        gone: &[usize],
    ) {
        let plan = planned(known, walked, false);
        assert_eq!((&plan.keep[..], &plan.read[..], &plan.removed[..]), (keep, read, gone));
    }

    #[test]
    fn what_is_new_changed_or_gone() {
        let known = [entry("a", 0, 10 * SECOND), entry("b", 0, 10 * SECOND)];
        check(&known, &[file("a", 0), file("b", 0)], &[0, 1], &[], &[]);
        check(&known, &[file("a", 0)], &[0], &[], &[1]);
        check(&known, &[], &[], &[], &[0, 1]);
        check(&known, &[file("a", 1), file("b", 0)], &[1], &[0], &[]);
        check(&known, &[file("0", 0), file("b", 0), file("c", 0)], &[1], &[0, 2], &[0]);
        check(&[], &[file("a", 0)], &[], &[0], &[]);
    }

    #[test]
    fn a_stat_is_trusted_only_when_it_is_old_enough() {
        let now = 100 * SECOND;
        for (mtime, keep) in [
            (now - 3 * SECOND, true),
            (now - 2 * SECOND, true),
            (now - 2 * SECOND + 1, false),
            (now, false),
            // The clock was set back, or the file is from the future: read it every time.
            (now + 50 * SECOND, false),
        ] {
            let known = [entry("a", mtime, now)];
            let expected: &[usize] = if keep { &[0] } else { &[] };
            assert_eq!(planned(&known, &[file("a", mtime)], false).keep, expected, "{mtime}");
        }
    }

    #[test]
    fn full_reads_everything() {
        let known = [entry("a", 0, 10 * SECOND)];
        assert_eq!(planned(&known, &[file("a", 0)], true).read, [0]);
    }
}
