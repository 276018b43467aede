//! The changelog of a knowledge base: what a change means, one file per entry.
//!
//! Owns the form of an entry, the name of its file, what is said about a set of changed notes, and
//! the page that gathers all entries. It is pure: it knows neither git nor the disk, and the clock
//! is passed in. An entry's file is written once, so two branches never touch the same one; the
//! page is derived from them and lives between two markers, behind what people wrote there.
//!
//! Titles, paths and subjects come from outside: they are cut, put on one line and escaped before
//! they become part of an entry.

mod assemble;
mod describe;
mod entry;
mod text;
mod touched;

use std::path::{Path, PathBuf};

use jiff::civil::Date;
use ulid::Ulid;

use crate::markdown::Scope;
pub use assemble::{AssembleError, END, START, assemble, newest_first, without_block};
pub use describe::{Change, ChangeKind, describe, for_commit};
pub use entry::Entry;
pub use touched::Touched;

/// Folder of the entries, below that of our own notes.
const FOLDER: &str = "system/changelog";
/// The page that gathers them, below that of our own notes.
const PAGE: &str = "system/changelog.md";

/// Folder of the entries, relative to the repository.
pub fn folder(write_root: &Path) -> PathBuf {
    beneath(write_root, FOLDER)
}

/// The page that gathers them, relative to the repository.
pub fn page(write_root: &Path) -> PathBuf {
    beneath(write_root, PAGE)
}

/// Whether a note is part of the changelog of a knowledge base, of whatever repository: an entry, by its folder
/// and name, or the page that gathers them. A project's own `CHANGELOG.md` is none.
pub fn is_part(path: &Path, scope: Scope) -> bool {
    let is_entry = || {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name_parts(name).is_some())
            && path.parent().is_some_and(|folder| folder.ends_with(FOLDER))
    };
    scope == Scope::System && path.ends_with(PAGE) || is_entry()
}

/// Name of an entry's file: `<date>-<ulid>.md`.
pub fn file_name(date: Date, ulid: Ulid) -> String {
    format!("{date}-{}.md", ulid.to_string().to_lowercase())
}

/// Date and id by which entries are ordered; `None` for a file that is no entry.
pub fn name_parts(name: &str) -> Option<(Date, String)> {
    let (date, rest) = (name.get(..10)?, name.get(10..)?);
    let ulid = rest.strip_prefix('-')?.strip_suffix(".md")?;
    let is_ulid =
        ulid.len() == ulid::ULID_LEN && ulid.bytes().all(|byte| byte.is_ascii_alphanumeric());
    Some((date.parse().ok()?, is_ulid.then(|| ulid.to_lowercase())?))
}

fn beneath(write_root: &Path, path: &str) -> PathBuf {
    write_root.strip_prefix(".").unwrap_or(write_root).join(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let date = jiff::civil::date(2026, 11, 21);
        let name = file_name(date, Ulid::from_parts(1, 2));
        assert_eq!(name, "2026-11-21-00000000010000000000000002.md");
        let ulid = "00000000010000000000000002".to_owned();
        assert_eq!(name_parts(&name), Some((date, ulid)));
        for name in [
            "",
            "README.md",
            "2026-11-21.md",
            "2026-13-21-00000000010000000000000002.md",
            "2026-11-21-0000000001000000000000000.md",
            "2026-11-21-0000000001000000000000000é.md",
            "2026-11-21-00000000010000000000000002.txt",
            "2026-11-2é-00000000010000000000000002.md",
        ] {
            assert_eq!(name_parts(name), None, "{name}");
        }
    }

    #[test]
    fn what_the_hook_writes_is_told_from_what_people_write() {
        let entry = "system/changelog/2026-11-30-00000000010000000000000002.md";
        for (path, scope, expected) in [
            (&format!("knowledge/{entry}"), Scope::System, true),
            (&entry.to_owned(), Scope::User, true),
            (&format!("acme/sea/notes/{entry}"), Scope::System, true),
            (&"knowledge/system/changelog.md".to_owned(), Scope::System, true),
            (&"docs/system/changelog.md".to_owned(), Scope::User, false),
            (&"CHANGELOG.md".to_owned(), Scope::System, false),
            (&"knowledge/system/changelog/README.md".to_owned(), Scope::System, false),
            (&entry.replace("system/", "docs/"), Scope::System, false),
        ] {
            assert_eq!(is_part(Path::new(path), scope), expected, "{path}");
        }
    }

    #[test]
    fn places_are_beneath_the_write_root() {
        for (root, path) in [
            ("knowledge", "knowledge/system/changelog.md"),
            (".", "system/changelog.md"),
            ("my/notes", "my/notes/system/changelog.md"),
        ] {
            assert_eq!(page(Path::new(root)), Path::new(path));
            assert_eq!(folder(Path::new(root)), Path::new(path).with_extension(""));
        }
    }
}
