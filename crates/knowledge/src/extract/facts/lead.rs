//! What a sentence begins with that ties it to the one before and states nothing: `However,`, `It is
//! worth mentioning that`.

use crate::extract::token::{Token, tokens};
use crate::extract::words;
use crate::words::{Words, list};

/// Phrases, in lower case, behind which a comma stands.
static CONNECTIVES: Words = list!(phrases "connectives");

/// Openings, in lower case, of what is said about saying something.
static OPENINGS: Words = list!(phrases "saying_openings");

/// The sentence without them, and without `however` between commas, with a capital again; none if it has nothing of
/// the kind.
pub(super) fn without(text: &str) -> Option<String> {
    let shorter = match text.split_once(", however, ") {
        // `Because it is old, however, it is slow`
        Some((before, behind)) if begins_clause(before) => format!("{before}, {behind}"),
        Some((before, behind)) if is_open(before) => format!("{before} {behind}"),
        Some(_) => return None,
        None => without_first(text)?,
    };
    // `Namely, as stated below,`: each leaves less of the text.
    Some(without(&shorter).unwrap_or(shorter))
}

/// Whether a text is a subject alone, or one with an auxiliary: `The band`, `Juventus were`.
fn is_open(text: &str) -> bool {
    let all = tokens(text);
    let Some((last, rest)) = all.split_last() else { return false };
    let is_verb = |token: &Token<'_>| {
        words::is_finite(&token.lower(), false) && !words::is_noun_verb(&token.lower())
    };
    !rest.iter().any(is_verb) && (!is_verb(last) || words::is_auxiliary(&last.lower()))
}

fn begins_clause(text: &str) -> bool {
    text.split(' ').next().is_some_and(|first| words::is_lead(&first.to_lowercase()))
}

fn without_first(text: &str) -> Option<String> {
    let head = &text[..text.floor_char_boundary(LONGEST)];
    let lower = head.to_lowercase().replace('’', "'");
    // `But the mine shut down`: so it did.
    let joint = ["But ", "And ", "Yet "].iter().find_map(|joint| text.strip_prefix(joint));
    let joint = joint.filter(|rest| !rest.contains("not only"));
    if let Some(rest) = joint {
        let (first, tail) = rest.split_at(rest.chars().next()?.len_utf8());
        return Some(first.to_uppercase() + tail);
    }
    let opening = OPENINGS.iter().find(|opening| lower.starts_with(*opening));
    let rest = match opening {
        Some(opening) => skip(text, opening.chars().count()),
        None => {
            let (first, rest) = text.split_once(", ")?;
            CONNECTIVES.contains(first.to_lowercase().as_str()).then_some(rest)?
        }
    };
    let mut chars = rest.chars();
    let first = chars.next().filter(|first| first.is_alphanumeric())?;
    // `iPhone` keeps its letters.
    let is_plain = |word: &str| {
        (word.len() > 1 || word == "a")
            && !word.contains(|it: char| it.is_uppercase() || "_:(".contains(it))
    };
    let is_word = rest.split(' ').next().is_some_and(is_plain);
    let first = if is_word { first.to_uppercase().to_string() } else { first.to_string() };
    Some(first + chars.as_str())
}

/// Bytes in which an opening stands.
const LONGEST: usize = 60;

fn skip(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn what_only_ties_sentences_is_left_out() {
        for (text, expected) in [
            ("However, recent work is new.", Some("Recent work is new.")),
            ("As such, iPhones are sold.", Some("iPhones are sold.")),
            ("It’s worth mentioning that Foo is free.", Some("Foo is free.")),
            ("Namely, as stated below, foo is free.", Some("Foo is free.")),
            ("Namely, Foo is free.", Some("Foo is free.")),
            ("And, Foo is free.", Some("Foo is free.")),
            ("Otherwise, it is lost.", None),
            ("Foo, however, is free.", Some("Foo is free.")),
            ("Foo is fast, however, Bar is slower.", None),
            ("As it is old, however, it is slow.", Some("As it is old, it is slow.")),
            ("However, ", None),
            ("", None),
        ] {
            assert_eq!(without(text).as_deref(), expected, "{text}");
        }
    }
}
