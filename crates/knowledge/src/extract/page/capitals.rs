//! Names that a page writes in capitals where it begins, and as other names are elsewhere: what was bold.

use std::collections::HashMap;

use super::{Block, Kind};
use crate::extract::fold::fold;

/// Fewest letters of such a name.
const LEAST: usize = 5;
/// Most names of a page that are looked for elsewhere.
const MOST: usize = 20;

/// Words that specifications write in capitals (RFC 2119).
const NORMS: &[&str] =
    &["MAY", "MUST", "NOT", "OPTIONAL", "RECOMMENDED", "REQUIRED", "SHALL", "SHOULD"];

/// Writes the name in capitals with which the text begins, and others of several words, as the page does
/// elsewhere.
pub(super) fn lower(blocks: &mut [Block]) {
    let mut is_first = true;
    let mut runs: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let of_block = capitals(&block.text);
        let begins = std::mem::take(&mut is_first) && block.kind == Kind::Paragraph;
        is_first &= matches!(block.kind, Kind::Heading(_));
        runs.extend(of_block.into_iter().filter_map(|run| {
            let said = &block.text[run.clone()];
            (said.contains(' ') || begins && run.start == 0).then_some((number, run))
        }));
    }
    let mut written: HashMap<String, Option<String>> = HashMap::new();
    for (number, run) in runs {
        let name = blocks[number].text[run.clone()].to_owned();
        if name.split(' ').any(|word| NORMS.contains(&word)) {
            continue;
        }
        if written.len() == MOST && !written.contains_key(&name) {
            continue;
        }
        let other = written.entry(name.clone()).or_insert_with(|| elsewhere(blocks, &name));
        let other = other.as_deref().map(|other| match run.start {
            0 => with_capital(other),
            _ => other.to_owned(),
        });
        // Marks and breaks are counted in bytes.
        if let Some(other) = other.filter(|other| other.len() == run.len()) {
            blocks[number].text.replace_range(run, &other);
        }
    }
}

/// The runs of words in capitals.
fn capitals(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    let mut at = 0;
    for word in text.split(' ') {
        let letters = word.chars().filter(|char| char.is_alphabetic()).count();
        let is_capital = letters > 1
            && word.chars().all(|char| char.is_uppercase() || matches!(char, '-' | '\'' | '’'));
        let bare = word.trim_end_matches([',', '.', ';', ':', ')']);
        let is_last = bare.len() < word.len()
            && bare.chars().count() > 1
            && bare.chars().all(|char| char.is_uppercase() || char == '-');
        if is_capital || is_last {
            let end = at + bare.len();
            match found.last_mut().filter(|run| run.end + 1 == at) {
                Some(run) => run.end = end,
                None => found.push(at..end),
            }
        }
        at += word.len() + 1;
    }
    found.retain(|run| text[run.clone()].chars().filter(|it| it.is_alphabetic()).count() >= LEAST);
    found
}

/// How a page mostly writes a name elsewhere.
fn elsewhere(blocks: &[Block], name: &str) -> Option<String> {
    let key = fold(name);
    let mut all: Vec<(String, usize)> = Vec::new();
    for block in blocks {
        let folded = block.text.to_lowercase();
        // Letters whose lower case is longer make places of the one none of the other.
        if folded.len() != block.text.len() {
            continue;
        }
        for (at, _) in folded.match_indices(key.as_str()) {
            let Some(said) = block.text.get(at..at + key.len()) else { continue };
            let is_bound = |char: Option<char>| !char.is_some_and(char::is_alphanumeric);
            let is_whole = is_bound(folded[..at].chars().next_back())
                && is_bound(folded[at + key.len()..].chars().next());
            if !is_whole {
                continue;
            }
            match all.iter_mut().find(|(written, _)| written == said) {
                Some((_, count)) => *count += 1,
                None => all.push((said.to_owned(), 1)),
            }
        }
    }
    let own = all.iter().find(|(written, _)| written == name).map_or(0, |(_, count)| *count);
    // The first of those as frequent, if the page does not mostly write it in capitals.
    let others = all.into_iter().rev().filter(|(written, count)| written != name && *count >= own);
    others.max_by_key(|(_, count)| *count).map(|(written, _)| written)
}

fn with_capital(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use crate::extract::page::read;

    #[test]
    fn what_was_bold_is_written_as_elsewhere() {
        for (text, expected) in [
            ("ADA BYRON is a writer. Here Ada Byron is.", "Ada Byron is a writer."),
            ("FOAMY water is wet. All foamy water is.", "Foamy water is wet."),
            ("GNOME is a desktop of GNOME.", "GNOME is a desktop of GNOME."),
            ("It is a case of OLD FOAM. An old foam is.", "It is a case of old foam."),
            ("A request MUST be. It must be.", "A request MUST be."),
            ("A host MUST NOT send. It must not send.", "A host MUST NOT send."),
            ("HTTPS is new. HTTPS has keys. An https link.", "HTTPS is new."),
            (
                "\u{2c6f}\u{23a}BCDE is OLD FOAM\u{c9}. Here \u{250}\u{2c65}bcde has an old foam\u{e9}.",
                "\u{2c6f}\u{23a}BCDE is old foam\u{e9}.",
            ),
        ] {
            let page = read(text);
            assert_eq!(page.text(&page.sentences[0]), expected);
        }
    }
}
