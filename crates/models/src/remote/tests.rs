//! Embedders against servers that misbehave. Every test counts the calls.

use std::sync::{Arc, Mutex};

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    super::{Embedded, Embedder, Pace, Role},
    Limits, OpenAi, Provider, RemoteError, Size, Usage,
    fake::{DIMENSION, SMALL, client, honest, inputs, openai, patience, raw_vector, vector},
    resolve,
};
use elophanto_net::http::fake::{Call, Fake};

pub(super) fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

pub(super) fn embed(embedder: &dyn Embedder, texts: &[String]) -> Embedded {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    embedder.embed(&texts, Role::Document)
}

/// All of `texts` but those at `missing` have the right vector.
#[track_caller]
pub(super) fn check_vectors(embedded: &Embedded, texts: &[String], missing: &[usize]) {
    assert_eq!(embedded.vectors.len(), texts.len());
    for (index, (text, found)) in texts.iter().zip(&embedded.vectors).enumerate() {
        let expected = (!missing.contains(&index)).then(|| vector(text));
        assert_eq!(*found, expected, "{index}");
    }
}

/// Embeds `count` texts with a server that answers with `answer`: which of them have no vector, why,
/// and how many calls that took.
#[track_caller]
fn check<R: IntoResponse + 'static>(
    count: usize,
    answer: impl Fn(Call) -> R + Clone + Send + Sync + 'static,
    missing: &[usize],
    failure: Option<&str>,
    calls: usize,
) {
    let fake = Fake::new(move |call| {
        let answer = answer(call).into_response();
        async move { answer }
    });
    let embedder = openai(&fake, "some-model");
    let texts = texts(count);
    let embedded = embed(&embedder, &texts);
    check_vectors(&embedded, &texts, missing);
    let host = fake.url.authority().to_owned();
    let shown = embedded.failure.map(|failure| failure.to_string().replace(&host, "HOST"));
    let expected = failure
        .map(|failure| format!("embedding with `openai:some-model@{DIMENSION}` failed: {failure}"));
    assert_eq!(shown, expected);
    assert_eq!(fake.calls(), calls);
    let Usage { calls: counted, attempts, .. } = embedder.usage();
    assert_eq!((counted, attempts), (calls as u64, calls as u64));
}

/// An answer in which `change` has changed the list.
fn changed(call: &Call, change: impl Fn(&mut Vec<Value>)) -> Response {
    let mut answer = honest(call);
    change(answer["data"].as_array_mut().unwrap());
    axum::Json(answer).into_response()
}

pub(super) fn refuse(status: u16, message: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, axum::Json(json!({ "error": { "message": message } }))).into_response()
}

fn all(count: usize) -> Vec<usize> {
    (0..count).collect()
}

#[test]
fn everything_in_order() {
    check(20, |call| axum::Json(honest(&call)), &[], None, 3);
    check(20, |call| changed(&call, |data| data.reverse()), &[], None, 3);
    check(0, |call| axum::Json(honest(&call)), &[], None, 0);
}

#[test]
fn what_was_left_out_is_asked_for_again() {
    // The last of each answer is missing: once more alone, and there it is missing again.
    let forgetful = |call: Call| changed(&call, |data| drop(data.pop()));
    check(8, forgetful, &[7], Some("texts without a usable vector: 1"), 2);
    // Only in the first answer: two halves of what is missing.
    let once = |call: Call| {
        changed(&call, |data| if call.number == 1 { data.truncate(4) } else { data.reverse() })
    };
    check(8, once, &[], None, 3);
    check(8, |_| r#"{"data":[]}"#, &all(8), Some("texts without a usable vector: 8"), 3);
}

#[test]
fn vectors_that_are_none() {
    let spoil = |with: Value| {
        move |call: Call| {
            let place = inputs(&call).iter().position(|text| text == "text 2");
            changed(&call, |data| {
                if let Some(place) = place {
                    data[place]["embedding"] = with.clone();
                }
            })
        }
    };
    let missing = Some("texts without a usable vector: 1");
    check(4, spoil(json!(vec![0.0; DIMENSION])), &[2], missing, 2);
    check(4, spoil(json!(vec![1e300; DIMENSION])), &[2], missing, 2);
    check(4, spoil(json!([null])), &[2], missing, 2);
    check(4, spoil(json!("not base64!")), &[2], missing, 2);
    check(4, spoil(Value::Null), &[2], missing, 2);
    // Not valid JSON at all.
    let nan = r#"{"data":[{"index":0,"embedding":[NaN]}]}"#;
    let failure = "`HOST` answered 200 with damaged JSON instead of JSON";
    check(4, move |_| nan, &all(4), Some(failure), 1);
    // An index that comes twice: neither is taken, both are asked again.
    let twice = |call: Call| {
        changed(&call, |data| {
            if call.number == 1 {
                data[1]["index"] = json!(0);
            }
        })
    };
    check(4, twice, &[], None, 3);
}

#[test]
fn base64_is_read() {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let packed = |call: Call| {
        let texts = inputs(&call);
        changed(&call, |data| {
            for (item, text) in data.iter_mut().zip(&texts) {
                let floats = raw_vector(text, DIMENSION);
                let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
                item["embedding"] = json!(STANDARD.encode(bytes));
            }
        })
    };
    check(4, packed, &[], None, 1);
}

#[test]
fn a_wrong_dimension_spoils_its_batch_only() {
    let wrong = |call: Call| {
        changed(&call, |data| {
            if call.number == 2 {
                data[3]["embedding"] = json!([1, 2, 3]);
            }
        })
    };
    let missing: Vec<usize> = (8..16).collect();
    check(24, wrong, &missing, Some("vectors have 3 components instead of 64"), 3);
    // Three batches, and it is clear that this is another model.
    let always = |call: Call| changed(&call, |data| data[0]["embedding"] = json!([1]));
    check(99, always, &all(99), Some("vectors have 1 components instead of 64"), 3);
}

#[test]
fn one_guilty_text_stays_alone() {
    for status in [400, 413, 422] {
        let picky = move |call: Call| match inputs(&call).iter().any(|text| text == "text 5") {
            true => refuse(status, "too long"),
            false => axum::Json(honest(&call)).into_response(),
        };
        // 0-7; 0-3, 4-7; 4-5, 4, 5, 6-7; then 8-15.
        let failure = format!("`HOST` refuses the request ({status}): too long");
        check(16, picky, &[5], Some(&failure), 8);
    }
}

#[test]
fn a_server_that_refuses_everything_is_not_asked_for_each_text() {
    // Halves down to one text, and one word to make sure.
    let failure = "`HOST` refuses the request (400): no such model";
    check(500, |_| refuse(400, "no such model"), &all(500), Some(failure), 5);
    // A guilty text that comes first does not look like that.
    let picky = |call: Call| match inputs(&call).iter().any(|text| text == "text 0") {
        true => refuse(400, "bad"),
        false => axum::Json(honest(&call)).into_response(),
    };
    check(8, picky, &[0], Some("`HOST` refuses the request (400): bad"), 8);
}

#[test]
fn hard_failures_end_everything() {
    for (status, failure) in [
        (401, "`HOST` refuses access (401): no"),
        (402, "the account at `HOST` is out of credit (402): no"),
        (404, "`HOST` answered 404: no"),
        (429, "`HOST` limits requests: no"),
    ] {
        check(100, move |_| refuse(status, "no"), &all(100), Some(failure), 1);
    }
    // What is there stays.
    let later = |call: Call| match call.number {
        1 => axum::Json(honest(&call)).into_response(),
        _ => refuse(401, "no"),
    };
    let missing: Vec<usize> = (8..100).collect();
    check(100, later, &missing, Some("`HOST` refuses access (401): no"), 2);
    check(
        100,
        |_| "<html>",
        &all(100),
        Some("`HOST` answered 200 with a web page instead of JSON"),
        1,
    );
}

#[test]
fn passing_failures_cost_their_batch() {
    let once = |call: Call| match call.number {
        2 => refuse(500, "oh"),
        _ => axum::Json(honest(&call)).into_response(),
    };
    let missing: Vec<usize> = (8..16).collect();
    check(24, once, &missing, Some("`HOST` answered 500: oh"), 3);
    check(99, |_| refuse(503, "oh"), &all(99), Some("`HOST` answered 503: oh"), 3);
    let inside = |_| r#"{"error":{"message":"odd"}}"#;
    check(99, inside, &all(99), Some("`HOST` answered 200: odd"), 3);
    let shape = Some("the answer holds no vectors: it has no list `data`");
    check(99, |_| "{}", &all(99), shape, 3);
}

#[test]
fn nobody_there() {
    let client = elophanto_net::http::Client::new(
        elophanto_net::http::Endpoint::new(Fake::nobody(), elophanto_net::http::Auth::None),
        patience(),
    )
    .unwrap();
    let size = Size::Stored(DIMENSION);
    let embedder = OpenAi::new(client.clone(), Provider::OpenAi, "m", size, SMALL).unwrap();
    let embedded = embed(&embedder, &texts(100));
    assert!(embedded.vectors.iter().all(Option::is_none));
    let cause = embedded.failure.unwrap().cause;
    let cause = cause.downcast_ref::<RemoteError>().unwrap();
    assert!(matches!(cause, RemoteError::Http(error) if error.is_unreachable()));
    assert_eq!(client.attempts(), 1);
    // Making one that has to ask fails.
    assert!(OpenAi::new(client.clone(), Provider::OpenAi, "m", Size::Native, SMALL).is_err());
    assert!(resolve(&client, "m", None).is_err());
}

#[test]
fn answers_that_are_too_large_are_asked_for_in_parts() {
    let fake = Fake::new(|call| async move { axum::Json(honest(&call)) });
    let endpoint =
        elophanto_net::http::Endpoint::new(fake.url.clone(), elophanto_net::http::Auth::None);
    let client = elophanto_net::http::Client::with_body_cap(endpoint, patience(), 4_000).unwrap();
    let size = Size::Stored(DIMENSION);
    let embedder = OpenAi::new(client, Provider::OpenAi, "m", size, SMALL).unwrap();
    let texts = texts(8);
    let embedded = embed(&embedder, &texts);
    check_vectors(&embedded, &texts, &[]);
    assert!(embedded.failure.is_none());
    assert_eq!(fake.calls(), 7);
}

/// Paths and bodies of requests as they arrived.
pub(super) type Seen = Arc<Mutex<Vec<(String, Value)>>>;

pub(super) fn recorder() -> (Fake, Seen) {
    let seen = Seen::default();
    let log = seen.clone();
    let fake = Fake::new(move |call| {
        log.lock().unwrap().push((call.path.clone(), call.body.clone()));
        let answer = honest(&call);
        async move { axum::Json(answer) }
    });
    (fake, seen)
}

#[test]
fn requests() {
    let (fake, seen) = recorder();
    let client = client(&fake, patience());
    let new = |provider, model: &str, size| {
        OpenAi::new(client.clone(), provider, model, size, SMALL).unwrap()
    };
    let plain = new(Provider::OpenRouter, "text-embedding-3-small", Size::Native);
    assert_eq!(fake.calls(), 0, "its dimension is known");
    assert_eq!(plain.fingerprint().as_str(), "openrouter:text-embedding-3-small@1536");
    let short = new(Provider::OpenAi, "nomic-embed-text", Size::Shortened(64));
    assert_eq!(short.fingerprint().as_str(), "openai:nomic-embed-text@64+nomic");
    assert_eq!(short.pace(), Pace::Slow);
    short.embed(&["a", " \n", "b"], Role::Query);
    let embedded = short.embed(&["a", "", "b"], Role::Document);
    assert_eq!(embedded.vectors[1], Some(vec![0.0; 64]));
    assert_eq!(embedded.vectors[2], Some(vector("search_document: b")));
    assert!(short.embed(&["", " "], Role::Query).failure.is_none());
    let asked = new(Provider::OpenAi, "my/model", Size::Native);
    assert_eq!(asked.fingerprint().as_str(), "openai:my/model@64");
    let seen = seen.lock().unwrap();
    let body = |input: Value, model: &str| json!({ "model": model, "input": input, "encoding_format": "float" });
    let mut query = body(json!(["search_query: a", "search_query: b"]), "nomic-embed-text");
    query["dimensions"] = json!(64);
    let mut document = query.clone();
    document["input"] = json!(["search_document: a", "search_document: b"]);
    let path = "/embeddings".to_owned();
    let expected = [query, document, body(json!(["dimension"]), "my/model")];
    assert_eq!(*seen, expected.map(|body| (path.clone(), body)));
}

#[test]
fn long_texts_are_cut_and_counted() {
    let (fake, seen) = recorder();
    // 256 tokens.
    let embedder = openai(&fake, "all-minilm");
    let long = "é".repeat(1_000);
    let embedded = embedder.embed(&["short", &long], Role::Document);
    assert!(embedded.failure.is_none());
    assert_eq!(embedded.vectors[1], Some(vector(&"é".repeat(384))));
    assert_eq!(seen.lock().unwrap()[0].1["input"], json!(["short", "é".repeat(384)]));
    assert_eq!(embedder.usage(), Usage { calls: 1, attempts: 1, tokens: 2, cut: 1 });
}

#[test]
fn batches_run_at_once() {
    // Nobody is answered before four requests are there.
    let all = Arc::new(tokio::sync::Barrier::new(4));
    let fake = Fake::new(move |call| {
        let all = Arc::clone(&all);
        async move {
            all.wait().await;
            axum::Json(honest(&call))
        }
    });
    let limits = Limits { concurrency: 4, ..SMALL };
    let size = Size::Stored(DIMENSION);
    let embedder =
        OpenAi::new(client(&fake, patience()), Provider::OpenAi, "m", size, limits).unwrap();
    let texts = texts(64);
    check_vectors(&embed(&embedder, &texts), &texts, &[]);
    assert_eq!(embedder.usage().calls, 8);
}

#[test]
fn works_inside_asynchronous_code() {
    let fake = Fake::new(|call| async move { axum::Json(honest(&call)) });
    let embedder = openai(&fake, "m");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let embedded = runtime.block_on(async { embed(&embedder, &texts(3)) });
    check_vectors(&embedded, &texts(3), &[]);
}
