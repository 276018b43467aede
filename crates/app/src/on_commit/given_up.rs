//! Records that a commit was to take along and that never came: it was given up after the hook had staged
//! them, and `git reset --hard` or `git merge --abort` then takes what is staged out of the work tree.
//!
//! What is staged is written down below the git directory, by path and object: git keeps the content for
//! weeks. A record that is nowhere any more, neither in the work tree nor staged nor in any commit that git
//! knows, is put back once.

use std::{ffi::OsString, fs, io, path::PathBuf};

use rustc_hash::FxHashSet;

use elophanto_base::regular::{if_there, read};
use elophanto_index::store::write_whole;
use elophanto_repo::{Git, NotePath, ObjectId, Repository, Staged, Version, head, write_beneath};

use super::CommitError;

/// Largest record file, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What the last commit of this work tree was to take along.
pub struct Along {
    file: PathBuf,
}

impl Along {
    /// The memory of this work tree; `None` outside git.
    pub fn of(repository: &Repository) -> Option<Self> {
        let git_dir = repository.git_dir.as_deref()?;
        Some(Self { file: git_dir.join("elophanto").join("records-along") })
    }

    fn read(&self) -> Vec<(ObjectId, NotePath)> {
        let lines = read(&self.file, MOST_BYTES).unwrap_or_default();
        let line = |line: &[u8]| {
            let at = line.iter().position(|&byte| byte == b' ')?;
            Some((ObjectId::from_hex(&line[..at])?, NotePath::new(&line[at + 1..])))
        };
        lines.split(|&byte| byte == 0).filter_map(line).collect()
    }

    fn write(&self, all: &[(ObjectId, NotePath)]) -> io::Result<()> {
        if all.is_empty() {
            return if_there(fs::remove_file(&self.file)).map(drop);
        }
        let mut lines = Vec::new();
        for (object, path) in all {
            lines.extend_from_slice(format!("{object} ").as_bytes());
            lines.extend_from_slice(path.as_bytes());
            lines.push(0);
        }
        write_whole(&self.file, &lines)
    }

    /// Remembers what a commit takes along, in the place of what the one before took.
    pub(super) fn remember<'s>(&self, changes: impl Iterator<Item = &'s Staged>) {
        let put = |change: &Staged| match change {
            Staged::Put { path, object } => Some((*object, path.clone())),
            Staged::Remove { .. } => None,
        };
        // Where that cannot be written the records are staged all the same.
        let _ = self.write(&changes.filter_map(put).collect::<Vec<_>>());
    }

    /// Forgets all of it, so that nothing is put back of what the user wipes.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub fn forget(&self) -> io::Result<()> {
        self.write(&[])
    }

    /// Puts back what is nowhere any more; returns how many files that are.
    ///
    /// # Errors
    /// When git cannot be read, or a file not be written; what is missing is remembered.
    pub fn bring_back(&self, repository: &Repository) -> Result<usize, CommitError> {
        let mut all = self.read();
        let missing: Vec<(ObjectId, NotePath)> = all
            .iter()
            .filter(|(_, path)| repository.root.join(path.as_path()).symlink_metadata().is_err())
            .cloned()
            .collect();
        // Mostly nothing is: git is only asked where something may be.
        if missing.is_empty() {
            return Ok(0);
        }
        let Some(git) = Git::of(repository) else { return Ok(0) };
        let folders: Vec<&std::path::Path> =
            missing.iter().map(|(_, path)| path.as_path()).collect();
        let mut known = git.list(&Version::Staged, &folders)?;
        if let Some(head) = head(&git)? {
            known.extend(git.list(&Version::Commit(head), &folders)?);
        }
        let elsewhere = in_history(&git, &missing);
        let (mut back, mut done) = (0, Ok(()));
        for (object, path) in missing {
            let is_known = known.iter().any(|file| file.path == path);
            let content = git.objects().read(&[&object], MOST_BYTES).pop();
            // Committed and undone, reverted, on another branch, or taken out by the user.
            if let Some(Ok(content)) = content.filter(|_| !is_known && !elsewhere.contains(&path)) {
                done = write_beneath(&repository.root, path.as_path(), &content);
                if done.is_err() {
                    break;
                }
                back += 1;
            }
            // Put back once: who takes it out again means it.
            all.retain(|(_, one)| *one != path);
        }
        // Where that cannot be written, the next command looks again.
        let _ = self.write(&all);
        done?;
        Ok(back)
    }
}

/// Which of some files a commit has or had that a branch, a tag, the stash or a reflog knows; all of them
/// where git cannot tell within its time, for what is on a branch must not come back here.
fn in_history(git: &Git, missing: &[(ObjectId, NotePath)]) -> FxHashSet<NotePath> {
    let mut arguments: Vec<OsString> =
        ["log", "--all", "--reflog", "-m", "--name-only", "--format=", "-z", "--"]
            .map(Into::into)
            .into();
    for (_, path) in missing {
        let mut pattern = OsString::from(":(top,literal)");
        pattern.push(path.as_path());
        arguments.push(pattern);
    }
    let Ok(told) = git.run(&arguments) else {
        return missing.iter().map(|(_, path)| path.clone()).collect();
    };
    let paths = told.split(|&byte| byte == 0 || byte == b'\n').filter(|path| !path.is_empty());
    paths.map(NotePath::new).collect()
}
