//! The vector cache: what was embedded on this machine, shared by all work trees of a repository.
//!
//! A folder of write-once files `<ulid>.vec` in the format of [`super::matrix`], any number per
//! model. Whoever embedded something adds a file under a new name, so adding takes no lock; files
//! are merged and removed under one that nobody waits for. Like everything local it may vanish at
//! any time and costs only time then, so reading and adding never fail. It knows no notes: which
//! vectors are still of use is for the caller to say. A future format takes another file ending,
//! so that two versions of the program can share the folder.

use std::{
    collections::{BTreeMap, btree_map},
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustc_hash::{FxHashMap, FxHashSet};
use ulid::Ulid;

use super::{
    container::{OpenError, write_whole},
    lock::{self, Lock},
    matrix::{Encoded, Key, Matrix, encode_matrix},
};

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
            let Ok(rows) = matrix.find(wanted) else {
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
        let rows: Vec<_> = std::mem::take(&mut self.added)
            .into_iter()
            .map(|(key, vector)| (key, Some(vector)))
            .collect();
        self.wrote = true;
        let time = Ulid::new().timestamp_ms();
        let _ = write(&self.folder, time, &self.fingerprint, self.dimension, &rows, &LIMITS);
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
                    Err(OpenError::Io { cause, .. }) => {
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
        let rows = (0..matrix.rows()).map(|row| (matrix.key(row), matrix.vector(row)));
        let kept: Vec<_> = rows.filter(|(key, _)| keep(key)).collect();
        if kept.len() < matrix.rows() {
            gone += matrix.rows() - kept.len();
            let time = file.name.timestamp_ms();
            write(folder, time, matrix.fingerprint(), matrix.dimension(), &kept, &LIMITS)?;
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
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(cause),
    };
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
            let rows = union(files.iter().map(|(_, matrix)| matrix));
            write(folder, time, &fingerprint, dimension, &rows, limits)?;
            files.iter().try_for_each(|(file, _)| remove(&file.path))?;
        }
    }
    Ok(())
}

/// All vectors, each once, without those that disagree.
fn union<'m>(matrices: impl Iterator<Item = &'m Matrix>) -> Vec<(Key, Option<Encoded>)> {
    let mut agreed: BTreeMap<Key, Option<Encoded>> = BTreeMap::new();
    for matrix in matrices {
        for row in 0..matrix.rows() {
            let vector = matrix.vector(row);
            match agreed.entry(matrix.key(row)) {
                btree_map::Entry::Vacant(place) => {
                    place.insert(vector);
                }
                btree_map::Entry::Occupied(mut place) => {
                    if *place.get() != vector {
                        place.insert(None);
                    }
                }
            }
        }
    }
    agreed.into_iter().filter(|(_, vector)| vector.is_some()).collect()
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
    rows: &[(Key, Option<Encoded>)],
    limits: &Limits,
) -> io::Result<()> {
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
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MODEL: &str = "test";
    const DIMENSION: usize = 4;
    const FEW: Limits = Limits { files: 0, file_bytes: 1 << 20, bytes: 1 << 20 };

    fn key(number: u8) -> Key {
        [number; 16]
    }

    /// A unit vector that says what it is.
    fn vector(variant: u8) -> Encoded {
        let angle = f32::from(variant) / 100.0;
        Encoded::new(&[angle.cos(), angle.sin(), 0.0, 0.0])
    }

    fn cache(folder: &Path) -> Cache {
        Cache::new(folder.to_owned(), MODEL, DIMENSION)
    }

    /// What a run does that embeds keys as the vectors named beside them.
    fn run(folder: &Path, rows: &[(u8, u8)]) {
        let mut cache = cache(folder);
        rows.iter().for_each(|&(number, variant)| cache.add(key(number), vector(variant)));
        assert_eq!(cache.close(), [""; 0].map(PathBuf::from));
    }

    fn find(folder: &Path, wanted: impl IntoIterator<Item = u8>) -> BTreeMap<Key, Encoded> {
        let wanted = wanted.into_iter().map(key).collect();
        cache(folder).vectors(&wanted).into_iter().collect()
    }

    fn check(folder: &Path, expected: &[(u8, u8)]) {
        let expected: BTreeMap<Key, Encoded> =
            expected.iter().map(|&(number, variant)| (key(number), vector(variant))).collect();
        assert!(find(folder, 0..=255) == expected);
    }

    fn paths(folder: &Path) -> Vec<PathBuf> {
        list(folder).unwrap().into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn what_one_run_adds_the_next_finds() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("vectors");
        check(&folder, &[]);
        run(&folder, &[]);
        assert!(!folder.exists(), "nothing to write, nothing written");
        run(&folder, &[(1, 1), (2, 2), (1, 7)]);
        run(&folder, &[(3, 3)]);
        check(&folder, &[(1, 1), (2, 2), (3, 3)]);
        assert_eq!(find(&folder, [3, 9]).len(), 1);
        assert_eq!(size(&folder).unwrap().files, 2);
        let mut idle = cache(&folder);
        assert!(idle.vectors(&FxHashSet::default()).is_empty());
        assert!(idle.files.is_none(), "nothing wanted, nothing opened");
    }

    #[test]
    fn other_models_are_kept_apart() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for (fingerprint, dimension) in [("other", DIMENSION), (MODEL, 2)] {
            let mut other = Cache::new(folder.to_owned(), fingerprint, dimension);
            other.add(key(1), Encoded { scale: 1.0, codes: vec![1; dimension] });
            other.close();
        }
        run(folder, &[(1, 1)]);
        run(folder, &[(2, 2)]);
        tidy_within(folder, &FEW).unwrap();
        assert_eq!(paths(folder).len(), 3, "one of each model");
        check(folder, &[(1, 1), (2, 2)]);
        let mut other = Cache::new(folder.to_owned(), "other", DIMENSION);
        assert_eq!(other.vectors(&FxHashSet::from_iter([key(1), key(2)])).len(), 1);
    }

    #[test]
    fn of_two_different_vectors_neither_counts() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        run(folder, &[(1, 1), (2, 2)]);
        run(folder, &[(1, 9), (3, 3)]);
        check(folder, &[(2, 2), (3, 3)]);
        // The run that noticed embeds it once more, and then it counts.
        let mut cache = cache(folder);
        assert!(cache.vectors(&FxHashSet::from_iter([key(1)])).is_empty());
        cache.add(key(1), vector(5));
        assert!(cache.close().is_empty());
        check(folder, &[(1, 5), (2, 2), (3, 3)]);
    }

    #[test]
    fn damage_is_told_once_and_removed() {
        for position in ["head", "keys", "codes", "cut", "empty"] {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            run(folder, &[(1, 1), (2, 2)]);
            let path = paths(folder).remove(0);
            run(folder, &[(3, 3)]);
            let mut bytes = fs::read(&path).unwrap();
            let length = bytes.len();
            match position {
                "head" => bytes[0] ^= 1,
                "keys" => {
                    let at = bytes.windows(16).position(|window| window == key(2)).unwrap();
                    bytes[at] ^= 1;
                }
                "codes" => bytes[length - 1] ^= 1,
                "cut" => bytes.truncate(length / 2),
                _ => bytes.clear(),
            }
            fs::write(&path, bytes).unwrap();
            let mut cache = cache(folder);
            let wanted: FxHashSet<Key> = [1, 2, 3].map(key).into_iter().collect();
            for _ in 0..2 {
                let found = cache.vectors(&wanted);
                assert_eq!(found.keys().collect::<Vec<_>>(), [&key(3)], "{position}");
            }
            assert_eq!(cache.close(), std::slice::from_ref(&path), "{position}");
            assert!(!path.exists(), "{position}");
            check(folder, &[(3, 3)]);
        }
    }

    #[test]
    fn many_files_become_one() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut expected = Vec::new();
        for number in 0..LIMITS.files as u8 {
            run(folder, &[(number, number), (200, 1)]);
            expected.push((number, number));
        }
        expected.push((200, 1));
        assert_eq!(paths(folder).len(), LIMITS.files);
        let before = size(folder).unwrap().bytes;
        let mut early = cache(folder);
        assert_eq!(early.vectors(&FxHashSet::from_iter([key(0)])).len(), 1);
        fs::write(folder.join("notes.txt"), "not ours").unwrap();
        fs::write(folder.join(".tmp-young"), "of a writer at work").unwrap();
        run(folder, &[(201, 1)]);
        expected.push((201, 1));
        check(folder, &expected);
        let after = size(folder).unwrap();
        assert!(after.files == 1 && after.bytes < before, "{after:?}");
        assert!(folder.join("notes.txt").exists() && folder.join(".tmp-young").exists());
        // Who had them open goes on undisturbed.
        assert_eq!(early.vectors(&FxHashSet::from_iter([key(7)])).len(), 1);
    }

    #[test]
    fn what_killed_writers_left_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        run(folder, &[(1, 1)]);
        let left = folder.join(".tmp-left");
        fs::write(&left, "half").unwrap();
        let long_ago = SystemTime::now() - ABANDONED * 2;
        fs::File::options().write(true).open(&left).unwrap().set_modified(long_ago).unwrap();
        tidy_within(folder, &FEW).unwrap();
        assert!(!left.exists());
        check(folder, &[(1, 1)]);
    }

    #[test]
    fn the_oldest_go_when_there_is_too_much() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let row = |number| [(key(number), Some(vector(number)))];
        for number in [3, 1, 2] {
            write(folder, number.into(), MODEL, DIMENSION, &row(number), &LIMITS).unwrap();
        }
        let one = size(folder).unwrap().bytes / 3;
        for (bytes, expected) in [
            (3 * one, &[(1, 1), (2, 2), (3, 3)][..]),
            (3 * one - 1, &[(2, 2), (3, 3)]),
            (one, &[(3, 3)]),
            (0, &[]),
        ] {
            tidy_within(folder, &Limits { files: 16, file_bytes: 1 << 20, bytes }).unwrap();
            check(folder, expected);
        }
    }

    #[test]
    fn full_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let limits = Limits { files: 1, file_bytes: 200 * (20 + DIMENSION as u64), bytes: 1 << 20 };
        let add = |time, numbers: std::ops::Range<u8>| {
            let rows: Vec<_> = numbers.map(|number| (key(number), Some(vector(number)))).collect();
            write(folder, time, MODEL, DIMENSION, &rows, &limits).unwrap();
        };
        add(1, 0..250);
        let full: Vec<Listed> =
            list(folder).unwrap().into_iter().filter(|f| f.bytes >= limits.file_bytes).collect();
        assert_eq!((full.len(), paths(folder).len()), (1, 2), "200 rows fill a file");
        add(2, 250..255);
        tidy_within(folder, &limits).unwrap();
        assert!(full[0].path.exists());
        assert_eq!(paths(folder).len(), 2, "the two others were merged");
        check(folder, &(0..255).map(|number| (number, number)).collect::<Vec<_>>());
    }

    #[test]
    fn pruning_keeps_what_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert_eq!(prune(folder, |_| false).unwrap(), Some(0));
        run(folder, &[(4, 4)]);
        let untouched = paths(folder).remove(0);
        run(folder, &[(1, 1), (2, 2), (3, 3)]);
        assert_eq!(prune(folder, |key| key[0] != 2).unwrap(), Some(1));
        assert!(untouched.exists());
        check(folder, &[(1, 1), (3, 3), (4, 4)]);
        assert_eq!(prune(folder, |_| false).unwrap(), Some(3));
        assert_eq!(size(folder).unwrap(), Size::default());
    }

    #[test]
    fn nobody_waits_for_who_tidies() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        run(folder, &[(1, 1)]);
        run(folder, &[(2, 2)]);
        let lock = try_lock(folder).unwrap().unwrap();
        tidy_within(folder, &FEW).unwrap();
        assert_eq!(prune(folder, |_| false).unwrap(), None);
        assert_eq!(paths(folder).len(), 2);
        run(folder, &[(3, 3)]);
        check(folder, &[(1, 1), (2, 2), (3, 3)]);
        drop(lock);
        tidy_within(folder, &FEW).unwrap();
        assert_eq!(paths(folder).len(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_is_silent() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "in the way").unwrap();
        for folder in [file.clone(), file.join("below")] {
            run(&folder, &[(1, 1)]);
            check(&folder, &[]);
        }
        assert_eq!(fs::read(file).unwrap(), b"in the way");
    }

    #[test]
    fn nothing_is_missed_while_others_merge() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        run(folder, &[(1, 1)]);
        std::thread::scope(|scope| {
            let writers: Vec<_> = (2..6)
                .map(|writer: u8| {
                    scope.spawn(move || {
                        for round in 0..25 {
                            run(folder, &[(writer * 30 + round, round)]);
                            tidy_within(folder, &FEW).unwrap();
                        }
                    })
                })
                .collect();
            let mut rounds = 0;
            while rounds < 50 || !writers.iter().all(|writer| writer.is_finished()) {
                let mut cache = cache(folder);
                assert_eq!(cache.vectors(&FxHashSet::from_iter([key(1)])).len(), 1);
                assert!(cache.close().is_empty());
                rounds += 1;
            }
        });
        let rows = (2..6).flat_map(|writer| (0..25).map(move |round| (writer * 30 + round, round)));
        check(folder, &rows.chain([(1, 1)]).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn tidying_changes_no_answer(
            runs in prop::collection::vec(prop::collection::vec((0u8..12, 0u8..2), 1..6), 1..8),
            most in 0usize..6,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let mut known: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
            for rows in &runs {
                // Within a run the first vector of a key is the one.
                let rows: BTreeMap<u8, u8> = rows.iter().rev().copied().collect();
                run(folder, &rows.iter().map(|(&key, &variant)| (key, variant)).collect::<Vec<_>>());
                rows.iter().for_each(|(&key, &variant)| known.entry(key).or_default().push(variant));
            }
            let expected: BTreeMap<Key, Encoded> = known
                .iter()
                .filter(|(_, variants)| variants.iter().all(|variant| variant == &variants[0]))
                .map(|(&number, variants)| (key(number), vector(variants[0])))
                .collect();
            prop_assert_eq!(find(folder, 0..12), expected.clone());
            tidy_within(folder, &Limits { files: most, ..FEW }).unwrap();
            prop_assert_eq!(find(folder, 0..12), expected);
            prop_assert!(paths(folder).len() <= most.max(1));
        }
    }
}
