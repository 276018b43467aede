//! Sentences that end with a colon because code or a table follows, and are whole without it: `The stamp is
//! in seconds:`.

use super::own::{self, COUNTS};
use crate::extract::page::{Kind, Page, Sentence};
use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Words, list};

/// Words by which a sentence only leads up to what follows.
static LEADING: Words = list!(words "example_leads");

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
        || all.iter().any(|token| LEADING.contains(token.lower().as_str()));
    (!is_open).then(|| format!("{said}."))
}

/// Whether a sentence leads up to a list of what must be so for something: `It is complete if it:`.
pub(super) fn limits(text: &str) -> bool {
    static LIMITS: Words = list!(words "limit_leads");
    let leads = text.trim_end().ends_with(':');
    leads && tokens(text).iter().any(|token| LIMITS.contains(token.lower().as_str()))
}

/// Whether an item is nothing but a noun with what tells which one: `Data protected by Foo`, `The file that is
/// read`.
pub(super) fn is_fragment(tokens: &[Token<'_>]) -> bool {
    // `Ensuring that all is new`
    let is_gerund = |first: &Token<'_>| words::is_gerund(&first.lower());
    tokens.first().is_some_and(is_gerund)
        || own::verb(tokens).is_some_and(|verb| {
            let (before, behind) = (&tokens[..verb], &tokens[verb + 1..]);
            let has_auxiliary =
                |part: &[Token<'_>]| part.iter().any(|it| words::is_auxiliary(&it.lower()));
            let relates = |it: &Token<'_>| matches!(it.text, "that" | "which" | "who");
            let leads = behind.first().is_some_and(|next| words::is_lead(&next.lower()));
            let is_dated =
                tokens.iter().any(|it| it.text.bytes().any(|byte| byte.is_ascii_digit()));
            let is_bare =
                leads && !is_dated && tokens[verb].text.ends_with("ed") && !has_auxiliary(before);
            is_bare || before.last().is_some_and(relates) && !has_auxiliary(behind)
        })
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
    fn an_item_may_be_no_more_than_a_noun() {
        for (text, expected) in [
            ("Data protected by the use of Foo", true),
            ("The file that is read by Foo.", true),
            ("Ensuring that all tests are new", true),
            ("Bugs that only affect Foo will not be fixed.", false),
            ("Foo stores files.", false),
            ("Ann Hill joined in 2011.", false),
        ] {
            assert_eq!(is_fragment(&tokens(text)), expected, "{text}");
        }
    }

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
