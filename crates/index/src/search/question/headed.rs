//! Whether a heading is what is asked, whether the answer is a value, a whole list or tells how, and whether it says enough. Pure.

use rustc_hash::FxHashSet;

use super::{
    super::{
        Hit,
        asked::{AUXILIARIES, AsksFor, QUIET, is_one_of},
    },
    Question, first_word,
};
use elophanto_base::lexical::{Analyzer, words};

/// Words of a question, but for small ones, that are about one thing.
const FEWEST_TELLING: usize = 3;

/// Words that an answer leaves unsaid from which on it may be about something else.
const FEWEST_UNSAID: usize = 2;

/// Words that questions begin with.
const ASKING: [&str; 6] = ["how", "what", "when", "where", "who", "why"];

/// Headings beneath which reasons stand.
const REASONS: [&str; 5] = ["motivation", "rationale", "reason", "reasons", "why"];

impl Question {
    /// Whether a heading says all of it.
    pub(in crate::search) fn is_heading(&self, heading: &str, analyzer: &Analyzer) -> bool {
        self.is_headed_by(heading, &FxHashSet::default(), analyzer)
    }

    /// Whether a heading says all of it, or what those above it leave of it and nothing else, and asks for
    /// nothing else: neither for what something is where one asks how, nor for anything where one asks for a time.
    pub(in crate::search) fn is_headed_by(
        &self,
        heading: &str,
        above: &FxHashSet<String>,
        analyzer: &Analyzer,
    ) -> bool {
        let asks = |text: &str| {
            first_word(text)
                .and_then(|word| ASKING.iter().position(|it| it.eq_ignore_ascii_case(word)))
        };
        let is_other =
            asks(heading).is_some_and(|word| asks(&self.text).is_some_and(|own| own != word));
        if is_other || self.asks_for.is_some() && AsksFor::of(heading) != self.asks_for {
            return false;
        }
        let is_quiet = |term: &&String| {
            self.words.iter().any(|(word, known)| known == *term && is_one_of(&QUIET, word))
        };
        let asked: FxHashSet<&String> =
            self.terms.iter().map(|(term, _)| term).filter(|term| !is_quiet(term)).collect();
        let said: FxHashSet<String> = analyzer.terms(heading).into_iter().collect();
        let is_reason = || self.asks_why() && is_one_of(&REASONS, heading.trim());
        let adds_nothing = || {
            let numbered = |term: &String| term.contains(|char: char| char.is_numeric());
            said.iter().any(|term| asked.contains(&term))
                && said.iter().all(|term| asked.contains(&term) || numbered(term))
        };
        !asked.is_empty()
            && (asked.iter().all(|term| said.contains(*term))
                || asked.iter().all(|term| said.contains(*term) || above.contains(*term))
                    && (adds_nothing() || is_reason()))
    }

    /// Whether so much of it is unsaid that what is said is about something else: two words where it asks for a value,
    /// else half of it and two at least.
    pub fn is_left_unsaid(&self, text: &str, hit: &Hit, analyzer: &Analyzer) -> bool {
        let unsaid = self.unsaid(text, hit, analyzer).len();
        unsaid >= FEWEST_UNSAID && (self.asks_for.is_some() || 2 * unsaid >= self.terms.len())
    }

    /// Whether it asks for one thing, a value or `which` it is, rather than for what is told in sentences.
    pub(in crate::search) fn asks_for_one(&self) -> bool {
        let is_which = first_word(&self.text).is_some_and(|first| is_one_of(&["which"], first));
        self.asks_for.is_some() || is_which && !self.asks_for_all()
    }

    /// Whether it asks for a reason.
    pub(in crate::search) fn asks_why(&self) -> bool {
        first_word(&self.text).is_some_and(|first| is_one_of(&["why"], first))
    }

    /// Whether it asks how to do something or how something goes, not for an amount.
    pub(in crate::search) fn asks_how(&self) -> bool {
        let has_how = words(&self.text).any(|word| is_one_of(&["how"], &self.text[word.range]));
        has_how && self.measure.is_none() && self.asks_for.is_none()
    }

    /// Whether it asks for a name, a number, a time, a place or of an option, in words enough that what has them all is
    /// about it.
    pub(in crate::search) fn asks_for_value(&self) -> bool {
        let telling = self.terms.iter().filter(|(term, _)| self.measure.as_ref() != Some(term));
        (self.asks_for.is_some() || !self.options.is_empty()) && telling.count() >= FEWEST_TELLING
    }

    /// Whether it asks for several things: how, why, `what are`, `which parts does`.
    pub(in crate::search) fn asks_for_all(&self) -> bool {
        let mut all = words(&self.text).map(|word| &self.text[word.range]);
        let is_what = all.next().is_some_and(|first| is_one_of(&["what", "which"], first));
        let is_plural = |next: &str| {
            let ends = next.ends_with('s') && !next.ends_with("ss");
            is_one_of(&["are", "were"], next) || ends && !is_one_of(&AUXILIARIES, next)
        };
        self.asks_how()
            || self.asks_why()
            || is_what && self.asks_for.is_none() && all.next().is_some_and(is_plural)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_what_is_asked() {
        let analyzer = Analyzer::new("english");
        for (question, heading, above, expected) in [
            ("How do I purge a page from the CDN?", "Purge a page from the CDN", "", true),
            ("How do I purge a page?", "Purging pages, and what then", "", true),
            ("How do I disable an app in EKS?", "Disabling an app", "Apps in EKS", true),
            ("How do I disable an app in EKS?", "Disabling an app", "Apps", false),
            ("How do I disable an app in EKS?", "Before you begin", "Disable an app in EKS", false),
            ("How do I purge the cache?", "Cache headers", "Purge", false),
            ("What are the drawbacks of layer caching?", "Drawbacks", "Layer caching", true),
            ("Why remove the old backend?", "Motivation", "Remove the old backend", true),
            (
                "What does removing the old backend do?",
                "Motivation",
                "Remove the old backend",
                false,
            ),
            ("How do I set up maintenance mode?", "Setup maintenance mode", "", true),
            ("How do I set up maintenance mode?", "What is maintenance mode?", "", false),
            ("When are you added to the rota?", "When are you added to the rota?", "", true),
            ("When are you added to the rota?", "Added to the rota", "", false),
        ] {
            let above: FxHashSet<String> = analyzer.terms(above).into_iter().collect();
            let asked = Question::new(question, &[], &analyzer);
            assert_eq!(
                asked.is_headed_by(heading, &above, &analyzer),
                expected,
                "{question} {heading}"
            );
        }
    }

    #[test]
    fn a_value_is_asked_for_in_words_that_tell_of_what() {
        let analyzer = Analyzer::new("english");
        for (question, expected) in [
            ("Which Zinc version does building Heron require?", true),
            ("Where do notes that Heron creates go?", true),
            ("How many users does it have?", false),
            ("How long are sessions kept?", false),
            ("How do I build Heron with Zinc?", false),
            ("What does heron build --zinc keep?", true),
        ] {
            let asked = Question::new(question, &[], &analyzer);
            assert_eq!(asked.asks_for_value(), expected, "{question}");
        }
    }

    #[test]
    fn what_is_asked_for_is_a_list() {
        let analyzer = Analyzer::new("english");
        for (question, how, all) in [
            ("How do I rename it?", true, true),
            ("How is it renamed?", true, true),
            ("How long does it take?", false, false),
            ("How many are there?", false, false),
            ("Why rename it?", false, true),
            ("What are the rules?", false, true),
            ("What parts does it have?", false, true),
            ("What types of changes need it?", false, true),
            ("What is the class of it?", false, false),
            ("What does it do?", false, false),
        ] {
            let asked = Question::new(question, &[], &analyzer);
            assert_eq!((asked.asks_how(), asked.asks_for_all()), (how, all), "{question}");
        }
    }
}
