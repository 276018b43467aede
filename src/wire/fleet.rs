//! What is published to a fleet of repositories, and what is there.

use schemars::JsonSchema;
use serde::Serialize;

use elophanto_app::{
    fleet::{Folded, Head, Outcome, Published},
    when::time,
};

/// What was published, or would be.
#[derive(Serialize, JsonSchema)]
pub struct PublishedWire<'a> {
    repository: &'a str,
    commit: &'a str,
    object: &'a str,
    model: &'a str,
    chunks: usize,
    lessons: usize,
    without_vector: usize,
    bytes: usize,
    /// `created`, `before`, `older`, `tried` or `incomplete`.
    outcome: &'static str,
}

impl<'a> From<&'a Published> for PublishedWire<'a> {
    fn from(it: &'a Published) -> Self {
        Self {
            repository: &it.repository,
            commit: &it.commit,
            object: &it.object,
            model: &it.model,
            chunks: it.chunks,
            lessons: it.lessons,
            without_vector: it.without_vector,
            bytes: it.bytes,
            outcome: match it.outcome {
                Outcome::Created => "created",
                Outcome::Before => "before",
                Outcome::Older => "older",
                Outcome::Tried => "tried",
                Outcome::Incomplete => "incomplete",
            },
        }
    }
}

/// What was brought into the tables.
#[derive(Serialize, JsonSchema)]
pub struct FoldedWire {
    taken: usize,
    dropped: usize,
    aside: usize,
    /// What lies in the inbox and can be no object: it stays.
    odd: usize,
    inserted: u64,
    updated: u64,
    deleted: u64,
    tended: bool,
}

impl From<&Folded> for FoldedWire {
    fn from(it: &Folded) -> Self {
        Self {
            taken: it.taken.len(),
            dropped: it.dropped.len(),
            aside: it.aside.len(),
            odd: it.odd.len(),
            inserted: it.inserted,
            updated: it.updated,
            deleted: it.deleted,
            tended: it.tended,
        }
    }
}

/// A repository that is there.
#[derive(Serialize, JsonSchema)]
pub struct HeadWire<'a> {
    repository: &'a str,
    commit: &'a str,
    as_of: Option<String>,
    published: Option<String>,
    chunks: u64,
}

impl<'a> From<&'a Head> for HeadWire<'a> {
    fn from(head: &'a Head) -> Self {
        Self {
            repository: &head.repository,
            commit: &head.commit,
            as_of: time(head.time),
            published: time(head.published),
            chunks: head.chunks,
        }
    }
}
