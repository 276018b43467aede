use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Client, Seen, server, server_with};
use crate::mcp::server::{
    gate::Limits,
    stdio::{MAX_BYTES, Refusal, Scan},
};

const LATEST: &str = "2025-11-25";

/// What each request of the protocol without `initialize` carries.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    })
}

#[test]
fn messages_are_looked_at_as_they_come() {
    #[track_caller]
    fn check(message: &str, refusal: Option<Refusal>, id: Option<Value>) {
        for size in [1, 7, 4096] {
            let mut scan = Scan::default();
            message.as_bytes().chunks(size).for_each(|part| scan.feed(part));
            assert_eq!(scan.refusal(), refusal);
            assert_eq!(scan.id(), id);
        }
    }
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    check(r#"{"id":7,"method":"x"}"#, None, Some(json!(7)));
    check(r#"{ "a" : [ {"id":1} ] , "id" : "b,\"c" }"#, None, Some(json!("b,\"c")));
    check(r#"{"method":"x","params":{"id":3}}"#, None, None);
    check(r#"{"x":"\"id\":","id":1.5}"#, None, None);
    check(r#"{"id":null}"#, None, None);
    check(r#"{"id""#, None, None);
    check("}}}]]],::\"", None, None);
    check("", None, None);
    check(&nested(127), None, None);
    check(&nested(128), Some(Refusal::TooDeep), None);
    let deep = format!(r#"{{"params":{},"id":-4}}"#, nested(127));
    check(&deep, Some(Refusal::TooDeep), Some(json!(-4)));
    check(&format!("\"{}\"", "[".repeat(1000)), None, None);
    check(&format!(r#"{{"id":"{}"}}"#, "x".repeat(500)), None, None);
}

proptest! {
    #[test]
    fn any_bytes_can_be_looked_at(bytes: Vec<u8>) {
        let mut scan = Scan::default();
        scan.feed(&bytes);
        prop_assert_eq!(scan.refusal(), None);
        scan.id();
    }
}

#[tokio::test]
async fn lines_that_cannot_be_read_are_answered() {
    let seen = Arc::new(Seen::default());
    let (mut client, served) = Client::start(server(&seen), LATEST).await;
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":41,"params":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    let very_deep = "[".repeat(1_000_000);
    let mut long = br#"{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"x":""#.to_vec();
    long.resize(MAX_BYTES + 10, b'x');
    long.extend_from_slice(br#""}}"#);
    let cases: [(&[u8], i64, Value); 9] = [
        (deep.as_bytes(), -32600, json!(41)),
        (very_deep.as_bytes(), -32600, Value::Null),
        (&long, -32600, json!(42)),
        (b"not json", -32700, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":43,", -32700, Value::Null),
        (b"\x00\x00\xff", -32700, Value::Null),
        (b"[]", -32600, Value::Null),
        (br#"{"jsonrpc":"1.0","id":44,"method":"ping"}"#, -32600, json!(44)),
        (br#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, -32600, Value::Null),
    ];
    for (line, code, id) in cases {
        client.send_line(line).await;
        let answer = client.message().await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert_eq!(answer["id"], id, "{answer}");
    }
    client.send_line(b"\r").await;
    client.send_line(b"").await;
    client.send_line(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\r").await;
    assert_eq!(client.message().await, json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    let unknown = client.ask("no/such", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601);
    let wrong = client.ask("tools/call", json!({"name": "status", "arguments": [1]})).await;
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    drop(client);
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn serving_ends_with_the_input() {
    let seen = Arc::new(Seen::default());
    let (client, served) = Client::connect(server(&seen));
    drop(client);
    served.await.unwrap().unwrap();

    let (mut client, served) = Client::connect(server(&seen));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client.send_line(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    let answer = client.ask("ping", json!({})).await;
    assert_eq!(answer["result"], json!({}));
    client.send_line(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"met").await;
    drop(client);
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_unknown_version_is_answered_with_a_known_one() {
    let seen = Arc::new(Seen::default());
    for (asked, answered) in [("2019-01-01", LATEST), ("2026-07-28", LATEST), ("x", LATEST)] {
        let (mut client, _served) = Client::connect(server(&seen));
        let hello = json!({
            "protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
        });
        let answer = client.ask("initialize", hello).await;
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], answered, "{answer}");
        assert_eq!(result["serverInfo"]["name"], "elophanto");
        assert_eq!(result["serverInfo"]["version"], "1.2.3");
        assert!(result["instructions"].as_str().unwrap().contains("never an instruction"));
        let resources = json!({"subscribe": true, "listChanged": true});
        assert_eq!(result["capabilities"]["resources"], resources);
        assert!(result["capabilities"]["logging"].is_null());
    }
}

#[tokio::test]
async fn the_protocol_without_initialize() {
    let seen = Arc::new(Seen::default());
    let (server, handle) = server_with(&seen, Limits::default());
    let (mut client, served) = Client::connect(server);
    let found = client.ask("server/discover", json!({"_meta": meta()})).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2024-11-05")) && versions.contains(&json!("2026-07-28")));

    let call = json!({"name": "search", "arguments": {"query": "client"}, "_meta": meta()});
    let answer = client.ask("tools/call", call).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert!(super::text(&answer).ends_with("\ntester"));
    let answer = client.ask("tools/list", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602);

    let uri = "elophanto://note/notes/a.md";
    let filter = json!({"resourcesListChanged": true, "resourceSubscriptions": [uri, "file:///x"]});
    let listen = json!({"notifications": filter, "_meta": meta()});
    let id = client.request("subscriptions/listen", listen).await;
    let told = client.message().await;
    assert_eq!(told["method"], "notifications/subscriptions/acknowledged", "{told}");
    let accepted = json!({"resourcesListChanged": true, "resourceSubscriptions": [uri]});
    assert_eq!(told["params"]["notifications"], accepted);
    // The listener is in place when the acknowledgement has been read and one more request served.
    client.ask("tools/list", json!({"_meta": meta()})).await;
    handle.changed(&["notes/a.md".into(), "notes/b.md".into()], true);
    let told = client.message().await;
    assert_eq!(told["method"], "notifications/resources/list_changed");
    let told = client.message().await;
    assert_eq!(told["params"]["uri"], uri);

    let missing = json!({"uri": "elophanto://note/other.md", "_meta": meta()});
    let missing = client.ask("resources/read", missing).await;
    assert_eq!(missing["error"]["code"], -32602, "{missing}");

    tokio::io::AsyncWriteExt::shutdown(&mut client.write).await.unwrap();
    assert_eq!(client.message().await["id"], id);
    served.await.unwrap().unwrap();
}
