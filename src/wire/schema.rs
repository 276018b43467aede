//! JSON schemas of the types of the wire, without what no client needs: each type stands where it is
//! used.

use schemars::{
    JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform,
};
use serde_json::{Map, Value, json};

use super::{Arguments, FORMS};
use elophanto_base::schema::check;

/// Marks an argument that is taken and not told of.
const UNLISTED: &str = "unlisted";
/// What schemas say for ourselves: other names of an argument, what is left out first, forms.
const MARKS: [&str; 4] = ["aliases", "detail", "format", UNLISTED];

/// What the server adds to each answer.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the server adds them by their names")]
struct Added {
    /// how many are left out
    more: usize,
    /// parts were left out to fit max_tokens
    cut: bool,
    /// characters shown as <U+XXXX>
    hidden: usize,
}

/// What a tool takes. Texts of [`super::FORMS`] have their `format`.
pub fn input<A: Arguments>() -> Map<String, Value> {
    let mut schema = made::<A>(SchemaSettings::draft2020_12());
    let [usual, most] = A::TOKENS;
    let mut tokens = json!({
        "type": "integer", "minimum": 50, "maximum": most, "default": usual,
    });
    if A::IS_SHORT {
        tokens[UNLISTED] = json!(true);
    }
    add(&mut schema, Map::from_iter([("max_tokens".to_owned(), tokens)]));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// What a tool answers: all that is known of it, and of each key whether an answer always has it. Keys
/// that go first where there is little room have a `detail`, lower ones before higher ones, and are
/// not required.
pub fn output<A: Arguments>(is_list: bool) -> Map<String, Value> {
    let settings = || SchemaSettings::draft2020_12().for_serialize();
    let mut schema = made::<A::Answer<'static>>(settings());
    if let Some(Value::Object(mut added)) = made::<Added>(settings()).remove("properties") {
        added.retain(|name, _| is_list || name != "more");
        add(&mut schema, added);
    }
    schema
}

/// All that is known of what is printed as JSON, as [`output`] has it.
pub fn form<T: JsonSchema>() -> Value {
    Value::Object(made::<T>(SchemaSettings::draft2020_12().for_serialize()))
}

/// What of a JSON text is not as the schema of its type says, if anything.
pub fn misfit<T: JsonSchema>(json: &str) -> Option<String> {
    let value = serde_json::from_str(json).map_err(|cause| cause.to_string());
    value.and_then(|value| check(&form::<T>(), &value)).err()
}

/// A schema without our own marks: for whoever wants all of it.
pub fn full(schema: &Value) -> Value {
    match schema {
        Value::Object(keys) => {
            // A property may be called so too; that is a schema.
            let is_ours = |(key, value): &(&String, &Value)| {
                MARKS.contains(&key.as_str()) && !value.is_object()
            };
            let rest = keys.iter().filter(|part| !is_ours(part));
            Value::Object(rest.map(|(key, value)| (key.clone(), full(value))).collect())
        }
        Value::Array(items) => items.iter().map(full).collect(),
        other => other.clone(),
    }
}

/// What clients are told of arguments, for all of it sits in every context window: what they are
/// called, what they are for and what stands if nothing is said. Their bounds are told to whoever
/// exceeds them.
pub fn listed_input(schema: &Map<String, Value>) -> Map<String, Value> {
    let told = ["type", "enum", "items", "default", "description"];
    let brief = |argument: &Value| -> Value {
        let keys = argument.as_object().into_iter().flatten();
        let keys = keys.filter(|(key, _)| told.contains(&key.as_str()));
        let part = |(key, value): (&String, &Value)| match key.as_str() {
            "items" => (key.clone(), Value::Object(only(value, &["type", "enum"]))),
            _ => (key.clone(), value.clone()),
        };
        Value::Object(keys.map(part).collect())
    };
    let mut listed = schema.clone();
    listed.remove("additionalProperties");
    if let Some(Value::Object(arguments)) = listed.get_mut("properties") {
        arguments.retain(|_, argument| argument.get(UNLISTED).is_none());
        arguments.values_mut().for_each(|argument| *argument = brief(argument));
    }
    listed
}

/// What clients are told of an answer for the same reason: the keys that it always has.
pub fn listed_output(schema: &Value) -> Map<String, Value> {
    only(schema, &["type", "required"])
}

/// A schema with these keys alone.
fn only(schema: &Value, keys: &[&str]) -> Map<String, Value> {
    let known = keys.iter().filter_map(|key| Some(((*key).to_owned(), schema.get(key)?.clone())));
    known.collect()
}

fn add(schema: &mut Map<String, Value>, added: Map<String, Value>) {
    match schema.get_mut("properties") {
        Some(Value::Object(properties)) => properties.extend(added),
        _ => drop(schema.insert("properties".to_owned(), Value::Object(added))),
    }
}

fn made<T: JsonSchema>(mut settings: SchemaSettings) -> Map<String, Value> {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let settings = settings.with_transform(RecursiveTransform(lean));
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    schema.remove("description");
    std::mem::take(schema.ensure_object())
}

/// Takes out how Rust calls and keeps it; that what goes first is required; that what may be left out may be null, for then it is left
/// out; and what is said of each word of an enum.
fn lean(schema: &mut Schema) {
    schema.remove("title");
    let is_form = |format: &Value| FORMS.iter().any(|form| *format == form.name);
    if schema.get("format").is_some_and(|format| !is_form(format)) {
        schema.remove("format");
    }
    let words = |one: &Value| match one.get("const") {
        Some(word) => Some(vec![word.clone()]),
        None => one.get("enum")?.as_array().cloned(),
    };
    let all = schema.get("oneOf").and_then(Value::as_array);
    if let Some(all) = all.and_then(|all| all.iter().map(words).collect::<Option<Vec<_>>>()) {
        schema.remove("oneOf");
        schema.insert("enum".to_owned(), Value::Array(all.concat()));
    }
    let present = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut required = present.clone();
    let is_detail = |name: &Value| {
        name.as_str().is_some_and(|name| schema.as_value()["properties"][name]["detail"].is_u64())
    };
    required.retain(|name| !is_detail(name));
    if schema.get("required").is_some() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !present.contains(&json!(name))) {
        for key in ["type", "enum"] {
            if let Some(Value::Array(several)) = property.get_mut(key) {
                several.retain(|one| !one.is_null() && *one != "null");
            }
        }
        if let Some([only]) = property["type"].as_array().map(Vec::as_slice) {
            property["type"] = only.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_as_its_schema_says_is_told() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "of its schema alone")]
        struct Wire {
            name: String,
            number: Option<usize>,
        }
        for (json, expected) in [
            (r#"{"name": "a", "number": null}"#, None),
            (r#"{"name": "a", "number": 1}"#, None),
            (r#"{"number": 1}"#, Some("`name` is missing")),
            (r#"{"name": "a", "number": "1"}"#, Some("/number: ")),
            ("{", Some("EOF")),
        ] {
            let found = misfit::<Wire>(json);
            let is_expected = match (&found, expected) {
                (Some(found), Some(expected)) => found.contains(expected),
                (found, expected) => found.is_none() && expected.is_none(),
            };
            assert!(is_expected, "{json}: {found:?}");
        }
    }
}
