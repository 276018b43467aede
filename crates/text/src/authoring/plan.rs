//! From a draft to a file: who may write where, and what then stands there.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{
    AuthoringError, Kind, MAX_NOTE_BYTES, MAX_SECTIONS, MAX_TAGS, MAX_TITLE_CHARS,
    compose::{Header, compose},
    front::{self, Front},
    kept::Kept,
    place,
    text::{clean, tags, trim_blank},
};
use crate::markdown::Scope;
use elophanto_base::one_line::one_line;

/// What somebody wants to be written.
#[derive(Debug, Clone, Copy)]
pub struct Draft<'a> {
    /// Decides the folder, unless there is a path.
    pub kind: Kind,
    /// Plain text.
    pub title: &'a str,
    /// Headings, plain text, and the Markdown below them, which may be empty.
    pub sections: &'a [(&'a str, &'a str)],
    /// Markdown in front of the sections. Front matter at its start is merged: its tags are added,
    /// keys of its own are kept, its title and times give way.
    pub body: Option<&'a str>,
    /// Plain text, with or without `#`; with `None` and none in the front matter of the body, the note
    /// that is overwritten keeps its own.
    pub tags: Option<&'a [String]>,
    /// Relative to the root or to the folder that is written to. Without one, the title makes it.
    pub path: Option<&'a Path>,
}

/// A file to write as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Relative to the root, below `<write_root>/learned/`.
    pub path: PathBuf,
    /// All of its content, at most [`MAX_NOTE_BYTES`].
    pub text: String,
    /// Whether a file is there that this replaces. If not, the caller must not replace one that
    /// came to be meanwhile.
    pub overwrites: bool,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Existing {
    /// Nothing.
    None,
    /// A file with this text.
    Text(String),
    /// A folder, a link, a file that is no text.
    NotAFile,
}

/// Plans the writing of a note. `existing` says what is at a path relative to the root; `hash` is
/// the [`content_hash`] of the note to overwrite, and counts only if the draft has a path. A note
/// that is overwritten keeps its `created` and the keys of its front matter that are not ours.
///
/// # Errors
/// When the draft hits a cap, its path is not one for notes that tools write, there is a note and
/// the hash is not its own, or front matter can't be merged.
pub fn plan(
    draft: &Draft<'_>,
    write_root: &Path,
    now: Timestamp,
    existing: &dyn Fn(&Path) -> Existing,
    hash: Option<&str>,
) -> Result<Planned, AuthoringError> {
    within_caps(draft)?;
    let title = one_line(draft.title, MAX_TITLE_CHARS);
    if title.is_empty() {
        return Err(AuthoringError::NoTitle);
    }
    let (path, old) = match draft.path {
        None => (place::free(draft.kind, &title, write_root, now, existing)?, None),
        Some(path) => {
            let path = place::given(path, write_root)?;
            let old = shown(&path, existing(&path), hash)?;
            (path, old)
        }
    };
    let cleaned = clean(draft.body.unwrap_or_default());
    let (front, body) = given_front(&cleaned)?;
    let kept = old.as_deref().map(|old| old_front(&path, old)).transpose()?;
    let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
    let created = kept.as_ref().and_then(|old| old.created).unwrap_or(now);
    let is_said = draft.tags.is_some() || !front.tags.is_empty();
    let old_tags = kept.as_ref().filter(|_| !is_said).map_or(&[][..], |old| &old.tags[..]);
    let given = draft.tags.unwrap_or_default();
    let tags = tags(given.iter().chain(&front.tags).chain(old_tags));
    if tags.len() > MAX_TAGS {
        return Err(AuthoringError::TooManyTags { tags: tags.len() });
    }
    let kept = merged(kept.map(|old| old.kept).unwrap_or_default(), front.kept);
    let header = Header { title, created, updated: now, tags, kept };
    let text = compose(&header, draft, body)?;
    Ok(Planned { path, text, overwrites: old.is_some() })
}

/// What names the content of a note: 16 hex digits of its BLAKE3 hash.
pub fn content_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(16).collect()
}

/// The caps that can be seen before anything is read.
fn within_caps(draft: &Draft<'_>) -> Result<(), AuthoringError> {
    if draft.sections.len() > MAX_SECTIONS {
        return Err(AuthoringError::TooManySections { sections: draft.sections.len() });
    }
    let tags = draft.tags.unwrap_or_default();
    if tags.len() > MAX_TAGS {
        return Err(AuthoringError::TooManyTags { tags: tags.len() });
    }
    let sections = draft.sections.iter().flat_map(|(name, text)| [name.len(), text.len()]);
    let tags = tags.iter().map(String::len);
    let bytes = sections.chain(tags).chain([draft.title.len(), draft.body.map_or(0, str::len)]);
    let bytes = bytes.fold(0, usize::saturating_add);
    if bytes > MAX_NOTE_BYTES { Err(AuthoringError::TooLarge { bytes }) } else { Ok(()) }
}

/// The text that may be overwritten, for who has shown that they know it.
fn shown(
    path: &Path,
    existing: Existing,
    hash: Option<&str>,
) -> Result<Option<String>, AuthoringError> {
    let path = || path.to_owned();
    match (existing, hash) {
        (Existing::NotAFile, _) => Err(AuthoringError::NotAFile { path: path() }),
        (Existing::None, None) => Ok(None),
        (Existing::None, Some(_)) => Err(AuthoringError::Gone { path: path() }),
        (Existing::Text(_), None) => Err(AuthoringError::AlreadyThere { path: path() }),
        (Existing::Text(text), Some(hash)) if content_hash(&text) == hash.trim() => Ok(Some(text)),
        (Existing::Text(_), Some(_)) => Err(AuthoringError::Changed { path: path() }),
    }
}

/// The front matter that a draft's body brings along, and the body without it. What the reader of
/// notes would ignore is refused: who wrote it can still mend it.
fn given_front(body: &str) -> Result<(Front, &str), AuthoringError> {
    let (body, skipped) = trim_blank(body);
    let refused = |damage: front::Damage| AuthoringError::FrontMatter {
        line: damage.line.map(|line| line + skipped),
        reason: damage.reason,
    };
    let (mut front, behind) = front::take(body).map_err(refused)?;
    if let Some(ignored) = front.ignored.take() {
        return Err(refused(ignored));
    }
    match front.scope {
        None | Some(Scope::Learned) => Ok((front, behind)),
        Some(scope) => Err(AuthoringError::FrontMatter {
            line: None,
            reason: format!("the scope is `{scope}`, and what tools write is `learned`"),
        }),
    }
}

fn old_front(path: &Path, old: &str) -> Result<Front, AuthoringError> {
    match front::take(&clean(old)) {
        Ok((front, _)) => Ok(front),
        Err(front::Damage { line, reason }) => {
            Err(AuthoringError::OldFrontMatter { path: path.to_owned(), line, reason })
        }
    }
}

/// What the old note had, with what the new text says instead in its place.
fn merged(mut old: Vec<Kept>, new: Vec<Kept>) -> Vec<Kept> {
    let keys = old.iter().map(|kept| kept.key.clone()).zip(0_usize..);
    let places: BTreeMap<String, usize> = keys.collect();
    for entry in new {
        match places.get(&entry.key).and_then(|place| old.get_mut(*place)) {
            Some(kept) => *kept = entry,
            None => old.push(entry),
        }
    }
    old
}
