//! JSON held against a JSON schema. Pure.
//!
//! Of JSON schema it understands `type` (one or several), `properties`, `required`,
//! `additionalProperties` (true, false or a schema), `items` (one schema), `enum`, `const`, `anyOf`
//! and `oneOf`, of which it looks for no second one that fits; what else there is (`pattern`, `format`,
//! `minimum`, `maxLength`, ...) it passes over.

use serde_json::Value;

use crate::one_line::shorten;

/// Whether a value fits.
///
/// # Errors
/// With the first place where it does not, as a JSON pointer, and why.
pub fn check(schema: &Value, value: &Value) -> Result<(), String> {
    at(schema, value, &mut String::new())
}

fn at(schema: &Value, value: &Value, path: &mut String) -> Result<(), String> {
    let wrong = |path: &str, what: String| {
        Err(format!("{}: {what}", if path.is_empty() { "the answer" } else { path }))
    };
    if *schema == false {
        return wrong(path, "not allowed".to_owned());
    }
    if !fits_type(&schema["type"], value) {
        return wrong(path, format!("{} instead of {}", kind(value), schema["type"]));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        return wrong(path, format!("{} is none of {}", brief(value), schema["enum"]));
    }
    if let Some(only) = schema.get("const").filter(|only| *only != value) {
        return wrong(path, format!("{} instead of {only}", brief(value)));
    }
    for several in ["anyOf", "oneOf"] {
        let Some(any) = schema[several].as_array() else { continue };
        let mut first = None;
        let fits = any.iter().any(|one| match at(one, value, &mut path.clone()) {
            Ok(()) => true,
            Err(reason) => {
                first.get_or_insert(reason);
                false
            }
        });
        if !fits {
            let first = first.unwrap_or_else(|| "nothing is allowed".to_owned());
            return wrong(path, format!("fits none of `{several}`, the first because {first}"));
        }
    }
    let length = path.len();
    match value {
        Value::Object(fields) => {
            for name in schema["required"].as_array().into_iter().flatten() {
                let name = name.as_str().unwrap_or_default();
                if !fields.contains_key(name) {
                    return wrong(path, format!("`{name}` is missing"));
                }
            }
            for (name, value) in fields {
                let known = schema["properties"].get(name);
                let Some(part) = known.or_else(|| schema.get("additionalProperties")) else {
                    continue;
                };
                if known.is_none() && *part == false {
                    return wrong(path, format!("`{}` is not allowed", shorten(name, 60)));
                }
                path.push('/');
                path.push_str(&shorten(name, 60));
                at(part, value, path)?;
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                path.push_str(&format!("/{number}"));
                at(&schema["items"], item, path)?;
                path.truncate(length);
            }
        }
        _ => {}
    }
    Ok(())
}

fn fits_type(wanted: &Value, value: &Value) -> bool {
    match wanted {
        Value::String(wanted) => match wanted.as_str() {
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            "number" => value.is_number(),
            wanted => kind(value) == wanted,
        },
        Value::Array(any) => any.iter().any(|wanted| fits_type(wanted, value)),
        _ => true,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn brief(value: &Value) -> String {
    shorten(&value.to_string(), 60)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn values_are_checked() {
        let check = |schema: Value, value: Value, expected: &str| {
            let found = super::check(&schema, &value).err().unwrap_or_default();
            assert_eq!(found, expected, "{schema} {value}");
        };
        let ok = "";
        let closed = json!({
            "type": "object",
            "properties": { "n": { "type": "integer" } },
            "required": ["n"],
            "additionalProperties": false,
        });
        check(closed.clone(), json!({ "n": 3 }), ok);
        check(closed.clone(), json!({ "n": 3.0 }), ok);
        check(closed.clone(), json!({ "n": 3.5 }), "/n: number instead of \"integer\"");
        check(closed.clone(), json!({}), "the answer: `n` is missing");
        check(closed.clone(), json!({ "n": 3, "m": 1 }), "the answer: `m` is not allowed");
        check(json!({ "type": ["string", "null"] }), Value::Null, ok);
        check(
            json!({ "enum": ["a", "b"] }),
            json!("c"),
            "the answer: \"c\" is none of [\"a\",\"b\"]",
        );
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
        let tagged = |word: &str, field: &str| json!({ "properties": { "kind": { "const": word } }, "required": ["kind", field] });
        let one = json!({ "type": "object", "oneOf": [tagged("a", "x"), tagged("b", "y")] });
        check(one.clone(), json!({ "kind": "b", "y": 1 }), ok);
        check(
            one,
            json!({ "kind": "b", "x": 1 }),
            "the answer: fits none of `oneOf`, the first because /kind: \"b\" instead of \"a\"",
        );
    }
}
