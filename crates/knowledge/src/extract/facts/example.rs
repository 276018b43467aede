//! What is so in an example only: a story that somebody thought up, which is no source of facts.

use crate::extract::fold::fold;
use crate::extract::name::without_number;
use crate::extract::page::{Kind, Page};
use crate::extract::token::Token;
use crate::words::{Words, list};

/// Headings, in lower case, below which such a story stands.
static HEADINGS: Words = list!(phrases "example_headings");

/// For each block, whether it stands below such a heading.
pub(super) fn blocks(page: &Page) -> Vec<bool> {
    let mut level_of_story: Option<u8> = None;
    let all = page.blocks.iter().map(|block| {
        if let Kind::Heading(level) = block.kind {
            level_of_story = level_of_story.filter(|above| level > *above);
            let heading = fold(without_number(&block.text).trim());
            let begins = HEADINGS.contains(heading.as_str());
            level_of_story = level_of_story.or(begins.then_some(level));
        }
        level_of_story.is_some()
    });
    all.collect()
}

/// `Suppose that a file`, `For instance, say`, `E.g. the`, `Let's assume`, `Say you have`
pub(super) fn begins(tokens: &[Token<'_>]) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let supposes = |word: &str| matches!(word, "assume" | "imagine" | "say" | "suppose");
    match word(0).as_str() {
        "assume" | "assuming" | "e.g" | "imagine" | "suppose" => true,
        "for" => matches!(word(1).as_str(), "example" | "instance"),
        "let's" | "let’s" => supposes(&word(1)),
        "let" => word(1) == "us" && supposes(&word(2)),
        "say" => matches!(word(1).as_str(), "that" | "we" | "you"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::read;
    use crate::extract::token::tokens;

    #[test]
    fn a_story_is_told_apart() {
        let page = read("# Foo\n\n## 2. An Example\n\n### Ann\n\nAnn sat.\n\n## Limits\n\nNone.");
        assert_eq!(blocks(&page), [false, true, true, true, false, false]);
        for (text, expected) in [
            ("Let's assume that a file is open.", true),
            ("Say you have two files.", true),
            ("Let's Encrypt is free.", false),
            ("For years it was closed.", false),
        ] {
            assert_eq!(begins(&tokens(text)), expected, "{text}");
        }
    }
}
