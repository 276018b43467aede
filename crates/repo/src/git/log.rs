//! The commits between two, without merges.

use super::{CommitId, Git, GitError, ObjectId};
use crate::NotePath;

/// Moves of HEAD that are looked at.
const MOST_MOVES: usize = 500;

/// What is asked of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    pub commit: CommitId,
    /// `None` for the first of a history.
    pub parent: Option<CommitId>,
    /// When the change was made, in seconds since 1970: a rebase or a pick keeps that.
    pub authored: i64,
    pub subject: String,
}

/// A commit that changed a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    pub commit: CommitId,
    pub author: String,
    /// Committer's time in seconds since 1970.
    pub time: i64,
    pub subject: String,
}

/// A commit and the files that it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touching {
    pub commit: CommitId,
    pub subject: String,
    pub paths: Vec<NotePath>,
}

impl Git {
    /// The newest commits up to HEAD with the files that each changed; merges are passed over.
    ///
    /// # Errors
    /// When git cannot read the history.
    pub fn touching(&self, most: usize) -> Result<Vec<Touching>, GitError> {
        let most = format!("--max-count={most}");
        let output = self.run(&[
            "log",
            "--no-merges",
            "--name-only",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--encoding=UTF-8",
            "-z",
            // No path begins with what begins a commit here.
            "--format=%x01%H %s",
            most.as_str(),
            "HEAD",
            "--",
        ])?;
        let mut all: Vec<Touching> = Vec::new();
        for record in output.split(|&byte| byte == 0) {
            let record = record.strip_prefix(b"\n").unwrap_or(record);
            if let Some(head) = record.strip_prefix(b"\x01") {
                let head = String::from_utf8_lossy(head);
                let (commit, subject) = head.split_once(' ').unwrap_or((&head, ""));
                let (commit, subject) = (commit.parse()?, subject.to_owned());
                all.push(Touching { commit, subject, paths: Vec::new() });
            } else if let Some(last) = all.last_mut().filter(|_| !record.is_empty()) {
                last.paths.push(NotePath::new(record));
            }
        }
        Ok(all)
    }

    /// The newest commits that changed a file, up to HEAD.
    ///
    /// # Errors
    /// When git cannot read the history.
    pub fn commits_of(&self, path: &NotePath, most: usize) -> Result<Vec<Touched>, GitError> {
        let most = format!("--max-count={most}");
        let arguments = [
            // A path that begins with `:` is one.
            "--literal-pathspecs",
            "log",
            "--no-ext-diff",
            "--no-textconv",
            "--encoding=UTF-8",
            "-z",
            "--format=%H%n%ct%n%an%n%s",
            most.as_str(),
            "HEAD",
            "--",
        ]
        .map(std::ffi::OsStr::new);
        let output = self.run(&[&arguments[..], &[path.as_path().as_os_str()]].concat())?;
        let records = output.split(|&byte| byte == 0).filter(|record| !record.is_empty());
        records
            .map(|record| {
                let text = String::from_utf8_lossy(record);
                let mut lines = text.lines();
                let mut next = || lines.next().unwrap_or_default();
                Ok(Touched {
                    commit: next().parse()?,
                    time: next().parse().unwrap_or(0),
                    author: next().to_owned(),
                    subject: next().to_owned(),
                })
            })
            .collect()
    }

    /// When files of these endings came or, `false`, went, up to HEAD, in seconds since 1970; the newest
    /// first.
    ///
    /// # Errors
    /// When git cannot read the history.
    pub fn comings(&self, endings: &[String]) -> Result<Vec<(i64, bool)>, GitError> {
        let output = self.run(&[
            "log", "--diff-filter=AD", "--no-renames", "--no-ext-diff", "--no-textconv",
            "--name-status", "--format=@%ct", "HEAD", "--",
        ])?;
        let text = String::from_utf8_lossy(&output);
        let mut time = 0;
        let mut moves = Vec::new();
        for line in text.lines() {
            if let Some(said) = line.strip_prefix('@').and_then(|digits| digits.parse().ok()) {
                time = said;
                continue;
            }
            // A name that holds what is no letter is in quotes.
            let ending = line.trim_end_matches('"').rsplit_once('.').map_or("", |it| it.1);
            if endings.iter().any(|known| known.eq_ignore_ascii_case(ending)) {
                moves.push((time, line.starts_with('A')));
            }
        }
        Ok(moves)
    }

    /// The commits up to HEAD that changed anything below a folder, each with its time in seconds since
    /// 1970; the newest first.
    ///
    /// # Errors
    /// When git cannot read the history.
    pub fn commits_below(&self, folder: &str) -> Result<Vec<(i64, CommitId)>, GitError> {
        let folder = format!(":(top,literal){folder}");
        let output = self.run(&["log", "--format=%ct %H", "HEAD", "--", folder.as_str()])?;
        let text = String::from_utf8_lossy(&output);
        let commit = |line: &str| {
            let (time, commit) = line.split_once(' ')?;
            Some((time.parse().ok()?, commit.parse().ok()?))
        };
        Ok(text.lines().filter_map(commit).collect())
    }

    /// The newest commit that changed a file; `None` if HEAD holds none.
    ///
    /// # Errors
    /// When git cannot read the history.
    pub fn last_commit_of(&self, path: &NotePath) -> Result<Option<CommitId>, GitError> {
        let arguments = ["log", "-1", "--format=%H", "HEAD", "--"].map(std::ffi::OsStr::new);
        let output = self.run(&[&arguments[..], &[path.as_path().as_os_str()]].concat())?;
        Ok(String::from_utf8_lossy(output.trim_ascii()).parse().ok())
    }

    /// The newest commits that lead to `head` and to none of `seen`; merges are passed over, and so is what
    /// is gone of `seen`.
    ///
    /// # Errors
    /// When neither libgit2 nor the git program finds the way.
    pub fn commits_since(
        &self,
        seen: &[CommitId],
        head: &CommitId,
        most: usize,
    ) -> Result<Vec<Logged>, GitError> {
        match self.logged_by_library(seen, head, most) {
            Ok(logged) => Ok(logged),
            Err(_) => self.logged_by_program(seen, head, most),
        }
    }

    /// The commits that were made in this work tree, as far as its reflog tells: neither pulled nor merged.
    ///
    /// # Errors
    /// When git cannot read the reflog.
    pub fn made_here(&self) -> Result<Vec<CommitId>, GitError> {
        let most = format!("--max-count={MOST_MOVES}");
        let output =
            self.run(&["log", "-g", "--no-ext-diff", "--format=%H %gs", &*most, "HEAD", "--"])?;
        Ok(made(&String::from_utf8_lossy(&output)))
    }

    fn logged_by_library(
        &self,
        seen: &[CommitId],
        head: &CommitId,
        most: usize,
    ) -> Result<Vec<Logged>, git2::Error> {
        let repository = git2::Repository::open_bare(&self.git_dir)?;
        let mut walk = repository.revwalk()?;
        walk.push(git2::Oid::from_bytes(head.as_bytes())?)?;
        for seen in seen {
            // Of one that was pruned nothing is left to hide.
            let _ = walk.hide(git2::Oid::from_bytes(seen.as_bytes())?);
        }
        let mut logged = Vec::new();
        for oid in walk {
            let commit = repository.find_commit(oid?)?;
            if commit.parent_count() > 1 {
                continue;
            }
            if logged.len() == most {
                break;
            }
            let odd = || git2::Error::from_str("an id of unknown length");
            let parent = commit.parent_ids().next();
            let parent = parent.map(|id| ObjectId::from_bytes(id.as_bytes()).ok_or_else(odd));
            logged.push(Logged {
                commit: ObjectId::from_bytes(commit.id().as_bytes()).ok_or_else(odd)?,
                parent: parent.transpose()?,
                authored: commit.author().when().seconds(),
                subject: String::from_utf8_lossy(commit.summary_bytes().unwrap_or_default())
                    .into_owned(),
            });
        }
        Ok(logged)
    }

    fn logged_by_program(
        &self,
        seen: &[CommitId],
        head: &CommitId,
        most: usize,
    ) -> Result<Vec<Logged>, GitError> {
        let mut arguments: Vec<String> = [
            "log",
            "--no-merges",
            "--no-ext-diff",
            "--encoding=UTF-8",
            "-z",
            "--ignore-missing",
            "--format=%H %P%n%at%n%s",
        ]
        .map(str::to_owned)
        .into();
        arguments.extend([format!("--max-count={most}"), head.to_string(), "--not".to_owned()]);
        arguments.extend(seen.iter().map(CommitId::to_string));
        arguments.push("--".to_owned());
        let output = self.run(&arguments)?;
        let odd = || GitError::Odd("a list of commits".to_owned());
        let records = output.split(|&byte| byte == 0).filter(|record| !record.is_empty());
        records
            .map(|record| {
                let text = String::from_utf8_lossy(record);
                let mut lines = text.lines();
                let mut ids = lines.next().unwrap_or_default().split_whitespace();
                Ok(Logged {
                    commit: ids.next().ok_or_else(odd)?.parse()?,
                    parent: ids.next().map(str::parse).transpose()?,
                    authored: lines.next().and_then(|line| line.parse().ok()).unwrap_or(0),
                    subject: lines.next().unwrap_or_default().to_owned(),
                })
            })
            .collect()
    }
}

/// From lines `ID ACTION: SUBJECT`, the newest first.
fn made(moves: &str) -> Vec<CommitId> {
    let made = |line: &str| {
        let (id, said) = line.split_once(' ')?;
        // `commit (amend)`, `cherry-pick`, `pull --rebase origin main (pick)`.
        let action = said.split(':').next()?;
        let verb = action.split(' ').next()?;
        let is_made = matches!(verb, "commit" | "cherry-pick" | "revert" | "am")
            || action.ends_with("(pick)");
        id.parse().ok().filter(|_| is_made)
    };
    moves.lines().filter_map(made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_told_from_what_came() {
        for (action, is_made) in [
            ("commit: Add otters", true),
            ("commit (amend): Add otters", true),
            ("commit (initial): Add otters", true),
            ("cherry-pick: Add otters", true),
            ("revert: Revert \"Add otters\"", true),
            ("am: Add otters", true),
            ("rebase (pick): Add otters", true),
            ("pull --rebase origin main (pick): Add otters", true),
            ("rebase (start): checkout main", false),
            ("rebase (finish): returning to refs/heads/main", false),
            ("pull: Fast-forward", false),
            ("merge side: Fast-forward", false),
            ("checkout: moving from commit to commit", false),
            ("reset: moving to HEAD~2", false),
            ("clone: from somewhere", false),
            ("", false),
        ] {
            let id = "a".repeat(40);
            let expected: Vec<CommitId> =
                is_made.then(|| id.parse().unwrap()).into_iter().collect();
            assert_eq!(made(&format!("{id} {action}\n")), expected, "{action}");
        }
    }
}
