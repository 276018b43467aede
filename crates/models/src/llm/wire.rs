//! What the wire protocols have in common: a reply that is put together, from one document or from
//! the pieces of a stream.
//!
//! A protocol is pure: values in, values out. Who sends them is not its business.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    error::{LlmError, MESSAGE_CHARS, RAW_CHARS, Result, classify},
    types::{Delta, Reply, Request, StopReason, ToolCall, Usage, estimate},
};
use elophanto_base::one_line::shorten;

/// Bytes of an answer.
const TEXT_CAP: usize = 4 << 20;
/// Bytes of the arguments of one tool call.
const ARGUMENTS_CAP: usize = 1 << 20;
/// Tool calls of one answer.
const CALLS_CAP: usize = 128;

/// One way to talk to a model.
pub(super) trait Protocol: Send + Sync {
    /// Below the base URL.
    fn path(&self) -> &'static str;

    /// The body to send.
    fn encode(&self, request: &Request, stream: bool) -> Result<Value>;

    /// The body for a server that does not know the newer form of schema answers; `None` if it has
    /// none.
    fn without_json_schema(&self, _body: &Value) -> Option<Value> {
        None
    }

    /// Takes in a whole answer.
    fn whole(&self, request: &Request, body: &Value, draft: &mut Draft) -> Result<()>;

    /// Takes in a piece of a stream. A server that sent no stream but a whole answer is fine too.
    fn piece(&self, request: &Request, piece: &Value, draft: &mut Draft) -> Result<()>;
}

/// A reply in the making.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub text: String,
    pub calls: Vec<DraftCall>,
    pub stop: Option<StopReason>,
    pub usage: Usage,
    pub model: Option<String>,
    /// The provider said that the answer is whole.
    pub finished: bool,
    /// An answer has begun, be it empty.
    pub begun: bool,
    /// What is new since somebody last looked.
    pub deltas: Vec<Delta>,
    /// The block of the answer to a schema, where that comes as a tool call.
    pub answer: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct DraftCall {
    /// The provider's number for it within this answer.
    pub index: Option<u64>,
    pub id: String,
    pub name: String,
    /// JSON, or the beginning of it.
    pub arguments: String,
}

impl Draft {
    pub fn add_text(&mut self, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        grow(&mut self.text, text, "an answer", TEXT_CAP)?;
        self.deltas.push(Delta::Text(text.to_owned()));
        Ok(())
    }

    pub fn begin_call(&mut self, index: Option<u64>, id: Option<&str>, name: &str) -> Result<()> {
        if self.calls.len() >= CALLS_CAP {
            let (size, max) = (self.calls.len() as u64 + 1, CALLS_CAP as u64);
            return Err(LlmError::TooLarge { what: "a number of tool calls", size, max });
        }
        let (id, name) = (id.unwrap_or_default().to_owned(), name.to_owned());
        self.deltas.push(Delta::ToolCall { name: name.clone() });
        self.calls.push(DraftCall { index, id, name, arguments: String::new() });
        Ok(())
    }

    /// Adds to the call with this number, or else to the last one.
    pub fn add_arguments(&mut self, index: Option<u64>, piece: &str) -> Result<()> {
        let numbered = self.calls.iter().rposition(|call| index.is_some() && call.index == index);
        let at = numbered.or(self.calls.len().checked_sub(1));
        match at.and_then(|at| self.calls.get_mut(at)) {
            Some(call) => {
                grow(&mut call.arguments, piece, "the arguments of a tool call", ARGUMENTS_CAP)
            }
            None => Err(bad("arguments for a tool that is not called")),
        }
    }

    pub fn add_call(&mut self, id: Option<&str>, name: &str, value: &Value) -> Result<()> {
        self.begin_call(None, id, name)?;
        match value {
            Value::String(text) => self.add_arguments(None, text),
            Value::Null => Ok(()),
            value => self.add_arguments(None, &value.to_string()),
        }
    }

    pub fn named(&mut self, model: &Value) {
        if let Some(model) = model.as_str().filter(|model| !model.is_empty()) {
            self.model = Some(shorten(model, 200));
        }
    }

    /// The reply, if the answer is whole.
    pub fn finish(self, request: &Request, attempts: u32) -> Result<Reply> {
        let usage = self.usage_or_estimate(request);
        if !self.begun {
            return Err(bad("there is no answer in it"));
        }
        let mut tool_calls = Vec::new();
        for (number, call) in self.calls.into_iter().enumerate() {
            let arguments = arguments(&call, self.stop.as_ref(), usage)?;
            // Unique within the conversation, which is what providers that use ids ask for.
            let id = match call.id.is_empty() {
                true => format!("call_{}_{number}", request.messages.len()),
                false => call.id,
            };
            tool_calls.push(ToolCall { id, name: call.name, arguments });
        }
        // A proxy whose own request failed may end a stream as if it had been answered.
        let says_why = matches!(self.stop, Some(StopReason::Refused | StopReason::Length));
        if self.text.is_empty() && tool_calls.is_empty() && !says_why {
            return Err(bad("the answer is empty"));
        }
        let stop = match self.stop {
            None | Some(StopReason::End) if !tool_calls.is_empty() => StopReason::ToolCalls,
            stop => stop.unwrap_or(StopReason::End),
        };
        Ok(Reply {
            text: self.text,
            value: None,
            tool_calls,
            stop,
            usage,
            model: self.model.unwrap_or_else(|| request.model.clone()),
            attempts,
        })
    }

    /// The reply to somebody who wanted no more of it. Half a tool call is none.
    pub fn cancelled(self, request: &Request, attempts: u32) -> Reply {
        Reply {
            usage: self.usage_or_estimate(request),
            text: self.text,
            value: None,
            tool_calls: Vec::new(),
            stop: StopReason::Cancelled,
            model: self.model.unwrap_or_else(|| request.model.clone()),
            attempts,
        }
    }

    /// What the provider says was used so far; what it does not say is estimated.
    pub fn usage_or_estimate(&self, request: &Request) -> Usage {
        let mut usage = Usage { calls: 1, ..self.usage };
        if usage.input == 0 {
            usage.input = request.estimated_input();
        }
        if usage.output == 0 {
            let arguments = self.calls.iter().map(|call| estimate(&call.arguments));
            usage.output = estimate(&self.text) + arguments.sum::<u64>();
        }
        usage
    }
}

fn arguments(call: &DraftCall, stop: Option<&StopReason>, usage: Usage) -> Result<Value> {
    let text = call.arguments.trim();
    let reason = match serde_json::from_str(if text.is_empty() { "{}" } else { text }) {
        Ok(Value::Object(fields)) => return Ok(Value::Object(fields)),
        Ok(Value::Null) => return Ok(Value::Object(serde_json::Map::new())),
        Ok(_) => "not an object".to_owned(),
        Err(_) if stop == Some(&StopReason::Length) => {
            "they were cut off at the cap on tokens".to_owned()
        }
        Err(error) => error.to_string(),
    };
    let (tool, raw) = (shorten(&call.name, 100), shorten(text, RAW_CHARS));
    Err(LlmError::Arguments { tool, reason, raw, usage })
}

fn grow(text: &mut String, more: &str, what: &'static str, cap: usize) -> Result<()> {
    let size = text.len() + more.len();
    if size > cap {
        return Err(LlmError::TooLarge { what, size: size as u64, max: cap as u64 });
    }
    text.push_str(more);
    Ok(())
}

/// How the answer is to be, as all protocols say it but for the name of the words that end it.
pub(super) fn add_manner(body: &mut Value, request: &Request, stop: &str) {
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if !request.stop.is_empty() {
        body[stop] = json!(request.stop);
    }
}

pub(super) fn bad(reason: impl Into<String>) -> LlmError {
    LlmError::BadReply { reason: reason.into() }
}

/// Tokens, however the number is written; nonsense is 0.
pub(super) fn count(value: &Value) -> u64 {
    value.as_u64().or_else(|| value.as_f64().map(|number| number as u64)).unwrap_or(0)
}

/// The error that stands where an answer should: an `error` of the document or piece.
pub(super) fn inner_error(body: &Value, model: &str) -> Option<LlmError> {
    let error = body.get("error")?;
    let (message, kind) = match error {
        Value::String(text) if !text.is_empty() => (text.as_str(), ""),
        Value::Object(_) => {
            let word = |name| error.get(name).and_then(Value::as_str);
            let kind = word("type").or_else(|| word("code")).unwrap_or_default();
            (word("message").unwrap_or("no reason given"), kind)
        }
        _ => return None,
    };
    let code = ["code", "status", "status_code"].iter().find_map(|name| {
        let code = error.get(name)?;
        let code = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
        u16::try_from(code).ok()
    });
    let status = code.unwrap_or(match kind {
        "invalid_request_error" | "context_length_exceeded" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" | "model_not_found" => 404,
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" => 429,
        "overloaded_error" => 529,
        _ => 500,
    });
    let wait = error.pointer("/metadata/retry_after_seconds").and_then(Value::as_f64);
    let wait = wait.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    // One line, no escape sequences: these are words from outside.
    let message: String =
        message.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    Some(classify(status, kind, &shorten(&message, MESSAGE_CHARS), model, wait))
}
