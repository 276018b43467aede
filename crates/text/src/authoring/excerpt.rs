//! A part of a note: some of its lines, or what stands under a heading.

use std::cmp::Reverse;

use super::{
    likeness::{Pairs, likeness},
    slug::key,
};
use crate::markdown::{self, Document, Heading, Unparsable};
use elophanto_base::one_line::one_line;

/// Characters of a wanted heading that are looked at.
const MAX_WANTED_CHARS: usize = 1000;
/// Characters of a wanted heading that an error shows.
const MAX_SHOWN_CHARS: usize = 200;
/// Headings that are suggested where none is found.
const MAX_SUGGESTIONS: usize = 5;
/// Headings that are compared letter by letter.
const SHORTLIST: usize = 50;

/// What is wanted of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All lines.
    Whole,
    /// The text of a heading, or several from the outer to the inner as `A > B`.
    Heading(String),
    /// The first and the last line, counted from 1. What is behind the end is left out.
    Lines(usize, usize),
    /// What stands around a line, counted from 1: from the heading over it to the next one.
    Around(usize),
}

/// A part of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The first and the last line, counted from 1. An empty note has one line.
    pub lines: (usize, usize),
    /// These lines as they are, line ends included.
    pub text: String,
    /// The heading that was found, or the one over the first line.
    pub heading: Option<String>,
}

/// Why there is no such part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPart {
    /// With up to five headings that are there, the nearest first.
    #[error("no heading is `{wanted}`")]
    Heading { wanted: String, suggestions: Vec<String> },
    #[error("line {first} is behind the end: there are {lines} lines")]
    PastEnd { first: usize, lines: usize },
    #[error("{first}-{last} are no lines: they are counted from 1, the first one first")]
    Backwards { first: usize, last: usize },
    #[error("headings can't be told: {0}")]
    Unparsable(#[from] Unparsable),
}

/// Takes a part out of the text of a note. The section of a heading reaches to the next heading of
/// its level or above, without blank lines at its end.
///
/// # Errors
/// When there is no such part, with what there is instead.
pub fn excerpt(text: &str, part: &Part) -> Result<Excerpt, NoPart> {
    let lines = Lines::of(text);
    match part {
        Part::Whole => Ok(lines.excerpt(1, lines.count(), None)),
        Part::Lines(first, last) => {
            let (first, last) = (*first, *last);
            if first == 0 || last < first {
                return Err(NoPart::Backwards { first, last });
            }
            if first > lines.count() {
                return Err(NoPart::PastEnd { first, lines: lines.count() });
            }
            // A note whose structure is beyond reading still has lines.
            let headings = markdown::parse(text).map(|found| found.headings).unwrap_or_default();
            let above = headings.iter().take_while(|heading| heading.line <= first).last();
            let heading = above.map(|heading| heading.text.clone());
            Ok(lines.excerpt(first, last.min(lines.count()), heading))
        }
        Part::Around(line) => {
            let headings = markdown::parse(text).map(|found| found.headings).unwrap_or_default();
            let (above, below): (Vec<_>, Vec<_>) =
                headings.iter().partition(|heading| heading.line <= *line);
            let first = above.last().map_or(1, |heading| heading.line);
            let behind = below.first().map_or(lines.count() + 1, |heading| heading.line);
            excerpt(text, &Part::Lines(*line, *line))?;
            let heading = above.last().map(|heading| heading.text.clone());
            Ok(lines.excerpt(first, lines.last_said(first, behind).max(*line), heading))
        }
        Part::Heading(wanted) => section(text, &lines, wanted),
    }
}

fn section(text: &str, lines: &Lines<'_>, wanted: &str) -> Result<Excerpt, NoPart> {
    let document = markdown::parse(text)?;
    let wanted: String = wanted.chars().take(MAX_WANTED_CHARS).collect();
    let headings = &document.headings;
    let missing = || NoPart::Heading {
        wanted: one_line(&wanted, MAX_SHOWN_CHARS),
        suggestions: suggestions(&wanted, headings),
    };
    let from = find(&wanted, &document).and_then(|at| headings.get(at..));
    let (heading, rest) = from.and_then(<[_]>::split_first).ok_or_else(missing)?;
    let next = rest.iter().find(|next| next.level <= heading.level);
    let behind = next.map_or(lines.count() + 1, |next| next.line);
    let last = lines.last_said(heading.line, behind);
    Ok(lines.excerpt(heading.line, last, Some(heading.text.clone())))
}

/// The first heading with exactly this text, else with these words, else at the end of this path.
fn find(wanted: &str, document: &Document) -> Option<usize> {
    let headings = &document.headings;
    let bare = wanted.trim().trim_start_matches('#').trim();
    // A heading that is nothing but `#` is asked for by that.
    for text in [wanted.trim(), bare].into_iter().filter(|text| !text.is_empty()) {
        if let Some(at) = headings.iter().position(|heading| heading.text == text) {
            return Some(at);
        }
    }
    let keys: Vec<String> = headings.iter().map(|heading| key(&heading.text)).collect();
    let words = words(bare);
    if !words.is_empty()
        && let Some(at) = keys.iter().position(|key| *key == words)
    {
        return Some(at);
    }
    by_path(bare, document, &keys)
}

/// A heading that stands below others, not always directly. The note's title may be the first of
/// them, whether or not a heading says it.
fn by_path(wanted: &str, document: &Document, keys: &[String]) -> Option<usize> {
    if !wanted.contains('>') {
        return None;
    }
    let path: Vec<String> = wanted.split('>').map(words).filter(|part| !part.is_empty()).collect();
    let (last, above) = path.split_last()?;
    let title = document.title().map(key);
    let mut over: Vec<usize> = Vec::new();
    let headings = &document.headings;
    headings.iter().enumerate().find_map(|(at, heading)| {
        let is_over = |&over: &usize| headings.get(over).is_some_and(|it| it.level < heading.level);
        while over.last().is_some_and(|last| !is_over(last)) {
            over.pop();
        }
        // At most six deep, as levels ascend.
        let fits = keys.get(at) == Some(last) && {
            let chain: Vec<&str> =
                over.iter().filter_map(|at| keys.get(*at)).map(String::as_str).collect();
            let without_title =
                above.split_first().filter(|(first, _)| Some(*first) == title.as_ref());
            is_within(above, &chain)
                || without_title.is_some_and(|(_, rest)| is_within(rest, &chain))
        };
        over.push(at);
        fits.then_some(at)
    })
}

/// Whether these are among those, in this order.
fn is_within(wanted: &[String], chain: &[&str]) -> bool {
    let mut chain = chain.iter();
    wanted.iter().all(|wanted| chain.any(|found| found == wanted))
}

/// The words of what may be written with markup.
fn words(wanted: &str) -> String {
    // As a heading it is read with the same rules as those it is compared with.
    let parsed = markdown::parse(&format!("\n# {}", wanted.replace(['\n', '\r'], " ")));
    let plain = parsed.ok().and_then(|found| found.headings.into_iter().next());
    key(plain.as_ref().map_or(wanted, |heading| heading.text.as_str()))
}

fn suggestions(wanted: &str, headings: &[Heading]) -> Vec<String> {
    let wanted = words(wanted.rsplit('>').next().unwrap_or_default());
    let pairs = Pairs::of(&wanted);
    let mut found: Vec<(Reverse<usize>, usize, &str, String)> = headings
        .iter()
        .filter(|heading| !heading.text.is_empty())
        .map(|heading| (heading.line, heading.text.as_str(), key(&heading.text)))
        .map(|(line, text, key)| (Reverse(pairs.likeness(&key)), line, text, key))
        .collect();
    found.sort_unstable();
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|(_, _, text, _)| seen.insert(*text));
    found.truncate(SHORTLIST);
    for (likely, _, _, key) in &mut found {
        // Words in common count where letters in common do not suffice.
        likely.0 += likeness(&wanted, key);
    }
    found.sort_unstable();
    found.into_iter().take(MAX_SUGGESTIONS).map(|(_, _, text, _)| text.to_owned()).collect()
}

/// Lines as CommonMark ends them, so that their numbers are those of the headings.
struct Lines<'a> {
    text: &'a str,
    /// Offset of each line.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter_map(|(at, byte)| match byte {
            b'\n' => Some(at + 1),
            b'\r' if bytes.get(at + 1) != Some(&b'\n') => Some(at + 1),
            _ => None,
        });
        let mut starts = vec![0];
        starts.extend(ends.filter(|end| *end < text.len()));
        Self { text, starts }
    }

    fn count(&self) -> usize {
        self.starts.len()
    }

    /// Of a line behind the last one: the end of the text.
    fn start(&self, line: usize) -> usize {
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    /// The last line before `behind` that is not blank, or `first`.
    fn last_said(&self, first: usize, behind: usize) -> usize {
        let said = self.text.get(self.start(first)..self.start(behind)).unwrap_or_default();
        let blank = said.len() - said.trim_end().len();
        let end = self.start(behind) - blank;
        self.starts.partition_point(|start| *start < end).max(first)
    }

    fn excerpt(&self, first: usize, last: usize, heading: Option<String>) -> Excerpt {
        let text = self.text.get(self.start(first)..self.start(last + 1)).unwrap_or_default();
        Excerpt { lines: (first, last), text: text.to_owned(), heading }
    }
}
