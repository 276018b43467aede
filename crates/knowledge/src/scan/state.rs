//! What was seen of the files at the last scan, so that the next one reads only what changed.
//!
//! Derived and local to the work tree: without it, every file is read again.

use std::{io, path::Path};

use elophanto_index::{
    plan::Stated,
    store::{
        codec::{Malformed, Writer, unseal},
        container::{read_whole, write_whole},
        manifest::{read_seen, write_seen},
    },
};
use elophanto_repo::{BlobId, FileStat, NotePath};

const MAGIC: &[u8; 8] = b"ELOSCN02";

/// What reading a file has shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Text that somebody wrote.
    Text,
    /// A tool wrote it: not described.
    Generated,
    /// Binary, in an unknown encoding, or too large.
    Unsupported,
    /// The system does not let us read it.
    Unreadable,
}

/// One file as it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub path: NotePath,
    pub stat: FileStat,
    /// When `stat` was taken, in nanoseconds since 1970.
    pub recorded: i64,
    /// The name of its content; all zero if that was not read.
    pub blob: BlobId,
    pub verdict: Verdict,
    /// Hashes of the names that it imports or links to.
    pub uses: Vec<u32>,
}

impl Stated for Seen {
    fn stated(&self) -> (&NotePath, &FileStat, i64) {
        (&self.path, &self.stat, self.recorded)
    }
}

/// What a scan found that left nothing to be asked: until something changes, the next one finds
/// the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Of the journal's files.
    pub stamp: [u8; 32],
    /// Of the settings that say what is looked for.
    pub wanted: u64,
    pub files: u64,
    pub indexed: u64,
    pub open: u64,
    /// In seconds since 1970.
    pub at: i64,
}

/// The state after a scan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// Sorted by path.
    pub files: Vec<Seen>,
    pub settled: Option<Settled>,
    /// The notes, by a digest of their paths and contents, whose gaps were looked for.
    pub notes: u64,
    /// When that was, in seconds since 1970.
    pub notes_checked: i64,
}

/// What is remembered in `file`; nothing if it is damaged.
pub fn load(file: &Path) -> State {
    read_whole(file).ok().and_then(|bytes| from_bytes(&bytes).ok()).unwrap_or_default()
}

/// Remembers a state.
///
/// # Errors
/// When the file cannot be written; it is then as it was.
pub fn save(file: &Path, state: &State) -> io::Result<()> {
    write_whole(file, &to_bytes(state))
}

fn to_bytes(state: &State) -> Vec<u8> {
    let mut out = Writer::begin(MAGIC);
    out.u64(state.notes);
    out.i64(state.notes_checked);
    out.u8(u8::from(state.settled.is_some()));
    if let Some(settled) = &state.settled {
        out.bytes.extend_from_slice(&settled.stamp);
        for number in [settled.wanted, settled.files, settled.indexed, settled.open] {
            out.u64(number);
        }
        out.i64(settled.at);
    }
    out.varint(state.files.len() as u64);
    for file in &state.files {
        write_seen(&mut out, &file.path, &file.stat, file.recorded, &file.blob);
        out.u8(match file.verdict {
            Verdict::Text => 0,
            Verdict::Generated => 1,
            Verdict::Unsupported => 2,
            Verdict::Unreadable => 3,
        });
        out.varint(file.uses.len() as u64);
        for name in &file.uses {
            out.u32(*name);
        }
    }
    out.seal()
}

fn from_bytes(bytes: &[u8]) -> Result<State, Malformed> {
    let mut reader = unseal(MAGIC, bytes)?;
    let (notes, notes_checked) = (reader.u64()?, reader.i64()?);
    let settled = match reader.u8()? {
        0 => None,
        _ => Some(Settled {
            stamp: reader.take(32)?.try_into().map_err(|_| Malformed)?,
            wanted: reader.u64()?,
            files: reader.u64()?,
            indexed: reader.u64()?,
            open: reader.u64()?,
            at: reader.i64()?,
        }),
    };
    let mut files = Vec::new();
    for _ in 0..reader.size()? {
        let (path, stat, recorded, blob) = read_seen(&mut reader)?;
        let verdict = match reader.u8()? {
            0 => Verdict::Text,
            1 => Verdict::Generated,
            2 => Verdict::Unsupported,
            3 => Verdict::Unreadable,
            _ => return Err(Malformed),
        };
        let mut uses = Vec::new();
        for _ in 0..reader.size()? {
            uses.push(reader.u32()?);
        }
        files.push(Seen { path, stat, recorded, blob, verdict, uses });
    }
    Ok(State { files, settled, notes, notes_checked })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_noticed() {
        let verdicts =
            [Verdict::Text, Verdict::Generated, Verdict::Unsupported, Verdict::Unreadable];
        let file = |(number, verdict): (usize, Verdict)| Seen {
            path: NotePath::new(vec![b'a' + number as u8, 0xff]),
            stat: FileStat { size: 5, mtime: -1, ctime: 7, inode: 9 },
            recorded: 11,
            blob: BlobId::of(b"x"),
            verdict,
            uses: vec![1, u32::MAX],
        };
        let files = verdicts.into_iter().enumerate().map(file).collect();
        let settled =
            Settled { stamp: [7; 32], wanted: 1, files: 2, indexed: 3, open: u64::MAX, at: -1 };
        let state = State { files, settled: Some(settled), notes: 3, notes_checked: -4 };
        let bytes = to_bytes(&state);
        assert_eq!(from_bytes(&bytes), Ok(state));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(from_bytes(&damaged), Err(Malformed), "bit {bit}");
        }
    }
}
