//! Reading all files of both places, or the text of one.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

use memchr::{memchr, memmem::Finder};
use rayon::prelude::*;

use super::{Journal, JournalError, Limits, Place, Record};
use elophanto_base::jsonl::{self, Caps, Damage, Entry, Read};

/// What both places held.
#[derive(Debug, Default)]
pub struct Reading {
    /// Shared ones first, then by the id of their file and the order in it.
    pub records: Vec<Record>,
    /// Lines that could not be read whole, and the file they are in, up to the cap of one file.
    pub damage: Vec<(PathBuf, Damage)>,
    /// Faults beyond the cap.
    pub more_damage: usize,
    /// Files and folders that could not be read at all.
    pub unreadable: Vec<JournalError>,
}

impl Reading {
    /// What could not be read, each in a line.
    pub fn problems(&self) -> Vec<String> {
        let damage = self.damage.iter();
        let damage =
            damage.map(|(path, at)| format!("{}:{}: {}", path.display(), at.line, at.fault));
        let more = (self.more_damage > 0).then(|| format!("{} more faults", self.more_damage));
        damage.chain(more).chain(self.unreadable.iter().map(ToString::to_string)).collect()
    }
}

impl Journal {
    /// All records of these kinds, or of all if none is named. Takes no lock and writes nothing.
    /// What cannot be read is said beside the rest. A line of another kind is not looked into, so
    /// damage inside it is left to those who ask for that kind.
    pub fn read(&self, kinds: &[&str]) -> Reading {
        let Limits { bytes: max_bytes, file: caps, .. } = self.shared.limits();
        let mut reading = Reading::default();
        let mut paths = Vec::new();
        for place in [Place::Shared, Place::Local] {
            let listing = self.list(place);
            reading.unreadable.extend(listing.unreadable);
            paths.extend(listing.files.into_iter().map(|path| (place, path)));
        }
        let root = |place| self.files(place).root().ok().flatten();
        let (shared, local) = (root(Place::Shared), root(Place::Local));
        let total = AtomicU64::new(0);
        let read_file = |(place, path): &(Place, PathBuf)| {
            let root = if *place == Place::Shared { &shared } else { &local };
            // What has vanished since it was listed is empty.
            let Some(root) = root else { return Ok(Read::default()) };
            let bytes = self.files(*place).bytes(root, path)?;
            let length = bytes.len() as u64;
            if total.fetch_add(length, Ordering::Relaxed).saturating_add(length) > *max_bytes {
                return Err(JournalError::TooMuch { path: path.clone(), max: *max_bytes });
            }
            Ok(parse(&bytes, kinds, caps))
        };
        let read: Vec<_> = paths.par_iter().map(read_file).collect();
        for ((place, path), read) in paths.into_iter().zip(read) {
            match read {
                Ok(read) => {
                    let room = caps.faults.saturating_sub(reading.damage.len());
                    reading.more_damage +=
                        read.more_damage + read.damage.len().saturating_sub(room);
                    let damage = read.damage.into_iter().take(room);
                    reading.damage.extend(damage.map(|damage| (path.clone(), damage)));
                    let records = read.entries.into_iter().map(|entry| entry.record);
                    reading.records.extend(records.map(|record| Record { place, ..record }));
                }
                Err(error) => reading.unreadable.push(error),
            }
        }
        reading
    }
}

/// The records of these kinds, or of all if none is named, in the text of a file: one that git
/// holds, for example. Never fails: what cannot be read is damage.
pub fn parse_file(bytes: &[u8], kinds: &[&str]) -> Read<Record> {
    parse(bytes, kinds, &Limits::default().file)
}

/// Lines that are as we write them are read at once; any other is left to [`jsonl::parse`], which
/// knows every kind of damage.
fn parse(bytes: &[u8], kinds: &[&str], caps: &Caps) -> Read<Record> {
    let kind_field = Finder::new(br#""kind""#);
    let mut read = jsonl::by_line(bytes, caps, |line| {
        if is_other(line, kinds, &kind_field, caps) {
            return Read::default();
        }
        match sound(line, caps) {
            Some(record) => Read { entries: vec![Entry { line: 1, record }], ..Read::default() },
            None => jsonl::parse(line, caps),
        }
    });
    read.entries
        .retain(|Entry { record, .. }| kinds.is_empty() || kinds.contains(&record.kind.as_str()));
    read
}

/// The record of a line that holds one and nothing else.
fn sound(line: &[u8], caps: &Caps) -> Option<Record> {
    let object = line.strip_suffix(b"\n")?;
    let is_whole = object.len() <= caps.line_bytes && object.ends_with(b"}");
    // Spaces around it are no damage, but a carriage return is.
    (is_whole && object.starts_with(b"{")).then(|| serde_json::from_slice(object).ok())?
}

/// Whether a line holds a record of another kind and, going by the name of that field, no second
/// one glued to it. That is told without looking at its fields, for most lines are of another kind.
fn is_other(line: &[u8], kinds: &[&str], kind_field: &Finder<'_>, caps: &Caps) -> bool {
    let Some(rest) = line.strip_prefix(br#"{"kind":""#) else { return false };
    let Some((kind, rest)) = memchr(b'"', rest).and_then(|end| rest.split_at_checked(end)) else {
        return false;
    };
    !kinds.is_empty()
        && !kinds.iter().any(|wanted| wanted.as_bytes() == kind)
        && memchr(b'\\', kind).is_none()
        && rest.ends_with(b"}\n")
        && line.len() <= caps.line_bytes
        && kind_field.find(rest).is_none()
}
