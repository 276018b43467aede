//! The client against servers that misbehave.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use axum::response::IntoResponse;
use secrecy::SecretString;
use serde_json::json;
use url::Url;

use super::{
    Auth, Client, Endpoint, HttpError, Patience, Reply, block_on,
    fake::{Fake, answer},
    listens, probe,
};

const KEY: &str = "sk-do-not-show";
const OK: &str = r#"{"fine": true}"#;

pub(super) fn patience() -> Patience {
    Patience {
        connect: Duration::from_millis(500),
        request: Duration::from_millis(500),
        idle: Duration::from_millis(300),
        total: Duration::from_secs(5),
        attempts: 3,
    }
}

pub(super) fn client(url: &Url) -> Client {
    client_with(url, patience())
}

pub(super) fn client_with(url: &Url, patience: Patience) -> Client {
    let auth = Auth::Bearer(SecretString::from(KEY));
    Client::new(Endpoint::new(url.clone(), auth), patience).unwrap()
}

/// Posts something private. No error may show it, nor the key.
fn post(client: &Client) -> Result<Reply, HttpError> {
    let reply = block_on(client.post("/x", &json!({ "text": "private words" })));
    if let Err(error) = &reply {
        let shown = format!("{error} {error:?} {client:?}");
        assert!(!shown.contains(KEY) && !shown.contains("private words"), "{shown}");
    }
    reply
}

type Answers = Vec<Box<dyn Fn() -> axum::response::Response + Send + Sync>>;

/// The error these answers end in, and how many requests that took.
#[track_caller]
fn check_error(answers: Answers, calls: usize, expected: &str) -> HttpError {
    let fake = Fake::script(answers);
    let client = client(&fake.url);
    let error = post(&client).unwrap_err();
    let shown = error.to_string().replace(client.host(), "HOST");
    assert_eq!(shown, expected);
    assert_eq!(fake.calls(), calls);
    assert_eq!(client.attempts(), calls as u64);
    error
}

/// These answers end well after `calls` requests.
#[track_caller]
fn check_fine(answers: Answers, calls: usize) -> Reply {
    let fake = Fake::script(answers);
    let reply = post(&client(&fake.url)).unwrap();
    assert_eq!(reply.json, json!({ "fine": true }));
    assert_eq!((fake.calls(), reply.attempts), (calls, calls as u32));
    reply
}

#[test]
fn sends_what_it_should() {
    let fake = Fake::new(|call| async move {
        let header = |name| call.headers.get(name).and_then(|value| value.to_str().ok());
        axum::Json(json!({
            "method": call.method.as_str(), "path": call.path, "body": call.body,
            "agent": header("user-agent"), "auth": header("authorization"),
            "key": header("x-api-key"), "version": header("anthropic-version"),
            "type": header("content-type"), "referer": header("referer"),
        }))
    });
    let reply = post(&client(&fake.url.join("/v1/").unwrap())).unwrap();
    assert_eq!(
        reply.json,
        json!({
            "method": "POST", "path": "/v1/x", "body": { "text": "private words" },
            "agent": concat!("elophanto/", env!("CARGO_PKG_VERSION")),
            "auth": "Bearer sk-do-not-show", "key": null, "version": null,
            "type": "application/json", "referer": null,
        })
    );
    assert_eq!((reply.attempts, reply.waited), (1, Duration::ZERO));
    assert!(!format!("{reply:?}").contains("private"));

    let auth = Auth::Header("x-api-key", SecretString::from(" sk-do-not-show\n"));
    let mut endpoint = Endpoint::new(fake.url.clone(), auth);
    endpoint.headers.push(("anthropic-version", "2023-06-01".to_owned()));
    assert!(!format!("{endpoint:?}").contains(KEY));
    let reply = block_on(Client::new(endpoint, patience()).unwrap().get("models?n=1")).unwrap();
    assert_eq!(reply.json["method"], "GET");
    assert_eq!(reply.json["path"], "/models?n=1");
    assert_eq!(reply.json["key"], KEY);
    assert_eq!(reply.json["auth"], json!(null));
    assert_eq!(reply.json["version"], "2023-06-01");
}

#[test]
fn endpoints_that_cannot_be_used() {
    #[track_caller]
    fn check(url: &str, auth: Auth, expected: &str) {
        let endpoint = Endpoint::new(Url::parse(url).unwrap(), auth);
        let error = Client::new(endpoint, patience()).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!error.is_unreachable());
    }
    let bearer = |key: &str| Auth::Bearer(SecretString::from(key));
    check(
        "http://api.test:8080/v1",
        bearer(KEY),
        "`api.test:8080` is reached over http, which would show the key to everybody on the way",
    );
    check(
        "http://api.test/v1",
        Auth::None,
        "`api.test` is reached over http, which would show what is sent to everybody on the way",
    );
    check("https://a.test", bearer(" \n"), "can't use this endpoint: the key is empty");
    check(
        "https://a.test",
        bearer("a\nb"),
        "can't use this endpoint: the key holds characters that no header can carry",
    );
    check(
        "https://me:sk-do-not-show@a.test",
        Auth::None,
        "can't use this endpoint: its address holds a user name or password",
    );
    let endpoint = Endpoint::new(Url::parse("http://10.1.2.3/").unwrap(), bearer(KEY));
    let error = Client::new(endpoint, patience()).unwrap_err();
    assert_eq!(error.hint(), Some("use an https:// address"));
}

#[test]
fn tries_again_when_that_may_help() {
    for status in [408, 409, 425, 429, 500, 502, 503, 504, 529] {
        let reply =
            check_fine(vec![answer(status, &[("retry-after", "0")], ""), answer(200, &[], OK)], 2);
        assert_eq!(reply.waited, Duration::ZERO, "{status}");
    }
    check_fine(vec![answer(500, &[], "x"), answer(502, &[], "y"), answer(200, &[], OK)], 3);
    check_fine(vec![answer(418, &[("x-should-retry", "true")], ""), answer(200, &[], OK)], 2);
}

#[test]
fn gives_up_after_its_attempts() {
    let wrong =
        || answer(500, &[("retry-after-ms", "0")], r#"{"error":{"message":"oh\u001b[2J"}}"#);
    let error = check_error(vec![wrong()], 3, "`HOST` answered 500: oh\\u{1b}[2J");
    assert!(!error.is_unreachable());
}

#[test]
fn does_not_try_again_in_vain() {
    let error = check_error(
        vec![answer(401, &[], r#"{"error":{"message":"wrong key sk-do-not-show"}}"#)],
        1,
        "`HOST` refuses access (401): wrong key [key]",
    );
    assert_eq!(error.hint(), Some("check the key"));
    let html = "<html><head><title>Sign in</title>";
    check_error(
        vec![answer(403, &[("content-type", "text/html")], html)],
        1,
        "`HOST` refuses access (403): a web page titled \"Sign in\"",
    );
    check_error(
        vec![answer(400, &[], r#"{"detail":[{"msg":"too long","input":"private words"}]}"#)],
        1,
        "`HOST` refuses the request (400): too long",
    );
    check_error(vec![answer(413, &[], "")], 1, "`HOST` refuses the request (413): nothing");
    check_error(
        vec![answer(404, &[], r#"{"error":"model not found, try pulling it first"}"#)],
        1,
        "`HOST` answered 404: model not found, try pulling it first",
    );
    check_error(
        vec![answer(402, &[], r#"{"error":{"message":"no money","code":402}}"#)],
        1,
        "the account at `HOST` is out of credit (402): no money",
    );
    check_error(
        vec![answer(429, &[], r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#)],
        1,
        "the account at `HOST` is out of credit (429): pay",
    );
    check_error(
        vec![answer(500, &[("x-should-retry", "false")], "")],
        1,
        "`HOST` answered 500: nothing",
    );
    check_error(
        vec![answer(500, &[("x-should-retry", "false")], "é".repeat(400))],
        1,
        &format!("`HOST` answered 500: text: {}...", "é".repeat(294)),
    );
}

#[test]
fn waits_as_asked_or_gives_up() {
    let reply =
        check_fine(vec![answer(429, &[("retry-after", "0.2")], ""), answer(200, &[], OK)], 2);
    assert!(reply.waited >= Duration::from_millis(195), "{reply:?}");
    let reply = check_fine(
        vec![answer(429, &[("x-ratelimit-reset-requests", "150ms")], ""), answer(200, &[], OK)],
        2,
    );
    assert!(reply.waited >= Duration::from_millis(145), "{reply:?}");
    // Longer than there is time: at once, with the wait.
    let start = Instant::now();
    check_error(
        vec![answer(429, &[("retry-after", "60")], r#"{"error":{"message":"slow down"}}"#)],
        1,
        "`HOST` limits requests and asks to wait 60 s: slow down",
    );
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn all_requests_wait_when_one_is_told_to() {
    let fake = Fake::script(vec![answer(429, &[("retry-after", "0.4")], ""), answer(200, &[], OK)]);
    let client = client(&fake.url);
    let (first, second) = block_on(async {
        let late = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            client.clone().get("x").await
        };
        futures::join!(client.get("x"), late)
    });
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!((first.attempts, second.attempts, fake.calls()), (2, 1, 3));
    assert!(second.waited >= Duration::from_millis(200), "{second:?}");

    // Nobody is asked while the gate is closed for longer than there is time.
    let fake = Fake::script(vec![answer(429, &[("retry-after", "60")], "")]);
    let client = client_with(&fake.url, patience());
    assert!(matches!(post(&client), Err(HttpError::RateLimited { .. })));
    let error = post(&client).unwrap_err();
    assert!(
        matches!(error, HttpError::RateLimited { wait: Some(wait), .. } if wait.as_secs() > 50)
    );
    assert_eq!(fake.calls(), 1);
}

#[test]
fn errors_inside_a_success() {
    let inside = |body: &str| vec![answer(200, &[], body), answer(200, &[], OK)];
    check_fine(inside(r#"{"error":{"message":"x","code":429}}"#), 2);
    check_fine(inside(r#"{"error":{"message":"x","code":"502"}}"#), 2);
    check_fine(inside(r#"{"error":{"message":"x","type":"overloaded_error"}}"#), 2);
    check_fine(inside(r#"[{"error":{"message":"x","status":503}}]"#), 2);
    check_error(
        inside(r#"{"error":{"message":"odd","metadata":{"raw":"upstream is odd"}}}"#),
        1,
        "`HOST` answered 200: odd: upstream is odd",
    );
    check_error(inside(r#"{"error":"out of memory"}"#), 1, "`HOST` answered 200: out of memory");
    check_error(
        inside(r#"{"error":{"message":"no","code":401}}"#),
        1,
        "`HOST` refuses access (401): no",
    );
    // No errors.
    for body in [r#"{"error":null}"#, r#"{"error":""}"#, r#"{"error":{}}"#, "[]", "7"] {
        let fake = Fake::script(vec![answer(200, &[], body)]);
        post(&client(&fake.url)).unwrap();
    }
}

#[test]
fn what_is_no_json() {
    let page = "\u{feff}<!DOCTYPE html><title>Proxy\u{1b}[2J</title>";
    check_error(
        vec![answer(200, &[], page)],
        1,
        "`HOST` answered 200 with a web page titled \"Proxy\\u{1b}[2J\" instead of JSON",
    );
    check_error(vec![answer(200, &[], "")], 1, "`HOST` answered 200 with nothing instead of JSON");
    check_error(
        vec![answer(200, &[], "{\"cut\": [1, 2")],
        1,
        "`HOST` answered 200 with damaged JSON instead of JSON",
    );
    check_error(
        vec![answer(200, &[], "Ollama is running")],
        1,
        "`HOST` answered 200 with text: Ollama is running instead of JSON",
    );
}

#[test]
fn redirects_are_not_followed() {
    let other = Fake::script(vec![answer(200, &[], OK)]);
    for status in [301, 302, 303, 307, 308] {
        let target = other.url.to_string();
        let fake = Fake::new(move |_| {
            let target = target.clone();
            async move {
                (axum::http::StatusCode::from_u16(status).unwrap(), [("location", target)])
                    .into_response()
            }
        });
        let error = post(&client(&fake.url)).unwrap_err();
        assert!(matches!(&error, HttpError::Redirect { target, .. } if target == "127.0.0.1"));
        assert_eq!(fake.calls(), 1);
    }
    assert_eq!(other.calls(), 0);
}

#[test]
fn answers_have_a_cap() {
    let long = format!("\"{}\"", "x".repeat(10_000));
    let fake = Fake::script(vec![answer(200, &[], long)]);
    let endpoint = Endpoint::new(fake.url.clone(), Auth::None);
    let client = Client::with_body_cap(endpoint, patience(), 10_001).unwrap();
    let error = post(&client).unwrap_err();
    assert!(error.to_string().ends_with("is larger than 10001 bytes"), "{error}");
    let endpoint = Endpoint::new(fake.url.clone(), Auth::None);
    post(&Client::with_body_cap(endpoint, patience(), 10_002).unwrap()).unwrap();

    // 10 MB of zeros in 10 kB.
    let mut zeros = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    zeros.write_all(&vec![0; 10_000_000]).unwrap();
    let zeros = zeros.finish().unwrap();
    let fake = Fake::new(move |_| {
        let zeros = zeros.clone();
        async move { ([("content-encoding", "gzip")], zeros) }
    });
    let endpoint = Endpoint::new(fake.url.clone(), Auth::None);
    let client = Client::with_body_cap(endpoint, patience(), 1 << 20).unwrap();
    assert!(matches!(post(&client), Err(HttpError::TooLarge { cap: 1_048_576, .. })));
}

#[test]
fn nobody_there() {
    let client = client(&Fake::nobody());
    let error = post(&client).unwrap_err();
    assert!(error.is_unreachable(), "{error}");
    assert_eq!(client.attempts(), 3);
    let shown = error.to_string().replace(client.host(), "HOST");
    assert!(shown.starts_with("can't connect to `HOST`: Connection refused"), "{shown}");
}

#[test]
fn connections_that_break() {
    let ok = b"HTTP/1.1 200 OK\r\ncontent-length: 14\r\n\r\n{\"fine\": true}";
    let half = b"HTTP/1.1 200 OK\r\ncontent-length: 14\r\n\r\n{\"fine\"";
    let garbage = b"SSH-2.0-OpenSSH\r\n\r\n";
    for broken in [vec![], vec![half.as_slice()], vec![garbage.as_slice()]] {
        let fake = Fake::raw(vec![broken.clone(), vec![ok.as_slice()]]);
        let reply = post(&client(&fake.url)).unwrap();
        assert_eq!((reply.attempts, fake.calls()), (2, 2), "{broken:?}");
        let fake = Fake::raw(vec![broken]);
        let error = post(&client(&fake.url)).unwrap_err();
        assert!(matches!(error, HttpError::Broken { .. }), "{error:?}");
        assert!(!error.is_unreachable());
        assert_eq!(fake.calls(), 3);
    }
}

#[test]
fn slow_servers() {
    let slow = |delay: u64| {
        Fake::new(move |call| async move {
            let delay = if call.number == 1 { delay } else { 0 };
            tokio::time::sleep(Duration::from_millis(delay)).await;
            OK
        })
    };
    let fake = slow(2_000);
    assert_eq!(post(&client(&fake.url)).unwrap().attempts, 2);
    assert_eq!(fake.calls(), 2);

    let fake = slow(2_000);
    let error = post(&client_with(&fake.url, Patience { attempts: 1, ..patience() })).unwrap_err();
    assert!(error.to_string().ends_with("did not answer within 0.5 s"), "{error}");

    let fake = slow(2_000);
    let total = Duration::from_millis(200);
    let start = Instant::now();
    let error = post(&client_with(&fake.url, Patience { total, ..patience() })).unwrap_err();
    assert!(error.to_string().ends_with("within 0.2 s (attempts: 1)"), "{error}");
    assert!(start.elapsed() < Duration::from_millis(450));
}

#[test]
fn probing() {
    let limit = Duration::from_millis(300);
    assert!(!probe(&Fake::nobody(), limit) && !listens(&Fake::nobody(), limit));
    let new = Fake::script(vec![answer(200, &[], r#"{"version":"0.9"}"#)]);
    assert!(probe(&new.url, limit));
    assert_eq!(new.calls(), 1);
    let old = Fake::script(vec![answer(404, &[], ""), answer(200, &[], r#"{"models":[]}"#)]);
    assert!(probe(&old.url, limit));
    let other = Fake::script(vec![answer(200, &[], "<html>hello")]);
    assert!(!probe(&other.url, limit) && listens(&other.url, limit));
    let slow = Fake::new(|_| async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        r#"{"version":"0.9"}"#
    });
    let start = Instant::now();
    assert!(!probe(&slow.url, limit));
    assert!(start.elapsed() < Duration::from_millis(600));
}

#[test]
fn tls_is_spoken_to_who_speaks_none() {
    let fake = Fake::raw(vec![vec![b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"]]);
    let mut url = fake.url.clone();
    url.set_scheme("https").unwrap();
    let error = post(&client(&url)).unwrap_err();
    assert!(error.is_unreachable(), "{error}");
}
