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
        let _ = elophanto_base::schema::check(&schema, &value);
        let _ = schema::is_closed(&schema);
        let _ = schema::examine(&form(schema));
    }

    #[test]
    fn an_object_among_words_is_found(before in "[a-z \n`]*", n: i64, after in "[a-z \n`]*") {
        let value = json!({ "n": n });
        prop_assert_eq!(schema::find_object(&format!("{before}{value}{after}")), Ok(value));
    }
}
