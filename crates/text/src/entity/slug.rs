//! The name of an entity's file.

use std::path::{Component, Path, PathBuf};

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::{MAX_SLUG_BYTES, name::identity};
use crate::markdown::is_shown;

/// A dash and the digits of the hash.
const HASH_BYTES: usize = 9;

/// A name for the file of an entity: letters and digits of any script in lower case, joined by
/// `-`, at most [`MAX_SLUG_BYTES`]. Where that would not tell the entity from others, or is no
/// name for a file, a hash of the identity follows. `taken` says whether another entity has a slug.
pub fn slug(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let identity = identity(name);
    let (base, faithful) = base(&identity);
    let cut = base.len() > MAX_SLUG_BYTES;
    if faithful && !cut && !base.is_empty() && !is_reserved(&base) && !taken(&base) {
        return base;
    }
    let hash = blake3::hash(identity.as_bytes()).to_hex();
    let end = base.floor_char_boundary(MAX_SLUG_BYTES - HASH_BYTES);
    let base = match base[..end].trim_end_matches('-') {
        "" => "entity",
        base => base,
    };
    format!("{base}-{}", hash.get(..HASH_BYTES - 1).unwrap_or_default())
}

/// Folder of the pages, below the one that is written to.
pub fn folder(write_root: &Path) -> PathBuf {
    // Paths are compared by their parts, and `.` at the beginning is one.
    let parts = write_root.components().filter(|part| *part != Component::CurDir);
    parts.collect::<PathBuf>().join("learned").join("entities")
}

/// The page of an entity in the folder of the pages.
pub fn path(folder: &Path, slug: &str) -> PathBuf {
    folder.join(format!("{slug}.md"))
}

/// The slug in a path that [`path`] makes; `None` for files elsewhere and below the folder.
pub fn slug_of(folder: &Path, path: &Path) -> Option<String> {
    if path.parent() != Some(folder) || path.extension()? != "md" {
        return None;
    }
    let slug = path.file_stem()?.to_str()?;
    (!slug.starts_with('.')).then(|| slug.to_owned())
}

/// Letters and digits joined by dashes, and whether nothing that matters was left out at an end.
fn base(identity: &str) -> (String, bool) {
    let mut base = String::new();
    let mut between = String::new();
    let mut faithful = true;
    for char in identity.chars() {
        let continues = between.is_empty() && !base.is_empty() && is_mark(char);
        if !continues && !is_letter(char) {
            between.push(char);
            continue;
        }
        if base.is_empty() {
            faithful = between.chars().all(is_wrapping);
        } else if !between.is_empty() {
            base.push('-');
        }
        between.clear();
        base.push(char);
    }
    faithful &= between.chars().all(|char| is_wrapping(char) || ends_clause(char));
    (base.nfc().collect(), faithful)
}

fn is_letter(char: char) -> bool {
    char.is_alphanumeric() && is_shown(char) && !is_combining_mark(char)
}

/// A mark that belongs to the letter before it, and no choice of how to draw it.
fn is_mark(char: char) -> bool {
    let drawing = matches!(char, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    let around = matches!(char, '\u{20d0}'..='\u{20ff}');
    is_combining_mark(char) && is_shown(char) && !drawing && !around
}

/// White space, quotes and brackets.
fn is_wrapping(char: char) -> bool {
    char.is_whitespace()
        || matches!(char,
            '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '«' | '»'
            | '\u{2018}'..='\u{201f}' | '\u{2039}' | '\u{203a}' | '\u{3008}'..='\u{3011}'
            | '\u{3014}'..='\u{301b}' | '（' | '）' | '［' | '］')
}

fn ends_clause(char: char) -> bool {
    matches!(char, '.' | ',' | '。' | '、' | '，' | '．')
}

/// Windows keeps these names for devices, whatever follows behind a full stop.
fn is_reserved(base: &str) -> bool {
    let port = |name: &str| {
        let number = base.strip_prefix(name).map(|rest| rest.chars().collect::<Vec<_>>());
        matches!(number.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    };
    matches!(base, "con" | "prn" | "aux" | "nul" | "conin" | "conout" | "clock")
        || port("com")
        || port("lpt")
}
