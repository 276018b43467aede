//! Who may come in: programs, the user's own, and nobody else.

use std::{fs, os::unix::fs::PermissionsExt};

use super::{Gate, plain, running, state};

/// What is tried, with which headers, and the status that answers it.
type Case<'c> = (&'c str, &'c [(&'c str, &'c str)], u16);

/// Host, origin and token of every kind that has opened a door somewhere.
#[test]
fn hostile_headers() {
    let env = plain();
    let gate = Gate::open(&env);
    let (right, own) = (gate.bearer(), format!("http://{}", gate.host()));
    let short = format!("Bearer {}", &gate.token[..63]);
    let other_port = format!("http://127.0.0.1:{}", gate.port.wrapping_add(1));
    let cookie = format!("elophanto_{}={}", gate.port, gate.token);
    let host_of = |name: &str| format!("{name}:{}", gate.port);
    let (rebound, suffixed) = (host_of("evil.test"), host_of("127.0.0.1.evil.test"));
    let (user, number) = (host_of("user@127.0.0.1"), host_of("2130706433"));
    let bearing = ("Authorization", right.as_str());
    let cases: &[Case] = &[
        ("the right token", &[bearing], 101),
        (
            "a page of a program on this machine",
            &[bearing, ("Origin", "http://localhost:5173")],
            101,
        ),
        ("no token", &[], 401),
        ("an empty token", &[("Authorization", "Bearer ")], 401),
        ("a wrong token", &[("Authorization", "Bearer wrong")], 401),
        ("the token but for its end", &[("Authorization", &short)], 401),
        ("another scheme", &[("Authorization", &right.replace("Bearer", "Basic"))], 401),
        ("two tokens", &[bearing, ("authorization", "Bearer x")], 401),
        // This door knows no cookies, wherever they come from.
        ("the token as a cookie", &[("Cookie", &cookie)], 401),
        ("the token as a cookie of our own page", &[("Cookie", &cookie), ("Origin", &own)], 401),
        ("a cookie and no page", &[("Cookie", "elophanto=x")], 401),
        ("a page of the web", &[bearing, ("Origin", "https://evil.test")], 403),
        ("a page that hides", &[bearing, ("Origin", "null")], 403),
        ("a file", &[bearing, ("Origin", "file://")], 403),
        ("two origins", &[bearing, ("Origin", &own), ("origin", "https://evil.test")], 403),
        ("an origin that begins well", &[bearing, ("Origin", "http://localhost.evil.test")], 403),
        ("another port with a cookie", &[("Cookie", &cookie), ("Origin", &other_port)], 401),
        ("a rebound name", &[bearing, ("Host", &rebound)], 403),
        ("a name that begins well", &[bearing, ("Host", &suffixed)], 403),
        ("a user before the host", &[bearing, ("Host", &user)], 403),
        ("an address as a number", &[bearing, ("Host", &number)], 403),
        ("no host", &[bearing, ("Host", "")], 403),
        ("two hosts", &[bearing, ("Host", "localhost"), ("host", "evil.test")], 403),
        ("no WebSocket", &[bearing, ("Upgrade", "h2c")], 400),
        ("a version that nobody speaks", &[bearing, ("Sec-WebSocket-Version", "8")], 400),
    ];
    for (what, headers, status) in cases {
        let answer = gate.upgrade("/gateway", headers);
        assert_eq!(answer.status, *status, "{what}: {answer:?}");
        if *status != 101 {
            assert!(answer.json()["error"].is_string(), "{what}: {answer:?}");
            assert_eq!(answer.header("connection"), Some("close"), "{what}");
        }
    }
    for (path, status) in [
        (format!("/gateway?token={}", gate.token), 400),
        ("/gateway?x".to_owned(), 400),
        ("/".to_owned(), 404),
        ("/gateway/".to_owned(), 404),
        (format!("http://evil.test:{}/gateway", gate.port), 403),
        ("/token".to_owned(), 404),
    ] {
        let answer = gate.upgrade(&path, &[bearing]);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
    }
    // What is said of all that holds no secret.
    let token = gate.token.clone();
    let words = gate.end();
    assert!(!words.contains(&token) && !words.contains("panicked"), "{words}");
}

/// Guessing closes the door to whoever guesses, never to whoever knows.
#[test]
fn a_hundred_wrong_tokens() {
    let env = plain();
    let gate = Gate::open(&env);
    let mut told = [0, 0];
    for guess in 0..100 {
        let answer =
            gate.upgrade("/gateway", &[("Authorization", &format!("Bearer {guess:064x}"))]);
        match answer.status {
            401 => told[0] += 1,
            429 => told[1] += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!(told, [10, 90]);
    assert_eq!(gate.upgrade("/gateway", &[("Authorization", &gate.bearer())]).status, 101);
}

/// The user's own programs need no token: nobody else can open the socket.
#[test]
fn the_socket_of_the_user() {
    let env = plain();
    let gate = Gate::open(&env);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(state(&env, "")), 0o700);
    assert_eq!(mode(state(&env, "gateway.sock")), 0o600);
    assert_eq!(mode(state(&env, "gateway.json")), 0o600);
    let mut talk = gate.greet();
    let status = talk.heard[0].clone();
    assert_eq!((&status["channel"], &status["data"]["version"]), (&"cli".into(), &1.into()));
    assert_eq!(status["data"]["repository"], "repo");
    // A program that bears the token is the same person.
    let mut other = gate.enter(&[]);
    assert_eq!(other.hello()["session_id"], status["session_id"]);
    let health = gate.send_own("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").json();
    assert_eq!(
        (&health["root"], &health["pid"]),
        (&running(&env)["root"], &gate.child.id().into())
    );
    // MCP is served as well, to whoever bears the token.
    let head = "GET /health HTTP/1.1\r\nHost: localhost\r\n";
    assert_eq!(gate.send(&format!("{head}\r\n")).status, 401);
    assert_eq!(gate.send(&format!("{head}Authorization: {}\r\n\r\n", gate.bearer())).status, 200);
    talk.send(tokio_tungstenite::tungstenite::Message::Close(None));
    assert_eq!(talk.closed(), 0);
}

/// What the agent runs is this user's too, and would approve its own calls: it finds no way in, with the
/// network or without.
#[cfg(target_os = "linux")]
#[test]
fn what_the_agent_runs_cannot_come_in() {
    use super::bench;
    use crate::fake::script::{Model, call, text};
    use serde_json::json;

    for network in [false, true] {
        let run = json!({ "command": "sh try.sh", "network": network });
        let model = Model::script(vec![call("shell_execute", run), text("Tried.")]);
        let env = bench(&model);
        env.write_settings(&format!("{}agent.network: {network}\n", model.settings()));
        let gate = Gate::open(&env);
        let (file, socket) = (state(&env, "gateway.json"), state(&env, "gateway.sock"));
        let socket = format!(
            "import socket; socket.socket(socket.AF_UNIX).connect('{}'); print('in' + 'side')",
            socket.display(),
        );
        env.write("try.sh", format!("cat {}\npython3 -c \"{socket}\"\n", file.display()));
        let mut talk = gate.greet();
        talk.say("chat", json!({ "content": "Try it" }));
        let asked = talk.until("approval_request")["data"].take();
        let (id, digest) = (&asked["request_id"], &asked["digest"]);
        let answer = json!({ "request_id": id, "digest": digest, "answer": "once" });
        talk.say("approval_response", answer);
        let called = talk.event("called");
        let said = called["text"].as_str().unwrap();
        assert!(said.contains("Permission denied") && said.contains("not permitted"), "{said}");
        assert!(!said.contains("inside") && !said.contains(&gate.token), "{said}");
        talk.event("task_complete");
    }
}
