//! Contents of files: read within limits, told apart from what is no text, written whole.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use super::paths::{Place, shown};
use crate::ToolError;
use elophanto_base::{
    beneath::{Folder, is_link},
    platform,
    secrets::KeyLines,
};

/// Bytes of a file that is read, changed or replaced at most.
pub(super) const MOST_BYTES: u64 = 32 << 20;
/// Hexadecimal digits of a hash as models are told.
const DIGITS: usize = 16;
/// Bytes in which a NUL tells that a file is no text, as git has it.
const LOOKED_AT: usize = 8_000;

/// A regular file as it was when it was read.
pub(super) struct Contents {
    pub(super) bytes: Vec<u8>,
    /// Rights to read, write and run.
    pub(super) mode: u32,
    pub(super) hash: String,
}

/// The content of a file, decoded as far as that is certain.
pub(super) enum Decoded<'a> {
    /// UTF-8.
    Text(&'a str),
    /// Text in a form that is certain, and its name.
    Other(String, &'static str),
    /// Mostly text; bytes that are no UTF-8 are shown as `\xNN`.
    Odd(String),
    Binary,
}

impl Contents {
    /// # Errors
    /// When it is no regular file, over the limit, or cannot be read.
    pub(super) fn read(root: &Path, place: &Place) -> Result<Self, ToolError> {
        Self::read_at(root, &place.relative)
            .map_err(|cause| failed("read", &place.relative, &cause))
    }

    fn read_at(root: &Path, relative: &Path) -> io::Result<Self> {
        let (file, metadata) = Folder::open(root)?.read(relative)?;
        let bytes = bounded(&file, metadata.len(), MOST_BYTES)?;
        let hash = hash_of(&bytes);
        Ok(Self { bytes, mode: platform::rights(&metadata) & 0o777, hash })
    }

    pub(super) fn decoded(&self) -> Decoded<'_> {
        match &*self.bytes {
            [0xff, 0xfe, rest @ ..] => utf_16(rest, u16::from_le_bytes, "UTF-16LE"),
            [0xfe, 0xff, rest @ ..] => utf_16(rest, u16::from_be_bytes, "UTF-16BE"),
            bytes if bytes.iter().take(LOOKED_AT).any(|&byte| byte == 0) => Decoded::Binary,
            bytes => match std::str::from_utf8(bytes) {
                Ok(text) => Decoded::Text(text),
                Err(_) => odd(bytes),
            },
        }
    }

    /// The contents as UTF-8.
    ///
    /// # Errors
    /// When they are something else.
    pub(super) fn text(&self, place: &Place) -> Result<&str, ToolError> {
        match self.decoded() {
            Decoded::Text(text) => Ok(text),
            _ => {
                let path = place.shown();
                Err(ToolError::Refused(format!("`{path}` is not UTF-8 text: it is not edited")))
            }
        }
    }
}

/// The lines of private keys in a file, which are shown in no piece of it; none of a file that cannot
/// be read or is over the limit.
pub(super) fn key_lines(root: &Path, relative: &Path) -> KeyLines {
    let contents = Contents::read_at(root, relative);
    contents.map_or_else(
        |_| KeyLines::default(),
        |it| KeyLines::of(&String::from_utf8_lossy(&it.bytes)),
    )
}

/// At most `limit` bytes of a file, however it grows.
fn bounded(file: &File, size: u64, limit: u64) -> io::Result<Vec<u8>> {
    let over = |size: u64| {
        io::Error::other(format!("{size} bytes or more, over the limit of {limit} bytes"))
    };
    if size > limit {
        return Err(over(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(over(limit + 1)) } else { Ok(bytes) }
}

/// What a file is told apart by: the first digits of its BLAKE3 hash.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().chars().take(DIGITS).collect()
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16, name: &'static str) -> Decoded<'static> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| unit(pair));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    match text {
        Ok(text) if rest.is_empty() => Decoded::Other(text, name),
        _ => Decoded::Binary,
    }
}

/// Text in an old encoding has few bytes that are no UTF-8 and hardly a control character.
fn odd(bytes: &[u8]) -> Decoded<'static> {
    let control = |byte: &u8| byte.is_ascii_control() && !b"\t\n\x0c\r\x1b".contains(byte);
    let strange = bytes.iter().filter(|byte| control(byte) || !byte.is_ascii()).count();
    if strange * 4 > bytes.len() {
        Decoded::Binary
    } else {
        Decoded::Odd(super::cut::text_of(bytes))
    }
}

/// Writes a whole file, or nothing: `before` is what is there, which keeps its rights, or `None`
/// where there is to be nothing. Folders above are made.
///
/// # Errors
/// When something else is there by now, or it cannot be written.
pub(super) fn store(
    root: &Path,
    place: &Place,
    bytes: &[u8],
    before: Option<&Contents>,
) -> Result<(), ToolError> {
    let failed = |cause: io::Error| failed("write", &place.relative, &cause);
    let root = Folder::open(root).map_err(failed)?;
    let held = match before {
        None => root.making(&place.relative),
        Some(_) => root.holding(&place.relative),
    };
    let (folder, name) = held.map_err(failed)?;
    let name = Path::new(&name);
    let (mut file, aside) = folder.temporary().map_err(failed)?;
    let mut write = || {
        file.write_all(bytes)?;
        if let Some(before) = before {
            platform::set_rights(&file, before.mode)?;
        }
        file.sync_all()?;
        match before {
            None => folder.rename_new(&aside, &folder, name)?,
            Some(before) => {
                let (there, metadata) = folder.read(name)?;
                if hash_of(&bounded(&there, metadata.len(), MOST_BYTES)?) != before.hash {
                    return Err(io::Error::other("somebody else has changed it meanwhile"));
                }
                folder.rename(&aside, name)?;
            }
        }
        folder.sync()
    };
    let written = write();
    if written.is_err() {
        // It is there under its own name, or is of no use.
        let _ = folder.remove(&aside);
    }
    written.map_err(failed)
}

/// An error of the file system about a path.
pub(super) fn failed(what: &str, path: &Path, cause: &io::Error) -> ToolError {
    let path = shown(path);
    match cause.kind() {
        _ if is_link(cause) => ToolError::Refused(format!("cannot {what} `{path}`: {cause}")),
        io::ErrorKind::NotADirectory => ToolError::Refused(format!(
            "cannot {what} `{path}`: a file is where a folder was to be"
        )),
        io::ErrorKind::AlreadyExists => {
            ToolError::Failed(format!("cannot {what} `{path}`: something is there already"))
        }
        io::ErrorKind::NotFound => {
            ToolError::Failed(format!("cannot {what} `{path}`: there is no such file"))
        }
        _ => ToolError::Failed(format!("cannot {what} `{path}`: {cause}")),
    }
}

/// How the lines of a text end, in words; empty for the usual way.
pub(super) fn endings(text: &str) -> Cow<'static, str> {
    let crlf = text.matches("\r\n").count();
    let feeds = text.matches('\n').count();
    let lines = match crlf {
        0 => "",
        _ if crlf == feeds => ", lines end in CRLF",
        _ => ", some lines end in CRLF",
    };
    let last = if text.is_empty() || text.ends_with('\n') { "" } else { ", no final newline" };
    Cow::Owned(format!("{lines}{last}"))
}
