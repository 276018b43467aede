//! Servers at addresses: one made with the official library, and some that misbehave.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use axum::{
    Json,
    body::Body,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use elophanto_net::{
    http::fake::{Call, Fake},
    remote::Realm,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::*;

const TOKEN: &str = "token-that-nobody-else-has";

/// A server as the official library makes them: one tool that says again what it gets.
#[derive(Clone)]
struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
        let schema = Arc::new(schema.as_object().unwrap().clone());
        Ok(ListToolsResult::with_all_items(vec![rmcp::model::Tool::new("echo", "Again", schema)]))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = call.arguments.and_then(|it| Some(it.get("text")?.as_str()?.to_owned()));
        Ok(CallToolResult::success(vec![ContentBlock::text(text.unwrap_or_default())]).into())
    }
}

/// Where such a server is; it ends with the runtime.
fn official(runtime: &tokio::runtime::Runtime, config: StreamableHttpServerConfig) -> Url {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Echo), sessions, config);
    let router = axum::Router::new().route_service("/mcp", service);
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(async move { axum::serve(listener, router).await });
    Url::parse(&format!("http://{address}/mcp")).unwrap()
}

fn at(url: &Url) -> Entry {
    let at = At::Address { url: url.clone(), realm: Realm::Public, key: None };
    Entry { trusted: true, ..Entry::at("t", at) }
}

#[test]
fn one_of_the_official_library() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for config in [
        StreamableHttpServerConfig::default(),
        StreamableHttpServerConfig::default().with_json_response(true),
        StreamableHttpServerConfig::default().with_legacy_session_mode(false),
    ] {
        let url = official(&runtime, config);
        let bench = Bench::new();
        let started = bench.start(&[at(&url)]);
        assert_eq!(started.problems, [""; 0]);
        let names: Vec<_> = started.tools.iter().map(|tool| tool.spec().name.clone()).collect();
        assert_eq!(names, ["t_echo"]);
        assert!(started.tools[0].spec().is_untrusted);
        for text in ["there", "and back"] {
            assert_eq!(started.said("t_echo", text), text);
        }
        let intent = started.tools[0].intent(&json!({ "text": "x" }), &Caller::default()).unwrap();
        assert!(intent.shown.contains(url.as_str()), "{}", intent.shown);
    }
}

/// How a fake answers calls.
type Answer = fn(&Value) -> Response;

/// A server in plain HTTP: greets, offers `echo`, and answers calls as it likes.
fn fake(answer: Answer) -> Fake {
    guarded(None, answer)
}

fn said(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// The same, for who bears the token alone.
fn guarded(token: Option<&'static str>, answer: Answer) -> Fake {
    Fake::new(move |call: Call| async move {
        let bears = |headers: &HeaderMap| {
            let given = headers.get("authorization").and_then(|it| it.to_str().ok());
            token.is_none_or(|token| given == Some(&format!("Bearer {token}")))
        };
        if !bears(&call.headers) {
            return (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer scope=\"x\"")])
                .into_response();
        }
        let id = &call.body["id"];
        match call.body["method"].as_str() {
            Some("initialize") => Json(said(
                id,
                json!({
                    "protocolVersion": call.body["params"]["protocolVersion"],
                    "capabilities": { "tools": {} }, "serverInfo": { "name": "f", "version": "1" },
                }),
            ))
            .into_response(),
            Some("tools/list") => Json(said(
                id,
                json!({ "tools": [
                { "name": "echo", "description": "d", "inputSchema": { "type": "object" } },
            ] }),
            ))
            .into_response(),
            Some("tools/call") => answer(&call.body),
            Some(_) => StatusCode::ACCEPTED.into_response(),
            None => StatusCode::METHOD_NOT_ALLOWED.into_response(),
        }
    })
}

fn text(call: &Value, text: &str) -> Response {
    let result = json!({ "content": [{ "type": "text", "text": text }] });
    Json(said(&call["id"], result)).into_response()
}

fn events(pieces: Vec<Result<String, std::io::Error>>) -> Response {
    let body = Body::from_stream(futures::stream::iter(pieces));
    ([("content-type", "text/event-stream")], body).into_response()
}

/// What each does, and what is said of it; it must not take longer than a few seconds.
#[test]
fn those_that_misbehave() {
    #[track_caller]
    fn check(answer: Answer, expected: &str) {
        let fake = fake(answer);
        let bench = Bench::new();
        let started = bench.start(&[at(&fake.url)]);
        assert_eq!(started.problems, [""; 0]);
        let begun = Instant::now();
        let said = started.said("t_echo", "x").replace(fake.url.authority(), "HOST");
        assert!(said.contains(expected), "{said}");
        assert!(begun.elapsed() < Duration::from_secs(15), "{:?} {said}", begun.elapsed());
    }
    // A stream that ends before the answer, in the middle of it, and one that is torn.
    check(|_| events(vec![]), "server `t`: ");
    check(|_| events(vec![Ok("data: {\"jsonrpc\":".to_owned())]), "server `t`: ");
    check(
        |_| events(vec![Ok("data: {}\n\n".to_owned()), Err(std::io::Error::other("torn"))]),
        "server `t`: ",
    );
    // Too much, at once and piece by piece.
    check(|call| text(call, &"x".repeat(40 << 20)), "server `t`: it said too much");
    check(
        |_| events((0..64).map(|_| Ok("data: ".to_owned() + &"x".repeat(1 << 20))).collect()),
        "server `t`: it said too much",
    );
    check(
        |_| (StatusCode::INTERNAL_SERVER_ERROR, "<html>").into_response(),
        "server `t`: it answered HTTP 500",
    );
    check(|_| "plain".into_response(), "there is no server of the protocol at this address");
    check(|_| Json(json!({ "x": 1 })).into_response(), "server `t`: its answer is no message");
    check(
        |_| {
            (StatusCode::TEMPORARY_REDIRECT, [("location", "https://evil.test/mcp?a")])
                .into_response()
        },
        "server `t`: `HOST` redirects to `https://evil.test/mcp`, which is not followed",
    );
    check(
        |call| {
            let error = json!({ "code": -32602, "message": "not\u{202e} so" });
            let error = json!({ "jsonrpc": "2.0", "id": call["id"], "error": error });
            (StatusCode::BAD_REQUEST, Json(error)).into_response()
        },
        "Arguments(\"not so\")",
    );
}

/// An answer that is long but allowed is cut for the model.
#[test]
fn long_answers_are_cut() {
    let fake = fake(|call| text(call, &"x".repeat(1 << 20)));
    let started = Bench::new().start(&[at(&fake.url)]);
    assert!(started.said("t_echo", "x").len() <= Caller::default().max_output);
}

#[test]
fn those_that_are_none() {
    let nobody = Fake::nobody();
    let page = Fake::new(|_| async { ([("content-type", "text/html")], "<html>") });
    let silent = Fake::new(|_| async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        StatusCode::OK
    });
    let closed = Fake::new(|_| async { (StatusCode::FORBIDDEN, Json(json!({ "error": "no" }))) });
    let mut bench = Bench::new();
    bench.patience = Duration::from_secs(2);
    let check = |url: &Url, expected: &str| {
        let started = bench.start(&[at(url)]);
        let problems = started.problems.join("\n").replace(url.authority(), "HOST");
        assert!(problems.starts_with(&format!("server `t`: {expected}")), "{problems}");
        assert!(started.tools.is_empty() && started.want_sign_in.is_empty());
    };
    check(&nobody, "can't connect to `HOST`: ");
    check(&page.url, "there is no server of the protocol at this address");
    check(&closed.url, "it answered HTTP 403");
    check(&silent.url, "it did not say within 2 s what it offers");
    check(&Url::parse("http://mcp.example.org/mcp").unwrap(), "`HOST` is reached over http");
    check(&Url::parse("https://192.168.0.1/mcp").unwrap(), "`HOST` is not on the public internet");
}

/// A token that is renewed once.
struct Tokens {
    now: Mutex<Option<SecretString>>,
    asked: AtomicUsize,
}

impl Credentials for Tokens {
    fn bearer(&self) -> Option<SecretString> {
        self.now.lock().unwrap().clone()
    }
    fn renewed(&self, refused: &SecretString) -> Option<SecretString> {
        assert_eq!(refused.expose_secret(), "old");
        self.asked.fetch_add(1, Ordering::Relaxed);
        let new = SecretString::from(TOKEN);
        *self.now.lock().unwrap() = Some(new.clone());
        Some(new)
    }
}

#[test]
fn tokens_are_sent_renewed_and_hidden() {
    let fake = guarded(Some(TOKEN), |call| text(call, &format!("you sent {TOKEN}")));
    let mut bench = Bench::new();
    let started = bench.start(&[at(&fake.url)]);
    assert_eq!(started.problems, ["server `t`: it wants you to sign in (HTTP 401)"]);
    assert_eq!(started.want_sign_in, ["t".to_owned()].into());
    let tokens =
        Arc::new(Tokens { now: Mutex::new(Some("old".into())), asked: AtomicUsize::new(0) });
    bench.credentials.insert("t".to_owned(), tokens.clone());
    let started = bench.start(&[at(&fake.url)]);
    assert_eq!(started.problems, [""; 0]);
    assert_eq!(started.said("t_echo", "x"), "you sent [token]");
    assert_eq!(tokens.asked.load(Ordering::Relaxed), 1);
}

#[test]
fn a_token_goes_nowhere_else() {
    let elsewhere = guarded(None, |call| text(call, "caught"));
    let to = elsewhere.url.to_string();
    let fake = Fake::new(move |_| {
        let to = to.clone();
        async move { (StatusCode::PERMANENT_REDIRECT, [("location", to)]) }
    });
    let mut bench = Bench::new();
    let tokens =
        Arc::new(Tokens { now: Mutex::new(Some(TOKEN.into())), asked: AtomicUsize::new(0) });
    bench.credentials.insert("t".to_owned(), tokens);
    let started = bench.start(&[at(&fake.url)]);
    assert!(started.problems[0].contains("redirects to"), "{:?}", started.problems);
    assert_eq!(elsewhere.calls(), 0);
}
