//! The history of the notes as it is remembered between runs.

use std::{io, path::Path};

use rustc_hash::FxHashMap;

use super::{
    codec::{Malformed, Result, Writer, unseal},
    container::{read_whole, write_whole},
};
use elophanto_repo::{
    BlobId, CommitId, NotePath, ObjectId,
    history::{Change, History, Made},
};

const MAGIC: &[u8; 8] = b"ELOHIS01";

/// What is remembered in `file`; `None` if that is nothing, or damaged.
pub fn load(file: &Path) -> Option<History> {
    from_bytes(&read_whole(file).ok()?).ok()
}

/// Remembers a history.
///
/// # Errors
/// When the file cannot be written; it is then as it was.
pub fn save(file: &Path, history: &History) -> io::Result<()> {
    write_whole(file, &to_bytes(history))
}

fn to_bytes(history: &History) -> Vec<u8> {
    let mut out = Writer::begin(MAGIC);
    out.block(history.head.as_ref().map_or(&[][..], ObjectId::as_bytes));
    out.block(history.coverage.as_bytes());
    out.u8(u8::from(history.complete));
    // Many files were last changed by the same commit.
    let mut numbers: FxHashMap<CommitId, u64> = FxHashMap::default();
    let mut commits: Vec<Made> = Vec::new();
    for made in history.changes.iter().filter_map(|change| change.made) {
        numbers.entry(made.commit).or_insert_with(|| {
            commits.push(made);
            commits.len() as u64
        });
    }
    out.varint(commits.len() as u64);
    for made in &commits {
        out.block(made.commit.as_bytes());
        out.i64(made.time);
    }
    out.varint(history.changes.len() as u64);
    for change in &history.changes {
        out.block(change.path.as_bytes());
        out.block(change.object.as_bytes());
        // SHA-1 is our own name as well.
        if change.object.as_bytes().len() != BlobId::LENGTH {
            out.block(change.blob.as_ref().map_or(&[][..], |blob| &blob.as_bytes()[..]));
        }
        let number = change.made.and_then(|made| numbers.get(&made.commit).copied());
        out.varint(number.unwrap_or(0));
    }
    out.seal()
}

fn from_bytes(bytes: &[u8]) -> Result<History> {
    let mut reader = unseal(MAGIC, bytes)?;
    let id = |bytes: &[u8]| ObjectId::from_bytes(bytes).ok_or(Malformed);
    let head = match reader.block()? {
        [] => None,
        bytes => Some(id(bytes)?),
    };
    let coverage = reader.text()?.to_owned();
    let complete = reader.u8()? != 0;
    let mut commits = Vec::new();
    for _ in 0..reader.size()? {
        let commit = id(reader.block()?)?;
        commits.push(Made { commit, time: reader.i64()? });
    }
    let mut changes = Vec::new();
    for _ in 0..reader.size()? {
        let path = NotePath::new(reader.block()?);
        let object = id(reader.block()?)?;
        let blob = match object.as_bytes().try_into() {
            Ok(own) => Some(BlobId::from_bytes(own)),
            Err(_) => match reader.block()? {
                [] => None,
                bytes => Some(BlobId::from_bytes(bytes.try_into().map_err(|_| Malformed)?)),
            },
        };
        let made = match reader.size()? {
            0 => None,
            number => Some(*commits.get(number - 1).ok_or(Malformed)?),
        };
        changes.push(Change { path, object, blob, made });
    }
    Ok(History { head, coverage, complete, changes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::check_damage;

    fn sample() -> History {
        let id = |byte, length| ObjectId::from_bytes(&vec![byte; length]).unwrap();
        let own = BlobId::from_bytes([7; 20]);
        let change = |path: &[u8], length, blob, made| Change {
            path: NotePath::new(path),
            object: id(7, length),
            blob,
            made,
        };
        let made = Some(Made { time: -5, commit: id(2, 32) });
        History {
            head: Some(id(1, 20)),
            coverage: "all".to_owned(),
            complete: true,
            changes: vec![
                change(b"a.md", 20, Some(own), made),
                change(b"b\xff.md", 20, Some(own), None),
                change(b"c.md", 32, Some(own), made),
                change(b"d.md", 32, None, None),
            ],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for history in [sample(), History::default()] {
            assert_eq!(from_bytes(&to_bytes(&history)), Ok(history));
        }
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        check_damage(&to_bytes(&sample()), from_bytes);
    }
}
