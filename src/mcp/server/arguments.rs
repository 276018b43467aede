//! What each tool takes and answers, as the JSON schemas of its types. Pure.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::Tool;
use crate::wire;

/// What a tool takes and answers.
pub struct Schemas {
    /// All that is known of arguments; [`wire::listed_input`] is what clients are told.
    pub input: Map<String, Value>,
    /// All that is known of an answer; [`wire::listed_output`] is what clients are told.
    pub output: Value,
}

/// Those of a tool, made once.
pub fn schemas(tool: Tool) -> &'static Schemas {
    static ALL: LazyLock<Vec<Schemas>> = LazyLock::new(|| Tool::ALL.map(made).into());
    &ALL[tool as usize]
}

fn made(tool: Tool) -> Schemas {
    match tool {
        Tool::Search => of::<wire::SearchArguments>(tool),
        Tool::Get => of::<wire::GetArguments>(tool),
        Tool::Similar => of::<wire::SimilarArguments>(tool),
        Tool::Recall => of::<wire::RecallArguments>(tool),
        Tool::Remember => of::<wire::RememberArguments>(tool),
        Tool::Learn => of::<wire::LearnArguments>(tool),
        Tool::Questions => of::<wire::QuestionsArguments>(tool),
        Tool::Entity => of::<wire::EntityArguments>(tool),
        Tool::WriteNote => of::<wire::WriteNoteArguments>(tool),
        Tool::Status => of::<wire::StatusArguments>(tool),
    }
}

fn of<A: wire::Arguments>(tool: Tool) -> Schemas {
    let output = wire::output::<A>(tool.items().is_some());
    Schemas { input: wire::input::<A>(), output: Value::Object(output) }
}
