//! Asking a model something small, to see that it answers. A short fixed text is really sent; nothing
//! of a repository.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    Error, Result,
    embedding::embedders::Named,
    environment::Environment,
    keys::Asking,
    llm::{Failure, LanguageModels},
    reporter::Reporter,
    settings::Settings,
};
use elophanto_base::visible::escape_control_line;
use elophanto_models::{
    Embedder, Role,
    builtin::Builtin,
    llm::{Answer, Message, Request, Schema, Sink, Task, Tool, ToolChoice},
};

/// Most tokens of an answer: it is short, but some models think before they say it.
const MOST_TOKENS: u32 = 1_024;

const TEXTS: [&str; 2] =
    ["Otters hold hands while they sleep.", "Sea otters do not drift apart at night."];

/// What a model is to answer with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A short text.
    Text,
    /// A call of a harmless tool.
    Call,
    /// A value of a given form.
    Value,
}

/// What a model answered.
pub struct Tried {
    /// With what it cost.
    pub answer: Answer,
    /// Whether it holds a call, where one was wanted.
    pub ok: bool,
    /// From the question to the end of the answer.
    pub took: Duration,
}

/// Asks the models for a kind of task in turn.
///
/// # Errors
/// When a budget can't be understood; within, when no model answers, with what came of each.
pub fn ask(
    settings: &Settings,
    environment: &Environment,
    task: Task,
    wanted: Wanted,
    sink: Option<Sink<'_>>,
    reporter: &dyn Reporter,
) -> Result<Result<Tried, Box<Failure>>> {
    let asking = Asking::Through(reporter);
    let models = LanguageModels::open(&settings.config, environment, &[task], "model", asking)?;
    let request = question(wanted, &models);
    let start = Instant::now();
    Ok(models.ask(task, &request, sink, reporter).map(|answer| Tried {
        ok: wanted != Wanted::Call || !answer.reply.tool_calls.is_empty(),
        answer,
        took: start.elapsed(),
    }))
}

/// What is asked.
fn question(wanted: Wanted, models: &LanguageModels<'_>) -> Request {
    let text = match wanted {
        Wanted::Call => {
            "How many words has the sentence \"Otters hold hands\"? Call the tool to find out."
        }
        Wanted::Value => {
            "In which language is the sentence \"Otters hold hands\", and how many words has it?"
        }
        Wanted::Text => "Say hello to an otter, in one short sentence.",
    };
    let mut request = models.request(vec![Message::user(text)]);
    request.max_tokens = request.max_tokens.min(MOST_TOKENS);
    if wanted == Wanted::Call {
        let tool = Tool {
            name: "count_words".to_owned(),
            description: "Counts the words of a text.".to_owned(),
            parameters: object(json!({ "text": { "type": "string" } }), &["text"]),
        };
        request.tools = vec![tool].into();
        // What is tried is the way there and back, not whether the model thinks of it.
        request.tool_choice = ToolChoice::Named("count_words".to_owned());
    }
    if wanted == Wanted::Value {
        let properties =
            json!({ "language": { "type": "string" }, "words": { "type": "integer" } });
        let schema = object(properties, &["language", "words"]);
        request.schema = Some(Schema { name: "sentence".to_owned(), schema });
    }
    request
}

/// The schema of an object with these properties and no others.
fn object(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// A model that made vectors.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TriedEmbedder {
    /// Fingerprint of the vectors.
    pub model: String,
    /// Components of a vector.
    pub dimension: usize,
    /// How near two sentences that say the same are to each other.
    pub cosine: f32,
    /// Milliseconds that both took together.
    pub ms: u128,
}

/// Has the model that makes this repository's vectors make two.
///
/// # Errors
/// When the model is not to be had, or makes none.
pub fn embed(
    settings: &Settings,
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<TriedEmbedder> {
    let named = settings.model(environment);
    let start = Instant::now();
    let (embedder, embedded) = match &named {
        Named::Here(embedder) => (&**embedder, embedder.embed(&TEXTS, Role::Document)),
        Named::Plain(_) => (&Builtin as &dyn Embedder, Builtin.embed(&TEXTS, Role::Document)),
        Named::There(remote) => {
            let embedded = remote.try_out(&TEXTS, reporter);
            remote.record_usage("model", reporter);
            (&**remote as &dyn Embedder, embedded)
        }
        Named::Missing(reason) => {
            return Err(Error::new(reason)
                .hint("see `elophanto model list`; `elophanto index` finds out what is missing"));
        }
    };
    let ms = start.elapsed().as_millis();
    let (one, two) = match (embedded.vectors.as_slice(), embedded.failure) {
        ([Some(one), Some(two)], _) => (one, two),
        (_, failure) => {
            let cause = failure.map_or_else(|| "no vector came".to_owned(), |it| it.to_string());
            return Err(Error::new(escape_control_line(&cause))
                .hint("see `elophanto model list` for its address and key"));
        }
    };
    Ok(TriedEmbedder {
        model: embedder.fingerprint().to_string(),
        dimension: one.len(),
        cosine: one.iter().zip(two).map(|(one, two)| one * two).sum(),
        ms,
    })
}
