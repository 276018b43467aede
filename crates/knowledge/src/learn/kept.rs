//! The texts that facts were found in, as long as the user wants them, and where in them a fact stands.
//!
//! On this machine they are part of what searches brought ([`responses`]); where git carries them, each
//! is a file of its own, named by its hash and never changed. It refuses to know what the settings say.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{
    LearnError,
    entity_store::{EntitySnapshot, ParsedPage},
    log::Log,
    record::{SOURCE, Search, SourceRecord},
    responses::{self, Finding},
};
use elophanto_base::{
    beneath::{self, Folder},
    secrets,
};
use elophanto_repo::{
    NotePath, WriteError, journal::Place, read_note, record_store::RecordStore, remove_beneath,
    write_beneath,
};
use elophanto_text::sentences::sentences;

/// Where git carries texts, relative to the root.
pub const FOLDER: &str = ".elophanto/sources";
/// Largest text, in bytes.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// A sentence that holds less than this share of a fact's words is not where it stands.
const LEAST_SHARED: f32 = 0.6;

/// How long the texts of sources are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// Until they were read.
    None,
    /// On this machine.
    #[default]
    Local,
    /// On this machine, and those that facts were found in also in git.
    Git,
}

/// Writes down what is known of the sources in which facts were found, and keeps or drops their texts.
///
/// # Errors
/// When something cannot be written down.
pub fn settle(
    record_store: &RecordStore,
    keep: Keep,
    place: Place,
    search: &Search,
    findings: &[Finding],
    used: &dyn Fn(&str) -> bool,
    now: Timestamp,
) -> Result<(), LearnError> {
    let mut records = Vec::new();
    for finding in findings {
        let Some(url) = finding.url.as_deref().map(|url| secrets::mask(url).0.into_owned()) else {
            continue;
        };
        if !used(&url) {
            continue;
        }
        let hash = hash_of(&finding.text);
        if keep == Keep::Git {
            let root = &record_store.repository.root;
            if read_note(root, &NotePath::from(path_of(&hash).as_path()), MOST_BYTES).is_err() {
                match write_beneath(root, &path_of(&hash), finding.text.as_bytes()) {
                    // Its name is the hash of its text: git holds the same.
                    Err(WriteError::LeftOut { .. }) => {}
                    written => written?,
                }
            }
        }
        records.push(SourceRecord {
            kind: SOURCE.to_owned(),
            id: SourceRecord::id_of(&search.id, &url),
            at: now,
            search: search.id.clone(),
            url,
            title: finding.title.clone(),
            byline: finding.byline.clone(),
            text_hash: hash,
            characters: finding.text.chars().count(),
        });
    }
    record_store.write(place, &records)?;
    let response = search.response_hash.as_deref().filter(|_| keep == Keep::None);
    response
        .map_or(Ok(()), |hash| responses::drop_one(record_store, hash))
        .map_err(LearnError::Response)
}

/// The text of a source, as it was when it was read; `None` if it is not kept here.
pub fn text(record_store: &RecordStore, log: &Log, source: &SourceRecord) -> Option<String> {
    let is_its = |text: &String| hash_of(text) == source.text_hash;
    let search = log.searches.get(&source.search);
    let response = search.and_then(|search| search.response_hash.as_deref());
    let here = response.and_then(|hash| responses::load(record_store, hash));
    let mut here = here.into_iter().flatten().map(|finding| finding.text);
    here.find(is_its).or_else(|| {
        let path = NotePath::from(path_of(&source.text_hash).as_path());
        let (bytes, _) = read_note(&record_store.repository.root, &path, MOST_BYTES).ok()?;
        String::from_utf8(bytes).ok().filter(is_its)
    })
}

/// Texts in git that no line of a page has as its source any more, and their bytes; they are removed
/// unless `dry`. What is being committed right now is not looked at.
///
/// # Errors
/// When one cannot be removed.
pub fn tidy(
    record_store: &RecordStore,
    log: &Log,
    snapshot: &EntitySnapshot,
    dry: bool,
) -> Result<(usize, u64), LearnError> {
    let root = &record_store.repository.root;
    let mut named: BTreeSet<PathBuf> = BTreeSet::new();
    // A line that was taken out may be put back, and needs what it was found in.
    let taken_out = snapshot.retirements.iter().filter_map(|line| line.raw.clone());
    let taken_out: Vec<ParsedPage> = taken_out.map(ParsedPage::of).collect();
    let pages = snapshot.pages.values().chain(&taken_out);
    for line in pages.flat_map(|parsed| &parsed.page.lines) {
        let Some((search, source)) = line.search.as_deref().zip(line.source.as_deref()) else {
            continue;
        };
        let record = log.sources.get(&SourceRecord::id_of(search, source));
        named.extend(record.map(|record| path_of(&record.text_hash)));
    }
    let entries = Folder::open(root).and_then(|root| root.entries(Path::new(FOLDER)));
    let (mut files, mut bytes) = (0, 0);
    for (name, kind) in entries.into_iter().flatten().flatten() {
        let path = Path::new(FOLDER).join(name);
        let is_ours = path.extension().is_some_and(|extension| extension == "txt");
        if kind != beneath::Kind::File || !is_ours || named.contains(&path) {
            continue;
        }
        let size = read_note(root, &NotePath::from(path.as_path()), MOST_BYTES);
        files += 1;
        bytes += size.map_or(0, |(text, _)| text.len() as u64);
        if !dry {
            remove_beneath(root, &path)?;
        }
    }
    Ok((files, bytes))
}

fn hash_of(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// A hash in a record may be anything.
fn path_of(hash: &str) -> PathBuf {
    let plain: String = hash.chars().filter(char::is_ascii_hexdigit).collect();
    Path::new(FOLDER).join(format!("{plain}.txt"))
}

/// Where in a text a fact stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// First and last line, from 1.
    pub lines: (usize, usize),
    /// First character and the one behind the last, from 0.
    pub characters: (usize, usize),
    pub text: String,
}

/// The sentence of a text that says a fact, as far as its words tell. Of `Name – predicate: value`, which
/// has the name from elsewhere on its page, the line with the value and most of the rest is meant.
pub fn passage(text: &str, fact: &str) -> Option<Passage> {
    let Some((_, own)) = fact.split_once(" – ") else { return stands(text, fact, "") };
    match own.split_once(": ") {
        Some((predicate, value)) => stands(text, &format!("{predicate} {value}"), value)
            .or_else(|| stands(text, value, value)),
        None => stands(text, own, ""),
    }
    .or_else(|| stands(text, fact, own.rsplit(": ").next().unwrap_or_default()))
}

/// The sentence that has most of the words of a fact, and all of those of a value.
fn stands(text: &str, fact: &str, value: &str) -> Option<Passage> {
    let (wanted, needed) = (words(fact), words(value));
    let mut best: Option<(f32, std::ops::Range<usize>)> = None;
    let mut start = 0;
    for block in text.split_inclusive('\n') {
        for range in sentences(block) {
            let Some(sentence) = block.get(range.clone()) else { continue };
            let own = words(sentence);
            if !needed.iter().all(|word| own.contains(word)) {
                continue;
            }
            let shared = wanted.iter().filter(|word| own.contains(word)).count();
            // Of two that hold all of it the shorter one is meant.
            let value = shared as f32 / wanted.len().max(1) as f32 - own.len() as f32 / 10_000.0;
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                best = Some((value, start + range.start..start + range.end));
            }
        }
        start += block.len();
    }
    let (_, range) = best.filter(|(value, _)| *value >= LEAST_SHARED)?;
    let (before, said) = (text.get(..range.start)?, text.get(range.clone())?);
    let first = before.matches('\n').count() + 1;
    let characters = before.chars().count();
    Some(Passage {
        lines: (first, first + said.trim_end().matches('\n').count()),
        characters: (characters, characters + said.trim_end().chars().count()),
        text: said.trim_end().to_owned(),
    })
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|char: char| !char.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_found_where_it_stands() {
        let text = "# KEF\n\nKEF makes speakers. It was founded in 1961 by Raymond Cooke.\n\n- Né à Maidstone\n\n| Height of the box | 32 cm |\n| Year | 1961 |\n";
        for (fact, expected) in [
            (
                "KEF was founded in 1961 by Raymond Cooke.",
                Some((3, "It was founded in 1961 by Raymond Cooke.")),
            ),
            ("KEF makes speakers.", Some((3, "KEF makes speakers."))),
            ("Speakers – KEF makes speakers.", Some((3, "KEF makes speakers."))),
            ("KEF was bought in 1992 by GP Acoustics.", None),
            ("KEF – Height of the box: 32 cm", Some((7, "| Height of the box | 32 cm |"))),
            ("KEF LS50 Meta – Speaker, Year: 1961", Some((8, "| Year | 1961 |"))),
            ("KEF – Height of the box: 33 cm", None),
            ("", None),
        ] {
            let found = passage(text, fact);
            let shown = found.as_ref().map(|it| (it.lines.0, it.text.as_str()));
            assert_eq!(shown, expected, "{fact}");
            if let Some(found) = found {
                let (from, to) = found.characters;
                let marked: String = text.chars().skip(from).take(to - from).collect();
                assert_eq!(marked, found.text);
            }
        }
        assert_eq!(passage("", "KEF makes speakers."), None);
    }
}
