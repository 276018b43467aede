//! Kinds of work, and the models each is given to.

use std::{collections::BTreeMap, str::FromStr};

use super::model_ref::ModelRef;

elophanto_base::named! {
    /// A kind of work, by which the settings choose models.
    #[derive(Hash, PartialOrd, Ord)]
    pub enum Task, name {
        /// Working on a task step by step.
        Planning = "planning",
        /// Writing programs.
        Coding = "coding",
        /// Judging what texts say: answers to questions, for one.
        Analysis = "analysis",
        /// Small things that any model can do.
        Simple = "simple",
        /// Judging what another model wrote.
        Review = "review",
        /// Finding facts in texts.
        Extraction = "extraction",
        /// Saying what a text says, shorter.
        Summary = "summary",
    }
}

impl Task {
    /// Models to try, best first. Those of providers that are not set up are passed over, so one
    /// list serves people with a key and people without.
    fn defaults(self) -> &'static [&'static str] {
        match self {
            Self::Planning => &[
                "anthropic/claude-sonnet-4-5",
                "openrouter/anthropic/claude-sonnet-4.5",
                "openai/gpt-5",
                "ollama/qwen2.5:14b",
                "ollama/qwen2.5-coder:14b",
            ],
            Self::Coding => &[
                "anthropic/claude-sonnet-4-5",
                "openrouter/anthropic/claude-sonnet-4.5",
                "openai/gpt-5",
                "ollama/qwen2.5-coder:14b",
            ],
            Self::Analysis => &[
                "openrouter/google/gemini-2.5-pro",
                "anthropic/claude-sonnet-4-5",
                "openai/gpt-5",
                "ollama/qwen2.5:14b",
                "ollama/qwen2.5-coder:14b",
            ],
            Self::Review => &[
                "openrouter/google/gemini-2.5-pro",
                "openai/gpt-5-mini",
                "anthropic/claude-haiku-4-5",
                "ollama/qwen2.5:14b",
            ],
            Self::Simple | Self::Extraction | Self::Summary => &[
                "openrouter/google/gemini-2.5-flash",
                "anthropic/claude-haiku-4-5",
                "openai/gpt-5-mini",
                "ollama/qwen2.5-coder:14b",
            ],
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is none of planning, coding, analysis, simple, review, extraction and summary")]
pub struct UnknownTask(pub String);

impl FromStr for Task {
    type Err = UnknownTask;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::named(text).ok_or_else(|| UnknownTask(text.to_owned()))
    }
}

/// For each kind of work its models, in the order in which they are tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes(BTreeMap<Task, Vec<ModelRef>>);

impl Default for Routes {
    fn default() -> Self {
        let of = |task: Task| task.defaults().iter().filter_map(|text| text.parse().ok()).collect();
        Self(Task::ALL.into_iter().map(|task| (task, of(task))).collect())
    }
}

impl Routes {
    /// No models for anything.
    pub fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// Replaces the models of a kind of work.
    pub fn set(&mut self, task: Task, models: Vec<ModelRef>) {
        self.0.insert(task, models);
    }

    pub fn of(&self, task: Task) -> &[ModelRef] {
        self.0.get(&task).map(Vec::as_slice).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_default_names_are_valid() {
        let routes = Routes::default();
        for task in Task::ALL {
            assert_eq!(routes.of(task).len(), task.defaults().len());
            assert_eq!(task.name().parse(), Ok(task));
        }
        assert!("Coding".parse::<Task>().is_err());
    }
}
