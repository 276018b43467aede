//! What a question asks for: its words with their weights, numbers, what its first word wants, and
//! whether a statement says anything of that. Pure.
//!
//! Knows no language but English by its words; what it does not know asks for nothing special.

mod fact;
mod headed;
mod kinds;
mod named;
mod parts;

use rustc_hash::FxHashSet;

use self::named::{all_headings, with_place};
use self::parts::{
    BEING, bare, classes, compounds, counted, deed, defined, holds_number, is_lifespan, is_release,
    is_version, is_work_by, many, numbered, options, things,
};
pub(super) use self::{
    named::{Named, headings},
    parts::own,
};
use super::{
    Hit, Query,
    asked::{
        ARTICLES, AsksFor, FOUNDING, LEAST_NAME, LICENCES, LIGHT, QUIET, is_of_time, is_one_of,
        is_pronoun,
    },
    families::{alike, is_known as is_known_word},
    measures::{Measure, says_opposite, years},
};
use elophanto_base::lexical::{Analyzer, Word, fold, words};
use elophanto_models::builtin::{Pieces, words_met};

/// From this nearness of the words on, a statement says what is asked in other words: `price` for
/// `cost`.
const OTHER_WORDS: f32 = 0.5;
/// What a word counts that is said in another of its family.
const ALIKE: f32 = 0.6;

/// What a statement tells of what is asked.
#[derive(Default)]
pub(super) struct Told {
    /// Whether it has the kind of thing that is asked for, and is about nothing else.
    pub fits: bool,
    /// Whether it also says anything of what is asked.
    pub tells: bool,
    /// Share of the words of the question that it says, those apart that stand above it.
    pub share: f32,
}

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
        // `How do I limit how many` asks for no number.
        let mut said = words(text).map(|word| text[word.range].to_lowercase());
        let next = said.find(|word| word == "how").and_then(|_| said.next());
        let measure = next.and_then(|next| {
            let is_much = next == "much" || next == "many";
            let term = analyzer.term(&next).map(|term| term.into_owned());
            let term = term.filter(|term| terms.contains(term));
            let kind = if next == "many" { AsksFor::Count } else { AsksFor::Amount };
            Some((term.or_else(|| is_much.then_some(next))?, kind))
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
        let mut alike = alike(&terms, analyzer);
        for (term, others) in terms.iter().zip(&mut alike) {
            if measure.as_ref() == Some(term) {
                let names = measured.iter().flat_map(Measure::names);
                others.extend(names.flat_map(|name| analyzer.terms(name)));
            }
        }
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
        if words(text).any(|word| is_one_of(&LICENCES, &text[word.range])) {
            said.extend(analyzer.terms("licence license"));
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
    /// thing, and nothing of what it `costs`. What names others only is not about what has a name. What stands
    /// beneath the question itself (`is_headed`) need not be of the kind of thing that is asked for.
    pub(super) fn told_by(
        &self,
        text: &str,
        named: &Named,
        is_headed: bool,
        analyzer: &Analyzer,
    ) -> Told {
        if self.is_of_another(text)
            || self.is_of_other_thing(text, named, analyzer)
            || self.is_of_other_year(text, named)
            || says_opposite(&self.text, text)
            || !self.says_option(text, named)
        {
            return Told::default();
        }
        let said = self.said(text, analyzer);
        // Before a dash stands what a fact is kept under; elsewhere a dash is one.
        let said_of = if named.is_fact { own(text) } else { text };
        let (mut names, mut asked) = (Vec::new(), Vec::new());
        for (number, (word, term)) in self.words.iter().enumerate() {
            let is_of_question = self.terms.iter().any(|(known, _)| known == term);
            let is_typed_as_name =
                named.by_capitals && number > 0 && word.starts_with(char::is_uppercase);
            if !is_of_question || named.is_above(term) || is_one_of(&QUIET, word) {
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
        let is_of_its_kind = self.is_of_kind(text, said_of, &asked, &said, named, analyzer);
        // An amount need not be named again: "20 euros" is what something costs.
        let is_an_amount = self.asks_for == Some(AsksFor::Amount)
            && self.measured.is_none_or(|it| !it.is_asked_by("long") || it.is_named_in(text));
        let is_done =
            self.deed.as_ref().is_none_or(|(word, term)| said.contains(term) || is_met(word, text));
        let fits = !is_of_others && (is_headed || is_of_its_kind && is_done);
        let names = names.iter().map(|name| f32::from(u8::from(said.contains(*name))));
        let others = asked.iter().map(|(word, term)| match said.contains(*term) {
            true => 1.0,
            false if is_met(word, text) => ALIKE,
            false => 0.0,
        });
        let dated = years(&self.text).into_iter().filter(|year| !named.is_above(year));
        let dated = dated.map(|year| f32::from(u8::from(years(text).contains(&year))));
        let each: Vec<f32> = names.chain(others).chain(dated).collect();
        Told {
            fits,
            tells: fits && (asked.is_empty() || is_an_amount || is_said || in_other_words()),
            share: if each.is_empty() { 1.0 } else { each.iter().sum::<f32>() / each.len() as f32 },
        }
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
}
