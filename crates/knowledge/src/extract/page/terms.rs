//! Lists whose items begin with a term and go on with what that is or does: `--force: overwrite files`,
//! `duration (optional) the length in seconds`. Owns what of such an item is kept as a row.

use std::collections::HashMap;

use super::{Block, Kind, Mark, Row};
use crate::extract::words;
use crate::words::{Words, list};
use elophanto_text::sentences::sentences;

/// Fewest such items of a list, and fewest words of what a term is.
const LEAST: usize = 2;
const LEAST_WORDS: usize = 3;
/// Most bytes of a bracket behind a term.
const MAX_BRACKET: usize = 40;

/// Takes the lists out of `blocks` of which most items explain a term.
pub(super) fn of_lists(blocks: &mut Vec<Block>, rows: &mut Vec<Row>, most: usize) {
    let mut counts: HashMap<usize, (usize, usize)> = HashMap::new();
    for block in blocks.iter().filter(|block| block.kind == Kind::Item) {
        let (items, terms) = counts.entry(block.list.unwrap_or_default()).or_default();
        *items += 1;
        *terms += usize::from(explained(block).is_some());
    }
    let is_of_terms = |block: &Block| {
        let count = block.list.and_then(|list| counts.get(&list));
        let is_typed = block.marks.first().is_some_and(|(_, mark)| *mark == Mark::Code);
        let least = if is_typed { 1 } else { LEAST };
        count.is_some_and(|(items, terms)| *terms >= least && terms * 4 >= items * 3)
    };
    let mut section = None;
    blocks.retain(|block| {
        if let Kind::Heading(_) = block.kind {
            section = Some(block.text.clone());
        }
        if !is_of_terms(block) {
            return true;
        }
        let Some((term, what)) = explained(block).filter(|_| rows.len() < most) else {
            // What goes on about a term says nothing without it.
            return block.kind == Kind::Item;
        };
        let is_idle = ["help", "version"].iter().any(|idle| term.ends_with(idle));
        let told = meaning(what).filter(|_| !is_idle);
        rows.extend(told.map(|told| Row {
            cells: vec![term.to_owned(), told],
            section: section.clone(),
            is_item: true,
            line: block.line,
            ..Row::default()
        }));
        false
    });
}

/// The term of an item, with what stands in brackets behind it, and what it is.
fn explained(block: &Block) -> Option<(&str, &str)> {
    let text = block.text.as_str();
    let typed = |mark: &Mark| matches!(mark, Mark::Code | Mark::Strong);
    let mut marks = block.marks.iter().filter(|(_, mark)| typed(mark));
    let (first, mark) = marks.next().filter(|(range, _)| range.start == 0)?;
    // `-n`, `--lines`
    let mut end = first.end;
    for (range, _) in marks {
        let between = text.get(end..range.start).map(str::trim);
        if !between.is_some_and(|it| matches!(it, "" | "," | "/" | "|" | "or")) {
            break;
        }
        end = range.end;
    }
    let term = text.get(..end)?.trim_end_matches([':', '.', ' ']);
    let is_closed = term.len() < end;
    let rest = text.get(end..)?.trim_start();
    let bracket = rest.strip_prefix('(').and_then(|rest| rest.find(')'));
    let bracket = bracket.map(|at| at + 2).filter(|end| *end <= MAX_BRACKET);
    let behind = bracket.map_or(rest, |end| rest[end..].trim_start());
    let what = behind.trim_start_matches([':', '-', '–', '—', ' ']);
    let is_parted = is_closed || what.len() < behind.len() || bracket.is_some();
    let is_parted = is_parted && (*mark == Mark::Code || bracket.is_none());
    let until = match bracket {
        Some(_) => text.len() - behind.len(),
        None => term.len(),
    };
    // Who emphasises the beginnings of steps, or of several sentences, explains no terms.
    let first = what.split(' ').next().unwrap_or_default().to_lowercase();
    let is_of_text = *mark == Mark::Strong
        && (sentences(what).len() > 1
            || words::is_verb_base(&first)
            || words::is_determiner(&first));
    let fits = block.kind == Kind::Item && !block.is_quoted && is_parted && !is_of_text;
    let fits = fits && meaning(what).is_some();
    fits.then_some((text.get(..until)?.trim_end(), what))
}

/// The first sentence of what a term is, with the next one where it is short, and with the one that says
/// what holds by default, or since when there is such a thing.
fn meaning(what: &str) -> Option<String> {
    const SHORT: usize = 5;
    const MOST_BYTES: usize = 240;
    let all: Vec<&str> = sentences(what).into_iter().filter_map(|it| what.get(it)).collect();
    let mut told = without_this(all.first()?.trim());
    let mut is_short = told.split(' ').count() < SHORT;
    for said in all.iter().skip(1).map(|said| said.trim()) {
        let lower = said.to_lowercase();
        let defaults = ["default ", "the default ", "by default", "defaults "];
        static WITHIN: Words = list!(phrases "default_phrases");
        let is_default = defaults.iter().any(|start| lower.starts_with(start))
            || WITHIN.iter().any(|phrase| lower.contains(phrase));
        // `This is the default policy.`
        let is_told = says(said.strip_prefix("This is ").unwrap_or(said));
        if (is_short || is_default) && is_told && told.len() + said.len() < MOST_BYTES {
            told = format!("{told} {said}");
        }
        is_short = false;
    }
    says(&told).then_some(told)
}

/// Whether a text says what a term is, to somebody who reads nothing else.
fn says(text: &str) -> bool {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase())
        .collect();
    let points = |word: &String| {
        matches!(
            word.as_str(),
            "above" | "below" | "following" | "i" | "our" | "see" | "these" | "they" | "us" | "we"
        )
    };
    let begins = words.first().map(String::as_str).unwrap_or_default();
    words.len() >= LEAST_WORDS
        && text.starts_with(char::is_alphanumeric)
        && !text.trim_end().ends_with([':', '?', ','])
        && !words.iter().any(points)
        && !matches!(begins, "it" | "its" | "that" | "those" | "such")
}

/// `Sets the name` for `This variable sets the name`, `the name` for `This is the name`.
fn without_this(said: &str) -> String {
    let Some(rest) = said.strip_prefix("This ") else { return said.to_owned() };
    let (noun, verb) = rest.split_once(' ').unwrap_or((rest, ""));
    match words::is_auxiliary(noun) || words::is_finite(noun, false) && !words::is_noun_verb(noun) {
        true => rest.strip_prefix("is ").unwrap_or(rest).to_owned(),
        false => match verb.split(' ').next().unwrap_or_default() {
            "is" => verb.trim_start_matches("is ").to_owned(),
            first if words::is_auxiliary(first) || !first.ends_with('s') => said.to_owned(),
            _ => verb.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn lists_of_terms_are_rows() {
        let page = read(
            "# Foo\n\n- `-n`, `--lines N`: print N lines. The default is 10. It is read once.\n- `-q`: print \
             none of the lines. This is the default way. Supported since 2.6.\n- `rate` (optional) the average rate in bits\n- `FOO_DIR`: This variable \
             is the folder of caches.\n\n- **Fast**: Foo reads a file in a second.\n- **Small** – one \
             file of a program.\n\n- `foo` is a bar of it.\n- `baz` is a bar of it.\n",
        );
        let rows: Vec<String> = page.rows.iter().map(|row| row.cells.join(" | ")).collect();
        assert_eq!(
            rows,
            [
                "-n, --lines N | print N lines. The default is 10.",
                "-q | print none of the lines. This is the default way. Supported since 2.6.",
                "rate (optional) | the average rate in bits",
                "FOO_DIR | the folder of caches.",
                "Fast | Foo reads a file in a second.",
                "Small | one file of a program.",
            ]
        );
        assert_eq!(page.sentences.len(), 2);
    }
}
