use serde_json::json;

use super::*;
use crate::permissions::Action;

fn tool(hits: usize) -> WebSearch {
    let ask = move |query: &str, max: usize, _: &dyn Fn() -> bool| {
        assert!(max <= 20);
        Ok(vec![
            Hit {
                title: format!("{query}\u{1b}[2J"),
                url: "https://example.org".into(),
                text: "some\ntext ".repeat(1_000),
            };
            hits
        ])
    };
    WebSearch::new(Search { host: "search.example".into(), ask: Box::new(ask) })
}

#[test]
fn hits() {
    let mut tried = Try::new(&[]);
    let arguments = json!({ "query": " otters\n sleep " });
    let intent = tried.intent(&tool(1), &arguments);
    assert_eq!(intent.action, Action::Reach { host: "search.example".into() });
    assert_eq!(intent.shown, "ask search.example for: otters sleep");
    let text = tried.good(&tool(30), json!({ "query": "otters", "max": 2 }));
    assert!(text.starts_with("1. otters[2J\n   https://example.org\n   some text"), "{text}");
    assert!(text.contains("\n2. ") && !text.contains("\n3. "));
    assert_eq!(tried.good(&tool(0), arguments), "nothing found\n");
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[]);
    for (arguments, words) in [
        (json!({}), "missing"),
        (json!({ "query": "\u{200b}" }), "empty"),
        (json!({ "query": "x".repeat(401) }), "over the limit"),
        (json!({ "query": "x", "max": 21 }), "from 1 to 20"),
    ] {
        tried.refused(&tool(1), arguments, words);
    }
}
