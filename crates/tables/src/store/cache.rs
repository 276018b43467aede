//! Files of tables that never change, kept on this machine as they are read.
//!
//! Owns which files these are (data and indexes, whose names are never given twice), their blocks below
//! one folder of the user's, and the cap on all of them. What says which files a table is of comes from
//! the store each time. A block is held against its checksum when a process first reads it; one that is
//! damaged is fetched anew.

use std::{
    collections::HashMap,
    fmt, fs,
    io::{self, Read as _, Seek as _, SeekFrom},
    ops::Range,
    path::PathBuf,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use elophanto_base::{
    beneath::Folder,
    whole::{PRIVATE, Synced, write_whole},
};
use futures::{StreamExt as _, stream, stream::BoxStream};
use lance_io::object_store::WrappingObjectStore;
use object_store::{
    CopyOptions, DynObjectStore, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, RenameOptions, Result, list::PaginatedListStore, path::Path,
};

use tempfile::TempDir;

use super::{Address, Kept, StoreError};

/// Folders of a table whose files are never written twice, how many of their bytes are fetched and kept
/// together, and from how many on what is asked for at once is not kept.
type Blocks = &'static [(&'static str, u64, u64)];
/// For whoever asks: of data single rows are read, of indexes whole parts.
const ASKING: Blocks = &[("data", 64 << 10, u64::MAX), ("_indices", 256 << 10, u64::MAX)];
/// For whoever folds: what is joined with an index is read from its beginning to its end, each piece after
/// the one before it.
const FOLDING: Blocks = &[("_indices", 1 << 20, u64::MAX), ("data", 256 << 10, 1 << 20)];
/// Most bytes that a fold keeps: who is killed leaves them behind.
const FOLDING_BYTES: u64 = 256 << 20;
/// Bytes of the size of a file.
const SIZE: u64 = 8;
/// Bytes of the checksum before those of a block.
const SUM: usize = 16;
/// How often it is noted that a block is in use.
const NOTED: Duration = Duration::from_secs(3_600);
/// Blocks and sizes of files that a process remembers having checked.
const MOST_CHECKED: usize = 1 << 18;
/// What is left of the cap after files were dropped, in percent.
const LEFT: u64 = 80;

/// Puts the cache before a store.
#[derive(Debug)]
pub(super) struct ReadThrough(Arc<Cache>);

impl ReadThrough {
    /// Keeps blocks of what is asked for at `address`.
    ///
    /// # Errors
    /// When there is no folder to keep them in.
    pub(super) fn of_questions(
        address: &Address,
        kept: Kept,
    ) -> std::result::Result<Self, StoreError> {
        Self::new(address, kept, ASKING, None)
    }

    /// Keeps blocks of the indexes that a fold joins with new ones, in a folder that goes with it.
    ///
    /// # Errors
    /// When there is no folder to keep them in.
    pub(super) fn of_folds(address: &Address) -> std::result::Result<Self, StoreError> {
        let failed = |cause| StoreError::Disk { path: address.to_string().into(), cause };
        let folder =
            tempfile::Builder::new().prefix("elophanto-fold-").tempdir().map_err(failed)?;
        let kept = Kept { folder: folder.path().to_owned(), most_bytes: FOLDING_BYTES };
        Self::new(address, kept, FOLDING, Some(folder))
    }

    fn new(
        address: &Address,
        kept: Kept,
        blocks: Blocks,
        passing: Option<TempDir>,
    ) -> std::result::Result<Self, StoreError> {
        let Kept { folder, most_bytes } = kept;
        let failed = |cause| StoreError::Disk { path: folder.clone(), cause };
        fs::create_dir_all(&folder).map_err(failed)?;
        let place = address.to_string();
        let (bytes, checked, sizes) = (OnceLock::new(), Mutex::default(), Mutex::default());
        Ok(Self(Arc::new(Cache {
            folder,
            most_bytes,
            place,
            blocks,
            bytes,
            checked,
            sizes,
            _passing: passing,
        })))
    }
}

impl WrappingObjectStore for ReadThrough {
    fn wrap(&self, _: &str, original: Arc<DynObjectStore>) -> Arc<DynObjectStore> {
        Arc::new(Cached { inner: original, cache: self.0.clone() })
    }

    fn wrap_paginated(
        &self,
        _: &str,
        original: Arc<dyn PaginatedListStore>,
    ) -> Option<Arc<dyn PaginatedListStore>> {
        Some(original)
    }
}

#[derive(Debug)]
struct Cache {
    folder: PathBuf,
    most_bytes: u64,
    place: String,
    blocks: Blocks,
    /// Of all that is kept, as far as this process knows, from when it first keeps something.
    bytes: OnceLock<AtomicU64>,
    /// The blocks that this process has held against their checksums, and when it noted their use.
    checked: Mutex<HashMap<PathBuf, Instant>>,
    /// Sizes of files.
    sizes: Mutex<HashMap<Path, u64>>,
    /// The folder, if it is removed with the last who reads through it.
    _passing: Option<TempDir>,
}

/// A file of the cache.
struct File {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

fn files(folder: &std::path::Path) -> Vec<File> {
    let folders = fs::read_dir(folder).into_iter().flatten().flatten();
    let inside = folders.flat_map(|entry| fs::read_dir(entry.path()).into_iter().flatten());
    let of = |entry: fs::DirEntry| {
        let meta = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        let used = meta.modified().ok()?;
        Some(File { path: entry.path(), bytes: meta.len(), used })
    };
    inside.flatten().filter_map(of).collect()
}

impl Cache {
    fn folder(&self, location: &Path) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.place.as_bytes()).update(b"\0").update(location.as_ref().as_bytes());
        self.folder.join(&hasher.finalize().to_hex()[..32])
    }

    /// Bytes of a block that has so many, if it is kept and sound.
    fn read(&self, location: &Path, name: &str, range: Range<u64>, whole: u64) -> Option<Bytes> {
        let path = self.folder(location).join(name);
        let known = || self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let noted = known().get(&path).copied();
        let read = match noted {
            Some(_) => part_of(&path, &range, whole),
            None => sound(&path, whole)
                .map(|block| block.slice(range.start as usize..range.end.min(whole) as usize)),
        };
        if read.is_none() {
            known().remove(&path);
        } else if noted.is_none_or(|noted| noted.elapsed() > NOTED) {
            // When it was used last is what it is dropped by; where that cannot be noted, a little too
            // early.
            let file = fs::File::open(&path);
            let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
            let mut known = known();
            if known.len() >= MOST_CHECKED {
                known.clear();
            }
            known.insert(path, Instant::now());
        }
        read
    }

    /// Keeps bytes; where that fails they are fetched again.
    fn keep(&self, location: &Path, name: &str, bytes: &[u8]) {
        let folder = self.folder(location);
        let mut whole = Vec::with_capacity(SUM + bytes.len());
        whole.extend_from_slice(&blake3::hash(bytes).as_bytes()[..SUM]);
        whole.extend_from_slice(bytes);
        let written = fs::create_dir_all(&folder)
            .and_then(|()| write_whole(&folder.join(name), &whole, PRIVATE, Synced::Nothing));
        if written.is_err() {
            return;
        }
        let mut is_counted = false;
        let all = self.bytes.get_or_init(|| {
            is_counted = true;
            AtomicU64::new(files(&self.folder).iter().map(|file| file.bytes).sum())
        });
        let more = if is_counted { 0 } else { whole.len() as u64 };
        if all.fetch_add(more, Ordering::Relaxed) + more > self.most_bytes {
            self.drop_oldest(all);
        }
    }

    /// Drops what was not used for the longest time.
    fn drop_oldest(&self, counted: &AtomicU64) {
        let mut files = files(&self.folder);
        files.sort_by_key(|file| file.used);
        let mut all: u64 = files.iter().map(|file| file.bytes).sum();
        for file in files {
            if all <= self.most_bytes / 100 * LEFT {
                break;
            }
            if fs::remove_file(&file.path).is_ok() {
                all -= file.bytes;
            }
        }
        counted.store(all, Ordering::Relaxed);
    }

    /// The size of a file, if that is known.
    fn size(&self, location: &Path) -> Option<u64> {
        let known = || self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(size) = known().get(location) {
            return Some(*size);
        }
        let size = self.read(location, "size", 0..SIZE, SIZE)?;
        let size = u64::from_le_bytes(size.as_ref().try_into().ok()?);
        self.learn_size(location, size);
        Some(size)
    }

    fn learn_size(&self, location: &Path, size: u64) {
        let mut known = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_CHECKED {
            known.clear();
        }
        known.insert(location.clone(), size);
    }
}

/// The file of a block of so many bytes: nothing else that may lie there is waited for or read.
fn opened(path: &std::path::Path, whole: u64) -> io::Result<fs::File> {
    let folder = Folder::open(path.parent().ok_or(io::ErrorKind::NotFound)?)?;
    let name = path.file_name().ok_or(io::ErrorKind::NotFound)?;
    let (file, metadata) = folder.read(std::path::Path::new(name))?;
    match metadata.len() == SUM as u64 + whole {
        true => Ok(file),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// A whole block of so many bytes, if it is what was kept.
fn sound(path: &std::path::Path, whole: u64) -> Option<Bytes> {
    let mut bytes = Vec::new();
    opened(path, whole).ok()?.take(SUM as u64 + whole).read_to_end(&mut bytes).ok()?;
    let (sum, rest) = bytes.split_at_checked(SUM)?;
    let is_it = rest.len() as u64 == whole && sum == &blake3::hash(rest).as_bytes()[..SUM];
    is_it.then(|| Bytes::from(bytes).slice(SUM..))
}

/// Part of a block of so many bytes that was found sound before.
fn part_of(path: &std::path::Path, range: &Range<u64>, whole: u64) -> Option<Bytes> {
    let read = || -> io::Result<Bytes> {
        let mut file = opened(path, whole)?;
        file.seek(SeekFrom::Start(SUM as u64 + range.start))?;
        let mut bytes = vec![0; (range.end.min(whole).saturating_sub(range.start)) as usize];
        file.read_exact(&mut bytes)?;
        Ok(Bytes::from(bytes))
    };
    read().ok()
}

/// A store with the cache before it.
#[derive(Debug)]
struct Cached {
    inner: Arc<DynObjectStore>,
    cache: Arc<Cache>,
}

impl Cached {
    /// The size of a file that never changes, as the store has it. Its last block comes with it: who asks
    /// for the size reads next what stands at the end.
    async fn size(&self, location: &Path, block: u64) -> Result<u64> {
        let options = |range| GetOptions { range, ..GetOptions::default() };
        let end = options(Some(GetRange::Suffix(block)));
        let got = match self.inner.get_opts(location, end).await {
            Err(cause @ object_store::Error::NotFound { .. }) => return Err(cause),
            // Azure has no ranges from the end, and some stores answer them in a way of their own.
            Err(_) => {
                let head = GetOptions { head: true, ..options(None) };
                let size = self.inner.get_opts(location, head).await?.meta.size;
                self.learn(location, size);
                return Ok(size);
            }
            Ok(got) => got,
        };
        let (size, start) = (got.meta.size, got.range.start);
        let fetched = got.bytes().await?;
        self.learn(location, size);
        let last = size.saturating_sub(1) / block;
        if let Some(bytes) = fetched.get((last * block).saturating_sub(start) as usize..) {
            self.cache.keep(location, &last.to_string(), bytes);
        }
        Ok(size)
    }

    /// Part of a file whose size is not known yet, in blocks of so many bytes, and the size.
    async fn first(
        &self,
        location: &Path,
        range: Range<u64>,
        block: u64,
    ) -> Result<(Bytes, Range<u64>, u64)> {
        let start = range.start / block * block;
        let blocks = GetRange::Bounded(start..range.end.div_ceil(block) * block);
        let options = GetOptions { range: Some(blocks), ..GetOptions::default() };
        let got = self.inner.get_opts(location, options).await?;
        let size = got.meta.size;
        let fetched = got.bytes().await?;
        self.learn(location, size);
        for (number, bytes) in (start / block..).zip(fetched.chunks(block as usize)) {
            self.cache.keep(location, &number.to_string(), bytes);
        }
        let range = range.start.min(size)..range.end.min(size);
        let part = fetched.get((range.start - start) as usize..(range.end - start) as usize);
        Ok((fetched.slice_ref(part.unwrap_or_default()), range, size))
    }

    fn learn(&self, location: &Path, size: u64) {
        self.cache.keep(location, "size", &size.to_le_bytes());
        self.cache.learn_size(location, size);
    }

    /// Part of a file that never changes, of this size, in blocks of so many bytes.
    async fn part(
        &self,
        location: &Path,
        range: Range<u64>,
        size: u64,
        block: u64,
    ) -> Result<Bytes> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let numbers = range.start / block..range.end.div_ceil(block);
        // What is wanted of a block.
        let within = |number: u64| {
            let start = number * block;
            range.start.max(start) - start..range.end.min(start + block) - start
        };
        let mut kept: Vec<Option<Bytes>> = numbers
            .clone()
            .map(|number| {
                let whole = block.min(size - number * block);
                self.cache.read(location, &number.to_string(), within(number), whole)
            })
            .collect();
        let is_missing = |block: &Option<Bytes>| block.is_none();
        let first = kept.iter().position(is_missing);
        let last = kept.iter().rposition(is_missing);
        if let (Some(first), Some(last)) = (first, last) {
            let start = (numbers.start + first as u64) * block;
            let end = size.min((numbers.start + last as u64 + 1) * block);
            let range = GetRange::Bounded(start..end);
            let options = GetOptions { range: Some(range), ..GetOptions::default() };
            let fetched = self.inner.get_opts(location, options).await?.bytes().await?;
            let blocks = (start / block..).zip(fetched.chunks(block as usize));
            for ((number, bytes), kept) in blocks.zip(&mut kept[first..]) {
                self.cache.keep(location, &number.to_string(), bytes);
                let Range { start, end } = within(number);
                let end = bytes.len().min(end as usize);
                let part = bytes.get(start as usize..end).unwrap_or_default();
                *kept = Some(fetched.slice_ref(part));
            }
        }
        if let [Some(only)] = kept.as_slice() {
            return Ok(only.clone());
        }
        let mut all = BytesMut::with_capacity((range.end - range.start) as usize);
        kept.into_iter().flatten().for_each(|part| all.extend_from_slice(&part));
        Ok(all.freeze())
    }
}

/// Of a file below whose name nothing is ever written again, how many of its bytes are kept together, and
/// from how many on none.
fn block_of(blocks: Blocks, location: &Path) -> Option<(u64, u64)> {
    let mut parts = location.parts().skip_while(|part| !part.as_ref().ends_with(".lance")).skip(1);
    let folder = parts.next()?;
    let found = blocks.iter().find(|(name, ..)| *name == folder.as_ref());
    found.map(|(_, block, most)| (*block, *most))
}

#[async_trait]
impl ObjectStore for Cached {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let is_plain = options.if_match.is_none()
            && options.if_none_match.is_none()
            && options.if_modified_since.is_none()
            && options.if_unmodified_since.is_none()
            && options.version.is_none();
        let asked = match &options.range {
            Some(GetRange::Bounded(range)) => range.end.saturating_sub(range.start),
            _ => 0,
        };
        let known = block_of(self.cache.blocks, location);
        let Some((block, _)) = known.filter(|(_, most)| is_plain && asked <= *most) else {
            return self.inner.get_opts(location, options).await;
        };
        let (bytes, range, size) = match (&options.range, self.cache.size(location)) {
            (Some(GetRange::Bounded(range)), None) if !options.head && !range.is_empty() => {
                self.first(location, range.clone(), block).await?
            }
            (wanted, known) => {
                let size = match known {
                    Some(size) => size,
                    None => self.size(location, block).await?,
                };
                let range = match wanted {
                    _ if options.head => 0..0,
                    None => 0..size,
                    Some(range) => range.as_range(size).map_err(|cause| {
                        let source = Box::new(cause);
                        object_store::Error::Generic { store: "cache", source }
                    })?,
                };
                (self.part(location, range.clone(), size, block).await?, range, size)
            }
        };
        Ok(GetResult {
            payload: GetResultPayload::Stream(stream::once(async { Ok(bytes) }).boxed()),
            meta: ObjectMeta {
                location: location.clone(),
                last_modified: Default::default(),
                size,
                e_tag: None,
                version: None,
            },
            range,
            attributes: Default::default(),
            extensions: Default::default(),
        })
    }

    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let written = payload.clone();
        let put = self.inner.put_opts(location, payload, options).await?;
        // What was just written is read next, to be indexed.
        if let Some((block, _)) = block_of(self.cache.blocks, location) {
            let bytes = Bytes::from(written);
            self.learn(location, bytes.len() as u64);
            for (number, block) in bytes.chunks(block as usize).enumerate() {
                self.cache.keep(location, &number.to_string(), block);
            }
        }
        Ok(put)
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.inner.rename_opts(from, to, options).await
    }
}

impl fmt::Display for Cached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (kept on this machine)", self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_indexes_never_change() {
        for (path, expected) in [
            ("kb/chunks-1.lance/data/a.lance", true),
            ("chunks-1.lance/_indices/u/part.idx", true),
            ("kb/chunks-1.lance/_versions/1.manifest", false),
            ("kb/chunks-1.lance/_deletions/1.arrow", false),
            ("kb/inbox/data/1-2-3.arrow", false),
            ("data/x", false),
        ] {
            assert_eq!(block_of(ASKING, &Path::from(path)).is_some(), expected, "{path}");
        }
    }
}
