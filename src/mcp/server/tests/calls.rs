use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Client, Seen, server, server_with, text};
use crate::mcp::server::gate::Limits;

const LATEST: &str = "2025-11-25";

async fn until(what: impl Fn() -> bool) {
    for _ in 0..1000 {
        if what() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not happen");
}

fn search(query: &str) -> Value {
    json!({"name": "search", "arguments": {"query": query}})
}

#[tokio::test]
async fn a_cancelled_call_sends_no_answer() {
    let seen = Arc::new(Seen::default());
    let (mut client, _served) = Client::start(server(&seen), LATEST).await;
    let id = client.request("tools/call", search("wait")).await;
    until(|| seen.running.load(Ordering::SeqCst) == 1).await;
    let cancel = json!({"requestId": id, "reason": "no need"});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel});
    client.send(&cancel).await;
    until(|| seen.cancelled.load(Ordering::SeqCst)).await;
    // The next message is the answer to the next request.
    let next = client.request("ping", json!({})).await;
    assert_eq!(client.message().await["id"], next);
}

#[tokio::test]
async fn a_client_that_went_away_cancels_its_calls() {
    let seen = Arc::new(Seen::default());
    let (mut client, served) = Client::start(server(&seen), LATEST).await;
    client.request("tools/call", search("wait")).await;
    until(|| seen.running.load(Ordering::SeqCst) == 1).await;
    drop(client);
    until(|| seen.cancelled.load(Ordering::SeqCst)).await;
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn answers_under_way_are_sent_after_the_input_ends() {
    let seen = Arc::new(Seen::default());
    let (mut client, served) = Client::start(server(&seen), LATEST).await;
    let id = client.request("tools/call", search("sleep")).await;
    tokio::io::AsyncWriteExt::shutdown(&mut client.write).await.unwrap();
    assert_eq!(client.message().await["id"], id);
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn progress_increases_and_is_not_hasty() {
    let seen = Arc::new(Seen::default());
    let (mut client, _served) = Client::start(server(&seen), LATEST).await;
    let mut call = search("progress");
    call["_meta"] = json!({"progressToken": "p1"});
    let began = Instant::now();
    let id = client.request("tools/call", call).await;
    let mut last = 0.0;
    let mut steps = 0;
    loop {
        let message = client.message().await;
        if message["id"] == id {
            break;
        }
        assert_eq!(message["method"], "notifications/progress");
        let params = &message["params"];
        assert_eq!((&params["progressToken"], &params["total"]), (&json!("p1"), &json!(4.0)));
        let progress = params["progress"].as_f64().unwrap();
        assert!(progress > last);
        last = progress;
        steps += 1;
    }
    let tenths = began.elapsed().as_millis() / 100 + 1;
    assert!(steps >= 2 && steps <= tenths, "{steps} steps in {tenths} tenths of a second");

    // Without a token nothing is told.
    let id = client.request("tools/call", search("progress")).await;
    assert_eq!(client.message().await["id"], id);
}

#[tokio::test]
async fn a_panic_is_an_error_of_its_call_alone() {
    let seen = Arc::new(Seen::default());
    let (mut client, _served) = Client::start(server(&seen), LATEST).await;
    let answer = client.call("search", json!({"query": "panic"})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).contains("failed unexpectedly"), "{answer}");
    let answer = client.call("search", json!({"query": "otters"})).await;
    assert_eq!(answer["result"]["isError"], false);
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let seen = Arc::new(Seen::default());
    let limits = Limits { time: Duration::from_millis(100), ..Limits::default() };
    let (mut client, _served) = Client::start(server_with(&seen, limits).0, LATEST).await;
    let answer = client.call("search", json!({"query": "wait"})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).contains("took longer"), "{answer}");
    until(|| seen.cancelled.load(Ordering::SeqCst)).await;
}

#[tokio::test]
async fn too_many_calls_are_told_that_the_server_is_busy() {
    let seen = Arc::new(Seen::default());
    let limits = Limits { running: 1, waiting: 2, ..Limits::default() };
    let (mut client, _served) = Client::start(server_with(&seen, limits).0, LATEST).await;
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(client.request("tools/call", search("sleep")).await);
    }
    let (mut busy, mut answered) = (0, 0);
    for _ in 0..4 {
        let answer = client.message().await;
        assert!(ids.contains(&answer["id"].as_u64().unwrap()));
        match answer["result"]["isError"].as_bool() {
            Some(true) => {
                assert!(text(&answer).contains("the server is busy: 2 calls wait already"));
                busy += 1;
            }
            _ => answered += 1,
        }
    }
    assert_eq!((busy, answered), (1, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_than_four_operations_run_at_once() {
    let seen = Arc::new(Seen::default());
    let (mut client, _served) = Client::start(server(&seen), LATEST).await;
    for _ in 0..40 {
        client.request("tools/call", search("sleep")).await;
    }
    for _ in 0..40 {
        assert_eq!(client.message().await["result"]["isError"], false);
    }
    let most = seen.most_running.load(Ordering::SeqCst);
    assert!((2..=4).contains(&most), "{most} at once");
}
