//! Where a note may lie: the path that a title makes, and the path that was given.

use std::path::{Component, Path, PathBuf};

use jiff::{Timestamp, tz::TimeZone};

use super::{
    AuthoringError, Existing, Kind, MAX_MADE_NAME_BYTES, MAX_NAME_BYTES, MAX_NAMES_TRIED,
    MAX_PATH_BYTES,
    slug::{is_reserved, slug},
    text::clean,
};
use elophanto_base::{one_line::one_line, visible::is_deceptive};

/// The folder below the one that is written to.
const LEARNED: &str = "learned";
/// The folder below that whose files are not ours.
const ENTITIES: &str = "entities";
const EXTENSION: &str = ".md";
/// Characters of a path that an error shows.
const MAX_SHOWN_CHARS: usize = 200;

/// The first path that a title makes and nothing is at.
pub(super) fn free(
    kind: Kind,
    title: &str,
    write_root: &Path,
    now: Timestamp,
    existing: &dyn Fn(&Path) -> Existing,
) -> Result<PathBuf, AuthoringError> {
    let folder = root_parts(write_root)?.iter().collect::<PathBuf>();
    let folder = folder.join(LEARNED).join(kind.folder());
    let most = MAX_MADE_NAME_BYTES - EXTENSION.len();
    let stem = stem(kind, title, now, most);
    for number in 1..=MAX_NAMES_TRIED {
        let name = if number == 1 {
            format!("{stem}{EXTENSION}")
        } else {
            let suffix = format!("-{number}");
            let kept = stem.get(..most - suffix.len()).unwrap_or(&stem).trim_end_matches('-');
            format!("{kept}{suffix}{EXTENSION}")
        };
        let path = folder.join(name);
        if matches!(existing(&path), Existing::None) {
            return Ok(path);
        }
    }
    Err(AuthoringError::NoFreeName { path: folder.join(format!("{stem}{EXTENSION}")) })
}

/// A path relative to the root or to the folder that is written to, as one relative to the root.
///
/// # Errors
/// When it is not below the folder of learned notes, is among the pages of entities, or is no name
/// that every file system would take for what it looks like.
pub(super) fn given(path: &Path, write_root: &Path) -> Result<PathBuf, AuthoringError> {
    let shown = || one_line(&clean(&path.to_string_lossy()), MAX_SHOWN_CHARS);
    let bad = |reason| AuthoringError::BadPath { path: shown(), reason };
    let text = path.to_str().ok_or_else(|| bad("it is not UTF-8"))?;
    if text.len() > MAX_PATH_BYTES {
        return Err(bad("it is longer than 1024 bytes"));
    }
    if text.starts_with('/') {
        return Err(bad("it is absolute"));
    }
    if text.is_empty() || text.ends_with('/') {
        return Err(bad("it names no file"));
    }
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if let Some(reason) = parts.iter().find_map(|part| fault(part)) {
        return Err(bad(reason));
    }
    let root = root_parts(write_root)?;
    let folder = root.iter().collect::<PathBuf>().join(LEARNED);
    let learned = || std::iter::once(LEARNED);
    let below = behind(&parts, root.iter().map(String::as_str).chain(learned()))
        .or_else(|| behind(&parts, learned()));
    let Some((name, folders)) = below.and_then(<[_]>::split_last) else {
        return Err(AuthoringError::Outside { path: shown(), folder });
    };
    if fold(folders.first().unwrap_or(name)) == ENTITIES {
        return Err(AuthoringError::Entities { path: shown() });
    }
    let has_extension = name.len() > EXTENSION.len() && fold(name).ends_with(EXTENSION);
    let name = format!("{name}{}", if has_extension { "" } else { EXTENSION });
    Ok(folder.join(folders.iter().collect::<PathBuf>()).join(name))
}

/// The parts of the folder that is written to, none for the root itself.
fn root_parts(write_root: &Path) -> Result<Vec<String>, AuthoringError> {
    let refused = || AuthoringError::WriteRoot { path: write_root.to_owned() };
    let parts = write_root.components().filter(|part| *part != Component::CurDir);
    parts
        .map(|part| match part {
            Component::Normal(name) => name.to_str().map(str::to_owned).ok_or_else(refused),
            _ => Err(refused()),
        })
        .collect()
}

/// What follows these folders, compared as the most forgiving file system does.
fn behind<'a, 'p>(
    parts: &'a [&'p str],
    folders: impl Iterator<Item = &'a str>,
) -> Option<&'a [&'p str]> {
    let mut rest = parts;
    for folder in folders {
        let (first, behind) = rest.split_first()?;
        if fold(first) != fold(folder) {
            return None;
        }
        rest = behind;
    }
    Some(rest)
}

/// By way of upper case, which letters share that differ in lower case (`s` and `ſ`).
fn fold(name: &str) -> String {
    name.to_uppercase().to_lowercase()
}

/// What is wrong with the name of a file or folder.
fn fault(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default();
    if name == ".." {
        Some("`..` leads elsewhere")
    } else if name.contains('\\') {
        Some("folders are parted by `/`, not by a backslash")
    } else if name.starts_with(['.', '-']) {
        Some("a name begins with a dot or a dash")
    } else if name.chars().any(|char| char.is_control() || is_deceptive(char)) {
        Some("it holds a character that cannot be seen")
    } else if name.contains(['<', '>', ':', '"', '|', '?', '*']) {
        Some("it holds one of `< > : \" | ? *`")
    } else if name.starts_with(char::is_whitespace)
        || name.ends_with(|char: char| char == '.' || char.is_whitespace())
    {
        Some("a name begins with a blank, or ends in one or in a dot")
    } else if is_reserved(stem) {
        Some("some systems keep that name for a device")
    } else if name.len() > MAX_NAME_BYTES {
        Some("a name is longer than 200 bytes")
    } else {
        None
    }
}

/// The name without number and extension, at most `most` bytes.
fn stem(kind: Kind, title: &str, now: Timestamp, most: usize) -> String {
    let date = if kind.is_dated() { date(now) + "-" } else { String::new() };
    let mut words = slug(title, most - date.len());
    if words.is_empty() {
        let hash = blake3::hash(title.as_bytes()).to_hex();
        words = format!("{}-{}", kind.as_str(), hash.get(..8).unwrap_or_default());
    } else if date.is_empty() && is_reserved(&words) {
        words = format!("{words}-{}", kind.as_str());
    } else if words.starts_with(&date) {
        return words;
    }
    format!("{date}{words}")
}

/// The day in UTC as `YYYY-MM-DD`; a year before 0 is taken as 0, for a name begins with no dash.
fn date(now: Timestamp) -> String {
    let date = TimeZone::UTC.to_datetime(now).date();
    format!("{:04}-{:02}-{:02}", date.year().max(0), date.month(), date.day())
}
