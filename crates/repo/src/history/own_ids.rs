//! Our ids of blobs in a repository that names its objects by SHA-256.
//!
//! A file of the work tree is named by SHA-1 whatever git uses, so the contents that git holds are
//! named likewise, once each.

use rustc_hash::FxHashMap;

use super::super::{BlobId, Git, GitError, ObjectId};

/// A larger blob is not named, in bytes.
const MOST_BLOB_BYTES: usize = 64 * 1024 * 1024;
/// Longest line about a blob, in bytes.
const MOST_LINE_BYTES: usize = 256;

/// Our ids of these blobs. One that git does not hold, or that is too large, is left out.
pub fn own_ids(git: &Git, blobs: &[ObjectId]) -> Result<FxHashMap<ObjectId, BlobId>, GitError> {
    let mut asked = String::new();
    for blob in blobs {
        asked.push_str(&format!("{blob}\n"));
    }
    let mut named = FxHashMap::default();
    let mut batch = Batch::default();
    let mut odd = false;
    git.stream(&["cat-file", "--batch", "--buffer"], asked.as_bytes(), &mut |bytes| {
        let mut take = |blob, content: &[u8]| {
            named.insert(blob, BlobId::of(content));
        };
        odd = batch.feed(bytes, &mut take).is_none();
        !odd
    })?;
    if odd {
        return Err(GitError::Odd("an odd line in `git cat-file`".to_owned()));
    }
    Ok(named)
}

/// What `git cat-file --batch` says, taken piece by piece: `<id> <type> <size>`, the content and
/// a line feed, or `<id> missing`.
#[derive(Default)]
struct Batch {
    line: Vec<u8>,
    /// The blob whose content comes, and how much of it and of its line feed is still to come.
    blob: Option<(ObjectId, usize)>,
    /// `None` for content that is passed over.
    content: Option<Vec<u8>>,
}

impl Batch {
    /// `None` for anything but that.
    fn feed(&mut self, mut bytes: &[u8], take: &mut dyn FnMut(ObjectId, &[u8])) -> Option<()> {
        while !bytes.is_empty() {
            match &mut self.blob {
                None => {
                    let end = bytes.iter().position(|&byte| byte == b'\n');
                    let (line, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
                    self.line.extend_from_slice(line);
                    if self.line.len() > MOST_LINE_BYTES {
                        return None;
                    }
                    bytes = rest;
                    if end.is_some() {
                        bytes = &bytes[1..];
                        self.begin()?;
                    }
                }
                Some((blob, left)) => {
                    let (now, rest) = bytes.split_at((*left).min(bytes.len()));
                    *left -= now.len();
                    bytes = rest;
                    if let Some(content) = &mut self.content {
                        content.extend_from_slice(now);
                    }
                    if *left == 0 {
                        if let Some(content) = self.content.take() {
                            take(*blob, content.strip_suffix(b"\n")?);
                        }
                        self.blob = None;
                    }
                }
            }
        }
        Some(())
    }

    fn begin(&mut self) -> Option<()> {
        let line = std::mem::take(&mut self.line);
        let mut words = line.split(|&byte| byte == b' ');
        let blob = ObjectId::from_hex(words.next()?)?;
        if words.next()? == b"missing" {
            return Some(());
        }
        let size: usize = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
        self.blob = Some((blob, size.checked_add(1)?));
        self.content = (size <= MOST_BLOB_BYTES).then(Vec::new);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches() {
        fn check(said: &str, expected: Option<&[&str]>) {
            let said = said.replace('1', &"1".repeat(64)).replace('2', &"2".repeat(64));
            for size in [1, 5, said.len()] {
                let mut batch = Batch::default();
                let mut found = Vec::new();
                let mut take = |_, content: &[u8]| found.push(content.to_vec());
                let fed = said.as_bytes().chunks(size).try_for_each(|c| batch.feed(c, &mut take));
                let found: Vec<&str> =
                    found.iter().map(|content| std::str::from_utf8(content).unwrap()).collect();
                assert_eq!(fed.map(|()| &found[..]), expected, "{said}");
            }
        }
        check("1 blob 3\na\nb\n2 blob 0\n\n", Some(&["a\nb", ""]));
        check("1 missing\n2 blob 4\nabcd\n", Some(&["abcd"]));
        check("1 blob 99999999\nabc", Some(&[]));
        check("1 blob x\n", None);
        check("what\n", None);
        check(&"x".repeat(MOST_LINE_BYTES + 1), None);
    }
}
