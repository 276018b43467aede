//! `recall` and `remember`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arguments, Named};
use elophanto_app::memory::{Remembered, reply::Lessons};
use elophanto_knowledge::memory::{EventType, Memory};

/// What `recall` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RecallArguments {
    /// the task, the command or the error message
    #[schemars(length(min = 1, max = 4096), extend("aliases" = ["query"]))]
    pub text: String,
    /// only lessons of this repository
    #[schemars(length(min = 1, max = 64), extend("unlisted" = true))]
    pub repo: Option<String>,
    #[serde(rename = "type")]
    pub event_type: Option<Named<EventType>>,
    #[serde(default = "lessons")]
    #[schemars(range(min = 1, max = 20))]
    pub limit: usize,
    /// also archived lessons
    #[serde(default)]
    #[schemars(extend("unlisted" = true))]
    pub archived: bool,
}

/// What `remember` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RememberArguments {
    #[serde(rename = "type")]
    pub event_type: Named<EventType>,
    /// what was being done
    #[schemars(length(min = 1, max = 4000))]
    pub context: String,
    /// what to do next time
    #[schemars(length(min = 1, max = 4000))]
    pub lesson: String,
    /// that worked or failed
    #[schemars(length(min = 1, max = 4000))]
    pub command: Option<String>,
    /// of attempts, as 9/10
    #[schemars(length(max = 13), regex(pattern = r"^[0-9]{1,6}/[1-9][0-9]{0,5}$"))]
    #[schemars(extend("format" = "rate"))]
    pub success_rate: Option<String>,
    /// words to find it by
    #[schemars(length(max = 20), inner(length(min = 1, max = 40)))]
    pub tags: Option<Vec<String>>,
    /// the repository, if not this one
    #[schemars(length(min = 1, max = 64), extend("unlisted" = true))]
    pub repo: Option<String>,
}

/// What was written down.
#[derive(Serialize, JsonSchema)]
pub struct RememberedWire<'a> {
    pub id: &'a str,
    /// Told at the terminal, where a record may name another.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub repo: Option<&'a str>,
    #[schemars(extend("detail" = 2))]
    pub path: String,
    #[schemars(extend("detail" = 1))]
    pub tags: &'a [String],
    /// secrets that were masked
    pub masked: usize,
    /// older lessons that say something else of the same
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<ContradictedWire<'a>>,
}

impl<'a> RememberedWire<'a> {
    /// Of a lesson that was written down; `repo` where that is told.
    pub fn of(remembered: &'a Remembered, repo: Option<&'a str>) -> Self {
        let Remembered { memory, path, masked, .. } = remembered;
        Self {
            id: &memory.id,
            repo,
            path: path.to_string_lossy().into_owned(),
            tags: &memory.tags,
            masked: *masked,
            contradicts: ContradictedWire::of(remembered),
        }
    }
}

/// A lesson that a newer one contradicts.
#[derive(Serialize, JsonSchema)]
pub struct ContradictedWire<'a> {
    pub id: &'a str,
    pub lesson: &'a str,
    pub timestamp: String,
}

impl<'a> ContradictedWire<'a> {
    fn of(remembered: &'a Remembered) -> Vec<Self> {
        let wire = |it: &'a Memory| Self {
            id: &it.id,
            lesson: &it.lesson,
            timestamp: it.timestamp.to_string(),
        };
        remembered.contradicts.iter().map(wire).collect()
    }
}

fn lessons() -> usize {
    5
}

impl Arguments for RecallArguments {
    type Answer<'a> = Lessons;
    const TOKENS: [usize; 2] = [500, 4_000];
}
