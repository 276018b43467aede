//! Facts as they are compared with others of one entity: each is read once, however many it meets.
//! What is cheap is asked first, for an entity may have thousands that resemble each other.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::meaning::Meaning;
use crate::duplicates::{Claims, MAX_FACT_CHARS, same_claims};
use elophanto_text::entity::normalise;

/// Letters of a word by which its forms are one.
const STEM: usize = 5;

/// Reads facts of an entity of these names.
pub(super) struct Comparing {
    of_names: FxHashSet<String>,
}

/// A fact, read.
pub(super) struct Compared {
    pub(super) text: String,
    normal: String,
    /// What it says beside the names of its entity.
    words: FxHashSet<String>,
    /// What stands behind its label, `Foo, Limits – `, and the words of that.
    labelled: Option<(String, FxHashSet<String>)>,
    /// `None` if it is too long to be taken apart.
    claims: OnceCell<Option<Claims>>,
}

impl Comparing {
    pub(super) fn of(names: &[&str]) -> Self {
        Self { of_names: names.iter().flat_map(|name| words(name)).collect() }
    }

    pub(super) fn read(&self, text: &str) -> Compared {
        Compared {
            text: text.to_owned(),
            normal: normalise(text),
            words: &words(text) - &self.of_names,
            labelled: text
                .split_once(" – ")
                .map(|(_, said)| (said.to_owned(), &words(said) - &self.of_names)),
            claims: OnceCell::new(),
        }
    }
}

impl Compared {
    /// Whether both say the same: in the same words, or in others without another number, date, name
    /// or negation.
    pub(super) fn is_same(&self, meaning: &Meaning, other: &Self) -> bool {
        if self.normal == other.normal {
            return true;
        }
        let (Some(own), Some(its)) = (self.claims(), other.claims()) else { return false };
        self.shares_words(other)
            && same_claims(own, its, meaning.near.same_fact, || {
                // A label that both have makes them no more alike.
                match (&self.labelled, &other.labelled) {
                    (Some((own, _)), Some((its, _))) => meaning.cosine(own, its),
                    _ => meaning.cosine(&self.text, &other.text),
                }
            })
    }

    /// Whether what they say has something in common beside the names: half of what the shorter one
    /// says. Short sentences about one thing resemble each other by its name alone.
    pub(super) fn shares_words(&self, other: &Self) -> bool {
        let (a, b) = match (&self.labelled, &other.labelled) {
            (Some((_, own)), Some((_, its))) => (own, its),
            _ => (&self.words, &other.words),
        };
        a.intersection(b).count() * 2 >= a.len().min(b.len())
    }

    fn claims(&self) -> Option<&Claims> {
        let read = || {
            #[cfg(test)]
            READ.with(|read| read.set(read.get() + 1));
            self.text.chars().nth(MAX_FACT_CHARS).is_none().then(|| Claims::of(&self.text))
        };
        self.claims.get_or_init(read).as_ref()
    }
}

#[cfg(test)]
thread_local! {
    /// How often a fact was taken apart.
    pub(super) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn words(text: &str) -> FxHashSet<String> {
    let text = text.to_lowercase();
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_said = |word: &&str| word.len() > 3 || word.bytes().any(|byte| byte.is_ascii_digit());
    words.filter(is_said).map(|word| word.chars().take(STEM).collect()).collect()
}
