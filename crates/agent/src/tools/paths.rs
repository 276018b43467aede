//! Paths that a model names: resolved beneath the root, and shown so that they can be named again.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Component, Path, PathBuf},
};

use super::arguments::bad;
use crate::ToolError;
use elophanto_base::{
    beneath::Kind,
    platform,
    regular::if_there,
    visible::{hides, is_odd_blank},
};
use elophanto_repo::is_git_name;

/// Bytes of a path at most.
const MOST_BYTES: usize = 4_096;

/// Whether a link at the very end of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    Followed,
    /// The link itself is meant, as when it is removed.
    Itself,
}

/// A place beneath the root. Links are resolved as far as they exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) absolute: PathBuf,
    /// Relative to the root; empty for the root.
    pub(super) relative: PathBuf,
    pub(super) kind: Option<Kind>,
}

impl Place {
    /// The path for people and models.
    pub(super) fn shown(&self) -> String {
        shown(&self.relative)
    }
}

/// The place that a path names, relative to the canonical root or absolute beneath it. `\xNN` in
/// it stands for a byte where no file has that very name.
///
/// # Errors
/// [`ToolError::Arguments`] for what is no path, [`ToolError::Refused`] for what lies outside or
/// belongs to git.
pub(super) fn place(root: &Path, path: &str, last: Last) -> Result<Place, ToolError> {
    let found = find(root, Path::new(path), last)?;
    if found.kind.is_none()
        && let Some(bytes) = unescaped(path)
    {
        return find(root, platform::path(&bytes), last);
    }
    Ok(found)
}

fn find(root: &Path, path: &Path, last: Last) -> Result<Place, ToolError> {
    let text = shown(path);
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.is_empty() {
        return Err(bad("a path is empty; the root is `.`"));
    }
    if bytes.len() > MOST_BYTES {
        return Err(bad(format!("a path is over the limit of {MOST_BYTES} bytes")));
    }
    if bytes.contains(&0) {
        return Err(bad(format!("`{text}` has a NUL character in it")));
    }
    // A folder of that name would be found by the next shell that is told to remove it.
    if bytes == b"~" || bytes.starts_with(b"~/") {
        return Err(ToolError::Refused(format!(
            "`{text}` lies in the home folder, which no tool reaches (`./~` is the name alone)"
        )));
    }
    let relative = match path.strip_prefix(root) {
        Ok(relative) => relative,
        Err(_) if path.is_absolute() => return Err(outside(&text)),
        Err(_) => path,
    };
    let mut absolute = root.to_owned();
    let mut kind = Some(Kind::Folder);
    let mut components = relative.components().peekable();
    while let Some(component) = components.next() {
        let name = match component {
            Component::Normal(name) => name,
            Component::CurDir => continue,
            _ => return Err(bad(format!("`{text}` has `..` in it: name the path without"))),
        };
        if kind == Some(Kind::File) || kind == Some(Kind::Other) {
            return Err(bad(format!("`{text}` goes through a file as if it were a folder")));
        }
        let next = absolute.join(name);
        let ends = components.peek().is_none();
        kind = match kind {
            None => None,
            Some(_) => kind_at(&next).map_err(|cause| unreadable(&text, &cause))?,
        };
        if kind == Some(Kind::Link) && !(ends && last == Last::Itself) {
            absolute = fs::canonicalize(&next).map_err(|_| {
                ToolError::Refused(format!("`{text}` is a link that leads nowhere"))
            })?;
            if !absolute.starts_with(root) {
                return Err(ToolError::Refused(format!(
                    "`{text}` is a link that leads out of the work tree"
                )));
            }
            kind = kind_at(&absolute).map_err(|cause| unreadable(&text, &cause))?;
        } else {
            absolute = next;
        }
    }
    let relative = absolute.strip_prefix(root).map_err(|_| outside(&text))?.to_owned();
    if relative.components().any(|component| is_git_name(component.as_os_str())) {
        return Err(ToolError::Refused(format!("`{text}` belongs to git: no tool goes there")));
    }
    Ok(Place { absolute, relative, kind })
}

fn kind_at(path: &Path) -> io::Result<Option<Kind>> {
    Ok(if_there(fs::symlink_metadata(path))?.map(|found| found.file_type().into()))
}

fn outside(text: &str) -> ToolError {
    ToolError::Refused(format!("`{text}` lies outside of the work tree"))
}

fn unreadable(text: &str, cause: &io::Error) -> ToolError {
    ToolError::Failed(format!("`{text}` cannot be looked at: {cause}"))
}

/// A path for people and models, `.` for the root: bytes that are no UTF-8, control characters and
/// what cannot be seen become `\xNN`, byte by byte.
pub(super) fn shown(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.is_empty() {
        return ".".to_owned();
    }
    let mut text = String::with_capacity(bytes.len());
    let escape = |text: &mut String, bytes: &[u8]| {
        for byte in bytes {
            let _ = write!(text, "\\x{byte:02x}");
        }
    };
    for piece in bytes.utf8_chunks() {
        let valid = piece.valid();
        for (at, char) in valid.char_indices() {
            let mut buffer = [0; 4];
            let looks_escaped = || valid.get(at..).is_some_and(|rest| rest.starts_with("\\x"));
            let before = valid.get(..at).and_then(|text| text.chars().next_back());
            let after = || valid.get(at + char.len_utf8()..)?.chars().next();
            let is_odd = is_odd_blank(char) || hides(before, char, after());
            if char.is_control() || is_odd || (char == '\\' && looks_escaped()) {
                escape(&mut text, char.encode_utf8(&mut buffer).as_bytes());
            } else {
                text.push(char);
            }
        }
        escape(&mut text, piece.invalid());
    }
    text
}

/// The bytes that [`shown`] was made of; `None` if nothing in it is escaped.
fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut pieces = text.split("\\x");
    bytes.extend_from_slice(pieces.next()?.as_bytes());
    let mut any = false;
    for piece in pieces {
        let digits = piece.get(..2).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(&piece.as_bytes()[2..]);
                any = true;
            }
            None => {
                bytes.extend_from_slice(b"\\x");
                bytes.extend_from_slice(piece.as_bytes());
            }
        }
    }
    any.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_shown_names_the_same_file(
            bytes in prop::collection::vec(1_u8..=255, 1..20),
        ) {
            let path = platform::path(&bytes);
            let text = shown(path);
            prop_assert!(!text.contains(|char: char| char.is_control()));
            let again = unescaped(&text).unwrap_or_else(|| text.into_bytes());
            prop_assert_eq!(again, bytes);
        }
    }
}
