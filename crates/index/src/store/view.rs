//! The local search view: opening it, and replacing it as a whole.
//!
//! Layout of the folder: `manifest`, `<name>.seg` and `<name>.vec` per segment, `known` (the
//! registry), `write.lock`, `index.lock`, and `staging-*` folders of running or killed writers.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, Weak},
    time::{Duration, SystemTime},
};

use elophanto_base::{beneath::TEMPORARY, mutex::lock as held, platform, regular::if_there};
use rustc_hash::FxHashMap;

use super::{
    codec::checksum,
    container::{OpenError, read_whole, write_whole},
    lock::{self, Lock, make_folder},
    manifest::Manifest,
    matrix::Matrix,
    segment::Segment,
};

/// A segment and its vectors.
pub struct Loaded {
    pub name: String,
    pub segment: Segment,
    pub matrix: Matrix,
}

/// What the view's folder holds right now.
#[derive(Default)]
pub struct View {
    pub manifest: Manifest,
    pub segments: Vec<Arc<Loaded>>,
    /// Changes whenever the manifest does.
    pub generation: u64,
}

/// The folder that holds the files of new segments, or why they could not be written.
pub type Staged = Result<Arc<Staging>, Arc<io::Error>>;

/// A segment that is not in the view yet, and where its files are.
pub type Built = (Arc<Loaded>, Staged);

/// What became of a manifest that was to be the view.
pub enum Committed {
    /// It is. The lock is still held.
    Done(Lock),
    /// Another process replaced the view meanwhile.
    Overtaken,
    /// Another process holds the lock for longer than we wait.
    Busy,
}

impl View {
    /// The view of a folder, and what is wrong with it. Where there is none to build upon it is
    /// empty.
    pub fn open(folder: &Path) -> (Self, Option<OpenError>) {
        match open(folder) {
            Opened::Ready(view) => (view, None),
            Opened::Missing => (Self::default(), None),
            Opened::Damaged(cause) => (Self::empty(folder), Some(cause)),
        }
    }

    /// A view of which nothing can be used, to be replaced.
    pub fn empty(folder: &Path) -> Self {
        Self { generation: generation(folder), ..Self::default() }
    }

    /// Makes `manifest` the view of a folder, unless that is no longer the one of `generation`;
    /// `built` has what it names and is not in the folder yet.
    ///
    /// # Errors
    /// When the folder cannot be written; the view is then as it was.
    pub fn commit(
        folder: &Path,
        generation: u64,
        manifest: &Manifest,
        built: &[Built],
        lock: Option<Lock>,
        patience: Option<Duration>,
    ) -> io::Result<Committed> {
        let lock = match lock {
            Some(lock) => lock,
            None => match write_lock(folder, patience)? {
                Some(lock) => lock,
                None => return Ok(Committed::Busy),
            },
        };
        if self::generation(folder) != generation {
            return Ok(Committed::Overtaken);
        }
        publish(folder, manifest, built)?;
        Ok(Committed::Done(lock))
    }
}

/// Result of looking into the view's folder.
pub enum Opened {
    Ready(View),
    /// Nothing there yet.
    Missing,
    /// Something there cannot be used and is to be built anew.
    Damaged(OpenError),
}

/// Opens the view. Another process may replace it while we look; then we look again.
pub fn open(folder: &Path) -> Opened {
    let mut last = None;
    for _ in 0..3 {
        match try_open(folder) {
            Ok(Some(view)) => return Opened::Ready(view),
            Ok(None) => return Opened::Missing,
            Err(cause) => last = Some(cause),
        }
    }
    match last {
        Some(cause) => Opened::Damaged(cause),
        None => Opened::Missing,
    }
}

/// The generation of the manifest on disk; 0 if there is none.
pub fn generation(folder: &Path) -> u64 {
    read_whole(&manifest_file(folder)).map_or(0, |bytes| generation_of(&bytes))
}

/// Where a segment and its vectors lie.
pub fn segment_files(folder: &Path, name: &str) -> [PathBuf; 2] {
    [folder.join(format!("{name}.seg")), folder.join(format!("{name}.vec"))]
}

/// Which file it is, its size, and when its content and it were changed.
type Identity = (Option<(u64, u64)>, u64, [i64; 2]);

/// What this process has open, by its files: a server that looks again maps and checks a segment once.
static OPEN: LazyLock<Mutex<FxHashMap<[Identity; 2], Weak<Loaded>>>> =
    LazyLock::new(Mutex::default);

/// Opens one segment with its vectors, unless this process has it open.
///
/// # Errors
/// [`OpenError`] if either file is missing or damaged.
pub fn open_segment(folder: &Path, name: &str) -> Result<Arc<Loaded>, OpenError> {
    let files = segment_files(folder, name);
    let mut identities = [Identity::default(); 2];
    for (identity, path) in identities.iter_mut().zip(&files) {
        let found = fs::symlink_metadata(path)
            .map_err(|cause| OpenError::Io { path: path.clone(), source: cause })?;
        *identity = (platform::identity(&found), found.len(), platform::times(&found));
    }
    let known = held(&OPEN).get(&identities).and_then(Weak::upgrade);
    if let Some(known) = known.filter(|known| known.name == name) {
        return Ok(known);
    }
    let loaded = Arc::new(map_segment(files, name)?);
    let mut all = held(&OPEN);
    all.retain(|_, other| other.strong_count() > 0);
    all.insert(identities, Arc::downgrade(&loaded));
    Ok(loaded)
}

fn map_segment([segment_file, matrix_file]: [PathBuf; 2], name: &str) -> Result<Loaded, OpenError> {
    let segment = Segment::open(&segment_file)?;
    let matrix = Matrix::open(&matrix_file)?;
    if matrix.rows() != segment.chunks() {
        return Err(OpenError::Damaged { path: matrix_file });
    }
    Ok(Loaded { name: name.to_owned(), segment, matrix })
}

/// Makes `manifest` the view, with those of the segments that it names. The caller holds the write
/// lock. Files that no manifest names any more are removed.
///
/// # Errors
/// When the folder cannot be written; the view is then as it was, and takes no more room.
pub fn publish(folder: &Path, manifest: &Manifest, built: &[Built]) -> io::Result<()> {
    let mut moved = Vec::new();
    let published = move_in(folder, manifest, built, &mut moved)
        .and_then(|()| write_whole(&manifest_file(folder), &manifest.to_bytes()));
    match published {
        Ok(()) => sweep(folder, manifest),
        // What no manifest names goes with its staging folder: a disk that is full needs the room.
        Err(_) => moved.iter().for_each(|(from, to)| drop(fs::rename(to, from))),
    }
    published
}

/// Moves the files of new segments that a manifest names to the folder; `moved` is told from where to where.
fn move_in(
    folder: &Path,
    manifest: &Manifest,
    built: &[Built],
    moved: &mut Vec<(PathBuf, PathBuf)>,
) -> io::Result<()> {
    for (loaded, staged) in built {
        if !manifest.segments.iter().any(|entry| entry.name == loaded.name) {
            continue;
        }
        let staging =
            staged.as_ref().map_err(|cause| io::Error::new(cause.kind(), cause.to_string()))?;
        let from = segment_files(staging.path(), &loaded.name);
        for (from, to) in from.into_iter().zip(segment_files(folder, &loaded.name)) {
            if !to.exists() {
                fs::rename(&from, &to)?;
                moved.push((from, to));
            }
        }
    }
    Ok(())
}

/// The lock of whoever replaces the view; `None` if another process keeps it for longer.
pub fn write_lock(folder: &Path, patience: Option<Duration>) -> io::Result<Option<Lock>> {
    let path = folder.join("write.lock");
    match patience {
        Some(patience) => lock::try_for(&path, patience),
        None => wait(&path).map(Some),
    }
}

/// Waits for a lock as long as it takes. None of the threads that share work may: it may hold the lock itself,
/// farther down, and be at work for another there.
fn wait(path: &Path) -> io::Result<Lock> {
    debug_assert!(rayon::current_thread_index().is_none(), "waits for {}", path.display());
    lock::wait(path)
}

/// The lock of a running `index`: a second one waits and then finds its work done.
pub fn index_lock(folder: &Path) -> io::Result<Lock> {
    wait(&folder.join("index.lock"))
}

/// Whether somebody is indexing or replacing the view at this moment.
pub fn is_busy(folder: &Path) -> bool {
    is_held(folder, "index.lock") || is_held(folder, "write.lock")
}

/// Held while an `index` embeds.
const FILL_LOCK: &str = "fill.lock";

/// The lock of an `index` that embeds what waits; `None` if another one keeps it for longer.
/// Nobody but another `index` waits for it, and what works in the background gives way to it.
pub fn fill_lock(folder: &Path, patience: Option<Duration>) -> io::Result<Option<Lock>> {
    let path = folder.join(FILL_LOCK);
    match patience {
        Some(patience) => lock::try_for(&path, patience),
        None => wait(&path).map(Some),
    }
}

/// Whether an `index` embeds at this moment.
pub fn is_filling(folder: &Path) -> bool {
    is_held(folder, FILL_LOCK)
}

fn is_held(folder: &Path, lock: &str) -> bool {
    matches!(lock::try_for(&folder.join(lock), Duration::ZERO), Ok(None))
}

/// A folder for segments that are not in the view yet, guarded by a lock so that nobody sweeps
/// it away while its owner lives.
pub struct Staging {
    folder: tempfile::TempDir,
    _lock: Lock,
}

impl Staging {
    /// Makes one below the view's folder.
    pub fn new(view: &Path) -> io::Result<Self> {
        make_folder(view)?;
        let folder = tempfile::Builder::new().prefix(STAGING_PREFIX).tempdir_in(view)?;
        let _lock = lock::wait(&folder.path().join("lock"))?;
        Ok(Self { folder, _lock })
    }

    /// The same, for all that is built in a run.
    pub fn shared(view: &Path) -> Staged {
        Self::new(view).map(Arc::new).map_err(Arc::new)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

const STAGING_PREFIX: &str = "staging-";

fn manifest_file(folder: &Path) -> PathBuf {
    folder.join("manifest")
}

/// The folder where the registry of committed tables is remembered.
pub fn registry_folder(folder: &Path) -> PathBuf {
    folder.join("known")
}

/// Whether a file was being written by somebody who was killed: it is old for that.
pub(super) fn is_left_by_killed(entry: &fs::DirEntry) -> bool {
    entry.file_name().to_str().is_some_and(|name| name.starts_with(TEMPORARY)) && !is_young(entry)
}

fn is_young(entry: &fs::DirEntry) -> bool {
    let age = |time| SystemTime::now().duration_since(time).unwrap_or_default();
    let changed = entry.metadata().and_then(|data| data.modified());
    changed.is_ok_and(|time| age(time) < Duration::from_secs(60))
}

fn generation_of(bytes: &[u8]) -> u64 {
    checksum(bytes).max(1)
}

fn try_open(folder: &Path) -> Result<Option<View>, OpenError> {
    let path = manifest_file(folder);
    let read = if_there(read_whole(&path));
    let read = read.map_err(|cause| OpenError::Io { path: path.clone(), source: cause })?;
    let Some(bytes) = read else { return Ok(None) };
    let manifest =
        Manifest::from_bytes(&bytes).map_err(|_| OpenError::Damaged { path: path.clone() })?;
    let mut segments = Vec::with_capacity(manifest.segments.len());
    for entry in &manifest.segments {
        let loaded = open_segment(folder, &entry.name)?;
        if loaded.segment.documents() != entry.live.capacity() {
            return Err(OpenError::Damaged { path });
        }
        segments.push(loaded);
    }
    Ok(Some(View { manifest, segments, generation: generation_of(&bytes) }))
}

/// Removes segments that the manifest does not name and what killed writers left. Failure to
/// remove costs only space.
fn sweep(folder: &Path, manifest: &Manifest) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        // In `tables` all tables were remembered, before each had a file of its own.
        if is_left_by_killed(&entry) || name == "tables" {
            let _ = fs::remove_file(&path);
        } else if name.starts_with(STAGING_PREFIX) {
            // Its owner lives as long as the lock in it is held. A folder so young that its owner
            // may not have come to lock it is left for the next sweep.
            if !is_young(&entry)
                && matches!(lock::try_for(&path.join("lock"), Duration::ZERO), Ok(Some(_)))
            {
                let _ = fs::remove_dir_all(&path);
            }
        } else if let Some((stem, "seg" | "vec")) = name.rsplit_once('.')
            && !manifest.segments.iter().any(|segment| segment.name == stem)
        {
            let _ = fs::remove_file(&path);
        }
    }
}
