//! The raw log of git, commit by commit. Pure.

use super::super::{CommitId, NotePath, ObjectId};

/// Longest piece between two NUL bytes that is waited for, in bytes.
const MOST_PIECE_BYTES: usize = 1024 * 1024;

/// What the log is printed by; [`Parser`] reads nothing else.
///
/// Raw rather than names only, because a file that was only renamed is known by its blob. `-c`
/// lists for a merge what differs from all of its parents: what the merge itself made.
pub const ARGUMENTS: &[&str] = &[
    "log",
    "--root",
    "--raw",
    "-z",
    "-c",
    "--full-history",
    "--no-follow",
    "--no-renames",
    "--no-relative",
    "--no-abbrev",
    "--no-color",
    "--no-notes",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "--format=%H %ct",
];

/// One commit and what it did to files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    pub id: CommitId,
    /// Committer's time in seconds since 1970.
    pub time: i64,
    pub records: Vec<Record>,
}

/// What a commit did to one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub path: NotePath,
    /// Its content in each of the parents; the zero id where there was none.
    pub before: Vec<ObjectId>,
    /// Its content in the commit; the zero id if it is no more.
    pub after: ObjectId,
}

/// The log says what cannot be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Odd;

/// Takes the log piece by piece.
#[derive(Default)]
pub struct Parser {
    /// Bytes after the last NUL.
    rest: Vec<u8>,
    commit: Option<Logged>,
    /// What was said of the path that comes next.
    blobs: Option<(Vec<ObjectId>, ObjectId)>,
}

impl Parser {
    /// Takes more of the log and hands over each commit that is complete, until `take` says
    /// `false`; then so does this.
    ///
    /// # Errors
    /// [`Odd`] for anything but the output of [`ARGUMENTS`].
    pub fn feed(
        &mut self,
        mut bytes: &[u8],
        take: &mut dyn FnMut(Logged) -> bool,
    ) -> Result<bool, Odd> {
        while let Some(end) = bytes.iter().position(|&byte| byte == 0) {
            let (piece, after) = (&bytes[..end], &bytes[end + 1..]);
            bytes = after;
            let done = if self.rest.is_empty() {
                self.piece(piece)?
            } else {
                let mut whole = std::mem::take(&mut self.rest);
                whole.extend_from_slice(piece);
                self.piece(&whole)?
            };
            if let Some(done) = done
                && !take(done)
            {
                return Ok(false);
            }
        }
        self.rest.extend_from_slice(bytes);
        if self.rest.len() > MOST_PIECE_BYTES { Err(Odd) } else { Ok(true) }
    }

    /// The last commit, at the end of the whole log.
    pub fn finish(self) -> Option<Logged> {
        self.commit
    }

    /// One piece between NUL bytes; a commit that it completes.
    fn piece(&mut self, piece: &[u8]) -> Result<Option<Logged>, Odd> {
        if let Some((before, after)) = self.blobs.take() {
            let record = Record { path: NotePath::new(piece), before, after };
            self.commit.as_mut().ok_or(Odd)?.records.push(record);
            return Ok(None);
        }
        // A line feed stands between a commit and its first record, or nothing at all.
        match piece.strip_prefix(b"\n").unwrap_or(piece) {
            [] => Ok(None),
            [b':', ..] => {
                self.blobs = Some(blobs(piece.trim_ascii_start()).ok_or(Odd)?);
                Ok(None)
            }
            header => {
                let next = commit(header).ok_or(Odd)?;
                Ok(self.commit.replace(next))
            }
        }
    }
}

/// `<id> <time>`
fn commit(header: &[u8]) -> Option<Logged> {
    let mut words = header.split(|&byte| byte == b' ');
    let id = ObjectId::from_hex(words.next()?)?;
    // A commit may be damaged so that it has no time: then nothing is known by it.
    let time = words.next().and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    Some(Logged { id, time: time.unwrap_or(i64::MIN), records: Vec::new() })
}

/// `:<mode> <mode> <id> <id> <status>`, with as many colons, and one more mode and id, as the
/// commit has parents.
fn blobs(piece: &[u8]) -> Option<(Vec<ObjectId>, ObjectId)> {
    let parents = piece.iter().take_while(|&&byte| byte == b':').count();
    let ids = piece.split(|&byte| byte == b' ').skip(parents + 1).take(parents + 1);
    let mut before: Vec<ObjectId> = ids.map(ObjectId::from_hex).collect::<Option<_>>()?;
    let after = before.pop().filter(|_| before.len() == parents)?;
    Some((before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: &str) -> ObjectId {
        digit.repeat(40).parse().unwrap()
    }

    /// `1`..`9` stand for whole ids, `@` for NUL.
    fn raw(text: &str) -> Vec<u8> {
        let mut raw = Vec::new();
        for byte in text.bytes() {
            match byte {
                b'0'..=b'9' => raw.extend_from_slice(&[byte; 40]),
                b'@' => raw.push(0),
                _ => raw.push(byte),
            }
        }
        raw
    }

    fn check(text: &str, expected: &str) {
        let raw = raw(text);
        // However it arrives, it is read alike.
        for size in [1, 7, raw.len().max(1)] {
            let mut parser = Parser::default();
            let mut found = Vec::new();
            let mut take = |commit: Logged| {
                found.push(commit);
                true
            };
            let fed = raw.chunks(size).try_for_each(|c| parser.feed(c, &mut take).map(|_| ()));
            let said = match fed {
                Err(Odd) => "odd".to_owned(),
                Ok(()) => {
                    found.extend(parser.finish());
                    found.iter().map(show).collect::<Vec<_>>().join("; ")
                }
            };
            assert_eq!(said, expected, "{text}");
        }
    }

    fn show(commit: &Logged) -> String {
        let digit = |id: &ObjectId| id.to_string()[..1].to_owned();
        let mut out = digit(&commit.id);
        for record in &commit.records {
            let before: String = record.before.iter().map(digit).collect();
            out.push_str(&format!(" {:?} {before}>{}", record.path, digit(&record.after)));
        }
        out
    }

    #[test]
    fn logs() {
        check("", "");
        check("1 t@@2 t@@", "1; 2");
        check("1 t@\n:m m 3 4 M@a.md@:m m 0 5 A@:b c@2 t@", "1 \"a.md\" 3>4 \":b c\" 0>5; 2");
        check("1 t@@::m m m 3 4 5 MM@a@:::m m m m 3 4 5 0 DDD@b@", "1 \"a\" 34>5 \"b\" 345>0");
        check("1 t@\n:m m 3 4 M@\na\n@2 t@", "1 \"\\na\\n\" 3>4; 2");
        check(":m m 3 4 M@a@", "odd");
        check("x@", "odd");
        check("1 t@:m m 3 x M@a@", "odd");
        check("1 t@::m m 3 4 M@a@", "odd");
    }

    #[test]
    fn a_taker_may_stop() {
        let mut parser = Parser::default();
        let mut seen = 0;
        let mut take = |_| {
            seen += 1;
            false
        };
        assert_eq!(parser.feed(&raw("1 t@@2 t@@3 t@@"), &mut take), Ok(false));
        assert_eq!(seen, 1);
    }

    #[test]
    fn times_are_read_as_they_are() {
        for (text, time) in [("-5", -5), ("253402300799", 253_402_300_799), ("", i64::MIN)] {
            let header = format!("{} {text}", id("1"));
            assert_eq!(commit(header.as_bytes()).unwrap().time, time);
        }
    }
}
