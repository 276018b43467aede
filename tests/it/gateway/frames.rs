//! What is no message, and what comes of it.

use std::io::Write;

use serde_json::json;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::{Gate, plain};

/// The first message, and who is hung up on instead.
#[test]
fn the_first_message() {
    let env = plain();
    let gate = Gate::open(&env);
    let cases: &[(&str, Message, u16, &str)] = &[
        ("another version", hello(2), 1002, "version 2 is not spoken here: it is 1"),
        ("something else first", of("chat", &json!({ "content": "x" })), 1002, "no first message"),
        ("no JSON", Message::text("hello"), 1002, "not JSON"),
        ("a long one", Message::text(" ".repeat(64 * 1024 + 1)), 1009, "at most 65536 bytes"),
        ("bytes", Message::binary(vec![0]), 1003, "messages are text"),
    ];
    for (what, message, code, detail) in cases {
        let mut talk = gate.enter_own();
        talk.send(message.clone());
        assert_eq!(talk.closed(), *code, "{what}");
        let told = talk.error()["detail"].as_str().unwrap();
        assert!(told.contains(detail), "{what}: {told}");
        assert!(talk.error()["hint"].is_string(), "{what}");
    }
    let mut talk = gate.enter_own();
    talk.hello();
    assert_eq!(talk.heard.len(), 1);
}

/// What is wrong with a message is said; only so many in a row are heard.
#[test]
fn what_is_no_message() {
    let env = plain();
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    for (message, detail) in [
        ("{", "not JSON"),
        ("[]", "is an object"),
        (r#"{"type": "shout"}"#, "no type `shout`"),
        (r#"{"type": "event", "data": {}}"#, "only the gateway sends"),
        (r#"{"type": "chat", "data": {"content": "x"}}"#, "UUID"),
    ] {
        talk.send(Message::text(message));
        talk.until("error");
        assert!(talk.error()["detail"].as_str().unwrap().contains(detail), "{:?}", talk.error());
    }
    // The connection stays, and one that fits is heard.
    let id = talk.say("command", json!({ "name": "status" }));
    talk.find(|it| it["type"] == "response" && it["data"]["reply_to"] == id.as_str());
    // Of another conversation, whoever it says it comes from.
    let message = json!({
        "type": "command", "id": id, "session_id": "6f2c1f2e-52a5-4c43-9fb4-0e9f0f2d3b7a",
        "channel": "telegram", "user_id": "root", "data": { "name": "status" },
    });
    talk.send(Message::text(message.to_string()));
    let error = talk.until("error");
    assert_eq!((&error["channel"], &error["data"]["reply_to"]), (&"cli".into(), &id.into()));
    let before = talk.heard.len();
    for _ in 0..40 {
        talk.send(Message::text("no"));
    }
    assert_eq!(talk.closed(), 1008);
    assert_eq!(talk.heard.len() - before, 20);
}

/// Frames that no client of ours sends.
#[test]
fn frames_that_are_refused() {
    let env = plain();
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.send(Message::Binary(Bytes::from_static(b"{}")));
    assert_eq!(talk.closed(), 1003);

    // A message of a megabyte is heard, a longer one is not.
    let mut talk = gate.greet();
    talk.send(Message::text("x".repeat(1024 * 1024)));
    talk.until("error");
    talk.send(Message::text("x".repeat(1024 * 1024 + 1)));
    assert_eq!(talk.closed(), 1009);
    assert!(talk.error()["detail"].as_str().unwrap().contains("1048576 bytes"));

    // Text that is none, half a frame, one without a mask, one with a reserved bit, a huge one.
    let masked = [0x81, 0x82, 1, 2, 3, 4, 0xff ^ 1, 0xfe ^ 2];
    let huge = [0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4];
    for (what, bytes, code) in [
        ("no UTF-8", &masked[..], 1007),
        ("no mask", &[0x81, 0x02, b'{', b'}'], 1002),
        ("a reserved bit", &[0xc1, 0x80, 1, 2, 3, 4], 1002),
        ("no known kind", &[0x83, 0x80, 1, 2, 3, 4], 1002),
        ("huge", &huge, 1009),
    ] {
        let mut talk = gate.greet();
        talk.socket.get_mut().write_all(bytes).unwrap();
        assert_eq!(talk.closed(), code, "{what}");
    }
    let mut talk = gate.greet();
    talk.socket.get_mut().write_all(&masked[..5]).unwrap();
    drop(talk);
    // It serves on.
    gate.greet();
    assert!(!gate.end().contains("panicked"));
}

fn hello(version: u32) -> Message {
    of("status", &json!({ "version": version }))
}

fn of(kind: &str, data: &serde_json::Value) -> Message {
    let id = "6f2c1f2e-52a5-4c43-9fb4-0e9f0f2d3b7a";
    Message::text(json!({ "type": kind, "id": id, "data": data }).to_string())
}
