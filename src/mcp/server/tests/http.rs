use std::{
    io::ErrorKind,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

use super::{
    Seen,
    house::{House, parse, request},
    server_with,
};
use crate::mcp::server::{Http, ServeError, gate::Limits, serve_http};

#[tokio::test]
async fn the_guard_lets_in_whom_it_should() {
    let house = House::open(0);
    let healthy = json!({"name": "elophanto", "version": "1.2.3", "root": "/r"});
    let port = house.address.port();
    let right = format!("bearer  {}", house.token);
    let long = (8 * 1024 * 1024 + 1).to_string();
    let own = format!("127.0.0.1:{port}");
    // What is sent, and the status of the answer.
    let cases: &[(&[(&str, &str)], u16)] = &[
        (&[], 200),
        (&[("Host", &own)], 200),
        (&[("Host", "[::1]:1")], 200),
        (&[("Host", "KB.example:8080")], 200),
        (&[("Host", "kb.example")], 403),
        (&[("Host", "127.0.0.1.evil.test")], 403),
        (&[("Host", "evil.test")], 403),
        (&[("Host", "")], 403),
        (&[("Host", "localhost"), ("Host", "evil.test")], 403),
        (&[("Origin", "http://localhost:5173")], 200),
        (&[("Origin", "https://notes.example")], 200),
        (&[("Origin", "https://evil.test")], 403),
        (&[("Origin", "null")], 403),
        (&[("Origin", "http://localhost"), ("Origin", "https://evil.test")], 403),
        (&[("Authorization", &right)], 200),
        (&[("Authorization", "-")], 401),
        (&[("Authorization", "Basic dTpw")], 401),
        (&[("Authorization", "Bearer")], 401),
        (&[("Authorization", &right), ("Authorization", "Bearer x")], 401),
        (&[("Authorization", "Bearer wrong")], 401),
        (&[("Content-Length", &long)], 413),
        // The order: length, host, origin, token.
        (&[("Content-Length", &long), ("Host", "evil.test")], 413),
        (&[("Host", "evil.test"), ("Origin", "null"), ("Authorization", "-")], 403),
        (&[("Origin", "null"), ("Authorization", "-")], 403),
    ];
    for (headers, status) in cases {
        let answer = house.health(headers).await;
        assert_eq!(answer.status, *status, "{headers:?}: {answer:?}");
        if *status == 200 {
            assert_eq!(answer.json(), healthy);
        } else {
            assert!(answer.json()["error"].is_string(), "{answer:?}");
        }
        assert_eq!(answer.header("www-authenticate").is_some(), *status == 401);
    }
    for (method, path, status) in [
        ("GET", "/", 404),
        ("GET", "/mcp/../health", 404),
        ("POST", "/health", 405),
        ("PUT", "/mcp", 405),
        ("GET", "/mcp", 400),
        ("GET", "http://evil.test/health", 403),
    ] {
        let answer = house.send(&format!("{}\r\n", house.head(method, path, &[]))).await;
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        assert!(answer.json()["error"].is_string(), "{answer:?}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_thousand_wrong_tokens() {
    let house = House::open(0);
    let (mut told, mut refused) = (0, 0);
    for guess in 0..1000 {
        let guess = format!("Bearer {guess:064x}");
        let answer = house.health(&[("Authorization", &guess)]).await;
        match answer.status {
            401 => told += 1,
            429 => {
                refused += 1;
                let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
                assert!((1..=60).contains(&wait));
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!((told, refused), (10, 990));
    assert_eq!(house.health(&[]).await.status, 200);
    house.close().await;
}

#[tokio::test]
async fn so_many_requests_a_minute() {
    let house = House::open(3);
    assert_eq!(house.health(&[("Authorization", "-")]).await.status, 401);
    for status in [200, 200, 200, 429, 429] {
        let answer = house.health(&[]).await;
        assert_eq!(
            (answer.status, answer.header("retry-after").is_some()),
            (status, status == 429)
        );
    }
    house.close().await;
}

#[tokio::test]
async fn a_session_from_its_beginning_to_its_end() {
    let house = House::open(0);
    let id = house.session().await;
    let answer = house.search(&id, "otters").await;
    assert!(super::text(&answer.message()).ends_with("answer to otters"), "{answer:?}");
    let answer = house.search(&id, "client").await;
    assert!(super::text(&answer.message()).ends_with("\ntester"), "{answer:?}");

    let call = json!({
        "name": "search", "arguments": {"query": "progress"}, "_meta": {"progressToken": 5},
    });
    let session = [("Mcp-Session-Id", id.as_str())];
    let answer = house.post(&request("tools/call", call), &session).await;
    assert!(answer.body.contains("notifications/progress"), "{answer:?}");
    assert_eq!(answer.message()["id"], 1);

    // What is told without being asked comes over a stream of its own.
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let head = house.head("GET", "/mcp", &session);
    stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    let mut told = String::new();
    while !told.contains("list_changed") {
        house.handle.changed(&[], true);
        let mut bytes = [0; 4096];
        let read = stream.read(&mut bytes);
        if let Ok(read) = tokio::time::timeout(Duration::from_millis(200), read).await {
            let read = read.unwrap();
            assert!(read > 0, "{told}");
            told.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    }

    // Its end cancels what is under way.
    let running = house.search(&id, "wait");
    let ending = async {
        while house.seen.running.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        house.send(&format!("{}\r\n", house.head("DELETE", "/mcp", &session))).await
    };
    let (_, ended) = tokio::join!(running, ending);
    assert!((200..300).contains(&ended.status), "{ended:?}");
    while !house.seen.cancelled.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(house.search(&id, "otters").await.status, 404);
    house.close().await;
}

/// A client whose connection broke in the middle of a call gets the rest of it, and nothing twice.
#[tokio::test]
async fn a_stream_that_broke_off_is_resumed() {
    let house = House::open(0);
    let id = house.session().await;
    let call = json!({
        "name": "search", "arguments": {"query": "progress"}, "_meta": {"progressToken": 5},
    });
    let body = request("tools/call", call);
    let session = [("Mcp-Session-Id", id.as_str())];
    let head = house.head("POST", "/mcp", &session);
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let whole = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(whole.as_bytes()).await.unwrap();
    let mut told = String::new();
    while !told.contains("\n\n") || !told.contains("id: ") {
        let mut bytes = [0; 4096];
        let read = stream.read(&mut bytes).await.unwrap();
        assert!(read > 0, "{told}");
        told.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
    drop(stream);
    let ids = |told: &str| -> Vec<String> {
        told.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned).collect()
    };
    let last = ids(&told).pop().unwrap();
    // While the call goes on, and once more when it is over.
    for _ in 0..2 {
        let after = [session[0], ("Last-Event-ID", last.as_str()), ("Accept", "text/event-stream")];
        let rest = house.send(&format!("{}\r\n", house.head("GET", "/mcp", &after))).await;
        assert_eq!(rest.status, 200, "{rest:?}");
        assert_eq!(rest.message()["id"], 1, "{rest:?}");
        assert!(super::text(&rest.message()).ends_with("answer to progress"));
        assert!(!ids(&rest.body).is_empty() && !ids(&rest.body).contains(&last), "{rest:?}");
    }
    // Of what nobody knows there is no rest.
    let after = [session[0], ("Last-Event-ID", "3@nobody"), ("Accept", "text/event-stream")];
    let rest = house.send(&format!("{}\r\n", house.head("GET", "/mcp", &after))).await;
    assert_eq!((rest.status, rest.body.contains("data:")), (200, false), "{rest:?}");
    house.close().await;
}

#[tokio::test]
async fn a_cancelled_call_ends_without_an_answer() {
    let house = House::open(0);
    let id = house.session().await;
    let running = house.search(&id, "wait");
    let cancelling = async {
        while house.seen.running.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let cancel = json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1},
        });
        house.post(&cancel.to_string(), &[("Mcp-Session-Id", &id)]).await
    };
    let (call, cancelled) = tokio::join!(running, cancelling);
    assert_eq!((call.status, call.body.contains("result"), cancelled.status), (200, false, 202));
    while !house.seen.cancelled.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let answer = house.search(&id, "otters").await;
    assert!(super::text(&answer.message()).ends_with("answer to otters"));
    house.close().await;
}

#[tokio::test]
async fn the_protocol_without_sessions() {
    let house = House::open(0);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = |query: &str| {
        let call = json!({"name": "search", "arguments": {"query": query}, "_meta": meta});
        request("tools/call", call)
    };
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "search"),
    ];
    let answer = house.post(&call("otters"), &headers).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(super::text(&answer.message()).ends_with("answer to otters"));

    // A client that closes its connection cancels its call.
    let body = call("wait");
    let head = house.head("POST", "/mcp", &headers);
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let length = body.len();
    let whole = format!("{head}Content-Length: {length}\r\n\r\n{body}");
    stream.write_all(whole.as_bytes()).await.unwrap();
    while house.seen.running.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(stream);
    while !house.seen.cancelled.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    house.close().await;
}

#[tokio::test]
async fn bodies_that_cannot_be_read() {
    let house = House::open(0);
    let deep = format!(r#"{{"jsonrpc":"2.0","id":7,"x":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    let answer = house.post(&deep, &[]).await;
    assert_eq!(answer.status, 400);
    assert_eq!(
        (&answer.json()["id"], &answer.json()["error"]["code"]),
        (&json!(7), &json!(-32600))
    );
    let answer = house.post("not json", &[]).await;
    assert!((400..500).contains(&answer.status) && answer.json()["error"].is_string());
    let answer = house.post("{}", &[("Accept", "text/html")]).await;
    assert_eq!(answer.status, 406);

    // A body that does not say how long it is.
    let head = house.head("POST", "/mcp", &[]);
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(format!("{head}Transfer-Encoding: chunked\r\n\r\n").as_bytes()).await.unwrap();
    let chunk = format!("100000\r\n{}\r\n", "x".repeat(0x10_0000));
    for _ in 0..20 {
        if stream.write_all(chunk.as_bytes()).await.is_err() {
            break;
        }
    }
    let mut bytes = vec![0; 4096];
    let read = stream.read(&mut bytes).await.unwrap_or(0);
    assert!(read == 0 || parse(&bytes[..read]).status == 413);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_clients_at_once() {
    let house = Arc::new(House::open(0));
    let mut clients = JoinSet::new();
    for client in 0..50 {
        let house = Arc::clone(&house);
        clients.spawn(async move {
            let id = house.session().await;
            for call in 0..4 {
                let query = format!("otters {client} {call}");
                let answer = house.search(&id, &query).await.message();
                assert!(super::text(&answer).ends_with(&query), "{answer}");
            }
        });
    }
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
    assert_eq!(house.seen.calls.lock().unwrap().len(), 200);
    assert!(house.seen.most_running.load(Ordering::SeqCst) <= 4);
    Arc::into_inner(house).unwrap().close().await;
}

#[tokio::test]
async fn unusable_tokens_are_refused() {
    for token in ["", "two words"] {
        let (server, _) = server_with(&Arc::new(Seen::default()), Limits::default());
        let http = Http {
            listener: std::net::TcpListener::bind("127.0.0.1:0").unwrap(),
            token: token.to_owned(),
            callers: Vec::new(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            requests_per_minute: 0,
        };
        let served = serve_http(server, http, std::future::pending()).await;
        assert!(matches!(served, Err(ServeError::Token)));
    }
}

#[tokio::test]
async fn connections_that_say_nothing_keep_nobody_out() {
    const IDLE: usize = 600;
    let house = House::open(0);
    let mut idle = Vec::new();
    for _ in 0..IDLE {
        idle.push(TcpStream::connect(house.address).await.unwrap());
    }
    assert_eq!(house.health(&[]).await.status, 200);
    // It did not have to wait until all of those were closed; only the oldest made room for it.
    let is_open = |stream: &&TcpStream| matches!(stream.try_read(&mut [0]), Err(cause) if cause.kind() == ErrorKind::WouldBlock);
    let open = idle.iter().filter(is_open).count();
    assert!((200..IDLE - 200).contains(&open), "{open}");
    house.close().await;
}

#[tokio::test]
async fn whoever_is_refused_gives_up_the_place() {
    let house = House::open(0);
    for (token, head) in [("Bearer wrong", "connection: close"), ("", "content-type")] {
        let mut stream = TcpStream::connect(house.address).await.unwrap();
        let right = format!("Bearer {}", house.token);
        let token = if token.is_empty() { right.as_str() } else { token };
        let ask =
            format!("GET /health HTTP/1.1\r\nHost: localhost\r\nAuthorization: {token}\r\n\r\n");
        // In pieces, as a slow network has it.
        for piece in ask.as_bytes().chunks(30) {
            stream.write_all(piece).await.unwrap();
            stream.flush().await.unwrap();
            tokio::task::yield_now().await;
        }
        let mut answer = vec![0; 2048];
        let read = stream.read(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer[..read]).to_lowercase();
        assert!(answer.contains(head), "{answer}");
        assert_eq!(answer.contains("connection: close"), head == "connection: close", "{answer}");
    }
    house.close().await;
}
