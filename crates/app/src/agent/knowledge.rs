//! The knowledge base as tools of the agent: how much harm each can do, whether its answers are to be
//! trusted, and what a call of it touches. Pure.

use std::path::Path;

use super::{Action, Level};
use elophanto_knowledge::memory;

/// Where notes of a kind and pages of entities lie.
const LEARNED: &str = "knowledge/learned";
/// What a call that asks the configured sources reaches, for rules about hosts.
const SOURCES: &str = "learn.sources";

/// A tool that looks into the knowledge base, or adds to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnowledgeTool {
    /// `knowledge_search`: searches notes, facts and descriptions of files.
    Search,
    /// `knowledge_write`: writes a note that somebody else proposes.
    Write,
    /// `knowledge_index`: brings the index up to date.
    Index,
    /// `memory_recall`: what was learnt from tasks before.
    Recall,
    /// `memory_remember`: writes a lesson down.
    Remember,
    /// `learn`: learns about a topic, or reads a text that is handed over.
    Learn,
    /// `questions`: what the knowledge base does not know yet.
    Questions,
}

/// What of the arguments of a call says what it touches.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallTarget<'a> {
    /// Where a note is to lie, relative to the root.
    pub path: Option<&'a str>,
    /// Whether what is to be learnt is handed over: nothing is asked anywhere.
    pub has_text: bool,
}

impl KnowledgeTool {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 7] = [
        Self::Search,
        Self::Write,
        Self::Index,
        Self::Recall,
        Self::Remember,
        Self::Learn,
        Self::Questions,
    ];

    /// Its name, its level, and whether its answers hold what others wrote.
    pub fn row(self) -> (&'static str, Level, bool) {
        match self {
            Self::Search => ("knowledge_search", Level::Safe, true),
            Self::Write => ("knowledge_write", Level::Moderate, false),
            Self::Index => ("knowledge_index", Level::Moderate, false),
            Self::Recall => ("memory_recall", Level::Safe, true),
            Self::Remember => ("memory_remember", Level::Moderate, false),
            Self::Learn => ("learn", Level::Moderate, true),
            Self::Questions => ("questions", Level::Safe, true),
        }
    }

    /// What a call does below the root.
    pub fn action(self, given: CallTarget, root: &Path) -> Action {
        let record = |path: &str| Action::Record { paths: vec![root.join(path)] };
        match self {
            Self::Write => record(given.path.unwrap_or(LEARNED)),
            Self::Remember => record(memory::FOLDER),
            Self::Learn if given.has_text => record(LEARNED),
            Self::Learn => Action::Reach { host: SOURCES.to_owned() },
            Self::Index => Action::Record { paths: Vec::new() },
            Self::Search | Self::Recall | Self::Questions => Action::Look,
        }
    }
}
