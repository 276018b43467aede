//! From the log to the last change of each file. Pure.
//!
//! The files and their contents at HEAD come first, and the log, newest first, is asked which
//! commit made each of them what it is. Asked this way, a change on a side that a merge did not
//! take is passed over, and the log need not be read further than to the last answer.

use rustc_hash::FxHashMap;

use super::{
    super::{BlobId, NotePath, ObjectId},
    Change, Made,
    log::Logged,
};

/// The files whose last change is looked for.
pub struct Fold {
    changes: Vec<Change>,
    /// Where files lay at this point of the log: their content, and which change it is about.
    waiting: FxHashMap<NotePath, Vec<(ObjectId, usize)>>,
}

impl Fold {
    /// Starts with the files at HEAD.
    pub fn new(mut files: Vec<(NotePath, ObjectId)>) -> Self {
        files.sort_unstable();
        files.dedup_by(|a, b| a.0 == b.0);
        let mut waiting: FxHashMap<NotePath, Vec<(ObjectId, usize)>> = FxHashMap::default();
        for (index, (path, object)) in files.iter().enumerate() {
            waiting.insert(path.clone(), vec![(*object, index)]);
        }
        let change = |(path, object): (NotePath, ObjectId)| {
            let blob = object.as_bytes().try_into().ok().map(BlobId::from_bytes);
            Change { path, object, blob, made: None }
        };
        let changes = files.into_iter().map(change).collect();
        Self { changes, waiting }
    }

    /// Takes the next older commit; whether any file still waits.
    pub fn take(&mut self, commit: &Logged) -> bool {
        if commit.time == i64::MIN {
            return !self.waiting.is_empty();
        }
        let mut renamed = Vec::new();
        for record in commit.records.iter().filter(|record| !record.after.is_zero()) {
            // Another mode is no other content.
            if record.before.contains(&record.after) {
                continue;
            }
            let Some(waiting) = self.waiting.get_mut(&record.path) else { continue };
            let added = record.before.iter().all(ObjectId::is_zero);
            let source = if added { source(commit, &record.path, &record.after) } else { None };
            waiting.retain(|&(object, index)| {
                if object != record.after {
                    return true;
                }
                match source {
                    Some(source) => renamed.push((source, object, index)),
                    None => {
                        self.changes[index].made =
                            Some(Made { time: commit.time, commit: commit.id });
                    }
                }
                false
            });
            if waiting.is_empty() {
                self.waiting.remove(&record.path);
            }
        }
        // Afterwards, or a path that this commit also wrote would be met twice.
        for (source, object, index) in renamed {
            self.waiting.entry(source.clone()).or_default().push((object, index));
        }
        !self.waiting.is_empty()
    }

    /// What was found. Files that still wait had their last change before the log began: `known`
    /// tells it for a path at the point where the log began, if that is known at all.
    ///
    /// Also returns whether that answered for another content than the one at hand: then only the
    /// whole log can tell.
    pub fn finish<'k>(
        mut self,
        known: impl Fn(&NotePath) -> Option<&'k Change>,
    ) -> (Vec<Change>, bool) {
        let mut lost = false;
        for (path, waiting) in self.waiting {
            let before = known(&path);
            for (object, index) in waiting {
                match before {
                    Some(before) if before.object == object => {
                        self.changes[index].made = before.made;
                    }
                    _ => lost = true,
                }
            }
        }
        (self.changes, lost)
    }
}

/// Where a file came from that a commit brought to `path` without changing it: what was removed
/// with the same content, preferably under the same file name.
fn source<'l>(commit: &'l Logged, path: &NotePath, object: &ObjectId) -> Option<&'l NotePath> {
    let name = path.as_path().file_name();
    let mut gone = commit
        .records
        .iter()
        .filter(|record| record.after.is_zero() && record.before.contains(object))
        .map(|record| &record.path);
    gone.clone().find(|gone| gone.as_path().file_name() == name).or_else(|| gone.next())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::{super::log::Record, *};

    /// A content is named by a digit, `0` is none.
    fn object(digit: u8) -> ObjectId {
        ObjectId::from_bytes(&[digit; 20]).unwrap()
    }

    /// `a=12>3` is path `a`, contents 1 and 2 in the parents, 3 in the commit.
    fn commit(time: i64, records: &str) -> Logged {
        let record = |text: &str| {
            let (path, blobs) = text.split_once('=').unwrap();
            let (before, after) = blobs.split_once('>').unwrap();
            let digits = |text: &str| text.bytes().map(|b| object(b - b'0')).collect::<Vec<_>>();
            Record { path: path.into(), before: digits(before), after: digits(after)[0] }
        };
        let records = records.split_whitespace().map(record).collect();
        Logged { id: object(time.rem_euclid(100) as u8), time, records }
    }

    /// `tree` is `a=3 b=4`, `log` has the newest commit first, `expected` is `a@time`.
    fn check(tree: &str, log: &[(i64, &str)], expected: &str) {
        let files = tree.split_whitespace().map(|file| {
            let (path, digit) = file.split_once('=').unwrap();
            (path.into(), object(digit.as_bytes()[0] - b'0'))
        });
        let mut fold = Fold::new(files.collect());
        for (time, records) in log {
            fold.take(&commit(*time, records));
        }
        assert_eq!(show(&fold.finish(|_| None).0), expected, "{tree} {log:?}");
    }

    fn show(changes: &[Change]) -> String {
        let time = |change: &Change| change.made.map_or("?".to_owned(), |m| m.time.to_string());
        let shown =
            changes.iter().map(|change| format!("{}@{}", change.path.to_text(), time(change)));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_last_commit_that_made_the_content() {
        check("a=2 b=3", &[(9, "a=1>2"), (8, "b=0>3"), (7, "a=0>1")], "a@9 b@8");
        check("a=1", &[], "a@?");
        // Removed and added again.
        check("a=1", &[(9, "a=0>1"), (8, "a=1>0"), (7, "a=0>1")], "a@9");
        // Another mode.
        check("a=1", &[(9, "a=1>1"), (7, "a=0>1")], "a@7");
        // A commit without a time says nothing.
        check("a=1", &[(i64::MIN, "a=2>1"), (7, "a=0>1")], "a@7");
    }

    #[test]
    fn a_rename_without_change_keeps_its_time() {
        check("b=1", &[(9, "a=1>0 b=0>1"), (8, ""), (7, "a=0>1")], "b@7");
        check("c=1", &[(9, "b=1>0 c=0>1"), (8, "a=1>0 b=0>1"), (7, "a=0>1")], "c@7");
        check("b=2", &[(9, "a=1>0 b=0>2"), (7, "a=0>1")], "b@9");
        check("b=2", &[(9, "b=1>2"), (8, "a=1>0 b=0>1"), (7, "a=0>1")], "b@9");
        // There and back.
        check("a=1", &[(9, "a=0>1 b=1>0"), (8, "a=1>0 b=0>1"), (7, "a=0>1")], "a@7");
        // A copy is new, a rename over another file changes that file.
        check("a=1 b=1", &[(9, "b=0>1"), (7, "a=0>1")], "a@7 b@9");
        check("b=1", &[(9, "a=1>0 b=2>1"), (7, "a=0>1 b=0>2")], "b@9");
        // Of two sources the one of the same name.
        let two = "x/n=1>0 y/m=1>0 z/m=0>1";
        check("z/m=1", &[(9, two), (7, "y/m=0>1"), (6, "x/n=0>1")], "z/m@7");
        check("z/m=1", &[(9, two), (7, "x/n=0>1"), (6, "y/m=0>1")], "z/m@6");
        // Another file has come to lie where the source was.
        let log = [(9, "a=0>2"), (8, "a=1>0 b=0>1"), (7, "a=0>1")];
        check("a=2 b=1", &log, "a@9 b@7");
    }

    #[test]
    fn merges() {
        // Made by the merge itself.
        check("a=3", &[(9, "a=12>3"), (8, "a=0>2"), (7, "a=0>1")], "a@9");
        // Taken from one side, though the other changed later.
        check("a=1", &[(9, ""), (8, "a=0>2"), (7, "a=0>1")], "a@7");
        // Renamed by the merge.
        check("b=1", &[(9, "a=11>0 b=00>1"), (7, "a=0>1")], "b@7");
    }

    /// What a random commit does: to paths 0..6, contents 1..5.
    #[derive(Debug, Clone)]
    enum Step {
        Write(u8, u8),
        Remove(u8),
        Rename(u8, u8),
    }

    fn steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
        let path = || 0u8..6;
        let step = prop_oneof![
            (path(), 1u8..5).prop_map(|(path, blob)| Step::Write(path, blob)),
            path().prop_map(Step::Remove),
            (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
        ];
        prop::collection::vec(prop::collection::vec(step, 0..4), 0..30)
    }

    type Tree = BTreeMap<u8, u8>;

    /// The log, newest first, and the tree after each commit, oldest first.
    fn play(steps: &[Vec<Step>]) -> (Vec<Logged>, Vec<Tree>) {
        let mut trees: Vec<Tree> = vec![Tree::new()];
        let mut log = Vec::new();
        for (number, steps) in steps.iter().enumerate() {
            let before = trees.last().unwrap().clone();
            let mut tree = before.clone();
            for step in steps {
                match *step {
                    Step::Write(path, blob) => {
                        tree.insert(path, blob);
                    }
                    Step::Remove(path) => {
                        tree.remove(&path);
                    }
                    Step::Rename(from, to) => {
                        if let Some(blob) = tree.remove(&from) {
                            tree.insert(to, blob);
                        }
                    }
                }
            }
            let records = (0..6).filter_map(|path| {
                let blob = |tree: &Tree| object(tree.get(&path).copied().unwrap_or(0));
                let (before, after) = (blob(&before), blob(&tree));
                let path = NotePath::new([b'a' + path]);
                (before != after).then(|| Record { path, before: vec![before], after })
            });
            let time = i64::try_from(number + 1).unwrap();
            log.insert(
                0,
                Logged { id: object(number as u8 + 1), time, records: records.collect() },
            );
            trees.push(tree);
        }
        (log, trees)
    }

    fn run(tree: &Tree, log: &[Logged], base: &[Change]) -> (Vec<Change>, bool) {
        let files = tree.iter().map(|(path, blob)| (NotePath::new([b'a' + path]), object(*blob)));
        let mut fold = Fold::new(files.collect());
        for commit in log {
            if !fold.take(commit) {
                break;
            }
        }
        fold.finish(|path| base.iter().find(|change| change.path == *path))
    }

    proptest! {
        #[test]
        fn step_by_step_is_as_from_nothing(steps in steps(), split in 0usize..30) {
            let (log, trees) = play(&steps);
            let split = split.min(steps.len());
            let (whole, lost) = run(trees.last().unwrap(), &log, &[]);
            prop_assert!(!lost);
            let (base, _) = run(&trees[split], &log[steps.len() - split..], &[]);
            let (later, lost) = run(trees.last().unwrap(), &log[..steps.len() - split], &base);
            prop_assert!(!lost);
            prop_assert_eq!(&later, &whole);
            // What it says is so: there the content came to be, if not by a rename.
            for change in &whole {
                let made = change.made.unwrap();
                let commit = log.iter().find(|commit| commit.time == made.time).unwrap();
                prop_assert!(commit.records.iter().any(|record| record.after == change.object));
            }
        }
    }
}
