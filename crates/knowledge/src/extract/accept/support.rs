//! Whether a document bears out a sentence: one of its sentences says it of the same thing. Numbers, names, negation, what limits a claim and who does what to whom must be the
//! same; of other words one or two may be others. What gives orders bears nothing out.

mod claim;

use std::collections::HashMap;

use crate::extract::fold::fold;
use crate::extract::words::ORDERS;
use crate::extract::{Document, MAX_DOCUMENT_BYTES};
use claim::{Claim, Word, is_reference, words};
use elophanto_base::lexical::Analyzer;

/// Sentences that are compared with a fact: those that hold most of its words.
const MAX_COMPARED: usize = 40;
/// Words of a sentence; what has more without a stop is several.
const MAX_WORDS: usize = 500;
/// Bytes ahead of a name that a sentence begins with: an article, a mark.
const MOST_AHEAD: usize = 6;
/// Sentences before one that a pronoun in it may reach.
const REACH: usize = 3;

/// A document, prepared to be asked.
pub(super) struct Source {
    folded: String,
    title: String,
    said: Vec<Said>,
    /// Key of a word -> the sentences that hold it, ascending.
    places: HashMap<String, Vec<usize>>,
    analyzer: Analyzer,
}

/// A sentence of a document.
struct Said {
    /// 1-based, of its first word.
    line: usize,
    raw: String,
    folded: String,
    words: Vec<Word>,
    /// Number of its paragraph.
    paragraph: usize,
    /// The sentence that is the last heading before it.
    heading: Option<usize>,
    line_of: Line,
}

/// What a line is: an item or row says what it says alone, as far as it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Prose,
    Heading,
    /// Of a list or a table.
    Item,
}

impl Line {
    fn of(line: &str) -> Self {
        let line = line.trim_start();
        let numbered = line.trim_start_matches(|char: char| char.is_ascii_digit());
        let counts = numbered.len() < line.len() && numbered.starts_with([')', '.']);
        match line.chars().next() {
            Some('#') => Self::Heading,
            Some('|') => Self::Item,
            Some('-' | '*' | '+' | '•') if line.chars().nth(1).is_some_and(char::is_whitespace) => {
                Self::Item
            }
            _ if counts && numbered[1..].starts_with(char::is_whitespace) => Self::Item,
            _ => Self::Prose,
        }
    }
}

impl Source {
    pub(super) fn new(document: &Document<'_>) -> Self {
        let text = &document.text[..document.text.floor_char_boundary(MAX_DOCUMENT_BYTES)];
        let analyzer = Analyzer::new("english");
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        let mut said: Vec<Said> = Vec::new();
        let (mut line, mut done, mut paragraph, mut heading) = (1, 0, 0, None);
        for range in elophanto_text::sentences::sentences(text) {
            let between = &text[done..range.start];
            let raw = &text[range.clone()];
            line += between.matches('\n').count();
            paragraph += usize::from(between.matches('\n').count() > 1);
            // A heading and what follows it are one to the splitter, and so are items without stops.
            for (row, part) in raw.split_inclusive('\n').enumerate() {
                let line_of = Line::of(part);
                let open = said.last().filter(|last| {
                    row > 0
                        && last.line_of == Line::Prose
                        && line_of == Line::Prose
                        && last.words.len() < MAX_WORDS
                });
                if open.is_none() {
                    paragraph += usize::from(line_of == Line::Heading);
                    let (raw, folded, words) = Default::default();
                    said.push(Said { line, raw, folded, words, paragraph, heading, line_of });
                }
                let number = said.len() - 1;
                if let Some(last) = said.last_mut() {
                    last.raw.push_str(part);
                    last.words.extend(words(part, &analyzer));
                }
                if line_of == Line::Heading {
                    heading = Some(number);
                }
                line += part.matches('\n').count();
            }
            done = range.end;
        }
        said.iter_mut().for_each(|said| said.folded = fold(&std::mem::take(&mut said.raw)));
        for (number, sentence) in said.iter().enumerate() {
            if is_order(&sentence.folded) {
                continue;
            }
            for key in sentence.words.iter().flat_map(|word| &word.keys) {
                let held = places.entry(key.clone()).or_default();
                if held.last() != Some(&number) {
                    held.push(number);
                }
            }
        }
        let title = fold(document.title.unwrap_or_default());
        let folded = fold(&format!("{}\n{text}", document.title.unwrap_or_default()));
        Self { folded, title, said, places, analyzer }
    }

    /// Whether a name stands in the title or text, in any case.
    pub(super) fn holds(&self, name: &str) -> bool {
        holds(&self.folded, &fold(name))
    }

    /// The line from which on the document bears a sentence out, which is about the thing called
    /// `names`.
    pub(super) fn bears_out(&self, sentence: &str, names: &[&str]) -> Option<usize> {
        let claim = Claim::new(sentence, names, &self.analyzer)?;
        let mut hits: HashMap<usize, usize> = HashMap::new();
        for key in claim.keys() {
            for number in self.places.get(key).into_iter().flatten() {
                *hits.entry(*number).or_default() += 1;
            }
        }
        let mut hits: Vec<(usize, usize)> = hits.into_iter().collect();
        hits.sort_unstable_by_key(|(number, hits)| (std::cmp::Reverse(*hits), *number));
        let names: Vec<String> = names.iter().map(|name| fold(name)).collect();
        hits.iter().take(MAX_COMPARED).find_map(|(number, _)| {
            let it = self.said.get(*number).filter(|_| self.is_about(*number, &names))?;
            claim.is_said_by(&it.words).then_some(it.line)
        })
    }

    /// Whether a sentence names one of `names`, or goes on about what a sentence before it, its
    /// heading or the title names.
    fn is_about(&self, number: usize, names: &[String]) -> bool {
        let Some(it) = self.said.get(number) else { return false };
        let named = |text: &str| names.iter().any(|name| holds(text, name));
        if named(&it.folded) {
            return true;
        }
        let headed = it.heading.and_then(|heading| self.said.get(heading));
        let above = named(&self.title) || headed.is_some_and(|heading| named(&heading.folded));
        let refers = it.words.iter().any(|word| is_reference(&word.lower));
        let earlier = self.said.get(number.saturating_sub(REACH)..number).unwrap_or_default();
        // What stands first in a sentence is what `it` goes on about.
        let leads = |text: &str| {
            names.iter().any(|name| {
                let at = text.find(name.as_str()).filter(|_| holds(text, name));
                at.is_some_and(|at| at <= MOST_AHEAD || text[..at].trim_end().ends_with(','))
            })
        };
        let before =
            || earlier.iter().any(|one| one.paragraph == it.paragraph && leads(&one.folded));
        let first = it.words.iter().find(|word| !word.lower.is_empty());
        (above && !first.is_some_and(Word::begins_with_a_name)) || (refers && before())
    }
}

fn is_order(folded: &str) -> bool {
    ORDERS.iter().any(|order| folded.contains(order))
}

/// Whether a folded text holds a folded name as whole words.
pub(super) fn holds(text: &str, name: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    let spaced = |char: char| !char.is_alphanumeric() || is_unspaced(char);
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(name)) {
        let (start, end) = (from + at, from + at + name.len());
        let before = text[..start].chars().next_back().is_none_or(spaced);
        let after = text[end..].chars().next().is_none_or(spaced);
        let first = name.chars().next().is_none_or(spaced);
        let last = name.chars().next_back().is_none_or(spaced);
        // A plural is the same name.
        let plural = text[end..]
            .strip_prefix('s')
            .is_some_and(|rest| rest.chars().next().is_none_or(spaced));
        if (before || first) && (after || last || plural) {
            return true;
        }
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// Scripts that write no spaces between words.
fn is_unspaced(char: char) -> bool {
    matches!(u32::from(char), 0x0e00..=0x0eff | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2fa1f)
}
