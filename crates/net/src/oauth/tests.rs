//! A server and who signs people in for it, both on this machine: as they should be, and not.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};

use super::*;
use crate::{
    http::{block_on, fake::Fake},
    remote::{Realm, RemoteError},
};

/// What was posted, form fields as one string.
type Posted = Arc<Mutex<Vec<(String, String)>>>;

struct Bench {
    fake: Fake,
    posted: Posted,
}

/// What the fake says of itself, `BASE` in it is its address; and what its tokens are.
#[derive(Clone)]
struct Says {
    resource: Option<Value>,
    issuer: Option<Value>,
    register: (u16, Value),
    token: (u16, Value),
}

impl Default for Says {
    fn default() -> Self {
        Self {
            resource: Some(json!({
                "resource": "BASE/mcp", "authorization_servers": ["BASE/as"],
                "scopes_supported": ["read", "write"],
            })),
            issuer: Some(json!({
                "issuer": "BASE/as", "authorization_endpoint": "BASE/as/authorize?brand=1",
                "token_endpoint": "BASE/as/token", "registration_endpoint": "BASE/as/register",
                "code_challenge_methods_supported": ["plain", "S256"],
            })),
            register: (201, json!({ "client_id": "c-1" })),
            token: (
                200,
                json!({
                    "access_token": "access-1", "token_type": "bearer", "expires_in": 3600,
                    "refresh_token": "refresh-1",
                }),
            ),
        }
    }
}

impl Bench {
    fn new(says: Says) -> Self {
        let posted = Posted::default();
        let kept = posted.clone();
        let fake = Fake::new(move |call| {
            let (says, kept) = (says.clone(), kept.clone());
            async move {
                let host = call.headers.get("host").and_then(|it| it.to_str().ok()).unwrap();
                let base = format!("http://{host}");
                let path = call.path.trim_start_matches(&base).to_owned();
                let form = call
                    .headers
                    .get("authorization")
                    .map_or_else(String::new, |it| format!("{} ", it.to_str().unwrap()));
                kept.lock().unwrap().push((path.clone(), form + &call.body.to_string()));
                let json = |status: u16, value: &Value| -> Response {
                    let text = value.to_string().replace("BASE", &base);
                    let value: Value = serde_json::from_str(&text).unwrap();
                    (StatusCode::from_u16(status).unwrap(), Json(value)).into_response()
                };
                let described = |value: &Option<Value>| match value {
                    Some(value) => json(200, value),
                    None => StatusCode::NOT_FOUND.into_response(),
                };
                match path.as_str() {
                    "/.well-known/oauth-protected-resource/mcp" => described(&says.resource),
                    "/.well-known/oauth-authorization-server/as"
                    | "/.well-known/oauth-authorization-server" => described(&says.issuer),
                    "/as/register" => json(says.register.0, &says.register.1),
                    "/as/token" => json(says.token.0, &says.token.1),
                    _ => (StatusCode::NOT_FOUND, "<html>not here</html>").into_response(),
                }
            }
        });
        Self { fake, posted }
    }

    fn remote(&self) -> Remote {
        Remote::new(&self.fake.url.join("/mcp").unwrap(), Realm::Public).unwrap()
    }

    fn begin(&self, challenge: &Challenge, client: Option<&str>) -> Result<Begun, OauthError> {
        let redirect = Url::parse("http://127.0.0.1:9/callback").unwrap();
        block_on(begin(&self.remote(), challenge, client, &redirect))
    }

    /// The whole way, with an answer as a browser would bring it.
    fn granted(&self) -> Result<Grant, OauthError> {
        let begun = self.begin(&Challenge::default(), None)?;
        let answer = Answer {
            code: Some("code-1".into()),
            state: Some(begun.state.clone()),
            error: None,
            issuer: None,
        };
        block_on(begun.finish(answer))
    }
}

fn fields(url: &Url) -> Vec<(String, String)> {
    url.query_pairs().into_owned().collect()
}

#[test]
fn the_whole_way() {
    let bench = Bench::new(Says::default());
    let base = bench.fake.url.as_str().trim_end_matches('/').to_owned();
    let begun = bench.begin(&Challenge::default(), None).unwrap();
    assert!(begun.address.as_str().starts_with(&format!("{base}/as/authorize?brand=1&")));
    let asked = fields(&begun.address);
    let of = |name: &str| asked.iter().find(|(it, _)| it == name).map_or("", |(_, it)| it);
    assert_eq!(
        [of("response_type"), of("client_id"), of("scope"), of("code_challenge_method")],
        ["code", "c-1", "read write", "S256"]
    );
    assert_eq!(of("resource"), format!("{base}/mcp"));
    let digest = Sha256::digest(begun.verifier.expose_secret().as_bytes());
    assert_eq!(of("code_challenge"), URL_SAFE_NO_PAD.encode(digest));
    assert!(!begun.address.as_str().contains(begun.verifier.expose_secret()));
    let grant = bench.granted().unwrap();
    assert_eq!(grant.bearer().expose_secret(), "access-1");
    assert!(!grant.is_stale());
    // It is for this server alone, and says nothing of itself.
    let secret = grant.to_secret();
    let server = bench.remote().address().clone();
    assert!(Grant::read(&secret, &server).is_some());
    assert!(Grant::read(&secret, &Url::parse("https://evil.test/mcp").unwrap()).is_none());
    assert!(Grant::read(&SecretString::from("{}"), &server).is_none());
    assert!(!format!("{grant:?}").contains("access-1"));
    block_on(grant.renewed(&bench.remote())).unwrap();
    let posted = bench.posted.lock().unwrap().clone();
    let (_, last) = posted.last().unwrap();
    for field in ["grant_type=refresh_token", "refresh_token=refresh-1", "client_id=c-1"] {
        assert!(last.contains(field), "{last}");
    }
}

#[test]
fn what_a_challenge_says_comes_first() {
    let bench = Bench::new(Says::default());
    let place = bench.fake.url.join("/.well-known/oauth-protected-resource/mcp").unwrap();
    let challenge = Challenge { metadata: Some(place.to_string()), scope: Some("admin".into()) };
    let begun = bench.begin(&challenge, Some("known")).unwrap();
    let asked = fields(&begun.address);
    assert!(asked.contains(&("scope".to_owned(), "admin".to_owned())));
    assert!(asked.contains(&("client_id".to_owned(), "known".to_owned())));
    let posted = bench.posted.lock().unwrap().clone();
    assert!(posted.iter().all(|(path, _)| path != "/as/register"), "{posted:?}");
    drop(posted);
    let elsewhere = Challenge { metadata: Some("https://evil.test/x".into()), scope: None };
    let error = bench.begin(&elsewhere, None).err().unwrap();
    assert!(matches!(error, OauthError::Odd { why: "it describes itself at another host", .. }));
}

/// What is wrong with each, and the error.
#[test]
fn what_does_not_hold_together() {
    #[track_caller]
    fn check(edit: impl FnOnce(&mut Says), expected: &str) {
        let mut says = Says::default();
        edit(&mut says);
        let bench = Bench::new(says);
        let host = bench.remote().host().to_owned();
        let error = bench.granted().expect_err("that is not to be believed").to_string();
        assert_eq!(error.replace(&host, "HOST"), expected);
    }
    fn set(value: &mut Option<Value>, key: &str, to: Value) {
        value.as_mut().unwrap()[key] = to;
    }
    let odd = |why: &str| format!("what `HOST` says of signing in is not to be trusted: {why}");
    check(
        |it| set(&mut it.resource, "resource", json!("https://other.test/mcp")),
        &odd("it describes another server"),
    );
    check(
        |it| set(&mut it.resource, "resource", json!("BASE/mc")),
        &odd("it describes another server"),
    );
    check(
        |it| set(&mut it.resource, "authorization_servers", json!([])),
        "`HOST` does not say how to sign in: it names nobody who signs people in",
    );
    check(
        |it| set(&mut it.issuer, "issuer", json!("BASE/x")),
        &odd("it calls itself something else"),
    );
    check(
        |it| set(&mut it.issuer, "code_challenge_methods_supported", json!(["plain"])),
        &odd("it does not protect codes (PKCE with S256)"),
    );
    check(
        |it| set(&mut it.issuer, "token_endpoint", json!("http://evil.test/token")),
        "`evil.test` is reached over http, which would show what is sent to everybody on the way",
    );
    check(
        |it| set(&mut it.issuer, "authorization_endpoint", json!("javascript:alert(1)")),
        "this is no address of a server: its address begins with neither https:// nor http://",
    );
    check(
        |it| set(&mut it.issuer, "registration_endpoint", Value::Null),
        "`HOST` knows only programs that were registered there beforehand",
    );
    check(
        |it| it.register = (400, json!({ "error": "no", "error_description": "go\u{1b} away" })),
        "`HOST` answered 400: go  away",
    );
    check(
        |it| it.register = (201, json!({})),
        "`HOST` does not say how to sign in: it gives this program no name",
    );
    check(
        |it| it.token = (400, json!({ "error": "invalid_grant" })),
        &OauthError::Ended.to_string(),
    );
    check(
        |it| it.token = (200, json!({ "access_token": "a", "token_type": "mac" })),
        &odd("its tokens are of an unknown kind"),
    );
    check(
        |it| it.token = (200, json!({ "access_token": "a\r\nb", "token_type": "Bearer" })),
        &odd("it gives no token"),
    );
    check(
        |it| it.token = (200, json!({ "x": "y".repeat(2 << 20) })),
        "the answer of `HOST` is larger than 1 MiB",
    );
    check(
        |it| it.issuer = None,
        "`HOST` does not say how to sign in: it has no description of itself",
    );
}

#[test]
fn a_server_that_says_nothing_is_its_own_issuer() {
    let mut says = Says { resource: None, ..Says::default() };
    says.issuer.as_mut().unwrap()["issuer"] = json!("BASE");
    says.issuer.as_mut().unwrap()["authorization_endpoint"] = json!("BASE/as/authorize");
    let bench = Bench::new(says);
    let grant = bench.granted().unwrap();
    assert_eq!(grant.bearer().expose_secret(), "access-1");
}

#[test]
fn answers_of_others_are_not_taken() {
    let mut says = Says::default();
    says.issuer.as_mut().unwrap()["authorization_response_iss_parameter_supported"] = json!(true);
    let bench = Bench::new(says);
    let issuer = format!("{}as", bench.fake.url);
    let finish = |state: Option<&str>, issuer: Option<&str>, error: Option<&str>| {
        let begun = bench.begin(&Challenge::default(), None).unwrap();
        let state = state.map_or_else(|| begun.state.clone(), str::to_owned);
        let answer = Answer {
            code: Some("code".into()),
            state: Some(state),
            error: error.map(str::to_owned),
            issuer: issuer.map(str::to_owned),
        };
        block_on(begun.finish(answer)).map(|_| ())
    };
    assert_eq!(finish(None, Some(&issuer), None), Ok(()));
    assert_eq!(finish(Some("other"), Some(&issuer), None), Err(OauthError::Foreign));
    assert_eq!(finish(None, None, None), Err(OauthError::Foreign));
    assert_eq!(finish(None, Some("https://evil.test"), None), Err(OauthError::Foreign));
    let said = "access_denied".to_owned();
    assert_eq!(finish(None, Some(&issuer), Some(&said)), Err(OauthError::Refused { said }));
}

#[test]
fn secrets_of_a_program_go_where_they_are_wanted() {
    // A header holds what a form would: `c+1:s%3A2`.
    let header = "Basic YysxOnMlM0Ey ";
    for (way, header, form) in [
        ("client_secret_basic", header, ""),
        ("client_secret_post", "", "&client_id=c+1&client_secret=s%3A2"),
    ] {
        let register = json!({
            "client_id": "c 1", "client_secret": "s:2", "token_endpoint_auth_method": way,
        });
        let bench = Bench::new(Says { register: (201, register), ..Says::default() });
        bench.granted().unwrap();
        let posted = bench.posted.lock().unwrap().clone();
        let (_, token) = posted.iter().find(|(path, _)| path == "/as/token").unwrap();
        assert!(token.starts_with(&format!("{header}\"grant_type=authorization_code&")), "{token}");
        assert!(token.trim_end_matches('"').ends_with(form), "{token}");
        assert_eq!(token.contains("client_secret="), !form.is_empty(), "{token}");
    }
}

#[test]
fn one_browser_is_heard() {
    let listener = Listener::open().unwrap();
    let port = listener.address().port().unwrap();
    let get = move |(host, target): (String, &str)| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut said = String::new();
        let _ = stream.read_to_string(&mut said);
        said.lines().next().unwrap_or_default().to_owned()
    };
    let (own, right) = (move || format!("127.0.0.1:{port}"), "/callback?code=x&state=right");
    let browser = std::thread::spawn(move || {
        [
            (own(), "/favicon.ico"),
            (own(), "/callback?code=x&state=wrong"),
            // A name of somebody else's that leads here.
            (format!("evil.test:{port}"), right),
            (format!("localhost:{port}"), right),
            (own(), right),
        ]
        .map(get)
    });
    let answer = listener
        .wait(Duration::from_secs(20), |answer| answer.state.as_deref() == Some("right"))
        .unwrap();
    assert_eq!(answer.state.as_deref(), Some("right"));
    assert_eq!(
        browser.join().unwrap(),
        [
            "HTTP/1.1 404 Not Found",
            "HTTP/1.1 404 Not Found",
            "HTTP/1.1 421 Misdirected Request",
            "HTTP/1.1 421 Misdirected Request",
            "HTTP/1.1 200 OK"
        ]
    );
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "it listens no longer");
    let nobody = Listener::open().unwrap().wait(Duration::from_millis(1), |_| true);
    assert!(matches!(nobody, Err(OauthError::Nobody { .. })));
}

#[test]
fn a_page_of_a_public_server_leads_nowhere_near() {
    let remote =
        Remote::new(&Url::parse("https://mcp.example.org/").unwrap(), Realm::Public).unwrap();
    let here = Url::parse("http://127.0.0.1:1/token").unwrap();
    assert_eq!(
        remote.beside(&here).unwrap_err(),
        RemoteError::Private { host: "127.0.0.1:1".to_owned() }
    );
}
