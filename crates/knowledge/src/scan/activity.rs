//! How often and how lately files were worked on, as far as git tells in time.

use std::time::Duration;

use rustc_hash::FxHashMap;

use elophanto_repo::{CommitId, Git, NotePath};

/// Commits that are looked at, newest first.
const MOST_COMMITS: usize = 1_000;
/// Git may take this long; what it told by then counts.
const PATIENCE: Duration = Duration::from_secs(2);
/// A longer token of git's answer is no path, in bytes.
const MOST_TOKEN: usize = 16 * 1024;
/// What a line about a commit begins with: no path does.
const MARK: u8 = 1;

/// The work on one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touched {
    /// Commits that touched it, of those looked at.
    pub commits: u32,
    /// The latest of them, in seconds since 1970.
    pub last: i64,
    /// The latest of them.
    pub commit: Option<CommitId>,
}

/// The work on every file that recent commits touched. What git cannot tell is not known: then
/// other signs decide.
pub fn recent(git: &Git) -> FxHashMap<NotePath, Touched> {
    let count = format!("--max-count={MOST_COMMITS}");
    let arguments = [
        "log",
        "-z",
        "--no-color",
        "--no-notes",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--name-only",
        "--format=%x01%H %ct",
        count.as_str(),
        "HEAD",
        "--",
    ];
    let mut reader = Reader::default();
    // Cut short or refused: what was read until then is true all the same.
    let _ = git.clone().with_timeout(PATIENCE).stream(&arguments, b"", &mut |bytes| {
        reader.feed(bytes);
        true
    });
    reader.files
}

#[derive(Default)]
struct Reader {
    files: FxHashMap<NotePath, Touched>,
    token: Vec<u8>,
    commit: Option<(CommitId, i64)>,
}

impl Reader {
    fn feed(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|&byte| byte == 0) {
            match piece {
                [text @ .., 0] => {
                    self.token.extend_from_slice(text);
                    self.take();
                    self.token.clear();
                }
                text if self.token.len() < MOST_TOKEN => self.token.extend_from_slice(text),
                _ => {}
            }
        }
    }

    fn take(&mut self) {
        let token = self.token.strip_prefix(b"\n").unwrap_or(&self.token);
        if let Some(head) = token.strip_prefix(&[MARK]) {
            let mut words = head.split(|&byte| byte == b' ');
            let id = words.next().and_then(CommitId::from_hex);
            let time = words.next().and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
            self.commit = id.zip(time);
            return;
        }
        let Some((commit, time)) = self.commit.filter(|_| !token.is_empty()) else { return };
        let touched = self.files.entry(NotePath::new(token)).or_default();
        touched.commits += 1;
        if touched.commit.is_none() || time > touched.last {
            touched.last = time;
            touched.commit = Some(commit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touches_are_counted() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let log = format!("\x01{two} 20\0\na\0b c\0\0\x01{one} 10\0\na\0");
        // However it is cut.
        for size in [1, 7, 1000] {
            let mut reader = Reader::default();
            log.as_bytes().chunks(size).for_each(|chunk| reader.feed(chunk));
            let touched = |path: &str| reader.files.get(path.as_bytes()).copied().unwrap();
            assert_eq!(touched("a").commits, 2);
            assert_eq!(touched("a").last, 20);
            assert_eq!(touched("a").commit, CommitId::from_hex(two.as_bytes()));
            assert_eq!(touched("b c").commits, 1);
            assert_eq!(reader.files.len(), 2);
        }
    }
}
