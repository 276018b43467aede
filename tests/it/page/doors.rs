//! Who may look: a cookie, from our own page; and what a browser is told with every answer.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};

use super::Visitor;
use crate::env::TestEnv;

#[test]
fn pages_need_a_cookie() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n\nIt leaves at dawn.\n")]);
    let visitor = Visitor::open(&env);
    let page = format!("{}/note/ferry.md", visitor.name);
    let cookie = visitor.cookie.as_str();
    let old = format!("{}={}", cookie.split('=').next().unwrap(), "0".repeat(64));
    let twice = format!("{cookie}; {cookie}");
    for (what, headers, status) in [
        ("a page of ours", vec![("Cookie", cookie), ("Sec-Fetch-Site", "same-origin")], 200),
        ("typed into the bar", vec![("Cookie", cookie), ("Sec-Fetch-Site", "none")], 200),
        ("an older browser", vec![("Cookie", cookie)], 200),
        ("a page at another port", vec![("Cookie", cookie), ("Sec-Fetch-Site", "same-site")], 403),
        ("a page of others", vec![("Cookie", cookie), ("Sec-Fetch-Site", "cross-site")], 403),
        ("a rebound name", vec![("Cookie", cookie), ("Host", "evil.test")], 403),
        ("nobody", vec![], 401),
        ("yesterday's cookie", vec![("Cookie", old.as_str())], 401),
        ("two cookies", vec![("Cookie", twice.as_str())], 401),
    ] {
        let answer = visitor.get_with(&page, &headers);
        assert_eq!(answer.status, status, "{what}: {}", answer.body);
        assert_eq!(answer.body.contains("at dawn"), status == 200, "{what}");
        let says_how = answer.body.contains("elophanto page");
        assert_eq!(says_how, status == 401, "{what}: {}", answer.body);
    }
    // Whoever has the path and no cookie learns nothing of what lies there.
    let nobody = |path: &str| visitor.get_with(path, &[]);
    assert_eq!(nobody(&page).body, nobody("nowhere/at/all").body);
    // Only what is asked for is to be had: nothing of the disk, no other method.
    assert_eq!(visitor.get("assets/..%2fpage.js").status, 404);
    let post = visitor.gate.send(&format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nContent-Length: 0\r\n\r\n",
        visitor.gate.below(&page),
        visitor.gate.host()
    ));
    assert_eq!(post.status, 403);
}

#[test]
fn what_a_browser_is_told() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n")]);
    let visitor = Visitor::open(&env);
    let page = format!("{}/note/ferry.md", visitor.name);
    for path in [page.as_str(), "assets/page.js", "nowhere", "session"] {
        let answer = visitor.get(path);
        assert_eq!(
            answer.header("content-security-policy"),
            Some(
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                 connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
                 require-trusted-types-for 'script'"
            ),
            "{path}"
        );
        for (name, value) in [
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}");
        }
    }
    assert_eq!(visitor.get(&page).header("cache-control"), Some("no-store"));
    // Files of ours are sent once.
    let script = visitor.get("assets/page.js");
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    let scripts = script.body.clone() + &visitor.get("assets/chat.js").body;
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    compressed.write_all(scripts.as_bytes()).unwrap();
    assert!(compressed.finish().unwrap().len() < 12 * 1024);
    let etag = script.header("etag").unwrap();
    let again = visitor.get_with("assets/page.js", &[("If-None-Match", etag)]);
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    // Nothing is inline, and nothing is of elsewhere.
    let html = visitor.html("note/ferry.md");
    assert!(!html.contains("<style") && !html.contains(" style=") && !html.contains(" onclick="));
    let addresses = html.split(['"']).filter(|it| it.contains("://"));
    assert_eq!(addresses.collect::<Vec<_>>(), Vec::<&str>::new());
}

/// The address is printed where there is no desktop, and lets in once.
#[test]
fn the_command_prints_an_address() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n")]);
    env.write_settings("gateway.port: 0\n");
    let printed = env.ok(&["page", "--print"]).stdout();
    let url = printed.trim();
    let (page, ticket) = url.split_once("#ticket=").unwrap();
    assert_eq!(ticket.len(), 64);
    let path = page.splitn(4, '/').nth(3).unwrap();
    assert!(
        path.starts_with('~') && path.ends_with('/') && path.matches('/').count() == 2,
        "{url}"
    );
    let json = env.json(&["page", "--json"]);
    assert_eq!(json[0]["opened"], false);
    // The path stays the same, the ticket does not.
    let second = json[0]["url"].as_str().unwrap();
    assert!(second.starts_with(page) && second != url);
    env.ok(&["gateway", "stop"]);
    let third = env.ok(&["page", "--print"]).stdout();
    assert_eq!(third.split('/').nth(3), url.split('/').nth(3));
    env.ok(&["gateway", "stop"]);
}
