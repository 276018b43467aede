//! What is in a scope, before and after a change.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Read},
    path::Path,
};

use super::{
    Checkpoints, MOST_IGNORED_BYTES, MOST_IGNORED_ENTRIES, Result,
    baseline::{self, Baseline},
    look::{look, look_and_read},
    name::Name,
    record::{Change, Open, Place, Scope},
    state::{Digest, Opaque, State, WhyUncovered},
    survey::{Moment, Survey},
    walk::{Found, Ignored, Treatment, walk},
};
use elophanto_base::beneath::Folder;
use elophanto_repo::watch::Told;

/// Where the committed index lies: all of it can be made anew.
const INDEX: &[u8] = b".elophanto/index";

/// What cannot be taken back, with the reason.
pub(super) type Bare = BTreeSet<(Name, WhyUncovered)>;

/// States by path, with where the bytes of files are kept.
pub(super) type Held = BTreeMap<Name, (State, Option<Place>)>;

/// Keeps the bytes of a file, and says where.
pub(super) type Keep<'k> = &'k mut dyn FnMut(&[u8]) -> Result<Place>;

/// What there is at these paths and, if `below`, under them. The folders above that do not exist
/// are part of it, as they may be made.
///
/// # Errors
/// When something cannot be looked at, or kept.
pub(super) fn states(
    root: &Path,
    names: &[Name],
    below: bool,
    mut keep: Option<Keep>,
) -> Result<Held> {
    let mut held = Held::new();
    let mut one = |name: Name, held: &mut Held| -> Result<()> {
        let (state, bytes) = look_and_read(root, &name)?;
        let place = match (bytes, &mut keep) {
            (Some(bytes), Some(keep)) => Some(keep(&bytes)?),
            _ => None,
        };
        held.insert(name, (state, place));
        Ok(())
    };
    for name in names {
        let is_no_folder = |folder: &Name| {
            !fs::symlink_metadata(root.join(folder.as_path())).is_ok_and(|it| it.is_dir())
        };
        for folder in name.above().take_while(|folder| below && is_no_folder(folder)) {
            one(folder, &mut held)?;
        }
        one(name.clone(), &mut held)?;
        if !below || !held.get(name).is_some_and(|(state, _)| state.is_folder()) {
            continue;
        }
        // Named outright, so that it counts whether ignored or not.
        let all = Ignored { tops: BTreeSet::new(), treatment: &|_| Treatment::Whole };
        let found = walk(root, name, &all, &|_| true)?;
        let bytes: u64 = found.iter().map(|(_, found)| found.bytes()).sum();
        if found.len() > MOST_IGNORED_ENTRIES || bytes > MOST_IGNORED_BYTES {
            held.insert(name.clone(), (State::Opaque(Opaque::TooMuch), None));
            continue;
        }
        for (name, found) in found {
            match found {
                Found::Known(state) => drop(held.insert(name, (state, None))),
                Found::Unread(_) => one(name, &mut held)?,
            }
        }
    }
    Ok(held)
}

/// How a scope differs from what it was, sorted by path, and what cannot be taken back.
///
/// # Errors
/// When something cannot be looked at.
pub(super) fn differences(
    at: &Checkpoints,
    open: &Open,
    baseline: Option<&Baseline>,
) -> Result<(Vec<Change>, Bare)> {
    let root = at.git.root();
    let mut was: BTreeMap<Name, (State, Option<Place>)> = BTreeMap::new();
    let mut now: BTreeMap<Name, State> = BTreeMap::new();
    match (&open.scope, baseline) {
        (Scope::All { .. }, Some(baseline)) => {
            let survey = Survey::of(at, baseline, Moment::After)?;
            let entries = survey.read(root, baseline, &mut |_, _| Ok(None))?;
            let mut known = baseline.entries.iter().peekable();
            // Both are sorted: what is the same is never put into a map.
            for (name, entry) in entries {
                while let Some((name, entry)) = known.next_if(|(other, _)| *other < name) {
                    was.insert(name.clone(), placed(entry));
                }
                match known.next_if(|(other, _)| *other == name) {
                    Some((_, before)) if before.state == entry.state => {}
                    Some((_, before)) => {
                        was.insert(name.clone(), placed(before));
                        now.insert(name, entry.state);
                    }
                    None => {
                        now.insert(name, entry.state);
                    }
                }
            }
            was.extend(known.map(|(name, entry)| (name.clone(), placed(entry))));
        }
        (Scope::Below(names), _) => {
            was.extend(open.was.clone());
            for (name, (state, _)) in states(root, names, true, None)? {
                now.insert(name, state);
            }
            for name in was.keys() {
                if !now.contains_key(name) {
                    now.insert(name.clone(), look(root, name)?);
                }
            }
        }
        (Scope::Exact | Scope::All { .. }, _) => {
            was.extend(open.was.clone());
            for name in was.keys() {
                now.insert(name.clone(), look(root, name)?);
            }
        }
    }
    let (mut changes, mut bare) = compare(was, now);
    if let Scope::All { but, .. } = &open.scope {
        let is_own =
            |path: &Name| !but.contains(path) && !path.above().any(|folder| but.contains(&folder));
        changes.retain(|change| is_own(&change.path));
        bare.retain(|(path, _)| is_own(path));
    }
    Ok((changes, bare))
}

/// Which of these changes are not those that others have told of or `committed`. Where both may
/// have had a part, it is marked.
pub(super) fn own(
    root: &Path,
    changes: Vec<Change>,
    told: &[Told],
    committed: &BTreeSet<Name>,
) -> Vec<Change> {
    let told: Vec<(Name, Option<Digest>)> = told
        .iter()
        .filter_map(|told| {
            Some((told.path.strip_prefix(root).ok()?.into(), told.digest.map(Digest)))
        })
        .collect();
    if told.is_empty() && committed.is_empty() {
        return changes;
    }
    let (mut own, mut theirs) = (Vec::with_capacity(changes.len()), Vec::new());
    for mut change in changes {
        let left = change.left.digest();
        let mut is_theirs = committed.contains(&change.path);
        for (path, digest) in &told {
            let is_here = *path == change.path;
            if digest.is_some() {
                is_theirs |= is_here && *digest == left;
                change.is_shared |= is_here;
            } else if is_here || change.path.above().any(|folder| folder == *path) {
                let is_index = path.as_bytes() == INDEX;
                is_theirs |= is_index || left.is_some() && has_only_grown(root, &change);
                change.is_shared = true;
            }
        }
        if is_theirs {
            theirs.push(change.path);
        } else {
            own.push(change);
        }
    }
    // A folder that was made for what is theirs stays with it.
    own.retain(|change| {
        let is_made = change.was.is_absent() && change.left.is_folder();
        !is_made || !theirs.iter().any(|path| path.above().any(|folder| folder == change.path))
    });
    own
}

/// Whether a file begins as it was, as one does to which others only add.
fn has_only_grown(root: &Path, change: &Change) -> bool {
    // All files that lines are added to are called so.
    if !change.path.as_bytes().ends_with(b".jsonl") {
        return false;
    }
    let State::File { size, digest, .. } = &change.was else { return change.was.is_absent() };
    let begins = || -> io::Result<Digest> {
        let mut bytes = Vec::new();
        let (file, _) = Folder::open(root)?.read(change.path.as_path())?;
        file.take(*size).read_to_end(&mut bytes)?;
        Ok(Digest::of(&bytes))
    };
    begins().is_ok_and(|begins| begins == *digest)
}

fn placed(entry: &baseline::Entry) -> (State, Option<Place>) {
    (entry.state.clone(), entry.place.clone())
}

fn compare(
    was: BTreeMap<Name, (State, Option<Place>)>,
    mut now: BTreeMap<Name, State>,
) -> (Vec<Change>, Bare) {
    let mut bare = Bare::new();
    let opaque: BTreeSet<Name> = was
        .iter()
        .map(|(name, (state, _))| (name, state))
        .chain(&now)
        .filter(|(_, state)| state.is_opaque())
        .map(|(name, _)| name.clone())
        .collect();
    // Something that is not kept is gone: it may be what now lies elsewhere.
    let is_gone = |(name, (state, _)): (&Name, &(State, Option<Place>))| {
        state.is_opaque() && now.get(name).is_none_or(State::is_absent)
    };
    let may_have_moved = was.iter().any(is_gone);
    let mut changes = Vec::new();
    let names: BTreeSet<Name> = was.keys().chain(now.keys()).cloned().collect();
    let mut was = was;
    for path in names {
        let (was, place) = was.remove(&path).unwrap_or((State::Absent, None));
        let left = now.remove(&path).unwrap_or(State::Absent);
        if was == left || (!opaque.is_empty() && path.above().any(|top| opaque.contains(&top))) {
            continue;
        }
        match (&was, &left) {
            // What it was is known, and can take the place of what is there now, unless that is
            // all there is of it.
            (was, State::Opaque(Opaque::Large { .. } | Opaque::Special))
                if matches!(was, State::File { .. } | State::Link { .. }) && !may_have_moved =>
            {
                changes.push(Change { path, was: was.clone(), place, left, is_shared: false });
            }
            // It may have been small at the beginning of the run.
            (State::Opaque(Opaque::Large { .. }), _) => {
                changes.push(Change { path, was, place, left, is_shared: false });
            }
            (State::Opaque(why), _) | (_, State::Opaque(why)) => {
                bare.insert((path, why.into()));
            }
            _ => changes.push(Change { path, was, place, left, is_shared: false }),
        }
    }
    (changes, bare)
}
