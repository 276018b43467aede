//! Files of tables that never change, kept on this machine as they are read.
//!
//! Owns which files these are (data and indexes, whose names are never given twice), their blocks below
//! one folder of the user's, and the cap on all of them. What says which files a table is of comes from
//! the store each time. A block that is damaged is read anew.

use std::{
    fmt, fs,
    ops::Range,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use elophanto_base::whole::{PRIVATE, Synced, write_whole};
use futures::{StreamExt as _, stream, stream::BoxStream};
use lance_io::object_store::WrappingObjectStore;
use object_store::{
    CopyOptions, DynObjectStore, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, RenameOptions, Result, list::PaginatedListStore, path::Path,
};

use super::{Address, Kept, StoreError};

/// Bytes that are fetched and kept together.
const BLOCK: u64 = 256 << 10;
/// Bytes of the checksum before those of a block.
const SUM: usize = 16;
/// Folders of a table whose files are never written twice.
const IMMUTABLE: [&str; 2] = ["data", "_indices"];
/// What is left of the cap after files were dropped, in percent.
const LEFT: u64 = 80;

/// Puts the cache before a store.
#[derive(Debug)]
pub(super) struct ReadThrough(Arc<Cache>);

impl ReadThrough {
    /// Keeps blocks of the files at `address`.
    ///
    /// # Errors
    /// When there is no folder to keep them in.
    pub(super) fn new(address: &Address, kept: Kept) -> std::result::Result<Self, StoreError> {
        let Kept { folder, most_bytes } = kept;
        let failed = |cause| StoreError::Disk { path: folder.clone(), cause };
        fs::create_dir_all(&folder).map_err(failed)?;
        let bytes = AtomicU64::new(files(&folder).iter().map(|file| file.bytes).sum());
        let place = address.to_string();
        Ok(Self(Arc::new(Cache { folder, most_bytes, place, bytes })))
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
    /// Of all that is kept, as far as this process knows.
    bytes: AtomicU64,
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

    fn read(&self, location: &Path, name: &str) -> Option<Bytes> {
        let path = self.folder(location).join(name);
        let bytes = fs::read(&path).ok()?;
        let (sum, rest) = bytes.split_at_checked(SUM)?;
        if sum != &blake3::hash(rest).as_bytes()[..SUM] {
            return None;
        }
        // When it was used last is what it is dropped by; where that cannot be noted, a little too
        // early.
        let _ = fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(Bytes::from(bytes).slice(SUM..))
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
        let all = self.bytes.fetch_add(whole.len() as u64, Ordering::Relaxed) + whole.len() as u64;
        if all > self.most_bytes {
            self.drop_oldest();
        }
    }

    /// Drops what was not used for the longest time.
    fn drop_oldest(&self) {
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
        self.bytes.store(all, Ordering::Relaxed);
    }

    fn size(&self, location: &Path) -> Option<u64> {
        Some(u64::from_le_bytes(self.read(location, "size")?.as_ref().try_into().ok()?))
    }
}

/// A store with the cache before it.
#[derive(Debug)]
struct Cached {
    inner: Arc<DynObjectStore>,
    cache: Arc<Cache>,
}

impl Cached {
    /// The size of a file that never changes.
    async fn size(&self, location: &Path) -> Result<u64> {
        if let Some(size) = self.cache.size(location) {
            return Ok(size);
        }
        let options = GetOptions { head: true, ..GetOptions::default() };
        let size = self.inner.get_opts(location, options).await?.meta.size;
        self.cache.keep(location, "size", &size.to_le_bytes());
        Ok(size)
    }

    /// Part of a file that never changes, of this size.
    async fn part(&self, location: &Path, range: Range<u64>, size: u64) -> Result<Bytes> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let numbers = range.start / BLOCK..range.end.div_ceil(BLOCK);
        let kept: Vec<Option<Bytes>> = numbers
            .clone()
            .map(|number| {
                let expected = BLOCK.min(size - number * BLOCK);
                let block = self.cache.read(location, &number.to_string());
                block.filter(|block| block.len() as u64 == expected)
            })
            .collect();
        let is_missing = |block: &Option<Bytes>| block.is_none();
        let first = kept.iter().position(is_missing);
        let last = kept.iter().rposition(is_missing);
        let mut fetched = Bytes::new();
        if let (Some(first), Some(last)) = (first, last) {
            let start = (numbers.start + first as u64) * BLOCK;
            let end = size.min((numbers.start + last as u64 + 1) * BLOCK);
            let range = GetRange::Bounded(start..end);
            let options = GetOptions { range: Some(range), ..GetOptions::default() };
            fetched = self.inner.get_opts(location, options).await?.bytes().await?;
            for (number, block) in (start / BLOCK..).zip(fetched.chunks(BLOCK as usize)) {
                self.cache.keep(location, &number.to_string(), block);
            }
        }
        let mut all = BytesMut::new();
        for (index, block) in kept.into_iter().enumerate() {
            let of_fetched = || {
                let at = (index - first.unwrap_or(index)) * BLOCK as usize;
                fetched.slice(at.min(fetched.len())..fetched.len().min(at + BLOCK as usize))
            };
            all.extend_from_slice(&block.unwrap_or_else(of_fetched));
        }
        let skip = (range.start - numbers.start * BLOCK) as usize;
        let length = (range.end - range.start) as usize;
        let all = all.freeze();
        let end = (skip + length).min(all.len());
        Ok(all.slice(skip.min(end)..end))
    }
}

/// Whether nothing is ever written under this name again.
fn is_immutable(location: &Path) -> bool {
    let mut parts = location.parts().skip_while(|part| !part.as_ref().ends_with(".lance")).skip(1);
    parts.next().is_some_and(|part| IMMUTABLE.contains(&part.as_ref()))
}

#[async_trait]
impl ObjectStore for Cached {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let is_plain = options.if_match.is_none()
            && options.if_none_match.is_none()
            && options.if_modified_since.is_none()
            && options.if_unmodified_since.is_none()
            && options.version.is_none();
        if !is_plain || !is_immutable(location) {
            return self.inner.get_opts(location, options).await;
        }
        let size = self.size(location).await?;
        let range = match &options.range {
            _ if options.head => 0..0,
            None => 0..size,
            Some(range) => range.as_range(size).map_err(|cause| object_store::Error::Generic {
                store: "cache",
                source: Box::new(cause),
            })?,
        };
        let bytes = self.part(location, range.clone(), size).await?;
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
        self.inner.put_opts(location, payload, options).await
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
            assert_eq!(is_immutable(&Path::from(path)), expected, "{path}");
        }
    }
}
