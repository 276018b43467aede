//! What in a sentence stands for something that only the text around it tells: `this method`, `at the time`,
//! `The company was`.

use super::bare;
use super::whole::is_of_list;
use crate::extract::token::Token;
use crate::extract::words;
use crate::words::{Words, list};

/// What a thing is called that was named before.
static KINDS_OF_IT: Words = list!(words "named_before");

/// Whether a noun behind `the` is what a thing is called that was named before.
pub(super) fn is_named_before(noun: &str) -> bool {
    KINDS_OF_IT.contains(noun)
}

/// Whether the sentence itself tells what a word points to: `such place as the board may set`, `the funds,
/// and those funds`, `called for that purpose`, `his or her term`, `3.6 or later`, `longer than this`.
pub(super) fn is_explained(tokens: &[Token<'_>], at: usize) -> bool {
    const FAR: usize = 12;
    const PRONOUNS: &[&str] = &["he", "she", "him", "her", "his", "hers"];
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let before = at.checked_sub(1).map(word).unwrap_or_default();
    let next = word(at + 1);
    let is_told = |noun: &str| noun.len() > 3 && tokens[..at].iter().any(|it| it.lower() == noun);
    let is_pair = |or: &str, other: String| or == "or" && PRONOUNS.contains(&other.as_str());
    match word(at).as_str() {
        "such" => {
            let behind = tokens.iter().skip(at + 1).take(FAR);
            behind.clone().any(|it| it.text == "as") || is_told(&next)
        }
        "these" | "those" => is_told(&next),
        "that" if next == "purpose" => {
            words::looks_past(&at.checked_sub(2).map(word).unwrap_or_default())
        }
        // `38 days of leave, this is inclusive of holidays`
        "this" => {
            let goes_on = at > 3 && tokens[at - 1].after == "," && words::is_auxiliary(&next);
            before == "than" || goes_on
        }
        // `3.6 or later`, `version 3.6 or a later one`
        "later" | "earlier" | "newer" if before == "a" => {
            tokens[..at].iter().any(|it| it.text.bytes().any(|byte| byte.is_ascii_digit()))
        }
        "above" | "below" | "later" | "earlier" | "higher" | "newer" => before == "or",
        "could" | "might" | "would" => {
            tokens[..at].iter().any(|it| matches!(it.text, "if" | "unless" | "whether"))
        }
        one if PRONOUNS.contains(&one) => {
            at > 1
                && (is_pair(&next, word(at + 2))
                    || is_pair(&before, at.checked_sub(2).map(word).unwrap_or_default()))
        }
        _ => false,
    }
}

/// What begins a sentence that concludes from the one before.
static CONCLUDING: Words = list!(words "concluding");

/// Whether a statement with its verb at token `verb` speaks of what only the text around it names:
/// `was founded by her`, `uses this method`, `such systems`, `at the time`.
pub(super) fn refers_elsewhere(tokens: &[Token<'_>], verb: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let ends = |at: usize| tokens.get(at).is_none_or(|token| !token.joins());
    // `For example "4n" is`: what it is an example of stands elsewhere.
    let shows = word(0) == "for" && word(1) == "example" && !ends(1);
    // Who reads it when, nobody knows; and `OpenEXR only does one`.
    let soon = (0..tokens.len()).any(|at| {
        let is_since =
            tokens[at].text == "recently" && !words::is_determiner(&word(at.saturating_sub(1)));
        is_since
            || matches!(word(at).as_str(), "shortly" | "tomorrow" | "yesterday")
            || matches!(word(at).as_str(), "next" | "last")
                && matches!(word(at + 1).as_str(), "week" | "month" | "year")
                && word(at.wrapping_sub(1)) != "the"
            // `12 years ago`
            || word(at) == "ago"
                && at > 1
                && !matches!(word(at - 2).as_str(), "million" | "billion")
                && !super::own::is_quoted(tokens, at)
    });
    let one = tokens.len() < 8 && tokens.last().is_some_and(|last| last.lower() == "one");
    // `Therefore, X is`, and `may: 1.`, whose rest is a list.
    let concludes = CONCLUDING.contains(word(0).as_str()) && word(1) != "long";
    // `First, it is built`, and `The old one did not.`
    let counts_up = matches!(
        word(0).as_str(),
        "finally" | "first" | "lastly" | "next" | "second" | "secondly" | "third"
    ) && ends(0);
    // `The most obvious is that`: of what, another sentence tells.
    let is_superlative =
        word(0) == "the" && matches!(word(1).as_str(), "least" | "most") && verb == 3;
    // `Motion to move the site`: what became of it, another sentence tells.
    let is_moved = word(0) == "motion" && word(1) == "to";
    let last = tokens.last().map(Token::lower).unwrap_or_default();
    let is_cut_short = matches!(
        last.as_str(),
        "did" | "differently" | "does" | "either" | "likewise" | "meanwhile" | "not"
    ) || last == "well"
        && word(tokens.len().saturating_sub(2)) == "as"
        && tokens.iter().any(|token| token.text == "but");
    // `As usual,`, `Either way,`: as when, another sentence tells.
    let lead: Vec<String> = tokens.iter().take(4).map(Token::lower).collect();
    let lead = format!("{} ", lead.join(" "));
    let is_led = ["as usual ", "either way ", "in a short time ", "in the end "]
        .iter()
        .any(|it| lead.starts_with(it));
    // `was presented in [ston86]`: who reads it elsewhere has no list of what is cited.
    let cites = tokens.windows(2).any(|two| {
        matches!(two[0].text, "in" | "by" | "from" | "see")
            && two[1].before.starts_with('[')
            && two[1].after.starts_with(']')
    });
    let cut = tokens.len() > 1 && tokens[tokens.len() - 2].after.ends_with(':');
    // `were not as good.`: as what, another sentence tells.
    let compares = tokens.len() > 3
        && word(tokens.len() - 2) == "as"
        && matches!(word(tokens.len() - 3).as_str(), "equally" | "just" | "not");
    // `The setup is now open.`: in a procedure.
    // `All three lacked tentacles`: of what was told before.
    let counts_all = word(0) == "all" && COUNTS.contains(&word(1).as_str()) && is_told_of(&word(2));
    let is_state = tokens.len() > 3 && tokens.len() < 8 && word(tokens.len() - 2) == "now";
    // `During the first decade,`: of what, another sentence tells.
    let counts = matches!(word(2).as_str(), "first" | "following" | "last" | "next" | "second")
        && (3..5).any(|at| {
            let is_when = |when: &&str| word(at) == *when || word(at) == format!("{when}s");
            WHEN.iter().any(is_when) && ends(at)
        });
    let spans = matches!(word(0).as_str(), "after" | "during" | "for" | "in" | "over")
        && word(1) == "the"
        && counts;
    // `Said guardian`, `is one of the two options`
    let is_said = word(0) == "said"
        && tokens.get(1).is_some_and(|it| it.text.starts_with(char::is_lowercase));
    let counts_them = (verb + 1..tokens.len()).any(|at| {
        word(at) == "the"
            && COUNTS.contains(&word(at + 1).as_str())
            && super::is_plural(&word(at + 2))
            && !matches!(
                word(at + 3).as_str(),
                "between" | "for" | "of" | "in" | "that" | "to" | "which" | "who"
            )
            && !tokens[..at].iter().any(|it| it.text == "and")
    });
    // `Whether or not the node should`, `Where X is a code`: a clause of another sentence.
    let is_clause = (word(0) == "where" || word(0) == "whether" && word(1) == "or")
        && !tokens.iter().any(|token| token.after.contains(',') || token.text == "depends");
    // `Longer names are cut`: than which, another sentence tells.
    const COMPARED: &[&str] =
        &["fewer", "higher", "larger", "longer", "lower", "newer", "older", "shorter", "smaller"];
    let is_compared = COMPARED.contains(&word(0).as_str())
        && verb <= 3
        && tokens.get(1).is_some_and(|next| !next.is_capitalised())
        && !tokens.iter().any(|token| matches!(token.text, "than" | "the"));
    let is_exception = word(0) == "the"
        && matches!(word(1).as_str(), "one" | "only" | "sole")
        && tokens[..verb.min(tokens.len())].iter().any(|it| it.text == "exception");
    concludes
        || is_compared
        || is_exception
        || is_led
        || is_clause
        || is_said
        || counts_them
        || counts_up
        || is_superlative
        || is_moved
        || is_cut_short
        || spans
        || compares
        || shows
        || soon
        || one
        || cut
        || cites
        || is_state
        || counts_all
        || (0..tokens.len()).any(|at| match word(at).as_str() {
            _ if is_explained(tokens, at) => false,
            "such" => word(at + 1) != "as",
            "this" => true,
            "these" => word(at + 1) != "days",
            "those" => {
                !matches!(word(at + 1).as_str(), "who" | "that" | "which" | "of" | "in" | "with")
            }
            "that" => {
                // `That image has`
                at == 0 && !words::is_determiner(&word(1)) && !words::is_finite(&word(1), false)
                    || (at < verb && ends(at))
                    || (at > verb || at == 1) && !ends(at) && is_for_that(tokens, at)
                    // `Doing that is needed`
                    || at == 1 && word(0).ends_with("ing") && words::is_auxiliary(&word(2))
                    || at > 1 && !ends(at) && is_object(tokens, at)
                    || WHEN.contains(word(at + 1).as_str())
                    || word(at + 1) == "time"
            }
            // `One month later`, `six hours later on July 21`, `then moved`.
            "later" | "earlier" => {
                at > 0
                    && WHEN
                        .iter()
                        .any(|when| word(at - 1) == *when || word(at - 1) == format!("{when}s"))
            }
            "then" => words::is_finite(&word(at + 1), false) && !words::is_auxiliary(&word(at + 1)),
            "since" => word(at + 1) == "then",
            // `In scenario 1`: of a list that only the text has.
            "case" | "example" | "figure" | "scenario" | "step" => {
                word(at + 1).starts_with(|char: char| char.is_ascii_digit()) && word(at + 2) != "of"
            }
            // `Foo's other towers`: beside the one that was told of before.
            "other" => {
                let owner = at.checked_sub(1).map_or("", |before| tokens[before].text);
                let is_subject = tokens[..at].iter().all(|it| it.is_capitalised());
                is_of_list(tokens, at) || is_subject && bare(owner) != owner
            }
            // `The relevant parts`, `a similar way`: to what, another sentence tells.
            "relevant" | "exact" => word(at.wrapping_sub(1)) == "the" && word(at + 2) != "of",
            "similar" => {
                word(at.wrapping_sub(1)) == "a"
                    && !(at..at + 4).any(|at| matches!(word(at).as_str(), "to" | "as"))
            }
            "either" => matches!(word(at + 1).as_str(), "case" | "one" | "side") && ends(at + 1),
            // `X again evaded it`: when it did before, another sentence tells.
            "again" => at < verb,
            "both" => {
                static OWN: Words = list!(words "pairs");
                let noun = word(at + 1);
                let of_before = at > verb
                    && super::is_plural(&noun)
                    && !OWN.contains(noun.as_str())
                    && word(at + 2) != "of";
                at == 0 && words::is_finite(&word(1), true)
                    || of_before
                        && !tokens[..at]
                            .iter()
                            .any(|it| it.text == "and" || COUNTS.contains(&it.text))
            }
            "their" => {
                at > verb
                    && !tells_several(&tokens[..verb])
                    && !tells_several(&tokens[verb + 1..at])
            }
            // `Foo and Bar, the latter for $5`
            "latter" => !tokens[..at].iter().any(|token| token.text == "and"),
            "aforementioned" | "abovementioned" | "above-mentioned" => true,
            // `In the order of the list`: of which one, another sentence tells.
            "list" => {
                at > 1 && word(at - 1) == "the" && word(at - 2) == "in" && word(at + 1) != "of"
            }
            // `For the past few years`, `the recent storm`: when, only the day tells on which it was written.
            "past" => matches!(word(at + 1).as_str(), "few" | "several"),
            "recent" => word(at.wrapping_sub(1)) == "the" && word(at + 1) != "of",
            "now" => at == 0 && word(1) == "that",
            "meanwhile" => true,
            // `The last command`, `the remaining cases`: of those that the text has before.
            "remaining" => {
                let next = word(at + 1);
                word(at.wrapping_sub(1)) == "the"
                    && matches!(next.as_str(), "cases" | "commands" | "ones" | "options" | "steps")
            }
            "last" | "previous" => {
                const SHOWN: &[&str] =
                    &["command", "example", "paragraph", "question", "section", "snippet", "step"];
                word(at.wrapping_sub(1)) == "the"
                    && word(at.wrapping_sub(2)) != "of"
                    && SHOWN.contains(&word(at + 1).as_str())
            }
            // What is listed behind it, or the year that another sentence names.
            "following" => {
                word(at.wrapping_sub(1)) == "the"
                    || at == 0 && matches!(word(1).as_str(), "are" | "is")
            }
            "above" | "below" => {
                // `In the above description`
                let is_noun = word(at.wrapping_sub(1)) == "the" && !ends(at);
                is_noun
                    || matches!(
                        word(at + 1).as_str(),
                        "mentioned" | "described" | "listed" | "named"
                    )
            }
            // `It can be had from here.`
            "here" => {
                let before = word(at.wrapping_sub(1));
                matches!(before.as_str(), "described" | "from" | "shown") && ends(at)
            }
            // `Foo follows the same routine.`: as what, another sentence tells.
            "same" => {
                at > verb
                    && word(at.wrapping_sub(1)) == "the"
                    && ends(at + 1)
                    && at + 2 == tokens.len()
                    && !tells_several(&tokens[..verb])
                    || matches!(
                        word(at + 1).as_str(),
                        "year" | "time" | "day" | "month" | "place" | "location" | "way" | "reason"
                    ) && word(at + 2) != "as"
                    || matches!(
                        word(at + 1).as_str(),
                        "approach" | "method" | "procedure" | "technique"
                    ) && word(at + 2) != "as"
            }
            "time" => {
                at > 1 && word(at - 1) == "the" && word(at - 2) == "at" && word(at + 1) != "of"
            }
            "there" => {
                let exists = matches!(word(at + 1).as_str(), "is" | "are" | "was" | "were" | "has");
                at > verb && !exists
            }
            // The subject itself would be `itself`, unless something else stands between.
            "it" | "him" | "them" => at > verb && nothing_between(tokens, verb, at),
            "her" => {
                let owns = !ends(at)
                    && !words::ends_phrase(&word(at + 1))
                    && !words::is_lead(&word(at + 1));
                at > verb && !owns && nothing_between(tokens, verb, at)
            }
            _ => false,
        })
}

/// Behind which `that` and a noun stand for what another sentence names.
static BEFORE_NAMED: Words = list!(words "before_named");

/// `for that principal`: one that another sentence names, unless this one does before.
fn is_for_that(tokens: &[Token<'_>], at: usize) -> bool {
    let leads = |token: &Token<'_>| BEFORE_NAMED.contains(token.lower().as_str());
    let Some(noun) = tokens.get(at + 1).map(Token::lower) else { return false };
    !words::is_starter(&noun)
        && at.checked_sub(1).is_some_and(|before| leads(&tokens[before]))
        && !tokens[..at].iter().any(|token| token.lower() == noun)
}

/// `uses that default way`: no clause that tells what is used, for it has no verb.
fn is_object(tokens: &[Token<'_>], at: usize) -> bool {
    let clause = tokens.get(at + 1..).unwrap_or_default();
    let end = clause.iter().position(|token| !token.joins()).map_or(clause.len(), |end| end + 1);
    let is_verb = |token: &Token<'_>| {
        let word = token.lower();
        words::is_finite(&word, true) || words::looks_past(&word)
    };
    let before = tokens[at - 1].lower();
    // `that brewery and changed`, `that step of it`
    let goes_on = clause.get(1).is_some_and(|next| matches!(next.text, "and" | "or"))
        && clause.first().is_some_and(Token::joins);
    let follows = tokens[at - 1].joins()
        && (words::is_finite(&before, false)
            || words::is_noun_verb(&before)
            || words::is_gerund(&before));
    follows
        && !words::is_auxiliary(&before)
        && (goes_on || !clause[..end].iter().any(is_verb))
        && clause.first().is_some_and(|noun| !words::is_starter(&noun.lower()))
}

/// What tells several, or whoever there is.
static SEVERAL: Words = list!(words "several");

/// Whether anything stands in a part of a sentence that `their` may be of.
fn tells_several(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| {
        let word = token.lower();
        super::is_plural(token.text) || SEVERAL.contains(word.as_str())
    })
}

/// Numbers behind `all`.
const COUNTS: &[&str] = &["two", "three", "four", "five", "six"];

/// Whether a word begins what is said, so that nothing is counted before it.
fn is_told_of(word: &str) -> bool {
    words::is_finite(word, true) || words::looks_past(word) || words::is_adverb(word)
}

/// What `that` and `later` tell the time by.
static WHEN: Words = list!(words "times");

/// Whether a sentence begins with what only the sentences before it name: `The company was`.
pub(super) fn begins_elsewhere(tokens: &[Token<'_>]) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let verb = word(2);
    let goes_on = words::is_finite(&verb, false) || words::looks_past(&verb);
    // `The message means`: one that is shown before; `the resulting layers`.
    let is_shown = verb == "means" || word(1) == "resulting";
    word(0) == "the" && (is_shown || goes_on && KINDS_OF_IT.contains(word(1).as_str()))
}

/// Whether no noun stands between a verb and what follows it: adverbs, participles, `by`, `to`.
fn nothing_between(tokens: &[Token<'_>], verb: usize, at: usize) -> bool {
    tokens.get(verb + 1..at).unwrap_or_default().iter().all(|token| {
        let word = token.lower();
        token.joins()
            && (words::is_participle(&word)
                || words::is_auxiliary(&word)
                || words::is_adverb(&word)
                || words::is_lead(&word)
                || words::is_verb_base(&word))
    })
}
