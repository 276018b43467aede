//! The fetcher against servers that misbehave.

use std::{
    io::Write,
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use axum::{body::Body, http::StatusCode, response::Response};
use flate2::{Compression, write::GzEncoder};
use futures::stream;

use super::{FetchError, Fetched, Fetcher, Policy, reach::Reach};
use crate::http::fake::{Fake, answer};

const SECRET: &str = "token=do-not-show";

fn policy() -> Policy {
    Policy {
        connect: Duration::from_secs(2),
        total: Duration::from_secs(5),
        max_bytes: 100_000,
        allow_private: true,
        ..Policy::default()
    }
}

/// Asks with something private in the query. No error may show it.
fn get_with(policy: Policy, url: &url::Url) -> Result<Fetched, FetchError> {
    let mut url = url.clone();
    url.set_query(Some(SECRET));
    let found = Fetcher::new(policy).unwrap().get(url.as_str());
    if let Err(error) = &found {
        let shown = format!("{error} {error:?} {:?}", error.hint());
        assert!(!shown.contains("do-not-show"), "{shown}");
    }
    found
}

/// The error that `server` brings, its host left out.
#[track_caller]
fn check_error(server: &Fake, expected: &str) -> FetchError {
    let error = get_with(policy(), &server.url).unwrap_err();
    let host = crate::address::host_and_port(&server.url);
    assert_eq!(error.to_string().replace(&host, "HOST"), expected);
    error
}

/// A server with this one answer.
fn server(status: u16, headers: &'static [(&'static str, &'static str)], body: &str) -> Fake {
    Fake::script(vec![answer(status, headers, body)])
}

#[test]
fn pages_are_fetched() {
    let server = Fake::new(|call| async move {
        let header = |name| call.headers.get(name).and_then(|value| value.to_str().ok());
        let shown = format!(
            "{} {} {:?} {:?} {:?}",
            call.method,
            call.path,
            header("user-agent"),
            header("cookie"),
            header("referer"),
        );
        ([("content-type", "text/html; charset=utf-8"), ("set-cookie", "a=b")], shown)
    });
    let fetched = get_with(policy(), &server.url.join("/x").unwrap()).unwrap();
    assert_eq!(fetched.media_type, "text/html; charset=utf-8");
    assert_eq!(fetched.url.path(), "/x");
    let agent = concat!("elophanto/", env!("CARGO_PKG_VERSION"));
    let expected = format!("GET /x?{SECRET} Some(\"{agent}\") None None");
    assert_eq!(String::from_utf8(fetched.bytes).unwrap(), expected);
}

#[test]
fn private_addresses_are_refused() {
    let server = server(200, &[], "inside");
    let closed = || Policy { allow_private: false, ..policy() };
    let error = get_with(closed(), &server.url).unwrap_err();
    assert!(matches!(error, FetchError::Private { .. }), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("your own settings")));
    let port = server.url.port().unwrap();
    for host in ["localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "a.localhost"]
    {
        let url = url::Url::parse(&format!("http://{host}:{port}/")).unwrap();
        let error = get_with(closed(), &url).unwrap_err();
        assert!(matches!(error, FetchError::Private { .. }), "{host}: {error}");
    }
    assert_eq!(server.calls(), 0);
}

#[test]
fn names_are_resolved_and_checked() {
    let url = url::Url::parse("http://no-such-name.invalid/").unwrap();
    let error = get_with(policy(), &url).unwrap_err();
    assert!(matches!(error, FetchError::Unknown { .. }), "{error}");
    let server = server(200, &[("content-type", "text/plain")], "inside");
    let url = format!("http://localhost:{}/", server.url.port().unwrap());
    let fetched = Fetcher::new(policy()).unwrap().get(&url).unwrap();
    assert_eq!(fetched.bytes, b"inside");
}

#[test]
fn addresses_that_are_none() {
    for url in ["", "example.org", "ftp://example.org", "file:///etc/passwd", "http://a:b@c.org/"] {
        let error = Fetcher::new(policy()).unwrap().get(url).unwrap_err();
        assert!(matches!(error, FetchError::Address { .. }), "{url}: {error}");
    }
    let long = format!("https://example.org/{}", "x".repeat(9000));
    let error = Fetcher::new(policy()).unwrap().get(&long).unwrap_err();
    assert_eq!(error, FetchError::Address { reason: "is too long" });
}

#[test]
fn redirects_are_followed() {
    let server = Fake::script(vec![
        answer(301, &[("location", "/two#part")], ""),
        answer(302, &[("location", "three?x=1")], ""),
        answer(200, &[("content-type", "text/html")], "there"),
    ]);
    let fetched = get_with(policy(), &server.url).unwrap();
    assert_eq!(fetched.url, server.url.join("/three?x=1").unwrap());
    assert_eq!((fetched.bytes, server.calls()), (b"there".to_vec(), 3));
}

#[test]
fn redirects_have_limits() {
    let around = server(302, &[("location", "/again")], "");
    check_error(&around, "`HOST` redirects more than 5 times");
    assert_eq!(around.calls(), 6);
    check_error(&server(302, &[], ""), "`HOST` redirects to nowhere");
    check_error(&server(302, &[("location", "http://[")], ""), "`HOST` redirects to nowhere");
    let wrong = "this is no address of a page: it begins with neither https:// nor http://";
    check_error(&server(302, &[("location", "file:///etc/passwd")], ""), wrong);
    let with_key = server(302, &[("location", "http://me:secret@example.org/")], "");
    check_error(&with_key, "this is no address of a page: it holds a user name or password");
}

/// A fetcher for which 127.0.0.1, and nothing else, is a public address, and every name could be
/// public.
fn almost_closed() -> Fetcher {
    let addresses = |address| address == IpAddr::V4(Ipv4Addr::LOCALHOST);
    Fetcher::within(Reach { addresses, names: |_| true }, policy()).unwrap()
}

#[test]
fn every_step_is_checked() {
    let inner = server(200, &[("content-type", "text/html")], "inside");
    let port = inner.url.port().unwrap();
    let fetcher = almost_closed();
    assert_eq!(fetcher.get(inner.url.as_str()).unwrap().bytes, b"inside");
    for host in ["127.0.0.2", "[::1]", "10.0.0.1", "0x7f000002", "169.254.169.254", "0.0.0.0"] {
        let outer = Fake::new(move |_| async move {
            (StatusCode::FOUND, [("location", format!("http://{host}:{port}/"))])
        });
        let error = fetcher.get(outer.url.as_str()).unwrap_err();
        assert!(matches!(error, FetchError::Private { .. }), "{host}: {error}");
        assert_eq!((outer.calls(), inner.calls()), (1, 1));
    }
}

/// A name that is fine as written but leads to a private address.
#[test]
fn what_a_name_leads_to_is_checked() {
    let nothing = Reach { addresses: |_| false, names: |_| true };
    let server = server(200, &[("content-type", "text/html")], "inside");
    let url = format!("http://localhost:{}/", server.url.port().unwrap());
    let error = Fetcher::within(nothing, policy()).unwrap().get(&url).unwrap_err();
    assert!(matches!(error, FetchError::Private { .. }), "{error}");
    assert_eq!(server.calls(), 0);
    // Of several addresses, only those that are open are connected to.
    assert_eq!(almost_closed().get(&url).unwrap().bytes, b"inside");
}

#[test]
fn statuses_are_told_apart() {
    check_error(&server(404, &[], "x"), "`HOST` has no such page (404)");
    check_error(&server(410, &[], "x"), "`HOST` has no such page (410)");
    check_error(&server(403, &[], "x"), "`HOST` does not give the page to everybody (403)");
    check_error(&server(418, &[], "x"), "`HOST` answered 418");
    check_error(&server(500, &[], "x"), "`HOST` answered 500");
    let limited = server(429, &[("retry-after", "7")], "");
    let error = check_error(&limited, "`HOST` limits requests");
    let FetchError::RateLimited { wait, .. } = error else { panic!("{error}") };
    assert_eq!(wait, Some(Duration::from_secs(7)));
    check_error(&server(304, &[], ""), "`HOST` answered 304");
}

#[test]
fn media_types_are_judged_before_the_body() {
    let image = Fake::new(|_| async {
        // A body that never ends: it must not be waited for.
        let body = Body::from_stream(stream::pending::<Result<Vec<u8>, std::io::Error>>());
        Response::builder().header("content-type", "image/png").body(body).unwrap()
    });
    let error = check_error(&image, "`HOST` sends `image/png`, which is not read");
    assert!(error.hint().is_some());
    for media_type in ["application/zip", "video/mp4", "application/javascript"] {
        let fake = Fake::new(move |_| async move { ([("content-type", media_type)], "x") });
        let error = get_with(policy(), &fake.url).unwrap_err();
        assert!(matches!(error, FetchError::MediaType { .. }), "{error}");
    }
    let untyped = Fake::raw(vec![vec![b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"]]);
    assert_eq!(get_with(policy(), &untyped.url).unwrap().media_type, "");
}

#[test]
fn sizes_are_capped() {
    const TOO_LARGE: &str = "the page of `HOST` is larger than 100000 bytes";
    let announced =
        Fake::new(|_| async { ([("content-type", "text/html")], vec![b'x'; 10 << 20]) });
    check_error(&announced, TOO_LARGE);
    let endless = Fake::new(|_| async {
        let body = stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b'x'; 1000]));
        let body = Body::from_stream(body);
        Response::builder().header("content-type", "text/html").body(body).unwrap()
    });
    check_error(&endless, TOO_LARGE);
    let bomb = Fake::new(|_| async {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&vec![0; 50 << 20]).unwrap();
        let headers = [("content-type", "text/html"), ("content-encoding", "gzip")];
        (headers, packer.finish().unwrap())
    });
    check_error(&bomb, TOO_LARGE);
    let exact = Fake::new(|_| async { ([("content-type", "text/html")], vec![b'x'; 100_000]) });
    assert_eq!(get_with(policy(), &exact.url).unwrap().bytes.len(), 100_000);
}

#[test]
fn packed_pages_are_unpacked() {
    let packed = Fake::new(|_| async {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(b"unpacked").unwrap();
        let headers = [("content-type", "text/html"), ("content-encoding", "gzip")];
        (headers, packer.finish().unwrap())
    });
    assert_eq!(get_with(policy(), &packed.url).unwrap().bytes, b"unpacked");
}

#[test]
fn slow_servers_are_left() {
    let drip = Fake::new(|_| async {
        let pieces = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(30)).await;
            Some((Ok::<_, std::io::Error>(vec![b'x']), ()))
        });
        let body = Body::from_stream(pieces);
        Response::builder().header("content-type", "text/html").body(body).unwrap()
    });
    let total = Duration::from_millis(300);
    let error = get_with(Policy { total, ..policy() }, &drip.url).unwrap_err();
    assert!(matches!(error, FetchError::Timeout { limit, .. } if limit == total), "{error}");
    let silent = Fake::new(|_| async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        "late"
    });
    let error = get_with(Policy { total, ..policy() }, &silent.url).unwrap_err();
    assert!(matches!(error, FetchError::Timeout { .. }), "{error}");
}

#[test]
fn connections_that_fail() {
    let error = get_with(policy(), &Fake::nobody()).unwrap_err();
    assert!(matches!(error, FetchError::Connect { .. }), "{error}");
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 9\r\n\r\nhalf";
    let half = Fake::raw(vec![vec![head]]);
    let error = get_with(policy(), &half.url).unwrap_err();
    assert!(matches!(error, FetchError::Broken { .. }), "{error}");
    let noise = Fake::raw(vec![vec![b"\x1b[2J no HTTP at all\r\n\r\n"]]);
    let error = get_with(policy(), &noise.url).unwrap_err();
    assert!(matches!(error, FetchError::Broken { .. }), "{error}");
}
