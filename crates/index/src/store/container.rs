//! A write-once file of numbered sections, each with its checksum.
//!
//! Layout: magic (8 bytes), number of sections (u32), per section offset (u64), length (u64) and
//! checksum (u64), checksum of all that (u64), then the sections, each aligned to 64 bytes.
//! A section whose checksum is zero guards its parts itself (see `segment` and `matrix`).

use std::{
    io::{self, Read},
    ops::{Deref, Range},
    path::{Path, PathBuf},
};

use super::{
    codec::{Malformed, Reader, Result, Writer, checksum},
    lock::make_folder,
};
use elophanto_base::{
    regular,
    whole::{self, PRIVATE, Synced},
};

const ALIGNMENT: usize = 64;

/// The bytes of a file, mapped or in memory (for what cannot be or need not be written).
pub enum Bytes {
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// An opened container.
pub struct Container {
    bytes: Bytes,
    sections: Vec<Range<usize>>,
}

/// Why a local file cannot be used. Always mended by building it anew.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot open `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{}` is damaged", path.display())]
    Damaged { path: PathBuf },
}

/// One section to be written.
pub struct Section<'s> {
    pub bytes: &'s [u8],
    /// Whether the whole section is checked when the file is opened.
    pub checked: bool,
}

/// The file's bytes for these sections.
pub fn assemble(magic: &[u8; 8], sections: &[Section]) -> Vec<u8> {
    let header = 8 + 4 + sections.len() * 24 + 8;
    let mut head = Writer::default();
    head.bytes.extend_from_slice(magic);
    head.u32(sections.len() as u32);
    let mut offset = header.next_multiple_of(ALIGNMENT);
    for section in sections {
        head.u64(offset as u64);
        head.u64(section.bytes.len() as u64);
        head.u64(if section.checked { checksum(section.bytes).max(1) } else { 0 });
        offset = (offset + section.bytes.len()).next_multiple_of(ALIGNMENT);
    }
    let sum = checksum(&head.bytes);
    head.u64(sum);
    let mut file = head.bytes;
    file.reserve_exact(offset - file.len());
    for section in sections {
        file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
        file.extend_from_slice(section.bytes);
    }
    file
}

impl Container {
    /// Maps a file and checks its header and every checked section.
    pub fn open(path: &Path, magic: &[u8; 8]) -> Result<Self, OpenError> {
        let map =
            map(path).map_err(|cause| OpenError::Io { path: path.to_owned(), source: cause })?;
        Self::check(Bytes::Mapped(map), magic)
            .map_err(|Malformed| OpenError::Damaged { path: path.to_owned() })
    }

    /// Takes bytes that were just assembled.
    pub fn in_memory(bytes: Vec<u8>, magic: &[u8; 8]) -> Result<Self> {
        Self::check(Bytes::Owned(bytes), magic)
    }

    fn check(bytes: Bytes, magic: &[u8; 8]) -> Result<Self> {
        let mut reader = Reader::new(&bytes);
        if reader.take(8)? != magic {
            return Err(Malformed);
        }
        let count = reader.u32()? as usize;
        if count > 64 {
            return Err(Malformed);
        }
        let mut sections = Vec::with_capacity(count);
        let mut sums = Vec::with_capacity(count);
        for _ in 0..count {
            let start = usize::try_from(reader.u64()?).map_err(|_| Malformed)?;
            let length = usize::try_from(reader.u64()?).map_err(|_| Malformed)?;
            let end = start.checked_add(length).ok_or(Malformed)?;
            sections.push(start..end);
            sums.push(reader.u64()?);
        }
        let head = bytes.get(..8 + 4 + count * 24).ok_or(Malformed)?;
        if reader.u64()? != checksum(head) {
            return Err(Malformed);
        }
        for (range, &sum) in sections.iter().zip(&sums) {
            let section = bytes.get(range.clone()).ok_or(Malformed)?;
            if sum != 0 && checksum(section).max(1) != sum {
                return Err(Malformed);
            }
        }
        Ok(Self { bytes, sections })
    }

    /// The bytes of a section; empty if the file has no such section.
    pub fn section(&self, index: usize) -> &[u8] {
        self.sections.get(index).map_or(&[], |range| &self.bytes[range.clone()])
    }

    /// Size of the whole file in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

/// The bytes of a write-once file of ours, mapped.
pub fn map(path: &Path) -> io::Result<memmap2::Mmap> {
    let file = regular::open(path)?;
    // SAFETY: these files are written once under a temporary name, renamed into place and only ever unlinked
    // by us, so the mapping never shrinks or changes under the slice. A foreign program that truncates files
    // inside the git directory is outside what any reader of mapped files (git's own packs included) can
    // withstand.
    unsafe { memmap2::Mmap::map(&file) }
}

/// The bytes of a file of ours.
pub fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    regular::open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file of ours as a whole or not at all, and makes its folder. Not synced: a torn file fails its checksum and is built again.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    whole::write_whole(path, bytes, PRIVATE, Synced::Nothing)
}
