//! What came of asking a model something small, and what asking models has cost.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use elophanto_app::{
    llm::Failure,
    models::trial::{Tried, TriedEmbedder},
    usage::usd,
};
use elophanto_models::llm::{Answer, Sum, Task, ToolCall};

/// An answer.
#[derive(Serialize, JsonSchema)]
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

#[derive(Serialize, JsonSchema)]
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
#[derive(Serialize, JsonSchema)]
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

/// That no model answered.
#[derive(Serialize, JsonSchema)]
pub struct UnansweredWire<'a> {
    ok: bool,
    task: &'static str,
    error: &'a str,
    tried: Vec<RefusalWire<'a>>,
}

/// Why a model gave no answer.
#[derive(Serialize, JsonSchema)]
struct RefusalWire<'a> {
    model: String,
    reason: &'a str,
}

impl<'a> UnansweredWire<'a> {
    pub fn of(task: Task, failure: &'a Failure) -> Self {
        let tried = failure.tried.iter();
        Self {
            ok: false,
            task: task.name(),
            error: failure.error.message(),
            tried: tried
                .map(|(model, reason)| RefusalWire { model: model.to_string(), reason })
                .collect(),
        }
    }
}

/// What is out of the ordinary with a kind of task.
#[derive(Serialize, JsonSchema)]
pub struct TaskNoteWire<'a> {
    pub task: &'static str,
    pub note: &'a str,
}

/// What calls of models come to.
#[derive(Serialize, JsonSchema)]
pub struct UsageWire<'a> {
    /// What was summed up by; `total` for all of it.
    by: &'a str,
    name: &'a str,
    calls: u64,
    failed: u64,
    input: u64,
    output: u64,
    /// Without the calls of unknown price.
    usd: f64,
    /// Calls of unknown price.
    unpriced: u64,
    ms: u64,
}

impl<'a> UsageWire<'a> {
    pub fn of(by: &'a str, name: &'a str, sum: &Sum) -> Self {
        let Sum { calls, failed, unpriced, input, output, usd_micros, ms } = *sum;
        Self { by, name, calls, failed, input, output, usd: usd(usd_micros), unpriced, ms }
    }
}
