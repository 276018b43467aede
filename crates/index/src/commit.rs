//! The committed index: which vectors git should carry, and writing them as one pending table.
//!
//! A table that git tracks is never touched. What no tracked table holds goes into one untracked
//! table, which the next run replaces until it is committed; what is too large for one goes into
//! several, of which those stay that are full and of use.

use std::{collections::BTreeSet, path::Path};

use rustc_hash::FxHashSet;

use super::{Context, IndexError, Part, Snapshot, fill::missing_keys};
use crate::store::{
    Malformed,
    bits::Bits,
    keys::Keys,
    matrix::{Encoded, Key},
    place,
    registry::{BadTable, Registry},
    tables::{self, TableContent, TableError},
    view::{self, Loaded},
};
use elophanto_base::secrets::scan;
use elophanto_repo::{Git, NotePath, Version, tracked_under, watch};

/// A large pending table stays while at most one of so many of its vectors is of no use.
const MOST_STALE: usize = 16;

/// Where the tables lie, relative to the root.
pub const TABLES: &str = ".elophanto/index";

/// What became of the pending table.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Vectors that tracked tables hold, of those in use.
    pub tracked: usize,
    /// Vectors in the pending table.
    pub pending: usize,
    /// Whether the pending table was written in this run.
    pub written: bool,
    /// Notes that git does not track and whose vectors are in the pending table, beside others that it
    /// does track.
    pub untracked: Vec<NotePath>,
    /// Vectors that stay out of it: their text looks like a secret, and git does not track its file.
    pub withheld: usize,
    /// Whether the tables were left as they are, since a git has its index to itself: `git commit --all`
    /// stages them where only it can see that.
    pub locked: bool,
}

/// Makes the pending table hold exactly the vectors in use that no tracked table holds. Of a table that
/// is as large as one may be, one vector of sixteen may be of no use.
///
/// Outside git nothing is written.
///
/// # Errors
/// When git cannot say what it tracks, a vector of the view is damaged, or the table cannot be written. The
/// view is not affected.
pub fn update_pending(context: &Context, snapshot: &Snapshot) -> Result<Committed, IndexError> {
    if context.repository.git_dir.is_none() {
        return Ok(Committed::default());
    }
    let folder = context.view_dir();
    let _lock = view::write_lock(&folder, None)?;
    let state = State::read(context)?;
    let used = used_keys(snapshot);
    let in_use = used.len();
    let missing = used.without(&state.tracked_keys());
    let tracked = in_use - missing.len();
    let Untracked { notes, secrets } = untracked(context, snapshot, &missing)?;
    let missing = missing.without(&secrets);
    let (pending, withheld) = (missing.len(), secrets.len());
    let mut committed =
        Committed { tracked, pending, written: false, untracked: notes, withheld, locked: false };
    // What another model made stays until the present one has made everything.
    let parts = snapshot.parts.iter().map(|part| (&*part.loaded, &part.live));
    let complete = missing_keys(parts).is_empty();
    let mut pending_tables = state.pending_tables();
    pending_tables.retain(|name| complete || !state.is_of_other_model(name));
    let sound = !pending_tables.iter().any(|name| state.damaged.contains(name));
    let dimension = context.embedder.dimension();
    let large = tables::rows_of_piece(dimension);
    let of_large = |name: &str| {
        let is_large = state.registry.size(name) >= large && !state.is_of_other_model(name);
        is_large.then(|| state.registry.keys(state.fingerprint, |known| known == name))
    };
    let missing = keep_large(&mut pending_tables, missing, of_large);
    let pending_keys = state
        .registry
        .keys(state.fingerprint, |name| pending_tables.iter().any(|pending| pending == name));
    let pieces = tables::pieces(missing.len(), dimension).max(1);
    if missing == pending_keys && pending_tables.len() <= pieces && sound {
        return Ok(committed);
    }
    let is_locked = || Git::of(context.repository).is_some_and(|git| git.index_is_locked());
    if is_locked() {
        committed.locked = true;
        return Ok(committed);
    }
    let folder_of_tables = context.repository.tables_dir();
    let _telling = watch::tell(context.repository, &folder_of_tables, None);
    if !missing.is_empty() {
        // Of a first run it is as much as everything that follows.
        drop(pending_keys);
        write_tables(context, snapshot, &missing)?;
        committed.written = true;
    }
    // Untracked tables of ours, all of whose vectors are now elsewhere or unused.
    for name in pending_tables {
        // One too many does no harm.
        if is_locked() {
            break;
        }
        place::remove(&context.repository.tables_dir(), &name)?;
    }
    let tables = context.repository.tables_dir();
    let mut registry = state.registry;
    registry.follow(context.tables, &tables, Some(&folder), false)?;
    registry.save(&view::registry_folder(&folder));
    Ok(committed)
}

/// Takes out of the pending tables those that stay as they are: as large as a table may be, and nearly all
/// they hold is missing elsewhere. Returns what is missing beside them.
///
/// One note of a million chunks that changes would else have all of them written anew.
fn keep_large(
    pending: &mut Vec<String>,
    missing: Keys,
    of_large: impl Fn(&str) -> Option<Keys>,
) -> Keys {
    let mut held = Bits::new(missing.len(), false);
    pending.retain(|name| {
        let Some(keys) = of_large(name) else { return true };
        let places: Vec<usize> = missing.places(&keys).filter(|place| !held.get(*place)).collect();
        let stays = places.len() * MOST_STALE >= keys.len() * (MOST_STALE - 1);
        places.into_iter().filter(|_| stays).for_each(|place| held.set(place, true));
        !stays
    });
    missing.outside(&held)
}

/// Whether a vector in use is in no table that is known to be there.
///
/// # Errors
/// When git cannot say what it tracks, or the tables' folder cannot be listed.
pub fn is_behind(context: &Context, snapshot: &Snapshot) -> Result<bool, IndexError> {
    let state = State::read(context)?;
    let held = state.registry.keys(state.fingerprint, |_| true);
    Ok(!used_keys(snapshot).without(&held).is_empty())
}

/// How many vectors in use no table holds, tracked or pending, and which tables cannot be read.
///
/// Every table is read and checked anew: what is remembered of one says nothing of its files now.
///
/// # Errors
/// When the tables' folder cannot be listed.
pub fn uncommitted(
    context: &Context,
    snapshot: &Snapshot,
) -> Result<(usize, Vec<BadTable>), IndexError> {
    if context.repository.git_dir.is_none() {
        return Ok((0, Vec::new()));
    }
    let (registry, bad) =
        Registry::read_all(context.tables, &context.repository.tables_dir(), &context.view_dir())?;
    let held = registry.keys(context.embedder.fingerprint().as_str(), |_| true);
    let missing = used_keys(snapshot).without(&held);
    // Where git's index cannot be read, all of them count.
    let secrets = untracked(context, snapshot, &missing).unwrap_or_default().secrets;
    Ok((missing.without(&secrets).len(), bad))
}

/// What the work tree has and git does not.
#[derive(Default)]
struct Untracked {
    /// In the order of their paths; none where git tracks no note either.
    notes: Vec<NotePath>,
    /// Keys of chunks that look like secrets: a vector under the hash of a text tells whether a guess
    /// of the text is right.
    secrets: Keys,
}

/// Looks through the files that git does not track for what is missing in the tables.
fn untracked(
    context: &Context,
    snapshot: &Snapshot,
    missing: &Keys,
) -> Result<Untracked, IndexError> {
    let Some(git) = Git::of(context.repository).filter(|_| !missing.is_empty()) else {
        return Ok(Untracked::default());
    };
    let staged = git.list(&Version::Staged, &[Path::new(".")])?;
    let staged: FxHashSet<&NotePath> = staged.iter().map(|file| &file.path).collect();
    let (mut notes, mut secrets, mut has_tracked) = (BTreeSet::new(), Vec::new(), false);
    for Part { loaded, live, .. } in &snapshot.parts {
        let segment = &loaded.segment;
        for document in live.ones() {
            let path = segment.identity(document).map_err(|Malformed| IndexError::Damaged)?.0;
            let path = NotePath::new(path);
            if staged.contains(&path) {
                has_tracked = true;
                continue;
            }
            let view = segment.document(document).map_err(|Malformed| IndexError::Damaged)?;
            for row in view.chunks {
                let key = loaded.matrix.key(row);
                if loaded.matrix.is_missing(row) || !missing.contains(&key) {
                    continue;
                }
                let text = segment.chunk(row).and_then(|chunk| segment.chunk_text(&chunk));
                if scan(text.map_err(|Malformed| IndexError::Damaged)?).is_empty() {
                    notes.insert(path.clone());
                } else {
                    secrets.push(key);
                }
            }
        }
    }
    let notes = if has_tracked { notes.into_iter().collect() } else { Vec::new() };
    Ok(Untracked { notes, secrets: Keys::new(|| secrets.iter().copied()) })
}

struct State<'a> {
    fingerprint: &'a str,
    registry: Registry,
    /// Tables whose files are not what was written.
    damaged: Vec<String>,
    tracked: BTreeSet<NotePath>,
}

impl<'a> State<'a> {
    fn read(context: &'a Context) -> Result<Self, IndexError> {
        let folder = context.view_dir();
        let (mut registry, bad) = Registry::load(
            context.tables,
            &view::registry_folder(&folder),
            &context.repository.tables_dir(),
        )?;
        registry.save(&view::registry_folder(&folder));
        // A table that a newer version wrote is not damaged, and not ours to replace.
        let damaged = bad.into_iter().filter(|table| matches!(table.cause, TableError::Digest));
        let damaged = damaged.map(|table| table.name).collect();
        Ok(Self {
            damaged,
            fingerprint: context.embedder.fingerprint().as_str(),
            registry,
            tracked: tracked_under(context.repository, TABLES)?,
        })
    }

    fn is_tracked(&self, name: &str) -> bool {
        self.tracked.contains(name.as_bytes())
    }

    /// Keys that tracked tables hold.
    fn tracked_keys(&self) -> Keys {
        self.registry.keys(self.fingerprint, |name| self.is_tracked(name))
    }

    fn is_of_other_model(&self, name: &str) -> bool {
        self.registry.model_of(name).is_some_and(|model| model != self.fingerprint)
    }

    /// Untracked tables, damaged ones and those of models no longer in use included.
    fn pending_tables(&self) -> Vec<String> {
        let names = self.registry.names().chain(self.damaged.iter().map(String::as_str));
        names.filter(|name| !self.is_tracked(name)).map(str::to_owned).collect()
    }
}

pub(super) fn used_keys(snapshot: &Snapshot) -> Keys {
    Keys::new(|| {
        snapshot.parts.iter().flat_map(|Part { loaded, live, .. }| {
            let rows = 0..loaded.matrix.rows();
            let current = rows.filter(|&row| is_current(loaded, live, row));
            current.map(|row| loaded.matrix.key(row))
        })
    })
}

/// Whether a chunk is in use and has its vector.
fn is_current(loaded: &Loaded, live: &Bits, row: usize) -> bool {
    live.get(loaded.segment.chunk_document(row)) && !loaded.matrix.is_missing(row)
}

/// Writes the wanted vectors, as few tables as may hold them, and returns their names. No more than those
/// of one table are in memory.
pub(super) fn write_tables(
    context: &Context,
    snapshot: &Snapshot,
    wanted: &Keys,
) -> Result<Vec<String>, IndexError> {
    let fingerprint = context.embedder.fingerprint().as_str();
    let staging = view::Staging::new(&context.view_dir())?;
    let mut names = Vec::new();
    for piece in wanted.pieces(tables::rows_of_piece(context.embedder.dimension())) {
        let rows = rows(snapshot, &piece).map_err(|Malformed| IndexError::Damaged)?;
        let content = TableContent { fingerprint: fingerprint.to_owned(), rows };
        let folder = context.repository.tables_dir();
        names.extend(tables::write(context.tables, &folder, staging.path(), &content)?);
    }
    Ok(names)
}

/// The wanted vectors, sorted by key so that the same content gives the same table.
///
/// # Errors
/// [`Malformed`] if one of them is not what was written.
fn rows(snapshot: &Snapshot, wanted: &Keys) -> Result<Vec<(Key, Encoded)>, Malformed> {
    let mut rows: Vec<(Key, Encoded)> = Vec::with_capacity(wanted.len());
    let mut taken = Bits::new(wanted.len(), false);
    for Part { loaded, live, .. } in &snapshot.parts {
        rows.extend(loaded.matrix.find(|row, key| {
            let place = wanted.place(key).filter(|place| !taken.get(*place));
            let Some(place) = place.filter(|_| is_current(loaded, live, row)) else { return false };
            taken.set(place, true);
            true
        })?);
    }
    rows.sort_unstable_by_key(|row| row.0);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    fn keys(numbers: impl IntoIterator<Item = u32>) -> Keys {
        let key = |number: u32| u128::from(number).to_be_bytes();
        let keys: Vec<Key> = numbers.into_iter().map(key).collect();
        Keys::new(|| keys.iter().copied())
    }

    #[test]
    fn large_tables_stay_while_they_are_of_use() {
        let held = |name: &str| -> Range<u32> {
            match name {
                "first" => 0..320,
                "second" => 320..640,
                "again" => 300..620,
                _ => 640..650,
            }
        };
        let left = |names: &[&str], missing: Keys| {
            let mut pending: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let of_large = |name: &str| (held(name).len() >= 320).then(|| keys(held(name)));
            let rest = keep_large(&mut pending, missing, of_large);
            (pending, rest)
        };
        // What is small is made again, whatever it holds.
        let all = ["first", "second", "small"];
        assert_eq!(left(&all, keys(0..650)), (vec!["small".to_owned()], keys(640..650)));
        // A note changed: one vector is of no use, and one is new.
        let changed = keys((0..650).filter(|number| *number != 7).chain([999]));
        assert_eq!(left(&all, changed), (vec!["small".to_owned()], keys((640..650).chain([999]))));
        // More than one of sixteen is of no use.
        let (pending, rest) = left(&all, keys(21..650));
        assert_eq!((pending.len(), rest), (2, keys((21..320).chain(640..650))));
        assert_eq!(left(&all, keys(20..650)).0, ["small"]);
        // Two that hold much the same do not both stay.
        let twice = ["second", "again"];
        assert_eq!(left(&twice, keys(300..640)), (vec!["again".to_owned()], keys(300..320)));
        // Nothing is missing any more: it was committed.
        assert_eq!(left(&all, Keys::default()), (all.map(str::to_owned).to_vec(), Keys::default()));
    }
}
