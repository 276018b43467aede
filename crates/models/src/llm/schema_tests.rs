//! Answers that must have a form, by tables and by properties.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    schema,
    wire_tests::{any_json, closed, form},
    *,
};

#[test]
fn objects_are_found_in_prose() {
    let check = |text: &str, expected: Result<Value, &str>| {
        assert_eq!(schema::find_object(text), expected.map_err(str::to_owned), "{text}");
    };
    let none = Err("it has no whole JSON object");
    check("{\"a\":1}", Ok(json!({ "a": 1 })));
    check("```json\n{\"a\":1}\n```", Ok(json!({ "a": 1 })));
    check(
        "As in {x}, the answer: {\"a\":{\"b\":\"}{\"}} (see [1])",
        Ok(json!({ "a": { "b": "}{" } })),
    );
    check("{\"a\":1}{\"a\":1}", Err("it has more than one JSON object"));
    check("", none.clone());
    check("[1, 2]", none.clone());
    check(
        "{\"a\":{\"b\":1}",
        Err("its JSON object is broken: EOF while parsing an object at line 1 column 12"),
    );
    check(
        "```\n{\"a\":{\"b\":1},}\n```",
        Err("its JSON object is broken: trailing comma at line 1 column 14"),
    );
    check("42", none.clone());
    check(&"{".repeat(5_000), none);
    check(&"{".repeat(50_000), Err("it has too many braces to look for JSON in it"));
}

#[test]
fn values_are_checked() {
    let check = |schema: Value, value: Value, expected: &str| {
        let found = schema::check(&schema, &value).err().unwrap_or_default();
        assert_eq!(found, expected, "{schema} {value}");
    };
    let ok = "";
    check(closed().schema, json!({ "n": 3 }), ok);
    check(closed().schema, json!({ "n": 3.0 }), ok);
    check(closed().schema, json!({ "n": 3.5 }), "/n: number instead of \"integer\"");
    check(closed().schema, json!({}), "the answer: `n` is missing");
    check(closed().schema, json!({ "n": 3, "m": 1 }), "the answer: `m` is not allowed");
    check(json!({ "type": ["string", "null"] }), Value::Null, ok);
    check(json!({ "enum": ["a", "b"] }), json!("c"), "the answer: \"c\" is none of [\"a\",\"b\"]");
    check(json!({ "const": 1 }), json!(2), "the answer: 2 instead of 1");
    let list = json!({ "type": "array", "items": { "type": "object", "required": ["x"] } });
    check(list, json!([{ "x": 1 }, {}]), "/1: `x` is missing");
    let map = json!({ "additionalProperties": { "type": "string" } });
    check(map, json!({ "a": "b", "c": 1 }), "/c: number instead of \"string\"");
    let any = json!({ "anyOf": [{ "type": "null" }, { "type": "object", "required": ["x"] }] });
    check(any.clone(), json!({ "x": 1 }), ok);
    check(
        any,
        json!({}),
        "the answer: fits none of `anyOf`, the first because the answer: object instead of \
         \"null\"",
    );
}

#[test]
fn schemas_that_cannot_be_checked_are_refused() {
    let check = |schema: Schema, expected: &str| {
        let found = schema::examine(&schema).err().map(|error| error.to_string());
        let found = found.unwrap_or_default();
        assert_eq!(found.split(": ").nth(1).unwrap_or_default(), expected);
    };
    check(closed(), "");
    check(form(json!({ "type": "array" })), "its outermost type is not `object`");
    let inner = json!({ "type": "object", "properties": { "a": { "$ref": "#/x" } } });
    check(form(inner), "`$ref` is not supported");
    let mut deep = json!({});
    for _ in 0..40 {
        deep = json!({ "type": "object", "properties": { "a": deep } });
    }
    check(form(deep), "over the cap of 32 levels");
    let (name, schema) = ("a b".to_owned(), closed().schema);
    let wrong = "its name has other characters than letters, digits, `_` and `-`, or over 64";
    check(Schema { name, schema }, wrong);
}

proptest! {
    #[test]
    fn no_text_and_no_value_is_fatal(text in ".*", value in any_json(), schema in any_json()) {
        let _ = schema::find_object(&text);
        let _ = schema::check(&schema, &value);
        let _ = schema::is_closed(&schema);
        let _ = schema::examine(&form(schema));
    }

    #[test]
    fn an_object_among_words_is_found(before in "[a-z \n`]*", n: i64, after in "[a-z \n`]*") {
        let value = json!({ "n": n });
        prop_assert_eq!(schema::find_object(&format!("{before}{value}{after}")), Ok(value));
    }
}
