//! The protocol itself, over pipes: versions, what cannot be read, clients that go away.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{PATIENCE, Session, VERSION, harbour, seen};
use crate::env::{PROGRAM, TestEnv};

#[test]
fn all_versions_of_the_protocol() {
    let env = harbour();
    let mut said = String::new();
    for asked in ["2024-11-05", "2025-03-26", "2025-06-18", VERSION, "2026-07-28", "1999-01-01", ""]
    {
        let mut session = Session::connect(&mut env.command(&["agent", "mcp", "serve"]));
        let hello = session.hello(asked, "old and new");
        said += &format!("{asked}: {}\n", hello["protocolVersion"].as_str().unwrap());
        assert_eq!(
            session.found("search", json!({"query": "ferry"}))["hits"][0]["path"],
            "docs/deploy.md"
        );
        assert_eq!(session.end().code, Some(0));
    }
    seen!(said, @"
    2024-11-05: 2024-11-05
    2025-03-26: 2025-03-26
    2025-06-18: 2025-06-18
    2025-11-25: 2025-11-25
    2026-07-28: 2025-11-25
    1999-01-01: 2025-11-25
    : 2025-11-25
    ");
    // The newest one needs no greeting.
    let mut session = Session::connect(&mut env.command(&["agent", "mcp", "serve"]));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "new", "version": "1"},
    });
    let versions = session.ask("server/discover", json!({"_meta": meta}));
    let versions = versions["result"]["supportedVersions"].to_string();
    assert!(versions.contains("2024-11-05") && versions.contains("2026-07-28"), "{versions}");
    let call = json!({"name": "search", "arguments": {"query": "ferry"}, "_meta": meta});
    let answer = session.ask("tools/call", call);
    assert_eq!(
        answer["result"]["structuredContent"]["hits"][0]["path"], "docs/deploy.md",
        "{answer}"
    );
}

/// Most memory that a process has ever had, in KiB.
fn peak(session: &Session) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", session.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn what_cannot_be_read_is_answered_and_forgotten() {
    let env = harbour();
    let mut session = Session::start(&env);
    session.found("search", json!({"query": "ferry"}));
    let before = peak(&session);
    let mut long = br#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"x":""#.to_vec();
    long.resize(64 * 1024 * 1024, b'x');
    long.extend_from_slice(br#""}}"#);
    session.send_line(&long);
    let answer = session.message(PATIENCE).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(77), &json!(-32600)), "{answer}");
    let grown = peak(&session) - before;
    assert!(grown < 48 * 1024, "{grown} KiB for a message of 64 MiB");
    let nested = format!(
        r#"{{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{}{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let mut said = String::new();
    for line in [
        nested.as_bytes(),
        b"not json",
        b"\xff\xfe\x00",
        b"[1,2]",
        br#"{"jsonrpc":"1.0","id":79,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":80,"method":"no/such"}"#,
        br#"{"jsonrpc":"2.0","id":81,"method":"resources/list","params":{"cursor":"../x"}}"#,
        br#"{"jsonrpc":"2.0","id":82,"method":"prompts/get","params":{"name":"nope"}}"#,
        br#"{"jsonrpc":"2.0","id":83,"method":"prompts/get","params":{"name":"recall-before-task"}}"#,
        br#"{"jsonrpc":"2.0","id":84,"method":"prompts/get","params":{"name":"recall-before-task","arguments":{"task":"x","more":"y"}}}"#,
    ] {
        session.send_line(line);
        let answer = session.message(PATIENCE).unwrap();
        said += &format!("{} {}\n", answer["id"], answer["error"]);
    }
    seen!(said, @r#"
    78 {"code":-32600,"message":"the message is nested deeper than 127 levels"}
    null {"code":-32700,"message":"the line is no JSON"}
    null {"code":-32700,"message":"the line is no JSON"}
    null {"code":-32600,"message":"the line is no message of the protocol: unrecognized JSON-RPC message"}
    79 {"code":-32600,"message":"the line is no message of the protocol: unrecognized JSON-RPC message"}
    80 {"code":-32601,"message":"there is no method `no/such`"}
    81 {"code":-32602,"message":"the cursor is none that this server gave"}
    82 {"code":-32602,"message":"there is no such prompt; there are `recall-before-task` and `record-after-task`"}
    83 {"code":-32602,"message":"`task` must be text of 1 to 4096 characters"}
    84 {"code":-32602,"message":"`recall-before-task` takes these arguments only: task"}
    "#);
    session.found("search", json!({"query": "ferry"}));
    assert_eq!(session.end().to_string(), "exit: 0\n--- stdout\n--- stderr\n");
}

#[test]
fn cancelled_calls_are_not_answered() {
    let env = harbour();
    let mut session = Session::start(&env);
    let call = json!({"name": "search", "arguments": {"query": "ferry"}});
    let ids: Vec<u64> = (0..200).map(|_| session.request("tools/call", call.clone())).collect();
    for id in &ids {
        let params = json!({"requestId": id, "reason": "changed my mind"});
        session.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
        );
    }
    session.ask("ping", json!({}));
    session.found("search", json!({"query": "ferry"}));
    let answered: Vec<&Value> =
        session.notices.iter().filter(|it| ids.iter().any(|id| it["id"] == *id)).collect();
    assert!(answered.len() < ids.len(), "all were answered");
    assert_eq!(session.end().to_string(), "exit: 0\n--- stdout\n--- stderr\n");
}

/// The client goes away while calls are under way; what was acknowledged is there.
#[test]
fn a_client_that_vanishes() {
    let env = harbour();
    let mut acknowledged = 0;
    for round in 0..5 {
        let mut session = Session::start(&env);
        for n in 0..20 {
            let lesson = json!({"type": "error", "context": format!("round {round}"), "lesson": format!("lesson {n}")});
            session.request("tools/call", json!({"name": "remember", "arguments": lesson}));
        }
        for _ in 0..round {
            acknowledged += usize::from(session.message(PATIENCE).is_some());
        }
        if round == 4 {
            // In the middle of a line.
            session
                .stdin
                .as_mut()
                .unwrap()
                .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"meth")
                .unwrap();
        }
        let ended = session.end();
        assert_eq!((ended.code, ended.stderr()), (Some(0), String::new()));
    }
    let records = env.json(&["agent", "memory", "list", "--json"]);
    assert!((acknowledged..=100).contains(&records.len()), "{} of {acknowledged}", records.len());
    assert_eq!(acknowledged, 10);
    // One that closes its end of the output too.
    let mut child = env
        .command(&["agent", "mcp", "serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let hello = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    let _ = writeln!(stdin, "{hello}");
    drop(stdin);
    assert!(child.wait().unwrap().code().is_some());
}

#[test]
fn stdout_carries_the_protocol_alone() {
    let env = harbour();
    env.write(
        ".elophanto/config.yaml",
        "search:\n  recency_weight: 0\n  limmit: 3\nllm:\n  providers: {}\n",
    );
    env.write("docs/broken.md", "---\ntitle: [\n---\n# Broken\n\n```\n");
    env.write("docs/nul.md", b"\x00\x01\x02");
    let mut session = Session::start(&env);
    for _ in 0..3 {
        session.found("search", json!({"query": "nothing like this xylophone"}));
        session.found("status", json!({}));
        session.refusal("similar", json!({"path": "docs/nul.md"}));
    }
    session.found("recall", json!({"text": "x"}));
    session.found("learn", json!({"topic": "Ada", "text": "Ada Lovelace was born in London."}));
    assert_eq!(session.notices, Vec::<Value>::new());
    // Once, however many calls there were.
    seen!(session.end(), @r#"
    exit: 0
    --- stdout
    --- stderr
    warning: .elophanto/config.yaml:3: unknown key "search.limmit" ignored (did you mean `search.limit`?)
    "#);
}

/// Not a byte can be written: what only reads answers, what writes says that it has not.
#[test]
fn a_checkout_that_cannot_be_written_to() {
    let env = harbour();
    let mut command = env.sealed("bash");
    command.args(["-c", "ulimit -f 0; exec \"$0\" agent mcp serve", PROGRAM]);
    let mut session = Session::connect(&mut command);
    session.hello(VERSION, "tester");
    for _ in 0..2 {
        assert_eq!(
            session.found("search", json!({"query": "ferry"}))["hits"][0]["path"],
            "docs/deploy.md"
        );
        assert_eq!(
            session.found("get", json!({"path": "docs/rules.md"}))["title"],
            "Harbour rules"
        );
        assert_eq!(session.found("status", json!({}))["documents"], 2);
        assert_eq!(session.found("recall", json!({"text": "ferry"}))["memories"], json!([]));
        let lesson = json!({"type": "error", "context": "a", "lesson": "b"});
        let said = session.refusal("remember", lesson);
        assert!(said.contains("File too large"), "{said}");
        let said =
            session.refusal("write_note", json!({"title": "T", "text": "x", "kind": "note"}));
        assert!(said.contains("cannot be written"), "{said}");
    }
    assert_eq!(session.end().code, Some(0));
    assert_eq!(env.json(&["agent", "memory", "list", "--json"]), Vec::<Value>::new());
}

#[test]
fn a_folder_that_is_no_repository() {
    let env = TestEnv::plain();
    seen!(env.run(&["agent", "mcp", "serve"]), @"
    exit: 0
    --- stdout
    --- stderr
    warning: `[TEMP]/repo` is in no git repository and in no initialised folder
    note: every tool says so until there is one: `elophanto init` makes one
    ");
    seen!(env.run(&["agent", "mcp", "status"]), @"
    exit: 1
    --- stdout
    --- stderr
    warning: `[TEMP]/repo` is in no git repository and in no initialised folder
    note: every tool says so until there is one: `elophanto init` makes one
    no server runs; start one with `elophanto agent mcp serve --ensure`
    ");
    // Nobody spoke.
    let env = harbour();
    let output = crate::env::finish(
        Command::new(PROGRAM)
            .args(["agent", "mcp", "serve"])
            .current_dir(env.root())
            .env("HOME", env.outside().join("home"))
            .stdin(Stdio::null()),
    );
    assert_eq!(output.to_string(), "exit: 0\n--- stdout\n--- stderr\n");
}
