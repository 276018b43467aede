//! Verbs, told by lists and endings.

use super::has;
use crate::words::{Words, list};

static AUXILIARIES: Words = list!(words "auxiliaries");

static IRREGULAR_PAST: Words = list!(words "irregular_past");

/// Base forms of verbs that tell what something is or does.
static VERBS: Words = list!(words "verbs");

/// Verbs in -s that are as often plural nouns: a verb behind them makes them one.
static NOUN_VERBS: Words = list!(words "noun_verbs");

/// Whether a word in lower case is a verb as it stands in a statement: `is`, `supports`, `was`,
/// `released`. Base forms (`support`) are, behind plural subjects only.
pub(in crate::extract) fn is_finite(word: &str, plural: bool) -> bool {
    is_auxiliary(word)
        || has(&IRREGULAR_PAST, word)
        || is_third_person(word)
        || is_past(word)
        || (plural && VERBS.contains(word))
}

fn is_third_person(word: &str) -> bool {
    let Some(stem) = word.strip_suffix('s') else { return false };
    VERBS.contains(stem)
        || stem.strip_suffix('e').is_some_and(|stem| {
            VERBS.contains(stem)
                || stem.strip_suffix('i').is_some_and(|y| VERBS.contains(format!("{y}y").as_str()))
        })
}

/// Whether a word in lower case has the form of a regular past, whatever verb it is of: behind a
/// name it is one.
pub(in crate::extract) fn looks_past(word: &str) -> bool {
    let no_verb =
        matches!(word, "need" | "indeed" | "speed" | "seed" | "breed" | "hundred" | "naked");
    word.len() > 3 && word.ends_with("ed") && !word.ends_with("eed") && !no_verb
}

/// Whether a word in lower case may be a past participle: `built`, `designed`.
pub(in crate::extract) fn is_participle(word: &str) -> bool {
    is_past(word)
        || has(&IRREGULAR_PAST, word)
        || matches!(
            word,
            "written" | "known" | "given" | "taken" | "shown" | "driven" | "grown" | "born"
        )
}

/// `is`, `has`, `can`, `did`: needs no other verb to be one.
pub(in crate::extract) fn is_auxiliary(word: &str) -> bool {
    has(&AUXILIARIES, word)
}
/// Whether a word is a verb in -s or, as often, a plural noun.
pub(in crate::extract) fn is_noun_verb(word: &str) -> bool {
    has(&NOUN_VERBS, word)
}

/// Whether a word is a regular past form.
pub(in crate::extract) fn is_past(word: &str) -> bool {
    let Some(stem) = word.strip_suffix("ed") else { return false };
    let mut chars = stem.chars().rev();
    let doubled = matches!((chars.next(), chars.next()), (Some(a), Some(b)) if a == b);
    VERBS.contains(stem)
        || VERBS.contains(&word[..word.len() - 1])
        || stem.strip_suffix('i').is_some_and(|y| VERBS.contains(format!("{y}y").as_str()))
        || (doubled && stem.is_ascii() && VERBS.contains(&stem[..stem.len() - 1]))
}

/// Whether a word in lower case is the base form of a verb: at the start of a sentence it commands.
pub(in crate::extract) fn is_verb_base(word: &str) -> bool {
    VERBS.contains(word)
}

/// Whether a word in lower case has the form of what is done: `benchmarking`, and `Syncthing` too.
pub(in crate::extract) fn looks_gerund(word: &str) -> bool {
    word.len() > 5 && word.ends_with("ing")
}

/// Whether a word in lower case is what is done, of a verb that is known: `installing`, `running`, `making`, and no `Syncthing`.
pub(in crate::extract) fn is_gerund(word: &str) -> bool {
    let Some(stem) = word.strip_suffix("ing") else { return false };
    let single = stem.get(..stem.len().saturating_sub(1)).unwrap_or_default();
    is_verb_base(stem)
        || is_verb_base(&format!("{stem}e"))
        || stem.chars().last().is_some_and(|last| single.ends_with(last)) && is_verb_base(single)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_told_by_their_forms() {
        for (word, plural, expected) in [
            ("is", false, true),
            ("supports", false, true),
            ("released", false, true),
            ("carries", false, true),
            ("dropped", false, true),
            ("reaches", false, true),
            ("support", false, false),
            ("support", true, true),
            ("cluster", true, false),
            ("became", false, true),
            ("pods", false, false),
            ("used", false, true),
            ("applied", false, true),
            ("", false, false),
            ("s", false, false),
            ("ed", false, false),
        ] {
            assert_eq!(is_finite(word, plural), expected, "{word}");
        }
    }

    #[test]
    fn what_is_done_is_told_from_a_name() {
        for (word, expected) in [
            ("installing", true),
            ("running", true),
            ("making", true),
            ("syncthing", false),
            ("during", false),
            ("ing", false),
            ("installed", false),
        ] {
            assert_eq!(is_gerund(word), expected, "{word}");
        }
    }
}
