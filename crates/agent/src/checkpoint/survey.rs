//! A look at the whole work tree, in two steps: what there is by its stat, then the content of what
//! its stat does not prove to be as it is known.

use std::{
    fs::Metadata,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    CheckpointError, Checkpoints, MOST_FILE_BYTES, Result,
    baseline::{Baseline, Entry},
    git_calls, look,
    name::Name,
    record::Place,
    state::{Opaque, State},
    walk::{Found, Ignored, Treatment, walk},
    walk_little::walk_little,
};
use elophanto_base::{beneath::Folder, platform::rights};
use elophanto_repo::FileStat;

/// A file changed less than this before it was looked at may change again without another time
/// stamp, in nanoseconds: clocks of file systems tick every 10 ms at most, ...
const RACY: i64 = 30_000_000;
/// ... but those that count whole seconds.
const RACY_COARSE: i64 = 2_100_000_000;

/// When a look is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before the first change of a run: all is looked at anew.
    First,
    /// Before another one.
    Before,
    /// After one: all that was covered before it still is.
    After,
}

/// What there is.
pub(super) struct Survey {
    /// Sorted by path.
    found: Vec<(Name, Found)>,
}

/// Gets the name and the bytes of a file that is not known; may say where it keeps them.
pub(super) type Taken<'t> = &'t mut dyn FnMut(&Name, Vec<u8>) -> Result<Option<Place>>;

impl Survey {
    /// Looks at the work tree that was like `known`. Git is asked what it ignores only if there is
    /// so much that it matters.
    pub(super) fn of(at: &Checkpoints, known: &Baseline, moment: Moment) -> Result<Self> {
        let root = at.git.root();
        let is_nested = |name: &Name| {
            let was = || known.get(name).map(|entry| &entry.state);
            // What a change made one is part of the change.
            moment != Moment::After || was() == Some(&State::Opaque(Opaque::Nested))
        };
        if known.is_little()
            && let Some(found) = walk_little(root, &is_nested)?
        {
            return Ok(Self { found });
        }
        let tops = git_calls::ignored(at.git)?.into_iter().collect();
        let treatment = |name: &Name| match known.get(name).map(|entry| &entry.state) {
            Some(State::Opaque(Opaque::TooMuch)) if moment != Moment::First => Treatment::TooMuch,
            Some(state) if moment == Moment::After && !state.is_opaque() => Treatment::Whole,
            _ => Treatment::Capped,
        };
        let ignored = Ignored { tops, treatment: &treatment };
        let found = walk(root, &Name::default(), &ignored, &is_nested)?;
        Ok(Self { found })
    }

    /// How many files are to be read, and their bytes.
    pub(super) fn unread(&self, known: &Baseline) -> (usize, u64) {
        let mut before = known.entries.iter().peekable();
        let mut unread = (0, 0);
        for (name, found) in &self.found {
            let before = next(&mut before, name);
            if let Found::Unread(metadata) = found
                && metadata.is_file()
                && metadata.len() <= MOST_FILE_BYTES
                && before.is_none_or(|before| !is_unchanged(before, metadata))
            {
                unread = (unread.0 + 1, unread.1 + metadata.len());
            }
        }
        unread
    }

    /// Reads what `known` does not prove unchanged. `taken` gets what is in files whose content is
    /// not that which is known.
    pub(super) fn read(
        self,
        root: &Path,
        known: &Baseline,
        taken: Taken,
    ) -> Result<Vec<(Name, Entry)>> {
        let now = now();
        let top = Folder::open(root).map_err(CheckpointError::io(root, "read"))?;
        let mut entries = Vec::with_capacity(self.found.len());
        let mut before = known.entries.iter().peekable();
        for (name, found) in self.found {
            let before = next(&mut before, &name);
            let entry = match found {
                Found::Known(state) => Entry::plain(state),
                Found::Unread(metadata) if metadata.is_file() => {
                    match before.filter(|before| is_unchanged(before, &metadata)) {
                        Some(entry) => entry.clone(),
                        None => match read(&top, &name, now)? {
                            (None, _) => continue,
                            (Some(mut entry), bytes) => {
                                // Only its times have changed.
                                let same = before
                                    .filter(|before| before.state.digest() == entry.state.digest());
                                entry.place = same.and_then(|before| before.place.clone());
                                if let (Some(bytes), None) = (bytes, &entry.place) {
                                    entry.place = taken(&name, bytes)?;
                                }
                                entry
                            }
                        },
                    }
                }
                Found::Unread(_) => match look::at(&top, &name)?.0 {
                    State::Absent => continue,
                    state => Entry::plain(state),
                },
            };
            entries.push((name, entry));
        }
        Ok(entries)
    }
}

type Known<'k> = std::iter::Peekable<std::slice::Iter<'k, (Name, Entry)>>;

/// What is known of a path, if no later one was asked for before.
fn next<'k>(known: &mut Known<'k>, name: &Name) -> Option<&'k Entry> {
    while known.next_if(|(other, _)| other < name).is_some() {}
    known.peek().filter(|(other, _)| other == name).map(|(_, entry)| entry)
}

fn is_unchanged(before: &Entry, metadata: &Metadata) -> bool {
    let same = !before.is_racy && before.stat == FileStat::from(metadata);
    // A change of the mode changes a time too; this costs nothing.
    same && matches!(before.state, State::File { mode, .. } if mode == rights(metadata))
}

/// Reads a file together with the stat that its content had.
fn read(root: &Folder, name: &Name, now: i64) -> Result<(Option<Entry>, Option<Vec<u8>>)> {
    let Ok(Some(before)) = root.stat(name.as_path()) else { return Ok((None, None)) };
    let (state, bytes) = look::read_at(root, name, &before)?;
    if state.is_absent() {
        return Ok((None, None));
    }
    let stat = FileStat::from(&before);
    let after = root.stat(name.as_path()).ok().flatten();
    let is_same = after.is_some_and(|after| FileStat::from(&after) == stat);
    let margin = if stat.ctime % 1_000_000_000 == 0 { RACY_COARSE } else { RACY };
    let is_racy = !is_same || stat.ctime.saturating_add(margin) >= now;
    Ok((Some(Entry { state, stat, is_racy, place: None }), bytes))
}

/// Nanoseconds since 1970.
fn now() -> i64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_nanos()).unwrap_or(i64::MAX)
}
