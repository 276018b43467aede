//! What this machine acknowledged: a copy of each lesson that it wrote down, below the git directory that all
//! work trees share. A commit that is undone or thrown away takes those along that went with it, and
//! what git has forgotten it cannot bring back.
//!
//! Git never sees the copies, and what is forgotten on purpose is taken out of them, too.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{Memories, Records};
use crate::{Result, reporter::Reporter};
use elophanto_knowledge::memory::{Entry, FOLDER, Files};
use elophanto_repo::{Git, GitError, Repository, head, remove_beneath};

/// Bytes of the copies; beyond, the oldest file goes.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// Records that are put back at once.
const AT_ONCE: usize = 50;

impl Memories<'_> {
    /// Keeps a copy of what was just written down. Where that cannot be done, it is written down all the same.
    pub(super) fn acknowledge(&self, repo: &str, entries: &[Entry], now: Timestamp) {
        let Some(copies) = self.copies() else { return };
        if copies.append(repo, entries, now, &|_| Ok(false)).is_ok() {
            bound(&copies, MOST_BYTES);
        }
    }

    /// Takes the copies of what is forgotten out.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(super) fn drop_copies<'i>(&self, ids: impl Iterator<Item = &'i str>) -> Result<()> {
        let Some(copies) = self.copies() else { return Ok(()) };
        for id in ids {
            copies.remove_line(id)?;
        }
        Ok(())
    }

    /// What this machine wrote down and is nowhere any more: in no work tree, neither staged nor in HEAD, on no
    /// branch that HEAD does not hold, and in no stash. What takes a lesson back is among it where that
    /// counts again. Nothing where git cannot say what it holds.
    pub fn lost(&self, records: &Records) -> Vec<Entry> {
        let Some(copies) = self.copies() else { return Vec::new() };
        let is_known = |entry: &Entry| match entry {
            Entry::Memory(memory) => {
                records.places.contains_key(&memory.id)
                    || records.folded.retired.contains_key(&memory.id)
            }
            Entry::Retired(retired) => {
                records.places.contains_key(&retired.id)
                    || records.folded.memories.iter().all(|it| it.id != retired.retired)
            }
        };
        let mut missing = entries(&copies);
        missing.retain(|entry| !is_known(entry));
        if missing.is_empty() {
            return missing;
        }
        match elsewhere(&self.workspace.repository, missing.iter().map(Entry::id)) {
            Ok(held) => missing.retain(|entry| !held.contains(entry.id())),
            Err(_) => missing.clear(),
        }
        missing
    }

    /// Writes down again what is lost; returns it.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn restore(&self, reporter: &dyn Reporter) -> Result<Vec<Entry>> {
        let lost = self.lost(&self.records(reporter));
        let mut by_repo: BTreeMap<&str, Vec<Entry>> = BTreeMap::new();
        for entry in &lost {
            by_repo.entry(repo_of(entry)).or_default().push(entry.clone());
        }
        for (repo, entries) in by_repo {
            for some in entries.chunks(AT_ONCE) {
                self.write(repo, some, Timestamp::now())?;
            }
        }
        Ok(lost)
    }

    /// Gives up what is lost, for good; returns it.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn give_up(&self, reporter: &dyn Reporter) -> Result<Vec<Entry>> {
        let lost = self.lost(&self.records(reporter));
        self.drop_copies(lost.iter().map(Entry::id))?;
        Ok(lost)
    }

    /// The copies; none where git does not carry the lessons of this repository.
    fn copies(&self) -> Option<Files> {
        let repository = &self.workspace.repository;
        let is_carried = self.workspace.lessons().in_git && repository.git_dir.is_some();
        let local = repository.local_dir();
        is_carried.then(|| Files::new(local.join("acknowledged"), local.join("memory.lock")))
    }
}

fn repo_of(entry: &Entry) -> &str {
    match entry {
        Entry::Memory(memory) => &memory.repo,
        Entry::Retired(retired) => &retired.repo,
    }
}

fn entries(files: &Files) -> Vec<Entry> {
    let read = files.list().files.into_iter().filter_map(|found| files.read(&found).ok());
    read.flat_map(|read| read.entries).map(|(_, entry)| entry).collect()
}

/// Removes the oldest files until no more than so many bytes are left; the newest stays.
fn bound(copies: &Files, most: u64) {
    let size = |path: &Path| path.symlink_metadata().map_or(0, |file| file.len());
    let mut files: Vec<PathBuf> = copies.list().files.into_iter().map(|found| found.path).collect();
    // Their names are their times.
    files.sort_by(|one, other| other.file_name().cmp(&one.file_name()));
    let mut bytes = 0;
    for (index, path) in files.iter().enumerate() {
        bytes += size(path);
        if index > 0 && bytes > most {
            let below = path.strip_prefix(copies.folder()).unwrap_or(path);
            // One that stays for now goes the next time.
            let _ = remove_beneath(copies.folder(), below);
        }
    }
}

/// Which of some ids another work tree holds, git's index, HEAD, a branch or tag that HEAD does not hold, or
/// a stash: what may still come here by itself.
fn elsewhere<'i>(
    repository: &Repository,
    ids: impl Iterator<Item = &'i str>,
) -> std::result::Result<BTreeSet<String>, GitError> {
    let git = Git::of(repository).ok_or(GitError::NoRepository)?;
    let mut held = held(&git, Path::new(FOLDER), ids)?;
    let listed = git.run(&["worktree", "list", "--porcelain"])?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    for folder in listed.lines().filter_map(|line| line.strip_prefix("worktree ")) {
        let files = Files::new(Path::new(folder).join(FOLDER), repository.local_dir());
        held.extend(entries(&files).iter().map(|entry| entry.id().to_owned()));
    }
    Ok(held)
}

/// Which of some ids stand in files of a folder in git's index, HEAD, a branch or tag that HEAD does not hold, or
/// a stash.
pub(crate) fn held<'i>(
    git: &Git,
    folder: &Path,
    ids: impl Iterator<Item = &'i str>,
) -> std::result::Result<BTreeSet<String>, GitError> {
    let ids: String = ids.flat_map(|id| [id, "\n"]).collect();
    let mut held = grep(git, &["--cached".to_owned()], folder, &ids)?;
    if let Some(head) = head(git)? {
        let mut trees = vec![head.to_string()];
        let others = [
            "for-each-ref",
            &format!("--no-merged={head}"),
            "--sort=-committerdate",
            "--count=200",
            "--format=%(objectname)",
            "refs/heads",
            "refs/remotes",
            "refs/tags",
        ];
        // Of a stash also what it holds of the index and of what was untracked.
        let stashed = ["log", "--walk-reflogs", "--max-count=50", "--format=%H %P", "refs/stash"];
        let stashed = git.run(&stashed).unwrap_or_default();
        for told in [git.run(&others)?, stashed] {
            let words = String::from_utf8_lossy(&told).into_owned();
            trees.extend(words.split_whitespace().map(str::to_owned));
        }
        held.extend(grep(git, &trees, folder, &ids)?);
    }
    Ok(held)
}

/// Which of the ids, one a line, stand in files of a folder of the index or of some trees.
fn grep(
    git: &Git,
    places: &[String],
    folder: &Path,
    ids: &str,
) -> std::result::Result<BTreeSet<String>, GitError> {
    let options =
        ["grep", "-h", "-o", "-F", "-f", "-", "--no-line-number", "--no-column", "--no-color"];
    let mut arguments: Vec<String> = options.map(str::to_owned).into();
    arguments.extend_from_slice(places);
    arguments.extend(["--".to_owned(), format!(":(top,literal){}", folder.display())]);
    match git.run_with(&arguments, ids.as_bytes()) {
        Ok(found) => Ok(String::from_utf8_lossy(&found).lines().map(str::to_owned).collect()),
        // None of them.
        Err(GitError::Failed { code: Some(1), .. }) => Ok(BTreeSet::new()),
        Err(cause) => Err(cause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_copies_go() {
        let folder = tempfile::tempdir().unwrap();
        let copies = Files::new(folder.path().join("git/copies"), folder.path().join("git/lock"));
        let write = |name: &str, bytes: usize| {
            let path = copies.folder().join("shop").join(format!("{name:0>26}.jsonl"));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x".repeat(bytes)).unwrap();
        };
        for (name, bytes) in [("1", 40), ("2", 40), ("3", 60)] {
            write(name, bytes);
        }
        let left = || copies.list().files.len();
        bound(&copies, 140);
        assert_eq!(left(), 3);
        bound(&copies, 139);
        assert_eq!(left(), 2);
        bound(&copies, 10);
        assert_eq!(left(), 1);
    }
}
