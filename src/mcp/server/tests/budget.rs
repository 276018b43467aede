use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::mcp::server::{
    Tool,
    arguments::schemas,
    budget::{Fitted, NOTICE, structured, text},
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
    assert_eq!(text(given, is_quoted, given.len(), max, words), expected);
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
    check(&"w ".repeat(100), false, 5, "w w \n[cut: raise max_tokens]");
    check("a\nb", true, 9, "");
    check("a\nb", false, 1, "");
}

#[test]
fn items_go_before_letters() {
    let hit = |text: &str| json!({"path": "a.md", "text": text});
    let given = json!({"hits": [hit("x"), hit("y"), hit(&"z".repeat(100))], "more": 4});
    let cut = structured(given.as_object().cloned().unwrap(), &json!({}), 100, bytes);
    let expected = json!({"hits": [hit("x"), hit("y")], "more": 5, "cut": true});
    assert_eq!((Value::Object(cut.object), cut.left), (expected, 1));

    let given = json!({"lines": [1, 2], "path": "a.md", "text": "z".repeat(100)});
    let cut = structured(given.as_object().cloned().unwrap(), &json!({}), 60, bytes).object;
    assert_eq!(cut["lines"], json!([1, 2]));
    assert_eq!(cut["path"], "a.md");
    assert_eq!(serde_json::to_string(&cut).unwrap().len(), 60);
}

/// What is required stays, whatever else goes: details first, then the ends of long texts, then items.
#[test]
fn details_go_before_items() {
    let form = json!({
        "type": "object", "required": ["hits"], "properties": {"hits": {"type": "array", "items": {
            "type": "object", "required": ["path", "text"], "properties": {
                "path": {"type": "string"}, "text": {"type": "string"},
                "score": {"type": "number", "detail": 1}, "title": {"type": "string", "detail": 2},
            },
        }}},
    });
    let hit = |text: &str| json!({"path": "a.md", "text": text, "score": 0.5, "title": "A"});
    let given = json!({"hits": [hit("x"), hit(&"y".repeat(2_000))]});
    let cut = |max| structured(given.as_object().cloned().unwrap(), &form, max, bytes);
    let keys = |max| {
        let Value::Array(hits) = &cut(max).object["hits"] else { panic!("no list") };
        let texts: Vec<usize> =
            hits.iter().map(|hit| hit["text"].as_str().unwrap().chars().count()).collect();
        let keys = hits.first().map(|hit| hit.as_object().unwrap().keys().cloned().collect());
        let keys: Vec<String> = keys.unwrap_or_default();
        (keys.join(" "), texts, cut(max).left)
    };
    assert_eq!(keys(3_000), ("path text score title".to_owned(), vec![1, 2_000], 0));
    assert_eq!(keys(2_105), ("path text title".to_owned(), vec![1, 2_000], 0));
    assert_eq!(keys(2_075), ("path text".to_owned(), vec![1, 2_000], 0));
    assert_eq!(keys(1_100), ("path text".to_owned(), vec![1, 1_000], 0));
    assert_eq!(keys(300), ("path text".to_owned(), vec![1, 160], 0));
    assert_eq!(keys(100), ("path text".to_owned(), vec![1], 1));
    let none = json!({"hits": [], "cut": true, "more": 2});
    assert_eq!((Value::Object(cut(40).object), cut(40).left), (none, 2));
    // The last thing to go is the first item.
    let one = json!({"hits": [{"path": "a.md", "text": "x"}], "cut": true});
    assert_eq!((Value::Object(cut(50).object), cut(50).left), (one, 1));
}

/// Values of the form of a tool's output, with hostile texts.
fn answer() -> impl Strategy<Value = (Tool, Value)> {
    let text = prop_oneof![any::<String>(), "[a-z \n\"\\\\]{0,400}", "(word ){0,300}"];
    let items = proptest::collection::vec(text.clone(), 0..30);
    (0..Tool::ALL.len(), items, text.clone(), text).prop_map(|(tool, items, a, b)| {
        let tool = Tool::ALL[tool];
        let mut value = super::example(tool, &a);
        if let Some(name) = tool.items() {
            let item = |text: &String| super::example(tool, text)[name][0].take();
            value[name] = items.iter().map(item).collect();
        } else {
            value["path"] = json!(b);
        }
        (tool, value)
    })
}

proptest! {
    #[test]
    fn no_answer_exceeds_its_budget((tool, value) in answer(), max in 100..900usize, quoted: bool) {
        let form = &schemas(tool).output;
        prop_assert_eq!(fits(form, &value), Ok(()));
        let given: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
        let long = serde_json::to_string_pretty(&value).unwrap_or_default();
        for count in [bytes, words, super::count] {
            let Fitted { object: cut, .. } = structured(given.clone(), form, max, count);
            let json = serde_json::to_string(&cut).unwrap_or_default();
            prop_assert!(count(&json) <= max, "{} > {max}: {json}", count(&json));
            let fault = fits(form, &Value::Object(cut.clone()));
            prop_assert!(fault.is_ok(), "{fault:?}");
            prop_assert!(cut == given || cut.get("cut") == Some(&json!(true)));

            let shown = text(&long, quoted, long.len(), max, count);
            prop_assert!(count(&shown) <= max);
            let whole = shown.ends_with(&long);
            let told = shown.lines().last().is_some_and(|line| line.starts_with("[cut: "));
            prop_assert!(whole || told || shown.is_empty());
        }
    }
}
