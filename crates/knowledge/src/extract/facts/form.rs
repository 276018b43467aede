//! Which sentences have the form of a fact: declarative, whole, neither about the text nor to the
//! reader.

use super::mention;
use super::pointer;
use super::pronoun;
use super::speech;
use crate::extract::token::{Token, tokens};
use crate::extract::words::{self, ORDERS};
use crate::words::{Words, list};
use elophanto_base::visible::is_deceptive;
use elophanto_text::markdown::on_one_line;

/// Fewest and most words of a fact.
pub const FACT_WORDS: std::ops::RangeInclusive<usize> = 4..=60;
/// Most bytes of a fact.
const MAX_FACT_BYTES: usize = 600;

/// Phrases, in lower case, of sentences that speak of the text or to the reader.
static ASIDE_PHRASES: Words = list!(phrases "asides");

/// What a thing is called that was named before.
static KINDS_OF_IT: Words = list!(words "named_before");

/// The sentence as a fact, if it states something.
pub(super) fn statement(text: &str, tokens: &[Token<'_>], verb: usize) -> Option<String> {
    statement_of_page(text, tokens, verb, |_| false).filter(|_| !lacks_office(tokens))
}

/// `was elected president in 1932`, `was elected to serve until`: of what, only the page tells.
fn lacks_office(tokens: &[Token<'_>]) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    (1..tokens.len()).any(|at| {
        let is_chosen = matches!(word(at).as_str(), "elected" | "re-elected" | "appointed")
            && words::is_auxiliary(&word(at - 1));
        let ends = tokens.get(at + 1).is_some_and(|role| !role.joins())
            || matches!(word(at + 2).as_str(), "and" | "in" | "on" | "until" | "when");
        let is_bare = ends && pronoun::is_person(&word(at + 1));
        is_chosen && (is_bare || word(at + 1) == "to" && word(at + 3) == "until")
    })
}

/// The same, of a page on which some nouns with `the` stand for its own thing.
pub(super) fn statement_of_page(
    text: &str,
    tokens: &[Token<'_>],
    verb: usize,
    is_own: impl Fn(&str) -> bool,
) -> Option<String> {
    let said = tokens.len().saturating_sub(verb + 1);
    // `including:.`, whose list is left out.
    let text_end = text.trim_end().trim_end_matches('.');
    let ends = !text.trim_end().ends_with(['?', ':', ';', '…', ','])
        && !text_end.trim_end().ends_with([':', ';', ',']);
    let fits =
        said > 0 && ends && !refers_elsewhere(tokens, verb) && is_self_contained(text, tokens);
    let fits = fits && !pointer::points_back(tokens, is_own);
    fits.then(|| shown(text))
}

/// Whether a statement with its verb at token `verb` speaks of what only the text around it names:
/// `was founded by her`, `uses this method`, `such systems`, `at the time`.
fn refers_elsewhere(tokens: &[Token<'_>], verb: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let ends = |at: usize| tokens.get(at).is_none_or(|token| !token.joins());
    // `For example "4n" is`: what it is an example of stands elsewhere.
    let shows = word(0) == "for" && word(1) == "example" && !ends(1);
    // Who reads it when, nobody knows; and `OpenEXR only does one`.
    let soon = (0..tokens.len()).any(|at| {
        matches!(word(at).as_str(), "shortly" | "tomorrow" | "yesterday")
            || matches!(word(at).as_str(), "next" | "last") && word(at + 1) == "week"
    });
    let one = tokens.len() < 8 && tokens.last().is_some_and(|last| last.lower() == "one");
    // `Therefore, X is`, and `may: 1.`, whose rest is a list.
    let concludes = matches!(
        word(0).as_str(),
        "accordingly"
            | "so"
            | "therefore"
            | "thus"
            | "hence"
            | "consequently"
            | "however"
            | "instead"
            | "otherwise"
            | "conversely"
            | "then"
    ) && word(1) != "long";
    // `First, it is built`, and `The old one did not.`
    let counts_up = matches!(
        word(0).as_str(),
        "finally" | "first" | "lastly" | "next" | "second" | "secondly" | "third"
    ) && ends(0);
    let last = tokens.last().map(Token::lower).unwrap_or_default();
    let is_cut_short = matches!(last.as_str(), "did" | "does" | "not");
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
    // `During the first decade,`: of what, another sentence tells.
    let counts = matches!(word(2).as_str(), "first" | "following" | "last" | "next" | "second")
        && WHEN.iter().any(|when| word(3) == *when || word(3) == format!("{when}s"))
        && ends(3);
    let spans = matches!(word(0).as_str(), "after" | "during" | "for" | "in" | "over")
        && word(1) == "the"
        && counts;
    concludes
        || counts_up
        || is_cut_short
        || spans
        || compares
        || shows
        || soon
        || one
        || cut
        || cites
        || (0..tokens.len()).any(|at| match word(at).as_str() {
            "such" => word(at + 1) != "as",
            "this" => true,
            "these" => word(at + 1) != "days",
            "those" => {
                !matches!(word(at + 1).as_str(), "who" | "that" | "which" | "of" | "in" | "with")
            }
            "that" => {
                (at < verb && ends(at))
                    || (at > verb || at == 1) && !ends(at) && is_for_that(tokens, at)
                    || WHEN.contains(&word(at + 1).as_str())
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
            // `X again evaded it`: when it did before, another sentence tells.
            "again" => at < verb,
            "both" => at == 0 && words::is_finite(&word(1), true),
            "their" => at > verb && !tells_several(&tokens[..at]),
            "latter" | "aforementioned" | "abovementioned" | "above-mentioned" => true,
            // What is listed behind it, or the year that another sentence names.
            "following" => {
                word(at.wrapping_sub(1)) == "the"
                    || at == 0 && matches!(word(1).as_str(), "are" | "is")
            }
            "above" | "below" => {
                matches!(word(at + 1).as_str(), "mentioned" | "described" | "listed" | "named")
            }
            "same" => {
                matches!(
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
                at > verb && !exists || exists && mention::is_place(tokens, at)
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

/// `for that principal`: one that another sentence names, unless this one does before.
fn is_for_that(tokens: &[Token<'_>], at: usize) -> bool {
    let leads = |token: &Token<'_>| {
        matches!(
            token.lower().as_str(),
            "at" | "by" | "for" | "from" | "in" | "of" | "on" | "to" | "using" | "with"
        )
    };
    let Some(noun) = tokens.get(at + 1).map(Token::lower) else { return false };
    !words::is_starter(&noun)
        && at.checked_sub(1).is_some_and(|before| leads(&tokens[before]))
        && !tokens[..at].iter().any(|token| token.lower() == noun)
}

/// Whether anything stands in a part of a sentence that `their` may be of.
fn tells_several(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| {
        let word = token.lower();
        super::is_plural(token.text)
            || matches!(
                word.as_str(),
                "and"
                    | "a"
                    | "an"
                    | "any"
                    | "anybody"
                    | "anyone"
                    | "both"
                    | "children"
                    | "each"
                    | "every"
                    | "everybody"
                    | "everyone"
                    | "men"
                    | "nobody"
                    | "one"
                    | "people"
                    | "somebody"
                    | "someone"
                    | "they"
                    | "who"
                    | "women"
            )
    })
}

/// What `that` and `later` tell the time by.
const WHEN: &[&str] = &[
    "year", "month", "week", "day", "night", "hour", "minute", "date", "moment", "point", "period",
    "stage", "era", "age", "decade", "century",
];

/// Whether a sentence begins with what only the sentences before it name: `The company was`.
pub(super) fn begins_elsewhere(tokens: &[Token<'_>]) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let verb = word(2);
    let goes_on = words::is_finite(&verb, false) || words::looks_past(&verb);
    word(0) == "the" && goes_on && KINDS_OF_IT.contains(word(1).as_str())
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

/// Whether a sentence can be understood alone and is neither too short nor too long.
pub(super) fn is_self_contained(text: &str, tokens: &[Token<'_>]) -> bool {
    is_self_contained_of(text, tokens, *FACT_WORDS.start())
}

/// The same, of at least so many words.
pub(super) fn is_self_contained_of(text: &str, tokens: &[Token<'_>], least: usize) -> bool {
    let count = tokens.iter().filter(|token| !token.text.is_empty()).count();
    let lower = text.to_lowercase();
    (least..=*FACT_WORDS.end()).contains(&count)
        && text.len() <= MAX_FACT_BYTES
        && !text.ends_with('?')
        && !ASIDE_PHRASES.iter().chain(&*ORDERS).any(|phrase| lower.contains(phrase))
        && balanced(text)
        && !speech::is_open(text)
        && !has_markup(text)
        && !has_hole(tokens)
        && !is_worked(tokens)
        && !asks(text)
}

/// `tracker1 and tracker2`: so in one example.
fn is_worked(tokens: &[Token<'_>]) -> bool {
    let numbered = |number: char| {
        let stems = tokens.iter().filter_map(move |token| token.text.strip_suffix(number));
        stems.filter(|it| it.len() > 3 && it.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    numbered('1').any(|stem| numbered('2').any(|other| other == stem))
}

/// `Who’s going to decide.`: a question, whatever it ends with.
fn asks(text: &str) -> bool {
    let said = text.rsplit(" – ").next().unwrap_or_default();
    let mut words = said.split([' ', '’', '\'']);
    let is_asked = matches!(words.next(), Some("Who" | "Why" | "How" | "What" | "Where" | "When"));
    let next = words.next().unwrap_or_default();
    is_asked && !said.contains('?') && (next == "s" || words::is_auxiliary(next))
}

/// Whether marks of another language than the page's were left: tags, templates, links of a wiki.
fn has_markup(text: &str) -> bool {
    [
        "</", "/>", "/ >", "{{", "}}", "[[", "]]", "][", " ()", "<br", "<ref", "&nbsp;", "&amp;",
        "&lt;",
    ]
    .iter()
    .any(|mark| text.contains(mark))
}

/// Whether something was cut out of a sentence: `about 55 to long`, `weighs 7 –, sometimes`.
fn has_hole(tokens: &[Token<'_>]) -> bool {
    let is_number = |token: &Token<'_>| token.text.ends_with(|char: char| char.is_ascii_digit());
    tokens.windows(3).any(|three| {
        let binds = three[1].is_dash() || three[1].text == "to";
        binds
            && is_number(&three[0])
            && three[0].joins()
            && matches!(three[2].text, "long" | "tall" | "wide" | "high" | "deep" | "in" | "at")
    }) || tokens.windows(2).any(|two| {
        let mark = two[1].before;
        let dangles = two[1].text.is_empty()
            && mark.starts_with(['-', '–', '—'])
            && mark.ends_with([',', '.', ';', ')']);
        // `(in )`, `(born Alisa, ; – 1982)`
        let empty = two[1].text.is_empty() && mark.starts_with([')', ';']);
        dangles || empty
    }) || tokens.iter().any(|token| token.after.contains("!.") || token.text.contains("!."))
        || tokens.last().is_some_and(is_abbreviated)
}

/// `Bvt.`, behind which a sentence went on: whoever has the title is missing.
fn is_abbreviated(last: &Token<'_>) -> bool {
    const TITLES: &[&str] = &[
        "Dr", "Mr", "Mrs", "Ms", "St", "Lt", "Sgt", "Bvt", "Gen", "Col", "Capt", "Maj", "Prof",
        "Rev", "Gov", "Sen", "Rep",
    ];
    last.after.starts_with('.') && TITLES.contains(&last.text)
}

/// Whether what is listed under a name has the length of a fact and all of its brackets.
pub(in crate::extract) fn is_told(text: &str) -> bool {
    const LEAST: usize = 4;
    is_self_contained_of(text, &tokens(text), LEAST)
}

/// Whether a text of another language has the length of a fact, all of its brackets, and no
/// question.
pub(in crate::extract) fn is_whole(text: &str) -> bool {
    !text.trim_end().ends_with(['?', ':', ';', ',']) && is_self_contained(text, &tokens(text))
}

/// A cut through a bracket leaves half a sentence.
fn balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

/// Whether a word is an address.
pub(super) fn is_address(word: &str) -> bool {
    word.contains("://") || word.starts_with("www.")
}

/// Whether a word looks like a plural.
pub(in crate::extract) fn is_plural(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is")
        && word.chars().any(char::is_lowercase)
}

/// Whether a sentence from elsewhere has the form of a fact.
pub(in crate::extract) fn is_statement(text: &str) -> bool {
    let tokens = tokens(text);
    let commands = tokens.first().is_some_and(|first| words::is_verb_base(&first.lower()));
    !commands && !text.ends_with([':', ';', ',']) && is_self_contained(text, &tokens)
}

/// On one line, without what is not seen.
pub(in crate::extract) fn shown(text: &str) -> String {
    let shown = on_one_line(text, usize::MAX, |char| !char.is_control() && !is_deceptive(char));
    // What stood before a mark that was left out.
    let mut closed = shown.replace(" , ", ", ").replace(" \")", "\")");
    if closed.ends_with(" .") {
        closed.truncate(closed.len() - 2);
        closed.push('.');
    }
    if closed.ends_with("..") && !closed.ends_with("...") {
        closed.pop();
    }
    closed
}
