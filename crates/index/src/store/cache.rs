//! The vector cache: what was embedded on this machine, shared by all work trees of a repository.
//!
//! A folder of write-once files `<ulid>.vec` in the format of [`super::matrix`], any number per
//! model. Whoever embedded something adds a file under a new name, so adding takes no lock; files
//! are merged and removed under one that nobody waits for. Like everything local it may vanish at
//! any time and costs only time then, so reading and adding never fail. It knows no notes: which
//! vectors are still of use is for the caller to say. A future format takes another file ending,
//! so that two versions of the program can share the folder.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustc_hash::{FxHashMap, FxHashSet};
use ulid::Ulid;

use super::{
    codec::{Malformed, Result},
    container::{OpenError, write_whole},
    lock::{self, Lock},
    matrix::{Encoded, Key, Matrix, encode_matrix},
};
use elophanto_base::regular::if_there;

/// What the folder may hold.
struct Limits {
    /// With more files than this that are not full, those are merged: each is opened by every run
    /// that looks for a vector.
    files: usize,
    /// A file of this size is full: it is merged no more, so that tidying a large cache neither
    /// writes nor holds all of it.
    file_bytes: u64,
    /// All files together; the oldest go first. Room for four million vectors of the built-in
    /// model or 300,000 of the largest remote ones, which may have cost money.
    bytes: u64,
}

const LIMITS: Limits = Limits { files: 16, file_bytes: 32 << 20, bytes: 1 << 30 };

const SUFFIX: &str = ".vec";
const TEMPORARY_PREFIX: &str = ".tmp-";
/// A temporary file this old belongs to a writer that was killed.
const ABANDONED: Duration = Duration::from_secs(60 * 60);
/// How often the folder is listed at most because others merged files away under our hands.
const LISTINGS: usize = 32;

/// The cache as one run sees it: the vectors of one model, and those that the run adds.
pub struct Cache {
    folder: PathBuf,
    fingerprint: String,
    dimension: usize,
    /// Opened when a vector is first looked for.
    files: Option<Vec<(PathBuf, Matrix)>>,
    damaged: Vec<PathBuf>,
    /// Keys for which there are different vectors.
    disagreeing: FxHashSet<Key>,
    added: BTreeMap<Key, Encoded>,
    /// Whether this run wrote a file.
    wrote: bool,
}

impl Cache {
    /// The cache in a folder, which need not exist. Nothing is opened yet.
    pub fn new(folder: PathBuf, fingerprint: &str, dimension: usize) -> Self {
        Self {
            folder,
            fingerprint: fingerprint.to_owned(),
            dimension,
            files: None,
            damaged: Vec::new(),
            disagreeing: FxHashSet::default(),
            added: BTreeMap::new(),
            wrote: false,
        }
    }

    /// The wanted vectors that earlier runs added. Of two different vectors for one key neither
    /// counts; a damaged file is passed over as a whole.
    pub fn vectors(&mut self, wanted: &FxHashSet<Key>) -> FxHashMap<Key, Encoded> {
        let mut found: FxHashMap<Key, Encoded> = FxHashMap::default();
        if wanted.is_empty() {
            return found;
        }
        let mut files = self.files.take().unwrap_or_else(|| self.open());
        files.retain(|(path, matrix)| {
            let Ok(rows) = matrix.find(|_, key| wanted.contains(key)) else {
                self.damaged.push(path.clone());
                return false;
            };
            for (key, vector) in rows {
                if *found.entry(key).or_insert_with(|| vector.clone()) != vector {
                    self.disagreeing.insert(key);
                }
            }
            true
        });
        self.files = Some(files);
        found.retain(|key, _| !self.disagreeing.contains(key));
        found
    }

    /// Takes a vector that was just embedded, to be written by [`Cache::close`] or as soon as a
    /// file is full.
    pub fn add(&mut self, key: Key, vector: Encoded) {
        self.added.entry(key).or_insert(vector);
        if self.added.len() >= rows_per_file(self.dimension, &LIMITS) {
            self.write_added();
        }
    }

    /// Writes what was added so far, so that it survives whatever ends the run.
    pub fn save(&mut self) {
        if !self.added.is_empty() {
            self.write_added();
        }
    }

    /// Writes what was added, and mends what was found damaged or disagreeing. Returns the damaged
    /// files. That the folder cannot be written is no matter: the vectors are only made again.
    pub fn close(mut self) -> Vec<PathBuf> {
        if !self.damaged.is_empty() || !self.disagreeing.is_empty() {
            // Before the new file is written, which holds the one vector that counts from now on.
            let _ = prune(&self.folder, |key| !self.disagreeing.contains(key));
        }
        self.save();
        if self.wrote {
            let _ = tidy(&self.folder);
        }
        self.damaged
    }

    fn write_added(&mut self) {
        let rows = std::mem::take(&mut self.added).into_iter().collect();
        self.wrote = true;
        let time = Ulid::new().timestamp_ms();
        let _ = write(&self.folder, time, &self.fingerprint, self.dimension, rows, &LIMITS);
    }

    /// The files of our model. What a merge takes away while we look is in a file that the next
    /// listing shows.
    fn open(&mut self) -> Vec<(PathBuf, Matrix)> {
        let mut files = Vec::new();
        let mut seen = FxHashSet::default();
        for _ in 0..LISTINGS {
            let mut vanished = false;
            for Listed { name, path, .. } in list(&self.folder).unwrap_or_default() {
                if !seen.insert(name) {
                    continue;
                }
                match Matrix::open(&path) {
                    Ok(matrix) => {
                        if matrix.fingerprint() == self.fingerprint
                            && matrix.dimension() == self.dimension
                        {
                            files.push((path, matrix));
                        }
                    }
                    Err(OpenError::Damaged { path }) => self.damaged.push(path),
                    // What another user may not share with us is as good as not there.
                    Err(OpenError::Io { source: cause, .. }) => {
                        vanished |= cause.kind() == io::ErrorKind::NotFound;
                    }
                }
            }
            if !vanished {
                break;
            }
        }
        files
    }
}

/// What a cache takes up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    pub files: usize,
    pub bytes: u64,
}

/// What the cache in a folder takes up, vectors of all models together.
///
/// # Errors
/// When the folder cannot be listed.
pub fn size(folder: &Path) -> io::Result<Size> {
    let files = list(folder)?;
    Ok(Size { files: files.len(), bytes: bytes(&files) })
}

/// Merges files when there are many, and removes the oldest when there is too much. Does nothing
/// while another process is at it.
///
/// # Errors
/// When the folder cannot be listed or written. No vector is lost by that.
pub fn tidy(folder: &Path) -> io::Result<()> {
    tidy_within(folder, &LIMITS)
}

/// Removes all vectors, of whatever model, whose keys are not to be kept, and damaged files.
/// Returns how many vectors went; `None` if another process is tidying.
///
/// # Errors
/// When the folder cannot be listed or written. No vector that is to be kept is lost by that.
pub fn prune(folder: &Path, keep: impl Fn(&Key) -> bool) -> io::Result<Option<usize>> {
    if list(folder)?.is_empty() {
        return Ok(Some(0));
    }
    let Some(_lock) = try_lock(folder)? else { return Ok(None) };
    let mut gone = 0;
    for file in list(folder)? {
        let Some(matrix) = open_intact(&file)? else { continue };
        let kept = matrix.find(|_, key| keep(key)).map_err(changed)?;
        if kept.len() < matrix.rows() {
            gone += matrix.rows() - kept.len();
            let time = file.name.timestamp_ms();
            write(folder, time, matrix.fingerprint(), matrix.dimension(), kept, &LIMITS)?;
            remove(&file.path)?;
        }
    }
    Ok(Some(gone))
}

/// A file of the cache.
struct Listed {
    name: Ulid,
    path: PathBuf,
    bytes: u64,
}

/// The files of the cache, oldest first. What else lies there is left alone.
fn list(folder: &Path) -> io::Result<Vec<Listed>> {
    let Some(entries) = if_there(fs::read_dir(folder))? else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let stem = name.to_str().and_then(|name| name.strip_suffix(SUFFIX));
        let Some(Ok(name)) = stem.map(Ulid::from_string) else { continue };
        let bytes = match entry.metadata() {
            Ok(stat) if stat.is_file() => stat.len(),
            Ok(_) => continue,
            // It vanished since the listing, as whoever opens it will see.
            Err(_) => 0,
        };
        files.push(Listed { name, path: entry.path(), bytes });
    }
    files.sort_by_key(|file| file.name);
    Ok(files)
}

fn bytes(files: &[Listed]) -> u64 {
    files.iter().map(|file| file.bytes).sum()
}

fn try_lock(folder: &Path) -> io::Result<Option<Lock>> {
    lock::try_for(&folder.join("tidy.lock"), Duration::ZERO)
}

fn tidy_within(folder: &Path, limits: &Limits) -> io::Result<()> {
    let small =
        |files: &[Listed]| files.iter().filter(|file| file.bytes < limits.file_bytes).count();
    let files = list(folder)?;
    if small(&files) <= limits.files && bytes(&files) <= limits.bytes {
        return Ok(());
    }
    let Some(_lock) = try_lock(folder)? else { return Ok(()) };
    sweep(folder)?;
    // Listed again: another process may just have done the work.
    let files = list(folder)?;
    if small(&files) > limits.files {
        let files = files.into_iter().filter(|file| file.bytes < limits.file_bytes);
        merge(folder, files.collect(), limits)?;
    }
    let files = list(folder)?;
    let mut excess = bytes(&files).saturating_sub(limits.bytes);
    for file in files {
        if excess == 0 {
            break;
        }
        remove(&file.path)?;
        excess = excess.saturating_sub(file.bytes);
    }
    Ok(())
}

/// Makes one file per model out of many, as old as the newest of them. The old ones go when the
/// new one is there, so that a reader finds every vector at every moment.
fn merge(folder: &Path, files: Vec<Listed>, limits: &Limits) -> io::Result<()> {
    let mut models: BTreeMap<(String, usize), Vec<(Listed, Matrix)>> = BTreeMap::new();
    for file in files {
        if let Some(matrix) = open_intact(&file)? {
            let model = (matrix.fingerprint().to_owned(), matrix.dimension());
            models.entry(model).or_default().push((file, matrix));
        }
    }
    for ((fingerprint, dimension), files) in models {
        let [.., (newest, _)] = &files[..] else { continue };
        if files.len() > 1 {
            let time = newest.name.timestamp_ms();
            let rows = union(files.iter().map(|(_, matrix)| matrix)).map_err(changed)?;
            write(folder, time, &fingerprint, dimension, rows, limits)?;
            files.iter().try_for_each(|(file, _)| remove(&file.path))?;
        }
    }
    Ok(())
}

/// All vectors, each once, without those that disagree.
fn union<'m>(matrices: impl Iterator<Item = &'m Matrix>) -> Result<Vec<(Key, Encoded)>> {
    let mut agreed: BTreeMap<Key, Option<Encoded>> = BTreeMap::new();
    for matrix in matrices {
        for (key, vector) in matrix.find(|_, _| true)? {
            match agreed.get_mut(&key) {
                None => _ = agreed.insert(key, Some(vector)),
                Some(other) if other.as_ref() != Some(&vector) => *other = None,
                Some(_) => {}
            }
        }
    }
    Ok(agreed.into_iter().filter_map(|(key, vector)| Some((key, vector?))).collect())
}

/// Of a file that was found to be what was written.
fn changed(Malformed: Malformed) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "a file of the vector cache changed while it was read",
    )
}

/// A file that is what was written. A damaged one is removed; one that vanished or that belongs to
/// somebody else is passed over.
fn open_intact(file: &Listed) -> io::Result<Option<Matrix>> {
    match Matrix::open(&file.path) {
        Ok(matrix) if matrix.is_intact() => Ok(Some(matrix)),
        Ok(_) | Err(OpenError::Damaged { .. }) => remove(&file.path).map(|()| None),
        Err(OpenError::Io { .. }) => Ok(None),
    }
}

/// Writes vectors as files of that time, none of which holds more than fills one.
fn write(
    folder: &Path,
    time: u64,
    fingerprint: &str,
    dimension: usize,
    rows: Vec<(Key, Encoded)>,
    limits: &Limits,
) -> io::Result<()> {
    let rows: Vec<_> = rows.into_iter().map(|(key, vector)| (key, Some(vector))).collect();
    for rows in rows.chunks(rows_per_file(dimension, limits)) {
        let name = Ulid::from_parts(time, Ulid::new().random()).to_string().to_lowercase();
        let bytes = encode_matrix(fingerprint, dimension, rows);
        write_whole(&folder.join(name + SUFFIX), &bytes)?;
    }
    Ok(())
}

/// Rows that fill a file: key, scale and codes each.
fn rows_per_file(dimension: usize, limits: &Limits) -> usize {
    usize::try_from(limits.file_bytes).unwrap_or(usize::MAX).div_ceil(16 + 4 + dimension).max(1)
}

/// Removes what killed writers left.
fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(TEMPORARY_PREFIX));
        let abandoned = || {
            let modified = entry.metadata().and_then(|stat| stat.modified());
            modified.is_ok_and(|time| {
                SystemTime::now().duration_since(time).unwrap_or_default() > ABANDONED
            })
        };
        if ours && abandoned() {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    if_there(fs::remove_file(path)).map(drop)
}

#[cfg(test)]
mod tests;
