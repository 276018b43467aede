//! Answers of language models in the three protocols.

use serde_json::{Value, json};

use super::Answer;

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    OpenAi,
    Anthropic,
    Ollama,
}

pub const PROTOCOLS: [Protocol; 3] = [Protocol::OpenAi, Protocol::Anthropic, Protocol::Ollama];

impl Protocol {
    /// As the settings name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
        }
    }

    /// Where chats go.
    pub fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/chat/completions",
            Self::Anthropic => "/v1/messages",
            Self::Ollama => "/api/chat",
        }
    }

    /// A whole answer, for 11 tokens of prompt and 7 of answer.
    pub fn says(self, text: &str) -> Answer {
        Answer::json(
            200,
            &match self {
                Self::OpenAi => openai(json!({ "role": "assistant", "content": text }), "stop"),
                Self::Anthropic => anthropic(json!([{ "type": "text", "text": text }]), "end_turn"),
                Self::Ollama => ollama(json!({ "role": "assistant", "content": text })),
            },
        )
    }

    /// An answer that calls a tool.
    pub fn calls(self, name: &str, arguments: &Value) -> Answer {
        let text = arguments.to_string();
        Answer::json(
            200,
            &match self {
                Self::OpenAi => {
                    let function = json!({ "name": name, "arguments": text });
                    let call = json!({ "id": "c1", "type": "function", "function": function });
                    let message =
                        json!({ "role": "assistant", "content": null, "tool_calls": [call] });
                    openai(message, "tool_calls")
                }
                Self::Anthropic => {
                    let call =
                        json!({ "type": "tool_use", "id": "c1", "name": name, "input": arguments });
                    anthropic(json!([call]), "tool_use")
                }
                Self::Ollama => {
                    let call = json!({ "function": { "name": name, "arguments": arguments } });
                    ollama(json!({ "role": "assistant", "content": "", "tool_calls": [call] }))
                }
            },
        )
    }

    /// An answer in pieces.
    pub fn streams(self, pieces: &[&str]) -> Answer {
        let events: Vec<Value> = match self {
            Self::OpenAi => {
                let piece = |text: &&str| json!({ "choices": [{ "delta": { "content": text } }] });
                let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }],
                    "usage": { "prompt_tokens": 11, "completion_tokens": 7 } });
                pieces.iter().map(piece).chain([end]).collect()
            }
            Self::Anthropic => {
                let start = json!({ "type": "message_start", "message": {
                    "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
                    "usage": { "input_tokens": 11, "output_tokens": 1 } } });
                let block = json!({ "type": "content_block_start", "index": 0,
                    "content_block": { "type": "text", "text": "" } });
                let piece = |text: &&str| {
                    json!({ "type": "content_block_delta", "index": 0,
                        "delta": { "type": "text_delta", "text": text } })
                };
                let stop = json!({ "type": "content_block_stop", "index": 0 });
                let end = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" },
                    "usage": { "output_tokens": 7 } });
                let last = json!({ "type": "message_stop" });
                let pieces = pieces.iter().map(piece);
                [start, block].into_iter().chain(pieces).chain([stop, end, last]).collect()
            }
            Self::Ollama => {
                let piece = |text: &&str| json!({ "model": "m", "message": { "content": text } });
                let end = ollama(json!({ "content": "" }));
                pieces.iter().map(piece).chain([end]).collect()
            }
        };
        let line = |event: &Value| match self {
            Self::OpenAi => format!("data: {event}\n\n"),
            Self::Anthropic => {
                format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
            }
            Self::Ollama => format!("{event}\n"),
        };
        let mut body: String = events.iter().map(line).collect();
        if self == Self::OpenAi {
            body.push_str("data: [DONE]\n\n");
        }
        let kind = match self {
            Self::Ollama => "application/x-ndjson",
            Self::OpenAi | Self::Anthropic => "text/event-stream",
        };
        Answer::text(kind, &body)
    }
}

/// A refusal in OpenAI's form.
pub fn refuses(status: u16, message: &str) -> Answer {
    Answer::json(status, &json!({ "error": { "message": message } }))
}

fn openai(message: Value, reason: &str) -> Value {
    json!({ "model": "m", "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
        "usage": { "prompt_tokens": 11, "completion_tokens": 7 } })
}

fn anthropic(content: Value, reason: &str) -> Value {
    json!({ "id": "m", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": reason, "usage": { "input_tokens": 11, "output_tokens": 7 } })
}

fn ollama(message: Value) -> Value {
    json!({ "model": "m", "message": message, "done": true, "done_reason": "stop",
        "prompt_eval_count": 11, "eval_count": 7 })
}
