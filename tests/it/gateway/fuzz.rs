//! Frames and heads of requests at random: the gateway serves on, and takes no more memory.
//!
//! `ELOPHANTO_FUZZ_SECONDS=1800` goes on for so long, `ELOPHANTO_FUZZ_SEED` begins elsewhere; both with
//! `cargo test --test it gateway::fuzz -- --nocapture`.

use std::{
    io::{Read, Write},
    net::TcpStream,
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Gate, HANGS, plain, state};

/// How long it goes on unless something else is said.
const USUAL: u64 = 3;
/// Connections between two looks at whether all is well.
const ROUND: u64 = 200;
/// Bytes of memory by which it may grow: answers and ids are kept, so many of each.
const MOST_GROWTH: u64 = 64 << 20;
const PATIENCE: Duration = Duration::from_millis(20);

const UUID: &str = "6f2c1f2e-52a5-4c43-9fb4-0e9f0f2d3b7a";
const MESSAGES: &[&str] = &[
    r#"{"type": "status", "id": "@", "data": {"version": 1}}"#,
    r#"{"type": "command", "id": "@", "data": {"name": "status", "args": ""}}"#,
    r#"{"type": "command", "id": "@", "data": {"name": "repo"}}"#,
    r#"{"type": "command", "id": "@", "session_id": "@", "data": {"name": "/help", "args": "\u0000"}}"#,
    r#"{"type": "approval_response", "id": "@", "data": {"request_id": "@", "digest": "00", "answer": "once"}}"#,
    r#"{"type": "chat", "id": "@", "data": {"content": "/stop all"}}"#,
    r#"{"type": "chat", "id": "@", "data": {"content": "x", "attachments": ["@", {"name": "a", "data": "aGk="}]}}"#,
    r#"[[[[[[[[[[[[[[[[{"a": 1e999, "b": "\ud800", "c": -0.0}]]]]]]]]]]]]]]]]"#,
];
const HEADS: &[&str] = &[
    "GET /gateway HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer x\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n",
    "POST /ticket HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
    "POST /session HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/json\r\nx-elophanto: page\r\nContent-Length: 15\r\n\r\n{\"ticket\": \"x\"}",
    "POST /attachment HTTP/1.1\r\nHost: localhost\r\nx-elophanto-name: a%00b.md\r\nContent-Length: 9\r\n\r\n# A\n\nb.\n",
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\r\n5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n",
    "GET /standings HTTP/1.1\r\nHost: [::1]:80\r\nCookie: elophanto_1=a; elophanto_1=b\r\n\r\n",
];

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap()
    }

    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn pick<'p, T: ?Sized>(&mut self, all: &[&'p T]) -> &'p T {
        all[self.below(all.len())]
    }

    /// Changes some bytes, or leaves all as they are.
    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.below(4) {
            let at = self.below(bytes.len() + 1);
            match self.below(6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = self.next().to_le_bytes()[0],
                2 => bytes.truncate(at),
                3 => {
                    let part = bytes[at..].to_vec();
                    bytes.extend(part);
                }
                4 => {
                    let odd: &[u8] = self.pick(&[
                        &b"\r\n"[..],
                        b"\0",
                        b"\xff\xfe",
                        b"\"",
                        b"{",
                        b"-1",
                        b"\\u0000",
                    ]);
                    bytes.splice(at..at, odd.iter().copied());
                }
                5 => {
                    let count = self.below(70_000);
                    bytes.splice(at..at, std::iter::repeat_n(b'a', count));
                }
                _ => {}
            }
        }
    }

    /// A frame of a client around a text; now and then it says something wrong of itself.
    fn frame(&mut self, text: &[u8]) -> Vec<u8> {
        let kind = if self.one_in(8) { self.next().to_le_bytes()[0] } else { 0x81 };
        let masked = if self.one_in(20) { 0 } else { 0x80 };
        let length = match self.below(12) {
            0 => self.next() >> self.below(64),
            _ => text.len() as u64,
        };
        let mut frame = vec![kind];
        match length {
            0..126 if !self.one_in(30) => frame.push(masked | u8::try_from(length).unwrap()),
            0..65_536 if !self.one_in(30) => {
                frame.push(masked | 126);
                frame.extend(u16::try_from(length).unwrap_or(0).to_be_bytes());
            }
            _ => {
                frame.push(masked | 127);
                frame.extend(length.to_be_bytes());
            }
        }
        let mask = self.next().to_le_bytes();
        if masked != 0 {
            frame.extend(&mask[..4]);
        }
        let hidden =
            |(at, byte): (usize, &u8)| if masked == 0 { *byte } else { byte ^ mask[at % 4] };
        frame.extend(text.iter().enumerate().map(hidden));
        frame
    }

    fn message(&mut self) -> Vec<u8> {
        let id = format!("{:08x}{}", self.next() >> 32, &UUID[8..]);
        let id = if self.one_in(4) { UUID } else { &id };
        let mut text = self.pick(MESSAGES).replace('@', id).into_bytes();
        self.mutate(&mut text);
        text
    }
}

/// What was sent.
#[derive(Default, Debug)]
struct Sent {
    frames: u64,
    heads: u64,
}

/// Sends bytes, reads for a moment what comes.
fn exchange(stream: &mut (impl Read + Write), bytes: &[u8]) {
    // Who is hung up on cannot write any more.
    let _ = stream.write_all(bytes);
    let _ = stream.read(&mut [0; 4096]);
}

fn frames(gate: &Gate<'_>, dice: &mut Dice, sent: &mut Sent) {
    let mut talk = gate.enter_own();
    if !dice.one_in(5) {
        talk.say("status", json!({ "version": 1 }));
        let _ = talk.next();
    }
    let stream = talk.socket.get_mut();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(HANGS)).unwrap();
    let mut bytes = Vec::new();
    for _ in 0..=dice.below(8) {
        let text = dice.message();
        let frame = dice.frame(&text);
        bytes.extend(frame);
        sent.frames += 1;
    }
    if dice.one_in(10) {
        dice.mutate(&mut bytes);
    }
    exchange(stream, &bytes);
}

fn heads(gate: &Gate<'_>, dice: &mut Dice, sent: &mut Sent) {
    let mut head = dice.pick(HEADS).as_bytes().to_vec();
    if dice.one_in(4) {
        head.extend(dice.pick(HEADS).as_bytes());
    }
    if dice.one_in(3) {
        head = String::from_utf8_lossy(&head).replace("Bearer x", &gate.bearer()).into_bytes();
    }
    dice.mutate(&mut head);
    sent.heads += 1;
    if dice.one_in(2) {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", gate.port)) else { return };
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(HANGS)).unwrap();
        exchange(&mut stream, &head);
    } else {
        let Ok(mut stream) = UnixStream::connect(state(gate.env, "gateway.sock")) else { return };
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(HANGS)).unwrap();
        exchange(&mut stream, &head);
    }
}

#[test]
fn frames_and_heads_at_random() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let limit = Duration::from_secs(number("ELOPHANTO_FUZZ_SECONDS").unwrap_or(USUAL));
    let mut dice = Dice(number("ELOPHANTO_FUZZ_SEED").unwrap_or(0x9e37_79b9_7f4a_7c15));
    let env = plain();
    let gate = Gate::with(&env, &["--port", "0", "--rate", "0"]);
    let (begun, mut sent, mut memory) = (Instant::now(), Sent::default(), None);
    for round in 1.. {
        for _ in 0..ROUND {
            match dice.below(5) {
                0 | 1 => heads(&gate, &mut dice, &mut sent),
                _ => frames(&gate, &mut dice, &mut sent),
            }
            if begun.elapsed() >= limit {
                break;
            }
        }
        // It still answers whoever asks.
        let mut talk = gate.greet();
        let id = talk.say("command", json!({ "name": "repo" }));
        talk.find(|it| it["type"] == "response" && it["data"]["reply_to"] == id.as_str());
        let now = gate.memory();
        let first = *memory.get_or_insert(now);
        if round % 50 == 0 || begun.elapsed() >= limit {
            let seconds = begun.elapsed().as_secs();
            let said =
                format!("{seconds} s: {sent:?}, {} KiB, {} at first\n", now >> 10, first >> 10);
            let _ = std::io::stderr().lock().write_all(said.as_bytes());
        }
        // Once what is kept of messages is as much as it can be.
        if round == 50 {
            memory = Some(now);
        }
        assert!(now < first + MOST_GROWTH, "{sent:?}: {} MiB more", (now - first) >> 20);
        if begun.elapsed() >= limit {
            break;
        }
    }
    let said = gate.end();
    assert!(!said.contains("panicked"), "{said}");
    assert!(sent.frames > 0 && sent.heads > 0);
}
