//! Which commits brought contents into a repository, wherever they are: on any branch, in a stash, in
//! what a checkpoint keeps, or only known to the reflog.

use std::{ffi::OsStr, path::Path};

use super::{CommitId, Git, GitError, ObjectId};
use crate::NotePath;

/// A content that a commit put into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    pub commit: CommitId,
    /// When the commit was made, in seconds since 1970.
    pub committed: i64,
    /// Relative to the root.
    pub path: NotePath,
    pub content: ObjectId,
}

impl Git {
    /// Every content that any commit put into a file of a folder (relative to the root), the newest
    /// first.
    ///
    /// # Errors
    /// When git cannot read the history.
    pub fn brought_below(&self, folder: &Path) -> Result<Vec<Brought>, GitError> {
        self.brought(&["--all", "--reflog", "--full-history"], folder)
    }

    /// The same of commits that the reflog alone knows: they were undone, rewritten or thrown away.
    ///
    /// # Errors
    /// When git cannot read the history.
    pub fn undone_below(&self, folder: &Path) -> Result<Vec<Brought>, GitError> {
        self.brought(&["--reflog", "--full-history", "--not", "--all"], folder)
    }

    fn brought(&self, commits: &[&str], folder: &Path) -> Result<Vec<Brought>, GitError> {
        // Of a merge, what it has beside each of its sides.
        let shown = ["-m", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "-z"];
        let arguments = [&["log"][..], &shown, &["--format=@%H %ct"], commits, &["--"]].concat();
        let mut arguments: Vec<&OsStr> = arguments.into_iter().map(OsStr::new).collect();
        arguments.push(folder.as_os_str());
        let output = self.run(&arguments)?;
        parse(&output).ok_or_else(|| GitError::Odd("a list of what commits changed".to_owned()))
    }

    /// The full names of the refs whose history holds a commit.
    ///
    /// # Errors
    /// When git cannot read the history.
    pub fn refs_with(&self, commit: &CommitId) -> Result<Vec<String>, GitError> {
        let contains = format!("--contains={commit}");
        let output = self.run(&["for-each-ref", "--format=%(refname)", &contains])?;
        Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
    }
}

/// `@COMMIT TIME`, then `:MODE MODE OLD NEW STATE` and a path for each change, each ended by a NUL.
fn parse(output: &[u8]) -> Option<Vec<Brought>> {
    let mut words = output.split(|&byte| byte == 0).filter(|word| !word.trim_ascii().is_empty());
    let (mut commit, mut brought) = (None, Vec::new());
    while let Some(word) = words.next() {
        let head = std::str::from_utf8(word.trim_ascii()).ok()?;
        if let Some(head) = head.strip_prefix('@') {
            // `(from SIDE)` follows the commit where it is a merge.
            let mut head = head.split_whitespace();
            let id: CommitId = head.next()?.parse().ok()?;
            commit = Some((id, head.next()?.parse::<i64>().ok()?));
            continue;
        }
        let path = NotePath::new(words.next()?);
        let mut change = head.strip_prefix(':')?.split(' ').skip(3);
        let content: ObjectId = change.next()?.parse().ok()?;
        let (id, committed) = commit?;
        if !content.is_zero() {
            brought.push(Brought { commit: id, committed, path, content });
        }
    }
    Some(brought)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_by_commit() {
        let (a, b, c) = ("a".repeat(40), "b".repeat(40), "c".repeat(40));
        let zero = "0".repeat(40);
        let output = format!(
            "@{a} 7\0\n:100644 100644 {b} {c} M\0x/1 \u{e4}\0\0@{b} 5\0\n:000000 100644 {zero} {b} A\0x/1 \u{e4}\0\
             :100644 000000 {c} {zero} D\0gone\0"
        );
        let found = parse(output.as_bytes()).unwrap();
        let told: Vec<String> = found
            .iter()
            .map(|it| {
                format!("{} {} {} {}", it.commit, it.committed, it.path.to_text(), it.content)
            })
            .collect();
        assert_eq!(told, [format!("{a} 7 x/1 ä {c}"), format!("{b} 5 x/1 ä {b}")]);
        assert_eq!(parse(b""), Some(Vec::new()));
        assert_eq!(parse(b"fatal: no"), None);
        assert_eq!(parse(b"@abc"), None);
    }
}
