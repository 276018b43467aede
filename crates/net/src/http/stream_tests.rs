//! Streams from servers that misbehave.

use std::{ops::ControlFlow, time::Duration};

use serde_json::json;

use super::{
    Client, HttpError, Patience, StreamEnd, StreamItem, block_on,
    fake::{Fake, answer},
    tests::{client, client_with, patience},
};

/// Items as `event|data`.
fn stream(client: &Client, most: usize) -> (Vec<String>, Result<StreamEnd, HttpError>) {
    let mut items = Vec::new();
    let mut on_item = |StreamItem { event, data }: StreamItem| {
        items.push(format!("{event}|{data}"));
        if items.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let on_item: &mut dyn FnMut(StreamItem) -> ControlFlow<()> = &mut on_item;
    let end = block_on(client.post_stream("/x", &json!({}), on_item));
    (items, end)
}

const EVENTS: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

#[test]
fn streams() {
    let fake = Fake::raw(vec![
        vec![],
        vec![EVENTS],
        vec![
            EVENTS,
            b": hi\n\ndata: caf\xc3",
            b"\xa9\r",
            b"\n\r\nevent: end\ndata: [DO",
            b"NE]\n\n",
        ],
    ]);
    let (items, end) = stream(&client(&fake.url), 9);
    let end = end.unwrap();
    assert_eq!(items, ["|café"]);
    assert_eq!((end.done, end.stopped, end.attempts), (true, false, 3));

    let fake = Fake::script(vec![answer(
        200,
        &[("content-type", "application/x-ndjson")],
        "{\"a\":1}\n{\"b\":2}\n{\"c\":3}",
    )]);
    let (items, end) = stream(&client(&fake.url), 9);
    assert_eq!(items, ["|{\"a\":1}", "|{\"b\":2}", "|{\"c\":3}"]);
    assert!(!end.unwrap().done);
    let (items, end) = stream(&client(&fake.url), 2);
    assert_eq!(items.len(), 2);
    assert!(end.unwrap().stopped);
}

#[test]
fn streams_that_fail() {
    // Before anything was said: again. After: as it is.
    let fake = Fake::script(vec![answer(503, &[("retry-after", "0")], ""), answer(429, &[], "x")]);
    let (_, end) = stream(&client_with(&fake.url, Patience { attempts: 2, ..patience() }), 9);
    assert!(matches!(end, Err(HttpError::RateLimited { .. })));
    assert_eq!(fake.calls(), 2);

    let chunked = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
        transfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n";
    let fake = Fake::raw(vec![vec![chunked]]);
    let (items, end) = stream(&client(&fake.url), 9);
    assert!(matches!(end, Err(HttpError::Broken { .. })), "{end:?}");
    assert_eq!((items.len(), fake.calls()), (1, 1));
}

#[test]
fn streams_that_fall_silent_or_never_end() {
    use futures::StreamExt;
    let fake = |pause: u64| {
        Fake::new(move |_| async move {
            let beats = futures::stream::unfold(0, move |beat| async move {
                if beat > 0 {
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                }
                Some((format!("data: {beat}\n\n"), beat + 1))
            });
            axum::body::Body::from_stream(beats.map(Ok::<_, std::io::Error>))
        })
    };
    let silent = fake(3_000);
    let (items, end) = stream(&client(&silent.url), 9);
    assert_eq!(items, ["|0"]);
    assert!(end.unwrap_err().to_string().ends_with("did not answer within 0.3 s"));
    assert_eq!(silent.calls(), 1);
    let endless = fake(20);
    let total = Duration::from_millis(200);
    let (items, end) = stream(&client_with(&endless.url, Patience { total, ..patience() }), 999);
    assert!(matches!(end, Err(HttpError::Deadline { .. })), "{end:?}");
    assert!(items.len() > 3);
}

#[test]
fn streams_that_are_none() {
    let json = &[("content-type", "application/json; charset=utf-8")];
    let overloaded = r#"{"error":{"message":"x","code":529}}"#;
    let fake = Fake::script(vec![answer(200, json, overloaded), answer(200, json, "{ \"a\":\n1}")]);
    let (items, end) = stream(&client(&fake.url), 9);
    assert_eq!(items, ["|{\"a\":1}"]);
    assert_eq!(end.unwrap().attempts, 2);
    let fake = Fake::script(vec![answer(200, &[("content-type", "text/html")], "<html>")]);
    let (items, end) = stream(&client(&fake.url), 9);
    assert!(matches!(end, Err(HttpError::NoJson { .. })) && items.is_empty());
}
