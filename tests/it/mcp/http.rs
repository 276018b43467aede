//! Over HTTP: who may come in, how many, how much.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    thread,
};

use serde_json::json;

use super::{House, PATIENCE, harbour, seen, state_files};

#[test]
fn who_may_come_in() {
    let env = harbour();
    let house = House::open(&env);
    let mut said = String::new();
    for headers in [
        &[][..],
        &[("Host", "localhost")],
        &[("Host", "127.0.0.1.evil.test")],
        &[("Host", "evil.test")],
        &[("Origin", "https://evil.test")],
        &[("Origin", "null")],
        &[("Origin", "http://localhost:5173")],
        &[("Authorization", "")],
        &[("Authorization", "Bearer")],
        &[("Authorization", "Bearer wrong")],
    ] {
        let reply = house.health(headers);
        said += &format!("{headers:?}: {} {}\n", reply.status, reply.json()["error"]);
    }
    seen!(said, @r#"
    []: 200 null
    [("Host", "localhost")]: 200 null
    [("Host", "127.0.0.1.evil.test")]: 403 "requests to this host are not answered"
    [("Host", "evil.test")]: 403 "requests to this host are not answered"
    [("Origin", "https://evil.test")]: 403 "requests from this origin are not answered"
    [("Origin", "null")]: 403 "requests from this origin are not answered"
    [("Origin", "http://localhost:5173")]: 200 null
    [("Authorization", "")]: 401 "a bearer token is needed"
    [("Authorization", "Bearer")]: 401 "a bearer token is needed"
    [("Authorization", "Bearer wrong")]: 401 "the token is wrong"
    "#);
    let health = house.health(&[]).json();
    assert_eq!((&health["root"], &health["name"]), (&json!(env.root()), &json!("elophanto")));
    assert_eq!(health["pid"], house.child.id());
    // The token is nowhere but in the file that only the user may read.
    use std::os::unix::fs::PermissionsExt;
    let file = &state_files(&env, "json")[0];
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(house.token.len(), 64);
    assert!(!house.health(&[]).body.contains(&house.token));
}

#[test]
fn a_thousand_guesses() {
    let env = harbour();
    let house = House::open(&env);
    let guess = |n: usize| house.health(&[("Authorization", &format!("Bearer {n:064x}"))]).status;
    let statuses: Vec<u16> = (0..1000).map(guess).collect();
    let told = statuses.iter().filter(|status| **status == 401).count();
    let refused = statuses.iter().filter(|status| **status == 429).count();
    assert_eq!((told, refused), (10, 990));
    // Who knows the token is not kept out by those who do not.
    assert_eq!(house.health(&[]).status, 200);
}

#[test]
fn a_port_in_use() {
    let env = harbour();
    let house = House::open(&env);
    seen!(env.run(&["agent", "mcp", "serve", "--http", &house.address]), @"
    exit: 2
    --- stdout
    --- stderr
    error: cannot listen at [ADDRESS]: Address already in use (os error 98)
    hint: another program is there; give another one: --http [ADDRESS]
    ");
    seen!(env.run(&["agent", "mcp", "serve", "--http", "203.0.113.7:7397"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: cannot listen at 203.0.113.7:7397: Cannot assign requested address (os error 99)
    hint: give an address of this machine, such as --http [ADDRESS]
    ");
    seen!(env.run(&["agent", "mcp", "serve", "--http", "localhost"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: invalid value 'localhost' for '--http [<ADDRESS>]': invalid socket address syntax

    For more information, try '--help'.
    ");
    // It is still the one that is known.
    let status = env.json(&["agent", "mcp", "status", "--json"]);
    assert_eq!(status[0]["url"], format!("http://{}/mcp", house.address));
}

#[test]
fn eight_clients_at_once() {
    let env = harbour();
    let house = House::open(&env);
    thread::scope(|scope| {
        for client in 0..8 {
            let house = &house;
            scope.spawn(move || {
                let session = house.session();
                for n in 0..5 {
                    let found = house.call(&session, "search", json!({"query": "ferry release"}));
                    assert_eq!(
                        found["structuredContent"]["hits"][0]["path"], "docs/deploy.md",
                        "{found}"
                    );
                    let lesson = format!("client {client} lesson {n}");
                    let lesson = json!({"type": "error", "context": "many", "lesson": lesson});
                    assert_eq!(house.call(&session, "remember", lesson)["isError"], false);
                    let draft =
                        json!({"title": format!("By {client}"), "text": "x", "kind": "note"});
                    assert_eq!(house.call(&session, "write_note", draft)["isError"], false);
                }
                let end = house.request("DELETE /mcp", &[("Mcp-Session-Id", &session)], b"");
                assert!((200..300).contains(&end.status), "{end:?}");
                let late = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
                let late =
                    house.request("POST /mcp", &[("Mcp-Session-Id", &session)], late.as_bytes());
                assert_eq!(late.status, 404, "{late:?}");
            });
        }
    });
    assert_eq!(env.json(&["agent", "memory", "list", "--json", "--limit", "100"]).len(), 40);
    let notes = std::fs::read_dir(env.path("knowledge/learned/notes")).unwrap().count();
    assert_eq!(notes, 40);
}

#[test]
fn too_much_and_too_little() {
    let env = harbour();
    let house = House::open(&env);
    let session = house.session();
    let named = [("Mcp-Session-Id", session.as_str())];
    let big = vec![b'x'; 64 * 1024 * 1024];
    let mut said = String::new();
    let mut say = |what: &str, reply: super::Reply| {
        said += &format!("{what}: {} {}\n", reply.status, reply.body);
    };
    say("64 MiB", house.request("POST /mcp", &named, &big));
    // Without saying so before.
    let mut chunked = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nTransfer-Encoding: chunked\r\n\r\n",
        house.address, house.token
    )
    .into_bytes();
    for part in big.chunks(1024 * 1024).take(12) {
        chunked.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
        chunked.extend_from_slice(part);
        chunked.extend_from_slice(b"\r\n");
    }
    assert!([413, 0].contains(&house.send(&chunked).status));
    let nested = format!("{{\"id\":5,\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    say("nested", house.request("POST /mcp", &named, nested.as_bytes()));
    say("no JSON", house.request("POST /mcp", &named, b"hello"));
    say("nothing", house.request("POST /mcp", &named, b""));
    say(
        "unknown session",
        house.request(
            "POST /mcp",
            &[("Mcp-Session-Id", "x")],
            br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        ),
    );
    say("elsewhere", house.request("GET /../etc/passwd", &[], b""));
    say("PUT", house.request("PUT /mcp", &[], b""));
    seen!(said, @r#"
    64 MiB: 413 {"error":"a body may have at most 8388608 bytes"}
    nested: 400 {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"the message is nested deeper than 127 levels"}}
    no JSON: 415 {"error":"fail to deserialize request body expected value at line 1 column 1"}
    nothing: 415 {"error":"fail to deserialize request body EOF while parsing a value at line 1 column 0"}
    unknown session: 404 {"error":"Not Found: Session not found"}
    elsewhere: 404 {"error":"there is nothing at this path"}
    PUT: 405 {"error":"Method Not Allowed"}
    "#);
    // Clients that vanish: in the head, in the body, while they wait.
    for bytes in [
        "POST /mcp HT".to_owned(),
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 100\r\n\r\n{{",
            house.address, house.token
        ),
    ] {
        let mut stream = TcpStream::connect(&house.address).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
    }
    // Each call has an id of its own: of two with one id in a session only one is answered.
    for id in 1_000..1_020 {
        let call = json!({"name": "search", "arguments": {"query": "ferry"}});
        let call =
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}).to_string();
        let mut stream = TcpStream::connect(&house.address).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nMcp-Session-Id: {session}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{call}",
            house.address, house.token, call.len()
        )
        .unwrap();
    }
    let found = house.call(&session, "search", json!({"query": "ferry"}));
    assert_eq!(found["structuredContent"]["hits"][0]["path"], "docs/deploy.md");
}

#[test]
fn changes_are_told_over_a_stream() {
    let env = harbour();
    let house = House::open(&env);
    let session = house.session();
    let mut stream = TcpStream::connect(&house.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nMcp-Session-Id: {session}\r\n\
         Accept: text/event-stream\r\n\r\n",
        house.address, house.token
    )
    .unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().contains(" 200 "));
    thread::scope(|scope| {
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        let env = &env;
        scope.spawn(move || {
            let pause = std::time::Duration::from_millis(1000);
            for n in 0..30 {
                env.write(format!("docs/new{n}.md"), "# New\n");
                if is_done.recv_timeout(pause) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    break;
                }
            }
        });
        let told = lines.find(|line| line.contains("notifications/resources/list_changed"));
        assert!(told.is_some());
        drop(done);
    });
}

/// Each event has an id; whoever names one gets what came after it, and nothing twice.
#[test]
fn a_stream_is_resumed() {
    let env = harbour();
    let house = House::open(&env);
    let session = house.session();
    for n in 0..300 {
        env.write(format!("many/{n}.md"), format!("# Entry {n}\n\nEntry {n} of a long list.\n"));
    }
    let call = json!({
        "name": "search", "arguments": {"query": "entry"}, "_meta": {"progressToken": "far"},
    });
    let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call});
    let named = [("Mcp-Session-Id", session.as_str())];
    let whole = house.request("POST /mcp", &named, call.to_string().as_bytes());
    let ids = |body: &str| -> Vec<String> {
        body.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned).collect()
    };
    let sent = ids(&whole.body);
    assert!(sent.len() >= 2, "{whole:?}");
    let after = [
        named[0],
        ("Last-Event-ID", sent[0].as_str()),
        ("Accept", "text/event-stream"),
        ("Content-Length", ""),
    ];
    let rest = house.request("GET /mcp", &after, b"");
    assert_eq!((rest.status, ids(&rest.body)), (200, sent[1..].to_vec()), "{rest:?}");
    assert!(rest.body.contains("\"id\":9") && rest.body.contains("many/"), "{rest:?}");
}

#[test]
fn a_limit_of_requests() {
    let env = harbour();
    let house = House::open_with(&env, &["--rate", "5"]);
    // `status`, which the test has asked already, counts.
    let statuses: Vec<u16> = (0..6).map(|_| house.health(&[]).status).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 429, 429]);
}
