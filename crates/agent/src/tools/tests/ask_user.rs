use serde_json::json;

use super::*;

#[test]
fn answers() {
    let mut tried = Try::new(&[]);
    let tool = AskUser;
    let arguments = json!({ "question": "Which?", "options": ["a", "b"] });
    let nobody = tried.call(&tool, arguments.clone()).unwrap();
    assert!(nobody.failed && nobody.text.contains("nobody"));
    tried.answer = Some("b\0".into());
    assert_eq!(tried.good(&tool, arguments), "the user says: b\u{2400}\n");
    assert_eq!(tried.asked[0], "Which? [\"a\", \"b\"]");
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[]);
    let tool = AskUser;
    for (arguments, words) in [
        (json!({}), "missing"),
        (json!({ "question": " " }), "1 to 4000"),
        (json!({ "question": "x", "options": [""] }), "at most 10"),
        (json!({ "question": "x", "options": vec!["x"; 11] }), "at most 10"),
        (json!({ "question": "x", "options": [1] }), "list of strings"),
    ] {
        tried.refused(&tool, arguments, words);
    }
    assert!(tried.asked.is_empty());
}
