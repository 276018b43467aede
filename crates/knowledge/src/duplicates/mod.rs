//! Which entities are one, which facts say the same, and which say otherwise. Pure.
//!
//! Owns how two names relate ([`Reason`]), what the facts of two entities say of each other, and
//! how certain that makes a merge ([`Verdict`]). It knows no journal, no files and no model: whoever
//! asks hands in names, facts and, if there are any, vectors. Nothing is merged here.
//!
//! A pair is `Certain` only when the names leave one reading and the facts do not speak against it;
//! everything a person should look at is `Likely`. Pairs are never compared all with all: entities
//! meet by a key that both have.

mod accord;
mod blocks;
mod claims;
mod fact;
mod form;
mod judge;
mod longer;
mod names;
mod otherwise;
mod settle;
mod tails;
mod view;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use claims::Claims;
pub use fact::same_fact;
pub(crate) use fact::{MAX_FACT_CHARS, same_claims};
pub use otherwise::{Said, otherwise, reader};

/// Entities beyond this many are not looked at.
pub const MAX_CANDIDATES: usize = 100_000;
/// Aliases of an entity that are looked at.
pub const MAX_ALIASES: usize = 16;
/// Facts of an entity that are looked at.
pub const MAX_FACTS: usize = 64;

/// An entity as it is compared. Names and facts are normal text, not yet folded.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Decides between entities that are alike in all else.
    pub slug: &'a str,
    /// The canonical name.
    pub name: &'a str,
    /// Other names, most trusted first.
    pub aliases: &'a [String],
    /// Single sentences.
    pub facts: &'a [&'a str],
    /// The unit vector of name and facts, if a model was asked.
    pub vector: Option<&'a [f32]>,
}

/// When facts speak for or against a merge. The cosines belong to one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// From this cosine on two entities with facts are about the same.
    pub agree: f32,
    /// Below this cosine they are not, unless their facts share words.
    pub conflict: f32,
    /// Proposals that name one entity, at most.
    pub per_entity: usize,
}

impl Default for Thresholds {
    /// For the built-in model. Names decide nearly all: on 111 labelled pairs of one entity, `agree`
    /// anywhere from 0.5 to 0.9 changes two, `conflict` up to 0.4 none, and neither lets through
    /// one of the 145 pairs of two entities.
    fn default() -> Self {
        Self { agree: 0.75, conflict: 0.4, per_entity: 8 }
    }
}

/// Two entities that may be one.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Index of the entity that would go.
    pub a: usize,
    /// Index of the entity that would stay: the one with the full name where the other is short for
    /// it, else the one with more facts, else the shorter name, else the smaller slug.
    pub b: usize,
    /// Whether a program may do it by itself.
    pub verdict: Verdict,
    /// How the names relate.
    pub reason: Reason,
    /// Cosine of the vectors; the share of common letter pairs in the names where one is missing.
    pub similarity: f32,
}

/// Surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// May be merged unasked.
    Certain,
    /// A person should look at it.
    Likely,
}

elophanto_base::named! {
    /// How the names of two entities relate, as people are told it.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Reason, as_str {
        /// Equal but for case, accents, punctuation, spaces.
        SameName = "the names are equal but for their spelling",
        /// Equal but for an article in front.
        Article = "the names are equal but for an article",
        /// A name of one is an alias of the other.
        Alias = "one is an alias of the other",
        /// `Language Server Protocol (LSP)` and one of its halves.
        Bracket = "one name holds the other with its abbreviation",
        /// The initials and what they stand for.
        Acronym = "one is the abbreviation of the other",
        /// One has initials in the place of words: `VS Code`.
        ShortForm = "one has initials for words of the other",
        /// One is the surname of a person.
        Surname = "one is the surname of the other",
        /// One has the form of a company in it.
        LegalForm = "the names are equal but for the form of the company",
        /// One in the singular, the other in the plural.
        Plural = "one is the plural of the other",
        /// One says what kind of thing it is.
        GenericWord = "the names are equal but for the kind of thing",
        /// One has its maker in front.
        Vendor = "the names are equal but for the maker",
        /// One is named with its year.
        Edition = "the names are equal but for the year",
        /// One letter apart.
        Spelling = "the names are one letter apart",
        /// A sentence or address of the facts is the same.
        SharedFact = "the names are alike and a fact is the same",
    }
}

/// The pairs of `candidates` that may be one entity, the surest first, then by slugs. Takes time
/// proportional to the number of candidates and the length of their names and facts, but for a
/// logarithm.
pub fn pairs(candidates: &[Candidate], thresholds: &Thresholds) -> Vec<Proposal> {
    let candidates = candidates.get(..MAX_CANDIDATES).unwrap_or(candidates);
    let named: Vec<_> = candidates.iter().map(names::Named::of).collect();
    let meetings = blocks::meetings(&named);
    let mut met = vec![false; candidates.len()];
    for &(a, b) in &meetings {
        for index in [a, b] {
            if let Some(met) = met.get_mut(index) {
                *met = true;
            }
        }
    }
    let reader = view::Reader::new();
    let views: Vec<_> = candidates
        .iter()
        .zip(&named)
        .zip(met)
        .map(|((candidate, named), met)| met.then(|| reader.read(candidate, named)))
        .collect();
    let known = judge::Known { candidates, named: &named, views: &views, reader: &reader };
    let proposals =
        meetings.iter().filter_map(|&pair| judge::judge(&known, pair, thresholds)).collect();
    settle::settle(proposals, candidates, &named, thresholds)
}
