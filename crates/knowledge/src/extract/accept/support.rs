//! Whether a document bears out a sentence: most of its words stand there close together, and all
//! of its numbers, its names and its negation do. What gives orders bears nothing out.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::extract::fold::fold;
use crate::extract::words::ORDERS;
use crate::extract::{Document, MAX_DOCUMENT_BYTES};
use elophanto_base::lexical::Analyzer;

/// Words in which a fact must be found: a few sentences.
const WINDOW: usize = 80;
/// Share of a fact's content words that must be found.
const ENOUGH: f64 = 0.7;
/// Places of a word that are looked at; a word that is everywhere bears nothing out.
const MAX_PLACES: usize = 20_000;

/// A document, prepared to be asked.
pub(super) struct Source {
    folded: String,
    /// Term, number or negation -> the words of the document that hold it.
    places: HashMap<String, Vec<usize>>,
    /// The 1-based line of each word.
    lines: Vec<usize>,
    analyzer: Analyzer,
}

impl Source {
    pub(super) fn new(document: &Document<'_>) -> Self {
        let text = &document.text[..document.text.floor_char_boundary(MAX_DOCUMENT_BYTES)];
        let analyzer = Analyzer::new("english");
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        let mut lines = Vec::new();
        for sentence in sentences(text) {
            let bears = !is_order(&sentence);
            for (number, word) in sentence {
                for key in if bears { keys(word, &analyzer) } else { Vec::new() } {
                    let held = places.entry(key).or_default();
                    if held.len() < MAX_PLACES && held.last() != Some(&lines.len()) {
                        held.push(lines.len());
                    }
                }
                lines.push(number);
            }
        }
        let folded = fold(&format!("{}\n{text}", document.title.unwrap_or_default()));
        Self { folded, places, lines, analyzer }
    }

    /// Whether a name stands in the title or text, in any case.
    pub(super) fn holds(&self, name: &str) -> bool {
        holds(&self.folded, &fold(name))
    }

    /// The line from which on the document bears a sentence out. Words of `names` need no proof.
    pub(super) fn bears_out(&self, sentence: &str, names: &[&str]) -> Option<usize> {
        let own: HashSet<String> = names
            .iter()
            .flat_map(|name| name.split_whitespace())
            .flat_map(|word| keys(word, &self.analyzer))
            .collect();
        let (mut wanted, mut strict): (Vec<String>, Vec<bool>) = Default::default();
        let mut says = false;
        for (number, word) in sentence.split_whitespace().enumerate() {
            let is_name = number > 0 && is_capitalised(word);
            for key in keys(word, &self.analyzer) {
                if !own.contains(&key) && !wanted.contains(&key) {
                    let is_mark = key.starts_with(['#', '!']);
                    says |= !is_mark;
                    strict.push(is_mark || is_name);
                    wanted.push(key);
                }
            }
        }
        if !says {
            return None;
        }
        let words = strict.iter().filter(|strict| !**strict).count();
        let mut hits: Vec<(usize, usize)> = Vec::new();
        for (number, key) in wanted.iter().enumerate() {
            match self.places.get(key) {
                Some(held) => hits.extend(held.iter().map(|place| (*place, number))),
                None if strict.get(number) == Some(&true) => return None,
                None => {}
            }
        }
        hits.sort_unstable();
        self.window(&hits, &strict, words)
    }

    /// Slides over the hits until enough words and all strict ones stand within one window.
    fn window(&self, hits: &[(usize, usize)], strict: &[bool], words: usize) -> Option<usize> {
        let enough = if words <= 3 { words } else { (words as f64 * ENOUGH).ceil() as usize };
        let all_strict = strict.len() - words;
        let mut counts = vec![0_usize; strict.len()];
        let (mut soft, mut hard, mut start) = (0, 0, 0);
        let is_strict = |number: usize| strict.get(number).copied().unwrap_or(false);
        for (place, number) in hits {
            if let Some(count) = counts.get_mut(*number) {
                *count += 1;
                if *count == 1 {
                    if is_strict(*number) { hard += 1 } else { soft += 1 }
                }
            }
            while let Some((first, gone)) =
                hits.get(start).filter(|(first, _)| place - first > WINDOW)
            {
                let _ = first;
                if let Some(count) = counts.get_mut(*gone) {
                    *count -= 1;
                    if *count == 0 {
                        if is_strict(*gone) { hard -= 1 } else { soft -= 1 }
                    }
                }
                start += 1;
            }
            if soft >= enough && hard == all_strict {
                let (first, _) = hits.get(start)?;
                return self.lines.get(*first).copied();
            }
        }
        None
    }
}

/// The words of each sentence with their 1-based lines.
fn sentences(text: &str) -> Vec<Vec<(usize, &str)>> {
    let (mut line, mut done) = (1, 0);
    let mut words = |sentence: Range<usize>| {
        let mut all = Vec::new();
        for (at, row) in text[sentence.clone()].split('\n').enumerate() {
            all.extend(row.split_whitespace().map(|word| (at, word)));
        }
        line += text[done..sentence.start].matches('\n').count();
        let first = line;
        line += text[sentence.clone()].matches('\n').count();
        done = sentence.end;
        all.iter_mut().for_each(|(number, _)| *number += first);
        all
    };
    elophanto_text::sentences::sentences(text).into_iter().map(&mut words).collect()
}

fn is_order(sentence: &[(usize, &str)]) -> bool {
    let words: Vec<String> = sentence.iter().map(|(_, word)| word.to_lowercase()).collect();
    let said = words.join(" ");
    ORDERS.iter().any(|order| said.contains(order))
}

fn is_capitalised(word: &str) -> bool {
    word.chars().find(|char| char.is_alphanumeric()).is_some_and(char::is_uppercase)
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

/// What one word between spaces is looked up by: stems, `#` and a number, `!` for a negation.
fn keys(word: &str, analyzer: &Analyzer) -> Vec<String> {
    let word = &word[..word.floor_char_boundary(200)];
    let lower = word.replace('’', "'").to_lowercase();
    let bare = lower.trim_matches(|char: char| !char.is_alphanumeric());
    if matches!(bare, "not" | "no" | "never" | "cannot" | "without" | "neither" | "nor")
        || bare.ends_with("n't")
    {
        return vec!["!".to_owned()];
    }
    let mut keys: Vec<String> = Vec::new();
    for part in bare.split(['-', '–', '—', '/', '(', ')', '×', ':']) {
        let digits = part.trim_start_matches(|char: char| !char.is_alphanumeric());
        if digits.starts_with(|char: char| char.is_ascii_digit()) {
            let end = digits
                .find(|char: char| !(char.is_ascii_digit() || matches!(char, '.' | ',')))
                .unwrap_or(digits.len());
            let number = digits[..end].replace(',', "");
            keys.push(format!("#{}", number.trim_end_matches('.')));
        }
    }
    // Numbers have been taken; what is in one must not count as a word as well.
    let terms = analyzer.terms(bare);
    keys.extend(
        terms.into_iter().filter(|term| !term.starts_with(|char: char| char.is_ascii_digit())),
    );
    keys
}
