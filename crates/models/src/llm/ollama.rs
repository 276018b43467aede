//! Ollama's own `/api/chat`.
//!
//! Not its imitation of OpenAI below `/v1`: that one ignores `num_ctx`, and what does not fit into
//! the context is cut without a word, instructions first.

use serde_json::{Value, json};

use super::{
    error::{LlmError, Result},
    openai::tool,
    schema,
    types::{Message, Request, StopReason, Tool, ToolChoice, Usage},
    wire::{Draft, Protocol, add_manner, bad, count},
};

/// Contexts that are asked for: each size loads the model anew, so there are few of them.
const CONTEXTS: &[u64] = &[8_192, 16_384, 32_768, 65_536, 131_072];

pub(super) struct Ollama;

impl Protocol for Ollama {
    fn path(&self) -> &'static str {
        "/api/chat"
    }

    fn encode(&self, request: &Request, stream: bool) -> Result<Value> {
        let mut options =
            json!({ "num_ctx": context(request)?, "num_predict": request.max_tokens });
        add_manner(&mut options, request, "stop");
        let mut messages: Vec<_> = request.messages.iter().map(message).collect();
        let tools = offered(request);
        let mut format = None;
        match &request.schema {
            Some(schema) if tools.is_empty() => format = Some(schema.schema.clone()),
            // With a format, every word is held to it: no tool could be called.
            Some(schema) => {
                messages.push(json!({ "role": "system", "content": schema::instruction(schema) }));
            }
            None => {}
        }
        let mut body = json!({ "model": request.model });
        body["messages"] = Value::Array(messages);
        body["stream"] = json!(stream);
        body["options"] = options;
        // Servers that know these refuse what does not fit. Older ones ignore them.
        body["truncate"] = json!(false);
        body["shift"] = json!(false);
        if let Some(format) = format {
            body["format"] = format;
        }
        if !tools.is_empty() {
            body["tools"] = tools.into_iter().map(tool).collect();
        }
        Ok(body)
    }

    fn whole(&self, request: &Request, body: &Value, draft: &mut Draft) -> Result<()> {
        if !body["message"].is_object() {
            return Err(bad("it has no message"));
        }
        self.piece(request, body, draft)?;
        draft.finished = true;
        Ok(())
    }

    fn piece(&self, _: &Request, piece: &Value, draft: &mut Draft) -> Result<()> {
        draft.named(&piece["model"]);
        let message = &piece["message"];
        if message.is_object() {
            draft.begun = true;
            draft.add_text(message["content"].as_str().unwrap_or_default())?;
        }
        for call in message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let name = call["function"]["name"].as_str().filter(|name| !name.is_empty());
            let name = name.ok_or_else(|| bad("it calls a tool without a name"))?;
            draft.add_call(call["id"].as_str(), name, &call["function"]["arguments"])?;
        }
        if piece["done"] == true {
            draft.finished = true;
            draft.usage = Usage {
                input: count(&piece["prompt_eval_count"]),
                output: count(&piece["eval_count"]),
                ..Usage::default()
            };
            draft.stop = Some(match piece["done_reason"].as_str() {
                None | Some("stop") => StopReason::End,
                Some("length") => StopReason::Length,
                Some(other) => StopReason::Other(other.chars().take(50).collect()),
            });
        }
        Ok(())
    }
}

/// What is asked for, or the smallest of the usual sizes that prompt and answer fit into.
fn context(request: &Request) -> Result<u64> {
    let input = request.estimated_input();
    let needed = input + u64::from(request.max_tokens);
    match request.context_tokens.map(u64::from) {
        Some(asked) if input <= asked => Ok(asked),
        None if needed <= CONTEXTS[CONTEXTS.len() - 1] => {
            Ok(CONTEXTS.iter().copied().find(|size| needed <= *size).unwrap_or(needed))
        }
        asked => {
            let max = asked.unwrap_or(CONTEXTS[CONTEXTS.len() - 1]);
            let message = format!("about {input} tokens, for a context of {max}");
            Err(LlmError::ContextTooLong { message })
        }
    }
}

/// There is no `tool_choice`: what must not be called is not offered.
fn offered(request: &Request) -> Vec<&Tool> {
    let is_offered = |tool: &&Tool| match &request.tool_choice {
        ToolChoice::None => false,
        ToolChoice::Named(name) => tool.name == *name,
        ToolChoice::Auto | ToolChoice::Required => true,
    };
    request.tools.iter().filter(is_offered).collect()
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({ "role": "system", "content": text }),
        Message::User(text) => json!({ "role": "user", "content": text }),
        Message::Image(image) => {
            let mut message = json!({ "role": "user", "content": image.text() });
            if let Some((data, _)) = image.encoded() {
                message["images"] = json!([data]);
            }
            message
        }
        Message::Assistant { text, tool_calls } => {
            let mut message = json!({ "role": "assistant", "content": text });
            if !tool_calls.is_empty() {
                let calls = tool_calls.iter().map(|call| {
                    json!({ "function": { "name": call.name, "arguments": call.arguments } })
                });
                message["tool_calls"] = calls.collect();
            }
            message
        }
        Message::Tool { name, text, .. } => {
            json!({ "role": "tool", "tool_name": name, "content": text })
        }
    }
}
