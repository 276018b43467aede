//! Whether a fact, which stands alone on its page, is about what is asked. Pure.

use super::{
    super::{
        Hit,
        asked::{AsksFor, QUIET, is_one_of},
        measures::years,
    },
    Question, headings, is_met, is_within, met_by,
    parts::{label, letters, ordinal, own, part_of},
};
use elophanto_base::lexical::{Analyzer, words};
use rustc_hash::FxHashSet;

/// Share of what is asked of a thing, its name and kind apart, that a fact says at least. Chosen on 210
/// questions about 46 learned texts (0.34 to 0.5 answer as many, 0.67 a tenth fewer).
const LEAST_TOLD: f32 = 0.45;
/// What the kind of thing counts that is asked for, as `header` in `which header must`: an answer is of that
/// kind and need not say so.
const OF_CLASS: f32 = 0.3;
/// Words that say which of several, which are weighed like the kind of thing.
const ORDINALS: [&str; 5] = ["first", "last", "most", "new", "old"];
/// The same of a single word.
const OTHER_WORD: f32 = 0.45;

/// The words of a fact and of its title.
fn words_of<'t>(text: &'t str, hit: &'t Hit) -> impl Iterator<Item = &'t str> {
    [text, &hit.title].into_iter().flat_map(|text| words(text).map(|word| &text[word.range]))
}

impl Question {
    /// Share of a title's words that it says.
    pub(in crate::search) fn asked_of_title(&self, title: &str, analyzer: &Analyzer) -> f32 {
        let terms = analyzer.terms(title);
        let is_asked = |term: &&String| self.terms.iter().any(|(asked, _)| asked == *term);
        terms.iter().filter(is_asked).count() as f32 / terms.len().max(1) as f32
    }

    /// Whether a fact, which stands alone, is about what is asked: it names it, says most of the rest, does it
    /// where one asks how to, and is neither of a part of it nor a value under a label that nobody asked for.
    pub(in crate::search) fn is_of_fact(&self, text: &str, hit: &Hit, analyzer: &Analyzer) -> bool {
        let above = headings(hit, analyzer);
        let asked: Vec<(&str, &str, f32)> = self
            .words
            .iter()
            .enumerate()
            .filter_map(|(number, (word, term))| {
                let is_name = number > 0
                    && word.starts_with(char::is_uppercase)
                    && !analyzer.capitalises_nouns();
                // How big something is, no unit tells.
                let is_amount = self.measured.is_some() || self.asks_for == Some(AsksFor::Count);
                let is_measured = self.measure.as_ref() == Some(term) && is_amount
                    || self.measured.is_some_and(|measured| measured.is_asked_by(word));
                let is_asked = !is_name
                    && !is_measured
                    && !above.contains(term)
                    && !is_one_of(&QUIET, word)
                    && !word.contains(|char: char| char.is_numeric());
                let weight = self.terms.iter().find(|(known, _)| known == term)?.1;
                // `first` alone says nothing of a first performance.
                let is_light = self.classes.contains(word) || is_one_of(&ORDINALS, word);
                let share = if is_light { OF_CLASS } else { 1.0 };
                is_asked.then_some((word.as_str(), term.as_str(), weight * share))
            })
            .collect();
        let said = self.said(text, analyzer);
        let is_told =
            |word: &str, term: &str| said.contains(term) || met_by(word, text) >= OTHER_WORD;
        // "Runtime: 104 minutes" tells how long, whatever it is.
        let is_measured = self.measured.is_some_and(|it| it.is_labelled_in(text));
        let all: f32 = asked.iter().map(|(.., weight)| weight).sum();
        let told = asked.iter().filter(|(word, term, _)| is_told(word, term));
        let told: f32 = told.map(|(.., weight)| weight).sum();
        let is_done = || self.deed.as_ref().is_none_or(|(word, term)| is_told(word, term));
        // "Countries: Spain" tells in which country.
        let is_of_class = !self.classes.is_empty()
            && label(text).is_some_and(|label| {
                let said = self.said(label, analyzer);
                self.classes
                    .iter()
                    .any(|class| analyzer.terms(class).iter().any(|it| said.contains(it)))
            });
        let is_labelled = |label: &str| {
            let said = self.said(label, analyzer);
            let words: Vec<&str> = asked.iter().map(|(word, ..)| *word).collect();
            // `Ingredients: 2 cups sugar` says how much sugar.
            let is_value = || {
                let said = self.said(own(text), analyzer);
                matches!(self.asks_for, Some(AsksFor::Count | AsksFor::Amount))
                    && asked.iter().any(|(_, term, _)| said.contains(*term))
            };
            asked.is_empty()
                || is_value()
                || self.measured.is_some_and(|measured| measured.is_told_by(text))
                || asked.iter().any(|(_, term, _)| said.contains(*term))
                || is_met(&words.join(" "), label)
        };
        let is_of_part = || {
            let part = part_of(text);
            let said = self.said(&part, analyzer);
            let is_asked = self.terms.iter().any(|(known, _)| said.contains(known))
                || self.measured.is_some_and(|measured| measured.is_named_in(&part));
            !part.is_empty() && !is_asked
        };
        let is_of_year = || {
            let said = years(text);
            let is_above = |year: &str| above.contains(year);
            years(&self.text).into_iter().all(|year| is_above(year) || is_within(year, &said))
        };
        !self.lacks_name(text, hit, analyzer, |_| true)
            && is_of_year()
            && letters(&self.text).iter().all(|it| words_of(text, hit).any(|word| word == *it))
            && ordinal(&self.text)
                .is_none_or(|it| analyzer.terms(it).iter().any(|term| said.contains(term)))
            && !self.is_of_other_kind(text, &said, analyzer)
            && (is_measured || is_of_class || told >= LEAST_TOLD * all)
            && is_done()
            && label(text).is_none_or(is_labelled)
            && !(self.asks_for.is_some() && is_of_part())
    }

    /// Whether a statement names a thing of another kind than is asked about: `the Instruments gallery` for
    /// `the costume gallery`.
    fn is_of_other_kind(&self, text: &str, said: &FxHashSet<String>, analyzer: &Analyzer) -> bool {
        let own = own(text);
        // What a statement begins with has a capital anyway.
        let all: Vec<&str> = words(own).skip(1).map(|word| &own[word.range]).collect();
        let is_unsaid = |(known, _): &(String, f32), word: &str| {
            !said.contains(known) && analyzer.terms(word).contains(known)
        };
        self.compounds.iter().any(|[kind, thing]| {
            let of_thing = all.array_windows().filter(|[_, word]| word.eq_ignore_ascii_case(thing));
            let mut of_thing =
                of_thing.map(|[of, _]| of.starts_with(char::is_uppercase)).peekable();
            of_thing.peek().is_some()
                && of_thing.all(|is_named| is_named)
                && self.terms.iter().any(|term| is_unsaid(term, kind))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_of_another_kind_is_another_thing() {
        let analyzer = Analyzer::new("english");
        for (question, statement, is_other) in [
            ("when did the costume gallery close", "The Instruments gallery closed in May.", true),
            ("when did the costume gallery close", "The Costume gallery closed in May.", false),
            ("when did the costume gallery close", "The gallery of the Hall closed.", false),
            ("what is the dialling code of Pisa", "Pisa – Code: 050", false),
            ("when did the company split from Foo", "In 1970 Acme split from Foo.", false),
            ("how many times is it written", "tool – -n N: write N times", false),
        ] {
            let question = Question::new(question, &[], &analyzer);
            let said = question.said(statement, &analyzer);
            let found = question.is_of_other_kind(statement, &said, &analyzer);
            assert_eq!(found, is_other, "{statement}");
        }
    }

    #[test]
    fn an_amount_need_not_say_many() {
        let analyzer = Analyzer::new("english");
        let question = Question::new("How many members does the society have?", &[], &analyzer);
        let share =
            question.share(|term| analyzer.terms("society members").contains(&term.to_owned()));
        assert!(share > 0.999, "{share}");
    }
}
