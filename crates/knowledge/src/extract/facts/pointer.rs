//! Nouns with an article that stand for what a page named before: `the piece`, `the Consortium`. Owns
//! which they are, and the name that they give way to where the page leaves one reading.

use std::collections::{HashMap, HashSet};

use super::home::Home;
use super::{bare, is_plural};
use crate::extract::name::is_month_or_day;
use crate::extract::shape;
use crate::extract::subject::Names;
use crate::extract::token::Token;
use crate::extract::words;
use crate::words::{Words, list};

/// Nouns that, behind `the` alone, stand for what another sentence names.
static POINTING: Words = list!(words "pointing_nouns");

/// Adjectives behind which such a noun still tells nobody which one it is.
static IDLE: Words = list!(words "idle_adjectives");

/// Whether a sentence has such a noun in it, and nothing before it that it may stand for. What begins a
/// sentence is its subject, which is told apart elsewhere; `is_own` are nouns that stand for the page's
/// thing.
pub(super) fn points_back(tokens: &[Token<'_>], is_own: impl Fn(&str) -> bool) -> bool {
    (1..tokens.len()).any(|at| {
        let noun = bare_noun(tokens, at).filter(|noun| is_pointing(&tokens[*noun]));
        noun.is_some_and(|noun| {
            !is_own(bare(tokens[noun].text)) && !is_told_before(tokens, at, noun)
        })
    })
}

/// Whether such a noun is the subject.
pub(super) fn begins(tokens: &[Token<'_>]) -> bool {
    bare_noun(tokens, 0).is_some_and(|noun| is_pointing(&tokens[noun]))
}

/// The noun behind the article at `at`, in lower case, if nothing tells which one it is.
pub(super) fn unexplained(tokens: &[Token<'_>], at: usize) -> Option<String> {
    bare_noun(tokens, at).map(|noun| tokens[noun].lower())
}

fn is_pointing(token: &Token<'_>) -> bool {
    POINTING.contains(bare(token.text))
}

/// Whether a sentence has the noun in it before its article: `a book, and the book is`.
fn is_told_before(tokens: &[Token<'_>], article: usize, noun: usize) -> bool {
    let word = tokens[noun].lower();
    let one = bare(&word);
    tokens[..article].iter().any(|token| {
        let other = token.lower();
        other == one || other.strip_suffix('s').is_some_and(|other| other == one)
    })
}

/// The noun behind the article at `at`, if nothing that follows tells which one it is.
fn bare_noun(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let article = tokens.get(at)?;
    if article.lower() != "the" || !article.joins() {
        return None;
    }
    let idle = tokens.get(at + 1).is_some_and(|next| IDLE.contains(next.text) && next.joins());
    let noun = at + 1 + usize::from(idle);
    let token = tokens.get(noun)?;
    let is_plain = token.before.is_empty() && token.text.starts_with(char::is_lowercase);
    // `named the property China Grove`: the name is none of its own.
    let is_given = token.text == "title"
        || at.checked_sub(1).is_some_and(|verb| GIVING.contains(&tokens[verb].text));
    let is_named = token.joins() && tokens.get(noun + 1).is_some_and(Token::is_capitalised);
    (is_plain && (is_given && is_named || !goes_on(tokens, noun))).then_some(noun)
}

/// Verbs that give a name to what follows them.
const GIVING: &[&str] = &["called", "christened", "dubbed", "named", "renamed", "titled"];

/// Whether what stands behind a noun belongs to it: more of a compound, or what tells which it is.
pub(super) fn goes_on(tokens: &[Token<'_>], noun: usize) -> bool {
    let Some(next) = tokens.get(noun + 1) else { return false };
    let token = &tokens[noun];
    let is_name = |token: &Token<'_>| token.is_capitalised() && !is_month_or_day(&token.lower());
    if token.after == "," || next.before.starts_with(['(', '"', '“']) {
        return is_name(next) || next.before.starts_with(['(', '"', '“']);
    }
    if !token.joins() {
        return false;
    }
    if bare(token.text) != token.text {
        return false;
    }
    let word = next.lower();
    let next_word = tokens.get(noun + 2).map(Token::lower).unwrap_or_default();
    // `the technology from which`, `the writer and schoolmaster Ann`.
    let is_relative = matches!(next_word.as_str(), "which" | "whom" | "whose");
    let is_shared = word == "and" && tokens.get(noun + 3).is_some_and(is_name);
    let tells = is_relative
        || is_shared
        || matches!(
            word.as_str(),
            "of" | "held"
                | "that"
                | "which"
                | "who"
                | "whom"
                | "whose"
                | "where"
                | "called"
                | "named"
                | "titled"
                | "entitled"
                | "known"
                | "behind"
                | "about"
        );
    let binds = matches!(word.as_str(), "in" | "at" | "on" | "from" | "by");
    let end = noun + 2 + usize::from(tokens.get(noun + 2).is_some_and(|it| it.lower() == "the"));
    let is_bound = binds && tokens.get(end).is_some_and(is_name);
    // `the game engine`, `the novel Emma`.
    let is_other = !next.is_dash()
        && !words::ends_phrase(&word)
        && !words::is_lead(&word)
        && !words::is_auxiliary(&word)
        && !words::is_adverb(&word)
        && !words::looks_past(&word)
        && !(words::is_finite(&word, false) && next.text.starts_with(char::is_lowercase))
        && !matches!(
            word.as_str(),
            "or" | "not" | "he" | "she" | "it" | "they" | "itself" | "must"
        );
    tells || is_bound || is_other
}

/// Names of several words that a page has written so far, by their last one.
#[derive(Default)]
pub(super) struct Written {
    /// Nothing where two names end in it.
    full: HashMap<String, Option<String>>,
    /// Written behind an article before any longer name that ends so.
    alone: HashSet<String>,
    /// Nouns, in lower case, that the page brought in: behind `a`, or as last words of names.
    nouns: HashSet<String>,
}

impl Written {
    /// Goes on behind a sentence.
    pub(super) fn take(&mut self, text: &str, tokens: &[Token<'_>]) {
        self.bring_in(tokens);
        let mut at = 0;
        while at < tokens.len() {
            let starts = at == 0 && words::is_starter(&tokens[0].lower());
            let from = at + usize::from(starts);
            let end = shape::run(tokens, from);
            let (Some(first), Some(last)) = (tokens.get(from), tokens.get(end.wrapping_sub(1)))
            else {
                break;
            };
            if end > from {
                let run = text.get(first.start..last.end).unwrap_or_default();
                // `Earth's Moon` is what the Moon is.
                let owns = tokens[from..end - 1].iter().any(|token| bare(token.text) != token.text);
                let is_definite = from > 0 && tokens[from - 1].lower() == "the";
                if end - from > 1 {
                    self.nouns.insert(bare(&last.lower()).to_owned());
                }
                self.note(bare(run), bare(last.text), end - from > 1 && !owns, is_definite || owns);
            }
            at = end.max(at + 1);
        }
    }

    fn note(&mut self, run: &str, last: &str, is_long: bool, is_definite: bool) {
        match (is_long, self.full.get_mut(last)) {
            (true, Some(full)) if full.as_deref() != Some(run) => *full = None,
            (true, None) if is_definite => {
                self.full.insert(last.to_owned(), Some(run.to_owned()));
            }
            (false, None) if is_definite => {
                self.alone.insert(last.to_owned());
            }
            _ => {}
        }
    }

    /// Takes down the nouns that a sentence brings in: `a bog body`, `Bascom Lodge`.
    fn bring_in(&mut self, tokens: &[Token<'_>]) {
        const LONGEST: usize = 4;
        // `The skeleton was found`, from then on.
        let is_one = |noun: &usize| !is_plural(tokens[*noun].text) && *noun + 1 < tokens.len();
        if let Some(noun) = bare_noun(tokens, 0).filter(is_one) {
            self.nouns.insert(bare(&tokens[noun].lower()).to_owned());
        }
        for at in 0..tokens.len() {
            let word = tokens[at].lower();
            if !matches!(word.as_str(), "a" | "an") || !tokens[at].joins() {
                continue;
            }
            let is_inner = |token: &&Token<'_>| {
                let word = token.lower();
                token.before.is_empty()
                    && token.text.starts_with(char::is_lowercase)
                    && !words::ends_phrase(&word)
                    && !words::is_lead(&word)
                    && !words::is_auxiliary(&word)
            };
            let noun = tokens[at + 1..].iter().take(LONGEST).take_while(is_inner);
            let noun = noun.collect::<Vec<_>>();
            let end = noun.iter().position(|it| !it.joins()).map_or(noun.len(), |end| end + 1);
            if let Some(last) = noun.get(end.wrapping_sub(1)) {
                self.nouns.insert(bare(&last.lower()).to_owned());
            }
        }
    }

    /// Whether a sentence has a noun in it behind `the` that the page brought in before, and nothing
    /// that tells which one it is: `managed the lodge`.
    pub(super) fn knows(&self, text: &str) -> bool {
        let tokens = crate::extract::token::tokens(text);
        (1..tokens.len()).any(|at| {
            let noun = bare_noun(&tokens, at);
            noun.is_some_and(|noun| {
                self.nouns.contains(bare(&tokens[noun].lower()))
                    && !is_told_before(&tokens, at, noun)
            })
        })
    }

    fn of(&self, last: &str) -> Option<&str> {
        let full = self.full.get(last)?.as_deref()?;
        (!self.alone.contains(last)).then_some(full)
    }
}

/// The sentence with names for what stands for them: what the page's own thing is called to be, and the
/// last word of the only name that ends so.
pub(super) fn resolved(
    text: &str,
    tokens: &[Token<'_>],
    home: &Home,
    written: &Written,
    names: &Names,
) -> Option<String> {
    if text.contains(['"', '“', '„']) {
        return None;
    }
    let mut shown = String::new();
    let mut from = 0;
    let mut put = |range: std::ops::Range<usize>, name: &str| {
        shown.push_str(&text[from..range.start]);
        shown.push_str(name);
        from = range.end;
    };
    for at in 0..tokens.len().saturating_sub(1) {
        let next = &tokens[at + 1];
        let is_definite = tokens[at].lower() == "the" && tokens[at].joins();
        if !is_definite {
            continue;
        }
        let word = bare(next.text);
        if at > 0
            && bare_noun(tokens, at) == Some(at + 1)
            && is_pointing(next)
            && !is_told_before(tokens, at, at + 1)
            && let Some(name) = home.called(word, text, tokens, names)
        {
            put(tokens[at].start..next.start + word.len(), &name);
        } else if next.is_capitalised()
            && shape::run(tokens, at + 1) == at + 2
            && let Some(name) = written.of(word)
            && names
                .at(text, tokens, at + 1)
                .is_none_or(|hit| names.whole(name) == Some(hit.entity))
            && !text.contains(name)
        {
            put(next.start..next.start + word.len(), name);
        }
    }
    if from == 0 {
        return None;
    }
    shown.push_str(&text[from..]);
    Some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::token::tokens;

    #[test]
    fn a_noun_points_back_unless_something_tells_which() {
        for (text, expected) in [
            ("Gershwin scored the piece for the standard instruments.", true),
            ("Johnston named the property China Grove.", true),
            ("The person behind the brilliant idea is Ann.", true),
            ("Ann wrote the book in January 1943.", true),
            ("Ann wrote the book's preface.", true),
            ("Ann wrote the novel Emma.", false),
            ("Ann wrote the book of Bo.", false),
            ("Ann found the game engine.", false),
            ("Ann joined the company in Paris.", false),
            ("Ann wrote a book, and the book sold well.", false),
            ("Ann sailed around the world.", false),
        ] {
            assert_eq!(points_back(&tokens(text), |_| false), expected, "{text}");
        }
    }

    #[test]
    fn a_last_word_stands_for_the_only_name_that_ends_so() {
        let told = "Ann joined the SQLite Consortium. The Consortium grew. Ann joined the Consortium. \
                    Ann used the Internet of the Dutch Internet. Ann left the Army for the US Army.";
        let mut written = Written::default();
        let names = Names::default();
        let shown: Vec<String> = told
            .split_inclusive(". ")
            .map(|text| {
                let all = tokens(text);
                let shown = resolved(text, &all, &Home::default(), &written, &names);
                written.take(text, &all);
                shown.unwrap_or_else(|| text.to_owned())
            })
            .collect();
        assert_eq!(
            shown.concat(),
            "Ann joined the SQLite Consortium. The SQLite Consortium grew. Ann joined the SQLite \
             Consortium. Ann used the Internet of the Dutch Internet. Ann left the Army for the US Army."
        );
    }
}
