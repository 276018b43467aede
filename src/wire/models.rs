//! What came of asking a model something small.

use serde::Serialize;
use serde_json::Value;

use elophanto_app::{
    models::trial::{Tried, TriedEmbedder},
    usage::usd,
};
use elophanto_models::llm::{Answer, Task, ToolCall};

/// An answer.
#[derive(Serialize)]
pub struct TriedWire {
    pub ok: bool,
    pub task: &'static str,
    pub model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<CalledWire>,
    pub input: u64,
    pub output: u64,
    /// `null` where the price is not known.
    pub usd: Option<f64>,
    pub ms: u128,
    pub attempts: u32,
}

#[derive(Serialize)]
pub struct CalledWire {
    pub name: String,
    pub arguments: Value,
}

impl TriedWire {
    pub fn of(task: Task, tried: Tried) -> Self {
        let Tried { answer: Answer { reply, model, usd_micros, .. }, ok, took } = tried;
        let called = |ToolCall { name, arguments, .. }| CalledWire { name, arguments };
        Self {
            ok,
            task: task.name(),
            model: model.to_string(),
            text: (reply.value.is_none() && reply.tool_calls.is_empty()).then_some(reply.text),
            value: reply.value,
            tool_calls: reply.tool_calls.into_iter().map(called).collect(),
            input: reply.usage.input,
            output: reply.usage.output,
            usd: usd_micros.map(usd),
            ms: took.as_millis(),
            attempts: reply.attempts,
        }
    }
}

/// What came of trying the model that makes vectors.
#[derive(Serialize)]
pub struct TriedEmbedderWire {
    ok: bool,
    task: &'static str,
    #[serde(flatten)]
    tried: TriedEmbedder,
}

impl From<TriedEmbedder> for TriedEmbedderWire {
    fn from(tried: TriedEmbedder) -> Self {
        Self { ok: true, task: "embedding", tried }
    }
}
