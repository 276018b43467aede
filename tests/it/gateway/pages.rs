//! Pages of ours: a ticket that is good once becomes a cookie; a cookie is sent below one path alone,
//! because cookies know no ports, and opens from our own page alone.

use super::{Answer, Gate, plain};

/// What a page of ours sends to exchange a ticket, but for these headers (`-`: left out).
pub fn exchange(gate: &Gate<'_>, ticket: &str, but: &[(&str, &str)]) -> Answer {
    let body = format!(r#"{{"ticket":"{ticket}"}}"#);
    let own = format!("http://{}", gate.host());
    let usual = [
        ("Host", gate.host()),
        ("Origin", own),
        ("Sec-Fetch-Site", "same-origin".to_owned()),
        ("Content-Type", "application/json".to_owned()),
        ("X-Elophanto", "page".to_owned()),
    ];
    let mut head = format!("POST {} HTTP/1.1\r\n", gate.below("session"));
    for (name, value) in &usual {
        let value = but.iter().find(|(given, _)| given == name).map_or(value.as_str(), |it| it.1);
        if value != "-" {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    gate.send(&format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()))
}

pub fn ticket(gate: &Gate<'_>) -> String {
    let answer = gate.send_own("POST /ticket HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    answer.json()["ticket"].as_str().unwrap().to_owned()
}

#[test]
fn a_ticket_becomes_a_cookie() {
    let env = plain();
    let gate = Gate::open(&env);
    let other_port = format!("http://127.0.0.1:{}", gate.port.wrapping_add(1));
    let named = format!("http://localhost:{}", gate.port);
    let first = ticket(&gate);
    assert_eq!((first.len(), gate.place.len()), (64, 35));
    // Where there is no path of ours there is nothing to exchange a ticket at.
    let elsewhere = gate.send(&format!("POST /session HTTP/1.1\r\nHost: {}\r\n\r\n", gate.host()));
    assert_eq!(elsewhere.status, 401);
    for (what, but, status) in [
        ("another port of this machine", ("Origin", other_port.as_str()), 403),
        ("another name of this machine", ("Origin", &named), 403),
        ("no page", ("Origin", "-"), 403),
        ("a page that hides", ("Origin", "null"), 403),
        ("a page of the same site", ("Sec-Fetch-Site", "same-site"), 403),
        ("a page of another site", ("Sec-Fetch-Site", "cross-site"), 403),
        ("a form", ("Content-Type", "text/plain"), 401),
        ("no script of ours", ("X-Elophanto", "-"), 401),
        ("a rebound name", ("Host", "evil.test"), 403),
    ] {
        let answer = exchange(&gate, &first, &[but]);
        assert_eq!(answer.status, status, "{what}: {answer:?}");
        assert_eq!(answer.header("set-cookie"), None);
    }
    assert_eq!(exchange(&gate, &"0".repeat(64), &[]).status, 401);
    let answer = exchange(&gate, &first, &[]);
    assert_eq!(answer.status, 204, "{answer:?}");
    let set = answer.header("set-cookie").unwrap().to_owned();
    let (cookie, rest) = set.split_once("; ").unwrap();
    assert_eq!(rest, format!("Path={}; HttpOnly; SameSite=Strict", gate.place));
    // It is good once.
    assert_eq!(exchange(&gate, &first, &[]).status, 401);

    let own = format!("http://{}", gate.host());
    let file = "file://";
    for (what, headers, status) in [
        ("our own page", vec![("Cookie", cookie), ("Origin", &own)], 101),
        ("another port", vec![("Cookie", cookie), ("Origin", &other_port)], 403),
        ("another name", vec![("Cookie", cookie), ("Origin", &named)], 403),
        ("a file", vec![("Cookie", cookie), ("Origin", file)], 403),
        ("no page", vec![("Cookie", cookie)], 403),
        (
            "the same cookie twice",
            vec![("Cookie", cookie), ("Cookie", cookie), ("Origin", &own)],
            401,
        ),
        ("no cookie", vec![("Origin", &own)], 401),
    ] {
        let answer = gate.upgrade(&gate.below("socket"), &headers);
        assert_eq!(answer.status, status, "{what}: {answer:?}");
    }
    // The door of programs knows no cookies, and that of pages no tokens.
    let answer = gate.upgrade("/gateway", &[("Cookie", cookie), ("Origin", &own)]);
    assert_eq!(answer.status, 401, "{answer:?}");
    let bearer = gate.bearer();
    let bearing = [("Authorization", bearer.as_str()), ("Origin", own.as_str())];
    assert_eq!(gate.upgrade(&gate.below("socket"), &bearing).status, 401);
    let socket = gate.below("socket");
    let mut page = gate.try_enter_at(&socket, &[("cookie", cookie), ("origin", &own)]).unwrap();
    let status = page.hello();
    assert_eq!(status["channel"], "web");
    assert_eq!(status["data"]["scopes"], serde_json::json!(["read", "chat", "approve"]));
    // A page is no program: neither MCP nor a ticket is to be had by a cookie.
    let request = format!(
        "GET /health HTTP/1.1\r\nHost: {}\r\nOrigin: {own}\r\nCookie: {cookie}\r\n\r\n",
        gate.host()
    );
    assert_eq!(gate.send(&request).status, 401);
    assert_eq!(gate.send(&request.replace("GET /health", "POST /ticket")).status, 401);
    // Whoever changes the token ends that as well.
    env.ok(&["gateway", "token", "rotate"]);
    assert_eq!(page.closed(), 1008);
    let again = gate.try_enter_at(&socket, &[("cookie", cookie), ("origin", &own)]);
    assert_eq!(again.err(), Some(401));
    let words = gate.end();
    assert!(!words.contains(&first) && !words.contains(cookie.split_once('=').unwrap().1));
}

/// A program that bears the token gets a ticket; a page of another site does not.
#[test]
fn tickets_for_programs() {
    let env = plain();
    let gate = Gate::open(&env);
    let head = format!("POST /ticket HTTP/1.1\r\nHost: {}\r\n", gate.host());
    let bearing = format!("{head}Authorization: {}\r\n", gate.bearer());
    assert_eq!(gate.send(&format!("{head}\r\n")).status, 401);
    assert_eq!(gate.send(&format!("{bearing}\r\n")).status, 200);
    assert_eq!(gate.send(&format!("{bearing}Sec-Fetch-Site: same-site\r\n\r\n")).status, 403);
    assert_eq!(gate.send(&format!("{bearing}Origin: https://evil.test\r\n\r\n")).status, 403);
    let asked = format!("{}\r\n", bearing.replace("/ticket", "/ticket?token=x"));
    assert_eq!(gate.send(&asked).status, 400);
}
