//! Reading a log that may have been cut, glued, merged or overwritten.

use std::{fmt, fs::File, io, mem::replace, path::Path};

use memchr::memchr;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::{Caps, JsonlError};
use crate::{
    beneath::{Folder, Refusal, refusal},
    regular::read_capped,
};

/// What a log held.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<T> {
    /// In the order of the file.
    pub entries: Vec<Entry<T>>,
    /// In the order of the file, up to the cap.
    pub damage: Vec<Damage>,
    /// Faults beyond the cap.
    pub more_damage: usize,
}

impl<T> Default for Read<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), damage: Vec::new(), more_damage: 0 }
    }
}

impl<T> Read<T> {
    pub fn into_records(self) -> impl Iterator<Item = T> {
        self.entries.into_iter().map(|entry| entry.record)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<T> {
    /// 1-based.
    pub line: usize,
    pub record: T,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// 1-based.
    pub line: usize,
    pub fault: Fault,
}

/// What is wrong with a line. Records on it that can be told apart are read all the same, except
/// where it says that it was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The last line is no whole record and has no line end: left out.
    CutOff,
    /// The last line is a whole record without a line end.
    NoFinalNewline,
    /// Several records on one line.
    Glued { records: usize },
    /// Bytes of zero, as a crash leaves them.
    Zeros { bytes: usize },
    /// The log has lines that end in CRLF. Reported once, at the first.
    CarriageReturn,
    /// A line that git writes around a conflict: left out. The records of both sides are read.
    ConflictMarker,
    /// Left out.
    TooLong { bytes: usize, max: usize },
    /// No JSON, or JSON that stops being it midway: left out from there on.
    NotJson { reason: String },
    /// JSON, but no record of this log: left out.
    NotARecord { reason: String },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutOff => write!(f, "the last record is cut off"),
            Self::NoFinalNewline => write!(f, "the last record has no line end"),
            Self::Glued { records } => write!(f, "{records} records on one line"),
            Self::Zeros { bytes } => write!(f, "{bytes} bytes of zero"),
            Self::CarriageReturn => write!(f, "lines end in CRLF"),
            Self::ConflictMarker => write!(f, "a conflict marker"),
            Self::TooLong { bytes, max } => write!(f, "{bytes} bytes, over the cap of {max}"),
            Self::NotJson { reason } => write!(f, "not JSON: {reason}"),
            Self::NotARecord { reason } => write!(f, "not a record of this log: {reason}"),
        }
    }
}

/// Reads a whole log. One that does not exist is empty.
///
/// # Errors
/// When the file cannot be read, is none, or is over the cap. Damage inside is no error.
pub fn read<T: DeserializeOwned>(path: &Path, caps: &Caps) -> Result<Read<T>, JsonlError> {
    Ok(parse(&bytes(path, caps)?, caps))
}

/// The text of a whole log, for a reader of its own. One that does not exist is empty.
///
/// # Errors
/// When the file cannot be read, is none, or is over the cap.
pub fn bytes(path: &Path, caps: &Caps) -> Result<Vec<u8>, JsonlError> {
    // Links above the log are the caller's concern.
    let (folder, name) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default());
    let file = Folder::open(folder).and_then(|folder| folder.read(Path::new(name)));
    whole(file.map(|(file, _)| file), path, caps)
}

/// The same of a log beneath a root, reached through no link.
///
/// # Errors
/// Those of [`bytes`].
pub fn bytes_beneath(root: &Folder, path: &Path, caps: &Caps) -> Result<Vec<u8>, JsonlError> {
    whole(root.read(path).map(|(file, _)| file), path, caps)
}

fn whole(opened: io::Result<File>, path: &Path, caps: &Caps) -> Result<Vec<u8>, JsonlError> {
    let failed = |cause| JsonlError::Io { path: path.to_owned(), action: "read", source: cause };
    let file = match opened {
        Ok(file) => file,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) if refusal(&cause) == Some(&Refusal::NotAFile) => {
            return Err(JsonlError::NotAFile(path.to_owned()));
        }
        Err(cause) => return Err(failed(cause)),
    };
    let max = caps.file_bytes;
    let bytes = max.saturating_add(1);
    let too_large = || JsonlError::FileTooLarge { path: path.to_owned(), bytes, max };
    read_capped(file, max).map_err(failed)?.ok_or_else(too_large)
}

/// Reads the text of a log. Never fails: what cannot be read is a [`Damage`].
pub fn parse<T: DeserializeOwned>(bytes: &[u8], caps: &Caps) -> Read<T> {
    by_line(bytes, caps, |line| {
        let mut reader = Reader { caps, read: Read::default() };
        match line.strip_suffix(b"\n") {
            Some(bare) => reader.take(bare, true),
            None => reader.take(line, false),
        }
        reader.read
    })
}

/// Reads the text of a log with a reader of one line, which gets it with its line end. Lines are
/// numbered and faults counted here.
pub fn by_line<T>(
    bytes: &[u8],
    caps: &Caps,
    mut read_line: impl FnMut(&[u8]) -> Read<T>,
) -> Read<T> {
    let mut read = Read::default();
    let mut rest = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let (mut line, mut carriage_return) = (0, false);
    while !rest.is_empty() {
        let (text, after) = rest.split_at(memchr(b'\n', rest).map_or(rest.len(), |at| at + 1));
        (rest, line) = (after, line + 1);
        let Read { entries, damage, more_damage } = read_line(text);
        read.entries.extend(entries.into_iter().map(|entry| Entry { line, ..entry }));
        read.more_damage += more_damage;
        for Damage { fault, .. } in damage {
            // Said once per log: who ended one line like that has ended them all so.
            if fault == Fault::CarriageReturn && replace(&mut carriage_return, true) {
                continue;
            }
            if read.damage.len() < caps.faults {
                read.damage.push(Damage { line, fault });
            } else {
                read.more_damage += 1;
            }
        }
    }
    read
}

/// Reads one line.
struct Reader<'a, T> {
    caps: &'a Caps,
    read: Read<T>,
}

impl<T: DeserializeOwned> Reader<'_, T> {
    fn take(&mut self, line: &[u8], ended: bool) {
        let max = self.caps.line_bytes;
        let bare = match line.strip_suffix(b"\r") {
            Some(bare) if ended => {
                self.report(Fault::CarriageReturn);
                bare
            }
            _ => line,
        };
        if bare.len() > max {
            self.report(Fault::TooLong { bytes: bare.len(), max });
            return;
        }
        if is_conflict_marker(bare) {
            self.report(Fault::ConflictMarker);
            return;
        }
        let zeros = bare.iter().filter(|&&byte| byte == 0).count();
        if zeros > 0 {
            self.report(Fault::Zeros { bytes: zeros });
        }
        let (mut found, mut fault) = (0, None);
        for piece in bare.split(|&byte| byte == 0) {
            fault = self.records(piece, &mut found).err().or(fault);
        }
        match fault {
            // The line end is what the appender writes last: without it, the line is not whole.
            Some(Fault::NotJson { .. }) if !ended => self.report(Fault::CutOff),
            Some(fault) => self.report(fault),
            None if !ended && found > 0 => self.report(Fault::NoFinalNewline),
            None => {}
        }
        if found > 1 {
            self.report(Fault::Glued { records: found });
        }
    }

    /// All records of a piece of a line; the first fault ends it unless it is one of shape.
    fn records(&mut self, piece: &[u8], found: &mut usize) -> Result<(), Fault> {
        let mut values = serde_json::Deserializer::from_slice(piece).into_iter::<IgnoredAny>();
        let (mut start, mut fault) = (0, Ok(()));
        while let Some(value) = values.next() {
            if let Err(error) = value {
                return Err(Fault::NotJson { reason: short(&error) });
            }
            let end = values.byte_offset();
            *found += 1;
            match serde_json::from_slice(&piece[start..end]) {
                Ok(record) => self.read.entries.push(Entry { line: 1, record }),
                Err(error) if error.is_data() => {
                    fault = Err(Fault::NotARecord { reason: short(&error) });
                }
                Err(error) => fault = Err(Fault::NotJson { reason: short(&error) }),
            }
            start = end;
        }
        fault
    }

    fn report(&mut self, fault: Fault) {
        self.read.damage.push(Damage { line: 1, fault });
    }
}

fn is_conflict_marker(line: &[u8]) -> bool {
    let marked = [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"].iter().any(|marker| {
        line.strip_prefix(*marker).is_some_and(|rest| rest.is_empty() || rest[0] == b' ')
    });
    marked && !line.contains(&0)
}

/// Without the data that the message may quote at any length.
pub fn short(error: &serde_json::Error) -> String {
    error.to_string().chars().take(200).collect()
}
