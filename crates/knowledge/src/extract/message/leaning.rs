//! Which way a verb of liking leans, and how far it is turned round.

use super::Valence;
use crate::extract::words;
use crate::words::{Words, list};

/// Verbs of liking with the words behind them that belong to them.
static LIKES: Words = list!(phrases "likes");
static DISLIKES: Words = list!(phrases "dislikes");
/// Words between who likes and what is liked that change nothing, besides adverbs.
static FILLERS: Words = list!(words "fillers");
/// Words that turn a leaning round.
static NOT: Words = list!(words "turning");

/// Words before `I` that turn round what it says: `I don't think I like it`.
const DOUBTS: &[&str] = &["think", "believe", "say", "sure", "feel"];

/// The valence of what begins at word `at`, and the word behind it: `I love`, `I'm not into`, and
/// without the `I` at the start of a sentence: `Love`, `Not a fan of`, `Can't stand`.
pub(super) fn leaning(lower: &[String], at: usize) -> Option<(Valence, usize)> {
    let first = lower.get(at)?;
    let (said, from) = match first.as_str() {
        "i" | "we" => (None, at + 1),
        "i'm" | "im" | "we're" => (Some("am"), at + 1),
        "i've" | "we've" => (Some("have"), at + 1),
        "not" if at == 0 => (Some("am"), at),
        "love" | "hate" | "loathe" | "adore" | "can't" | "cannot" if at == 0 => (None, at),
        "really" | "absolutely"
            if at == 0
                && lower.get(1).is_some_and(|next| matches!(next.as_str(), "love" | "hate")) =>
        {
            (None, 1)
        }
        _ => return None,
    };
    let doubted = at > 1
        && lower.get(at - 1).is_some_and(|before| DOUBTS.contains(&before.as_str()))
        && lower
            .get(at - 2)
            .is_some_and(|before| NOT.contains(before.as_str()) || before == "can't");
    verb(lower, from, said, doubted)
}

fn verb(
    lower: &[String],
    from: usize,
    said: Option<&'static str>,
    doubted: bool,
) -> Option<(Valence, usize)> {
    let mut said: Vec<&str> = said.into_iter().collect();
    let mut negated = doubted;
    // Words up to the topic: adverbs fall out, negations are counted.
    for (next, word) in lower.iter().enumerate().skip(from).take(9) {
        let word = match word.as_str() {
            "are" => "am",
            "of" if said.is_empty() => continue,
            word => word,
        };
        if word == "not" && said.last() == Some(&"can") {
            said.pop();
            said.push("cannot");
            continue;
        }
        if NOT.contains(word) && !(word == "no" && said.last() == Some(&"have")) {
            negated = !negated;
            continue;
        }
        if is_filler(word) || (matches!(word, "do" | "did") && said.is_empty()) {
            continue;
        }
        said.push(word);
        let phrase = said.join(" ");
        for (list, valence) in [(&LIKES, Valence::Positive), (&DISLIKES, Valence::Negative)] {
            if list.contains(phrase.as_str()) {
                let valence = match (valence, negated) {
                    (Valence::Positive, true) => Valence::Negative,
                    // `I don't hate it` is no praise.
                    (Valence::Negative, true) => Valence::Neutral,
                    (valence, _) => valence,
                };
                return Some((valence, next + 1));
            }
        }
        let begun = format!("{phrase} ");
        if !LIKES.iter().chain(&*DISLIKES).any(|known| known.starts_with(&begun)) {
            return None;
        }
    }
    None
}

/// The topic of `my favourite band is X` and `X is my favourite`, as a range of words.
pub(super) fn favourite(lower: &[String]) -> Option<(Valence, usize, usize)> {
    let word = |at: usize| lower.get(at).map(String::as_str);
    let is = |at: usize| matches!(word(at), Some("is" | "are"));
    let at =
        (0..lower.len()).find(|&at| matches!(word(at), Some("favourite" | "favorite" | "fave")))?;
    let least = at.checked_sub(1).and_then(word) == Some("least");
    let mine = at.checked_sub(1 + usize::from(least))?;
    if word(mine) != Some("my") {
        return None;
    }
    let valence = if least { Valence::Negative } else { Valence::Positive };
    if let Some(verb) = (at + 1..at + 5).find(|&at| is(at)) {
        return Some((valence, verb + 1, lower.len()));
    }
    let verb = mine.checked_sub(1).filter(|&verb| is(verb))?;
    Some((valence, 0, verb))
}

fn is_filler(word: &str) -> bool {
    words::is_adverb(word) || FILLERS.contains(word)
}
