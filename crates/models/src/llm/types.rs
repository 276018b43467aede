//! What is asked of a model and what comes back, whatever the provider.

use std::{ops::Deref, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::image::Image;

/// A question to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The provider's own name of the model.
    pub model: String,
    pub messages: Vec<Message>,
    pub tools: Tools,
    pub tool_choice: ToolChoice,
    /// The form of the answer. Where tools are offered too, a reply with tool calls is no answer
    /// yet and is not held to it.
    pub schema: Option<Schema>,
    /// How often a model that missed the schema is shown its fault and asked again: 0 or 1.
    pub repairs: u8,
    /// Tokens the answer may have at most.
    pub max_tokens: u32,
    pub temperature: Option<f64>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// Tokens of prompt and answer together, where the server wants to be told (Ollama). Without it
    /// what is needed is estimated.
    pub context_tokens: Option<u32>,
    /// The next request begins as this one does, so its beginning is worth keeping with the provider.
    /// Most keep it by themselves; Anthropic's protocol wants to be told.
    pub is_continued: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            model: String::new(),
            messages: Vec::new(),
            tools: Tools::default(),
            tool_choice: ToolChoice::Auto,
            schema: None,
            repairs: 1,
            max_tokens: 4096,
            temperature: None,
            stop: Vec::new(),
            context_tokens: None,
            is_continued: false,
        }
    }
}

impl Request {
    /// Tokens of the prompt, rather too many than too few: a token for every four characters of
    /// ASCII, one for every other character, and some for each message's frame; pictures as the
    /// provider of the model counts them.
    pub fn estimated_input(&self) -> u64 {
        let schema = self.schema.iter().map(|schema| estimate_json(&schema.schema));
        let messages = self.messages.iter().map(|message| message.estimate(&self.model) + 8);
        messages.sum::<u64>() + self.tools.tokens + schema.sum::<u64>() + 16
    }

    /// Whether a picture is sent with it.
    pub fn shows_images(&self) -> bool {
        let is_shown =
            |message: &Message| matches!(message, Message::Image(it) if it.data.is_some());
        self.messages.iter().any(is_shown)
    }
}

/// Tokens of messages, as in [`Request::estimated_input`], whoever is asked.
pub fn estimated(messages: &[Message]) -> u64 {
    messages.iter().map(|message| message.estimate("") + 8).sum()
}

pub(super) fn estimate(text: &str) -> u64 {
    let other = text.chars().filter(|char| !char.is_ascii()).count() as u64;
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    ascii.div_ceil(4) + other
}

fn estimate_json(value: &Value) -> u64 {
    estimate(&value.to_string())
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    System(String),
    User(String),
    /// A picture, shown by the user or as what a tool gave back.
    Image(Image),
    Assistant {
        text: String,
        tool_calls: Vec<ToolCall>,
    },
    /// What a tool gave back.
    Tool {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
        text: String,
        failed: bool,
    },
}

impl Message {
    pub fn system(text: impl Into<String>) -> Self {
        Self::System(text.into())
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self::User(text.into())
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), tool_calls: Vec::new() }
    }

    fn estimate(&self, model: &str) -> u64 {
        match self {
            Self::System(text) | Self::User(text) => estimate(text),
            Self::Image(image) => estimate(&image.text()) + image.tokens(model),
            Self::Assistant { text, tool_calls } => {
                let calls = tool_calls
                    .iter()
                    .map(|call| estimate(&call.name) + estimate_json(&call.arguments) + 8);
                estimate(text) + calls.sum::<u64>()
            }
            Self::Tool { text, name, .. } => estimate(name) + estimate(text) + 8,
        }
    }
}

/// Something a model may ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// A JSON schema of an object.
    pub parameters: Value,
}

/// The tools of a request. All requests of a task have the same: they are shared, and counted once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tools {
    tools: Arc<[Tool]>,
    /// Estimated.
    tokens: u64,
}

impl From<Vec<Tool>> for Tools {
    fn from(tools: Vec<Tool>) -> Self {
        let tokens = |tool: &Tool| {
            estimate(&tool.name) + estimate(&tool.description) + estimate_json(&tool.parameters)
        };
        Self { tokens: tools.iter().map(tokens).sum(), tools: tools.into() }
    }
}

impl Tools {
    /// Estimated.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }
}

impl Deref for Tools {
    type Target = [Tool];

    fn deref(&self) -> &[Tool] {
        &self.tools
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    #[default]
    Auto,
    None,
    /// Some tool, whichever.
    Required,
    Named(String),
}

/// What an answer must look like.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// Letters, digits, `_` and `-`, at most 64 of them.
    pub name: String,
    /// See [`super::schema`] for what of JSON schema is understood.
    pub schema: Value,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub text: String,
    /// The answer to a schema, checked.
    pub value: Option<Value>,
    pub tool_calls: Vec<ToolCall>,
    pub stop: StopReason,
    pub usage: Usage,
    /// The model that the provider says it was, else the one that was asked for.
    pub model: String,
    /// Requests sent, those that were repeated after a failure included.
    pub attempts: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Made up where the provider gives none.
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// It was done, or met one of the texts that end an answer.
    End,
    /// The cap on the answer's tokens, or the end of the context.
    Length,
    ToolCalls,
    /// The model or a filter of the provider refused.
    Refused,
    /// Whoever received the stream wanted no more.
    Cancelled,
    /// What the provider says and we have no name for.
    Other(String),
}

/// Tokens, and what the provider says they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Of the prompt, those read from a cache included.
    pub input: u64,
    pub output: u64,
    /// Of the prompt, those read from a cache.
    pub cached: u64,
    /// Millionths of a US dollar. `None` where the provider does not say.
    pub usd_micros: Option<u64>,
    /// Answers that were generated: a repaired one counts twice.
    pub calls: u32,
}

impl Usage {
    pub fn plus(self, other: Self) -> Self {
        let usd_micros = match (self.usd_micros, other.usd_micros) {
            (Some(one), Some(two)) => Some(one.saturating_add(two)),
            // A part of the price is not the price.
            (None, None) => None,
            (one, None) => one.filter(|_| other.calls == 0),
            (None, two) => two.filter(|_| self.calls == 0),
        };
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached: self.cached.saturating_add(other.cached),
            usd_micros,
            calls: self.calls.saturating_add(other.calls),
        }
    }
}

/// A piece of an answer that is still being made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    Text(String),
    /// The model has begun to call a tool.
    ToolCall {
        name: String,
    },
    /// What came before is void: the answer begins again.
    Restart,
    /// Nothing new: said about ten times a second, so that whoever listens can end the wait.
    Waiting,
}
