//! OpenAI's chat completions, which OpenRouter, LM Studio, vLLM, llama.cpp and others follow.

use serde_json::{Value, json};

use super::{
    error::Result,
    schema,
    types::{Message, Request, StopReason, Tool, ToolChoice, Usage},
    wire::{Draft, Protocol, add_manner, bad, count, inner_error},
};

/// Where servers of this protocol differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// OpenAI itself: its newer models know only `max_completion_tokens`.
    OpenAi,
    /// Says what a call cost, if asked.
    OpenRouter,
    /// The common ground.
    Plain,
}

impl Dialect {
    pub fn of_host(host: &str) -> Self {
        let is = |domain: &str| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        if is("openrouter.ai") {
            Self::OpenRouter
        } else if is("openai.com") || is("openai.azure.com") {
            Self::OpenAi
        } else {
            Self::Plain
        }
    }
}

pub(super) struct OpenAi {
    pub dialect: Dialect,
}

impl Protocol for OpenAi {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn encode(&self, request: &Request, stream: bool) -> Result<Value> {
        let mut body = json!({ "model": request.model });
        let mut messages: Vec<Value> = request.messages.iter().map(message).collect();
        if self.dialect == Dialect::OpenRouter && wants_marks(request) {
            for role in ["system", "user"] {
                let last = messages.iter_mut().rfind(|message| message["role"] == role);
                last.into_iter().for_each(keep);
            }
        }
        body["messages"] = Value::Array(messages);
        let cap = match self.dialect {
            Dialect::OpenAi => "max_completion_tokens",
            Dialect::OpenRouter | Dialect::Plain => "max_tokens",
        };
        body[cap] = json!(request.max_tokens);
        add_manner(&mut body, request, "stop");
        if !request.tools.is_empty() {
            body["tools"] = request.tools.iter().map(tool).collect();
            body["tool_choice"] = choice(&request.tool_choice);
        }
        if let Some(wanted) = &request.schema {
            // Strict mode refuses schemas that leave anything open; the answer is checked anyway.
            let strict = schema::is_closed(&wanted.schema);
            let form = json!({ "name": wanted.name, "schema": wanted.schema, "strict": strict });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": form });
        }
        if self.dialect == Dialect::OpenRouter {
            body["usage"] = json!({ "include": true });
        }
        if stream {
            body["stream"] = json!(true);
            body["stream_options"] = json!({ "include_usage": true });
        }
        Ok(body)
    }

    /// The older form: an object, with the schema where llama.cpp's servers look for it.
    fn without_json_schema(&self, body: &Value) -> Option<Value> {
        let schema = body.pointer("/response_format/json_schema/schema")?.clone();
        let mut body = body.clone();
        body["response_format"] = json!({ "type": "json_object", "schema": schema });
        Some(body)
    }

    fn whole(&self, request: &Request, body: &Value, draft: &mut Draft) -> Result<()> {
        if body["choices"].as_array().is_none_or(Vec::is_empty) {
            return Err(bad("it has no choices"));
        }
        self.piece(request, body, draft)?;
        draft.finished = true;
        Ok(())
    }

    fn piece(&self, request: &Request, piece: &Value, draft: &mut Draft) -> Result<()> {
        draft.named(&piece["model"]);
        if piece["usage"].is_object() {
            draft.usage = usage(&piece["usage"]);
        }
        let choices = piece["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
        let first = choices.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0);
        let Some(choice) = first else { return Ok(()) };
        if let Some(error) = inner_error(choice, &request.model) {
            return Err(error);
        }
        let message = match &choice["delta"] {
            Value::Null => &choice["message"],
            delta => delta,
        };
        if message.is_object() {
            draft.begun = true;
            content(&message["content"], draft)?;
            calls(&message["tool_calls"], draft)?;
            if let Some(refusal) = message["refusal"].as_str().filter(|text| !text.is_empty()) {
                draft.add_text(refusal)?;
                draft.stop = Some(StopReason::Refused);
            }
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            draft.finished = true;
            if draft.stop != Some(StopReason::Refused) {
                draft.stop = Some(stop(reason)?);
            }
        }
        Ok(())
    }
}

/// Whether OpenRouter passes marks of Anthropic's protocol on for this request, as that model needs them.
fn wants_marks(request: &Request) -> bool {
    request.is_continued && request.model.starts_with("anthropic/")
}

/// Marks a message up to which the prompt is kept: the tools before it too. Of one with a picture its
/// text is marked.
fn keep(message: &mut Value) {
    let mark = json!({ "type": "ephemeral" });
    if message["content"].is_array() {
        message["content"][0]["cache_control"] = mark;
        return;
    }
    let text = message["content"].take();
    message["content"] = json!([{ "type": "text", "text": text, "cache_control": mark }]);
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({ "role": "system", "content": text }),
        Message::User(text) => json!({ "role": "user", "content": text }),
        Message::Image(image) => match image.encoded() {
            None => json!({ "role": "user", "content": image.text() }),
            Some((data, media_type)) => {
                let url = json!({ "url": format!("data:{media_type};base64,{data}") });
                let text = json!({ "type": "text", "text": image.text() });
                let picture = json!({ "type": "image_url", "image_url": url });
                json!({ "role": "user", "content": [text, picture] })
            }
        },
        Message::Assistant { text, tool_calls } if tool_calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Message::Assistant { text, tool_calls } => {
            let calls: Vec<_> = tool_calls
                .iter()
                .map(|call| {
                    let arguments = call.arguments.to_string();
                    let function = json!({ "name": call.name, "arguments": arguments });
                    json!({ "id": call.id, "type": "function", "function": function })
                })
                .collect();
            let mut message = json!({ "role": "assistant", "tool_calls": calls });
            // Left out if there is none: some servers refuse null here, others an empty text.
            if !text.is_empty() {
                message["content"] = json!(text);
            }
            message
        }
        Message::Tool { id, text, .. } => {
            json!({ "role": "tool", "tool_call_id": id, "content": text })
        }
    }
}

pub(super) fn tool(tool: &Tool) -> Value {
    let Tool { name, description, parameters } = tool;
    let function = json!({ "name": name, "description": description, "parameters": parameters });
    json!({ "type": "function", "function": function })
}

fn choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
    }
}

/// A text, a list of parts, or null. What a model thought before it spoke is another field.
fn content(content: &Value, draft: &mut Draft) -> Result<()> {
    match content {
        Value::String(text) => draft.add_text(text),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .try_for_each(|text| draft.add_text(text)),
        _ => Ok(()),
    }
}

/// Whole calls, or fragments of them.
fn calls(calls: &Value, draft: &mut Draft) -> Result<()> {
    for call in calls.as_array().map(Vec::as_slice).unwrap_or_default() {
        let index = call["index"].as_u64();
        let id = call["id"].as_str().filter(|id| !id.is_empty());
        let name = call["function"]["name"].as_str().filter(|name| !name.is_empty());
        // Some servers give no numbers: there, an id or a name begins a new call.
        let known = match index {
            Some(_) => draft.calls.iter().any(|known| known.index == index),
            None => match id {
                Some(id) => draft.calls.iter().any(|known| known.id == id),
                None => name.is_none() && !draft.calls.is_empty(),
            },
        };
        if !known {
            let name = name.ok_or_else(|| bad("it calls a tool without a name"))?;
            draft.begin_call(index, id, name)?;
        }
        match &call["function"]["arguments"] {
            Value::String(piece) => draft.add_arguments(index, piece)?,
            Value::Null => {}
            value => draft.add_arguments(index, &value.to_string())?,
        }
    }
    Ok(())
}

fn stop(reason: &str) -> Result<StopReason> {
    Ok(match reason {
        "stop" => StopReason::End,
        "length" => StopReason::Length,
        "tool_calls" | "function_call" => StopReason::ToolCalls,
        "content_filter" => StopReason::Refused,
        // OpenRouter: the provider behind it failed midway.
        "error" => return Err(bad("the provider broke the answer off")),
        other => StopReason::Other(other.chars().take(50).collect()),
    })
}

fn usage(usage: &Value) -> Usage {
    Usage {
        input: count(&usage["prompt_tokens"]),
        output: count(&usage["completion_tokens"]),
        cached: count(&usage["prompt_tokens_details"]["cached_tokens"]),
        usd_micros: usage["cost"].as_f64().and_then(micros),
        calls: 1,
    }
}

/// Rounded up: what was spent is never shown as less. A million dollars is no price of a call.
fn micros(usd: f64) -> Option<u64> {
    (0.0..=1e6).contains(&usd).then(|| (usd * 1e6).ceil() as u64)
}
