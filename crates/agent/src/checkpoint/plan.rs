//! Which paths an undo restores, and which it leaves. Pure: what there is comes by functions.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use super::{
    name::Name,
    record::Net,
    state::{Opaque, State},
};

/// A path that an undo does not restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Relative to the root; of [`WhyLeft::Branch`] the name of the branch, or `HEAD`.
    pub path: PathBuf,
    pub why: WhyLeft,
}

elophanto_base::named! {
    /// Why it is left as it is.
    pub enum WhyLeft, as_str {
        /// Somebody changed it after the run.
        ChangedSince = "was changed after the run",
        /// Somebody else changed it between two changes of the run.
        ChangedDuring = "was changed by somebody else during the run",
        /// A folder that is to be something else, and holds what the run did not put there.
        HoldsOthers = "holds what the run did not put there",
        /// The folder it would be in is not one.
        NoFolder = "would be in something that is no folder now",
        /// It is now something that cannot be restored over: a pipe, another repository, ...
        NotCovered = "is now something that is not written over",
        /// What git has staged of it is not what the run left there.
        Staged = "is staged otherwise than the run left it",
        /// The branch is not checked out, or not where the run left it.
        Branch = "is not checked out, or not where the run left it: the commits of the run stay \
                     (check it out, or `git revert` them)",
    }
}

/// A path that becomes what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Restore {
    pub(super) path: Name,
    pub(super) now: State,
    pub(super) was: State,
}

/// What interrupted undos of the same run found and left, by path.
pub(super) type Earlier = BTreeMap<Name, Vec<(State, State)>>;

/// What becomes of every change.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Decided {
    pub(super) restore: Vec<Restore>,
    pub(super) left: Vec<(Name, WhyLeft)>,
    /// Folders that the run made and others use by now: they stay, and nothing else is in the way.
    pub(super) used: Vec<Name>,
}

/// Decides about every change.
pub(super) fn plan(
    changes: &[Net],
    earlier: &Earlier,
    now: impl Fn(&Name) -> State,
    entries: impl Fn(&Name) -> Vec<Name>,
) -> Decided {
    let mut used = Vec::new();
    let mut wanted: BTreeMap<Name, (State, State)> = BTreeMap::new();
    let mut left: BTreeMap<Name, WhyLeft> = BTreeMap::new();
    for net in changes {
        let found = now(&net.path);
        if found == net.was {
            continue;
        }
        let own = found == net.left
            || earlier.get(&net.path).is_some_and(|earlier| {
                earlier.iter().any(|(was, is)| *was == net.left && *is == found)
            });
        let is_left_there = |found: &State| {
            let is_one_thing =
                matches!(found, State::Opaque(Opaque::Large { .. } | Opaque::Special));
            is_one_thing && *found == net.left
        };
        let why = if net.is_broken {
            WhyLeft::ChangedDuring
        } else if found.is_opaque() && !is_left_there(&found) || net.was.is_opaque() {
            WhyLeft::NotCovered
        } else if !own {
            WhyLeft::ChangedSince
        } else {
            wanted.insert(net.path.clone(), (found, net.was.clone()));
            continue;
        };
        left.insert(net.path.clone(), why);
    }
    // What cannot be done makes more impossible, above and below it.
    loop {
        let mut blocked: BTreeMap<Name, WhyLeft> = BTreeMap::new();
        let goes = |name: &Name, blocked: &BTreeMap<Name, WhyLeft>| {
            !blocked.contains_key(name) && wanted.get(name).is_some_and(|(_, was)| was.is_absent())
        };
        for (name, (found, was)) in wanted.iter().rev() {
            if found.is_folder() && !was.is_folder() {
                let all_go = entries(name).iter().all(|entry| goes(entry, &blocked));
                if !all_go {
                    blocked.insert(name.clone(), WhyLeft::HoldsOthers);
                }
            }
        }
        for (name, (_, was)) in &wanted {
            let folder = name.folder().filter(|folder| !folder.as_bytes().is_empty());
            let Some(folder) = folder.filter(|_| !was.is_absent()) else { continue };
            let will_be = match wanted.get(&folder).filter(|_| !blocked.contains_key(&folder)) {
                Some((_, was)) => was.is_folder(),
                // A folder of another repository is one too.
                None => {
                    matches!(now(&folder), State::Folder { .. } | State::Opaque(Opaque::Nested))
                }
            };
            if !will_be {
                blocked.entry(name.clone()).or_insert(WhyLeft::NoFolder);
            }
        }
        if blocked.is_empty() {
            break;
        }
        for (name, why) in blocked {
            match wanted.remove(&name) {
                Some((_, was)) if why == WhyLeft::HoldsOthers && was.is_absent() => used.push(name),
                _ => drop(left.insert(name, why)),
            }
        }
    }
    let restore = wanted.into_iter().map(|(path, (now, was))| Restore { path, now, was });
    used.sort_unstable();
    Decided { restore: restore.collect(), left: left.into_iter().collect(), used }
}

/// What has to go before anything new can take its place, deepest first.
pub(super) fn removals(restore: &[Restore]) -> impl Iterator<Item = &Restore> {
    let goes = |one: &&Restore| {
        !one.now.is_absent() && (one.was.is_absent() || one.now.is_folder() != one.was.is_folder())
    };
    restore.iter().rev().filter(goes)
}

/// Folders that lose or get an entry.
pub(super) fn touched(restore: &[Restore]) -> BTreeSet<Name> {
    restore.iter().filter_map(|one| one.path.folder()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> State {
        let digest = super::super::state::Digest::of(text.as_bytes());
        State::File { mode: 0o644, size: text.len() as u64, digest }
    }

    /// What stays because others use it, in the tables below.
    const USED: WhyLeft = WhyLeft::NotCovered;

    /// Changes as `path was left now`: `-` for nothing, `/` for a folder, else a content.
    fn check(changes: &[[&str; 4]], others: &[&str], restored: &[&str], left: &[(&str, WhyLeft)]) {
        let state = |text: &str| match text {
            "-" => State::Absent,
            "/" => State::Folder { mode: 0o755 },
            text => file(text),
        };
        let net = |[path, was, left, _]: &[&str; 4]| Net {
            path: Name::new(*path),
            was: state(was),
            place: None,
            left: state(left),
            is_broken: *left == "broken",
            is_unsure: false,
        };
        let nets: Vec<_> = changes.iter().map(net).collect();
        let mut there: BTreeMap<Name, State> = BTreeMap::new();
        there.extend(changes.iter().map(|[path, _, _, now]| (Name::new(*path), state(now))));
        there.extend(others.iter().map(|path| (Name::new(*path), file("other"))));
        let now = |name: &Name| there.get(name).cloned().unwrap_or(State::Absent);
        let entries = |folder: &Name| {
            let exists = |name: &&Name| !now(name).is_absent();
            let within = |name: &&Name| name.folder().as_ref() == Some(folder);
            there.keys().filter(exists).filter(within).cloned().collect()
        };
        let Decided { restore, left: found, used } = plan(&nets, &BTreeMap::new(), now, entries);
        let paths: Vec<_> = restore.into_iter().map(|one| one.path).collect();
        let found: Vec<_> =
            found.into_iter().chain(used.into_iter().map(|it| (it, USED))).collect();
        assert_eq!(paths, restored.iter().map(|path| Name::new(*path)).collect::<Vec<_>>());
        let expected: Vec<_> = left.iter().map(|(path, why)| (Name::new(*path), *why)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn which_paths_are_restored() {
        use WhyLeft::{ChangedDuring, ChangedSince, HoldsOthers, NoFolder};
        check(&[["a", "1", "2", "2"], ["b", "-", "2", "2"]], &[], &["a", "b"], &[]);
        // As it was already.
        check(&[["a", "1", "2", "1"]], &[], &[], &[]);
        check(&[["a", "1", "2", "3"]], &[], &[], &[("a", ChangedSince)]);
        check(&[["a", "1", "broken", "broken"]], &[], &[], &[("a", ChangedDuring)]);
        // A new folder that somebody has put something into.
        let made = [["d", "-", "/", "/"], ["d/a", "-", "2", "2"]];
        check(&made, &[], &["d", "d/a"], &[]);
        check(&made, &["d/mine"], &["d/a"], &[("d", USED)]);
        // A folder that became a file, which somebody has changed.
        let gone = |now| [["d", "/", "2", now], ["d/a", "1", "-", "-"], ["d/e", "/", "-", "-"]];
        check(&gone("2"), &[], &["d", "d/a", "d/e"], &[]);
        check(&gone("3"), &[], &[], &[("d", ChangedSince), ("d/a", NoFolder), ("d/e", NoFolder)]);
        // A file that became a folder.
        let grown = [["f", "1", "/", "/"], ["f/g", "-", "/", "/"], ["f/g/h", "-", "2", "3"]];
        let left = [("f", HoldsOthers), ("f/g/h", ChangedSince), ("f/g", USED)];
        check(&grown, &[], &[], &left);
    }
}
