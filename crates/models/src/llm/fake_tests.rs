//! Model servers on loopback that say what a test wants, in each protocol.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    body::{Body, to_bytes},
    extract::Request as HttpRequest,
    response::Response,
};
use futures::{StreamExt, stream};
use secrecy::SecretString;
use serde_json::{Value, json};
use url::Url;

use super::*;
use elophanto_net::http::{Patience, block_on};

/// What a server sends once.
#[derive(Clone)]
pub struct Sent {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub packets: Vec<Vec<u8>>,
    /// The connection breaks instead of ending.
    pub breaks: bool,
}

impl Sent {
    pub fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        let packets = vec![body.to_string().into_bytes()];
        Self { status, headers, packets, breaks: false }
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// A request as the server saw it.
pub struct Seen {
    pub path: String,
    pub key: Option<String>,
    pub version: Option<String>,
    pub body: Value,
}

pub struct Fake {
    pub url: Url,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Fake {
    /// Answers in order; the last one again and again.
    pub fn new(answers: impl IntoIterator<Item = Sent>) -> Self {
        let answers = Arc::new(Mutex::new(answers.into_iter().collect::<VecDeque<_>>()));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let serve = move |request: HttpRequest| {
            let (answers, log) = (Arc::clone(&answers), Arc::clone(&log));
            async move {
                let (key, version) = {
                    let header = |name: &str| {
                        let value = request.headers().get(name)?;
                        Some(value.to_str().unwrap().to_owned())
                    };
                    let key = header("x-api-key").or_else(|| header("authorization"));
                    (key, header("anthropic-version"))
                };
                let path = request.uri().path().to_owned();
                let bytes = to_bytes(request.into_body(), usize::MAX).await.unwrap();
                let body = serde_json::from_slice(&bytes).unwrap();
                log.lock().unwrap().push(Seen { path, key, version, body });
                let mut answers = answers.lock().unwrap();
                let answer = match answers.len() {
                    1 => answers[0].clone(),
                    _ => answers.pop_front().unwrap(),
                };
                respond(answer)
            }
        };
        let url = block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = listener.local_addr().unwrap().port();
            let app = axum::Router::new().fallback(serve);
            tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
            Url::parse(&format!("http://127.0.0.1:{port}")).unwrap()
        });
        Self { url, seen }
    }

    pub fn calls(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    pub fn last<T>(&self, read: impl FnOnce(&Seen) -> T) -> T {
        read(self.seen.lock().unwrap().last().unwrap())
    }

    pub fn provider(&self, kind: Kind) -> Provider {
        let mut base_url = self.url.clone();
        if kind == Kind::OpenAi {
            base_url.set_path("/v1");
        }
        let second = Duration::from_secs(1);
        let patience = Patience {
            connect: second,
            request: 5 * second,
            idle: 5 * second,
            total: 10 * second,
            attempts: 2,
        };
        let key = Some(SecretString::from("sk-test-key"));
        Provider::new(Settings { kind, base_url, key, patience }).unwrap()
    }
}

fn respond(sent: Sent) -> Response {
    let mut response = Response::builder().status(sent.status);
    for (name, value) in sent.headers {
        response = response.header(name, value);
    }
    let broken = sent.breaks.then(|| Err(std::io::Error::other("broken")));
    let packets =
        stream::iter(sent.packets.into_iter().map(Ok).chain(broken)).then(|packet| async {
            // Each packet reaches the reader alone.
            tokio::time::sleep(Duration::from_millis(1)).await;
            packet
        });
    response.body(Body::from_stream(packets)).unwrap()
}

/// What a fake model says.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    pub text: &'a str,
    /// The text is the answer to a schema, in the way of the protocol.
    pub is_answer: bool,
    /// Name and arguments of a call.
    pub call: Option<(&'a str, &'a str)>,
    pub is_cut: bool,
}

pub fn said(text: &str) -> Said<'_> {
    Said { text, is_answer: false, call: None, is_cut: false }
}

pub fn answered(text: &str) -> Said<'_> {
    Said { is_answer: true, ..said(text) }
}

pub const KINDS: [Kind; 3] = [Kind::OpenAi, Kind::Anthropic, Kind::Ollama];

/// As a whole answer. Every model has read 20 tokens, 5 of them from a cache, and written 7.
pub fn whole(kind: Kind, said: Said<'_>) -> Sent {
    let Said { text, call, is_cut, is_answer } = said;
    let json_of = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|_| json!(text));
    let body = match kind {
        Kind::OpenAi => {
            let calls: Vec<_> = call
                .iter()
                .map(|(name, arguments)| {
                    let function = json!({ "name": name, "arguments": arguments });
                    json!({ "id": "call_1", "type": "function", "function": function })
                })
                .collect();
            let reason = match (is_cut, calls.is_empty()) {
                (true, _) => "length",
                (_, true) => "stop",
                _ => "tool_calls",
            };
            let content = Some(text).filter(|text| !text.is_empty());
            let message = json!({ "role": "assistant", "content": content, "reasoning": "hm",
                "refusal": null, "tool_calls": calls });
            json!({
                "model": "m-1",
                "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
                "usage": { "prompt_tokens": 20, "completion_tokens": 7, "cost": 0.0000015,
                    "prompt_tokens_details": { "cached_tokens": 5 } },
            })
        }
        Kind::Anthropic => {
            let mut content = vec![json!({ "type": "thinking", "thinking": "hm" })];
            if is_answer {
                let input = json_of(text);
                content
                    .push(json!({ "type": "tool_use", "id": "t", "name": "form", "input": input }));
            } else if !text.is_empty() {
                content.push(json!({ "type": "text", "text": text }));
            }
            if let Some((name, arguments)) = call {
                let input = json_of(arguments);
                content.push(
                    json!({ "type": "tool_use", "id": "call_1", "name": name, "input": input }),
                );
            }
            let reason = match (is_cut, is_answer || call.is_some()) {
                (true, _) => "max_tokens",
                (_, true) => "tool_use",
                _ => "end_turn",
            };
            json!({
                "type": "message", "model": "m-1", "content": content, "stop_reason": reason,
                "usage": { "input_tokens": 12, "cache_read_input_tokens": 5,
                    "cache_creation_input_tokens": 3, "output_tokens": 7 },
            })
        }
        Kind::Ollama => {
            let calls: Vec<_> = call
                .iter()
                .map(|(name, arguments)| {
                    json!({ "function": { "name": name, "arguments": json_of(arguments) } })
                })
                .collect();
            let mut message = json!({ "role": "assistant", "content": text, "thinking": "hm" });
            if !calls.is_empty() {
                message["tool_calls"] = json!(calls);
            }
            json!({
                "model": "m-1", "message": message, "done": true,
                "done_reason": if is_cut { "length" } else { "stop" },
                "prompt_eval_count": 20, "eval_count": 7,
            })
        }
    };
    Sent::json(200, &body)
}

/// The events of a stream, before they are cut into packets.
pub fn events(kind: Kind, said: Said<'_>) -> Vec<String> {
    let Said { text, call, is_cut, is_answer } = said;
    let halves = |text: &str| {
        let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        [text[..middle].to_owned(), text[middle..].to_owned()]
    };
    let sse = |name: &str, value: Value| match name {
        "" => format!("data: {value}\n\n"),
        name => format!("event: {name}\ndata: {value}\n\n"),
    };
    let mut events = Vec::new();
    match kind {
        Kind::OpenAi => {
            let mut delta = |delta: Value, reason: Value| {
                let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
                events.push(sse("", json!({ "model": "m-1", "choices": [choice], "usage": null })));
            };
            delta(json!({ "role": "assistant", "content": null, "reasoning": "hm" }), Value::Null);
            for half in halves(text) {
                delta(json!({ "content": half }), Value::Null);
            }
            if let Some((name, arguments)) = call {
                let [one, two] = halves(arguments);
                let first = json!({ "name": name, "arguments": one });
                let first = json!({ "index": 0, "id": "call_1", "function": first });
                delta(json!({ "tool_calls": [first] }), Value::Null);
                let more = json!({ "index": 0, "function": { "arguments": two } });
                delta(json!({ "tool_calls": [more] }), Value::Null);
            }
            let reason = match (is_cut, call.is_some()) {
                (true, _) => "length",
                (_, true) => "tool_calls",
                _ => "stop",
            };
            delta(json!({}), json!(reason));
            let usage = json!({ "prompt_tokens": 20, "completion_tokens": 7,
                "prompt_tokens_details": { "cached_tokens": 5 } });
            events.push(sse("", json!({ "choices": [], "usage": usage })));
            events.push(": a comment\n\ndata: [DONE]\n\n".to_owned());
        }
        Kind::Anthropic => {
            let mut event = |value: Value| {
                events.push(sse(value["type"].as_str().unwrap(), value.clone()));
            };
            let usage = json!({ "input_tokens": 12, "cache_read_input_tokens": 5,
                "cache_creation_input_tokens": 3, "output_tokens": 1 });
            event(
                json!({ "type": "message_start", "message": { "model": "m-1", "usage": usage } }),
            );
            event(json!({ "type": "ping" }));
            let mut block = |index: u64, start: Value, kind: &str, field: &str, text: &str| {
                event(json!({ "type": "content_block_start", "index": index,
                        "content_block": start }));
                for half in halves(text) {
                    let delta = json!({ "type": kind, field: half });
                    event(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
                }
                event(json!({ "type": "content_block_stop", "index": index }));
            };
            block(0, json!({ "type": "thinking" }), "thinking_delta", "thinking", "hm");
            if is_answer {
                let start = json!({ "type": "tool_use", "id": "t", "name": "form", "input": {} });
                block(1, start, "input_json_delta", "partial_json", text);
            } else {
                block(1, json!({ "type": "text", "text": "" }), "text_delta", "text", text);
            }
            if let Some((name, arguments)) = call {
                let start =
                    json!({ "type": "tool_use", "id": "call_1", "name": name, "input": {} });
                block(2, start, "input_json_delta", "partial_json", arguments);
            }
            let reason = match (is_cut, is_answer || call.is_some()) {
                (true, _) => "max_tokens",
                (_, true) => "tool_use",
                _ => "end_turn",
            };
            event(json!({ "type": "message_delta", "delta": { "stop_reason": reason },
                "usage": { "output_tokens": 7 } }));
            event(json!({ "type": "message_stop" }));
        }
        Kind::Ollama => {
            let mut line = |message: Value| {
                let line = json!({ "model": "m-1", "message": message, "done": false });
                events.push(format!("{line}\n"));
            };
            line(json!({ "role": "assistant", "content": "", "thinking": "hm" }));
            for half in halves(text) {
                line(json!({ "role": "assistant", "content": half }));
            }
            if let Some((name, arguments)) = call {
                let arguments: Value =
                    serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
                let function = json!({ "name": name, "arguments": arguments });
                line(json!({ "role": "assistant", "content": "",
                    "tool_calls": [{ "function": function }] }));
            }
            let reason = if is_cut { "length" } else { "stop" };
            let end = json!({ "model": "m-1", "message": { "role": "assistant", "content": "" },
                "done": true, "done_reason": reason, "prompt_eval_count": 20, "eval_count": 7 });
            events.push(format!("{end}\n"));
        }
    }
    events
}

/// A stream in packets of so many bytes.
pub fn packets(kind: Kind, events: &[String], size: usize) -> Sent {
    let content_type = match kind {
        Kind::Ollama => "application/x-ndjson",
        Kind::OpenAi | Kind::Anthropic => "text/event-stream; charset=utf-8",
    };
    let packets = events.concat().into_bytes().chunks(size).map(<[u8]>::to_vec).collect();
    let headers = vec![("content-type", content_type.to_owned())];
    Sent { status: 200, headers, packets, breaks: false }
}

/// An error in the words of a protocol.
pub fn error(kind: Kind, status: u16, message: &str) -> Sent {
    let body = match kind {
        Kind::OpenAi => json!({ "error": { "message": message, "code": status } }),
        Kind::Anthropic => json!({ "type": "error", "error": { "type": "x", "message": message } }),
        Kind::Ollama => json!({ "error": message }),
    };
    Sent::json(status, &body)
}
