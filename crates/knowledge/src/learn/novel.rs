//! Which facts say something that is not known.

use super::{
    compare::{Compared, Comparing},
    decide::{MOST_SOURCES, Stated},
    meaning::Meaning,
};
use crate::duplicates::same_fact;
use elophanto_text::entity::{Fact, normalise};

/// Facts that one search may add to one entity.
const MOST_FACTS: usize = 50;

/// A fact that is said, and by whom.
pub(super) struct Said {
    pub(super) fact: Compared,
    pub(super) sources: Vec<String>,
}

impl Said {
    pub(super) fn of(fact: &Fact, comparing: &Comparing) -> Self {
        let sources = fact.sources().into_iter().map(|(source, _)| source.to_owned());
        Self { fact: comparing.read(&fact.line.text), sources: sources.collect() }
    }
}

/// What of facts is new.
pub(super) struct New {
    pub(super) facts: Vec<Stated>,
    /// Other sources of what is said, in the words in which it is.
    pub(super) agreed: Vec<Stated>,
}

/// Those of the facts that say something new, each once, and the sources that agree with others.
pub(super) fn new_facts(
    meaning: &Meaning,
    comparing: &Comparing,
    facts: Vec<Stated>,
    mut said: Vec<Said>,
) -> New {
    let mut new = New { facts: Vec::new(), agreed: Vec::new() };
    for fact in facts {
        if new.facts.len() >= MOST_FACTS {
            break;
        }
        let read = comparing.read(&fact.text);
        match said.iter_mut().find(|said| said.fact.is_same(meaning, &read)) {
            None => {
                let sources = fact.source.iter().cloned().collect();
                said.push(Said { fact: read, sources });
                new.facts.push(fact);
            }
            Some(said) => {
                let Some(source) = fact.source else { continue };
                if said.sources.len() < MOST_SOURCES && !said.sources.contains(&source) {
                    said.sources.push(source.clone());
                    let text = said.fact.text.clone();
                    new.agreed.push(Stated { text, source: Some(source) });
                }
            }
        }
    }
    new
}

/// Whether two facts of one entity say the same: in the same words, or in others without another
/// number, date, name or negation.
pub fn is_same(meaning: &Meaning, a: &str, b: &str) -> bool {
    normalise(a) == normalise(b) || same_fact(a, b, meaning.cosine(a, b), meaning.near.same_fact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::compare::READ;

    #[test]
    fn short_facts_of_one_thing_are_not_the_same_by_its_name() {
        let names = ["Falkner Bridge", "Falkner"];
        for (a, b, expected) in [
            (
                "The Falkner Bridge is open daily.",
                "The Falkner Bridge was burnt down by its owner.",
                false,
            ),
            ("The Falkner Bridge was built by Ammer.", "The Falkner Bridge is painted red.", false),
            ("The Falkner Bridge was built by Ammer.", "The Falkner Bridge is in ruins.", false),
            ("The Falkner Bridge is in Sutton.", "The Falkner Bridge was built by slaves.", false),
            (
                "The Falkner Bridge was founded in 1961.",
                "The Falkner Bridge was established in 1961.",
                true,
            ),
            (
                "The Falkner Bridge, Board of trustees – Ann moved to sell it.",
                "The Falkner Bridge, Board of trustees – Bo paid for paint.",
                false,
            ),
            (
                "The Falkner Bridge is 310 metres long.",
                "The Falkner Bridge has a length of 310 m.",
                true,
            ),
            (
                "The Falkner Bridge weighs 7.8 kg.",
                "The weight of the Falkner Bridge is 7.8 kg.",
                true,
            ),
        ] {
            let comparing = Comparing::of(&names);
            let (one, other) = (comparing.read(a), comparing.read(b));
            assert_eq!(one.shares_words(&other), expected, "{a} {b}");
            assert_eq!(other.shares_words(&one), expected, "{b} {a}");
        }
    }

    #[test]
    fn each_fact_is_read_once_however_many_it_meets() {
        let meaning = Meaning::builtin();
        let comparing = Comparing::of(&["KEF"]);
        let fact = |number: usize| Stated {
            text: format!("KEF sold {number} pairs of speakers in Sutton."),
            source: None,
        };
        let known =
            |number: usize| Said { fact: comparing.read(&fact(number).text), sources: Vec::new() };
        let before = READ.with(std::cell::Cell::get);
        let new = (5_000..5_030).map(fact).collect();
        let found = new_facts(&meaning, &comparing, new, (0..3_000).map(known).collect());
        assert_eq!(found.facts.len(), 30);
        assert_eq!(READ.with(std::cell::Cell::get) - before, 3_030);
    }
}
