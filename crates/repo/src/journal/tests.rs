//! What is tried on disk, shared by the files below.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::*;

mod damage;
mod placing;
mod writers;

const NOW: &str = "2026-11-21T22:00:00Z";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    text: String,
}

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn no_file_is_tracked(_: &Path) -> io::Result<bool> {
    Ok(false)
}

struct Rig {
    folder: TempDir,
    journal: Journal,
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let journal = journal_in(folder.path());
        fs::create_dir(folder.path().join("git")).unwrap();
        Self { folder, journal }
    }

    fn with_limits(self, change: impl FnOnce(&mut Limits)) -> Self {
        let mut limits = Limits::default();
        change(&mut limits);
        Self { journal: self.journal.with_limits(limits), ..self }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Below the shared place, its folders made.
    fn shared(&self, path: &str) -> PathBuf {
        let path = self.journal.shared.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn append(&self, id: &str) -> PathBuf {
        self.append_at(id, NOW)
    }

    fn append_at(&self, id: &str, now: &str) -> PathBuf {
        let now = now.parse().unwrap();
        append(&self.journal, &[id], Place::Shared, now, &no_file_is_tracked).unwrap()
    }

    fn ids(&self) -> Vec<String> {
        ids(&self.journal.read(&["note"]))
    }
}

fn journal_in(folder: &Path) -> Journal {
    let local = folder.join("git/elophanto/journal");
    let lock = folder.join("git/elophanto/journal.lock");
    Journal::new(folder.join(".elophanto/journal"), local, lock)
}

/// Records of the kind `note`.
fn append(
    journal: &Journal,
    ids: &[&str],
    place: Place,
    now: Timestamp,
    tracked: &dyn Fn(&Path) -> io::Result<bool>,
) -> Result<PathBuf, JournalError> {
    let note = Note { text: "Straße 🦦".to_owned() };
    let draft = |id| Draft { kind: "note", id, at: now, retired: false, body: &note };
    let drafts: Vec<_> = ids.iter().copied().map(draft).collect();
    journal.append(place, &drafts, now, tracked)
}

fn ids(reading: &Reading) -> Vec<String> {
    reading.records.iter().map(|record| record.id.clone()).collect()
}

/// A line as other programs may write it.
fn line(kind: &str, id: &str) -> String {
    format!("{{\"kind\":\"{kind}\",\"id\":\"{id}\",\"at\":\"{NOW}\",\"text\":\"a\"}}\n")
}

/// Name of a file from this millisecond.
fn name(millisecond: u64) -> String {
    names::file_name(ulid::Ulid::from_parts(millisecond, 1))
}
