//! What is tried with whole records and on disk, shared by the files below.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use tempfile::TempDir;

use super::*;
use elophanto_repo::journal::Limits;

mod damage;
mod drafts;
mod moving;
mod placing;
mod printing;
mod tagging;
mod writers;

const NOW: &str = "2026-11-21T22:00:00Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn no_file_is_tracked(_: &Path) -> io::Result<bool> {
    Ok(false)
}

fn memory(id: &str) -> Memory {
    Memory {
        id: id.to_owned(),
        timestamp: now(),
        agent_id: "agent-1".to_owned(),
        repo: "shop".to_owned(),
        event_type: EventType::Error,
        context: "Straße 🦦".to_owned(),
        command: String::new(),
        lesson: "a \"lesson\"".to_owned(),
        success_rate: None,
        tags: vec![],
        replaces: None,
    }
}

fn entry(id: &str) -> Entry {
    Entry::Memory(memory(id))
}

fn entry_at(id: &str, timestamp: &str) -> Entry {
    Entry::Memory(Memory { timestamp: timestamp.parse().unwrap(), ..memory(id) })
}

fn retired(id: &str, forgotten: &str) -> Entry {
    let (timestamp, agent_id, repo) = (now(), String::new(), "shop".to_owned());
    Entry::Retired(Retired {
        id: id.to_owned(),
        timestamp,
        agent_id,
        repo,
        retired: forgotten.to_owned(),
        joined: None,
    })
}

/// With its line end.
fn written(entry: &Entry) -> String {
    line(entry).unwrap() + "\n"
}

struct Rig {
    folder: TempDir,
    files: Files,
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = files_in(folder.path());
        Self { folder, files }
    }

    fn with_limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        let mut limits = self.files.records.limits().clone();
        change(&mut limits);
        self.files.records = self.files.records.with_limits(limits);
        self
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Below the folder of all lessons, its folders made.
    fn below(&self, path: &str) -> PathBuf {
        let path = self.files.folder().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn append(&self, id: &str) -> PathBuf {
        self.files.append("shop", &[entry(id)], now(), &no_file_is_tracked).unwrap()
    }

    fn ids(&self) -> Vec<String> {
        ids(&self.files)
    }

    /// Paths below the folder of all lessons.
    fn listed(&self) -> Vec<String> {
        let path = |found: Found| {
            found.path.strip_prefix(self.files.folder()).unwrap().to_str().unwrap().to_owned()
        };
        self.files.list().files.into_iter().map(path).collect()
    }
}

fn files_in(folder: &Path) -> Files {
    Files::new(folder.join(".elophanto/memory"), folder.join("git/elophanto/memory.lock"))
}

/// Of all files, in their order.
fn ids(files: &Files) -> Vec<String> {
    let read = |found: &Found| files.read(found).unwrap().entries;
    let entries = files.list().files.iter().flat_map(read).collect::<Vec<_>>();
    entries.into_iter().map(|(_, entry)| entry.id().to_owned()).collect()
}

/// Name of a file from this millisecond.
fn name(millisecond: u64) -> String {
    format!("{}.jsonl", ulid::Ulid::from_parts(millisecond, 1)).to_lowercase()
}
