//! Ollama's own protocol against servers that misbehave. Every test counts the calls.

use std::collections::HashSet;

use axum::{http::StatusCode, response::IntoResponse};
use serde_json::{Value, json};

use super::{
    super::{Embedder, Pace, Role},
    Ollama, Size, Usage,
    fake::{DIMENSION, SMALL, client, honest, patience},
    resolve,
    tests::{check_vectors, embed, recorder, refuse, texts},
};
use elophanto_net::http::fake::Fake;

#[test]
fn ollama() {
    let (fake, seen) = recorder();
    let client = client(&fake, patience());
    let embedder = Ollama::new(client.clone(), "all-minilm:latest", Size::Native, SMALL).unwrap();
    assert_eq!(embedder.fingerprint().as_str(), "ollama:all-minilm@64");
    assert_eq!((embedder.dimension(), embedder.pace()), (DIMENSION, Pace::Slow));
    let texts = texts(10);
    let embedded = embed(&embedder, &texts);
    check_vectors(&embedded, &texts, &[]);
    assert!(embedded.failure.is_none());
    assert_eq!(embedder.usage(), Usage { calls: 2, attempts: 3, tokens: 10, cut: 0 });
    let bodies = seen.lock().unwrap();
    let first = json!({
        "model": "all-minilm", "input": ["dimension"], "truncate": true,
        "options": { "num_ctx": 256 },
    });
    assert_eq!(bodies[0], ("/api/embed".to_owned(), first));
    drop(bodies);
    Ollama::new(client, "other", Size::Stored(64), SMALL).unwrap().embed(&["a"], Role::Query);
    let bodies = seen.lock().unwrap();
    assert_eq!(bodies[3].1, json!({ "model": "other", "input": ["a"], "truncate": true }));
}

#[test]
fn ollama_without_the_model() {
    let fake = Fake::new(|_| async {
        let message = json!({ "error": "model \"m\" not found, try pulling it first" });
        (StatusCode::NOT_FOUND, axum::Json(message))
    });
    let client = client(&fake, patience());
    let expected = "the model `m` is not there: model \"m\" not found, try pulling it first";
    let error = Ollama::new(client.clone(), "m", Size::Native, SMALL).err().unwrap();
    assert_eq!(error.to_string(), expected);
    let embedder = Ollama::new(client, "m", Size::Stored(3), SMALL).unwrap();
    let embedded = embed(&embedder, &texts(99));
    assert_eq!(embedded.failure.unwrap().cause.to_string(), expected);
    assert_eq!(fake.calls(), 2);
}

#[test]
fn ollama_with_the_wrong_number_of_vectors() {
    let fake = Fake::new(|call| async move {
        let mut answer = honest(&call);
        if call.number == 1 {
            answer["embeddings"].as_array_mut().unwrap().remove(0);
        }
        axum::Json(answer)
    });
    let client = client(&fake, patience());
    let embedder = Ollama::new(client, "m", Size::Stored(DIMENSION), SMALL).unwrap();
    let texts = texts(8);
    check_vectors(&embed(&embedder, &texts), &texts, &[]);
    assert_eq!(fake.calls(), 3);
}

#[test]
fn which_model_there_is() {
    #[track_caller]
    fn check(there: &[&str], listed: bool, expected: Result<&str, &str>, calls: usize) {
        let there: HashSet<String> = there.iter().map(|&name| name.to_owned()).collect();
        let fake = Fake::new(move |call| {
            let named = call.body["model"].as_str().unwrap_or("").to_owned();
            let answer = match call.path.as_str() {
                "/api/tags" if listed => {
                    let models: Vec<Value> =
                        there.iter().map(|name| json!({ "name": name })).collect();
                    axum::Json(json!({ "models": models })).into_response()
                }
                "/api/show" if there.contains(&named) => axum::Json(json!({})).into_response(),
                _ => refuse(404, "not found"),
            };
            async move { answer }
        });
        let found = resolve(&client(&fake, patience()), "first", Some("second:1b"));
        let found = found.map_err(|error| error.to_string());
        assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned));
        assert_eq!(fake.calls(), calls);
    }
    let neither = "the model `first` is not there: the server does not have it, \
                   nor has it `second:1b`";
    check(&["first:latest", "second:1b"], true, Ok("first"), 1);
    check(&["second:1b", "first:7b"], true, Ok("second:1b"), 2);
    check(&["second:latest"], true, Err(neither), 2);
    check(&["first"], false, Ok("first"), 2);
    check(&["second:1b"], false, Ok("second:1b"), 4);
    check(&[], false, Err(neither), 4);
}
