use serde_json::json;

use super::*;

#[test]
fn answers() {
    let mut tried = Try::new(&[]);
    let tool = LlmCall;
    tried.refused(&tool, json!({ "prompt": "x" }), "no model");
    tried.answer = Some("a long answer ".repeat(10_000));
    let text = tried.good(&tool, json!({ "prompt": "p", "system": "s", "task": "review" }));
    assert!(text.contains("bytes left out"));
    assert_eq!(tried.asked, ["simple||x", "review|s|p"]);
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[]);
    let tool = LlmCall;
    for (arguments, words) in [
        (json!({}), "missing"),
        (json!({ "prompt": "" }), "1 to 200000"),
        (json!({ "prompt": "x".repeat(200_001) }), "1 to 200000"),
        (json!({ "prompt": "x", "task": "../x" }), "a word such as"),
    ] {
        tried.refused(&tool, arguments, words);
    }
}
