//! Reading a file that may have been cut, glued, merged or overwritten. Pure.

use serde_json::value::RawValue;

use super::{Entry, record};
use elophanto_base::counted::counted;
use elophanto_base::jsonl::{self, Damage, Fault};
use elophanto_repo::journal::Limits;

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
    let mut is_complete = true;
    let found = jsonl::by_line(bytes, &Limits::default().file, |line| {
        let found = parse_line(line, folder_repo);
        is_complete &= !found.damage.iter().any(|damage| costs_a_record(&damage.fault));
        found
    });
    let entries = found.entries.into_iter().map(|entry| (entry.line, entry.record.0)).collect();
    let damage = found.damage.into_iter().map(|it| (it.line, it.fault.to_string()));
    let mut read = Read { entries, damage: damage.collect() };
    if found.more_damage > 0 {
        let last = read.damage.last().map_or(1, |(number, _)| *number);
        let more = counted(found.more_damage, "more fault");
        read.damage.push((last, format!("{more} from here on")));
    }
    (read, is_complete)
}

/// Each line with its end. A byte order mark at the start is no part of the first.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    bytes.split_inclusive(|&byte| byte == b'\n')
}

/// What stands on a line: each record with its own text, and faults. A line that holds one JSON
/// value is read at once; any other is left to [`jsonl::parse`], which knows every kind of damage.
pub(super) fn parse_line(line: &[u8], folder_repo: &str) -> jsonl::Read<(Entry, String)> {
    let caps = Limits::default().file;
    let bare = line.trim_ascii_end();
    let mut parsed = jsonl::Read::default();
    if bare.is_empty() {
        return parsed;
    }
    if bare.len() <= caps.line_bytes
        && let Ok(object) = serde_json::from_slice::<&RawValue>(bare)
    {
        add(&mut parsed, object.get(), bare, folder_repo);
        if line.ends_with(b"\r\n") {
            parsed.damage.push(Damage { line: 1, fault: Fault::CarriageReturn });
        } else if !line.ends_with(b"\n") {
            parsed.damage.push(Damage { line: 1, fault: Fault::NoFinalNewline });
        }
        return parsed;
    }
    let read = jsonl::parse::<Box<RawValue>>(line, &caps);
    for entry in read.entries {
        let object = entry.record.get();
        add(&mut parsed, object, object.as_bytes(), folder_repo);
    }
    parsed.damage.extend(read.damage);
    parsed
}

/// `line` is what the id of a record without one is made of.
fn add(parsed: &mut jsonl::Read<(Entry, String)>, object: &str, line: &[u8], folder_repo: &str) {
    match record::parse(object, line, folder_repo) {
        Ok(entry) => {
            let record = (entry, object.to_owned());
            parsed.entries.push(jsonl::Entry { line: 1, record });
        }
        Err(reason) => {
            parsed.damage.push(Damage { line: 1, fault: Fault::NotARecord { reason } });
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
