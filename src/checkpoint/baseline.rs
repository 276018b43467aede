//! The whole work tree at one moment: what there is at each path, and where its content is kept.
//!
//! It is also the cache by which the next one is made: a file whose stat is the same is not read
//! again. Contents are objects of git, held by a commit under a ref of this work tree.

use std::{
    collections::BTreeSet,
    fs::{self, File, Metadata},
    io::{Read, Write},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    CheckpointError, Checkpoints, baseline_file,
    git_calls::{self, Contents, Holder},
    look,
    name::Name,
    state::{MODE_BITS, State},
    walk::{Found, Ignored, walk},
};
use crate::repo::{self, FileStat, ObjectId};

/// A file changed less than this before it was looked at may change again without another time
/// stamp, in nanoseconds: clocks of file systems tick every 10 ms at most, ...
const RACY: i64 = 30_000_000;
/// ... but those that count whole seconds.
const RACY_COARSE: i64 = 2_100_000_000;
/// Largest file of a baseline, in bytes.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) state: State,
    /// Of files only.
    pub(super) stat: FileStat,
    /// The stat does not prove that the file is unchanged.
    pub(super) is_racy: bool,
    /// Of files only: where git keeps the content.
    pub(super) blob: Option<ObjectId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Baseline {
    /// The commit that holds the contents.
    pub(super) commit: Option<ObjectId>,
    /// Contents that the commit holds without need.
    pub(super) extras: Vec<ObjectId>,
    /// Sorted by path.
    pub(super) entries: Vec<(Name, Entry)>,
}

impl Baseline {
    pub(super) fn get(&self, name: &Name) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|(other, _)| other.cmp(name)).ok()?;
        self.entries.get(at).map(|(_, entry)| entry)
    }
}

/// What is compared with a baseline, or becomes one.
pub(super) struct Scan {
    /// Sorted by path.
    pub(super) entries: Vec<(Name, Entry)>,
}

/// Gets the name and the bytes of a file.
pub(super) type Taken<'t> = &'t mut dyn FnMut(&Name, Vec<u8>) -> Result<(), CheckpointError>;

/// Looks at the whole work tree, of which git ignores `ignored`. A file is read only if `known`
/// does not prove it unchanged; `taken` gets what is read, before its entry is made.
pub(super) fn scan(
    at: &Checkpoints,
    ignored: Vec<Name>,
    known: &Baseline,
    covers: bool,
    taken: Taken,
) -> Result<Scan, CheckpointError> {
    let root = at.git.root();
    let tops = ignored.into_iter().collect();
    let is_known =
        |name: &Name| covers && known.get(name).is_some_and(|entry| !entry.state.is_opaque());
    let now = now();
    let found = walk(root, &Name::default(), &Ignored { tops, exempt: &is_known })?;
    let mut entries = Vec::with_capacity(found.len());
    let mut before = known.entries.iter().peekable();
    for (name, found) in found {
        while before.next_if(|(other, _)| *other < name).is_some() {}
        let before = before.peek().filter(|(other, _)| *other == name).map(|(_, entry)| entry);
        let plain = |state| Entry { state, stat: FileStat::default(), is_racy: false, blob: None };
        let entry = match found {
            Found::Known(state) => plain(state),
            Found::Unread(metadata) if metadata.is_file() => {
                match before.and_then(|before| unchanged(before, &metadata)) {
                    Some(entry) => entry,
                    None => match read(root, &name, now)? {
                        (None, _) => continue,
                        (Some(mut entry), bytes) => {
                            // Only its times have changed.
                            let same = before
                                .filter(|before| before.state.digest() == entry.state.digest());
                            entry.blob = same.and_then(|before| before.blob);
                            if let (Some(bytes), None) = (bytes, entry.blob) {
                                taken(&name, bytes)?;
                            }
                            entry
                        }
                    },
                }
            }
            Found::Unread(metadata) => {
                match look::read_at(&root.join(name.as_path()), &metadata)?.0 {
                    State::Absent => continue,
                    state => plain(state),
                }
            }
        };
        entries.push((name, entry));
    }
    Ok(Scan { entries })
}

/// Takes a baseline and makes it durable: its contents in git, its entries in the file of this
/// work tree. `tidies`: contents that it does not need are let go of.
pub(super) fn take(at: &Checkpoints, tidies: bool) -> Result<Baseline, CheckpointError> {
    let (file, reference) = (cache_file(at), reference(at));
    // Git takes as long as reading the file does.
    let (ignored, held, old) = std::thread::scope(|scope| {
        let ignored = scope.spawn(|| git_calls::ignored(at.git));
        let held = repo::reference(at.git, &reference);
        let old = load(&file).unwrap_or_default();
        (ignored.join(), held, old)
    });
    let ignored = ignored.unwrap_or_else(|_| git_calls::ignored(at.git))?;
    // Without the commit the contents may be gone.
    let held = held?;
    let old = if held.is_some() && held == old.commit { old } else { Baseline::default() };
    let mut contents = Contents::new(at.git);
    let mut read = Vec::new();
    let scan = scan(at, ignored, &old, false, &mut |name, bytes| {
        read.push(name.clone());
        Ok(contents.add(bytes)?)
    })?;
    let mut entries = scan.entries;
    let ids = contents.finish()?;
    for (name, id) in read.iter().zip(ids) {
        if let Ok(at) = entries.binary_search_by(|(other, _)| other.cmp(name)) {
            entries[at].1.blob = Some(id);
        }
    }
    let needed = |entries: &[(Name, Entry)]| -> BTreeSet<ObjectId> {
        entries.iter().filter_map(|(_, entry)| entry.blob).collect()
    };
    let mut extras: BTreeSet<ObjectId> = old.extras.iter().copied().collect();
    let mut commit = old.commit;
    if entries != old.entries || (tidies && !extras.is_empty()) || commit.is_none() {
        let (now, before) = (needed(&entries), needed(&old.entries));
        let is_new = |id: &&ObjectId| !before.contains(id) && !extras.contains(id);
        let added: Vec<ObjectId> = now.iter().filter(is_new).copied().collect();
        extras.extend(before.iter().copied());
        extras.retain(|id| !now.contains(id));
        let without: Vec<_> =
            if tidies { std::mem::take(&mut extras).into_iter().collect() } else { Vec::new() };
        if commit.is_none() || !added.is_empty() || !without.is_empty() {
            let with: Vec<_> = added.iter().map(|id| (held_as(id), *id)).collect();
            let without: Vec<_> = without.iter().map(held_as).collect();
            let holder = Holder {
                reference: &reference,
                message: b"contents of a work tree",
                time: 0,
                parents: &[],
                from: commit.as_ref(),
                without: &without,
                with: &with,
                file: None,
            };
            // A git that a killed run had started may set the ref at the same moment.
            let held =
                git_calls::hold(at.git, &holder).or_else(|_| git_calls::hold(at.git, &holder))?;
            let found = repo::reference(at.git, &reference)?;
            if found != Some(held) {
                git_calls::hold(at.git, &holder)?;
            }
            commit = Some(held);
        }
    }
    let baseline = Baseline { commit, extras: extras.into_iter().collect(), entries };
    if baseline != old {
        save(&file, &baseline)?;
    }
    Ok(baseline)
}

/// Where the cache of this work tree lies.
pub(super) fn cache_file(at: &Checkpoints) -> PathBuf {
    at.folder.join(format!("work-tree-{}", key(at)))
}

/// Reads a baseline; `None` if it is not there or is damaged.
pub(super) fn load(file: &Path) -> Option<Baseline> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    baseline_file::decode(&bytes)
}

fn save(file: &Path, baseline: &Baseline) -> Result<(), CheckpointError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let write = || {
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(&baseline_file::encode(baseline))?;
        new.as_file().sync_data()?;
        new.persist(file).map_err(|failed| failed.error)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(CheckpointError::io(file, "written"))
}

fn reference(at: &Checkpoints) -> String {
    format!("{}{}", git_calls::BASELINES, key(at))
}

/// Names this work tree among those that share a repository.
fn key(at: &Checkpoints) -> String {
    let git_dir = fs::canonicalize(at.git.git_dir()).unwrap_or_else(|_| at.git.git_dir().into());
    let hash = blake3::hash(Name::from(&*git_dir).as_bytes()).to_hex();
    hash.as_str().chars().take(16).collect()
}

/// In folders, as one of thousands of files would be written anew for each change.
fn held_as(id: &ObjectId) -> String {
    let digits = id.to_string();
    let (folder, file) = digits.split_at(2);
    format!("{folder}/{file}")
}

fn unchanged(before: &Entry, metadata: &Metadata) -> Option<Entry> {
    use std::os::unix::fs::MetadataExt;
    let same = !before.is_racy && before.stat == FileStat::from(metadata);
    // A change of the mode changes a time too; this costs nothing.
    let mode = metadata.mode() & MODE_BITS;
    let same = same && matches!(before.state, State::File { mode: known, .. } if known == mode);
    same.then(|| before.clone())
}

/// Reads a file together with the stat that its content had.
fn read(
    root: &Path,
    name: &Name,
    now: i64,
) -> Result<(Option<Entry>, Option<Vec<u8>>), CheckpointError> {
    let path = root.join(name.as_path());
    let Ok(before) = fs::symlink_metadata(&path) else { return Ok((None, None)) };
    let (state, bytes) = look::read_at(&path, &before)?;
    if state.is_absent() {
        return Ok((None, None));
    }
    let stat = FileStat::from(&before);
    let is_same = fs::symlink_metadata(&path).is_ok_and(|after| FileStat::from(&after) == stat);
    let margin = if stat.ctime % 1_000_000_000 == 0 { RACY_COARSE } else { RACY };
    let is_racy = !is_same || stat.ctime.saturating_add(margin) >= now;
    Ok((Some(Entry { state, stat, is_racy, blob: None }), bytes))
}

/// Nanoseconds since 1970.
fn now() -> i64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_nanos()).unwrap_or(i64::MAX)
}
