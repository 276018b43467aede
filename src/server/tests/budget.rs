use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::server::{
    Tool,
    budget::{NOTICE, structured, text},
    output::schema,
};
use elophanto_base::schema::check as fits;

fn bytes(text: &str) -> usize {
    text.len()
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[track_caller]
fn check(given: &str, is_quoted: bool, max: usize, expected: &str) {
    assert_eq!(text(given, is_quoted, max, words), expected);
}

#[test]
fn texts_are_cut_at_line_ends() {
    let cut = |left| {
        let lines = elophanto_base::counted::counted(left, "more line");
        format!("[cut: {lines}; ask for less or raise max_tokens]")
    };
    check("", true, 50, NOTICE);
    check("one two", false, 2, "one two");
    check("one\ntwo\n", true, 50, &format!("{NOTICE}\none\ntwo\n"));
    check("a b c d\ne f g h\ni j\nk l m n o p", false, 14, &format!("a b c d\n{}", cut(3)));
    check(&"w ".repeat(100), false, 12, &format!("w w \n{}", cut(1)));
    check("a\nb", true, 9, "");
    check("a\nb", false, 1, "");
}

#[test]
fn items_go_before_letters() {
    let hit = |text: &str| json!({"path": "a.md", "text": text});
    let given = json!({"hits": [hit("x"), hit("y"), hit(&"z".repeat(100))], "more": 4});
    let cut = structured(given.as_object().cloned().unwrap(), 100, bytes);
    let expected = json!({"hits": [hit("x"), hit("y")], "more": 5, "cut": true});
    assert_eq!(Value::Object(cut), expected);

    let given = json!({"lines": [1, 2], "path": "a.md", "text": "z".repeat(100)});
    let cut = structured(given.as_object().cloned().unwrap(), 60, bytes);
    assert_eq!(cut["lines"], json!([1, 2]));
    assert_eq!(cut["path"], "a.md");
    assert_eq!(serde_json::to_string(&cut).unwrap().len(), 60);
}

/// Values of the form of a tool's output, with hostile texts.
fn answer() -> impl Strategy<Value = (Tool, Value)> {
    let text = prop_oneof![any::<String>(), "[a-z \n\"\\\\]{0,400}", "(word ){0,300}"];
    let hit = (text.clone(), text.clone(), 0..1000u32).prop_map(|(path, text, line)| {
        json!({"path": path, "line": line, "kind": "note", "text": text, "score": 0.25, "id": path})
    });
    let items = proptest::collection::vec(hit, 0..30);
    (0..Tool::ALL.len(), items, text.clone(), text).prop_map(|(tool, items, a, b)| {
        let tool = Tool::ALL[tool];
        let value = match tool.items() {
            Some(name) => {
                let items: Vec<Value> = items
                    .into_iter()
                    .map(|mut item| {
                        item["lesson"] = item["text"].clone();
                        item["timestamp"] = json!("2026-01-02T03:04:05Z");
                        item
                    })
                    .collect();
                json!({name: items})
            }
            None if tool == Tool::Status => {
                json!({"views": items, "note": a, "other": {"deep": [b]}})
            }
            None => json!({"path": a, "text": b, "hash": "0", "lines": [1, 2], "truncated": false}),
        };
        (tool, value)
    })
}

proptest! {
    #[test]
    fn no_answer_exceeds_its_budget((tool, value) in answer(), max in 20..900usize, quoted: bool) {
        prop_assert!(fits(&Value::Object(schema(tool)), &value).is_ok());
        let given: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
        let long = serde_json::to_string_pretty(&value).unwrap_or_default();
        for count in [bytes, words, super::count] {
            let cut = structured(given.clone(), max, count);
            let json = serde_json::to_string(&cut).unwrap_or_default();
            prop_assert!(count(&json) <= max, "{} > {max}: {json}", count(&json));
            let fault = fits(&Value::Object(schema(tool)), &Value::Object(cut.clone()));
            prop_assert!(fault.is_ok(), "{fault:?}");
            prop_assert!(cut == given || cut.get("cut") == Some(&json!(true)));

            let shown = text(&long, quoted, max, count);
            prop_assert!(count(&shown) <= max);
            let whole = shown.ends_with(&long);
            let told = shown.lines().last().is_some_and(|line| line.starts_with("[cut: "));
            prop_assert!(whole || told || shown.is_empty());
        }
    }
}
