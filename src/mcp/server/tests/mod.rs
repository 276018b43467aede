//! A server with made-up operations, and clients that speak to it by hand.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
};

use super::{
    Call, Handle, NoteEntry, NoteText, Operations, Reply, ServeError, Server, Tool, gate::Limits,
    stdio::serve_streams,
};

mod budget;
mod calls;
mod check;
mod house;
mod http;
mod notes;
mod streams;
mod tools;

/// What the operations of a test server were asked and saw.
#[derive(Default)]
struct Seen {
    calls: Mutex<Vec<(Tool, Map<String, Value>)>>,
    running: AtomicUsize,
    most_running: AtomicUsize,
    cancelled: AtomicBool,
}

/// About four letters a token, and one for every other character.
fn count(text: &str) -> usize {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    letters.div_ceil(4) + text.chars().filter(|char| !char.is_ascii_alphanumeric()).count() / 2
}

/// Operations that do what the text of a call says: `sleep`, `wait` until cancelled, `panic`,
/// `refuse`, `progress`, `long`, `client`, or answer.
fn operations(seen: &Arc<Seen>) -> Operations {
    let seen = Arc::clone(seen);
    Operations {
        tools: &Tool::ALL,
        call: Box::new(move |tool, arguments, call| {
            if let Ok(mut calls) = seen.calls.lock() {
                calls.push((tool, arguments.clone()));
            }
            let running = seen.running.fetch_add(1, Ordering::SeqCst) + 1;
            seen.most_running.fetch_max(running, Ordering::SeqCst);
            let reply = act(tool, arguments, call, &seen);
            seen.running.fetch_sub(1, Ordering::SeqCst);
            reply
        }),
        notes: Box::new(|after, limit| {
            let paths = (0..250).map(|index| format!("notes/n{index:03} ä.md"));
            let later = paths.filter(|path| after.is_none_or(|after| path.as_str() > after));
            Ok(later
                .take(limit)
                .map(|path| NoteEntry { title: "A note".into(), bytes: 7, changed: None, path })
                .collect())
        }),
        read: Box::new(|path| {
            if path == "notes/broken.md" {
                return Err("the disk is gone".to_owned());
            }
            Ok(path.starts_with("notes/").then(|| NoteText {
                text: format!("# {path}\n"),
                truncated: path.ends_with("long.md"),
            }))
        }),
        count_tokens: count,
    }
}

fn act(tool: Tool, arguments: &Map<String, Value>, call: &Call, seen: &Seen) -> Reply {
    let word = ["query", "text", "path", "topic", "name"]
        .into_iter()
        .find_map(|name| arguments.get(name).and_then(Value::as_str))
        .unwrap_or_default();
    let mut text = format!("answer to {word}");
    match word {
        "sleep" => std::thread::sleep(Duration::from_millis(50)),
        "wait" => {
            for _ in 0..1000 {
                if call.is_cancelled() {
                    seen.cancelled.store(true, Ordering::SeqCst);
                    break;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        "panic" => panic!("as asked"),
        "refuse" => {
            let hint = Some("ask otherwise".to_owned());
            return Reply::Refused { reason: "not now".to_owned(), hint };
        }
        "progress" => {
            let follower = call.follower();
            for step in [1, 2, 2, 1, 3, 4] {
                follower.iter().for_each(|it| it.tell(step, 4, "reading"));
                std::thread::sleep(Duration::from_millis(60));
            }
        }
        "long" => text = "a line that is not short\n".repeat(5000),
        "client" => text = call.client().unwrap_or("nobody").to_owned(),
        "odd" => {
            let mut structured = example(tool, &text);
            structured["hits"][0]["path"] = json!(1);
            return Reply::found(text, structured);
        }
        _ => {}
    }
    let structured = example(tool, &text);
    Reply::found(text, structured)
}

fn example(tool: Tool, text: &str) -> Value {
    match tool {
        Tool::Search | Tool::Similar => json!({"hits": [{
            "path": "a.md", "line": 3, "kind": "note", "title": "A", "breadcrumb": ["A", "B"],
            "scope": "user", "text": text, "score": 0.5,
            "origin": {"author": null, "commit": null, "date": null, "state": "uncommitted"},
        }]}),
        Tool::Get => json!({
            "path": "a.md", "title": "A", "lines": [1, 9], "text": text, "hash": "0123", "truncated": false,
            "origin": {"author": "a", "commit": "01", "date": "2026-01-02T03:04:05Z"},
        }),
        Tool::Recall => json!({"memories": [{
            "id": "01", "repo": "r", "lesson": text, "context": "c",
            "timestamp": "2026-01-02T03:04:05Z", "success_rate": "9/10",
        }]}),
        Tool::Remember => {
            json!({"id": "01", "path": ".elophanto/memory/r/01.jsonl", "tags": [], "masked": 0})
        }
        Tool::Learn => json!({"prompt": "01", "queued": 0, "facts": 2, "entities": [
            {"entity": "otter", "name": text, "facts": 2},
        ]}),
        Tool::Questions => json!({"questions": [{
            "id": "q1", "kind": "stale", "question": text, "hypothesis": "h", "priority": "low",
            "evidence": {"file_path": "a.rs", "size": 3}, "autonomy": 1, "value": 0.5, "cost": 9,
            "state": "open", "at": "2026-01-02T03:04:05Z",
        }], "more": 0}),
        Tool::Entity => json!({"entities": [
            {"number": 1, "entity": "otter", "name": text, "path": "otter.md", "facts": 2},
        ], "more": 0}),
        Tool::WriteNote => json!({"path": "learned/notes/a.md", "hash": "4567"}),
        Tool::Status => json!({"repository": "r", "documents": 3, "waiting": 0, "lessons": 1}),
    }
}

/// A client that writes lines and reads them.
struct Client {
    write: WriteHalf<DuplexStream>,
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    next: u64,
}

impl Client {
    /// A client at a new server that has not said anything yet.
    fn connect(server: Server) -> (Self, JoinHandle<Result<(), ServeError>>) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(theirs);
        let served = tokio::spawn(serve_streams(server, read, write));
        let (read, write) = tokio::io::split(ours);
        (Self { write, read: BufReader::new(read).lines(), next: 0 }, served)
    }

    /// A client that has shaken hands over `version`.
    async fn start(server: Server, version: &str) -> (Self, JoinHandle<Result<(), ServeError>>) {
        let (mut client, served) = Self::connect(server);
        let hello = json!({
            "protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "tester\u{1b}[2J", "version": "1"},
        });
        let answer = client.ask("initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        (client, served)
    }

    async fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes()).await;
    }

    async fn send_line(&mut self, line: &[u8]) {
        self.write.write_all(line).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    /// Sends a request, and returns its id without waiting.
    async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.send(&request).await;
        self.next
    }

    async fn message(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(20), self.read.next_line()).await;
        let line = line.expect("an answer in time").unwrap().expect("the stream is open");
        serde_json::from_str(&line).expect("JSON and nothing else")
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        loop {
            let message = self.message().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }
}

fn server(seen: &Arc<Seen>) -> Server {
    server_with(seen, Limits::default()).0
}

fn server_with(seen: &Arc<Seen>, limits: Limits) -> (Server, Handle) {
    Server::with_limits(operations(seen), "1.2.3", json!({"root": "/r"}), limits)
}

/// The text of a tool's result.
fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}
