//! Kinds of work, and the models each is given to.

use std::{collections::BTreeMap, fmt, str::FromStr};

use super::model_ref::ModelRef;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    Planning,
    Coding,
    Analysis,
    Simple,
    /// Judging what another model wrote.
    Review,
    Extraction,
    Summary,
}

impl Task {
    pub const ALL: [Self; 7] = [
        Self::Planning,
        Self::Coding,
        Self::Analysis,
        Self::Simple,
        Self::Review,
        Self::Extraction,
        Self::Summary,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Coding => "coding",
            Self::Analysis => "analysis",
            Self::Simple => "simple",
            Self::Review => "review",
            Self::Extraction => "extraction",
            Self::Summary => "summary",
        }
    }

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

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is none of planning, coding, analysis, simple, review, extraction and summary")]
pub struct UnknownTask(pub String);

impl FromStr for Task {
    type Err = UnknownTask;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|task| task.name() == text);
        found.ok_or_else(|| UnknownTask(text.to_owned()))
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
