//! Who wrote a line, and when.

use super::{super::NotePath, CommitId, Git, GitError};
use crate::history::shallow_commits;

/// Where a line comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    /// Number of the line in the blamed version, from 1.
    pub line: usize,
    pub commit: CommitId,
    pub author: String,
    pub email: String,
    /// When the author wrote it, in seconds since 1970.
    pub time: i64,
    /// Subject of the commit.
    pub subject: String,
}

impl Git {
    /// The origin of some lines (first and last, from 1) of a file as a commit holds it, without lines
    /// that a shallow clone ends with: an older commit may have written those.
    ///
    /// # Errors
    /// When git cannot blame the file: it is not in the commit, or has fewer lines.
    pub fn blame(
        &self,
        commit: &CommitId,
        path: &NotePath,
        lines: (usize, usize),
    ) -> Result<Vec<Blame>, GitError> {
        let range = format!("{},{}", lines.0, lines.1);
        let commit = commit.to_string();
        let arguments: Vec<&std::ffi::OsStr> = vec![
            "blame".as_ref(),
            "--line-porcelain".as_ref(),
            "-L".as_ref(),
            range.as_ref(),
            commit.as_ref(),
            "--".as_ref(),
            path.as_path().as_os_str(),
        ];
        let parsed = parse(&self.run(&arguments)?);
        let mut lines = parsed.ok_or_else(|| GitError::Odd("a blame".to_owned()))?;
        let last = shallow_commits(self);
        lines.retain(|line| !last.contains(&line.commit));
        Ok(lines)
    }

    /// How many people made a commit that HEAD holds since a time, such as `1.year`.
    ///
    /// # Errors
    /// When git cannot read the history.
    pub fn authors_since(&self, since: &str) -> Result<usize, GitError> {
        let since = format!("--since={since}");
        let output = self.run(&["log", since.as_str(), "--format=%aE", "-z", "HEAD", "--"])?;
        let mut authors: Vec<&[u8]> =
            output.split(|&byte| byte == 0).filter(|address| !address.is_empty()).collect();
        authors.sort_unstable();
        authors.dedup();
        Ok(authors.len())
    }

    /// Paths that commits by this author touched, up to a commit. The name is taken as plain
    /// text, without regard to case, and may be a part of the name or address.
    ///
    /// # Errors
    /// When git cannot read the history.
    pub fn touched_by(&self, author: &str, commit: &CommitId) -> Result<Vec<NotePath>, GitError> {
        let author = format!("--author={author}");
        let commit = commit.to_string();
        let output = self.run(&[
            "log",
            "--fixed-strings",
            "--regexp-ignore-case",
            author.as_str(),
            "--name-only",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--format=",
            "-z",
            commit.as_str(),
            "--",
        ])?;
        let mut paths: Vec<NotePath> = output
            .split(|&byte| byte == 0)
            .map(|path| path.strip_prefix(b"\n").unwrap_or(path))
            .filter(|path| !path.is_empty())
            .map(NotePath::new)
            .collect();
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }
}

/// Reads `git blame --line-porcelain`: per line a head (`id old-line new-line ...`), headers, and
/// the line itself after a tab.
fn parse(output: &[u8]) -> Option<Vec<Blame>> {
    let mut lines = Vec::new();
    let mut current: Option<Blame> = None;
    for line in output.split(|&byte| byte == b'\n') {
        if line.starts_with(b"\t") {
            lines.push(current.take()?);
            continue;
        }
        let text = String::from_utf8_lossy(line);
        match &mut current {
            None if text.is_empty() => {}
            None => {
                let mut fields = text.split(' ');
                let commit = fields.next()?.trim_start_matches('^').parse().ok()?;
                let line = fields.nth(1)?.parse().ok()?;
                let (author, email, subject) = Default::default();
                current = Some(Blame { line, commit, author, email, time: 0, subject });
            }
            Some(blame) => match text.split_once(' ') {
                Some(("author", name)) => blame.author = name.to_owned(),
                Some(("author-mail", mail)) => {
                    blame.email = mail.trim_matches(['<', '>']).to_owned();
                }
                Some(("author-time", time)) => blame.time = time.parse().ok()?,
                Some(("summary", subject)) => blame.subject = subject.to_owned(),
                _ => {}
            },
        }
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn porcelain_is_read() {
        let id = "ce013625030ba8dba906f756967f9e9ca394464a";
        let output = format!(
            "{id} 3 5 1\nauthor A B\nauthor-mail <a@example.org>\nauthor-time 7\nsummary All\n\
             filename a.md\n\tauthor is a word\n{id} 4 6\nauthor C\nfilename a.md\n\t\n"
        );
        let lines = parse(output.as_bytes()).unwrap();
        let said: Vec<_> = lines.iter().map(|b| (b.line, b.author.as_str(), b.time)).collect();
        assert_eq!(said, [(5, "A B", 7), (6, "C", 0)]);
        assert_eq!((&*lines[0].email, &*lines[0].subject), ("a@example.org", "All"));
        assert_eq!(parse(b"junk\n"), None);
        assert_eq!(parse(b""), Some(Vec::new()));
    }
}
