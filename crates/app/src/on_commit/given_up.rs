//! Records that a commit was to take along and that never came: it was given up after the hook had staged
//! them, and `git reset --hard` or `git merge --abort` then takes what is staged out of the work tree.
//!
//! What is staged is written down below the git directory, by path and object: git keeps the content for
//! weeks. A record that is nowhere any more, neither in the work tree nor staged nor in any commit that a
//! branch has, is put back.

use std::{fs, io, path::PathBuf};

use elophanto_repo::{Git, NotePath, ObjectId, Repository, Staged, Version, head, write_beneath};

use super::CommitError;

/// Largest record file, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Records that are remembered, the newest.
const MOST_KEPT: usize = 500;

/// What was staged by commits of this work tree.
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
        let lines = fs::read(&self.file).unwrap_or_default();
        let line = |line: &[u8]| {
            let at = line.iter().position(|&byte| byte == b' ')?;
            Some((ObjectId::from_hex(&line[..at])?, NotePath::new(&line[at + 1..])))
        };
        lines.split(|&byte| byte == 0).filter_map(line).collect()
    }

    fn write(&self, all: &[(ObjectId, NotePath)]) -> io::Result<()> {
        if all.is_empty() {
            return match fs::remove_file(&self.file) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
                _ => Ok(()),
            };
        }
        let mut lines = Vec::new();
        for (object, path) in all {
            lines.extend_from_slice(format!("{object} ").as_bytes());
            lines.extend_from_slice(path.as_bytes());
            lines.push(0);
        }
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let beside = self.file.with_extension(format!("tmp-{}", std::process::id()));
        fs::write(&beside, lines)?;
        fs::rename(&beside, &self.file)
    }

    /// Remembers what a commit takes along.
    pub(super) fn remember(&self, changes: &[Staged]) {
        let mut all = self.read();
        for change in changes {
            if let Staged::Put { path, object } = change {
                all.retain(|(_, known)| known != path);
                all.push((*object, path.clone()));
            }
        }
        all.drain(..all.len().saturating_sub(MOST_KEPT));
        // Where that cannot be written the records are staged all the same.
        let _ = self.write(&all);
    }

    /// Puts back what is nowhere any more; returns how many files that are.
    ///
    /// # Errors
    /// When git cannot be read, or a file not be written; what is missing is remembered.
    pub fn bring_back(&self, repository: &Repository, git: &Git) -> Result<usize, CommitError> {
        let mut all = self.read();
        let missing: Vec<(ObjectId, NotePath)> = all
            .iter()
            .filter(|(_, path)| repository.root.join(path.as_path()).symlink_metadata().is_err())
            .cloned()
            .collect();
        if missing.is_empty() {
            return Ok(0);
        }
        let folders: Vec<&std::path::Path> =
            missing.iter().map(|(_, path)| path.as_path()).collect();
        let mut known = git.list(&Version::Staged, &folders)?;
        if let Some(head) = head(git)? {
            known.extend(git.list(&Version::Commit(head), &folders)?);
        }
        let mut back = 0;
        for (object, path) in missing {
            let is_known = known.iter().any(|file| file.path == path) || is_in_history(git, &path)?;
            if is_known {
                // Committed on another branch, reverted, or taken out by the user.
                all.retain(|(_, one)| *one != path);
                continue;
            }
            let Some(Ok(content)) = git.objects().read(&[&object], MOST_BYTES).pop() else {
                all.retain(|(_, one)| *one != path);
                continue;
            };
            write_beneath(&repository.root, path.as_path(), &content)?;
            back += 1;
        }
        // Where that cannot be written, the next command looks again.
        let _ = self.write(&all);
        Ok(back)
    }
}

/// Whether any commit of a branch, a tag or the stash has a file, or had it.
fn is_in_history(git: &Git, path: &NotePath) -> Result<bool, CommitError> {
    let pattern = format!(":(top,literal){}", path.to_text());
    Ok(!git.run(&["log", "--all", "-1", "--format=%H", "--", &pattern])?.is_empty())
}
