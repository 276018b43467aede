//! Sentences that end with a colon because code or a table follows, and are whole without it: `The stamp is
//! in seconds:`.

use super::own::COUNTS;
use crate::extract::page::{Kind, Page, Sentence};
use crate::extract::token::tokens;
use crate::extract::words;

/// Words by which a sentence only leads up to what follows.
const LEADING: &[&str] = &[
    "below", "command", "commands", "e.g", "example", "examples", "follow", "following", "follows",
    "here", "like", "run", "so", "these", "this",
];

/// The sentence with a full stop, if it ends with a colon and no list goes on with it.
pub(super) fn closed(page: &Page, sentence: &Sentence, text: &str) -> Option<String> {
    let said = text.trim_end().strip_suffix(':')?;
    let block = page.blocks.get(sentence.block)?;
    let next = page.blocks.get(sentence.block + 1);
    let is_last = sentence.range.end >= block.text.trim_end().len();
    let goes_on = next.is_some_and(|next| next.kind == Kind::Item || next.is_quoted);
    let all = tokens(said);
    // `There are five types of them:`, which the list names.
    let first = all.iter().position(|token| !matches!(token.text, "There" | "are"))?;
    let counts = COUNTS.contains(&all[first].lower().as_str());
    if block.kind != Kind::Paragraph || !is_last || goes_on && !counts {
        return None;
    }
    let last = all.last()?.lower();
    let is_open = words::is_finite(&last, true)
        || words::ends_phrase(&last)
        || words::is_lead(&last)
        || words::is_verb_base(&last)
        || all.iter().any(|token| LEADING.contains(&token.lower().as_str()));
    (!is_open).then(|| format!("{said}."))
}

/// Whether a sentence leads up to a list of what must be so for something: `It is complete if it:`.
pub(super) fn limits(text: &str) -> bool {
    const LIMITS: &[&str] =
        &["condition", "conditions", "if", "reasons", "requirements", "unless", "when"];
    let leads = text.trim_end().ends_with(':');
    leads && tokens(text).iter().any(|token| LIMITS.contains(&token.lower().as_str()))
}

/// `We know that we succeeded when:`, whose items are not so yet, whoever they name.
pub(super) fn is_goal(text: &str) -> bool {
    const OPEN: &[&str] = &["if", "unless", "until", "when"];
    let said = text.trim_end().strip_suffix(':');
    let all = said.map(tokens).unwrap_or_default();
    all.iter().rev().take(2).any(|token| OPEN.contains(&token.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_is_told_apart() {
        for (text, expected) in [
            ("We know we have been successful when:", true),
            ("It is complete if it:", true),
            ("If you come by bus, you can:", false),
            ("It is complete when all is done.", false),
        ] {
            assert_eq!(is_goal(text), expected, "{text}");
        }
    }
}
