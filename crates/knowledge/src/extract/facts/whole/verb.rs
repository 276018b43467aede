//! The verb of a sentence where the words around it tell that it is one.

use crate::extract::facts::is_plural;
use crate::extract::token::Token;
use crate::extract::words;

/// `Projects at Foo begin as`: a verb in its base form behind a noun of several and what tells more of it.
pub(super) fn verb_of_several(clause: &[Token<'_>]) -> Option<usize> {
    const MOST: usize = 10;
    let is_verb = |at: &usize| {
        let word = clause[*at].lower();
        let subject = &clause[..*at];
        let is_inner = |token: &&Token<'_>| {
            !words::ends_phrase(&token.lower()) && !words::is_adverb(&token.lower())
        };
        // `All requests require`: `all` is no adverb there.
        let all = usize::from(subject.first().is_some_and(|first| first.lower() == "all"));
        let head = subject.iter().skip(all).take_while(is_inner).last();
        head.is_some_and(|head| is_plural(head.text) || head.text == "people")
            && subject.iter().all(|token| token.before.is_empty() && token.joins())
            && clause[*at].text.starts_with(char::is_lowercase)
            && words::is_verb_base(&word)
            && !words::ends_phrase(&clause[at - 1].lower())
            && !words::is_determiner(&clause[at - 1].lower())
            && clause[*at].joins()
    };
    // `Building engines` is one thing.
    let is_gerund = clause.first().is_some_and(|first| first.lower().ends_with("ing"));
    (1..clause.len().min(MOST)).find(is_verb).filter(|_| !is_gerund)
}

/// `Identifiers MUST NOT include`, as specifications write it.
pub(super) fn verb_in_capitals(clause: &[Token<'_>]) -> Option<usize> {
    const MOST: usize = 16;
    let is_verb = |at: &usize| {
        matches!(clause[*at].text, "MUST" | "SHALL" | "SHOULD" | "MAY")
            && clause[*at].before.is_empty()
            && clause[*at].joins()
    };
    (1..clause.len().min(MOST)).find(is_verb)
}

/// Whether the only verbs are those of what tells which one: `A replacement that has the ability.`
pub(super) fn is_relative(tokens: &[Token<'_>], main: usize, verb: usize) -> bool {
    let relates =
        |at: &usize| matches!(tokens[*at].text, "that" | "which" | "who" | "whose" | "where");
    let is_verb = |at: &usize| {
        let word = tokens[*at].lower();
        let is_bound = at.checked_sub(1).is_some_and(|before| tokens[before].text == "to");
        words::is_finite(&word, false)
            && !is_bound
            && !words::is_noun_verb(&word)
            && (words::is_auxiliary(&word) || !words::looks_past(&word))
    };
    let relatives = (main..tokens.len()).filter(relates).count();
    (main..verb).any(|at| relates(&at)) && (main..tokens.len()).filter(is_verb).count() <= relatives
}

/// What happened at one time.
pub(in crate::extract::facts) fn is_past(verb: &Token<'_>) -> bool {
    let word = verb.lower();
    matches!(word.as_str(), "was" | "were" | "had" | "did")
        || words::looks_past(&word)
        || words::is_finite(&word, false) && !words::is_auxiliary(&word) && !word.ends_with('s')
}
