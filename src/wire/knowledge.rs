//! `learn`, `questions`, `entity` and `status`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Named;
use elophanto_knowledge::{
    learn::{
        merge::Proposal,
        record::Merge,
        undo::{PutBack, Undone},
    },
    scan::QuestionState,
};
use elophanto_text::entity::Entity;

/// What `learn` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct LearnArguments {
    #[schemars(length(min = 1, max = 4096))]
    pub topic: String,
    #[schemars(length(min = 1, max = 1_000_000), extend("aliases" = ["content"]))]
    pub text: Option<String>,
    /// its URL or name
    #[schemars(length(min = 1, max = 2_000))]
    pub source: Option<String>,
}

/// What `questions` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct QuestionsArguments {
    #[serde(default = "items")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
    /// open is what waits
    pub status: Option<Named<QuestionState>>,
}

/// What `entity` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct EntityArguments {
    /// or alias
    #[schemars(length(min = 1, max = 500))]
    pub name: Option<String>,
    #[serde(default = "items")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
}

/// What `status` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct StatusArguments {}

fn items() -> usize {
    20
}

/// Entities that may be one, as `--json` prints them.
#[derive(Serialize, JsonSchema)]
pub struct ProposalWire<'a> {
    from: &'a str,
    from_name: &'a str,
    into: &'a str,
    into_name: &'a str,
    certain: bool,
    reason: &'a str,
    similarity: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_says: Option<&'a str>,
}

impl<'a> ProposalWire<'a> {
    /// Of a proposal, and what a model thinks of it.
    pub fn of(proposal: &'a Proposal, model_says: Option<&'a str>) -> Self {
        Self {
            from: &proposal.from.0,
            from_name: &proposal.from.1,
            into: &proposal.into.0,
            into_name: &proposal.into.1,
            certain: proposal.is_certain,
            reason: &proposal.reason,
            similarity: (proposal.similarity * 1_000.0).round() / 1_000.0,
            model_says,
        }
    }
}

/// What was taken back or put back, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct UndoneWire<'a> {
    id: &'a str,
    facts: usize,
    /// Facts that others say too.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<usize>,
    entities: &'a [String],
}

impl<'a> UndoneWire<'a> {
    pub fn of(id: &'a str, undone: &'a Undone) -> Self {
        let Undone { facts, confirmed, entities, .. } = undone;
        let confirmed = Some(*confirmed).filter(|count| *count > 0);
        Self { id, facts: *facts, confirmed, entities }
    }

    pub fn put_back(id: &'a str, PutBack { facts, entities }: &'a PutBack) -> Self {
        Self { id, facts: *facts, confirmed: None, entities }
    }
}

/// Entities that were made one, as `--json` prints them.
#[derive(Serialize, JsonSchema)]
pub struct MergeWire<'a> {
    id: &'a str,
    from: &'a str,
    from_name: &'a str,
    into: &'a str,
    into_name: &'a str,
    undone: bool,
}

impl<'a> From<&'a Merge> for MergeWire<'a> {
    fn from(merge: &'a Merge) -> Self {
        let Merge { id, from, from_name, into, into_name, undone, .. } = merge;
        Self { id, from, from_name, into, into_name, undone: *undone }
    }
}

/// An entity that was removed, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct RemovedEntityWire<'a> {
    entity: &'a str,
    name: &'a str,
    facts: usize,
}

impl<'a> From<&'a Entity> for RemovedEntityWire<'a> {
    fn from(Entity { slug, title, facts, .. }: &'a Entity) -> Self {
        Self { entity: slug, name: title, facts: facts.len() }
    }
}

/// Where `learn` searches from now on, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct LearnSetupWire<'a> {
    pub service: &'static str,
    /// What it found when it was tried.
    pub found: usize,
    /// The file of the settings.
    pub settings: &'a str,
}
