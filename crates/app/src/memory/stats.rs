//! How much is remembered and what recalling saves, and what several repositories learnt.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Memories, reply::shown};
use crate::{Result, reporter::Reporter};
use elophanto_knowledge::memory::compact;
use elophanto_models::builtin::count_tokens;

/// Lessons whose own words are asked for, to see what an answer costs.
const ASKED: usize = 20;
/// What one answer may cost at most, in tokens.
const MOST_TOKENS: usize = 500;

/// How much is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Stats {
    /// Lessons that hold.
    pub lessons: usize,
    /// Of these, what went wrong.
    pub errors: usize,
    /// Of these, what went well.
    pub successes: usize,
    /// Of these, rules that several tasks taught.
    pub patterns: usize,
    /// Lessons that were taken back.
    pub forgotten: usize,
    /// Lessons that another one took the place of.
    pub corrected: usize,
    /// Of these, what lies in the archive.
    pub archived: usize,
    /// Different agents that wrote any.
    pub agents: usize,
    /// How many lessons each repository has, by its name.
    pub repositories: BTreeMap<String, usize>,
    /// Tokens of all files, as whoever reads them pays.
    pub log_tokens: usize,
    /// Mean tokens of an answer to what lessons are about.
    pub recall_tokens: usize,
    /// What one recall saves.
    pub saved_tokens: usize,
    /// Lessons that three or more repositories learnt.
    pub shared: usize,
}

impl Memories<'_> {
    /// How much is remembered; `None` if nothing is.
    ///
    /// # Errors
    /// When the view cannot be read and not be made anew.
    pub fn stats(&self, reporter: &dyn Reporter) -> Result<Option<Stats>> {
        let records = self.records(reporter);
        let known = &records.folded.memories;
        if known.is_empty() {
            return Ok(None);
        }
        let mut repositories: BTreeMap<String, usize> = BTreeMap::new();
        for memory in known {
            *repositories.entry(memory.repo.clone()).or_default() += 1;
        }
        let files = self.files.list().files;
        let texts = files.iter().filter_map(|file| fs::read(&file.path).ok());
        let log_tokens = texts.map(|text| count_tokens(&String::from_utf8_lossy(&text))).sum();
        let mut costs = Vec::new();
        for memory in known.iter().rev().take(ASKED) {
            let text = if memory.context.is_empty() { &memory.lesson } else { &memory.context };
            let found = self.recall(&self.question(text, 5))?;
            let text = compact(&shown(&found, &self.own), MOST_TOKENS, &count_tokens).text;
            costs.push(count_tokens(&text));
        }
        let recall_tokens = costs.iter().sum::<usize>() / costs.len().max(1);
        let count = |name: &str| known.iter().filter(|it| it.event_type.as_str() == name).count();
        let agents: BTreeSet<&str> = known.iter().map(|it| it.agent_id.as_str()).collect();
        Ok(Some(Stats {
            lessons: known.len(),
            errors: count("error"),
            successes: count("success"),
            patterns: count("pattern"),
            forgotten: records.folded.retired.len(),
            corrected: records.folded.replaced.len(),
            archived: known.iter().filter(|it| records.is_archived(it)).count(),
            agents: agents.len(),
            repositories,
            log_tokens,
            recall_tokens,
            saved_tokens: log_tokens.saturating_sub(recall_tokens),
            shared: self.shared(&records.folded)?.len(),
        }))
    }
}
