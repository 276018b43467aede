//! `learn`, `questions`, `entity` and `status`.

use schemars::JsonSchema;
use serde::Deserialize;

/// What `learn` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct LearnArguments {
    #[schemars(length(min = 1, max = 4096))]
    pub topic: String,
    /// what to read
    #[schemars(length(min = 1, max = 1_000_000), extend("aliases" = ["content"]))]
    pub text: Option<String>,
}

/// What `questions` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct QuestionsArguments {
    #[serde(default = "items")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
    /// such as open
    #[schemars(length(min = 1, max = 32))]
    pub status: Option<String>,
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
