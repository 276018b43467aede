//! A small file of lines in the user's own folder, which no repository may write.
//!
//! Owns where such a file lies, whose it must be, how large it gets, and that it is replaced as a
//! whole. What a line says is the business of its [`Record`]; lines that can't be read are kept as
//! they are, for a later version may have written them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::layers::{absent, user_folder};
use elophanto_base::{
    platform,
    regular::{open_or_make, read_capped, unwaiting},
    whole::{PRIVATE, Synced, write_whole},
};

/// Largest file, in bytes: many thousands of lines.
pub const MAX_STORE_BYTES: u64 = 1 << 20;

/// A file of the user's own can't be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Neither variable names a folder.
    #[error("no folder for the {store}: neither XDG_CONFIG_HOME nor HOME is an absolute path")]
    NoHome {
        /// What is kept in it.
        store: &'static str,
    },
    /// Whoever writes the repository could write the store.
    #[error("the {store} `{}` lies in the repository that it would judge", path.display())]
    Within {
        /// What is kept in it.
        store: &'static str,
        /// The file, or the folder that it lies in.
        path: PathBuf,
    },
    /// Somebody else may have written it.
    #[error("`{}` may be written by others than its owner", path.display())]
    Shared {
        /// The file, or the folder that it lies in.
        path: PathBuf,
    },
    /// More than any user says.
    #[error("`{}` is larger than {cap} bytes", path.display())]
    TooLarge {
        /// The file, or the folder that it lies in.
        path: PathBuf,
        /// Bytes of it that would be read.
        cap: u64,
    },
    /// A folder, a pipe or a device.
    #[error("`{}` is not a regular file", path.display())]
    NoFile {
        /// The file, or the folder that it lies in.
        path: PathBuf,
    },
    /// It can't be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file, or the folder that it lies in.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It can't be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file, or the folder that it lies in.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What one line says.
pub trait Record: Sized {
    /// What people call the file.
    const STORE: &'static str;
    /// Its name.
    const FILE: &'static str;

    /// The line without its end.
    fn to_line(&self) -> String;

    /// What a line says, if it can be read.
    fn from_line(line: &[u8]) -> Option<Self>;
}

/// A store as it was read.
#[derive(Debug)]
pub struct Store<R> {
    path: PathBuf,
    lines: Vec<Line<R>>,
}

/// A line as it stands in the file, and what it says.
#[derive(Debug)]
struct Line<R> {
    bytes: Vec<u8>,
    record: Option<R>,
}

impl<R: Record> Store<R> {
    /// The store beside the settings of the user whose variables these are. One that does not
    /// exist is empty.
    ///
    /// # Errors
    /// When there is no place for it, or what is there can't be relied on.
    pub fn open(variables: &BTreeMap<String, String>) -> Result<Self, StoreError> {
        let folder = user_folder(variables).ok_or(StoreError::NoHome { store: R::STORE })?;
        let path = folder.join(R::FILE);
        let lines = read_lines(&path)?;
        Ok(Self { path, lines })
    }

    /// The store, to judge or change what is said of the repository at `root`.
    ///
    /// # Errors
    /// Those of [`Store::open`], and when the repository holds the store itself.
    pub fn open_for(root: &Path, variables: &BTreeMap<String, String>) -> Result<Self, StoreError> {
        let store = Self::open(variables)?;
        let root = canonical(root);
        // The file may be a link: it, and the folder that it is written to, must lie outside.
        let places = [store.path.as_path(), store.folder()];
        if places.into_iter().any(|place| canonical(place).starts_with(&root)) {
            return Err(StoreError::Within { store: R::STORE, path: store.path });
        }
        Ok(store)
    }

    /// What all readable lines say, oldest first.
    pub fn entries(&self) -> impl Iterator<Item = &R> {
        self.lines.iter().filter_map(|line| line.record.as_ref())
    }

    /// Adds lines for those that are the `same` as none there, and removes those that one of them
    /// `replaces`; returns how many were added.
    ///
    /// # Errors
    /// When the store can't be written; it is then as it was.
    pub(super) fn put(
        &self,
        records: Vec<R>,
        same: impl Fn(&R, &R) -> bool,
        replaces: impl Fn(&R, &R) -> bool,
    ) -> Result<usize, StoreError> {
        self.change(|lines| {
            let mut added = 0;
            for record in records {
                let is_it = |line: &Line<R>| line.record.as_ref().is_some_and(|r| same(r, &record));
                if lines.iter().any(is_it) {
                    continue;
                }
                lines.retain(|line| line.record.as_ref().is_none_or(|r| !replaces(&record, r)));
                lines.push(Line { bytes: record.to_line().into_bytes(), record: Some(record) });
                added += 1;
            }
            (added, added > 0)
        })
    }

    /// Removes all lines of which this holds; returns how many there were.
    ///
    /// # Errors
    /// When the store can't be written; it is then as it was.
    pub(super) fn remove(&self, gone: impl Fn(&R) -> bool) -> Result<usize, StoreError> {
        self.change(|lines| {
            let before = lines.len();
            lines.retain(|line| line.record.as_ref().is_none_or(|record| !gone(record)));
            let count = before - lines.len();
            (count, count > 0)
        })
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// Reads the store anew under a lock, so that two who change it at once lose nothing, and
    /// replaces it as a whole if `edit` says that it changed.
    fn change<T>(
        &self,
        edit: impl FnOnce(&mut Vec<Line<R>>) -> (T, bool),
    ) -> Result<T, StoreError> {
        let folder = self.folder();
        let failed = |cause| StoreError::Write { path: self.path.clone(), source: cause };
        platform::make_folders(folder, platform::PRIVATE_FOLDER).map_err(failed)?;
        if is_shared(folder).map_err(failed)? {
            return Err(StoreError::Shared { path: folder.to_owned() });
        }
        let lock = folder.join(format!("{}.lock", R::FILE));
        let lock = open_or_make(&lock, PRIVATE).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut lines = read_lines(&self.path)?;
        let (answer, changed) = edit(&mut lines);
        if changed {
            self.write(&lines).map_err(failed)?;
        }
        Ok(answer)
    }

    fn write(&self, lines: &[Line<R>]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(&line.bytes);
            bytes.push(b'\n');
        }
        if bytes.len() as u64 > MAX_STORE_BYTES {
            let full = format!("it would grow larger than {MAX_STORE_BYTES} bytes");
            return Err(io::Error::other(full));
        }
        write_whole(&self.path, &bytes, PRIVATE, Synced::ContentAndName)
    }
}

/// Bytes as one field of a line: without spaces, line feeds or anything but ASCII, and never empty.
pub(super) fn escape(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "%".to_owned();
    }
    let mut text = String::new();
    for byte in bytes {
        match byte {
            b'%' | 0..=0x20 | 0x7f.. => {
                let _ = write!(text, "%{byte:02x}");
            }
            _ => text.push(char::from(*byte)),
        }
    }
    text
}

/// Reads back what [`escape`] wrote.
pub(crate) fn unescape(text: &str) -> Option<Vec<u8>> {
    if text == "%" {
        return Some(Vec::new());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            let pair = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(pair, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    Some(bytes)
}

/// The fields of a line, if it has exactly as many and none is empty.
pub(super) fn fields<const N: usize>(line: &[u8]) -> Option<[&str; N]> {
    let fields: Vec<&str> = std::str::from_utf8(line).ok()?.split(' ').collect();
    let fields: [&str; N] = fields.try_into().ok()?;
    fields.iter().all(|field| !field.is_empty()).then_some(fields)
}

/// A root as a field of a line.
pub(super) fn escape_root(root: &Path) -> String {
    escape(root.as_os_str().as_encoded_bytes())
}

/// Reads back what [`escape_root`] wrote; a relative path is no root.
pub(super) fn unescape_root(text: &str) -> Option<PathBuf> {
    let root = unescape(text)?;
    Some(platform::path(&root)).filter(|root| root.is_absolute()).map(Path::to_owned)
}

fn read_lines<R: Record>(path: &Path) -> Result<Vec<Line<R>>, StoreError> {
    let failed = |cause| StoreError::Read { path: path.to_owned(), source: cause };
    let file = match unwaiting().read(true).open(path) {
        Ok(file) => file,
        Err(cause) if absent(&cause) => return Ok(Vec::new()),
        Err(cause) => return Err(failed(cause)),
    };
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(StoreError::NoFile { path: path.to_owned() });
    }
    for place in [Some(path), path.parent()].into_iter().flatten() {
        if is_shared(place).map_err(failed)? {
            return Err(StoreError::Shared { path: place.to_owned() });
        }
    }
    let too_large = || StoreError::TooLarge { path: path.to_owned(), cap: MAX_STORE_BYTES };
    let bytes = read_capped(file, MAX_STORE_BYTES).map_err(failed)?.ok_or_else(too_large)?;
    let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let line = |line: &[u8]| Line { bytes: line.to_owned(), record: R::from_line(line) };
    Ok(text.split(|&byte| byte == b'\n').map(line).collect())
}

/// Whether others than its owner may write it.
fn is_shared(path: &Path) -> io::Result<bool> {
    Ok(platform::others_may_write(&fs::metadata(path)?))
}

/// The path without links; where it does not exist yet, as much of it as does.
pub(super) fn canonical(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(real) = above.canonicalize() {
            return match path.strip_prefix(above) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                _ => real,
            };
        }
    }
    path.to_owned()
}
