//! 10,000 texts through a server that is slow and fails now and then.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::{
    super::{Embedder, Role},
    Limits, OpenAi, Provider, Size,
    fake::{DIMENSION, client, honest, patience, vector},
};
use elophanto_net::http::{
    Patience,
    fake::{Call, Fake},
};

const LATENCY: Duration = Duration::from_millis(50);

/// One request of 50 fails, whichever it is, and each time in another way.
fn answer(call: &Call, seed: u64, failed: &AtomicUsize) -> Response {
    let mut answer = honest(call);
    let mut random = fastrand::Rng::with_seed(seed << 32 | call.number as u64);
    if random.u32(..50) != 0 {
        return axum::Json(answer).into_response();
    }
    match failed.fetch_add(1, Ordering::Relaxed) % 5 {
        0 => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        1 => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "0")]).into_response(),
        2 => {
            let pieces = [Ok("{\"data\":"), Err(std::io::Error::other("reset"))];
            Body::from_stream(futures::stream::iter(pieces)).into_response()
        }
        3 => axum::Json(json!({ "error": { "message": "busy", "code": 502 } })).into_response(),
        _ => {
            answer["data"].as_array_mut().unwrap().truncate(10);
            axum::Json(answer).into_response()
        }
    }
}

/// Wall time in shares of the ideal, calls, and failed calls.
fn run(batch: usize, seed: u64) -> (f64, usize, usize) {
    let failed = Arc::new(AtomicUsize::new(0));
    let failures = failed.clone();
    let fake = Fake::new(move |call| {
        let failures = failures.clone();
        async move {
            let due = tokio::time::Instant::now() + LATENCY;
            let answer = answer(&call, seed, &failures);
            tokio::time::sleep_until(due).await;
            answer
        }
    });
    let limits = Limits { batch, ..Limits::default() };
    let patience = Patience { attempts: 5, ..patience() };
    let size = Size::Stored(DIMENSION);
    let embedder =
        OpenAi::new(client(&fake, patience), Provider::OpenAi, "m", size, limits).unwrap();
    let texts: Vec<String> = (0..10_000).map(|number| format!("note number {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let start = Instant::now();
    let embedded = embedder.embed(&texts, Role::Document);
    let took = start.elapsed();
    assert!(embedded.failure.is_none(), "{:?}", embedded.failure);
    for (text, found) in texts.iter().zip(&embedded.vectors) {
        assert_eq!(found.as_deref(), Some(vector(text).as_slice()));
    }
    let failed = failed.load(Ordering::Relaxed);
    let (calls, batches) = (fake.calls(), texts.len().div_ceil(batch));
    // A failed batch is sent once more, the rest of a partial one in two parts.
    assert!((batches + failed..=batches + 2 * failed).contains(&calls), "{calls}");
    assert_eq!(embedder.usage().attempts, calls as u64);
    let ideal = LATENCY * batches.div_ceil(limits.concurrency) as u32;
    (took.as_secs_f64() / ideal.as_secs_f64(), calls, failed)
}

/// Every text gets its own vector, and what failed is asked again but not much else.
#[test]
fn failures_cost_little() {
    for batch in [96, 20] {
        run(batch, 1);
    }
}

/// On a busy machine time says little, so this is asked for by name:
/// `cargo test --release failures_take_little_time -- --ignored --nocapture`.
#[test]
#[ignore = "a figure, for an idle machine and optimised code"]
#[expect(clippy::print_stderr, reason = "the figure")]
fn failures_take_little_time() {
    for batch in [96, 20] {
        let mut shares = Vec::new();
        for seed in 1..6 {
            let (share, calls, failed) = run(batch, seed);
            eprintln!("batches of {batch}: {share:.2} of ideal, {calls} calls, {failed} failed");
            shares.push(share);
        }
        shares.sort_by(f64::total_cmp);
        let median = shares[shares.len() / 2];
        assert!(median < 1.3, "batches of {batch}: {shares:?}");
    }
}
