//! The hub that is part of the program: the bundled skills, and more that are worth having where they
//! are needed.

use super::{
    super::{
        bundled,
        files::{Content, SKILL_FILE},
        front,
    },
    BUILTIN, Entry, Hub,
};
use elophanto_base::one_line::one_line;

/// What is in the hub alone.
const MORE: &[(&str, &str)] = bundled::skills![
    "hub":
    "answering-with-sources",
    "improving-performance",
    "making-a-commit",
    "preparing-a-release",
    "refactoring-safely",
    "resolving-a-merge-conflict",
    "responding-to-a-leaked-secret",
    "understanding-a-codebase",
    "upgrading-dependencies",
    "writing-tests",
];

fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    bundled::BUNDLED.iter().chain(MORE).copied()
}

/// All of it, by name.
pub(super) fn hub() -> Hub {
    let entry = |(name, text): (&str, &str)| {
        // Tests hold that none is passed over.
        let front = front::read(text.as_bytes(), Some(name)).ok()?;
        let description = one_line(&front.description, super::super::MAX_DESCRIPTION);
        let (name, path) = (front.name.clone(), front.name);
        Some(Entry { name, description, path, commit: String::new() })
    };
    let mut entries: Vec<Entry> = all().filter_map(entry).collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Hub { url: BUILTIN.to_owned(), commit: String::new(), entries, problems: Vec::new() }
}

/// The files of one of them.
pub(super) fn contents(wanted: &str) -> Option<Vec<Content>> {
    let (_, text) = all().find(|(name, _)| *name == wanted)?;
    let (path, bytes) = (SKILL_FILE.to_owned(), text.as_bytes().to_vec());
    Some(vec![Content { path, bytes, executable: false }])
}
