//! The file that holds a [`Baseline`]: binary, with a checksum at its end.

use super::{
    baseline::{Baseline, Entry},
    name::Name,
    record::Place,
    state::{Digest, Opaque, State},
};
use elophanto_repo::{FileStat, ObjectId};

const MAGIC: &[u8; 8] = b"eloBase2";
const HASH: usize = 32;
/// Bits of what is said of a file.
const RACY: u8 = 1;
const PRIVATE: u8 = 2;

/// The bytes of a file for it.
pub(super) fn encode(baseline: &Baseline) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    id(&mut out, baseline.commit.as_ref());
    number(&mut out, baseline.extras.len() as u64);
    baseline.extras.iter().for_each(|extra| id(&mut out, Some(extra)));
    number(&mut out, baseline.entries.len() as u64);
    for (name, entry) in &baseline.entries {
        bytes(&mut out, name.as_bytes());
        state(&mut out, &entry.state);
        if let State::File { .. } = entry.state {
            let FileStat { size, mtime, ctime, inode } = entry.stat;
            numbers(&mut out, &[size, mtime as u64, ctime as u64, inode]);
            out.push(RACY * u8::from(entry.is_racy) + PRIVATE * u8::from(entry.is_private()));
            id(&mut out, entry.blob());
        }
    }
    let hash = blake3::hash(&out);
    out.extend_from_slice(hash.as_bytes());
    out
}

/// Reads what [`encode`] wrote; `None` for anything else.
pub(super) fn decode(file: &[u8]) -> Option<Baseline> {
    let (body, hash) = file.split_last_chunk::<HASH>()?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let mut rest = Rest(body.strip_prefix(MAGIC)?);
    let commit = rest.id()?;
    let extras = (0..rest.number()?).map(|_| rest.id().flatten()).collect::<Option<Vec<_>>>()?;
    let count = usize::try_from(rest.number()?).ok()?;
    let mut entries = Vec::with_capacity(count.min(body.len() / 8));
    for _ in 0..count {
        let name = Name::new(rest.bytes()?);
        let state = rest.state()?;
        let mut entry = Entry::plain(state);
        if let State::File { .. } = entry.state {
            let mut next = || rest.number();
            entry.stat = FileStat {
                size: next()?,
                mtime: next()? as i64,
                ctime: next()? as i64,
                inode: next()?,
            };
            let [flags] = rest.take(1)? else { return None };
            entry.is_racy = flags & RACY != 0;
            let place = rest.id()?.map(Place::Blob);
            entry.place = if flags & PRIVATE != 0 { Some(Place::Private) } else { place };
        }
        entries.push((name, entry));
    }
    rest.0.is_empty().then_some(Baseline { commit, extras, entries })
}

fn number(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn numbers(out: &mut Vec<u8>, values: &[u64]) {
    values.iter().for_each(|value| number(out, *value));
}

fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    number(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn id(out: &mut Vec<u8>, value: Option<&ObjectId>) {
    let value = value.map_or(&[][..], ObjectId::as_bytes);
    out.push(value.len() as u8);
    out.extend_from_slice(value);
}

fn state(out: &mut Vec<u8>, state: &State) {
    match state {
        State::Absent => out.push(0),
        State::File { mode, size, digest } => {
            out.push(1);
            number(out, u64::from(*mode));
            number(out, *size);
            out.extend_from_slice(&digest.0);
        }
        State::Link { target } => {
            out.push(2);
            bytes(out, target.as_bytes());
        }
        State::Folder { mode } => {
            out.push(3);
            number(out, u64::from(*mode));
        }
        State::Opaque(Opaque::Special) => out.push(4),
        State::Opaque(Opaque::Nested) => out.push(5),
        State::Opaque(Opaque::Large { size, mtime, ctime, inode }) => {
            out.push(6);
            numbers(out, &[*size, *mtime as u64, *ctime as u64, *inode]);
        }
        State::Opaque(Opaque::TooMuch) => out.push(7),
        State::Opaque(Opaque::Unreadable) => out.push(8),
    }
}

struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let count = usize::try_from(self.number()?).ok()?;
        self.take(count)
    }

    /// The outer `None` is damage.
    fn id(&mut self) -> Option<Option<ObjectId>> {
        match self.take(1)? {
            [0] => Some(None),
            [count] => ObjectId::from_bytes(self.take(usize::from(*count))?).map(Some),
            _ => None,
        }
    }

    fn state(&mut self) -> Option<State> {
        let mode = |rest: &mut Self| u32::try_from(rest.number()?).ok();
        Some(match self.take(1)? {
            [0] => State::Absent,
            [1] => State::File {
                mode: mode(self)?,
                size: self.number()?,
                digest: Digest(self.take(HASH)?.try_into().ok()?),
            },
            [2] => State::Link { target: Name::new(self.bytes()?) },
            [3] => State::Folder { mode: mode(self)? },
            [4] => State::Opaque(Opaque::Special),
            [5] => State::Opaque(Opaque::Nested),
            [6] => State::Opaque(Opaque::Large {
                size: self.number()?,
                mtime: self.number()? as i64,
                ctime: self.number()? as i64,
                inode: self.number()?,
            }),
            [7] => State::Opaque(Opaque::TooMuch),
            [8] => State::Opaque(Opaque::Unreadable),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_and_notices_damage() {
        let id = ObjectId::from_bytes(&[7; 20]);
        let place = id.map(Place::Blob);
        let entry = |state| Entry { is_racy: true, place: place.clone(), ..Entry::plain(state) };
        let file = State::File { mode: 0o644, size: 3, digest: Digest::of(b"abc") };
        let large = Opaque::Large { size: 1, mtime: -2, ctime: 3, inode: 4 };
        let baseline = Baseline {
            commit: id,
            extras: id.into_iter().collect(),
            entries: vec![
                (Name::new("a"), entry(file.clone())),
                (Name::new(b"\xff"), Entry::plain(State::Link { target: Name::new("a") })),
                (Name::new("d"), Entry::plain(State::Folder { mode: 0o755 })),
                (Name::new("k"), Entry { place: Some(Place::Private), ..Entry::plain(file) }),
                (Name::new("l"), Entry::plain(State::Opaque(large))),
            ],
        };
        let bytes = encode(&baseline);
        assert_eq!(decode(&bytes), Some(baseline));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(decode(&damaged), None, "{at}");
            assert_eq!(decode(&bytes[..at]), None, "{at}");
        }
    }
}
