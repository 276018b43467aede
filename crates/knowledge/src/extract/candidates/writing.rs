//! How a page writes its words: with a capital where others would be in lower case, or without.

use std::collections::HashMap;

use crate::extract::fold::fold;
use crate::extract::page::Page;
use crate::extract::shape;
use crate::extract::token::tokens;

/// How often words and runs of words are written with and without a capital where a sentence does
/// not begin.
#[derive(Debug, Default)]
pub(super) struct Writing {
    pub(super) capital: HashMap<String, usize>,
    pub(super) lower: HashMap<String, usize>,
    pub(super) runs: HashMap<String, usize>,
}

/// Counts how words are written in the sentences of a page, their first words left out.
pub(super) fn writing(page: &Page) -> Writing {
    let mut writing = Writing::default();
    for sentence in &page.sentences {
        let text = page.text(sentence);
        let tokens = tokens(text);
        let mut at = 1;
        while at < tokens.len() {
            let end = shape::run(&tokens, at);
            if end == at {
                let token = &tokens[at];
                if token.text.starts_with(char::is_lowercase) {
                    *writing.lower.entry(fold(token.text)).or_default() += 1;
                }
                at += 1;
                continue;
            }
            // Behind a colon or an opening quote anything has a capital.
            let before = tokens[at - 1].after;
            if !before.contains([':', '.', '?', '!'])
                && tokens[at].before.trim_matches('(').is_empty()
            {
                if let Some(run) = text.get(tokens[at].start..tokens[end - 1].end) {
                    let run = run.strip_suffix("'s").or(run.strip_suffix("’s")).unwrap_or(run);
                    *writing.runs.entry(fold(run)).or_default() += 1;
                    *writing.capital.entry(fold(run)).or_default() += 1;
                }
                if end > at + 1 {
                    for token in &tokens[at..end] {
                        *writing.capital.entry(fold(token.text)).or_default() += 1;
                    }
                }
            }
            at = end;
        }
    }
    writing
}
