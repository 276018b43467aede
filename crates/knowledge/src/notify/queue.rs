//! What waits to be told, one entry per entity.

use serde::{Deserialize, Serialize};

use super::{
    Discovery,
    message::{MAX_SHOWN_FACTS, Message, shown_fact, shown_image, shown_name},
};

/// Entities that may wait.
pub const MAX_WAITING: usize = 1_000;
/// Facts of one entity that are kept; more are only counted.
pub const MAX_WAITING_FACTS: usize = 100;

/// What waits for one user, the oldest first. Can be written down.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Queue {
    waiting: Vec<Waiting>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Waiting {
    entity: String,
    name: String,
    is_new: bool,
    facts: Vec<String>,
    more: usize,
    image: Option<String>,
}

/// So many entities wait that no further one is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("news about {MAX_WAITING} entities wait to be told already")]
pub struct QueueFull;

impl Queue {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many entities wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Adds what is worth telling of a discovery to what waits about the same entity; a fact that
    /// waits already is not added again. Nothing changes if nothing is worth telling.
    ///
    /// # Errors
    /// When the entity is one too many; then nothing changes either.
    pub fn push(&mut self, discovery: &Discovery) -> Result<(), QueueFull> {
        let facts = discovery.told().map(|fact| shown_fact(&fact.text));
        let mut facts = facts.filter(|fact| !fact.is_empty()).peekable();
        if facts.peek().is_none() {
            return Ok(());
        }
        let known = self.waiting.iter().position(|it| it.entity == discovery.entity);
        if known.is_none() {
            if self.waiting.len() >= MAX_WAITING {
                return Err(QueueFull);
            }
            self.waiting.push(Waiting::empty(&discovery.entity));
        }
        let index = known.unwrap_or(self.waiting.len().saturating_sub(1));
        let Some(waiting) = self.waiting.get_mut(index) else { return Ok(()) };
        waiting.name = shown_name(&discovery.name, &discovery.entity);
        // What was new when it was queued is new to the user until they are told.
        waiting.is_new |= discovery.is_new;
        if let Some(image) = discovery.image.as_deref().and_then(shown_image) {
            waiting.image = Some(image);
        }
        for fact in facts {
            waiting.add(fact);
        }
        Ok(())
    }

    /// Takes the messages about the `most` entities that have waited longest.
    pub(super) fn take(&mut self, most: usize) -> Vec<Message> {
        let count = most.min(self.waiting.len());
        self.waiting.drain(..count).map(Waiting::message).collect()
    }
}

impl Waiting {
    fn empty(entity: &str) -> Self {
        Self {
            entity: entity.to_owned(),
            name: String::new(),
            is_new: false,
            facts: Vec::new(),
            more: 0,
            image: None,
        }
    }

    fn add(&mut self, fact: String) {
        let folded = fact.to_lowercase();
        if self.facts.iter().any(|known| known.to_lowercase() == folded) {
            return;
        }
        if self.facts.len() >= MAX_WAITING_FACTS {
            self.more = self.more.saturating_add(1);
        } else {
            self.facts.push(fact);
        }
    }

    /// What was read back from a file is made fit to be shown once more.
    fn message(self) -> Message {
        let hidden = self.facts.len().saturating_sub(MAX_SHOWN_FACTS);
        Message {
            id: String::new(),
            name: shown_name(&self.name, &self.entity),
            is_new: self.is_new,
            facts: self.facts.iter().take(MAX_SHOWN_FACTS).map(|fact| shown_fact(fact)).collect(),
            more: self.more.saturating_add(hidden),
            image: self.image.as_deref().and_then(shown_image),
            entity: self.entity,
        }
    }
}
