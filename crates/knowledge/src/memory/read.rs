//! Reading a file that may have been cut, glued, merged or overwritten. Pure.

use serde_json::value::RawValue;

use super::{Entry, record};
use elophanto_base::jsonl::{self, Caps, Fault};

/// What a file held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Read {
    /// In the order of the file, with their lines (1-based).
    pub entries: Vec<(usize, Entry)>,
    /// What is wrong with which line (1-based), in the order of the file. What can be told apart on
    /// such a line is among the entries all the same.
    pub damage: Vec<(usize, String)>,
}

impl Read {
    /// What is wrong, in one line; `None` if nothing is.
    pub fn damage_told(&self) -> Option<String> {
        /// Faults that are told one by one.
        const MOST: usize = 3;
        let told = self.damage.iter().take(MOST);
        let mut told: Vec<_> =
            told.map(|(line, reason)| format!("line {line}: {reason}")).collect();
        let more = self.damage.len().saturating_sub(MOST);
        if more > 0 {
            told.push(format!("and {more} more"));
        }
        (!told.is_empty()).then(|| told.join("; "))
    }
}

/// Reads the text of a file. `folder_repo` is the repository of records that name none. Never
/// fails: what cannot be read is damage.
pub fn parse_file(bytes: &[u8], folder_repo: &str) -> Read {
    parse(bytes, folder_repo).0
}

/// Says beside it whether every record of the file was read: some damage costs none.
pub(super) fn parse(bytes: &[u8], folder_repo: &str) -> (Read, bool) {
    let (mut read, mut is_complete) = (Read::default(), true);
    let (mut carriage_return, mut more_damage) = (false, 0);
    let caps = caps();
    for (index, line) in lines(bytes).enumerate() {
        let number = index + 1;
        let ParsedLine { found, faults } = parse_line(line, folder_repo);
        read.entries.extend(found.into_iter().map(|(entry, _)| (number, entry)));
        for fault in faults {
            is_complete &= !costs_a_record(&fault);
            // Said once per file: who ended one line like that has ended them all so.
            if fault == Fault::CarriageReturn && std::mem::replace(&mut carriage_return, true) {
                continue;
            }
            if read.damage.len() < caps.faults {
                read.damage.push((number, fault.to_string()));
            } else {
                more_damage += 1;
            }
        }
    }
    if more_damage > 0 {
        let last = read.damage.last().map_or(1, |(number, _)| *number);
        read.damage.push((last, format!("{more_damage} more faults from here on")));
    }
    (read, is_complete)
}

/// How much is read: more than we write, for other programs write as well.
pub(super) fn caps() -> Caps {
    Caps { line_bytes: 1024 * 1024, file_bytes: 64 * 1024 * 1024, faults: 1_000 }
}

/// Each line with its end. A byte order mark at the start is no part of the first.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    bytes.split_inclusive(|&byte| byte == b'\n')
}

/// What stands on a line.
pub(super) struct ParsedLine {
    /// Each record with its own text.
    pub found: Vec<(Entry, String)>,
    pub faults: Vec<Fault>,
}

/// A line that holds one JSON value is read at once; any other is left to [`jsonl::parse`], which
/// knows every kind of damage.
pub(super) fn parse_line(line: &[u8], folder_repo: &str) -> ParsedLine {
    let caps = caps();
    let bare = line.trim_ascii_end();
    let mut parsed = ParsedLine { found: Vec::new(), faults: Vec::new() };
    if bare.is_empty() {
        return parsed;
    }
    if bare.len() <= caps.line_bytes
        && let Ok(object) = serde_json::from_slice::<&RawValue>(bare)
    {
        parsed.add(object.get(), bare, folder_repo);
        if line.ends_with(b"\r\n") {
            parsed.faults.push(Fault::CarriageReturn);
        } else if !line.ends_with(b"\n") {
            parsed.faults.push(Fault::NoFinalNewline);
        }
        return parsed;
    }
    let read = jsonl::parse::<Box<RawValue>>(line, &caps);
    for entry in read.entries {
        let object = entry.record.get();
        parsed.add(object, object.as_bytes(), folder_repo);
    }
    parsed.faults.extend(read.damage.into_iter().map(|damage| damage.fault));
    parsed
}

impl ParsedLine {
    /// `line` is what the id of a record without one is made of.
    fn add(&mut self, object: &str, line: &[u8], folder_repo: &str) {
        match record::parse(object, line, folder_repo) {
            Ok(entry) => self.found.push((entry, object.to_owned())),
            Err(reason) => self.faults.push(Fault::NotARecord { reason }),
        }
    }
}

fn costs_a_record(fault: &Fault) -> bool {
    match fault {
        Fault::CutOff
        | Fault::TooLong { .. }
        | Fault::NotJson { .. }
        | Fault::NotARecord { .. } => true,
        Fault::NoFinalNewline
        | Fault::Glued { .. }
        | Fault::Zeros { .. }
        | Fault::CarriageReturn
        | Fault::ConflictMarker => false,
    }
}
