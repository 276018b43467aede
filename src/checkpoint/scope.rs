//! What is in a scope, before and after a change.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::{
    CheckpointError, Checkpoints, MOST_IGNORED_BYTES, MOST_IGNORED_ENTRIES,
    baseline::{self, Baseline},
    look::{look, look_and_read},
    name::Name,
    record::{Change, Open, Place, Scope},
    state::{Opaque, State, WhyUncovered},
    survey::{Moment, Survey},
    walk::{Found, Ignored, Treatment, walk},
};

/// What cannot be taken back, with the reason.
pub(super) type Bare = BTreeSet<(Name, WhyUncovered)>;

/// States by path, with where the bytes of files are kept.
pub(super) type Held = BTreeMap<Name, (State, Option<Place>)>;

/// Keeps the bytes of a file, and says where.
pub(super) type Keep<'k> = &'k mut dyn FnMut(&[u8]) -> Result<Place, CheckpointError>;

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
) -> Result<Held, CheckpointError> {
    let mut held = Held::new();
    let mut one = |name: Name, held: &mut Held| -> Result<(), CheckpointError> {
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
        let found = walk(root, name, &all)?;
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
) -> Result<(Vec<Change>, Bare), CheckpointError> {
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
    Ok(compare(was, now))
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
            (State::Opaque(why), _) | (_, State::Opaque(why)) => {
                bare.insert((path, why.into()));
            }
            _ => changes.push(Change { path, was, place, left }),
        }
    }
    (changes, bare)
}
