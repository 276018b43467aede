//! What a question asks for: its words with their weights, numbers, what its first word wants, and
//! whether a statement says anything of that. Pure.
//!
//! Knows no language but English by its words; what it does not know asks for nothing special.

mod fact;
mod named;
mod parts;

use rustc_hash::FxHashSet;

use self::named::{all_headings, holds_name, with_place};
use self::parts::{
    BEING, asks_who_it_is, bare, classes, compounds, counted, deed, defined, holds_number,
    is_lifespan, is_of_place, is_release, is_version, is_work_by, label, many, numbered, options,
    things,
};
pub(super) use self::{
    named::{Named, headings},
    parts::own,
};
use super::{
    Hit, Query,
    asked::{
        ARTICLES, AsksFor, BOUNDLESS, CONDITIONS, FOUNDING, LEAST_NAME, LIGHT, QUIET, is_of_time,
        is_one_of, is_pronoun,
    },
    families::{alike, is_known as is_known_word},
    measures::{Measure, amounts, bare as plain, says_opposite, years},
};
use elophanto_base::lexical::{Analyzer, Word, fold, words};
use elophanto_models::builtin::{Pieces, words_met};

/// From this nearness of the words on, a statement says what is asked in other words: `price` for
/// `cost`.
const OTHER_WORDS: f32 = 0.5;
/// Words between a number and what it counts.
const NEAR: usize = 8;
/// What a word counts that is said in another of its family.
const ALIKE: f32 = 0.6;

/// What was asked: its words, each with its weight.
pub struct Question {
    text: String,
    terms: Vec<(String, f32)>,
    /// For each of the terms those that may be said for it.
    alike: Vec<Vec<String>>,
    /// The same as they were typed, each with its term.
    words: Vec<(String, String)>,
    /// Numbers of several parts, such as versions and days: `0.8.0`, `2026-05-06`.
    numbers: Vec<String>,
    /// Words and their terms behind an article: the things that are asked about.
    things: Vec<(String, String)>,
    /// Terms that occur nowhere.
    nowhere: Vec<String>,
    /// Words with the number that stands behind each: `version` and `3.2`.
    numbered: Vec<(String, String)>,
    /// The thing whose number is asked for, and its term: `the maximum number of remotes`.
    counted: Option<(String, String)>,
    /// What one asks the nature of, in lower case: `the tool` of `what is the tool`; else nothing.
    defined: Vec<String>,
    /// Pairs of words the second of which the first tells more of: `costume gallery`.
    compounds: Vec<[String; 2]>,
    /// The things behind `how many`, and their terms.
    many: Vec<(String, String)>,
    /// The term of the word that asks for a number: `how much`, `how long`, not `how to` or `how is`.
    measure: Option<String>,
    /// What is to be done, behind `how do I`, and its term.
    deed: Option<(String, String)>,
    /// What it measures, where that is known.
    measured: Option<Measure>,
    asks_for: Option<AsksFor>,
    /// Words of the kind of thing that is asked for: `video compression` of `which video compression does`.
    classes: Vec<String>,
    /// Options of programs that it names: `-x`.
    options: Vec<String>,
}

impl Question {
    /// `weights` are those of the terms that occur anywhere; others weigh as much as the heaviest.
    pub fn new(text: &str, weights: &[(String, f32)], analyzer: &Analyzer) -> Self {
        let heaviest = weights.iter().map(|(_, weight)| *weight).fold(1.0, f32::max);
        let mut seen = FxHashSet::default();
        let mut terms = Query::plain(text, analyzer).terms;
        terms.retain(|term| seen.insert(term.clone()));
        let light: Vec<_> = LIGHT.iter().filter_map(|word| analyzer.term(word)).collect();
        if terms.iter().any(|term| !light.iter().any(|light| light == term)) {
            terms.retain(|term| !light.iter().any(|light| light == term));
        }
        let is_nowhere = |term: &&String| !weights.iter().any(|(known, _)| known == *term);
        let nowhere = terms.iter().filter(is_nowhere).cloned().collect();
        let weigh = |term: String| {
            let known = weights.iter().find(|(known, _)| *known == term);
            let weight = known.map_or(heaviest, |(_, weight)| *weight);
            (term, weight)
        };
        let mut buffer = String::new();
        let mut typed = |word: Word| {
            fold(&text[word.range.clone()], &mut buffer);
            Some((text[word.range].to_owned(), analyzer.term(&buffer)?.into_owned()))
        };
        let measure = words(text).zip(words(text).skip(1)).find_map(|(how, next)| {
            let [how, next] = [how, next].map(|word| text[word.range].to_lowercase());
            let is_much = next == "much" || next == "many";
            let term = analyzer.term(&next).map(|term| term.into_owned());
            let term = term.filter(|term| terms.contains(term));
            let kind = if next == "many" { AsksFor::Count } else { AsksFor::Amount };
            let term = term.or_else(|| is_much.then_some(next)).filter(|_| how == "how")?;
            Some((term, kind))
        });
        let words = words(text).filter_map(&mut typed).collect();
        let is_of_parts = |word: &String| {
            let mut parts = word.split(['.', '-']);
            word.contains(['.', '-'])
                && parts.all(|part| part.starts_with(|char: char| char.is_ascii_digit()))
        };
        let numbers = text.split_whitespace().map(bare).filter(is_of_parts).collect();
        let (measure, kind) = measure.unzip();
        // An amount says no `many`.
        if measure.is_some() && terms.len() > 1 {
            let no_words = analyzer.terms("much many");
            terms.retain(|term| measure.as_ref() != Some(term) || !no_words.contains(term));
        }
        let asks_for = AsksFor::of(text).or(kind);
        let deed = deed(text, analyzer);
        let measured = Measure::of(text).filter(|_| asks_for == Some(AsksFor::Amount));
        let alike = terms.iter().map(|term| {
            let mut others = alike(term, analyzer);
            if measure.as_ref() == Some(term) {
                let names = measured.iter().flat_map(Measure::names);
                others.extend(names.flat_map(|name| analyzer.terms(name)));
            }
            others
        });
        let alike = alike.collect();
        let terms = terms.into_iter().map(weigh).collect();
        let numbered = numbered(text, analyzer);
        let counted = counted(text, analyzer);
        let things = things(text, analyzer);
        Self {
            text: text.to_owned(),
            terms,
            alike,
            words,
            numbers,
            things,
            nowhere,
            numbered,
            counted,
            defined: defined(text),
            compounds: compounds(text, analyzer),
            many: many(text, analyzer),
            measure,
            deed,
            measured,
            asks_for,
            classes: classes(text),
            options: options(text).map(str::to_owned).collect(),
        }
    }

    /// Whether it asks what or who something is, and a statement begins with that: `the tool is`.
    pub(super) fn is_defined_by(&self, statement: &str) -> bool {
        let mut said = words(statement).map(|word| &statement[word.range]);
        !self.defined.is_empty()
            && self
                .defined
                .iter()
                .all(|thing| said.next().is_some_and(|word| word.to_lowercase() == *thing))
            && said.next().is_some_and(|word| is_one_of(&BEING, word))
    }

    /// How much of a term of it is held: less of what is said for it.
    fn holding(&self, term: &str, held: impl Fn(&str) -> bool) -> f32 {
        let at = self.terms.iter().position(|(known, _)| known == term);
        let mut alike = at.and_then(|at| self.alike.get(at)).into_iter().flatten();
        match held(term) {
            true => 1.0,
            false if alike.any(|other| held(other)) => ALIKE,
            false => 0.0,
        }
    }

    /// The terms of a text, and those of the question that it says in others. `found` is said of what was looked for, though its stem is that of `founded`.
    fn said(&self, text: &str, analyzer: &Analyzer) -> FxHashSet<String> {
        let mut said: FxHashSet<String> = analyzer.terms(text).into_iter().collect();
        let asks = self.words.iter().any(|(word, _)| is_one_of(&FOUNDING, word));
        if asks && !words(text).any(|word| is_one_of(&FOUNDING, &text[word.range])) {
            said.remove("found");
        }
        if is_release(text) {
            said.extend(analyzer.terms("released"));
        }
        if words(text).any(|word| is_of_time(&text[word.range])) {
            said.extend(analyzer.terms("date day month year"));
        }
        if is_lifespan(text) {
            said.extend(analyzer.terms("born died"));
        }
        if text.contains('%') {
            said.extend(analyzer.terms("percent"));
        }
        if self.asks_for == Some(AsksFor::Person) && is_work_by(text) {
            said.extend(analyzer.terms("wrote created"));
        }
        let is_said = |term: &&String| self.holding(term, |term| said.contains(term)) > 0.0;
        let also: Vec<String> =
            self.terms.iter().map(|(term, _)| term).filter(is_said).cloned().collect();
        said.extend(also);
        said
    }

    /// Share of it that a statement says together with the headings above it and its file's name.
    pub fn said_by(&self, text: &str, hit: &Hit, analyzer: &Analyzer) -> f32 {
        let terms = self.said(&with_place(text, hit), analyzer);
        self.share(|term| terms.contains(term))
    }

    /// Its words, as typed, that a statement does not say, nor the headings above it. What asks for a
    /// number need not be said, and a part of a number is none of its own.
    pub fn unsaid<'q>(&'q self, text: &str, hit: &Hit, analyzer: &Analyzer) -> Vec<&'q str> {
        let said = with_place(text, hit);
        let terms = self.said(&said, analyzer);
        let is_part = |term: &str| {
            self.numbers.iter().any(|number| number.split(['.', '-']).any(|part| part == term))
        };
        let unsaid = self.terms.iter().filter(|(term, _)| {
            !terms.contains(term) && self.measure.as_ref() != Some(term) && !is_part(term)
        });
        let typed = |term: &str| self.words.iter().find(|(_, known)| known == term);
        // `Hub`, where `GitHub` is said.
        let is_within_said = |word: &str| {
            let whole = |(known, term): &(String, String)| {
                known.len() > word.len() && known.contains(word) && terms.contains(term)
            };
            self.words.iter().any(whole)
        };
        let words = unsaid.filter_map(|(term, _)| typed(term).map(|(word, _)| word.as_str()));
        let words = words.filter(|word| !is_within_said(word) && !is_one_of(&QUIET, word));
        let numbers = self.numbers.iter().filter(|number| !holds_number(&said, number));
        words.chain(numbers.map(String::as_str)).collect()
    }

    /// Whether it says any of some words.
    pub(super) fn asks_for_any(&self, words: &str, analyzer: &Analyzer) -> bool {
        let terms = analyzer.terms(words);
        self.terms.iter().any(|(term, _)| terms.contains(term))
    }

    /// Whether a heading says all of it.
    pub(super) fn is_heading(&self, heading: &str, analyzer: &Analyzer) -> bool {
        let terms: FxHashSet<String> = analyzer.terms(heading).into_iter().collect();
        self.asks_for.is_none() && self.share(|term| terms.contains(term)) > 0.999
    }

    /// Whether something that is asked about by its name is nowhere in a text of a hit, or by a word that occurs
    /// nowhere at all, nor is `known` to stand for others: it speaks of something else.
    pub fn lacks_name(
        &self,
        text: &str,
        hit: &Hit,
        analyzer: &Analyzer,
        is_known: impl Fn(&str) -> bool,
    ) -> bool {
        let is_name = |word: &str| {
            let first = self.words.first().is_some_and(|(first, _)| first == word);
            !first && word.starts_with(char::is_uppercase) && word.chars().count() >= LEAST_NAME
        };
        let is_strange = |word: &str| {
            let of_word =
                |(typed, term): &(String, String)| typed == word && self.nowhere.contains(term);
            word.chars().all(char::is_alphabetic)
                && word.chars().count() > LEAST_NAME
                && !is_known(word)
                // `send` occurs nowhere where it is always `sent`.
                && !self.terms_of(word).any(|term| is_known_word(term, analyzer))
                && !is_met(word, text)
                && self.words.iter().any(of_word)
        };
        let by_capitals = !analyzer.capitalises_nouns();
        let unsaid = self.unsaid(text, hit, analyzer);
        unsaid.into_iter().any(|word| by_capitals && is_name(word) || is_strange(word))
    }

    /// The terms of a word as it was typed.
    fn terms_of(&self, word: &str) -> impl Iterator<Item = &str> {
        self.words.iter().filter(move |(typed, _)| typed == word).map(|(_, term)| term.as_str())
    }

    /// Whether a statement says anything of what is asked about its subject, in these or in other
    /// words, or by a number where one asks how much. The subject is what the headings above it speak
    /// of, and what is written as a name: that they stand there tells that it is about the right
    /// thing, and nothing of what it `costs`. What names others only is not about what has a name.
    pub(super) fn is_told_by(&self, text: &str, named: &Named, analyzer: &Analyzer) -> bool {
        if self.is_of_another(text)
            || self.is_of_other_thing(text, named, analyzer)
            || self.is_of_other_year(text, named)
            || says_opposite(&self.text, text)
            || !self.says_option(text, named)
        {
            return false;
        }
        let said = self.said(text, analyzer);
        // Before a dash stands what a fact is kept under; elsewhere a dash is one.
        let said_of = if named.is_fact { own(text) } else { text };
        let (mut names, mut asked) = (Vec::new(), Vec::new());
        for (number, (word, term)) in self.words.iter().enumerate() {
            let is_of_question = self.terms.iter().any(|(known, _)| known == term);
            let is_typed_as_name =
                named.by_capitals && number > 0 && word.starts_with(char::is_uppercase);
            if !is_of_question || named.is_above(term) {
                continue;
            }
            if is_typed_as_name || named.names.contains(term) {
                names.push(term);
            } else if self.measure.as_ref() != Some(term)
                && !word.contains(|char: char| char.is_numeric())
            {
                asked.push((word.as_str(), term));
            }
        }
        let speaks_of_it = || first_word(text).is_some_and(is_pronoun);
        let is_of_others = !names.is_empty()
            && !speaks_of_it()
            && !names.iter().any(|name| said.contains(*name))
            && said.iter().any(|term| named.names.contains(term));
        let in_other_words = || {
            let asked: Vec<&str> = asked.iter().map(|(word, _)| *word).collect();
            is_met(&asked.join(" "), text)
        };
        let is_said = asked.iter().any(|(_, term)| said.contains(*term));
        let is_of_its_kind = match self.asks_for {
            Some(AsksFor::Person) => {
                // In the same word: an `Author` may be unknown; who `the members` are is told by names. What is
                // good for `starting` something was started by nobody.
                let is_deed = |term: &String| {
                    words(text)
                        .map(|word| &text[word.range])
                        .any(|word| !word.ends_with("ing") && analyzer.terms(word).contains(term))
                };
                let deed = asked.first().is_some_and(|(_, term)| is_deed(term));
                let is_who = asks_who_it_is(&self.text);
                let is_one = words(&self.text)
                    .nth(1)
                    .is_some_and(|it| matches!(&self.text[it.range], "is" | "was"));
                deed && (!is_who || self.is_defined_by(said_of))
                    || label(text).is_some()
                    || holds_name(said_of, &self.words, if is_who && is_one { 2 } else { 1 })
            }
            Some(AsksFor::Day) => {
                words(text).any(|word| is_of_time(&text[word.range])) || self.names_version(text)
            }
            Some(AsksFor::Time) => {
                let tells = |word: &str| {
                    let is_asked = |(asked, _): &(String, String)| asked.eq_ignore_ascii_case(word);
                    let is_condition = is_one_of(&CONDITIONS, word);
                    is_of_time(word) || is_condition && !self.words.iter().any(is_asked)
                };
                words(text).any(|word| tells(&text[word.range])) || self.names_version(text)
            }
            Some(AsksFor::Place) => is_of_place(text),
            Some(AsksFor::Bound) => {
                let is_bound = |word: &str| {
                    word.starts_with(|char: char| char.is_numeric()) || is_one_of(&BOUNDLESS, word)
                };
                let is_of_it = self.counted.as_ref().is_none_or(|thing| {
                    said.contains(&thing.1) || named.is_above(&thing.1) || is_met(&thing.0, text)
                });
                is_of_it && words(text).any(|word| is_bound(&text[word.range]))
            }
            Some(AsksFor::Code) => {
                let is_code = |word: &str| {
                    word.contains('_') || word.starts_with('-') || word.starts_with(['\'', '"'])
                };
                text.contains('`') || text.split_whitespace().any(is_code)
            }
            Some(AsksFor::Default) => words(text).any(|word| {
                let word = &text[word.range];
                is_one_of(&["default", "defaults"], word)
            }),
            Some(AsksFor::Count | AsksFor::Amount) => match self.measured {
                Some(measured) => measured.is_told_by(text),
                None => self.is_counted_in(text, &said, named, analyzer),
            },
            None => true,
        };
        // An amount need not be named again: "20 euros" is what something costs.
        let is_an_amount = self.asks_for == Some(AsksFor::Amount)
            && self.measured.is_none_or(|it| !it.is_asked_by("long") || it.is_named_in(text));
        !is_of_others
            && is_of_its_kind
            && (asked.is_empty() || is_an_amount || is_said || in_other_words())
    }

    /// Whether a statement has a number, and of those things of which one asks how many there are; near to
    /// them, where it says them in the same word.
    fn is_counted_in(
        &self,
        text: &str,
        said: &FxHashSet<String>,
        named: &Named,
        analyzer: &Analyzer,
    ) -> bool {
        // `At least 18 years old` counts nobody.
        let units = ["year", "years", "month", "months", "day", "days", "hour", "hours", "minutes"];
        let is_of_time = |amount: &str| {
            let behind = text.split_once(amount).map_or("", |(_, behind)| behind);
            let next = behind.split_whitespace().next().map(plain).unwrap_or_default();
            units.contains(&next) && !self.many.iter().any(|(word, _)| word == next)
        };
        let amounts: Vec<&str> =
            amounts(text).filter(|it| self.many.is_empty() || !is_of_time(it)).collect();
        if amounts.is_empty() || self.many.is_empty() {
            return !amounts.is_empty();
        }
        let is_of_them = |(word, term): &(String, String)| {
            said.contains(term) || named.is_above(term) || is_met(word, text)
        };
        let tokens: Vec<&str> = text.split_whitespace().map(plain).collect();
        let is_thing = |token: &str| {
            let terms = analyzer.terms(token);
            self.many.iter().any(|(_, term)| terms.contains(term))
        };
        let mut things = (0..tokens.len()).filter(|at| is_thing(tokens[*at])).peekable();
        let is_far = things.peek().is_some()
            && things.all(|at| {
                let near = &tokens[at.saturating_sub(NEAR)..tokens.len().min(at + NEAR)];
                !near.iter().any(|token| amounts.contains(token))
            });
        !is_far && self.many.iter().any(is_of_them)
    }

    /// Whether a statement names a version where no number is asked about: `removed in 4.0` tells when.
    fn names_version(&self, text: &str) -> bool {
        let is_named = |token: String| token.contains('.') && is_version(&token);
        self.numbers.is_empty() && text.split_whitespace().map(bare).any(is_named)
    }

    /// Whether a statement begins with what is asked about, but with another number, and never has the one
    /// asked for: `Version 3.1 was` where `version 3.2` is. Before a dash stands what a fact is kept under.
    pub fn is_of_another(&self, text: &str) -> bool {
        let tokens: Vec<String> = own(text).split_whitespace().map(bare).collect();
        let first = usize::from(tokens.first().is_some_and(|token| token == "the"));
        let [Some(word), Some(found)] = [first, first + 1].map(|at| tokens.get(at)) else {
            return false;
        };
        let is_within = |one: &str, other: &str| {
            one.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_other = |(known, number): &(String, String)| {
            known == word
                && !is_within(found, number)
                && !is_within(number, found)
                && !tokens.contains(number)
        };
        is_version(found) && self.numbered.iter().any(is_other)
    }

    /// Whether a statement or a heading above it names one of the options that are asked about, if any is.
    fn says_option(&self, text: &str, named: &Named) -> bool {
        let is_asked = |said: &str| self.options.iter().any(|it| it == said);
        self.options.is_empty()
            || options(text).any(is_asked)
            || named.options.iter().any(|said| is_asked(said))
    }

    /// Whether a statement names years, and neither it nor what stands above names the one asked about.
    fn is_of_other_year(&self, text: &str, named: &Named) -> bool {
        let (asked, said) = (years(&self.text), years(text));
        !said.is_empty()
            && asked.iter().any(|year| !is_within(year, &said) && !named.is_above(year))
    }

    /// Whether a statement begins with a thing that nobody asked about, and says nothing of those that are
    /// asked about, in no other words either: `The proxy listens on 8080.` of `the database`.
    fn is_of_other_thing(&self, text: &str, named: &Named, analyzer: &Analyzer) -> bool {
        let mut begins = words(text).map(|word| &text[word.range]);
        let (Some(article), Some(thing)) = (begins.next(), begins.next()) else { return false };
        if self.things.is_empty() || !is_one_of(&ARTICLES, article) {
            return false;
        }
        let said = self.said(text, analyzer);
        let is_known = |term: &String| {
            named.is_above(term) || self.terms.iter().any(|(asked, _)| asked == term)
        };
        let is_said = |(_, term): &(String, String)| said.contains(term) || named.is_above(term);
        let is_meant = |(word, _): &(String, String)| is_met(word, text);
        let own = analyzer.terms(thing);
        !own.is_empty()
            && !own.iter().any(is_known)
            && !self.things.iter().any(|thing| is_said(thing) || is_meant(thing))
    }

    /// Share of its weight that these terms hold.
    pub(super) fn share(&self, held: impl Fn(&str) -> bool) -> f32 {
        let all: f32 = self.terms.iter().map(|(_, weight)| weight).sum();
        let said: f32 =
            self.terms.iter().map(|(term, weight)| weight * self.holding(term, &held)).sum();
        if all > 0.0 { said / all } else { 0.0 }
    }

    /// Share of its weight that a hit holds in its text and headings.
    pub fn covered_by(&self, hit: &Hit, analyzer: &Analyzer) -> f32 {
        let terms = self.said(&with_place(&hit.text, hit), analyzer);
        self.share(|term| terms.contains(term))
    }

    /// Whether all of its words with a number in them are there: `v3` is not `v2`, and `0.8.0` is
    /// not `0`, `8` and `0`.
    pub fn keeps_numbers(&self, hit: &Hit, analyzer: &Analyzer) -> bool {
        let said = format!("{}\n{}", all_headings(hit), hit.text);
        let terms: FxHashSet<String> = analyzer.terms(&said).into_iter().collect();
        let mut numbers =
            self.terms.iter().filter(|(term, _)| term.contains(|char: char| char.is_numeric()));
        numbers.all(|(term, _)| terms.contains(term))
            && self.numbers.iter().all(|number| holds_number(&said, number))
    }
}

/// Whether a year is among others or between them: `from 1861 to 1865` is of 1863 too.
fn is_within(year: &str, said: &[&str]) -> bool {
    let (first, last) = (said.iter().min(), said.iter().max());
    first.is_some_and(|first| *first <= year) && last.is_some_and(|last| *last >= year)
}

/// Whether a text says some words in others.
fn is_met(asked: &str, text: &str) -> bool {
    met_by(asked, text) >= OTHER_WORDS
}

/// How near a text comes to some words, each in its nearest: 0.6 of `price` for `cost`, 0.2 of `oxygen` for
/// `nitrogen`.
fn met_by(asked: &str, text: &str) -> f32 {
    let met = words_met(asked, vec![Pieces::of(text)]).unwrap_or_default();
    met.first().copied().unwrap_or(0.0)
}

fn first_word(text: &str) -> Option<&str> {
    words(text).next().map(|word| &text[word.range])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_several_parts_are_one_thing() {
        for (text, number, expected) in [
            ("Released 0.8.0 today", "0.8.0", true),
            ("Released v0.8.0.", "0.8.0", true),
            ("0.8.0", "0.8.0", true),
            ("0.8, and 0", "0.8.0", false),
            ("10.8.0", "0.8.0", false),
            ("1.0.8.0", "0.8.0", false),
            ("0.8.01", "0.8.0", false),
            ("0.8.0.1", "0.8.0", false),
            ("0.8.0-rc", "0.8.0", true),
            ("on 2026-05-06, late", "2026-05-06", true),
            ("on 2026-05-16", "2026-05-06", false),
        ] {
            assert_eq!(holds_number(text, number), expected, "{text} {number}");
        }
        let analyzer = Analyzer::new("english");
        let numbers = |text: &str| Question::new(text, &[], &analyzer).numbers;
        assert_eq!(numbers("when was v0.8.0 released, on 2026-05-06?"), ["0.8.0", "2026-05-06"]);
        assert_eq!(numbers("what is x86-64 on 3 of e.g. co-op 5?"), [""; 0]);
    }

    #[test]
    fn what_something_is_stands_behind_its_name() {
        let analyzer = Analyzer::new("english");
        for (question, statement, expected) in [
            ("What is Ship?", "Ship is a tool that ships.", true),
            ("What is ship?", "Ship and others are tools.", false),
            ("Who was the captain?", "The captain was Ada.", true),
            ("What is it good for?", "It is a tool.", false),
            ("What is?", "It is a tool.", false),
        ] {
            let question = Question::new(question, &[], &analyzer);
            assert_eq!(question.is_defined_by(statement), expected, "{statement}");
        }
    }

    #[test]
    fn what_is_asked_for_is_in_what_answers() {
        for (question, statement, tells) in [
            ("how many users does it have", "It says how many files are missing.", false),
            ("how many users does it have", "The sea has 16 otters.", false),
            ("how many users does it have", "It has thousands of users.", true),
            ("how many stars does it have", "It is right for 86 of 100.", false),
            (
                "how many users does it have",
                "On a user's machine that is closed and writes a line an hour it does three at once.",
                false,
            ),
            ("how many users does it have", "To be a user, you must be 18 years old.", false),
            ("how many years did it last", "It lasted for 18 years.", true),
            ("who started the program", "A book for it is a good starting point.", false),
            ("who is the president of it", "The president may call an Annual meeting.", false),
            ("who is the president of it", "Elected president was Ada Hill.", true),
            ("who is the captain of it", "Elected captain of it was Pelé.", true),
            ("who was the first to map it", "The first map of it is by Ada de Hill.", true),
            ("how much does it cost", "A seat is 20 euros a year.", true),
            ("how old is the program", "The program has a long history.", false),
            ("who maintains the program", "The program makes notes searchable.", false),
            ("who maintains the program", "Only users with a key maintain it.", true),
            ("who wrote the program", "The author of the program is Ada Lovelace.", true),
            ("who wrote the program", "The author of the program is unknown.", false),
            ("who wrote the program", "The program is `run GOAL [--budget USD]`.", false),
            ("when was the program founded", "A command leaves it as it found it.", false),
            ("when was the program founded", "Founded in May, it grew.", true),
            ("when does the program run", "The program runs after each merge.", true),
            ("when was version 3.2 released", "Version 3.1 was released on May 2, 2023.", false),
            ("when was version 3.2 released", "Version 3.2 was released on May 4, 2024.", true),
            ("when was version 3.2 released", "Version 3.2.1 was released in May.", true),
            ("when was version 3.2 released", "Version 3.1 was released before 3.2, in May.", true),
            ("when was v3 of it released", "V2 was released in May.", true),
            ("when was Redis 7 released", "Redis 7 – Redis 6 was released in April 2020.", false),
            ("when was Redis 7 released", "Redis 7 – Redis 7 was released in April 2022.", true),
            ("when was Redis released", "Redis 6 was released in April 2020.", true),
            ("what is the program used for", "It finds notes.", true),
            ("what happens when it crashes", "After a crash it starts anew.", true),
            ("which port does the database use", "The proxy uses port 8080.", false),
            ("which port does the database use", "The main database uses port 5432.", true),
            ("which port does the database use", "The program uses port 8080.", true),
            ("which port does the database use", "It uses port 5432.", true),
            ("how long is the vacation", "The holidays are four weeks long.", true),
            ("who founded the company", "The code can be found in May's folder.", false),
            ("who founded the company", "Ada Lovelace founded it.", true),
            ("what is the maximum length of a label", "A label exceeds the maximum length.", false),
            ("what is the maximum length of a label", "A label has at most 2048 bytes.", true),
            ("what is the maximum number of remotes", "Maximum of connections, 0 for none", false),
            ("what is the maximum number of remotes", "At most 5 remotes are read.", true),
            ("which command makes a label", "The command makes a label.", false),
            ("which command makes a label", "A label is made by `make label`.", true),
            ("when will the mode be removed", "The mode is removed in Loki 4.0.", true),
            ("when was the mode removed", "The mode was removed by somebody.", false),
            ("what is the default limit of retries", "The limit of retries can be set.", false),
            ("what is the default limit of retries", "The limit defaults to 5 retries.", true),
            ("what is the default of retries", "retries: Default: **2**", true),
            ("who built the ship", "Ship – Builder: the Yard", true),
            ("who were the users of it", "It ended, with both users going.", false),
            ("who were the users of it", "It had two users, Ada and Bob.", true),
            ("who invented the drum", "Drum – The circle created sounds.", false),
            ("who is the audience", "The audience is developers of tools.", true),
            ("who is the author of it", "Ada Hill – of the navy – was the author of it.", true),
            ("when was Ada born", "Ada Base was head of it (2010–2015).", false),
            ("who wrote the book", "It is a book for children by Ada Base.", true),
            ("when was Ada born", "Ada Base (May 2, 1929 – May 4, 2012) was a lawyer.", true),
            ("where was it found", "Every once in a while, one is found.", false),
            ("when was tool 0.4.0 released", "tool 0.4.0 (2020-11-06) – It is faster.", true),
            ("who bought it in 1960", "In 1887 Ada bought it.", false),
            ("who bought it in 1960", "In 1960 the Tube acquired it.", true),
            ("who led it in 1863", "Lincoln led it from 1861 to 1865.", true),
            ("what date format does it use", "Its date format is `DD.MM.YYYY`.", true),
            ("how many people died when it sank", "It sank on 29 August 1782.", false),
            ("where was Ada born", "Ada (born March 4, 1982) is a player.", false),
            ("where was Ada born", "Ada was born in London.", true),
            ("what does tool -x do", "-k: it may fail (e.g. a missing x)", false),
            ("what does tool -x do", "-x, --exclusive: it may fail", true),
        ] {
            let analyzer = Analyzer::new("english");
            let question = Question::new(question, &[], &analyzer);
            let named = Named {
                above: ["program".to_owned()].into_iter().collect(),
                inner: FxHashSet::default(),
                names: FxHashSet::default(),
                by_capitals: true,
                options: Vec::new(),
                is_fact: statement.starts_with("Drum – "),
            };
            assert_eq!(question.is_told_by(statement, &named, &analyzer), tells, "{statement}");
        }
    }
}
