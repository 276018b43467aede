//! Anthropic's messages.
//!
//! An answer to a schema is asked for as the input of a tool that the model must call.

use serde_json::{Value, json};

use super::{
    error::{LlmError, Result},
    image::Image,
    types::{Delta, Message, Request, Schema, StopReason, ToolChoice, Usage},
    wire::{Draft, Protocol, add_manner, bad, count},
};

/// The protocol's version, sent with every request.
pub(super) const VERSION: &str = "2023-06-01";
/// Characters of a picture as it is sent.
const IMAGE_CAP: usize = 5 << 20;

pub(super) struct Anthropic;

impl Protocol for Anthropic {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn encode(&self, request: &Request, stream: bool) -> Result<Value> {
        let mut body = json!({ "model": request.model, "max_tokens": request.max_tokens });
        let system = system(&request.messages);
        if !system.is_empty() {
            let blocks = || json!([kept(json!({ "type": "text", "text": system }))]);
            body["system"] = if request.is_continued { blocks() } else { json!(system) };
        }
        let mut turns = turns(&request.messages)?;
        if request.is_continued {
            let last = turns.last_mut().and_then(|turn| turn["content"].as_array_mut()?.last_mut());
            last.into_iter().for_each(|block| *block = kept(block.take()));
        }
        body["messages"] = Value::Array(turns);
        add_manner(&mut body, request, "stop_sequences");
        let mut tools: Vec<_> = request
            .tools
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name,
                    "description": tool.description,
                    "input_schema": tool.parameters,
                })
            })
            .collect();
        if request.is_continued {
            // They come before all else, and stay from one task to the next.
            tools.last_mut().into_iter().for_each(|tool| *tool = kept(tool.take()));
        }
        let answer = request.schema.as_ref();
        if let Some(Schema { name, schema }) = answer {
            let description = "Gives the answer. Call it once, with the whole answer.";
            tools.push(json!({ "name": name, "description": description, "input_schema": schema }));
        }
        if !tools.is_empty() {
            body["tools"] = Value::Array(tools);
            body["tool_choice"] = choice(request);
        }
        if stream {
            body["stream"] = json!(true);
        }
        Ok(body)
    }

    fn whole(&self, request: &Request, body: &Value, draft: &mut Draft) -> Result<()> {
        let Some(blocks) = body["content"].as_array() else {
            return Err(bad("it has no content"));
        };
        draft.begun = true;
        draft.named(&body["model"]);
        add_usage(&body["usage"], &mut draft.usage);
        for (index, block) in blocks.iter().enumerate() {
            let index = index as u64;
            begin(request, index, block, draft)?;
            if block["type"] == "tool_use" {
                input(index, &block["input"].to_string(), draft)?;
            }
        }
        close(&body["stop_reason"], draft);
        draft.finished = true;
        Ok(())
    }

    fn piece(&self, request: &Request, piece: &Value, draft: &mut Draft) -> Result<()> {
        let index = piece["index"].as_u64().unwrap_or(0);
        match piece["type"].as_str().unwrap_or_default() {
            "message" => return self.whole(request, piece, draft),
            "message_start" => {
                draft.begun = true;
                draft.named(&piece["message"]["model"]);
                add_usage(&piece["message"]["usage"], &mut draft.usage);
            }
            "content_block_start" => begin(request, index, &piece["content_block"], draft)?,
            "content_block_delta" => {
                let delta = &piece["delta"];
                if let Some(text) = delta["text"].as_str() {
                    prose(request, text, draft)?;
                } else if let Some(json) = delta["partial_json"].as_str() {
                    input(index, json, draft)?;
                }
            }
            "message_delta" => {
                close(&piece["delta"]["stop_reason"], draft);
                add_usage(&piece["usage"], &mut draft.usage);
            }
            "message_stop" => draft.finished = true,
            // Pings, ends of blocks, and what may be added to the protocol.
            _ => {}
        }
        Ok(())
    }
}

/// A block up to which the prompt is kept. Of such marks a request has four at most; what lies before
/// one and was kept by the request before is read from there.
fn kept(mut block: Value) -> Value {
    block["cache_control"] = json!({ "type": "ephemeral" });
    block
}

fn system(messages: &[Message]) -> String {
    let texts = messages.iter().filter_map(|message| match message {
        Message::System(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Turns alternate between user and assistant; what tools gave back is the user's.
fn turns(messages: &[Message]) -> Result<Vec<Value>> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::System(_) => continue,
            Message::User(text) => ("user", text_block(text)),
            Message::Image(image) => ("user", image_blocks(image)?),
            Message::Assistant { text, tool_calls } => {
                let mut blocks = text_block(text);
                blocks.extend(tool_calls.iter().map(|call| {
                    json!({
                        "type": "tool_use",
                        "id": call.id,
                        "name": call.name,
                        "input": call.arguments,
                    })
                }));
                ("assistant", blocks)
            }
            Message::Tool { id, text, failed, .. } => {
                let mut block =
                    json!({ "type": "tool_result", "tool_use_id": id, "content": text });
                if *failed {
                    block["is_error"] = json!(true);
                }
                ("user", vec![block])
            }
        };
        match turns.last_mut() {
            Some((last, there)) if *last == role => there.extend(blocks),
            // A turn without content is refused.
            _ if blocks.is_empty() => {}
            _ => turns.push((role, blocks)),
        }
    }
    let turn = |(role, blocks)| json!({ "role": role, "content": blocks });
    Ok(turns.into_iter().map(turn).collect())
}

fn image_blocks(image: &Image) -> Result<Vec<Value>> {
    let mut blocks = text_block(&image.text());
    if let Some((data, media_type)) = image.encoded() {
        if data.len() > IMAGE_CAP {
            let (size, max) = (data.len() as u64, IMAGE_CAP as u64);
            return Err(LlmError::TooLarge { what: "an image, in base64,", size, max });
        }
        let source = json!({ "type": "base64", "media_type": media_type, "data": data });
        blocks.push(json!({ "type": "image", "source": source }));
    }
    Ok(blocks)
}

/// Empty texts are refused.
fn text_block(text: &str) -> Vec<Value> {
    match text.trim().is_empty() {
        true => Vec::new(),
        false => vec![json!({ "type": "text", "text": text })],
    }
}

/// Whether the answer tool is the only way out.
fn is_forced(request: &Request) -> bool {
    request.schema.is_some()
        && (request.tools.is_empty() || request.tool_choice == ToolChoice::None)
}

fn choice(request: &Request) -> Value {
    match (&request.schema, &request.tool_choice) {
        (Some(schema), _) if is_forced(request) => json!({ "type": "tool", "name": schema.name }),
        (_, ToolChoice::Named(name)) => json!({ "type": "tool", "name": name }),
        (Some(_), _) | (None, ToolChoice::Required) => json!({ "type": "any" }),
        (None, ToolChoice::Auto) => json!({ "type": "auto" }),
        (None, ToolChoice::None) => json!({ "type": "none" }),
    }
}

/// A block of the answer begins: text, a tool call, or something we have no use for.
fn begin(request: &Request, index: u64, block: &Value, draft: &mut Draft) -> Result<()> {
    match block["type"].as_str().unwrap_or_default() {
        "text" => prose(request, block["text"].as_str().unwrap_or_default(), draft)?,
        "tool_use" => {
            let name = block["name"].as_str().unwrap_or_default();
            if request.schema.as_ref().is_some_and(|schema| schema.name == name) {
                if !draft.text.is_empty() {
                    // Prose before the answer is no part of it.
                    draft.text.clear();
                    draft.deltas.push(Delta::Restart);
                }
                draft.answer = Some(index);
            } else if name.is_empty() {
                return Err(bad("it calls a tool without a name"));
            } else {
                draft.begin_call(Some(index), block["id"].as_str(), name)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Text beside the answer to a schema is no part of it.
fn prose(request: &Request, text: &str, draft: &mut Draft) -> Result<()> {
    match is_forced(request) || draft.answer.is_some() {
        true => Ok(()),
        false => draft.add_text(text),
    }
}

fn input(index: u64, json: &str, draft: &mut Draft) -> Result<()> {
    if draft.answer == Some(index) {
        draft.add_text(json)
    } else {
        draft.add_arguments(Some(index), json)
    }
}

fn close(reason: &Value, draft: &mut Draft) {
    draft.stop = Some(match reason.as_str() {
        None => return,
        Some("end_turn" | "stop_sequence") => StopReason::End,
        Some("tool_use") if draft.calls.is_empty() => StopReason::End,
        Some("tool_use") => StopReason::ToolCalls,
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
        Some("refusal") => StopReason::Refused,
        Some(other) => StopReason::Other(other.chars().take(50).collect()),
    });
}

/// What a later piece says replaces what an earlier one said; what it does not name stays.
fn add_usage(usage: &Value, known: &mut Usage) {
    let cached = count(&usage["cache_read_input_tokens"]);
    let fresh = count(&usage["input_tokens"]) + count(&usage["cache_creation_input_tokens"]);
    if cached + fresh > 0 {
        (known.input, known.cached) = (cached + fresh, cached);
    }
    if !usage["output_tokens"].is_null() {
        known.output = count(&usage["output_tokens"]);
    }
}
