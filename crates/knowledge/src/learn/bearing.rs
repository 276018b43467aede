//! What was asked for, and what bears on it by its name.

use super::{decide::Candidate, entity_store::EntitySnapshot};
use elophanto_text::entity::identity;

/// What was asked for, and what the texts that were found are about.
pub(super) struct Asked {
    names: Vec<String>,
    /// The question names nothing that is known or was found: `bookshelf speakers`.
    pub(super) is_broad: bool,
}

impl Asked {
    pub(super) fn of(question: &str, snapshot: &EntitySnapshot, candidates: &[Candidate]) -> Self {
        let known = snapshot.entities.find(question);
        let own = known.into_iter().flat_map(|it| std::iter::once(&it.title).chain(&it.aliases));
        let about = candidates.iter().filter(|candidate| candidate.is_about);
        let names: Vec<String> = own.chain(about.flat_map(self::names)).cloned().collect();
        let mut all = candidates.iter().flat_map(self::names);
        let is_broad = known.is_none() && !all.any(|name| is_named(name, question));
        Self { names: names.into_iter().chain([question.to_owned()]).collect(), is_broad }
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.names.iter().any(|name| is_named(name, text))
    }
}

/// Whether the user deleted it, under whatever of its names, and the question has none of those.
pub(super) fn is_deleted(snapshot: &EntitySnapshot, candidate: &Candidate, question: &str) -> bool {
    let mut deleted = names(candidate).filter(|name| snapshot.is_deleted(name)).peekable();
    deleted.peek().is_some() && !deleted.any(|name| is_named(name, question))
}

pub(super) fn names(candidate: &Candidate) -> impl Iterator<Item = &String> {
    std::iter::once(&candidate.name).chain(&candidate.aliases)
}

/// Whether the question itself has the name in it.
pub(super) fn is_named(name: &str, question: &str) -> bool {
    let name = words(name);
    !name.is_empty() && format!(" {} ", words(question)).contains(&format!(" {name} "))
}

fn words(text: &str) -> String {
    let text = identity(text);
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
