use serde_json::json;

use super::*;
use crate::TodoState;

#[test]
fn the_list_is_shown() {
    let mut tried = Try::new(&[]);
    let items = json!([
        { "text": " look ", "state": "done" },
        { "text": "edit", "state": "doing" },
        { "text": "test", "state": "open" },
    ]);
    assert_eq!(tried.good(&TodoList, json!({ "items": items })), "1 of 3 done\n");
    let expected =
        [("look", TodoState::Done), ("edit", TodoState::Doing), ("test", TodoState::Open)];
    let expected = expected.map(|(text, state)| Todo { text: text.to_owned(), state });
    assert_eq!(tried.todo, expected);
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[]);
    let tool = TodoList;
    let one = |text: &str, state: &str| json!({ "items": [{ "text": text, "state": state }] });
    let many = vec![json!({ "text": "x", "state": "open" }); 31];
    for (arguments, words) in [
        (json!({}), "1 to 30 items"),
        (json!({ "items": many }), "1 to 30 items"),
        (one(" ", "open"), "1 to 300 bytes"),
        (one(&"x".repeat(301), "open"), "1 to 300 bytes"),
        (one("x", "never"), "open, doing or done"),
        (json!({ "items": ["x"] }), "JSON object"),
    ] {
        tried.refused(&tool, arguments, words);
    }
    assert!(tried.todo.is_empty());
}
