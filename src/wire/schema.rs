//! JSON schemas of the types of the wire, without what no client needs: each type stands where it is
//! used.

use schemars::{
    JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform,
};
use serde_json::{Map, Value, json};

use super::{Arguments, FORMS};

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
    let tokens = json!({
        "type": "integer", "minimum": 50, "maximum": most, "description": "length of the answer",
        "default": usual,
    });
    add(&mut schema, Map::from_iter([("max_tokens".to_owned(), tokens)]));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// What a tool answers. Of the keys of the whole none is required: an answer that must fit into few
/// tokens keeps what it can.
pub fn output<A: Arguments>(is_list: bool) -> Map<String, Value> {
    let settings = || SchemaSettings::draft2020_12().for_serialize();
    let mut schema = made::<A::Answer<'static>>(settings());
    if let Some(Value::Object(mut added)) = made::<Added>(settings()).remove("properties") {
        added.retain(|name, _| is_list || name != "more");
        add(&mut schema, added);
    }
    schema.remove("required");
    schema
}

/// What clients are told of an answer, for all of it sits in every context window: what its keys are
/// and what they are for, and the keys of its items.
pub fn brief(output: &Value) -> Map<String, Value> {
    fn keys(schema: &Value, depth: usize, is_described: bool) -> Map<String, Value> {
        let part = |(key, value): (&String, &Value)| {
            let brief = match (key.as_str(), value) {
                ("required" | "minimum" | "maximum" | "default", _) => return None,
                ("description", _) if !is_described => return None,
                ("properties", _) if depth == 0 => return None,
                ("properties", Value::Object(all)) => {
                    let inner = |it| Value::Object(keys(it, depth - 1, depth == 2));
                    all.iter().map(|(name, it)| (name.clone(), inner(it))).collect()
                }
                ("items", item) => Value::Object(keys(item, depth, false)),
                ("anyOf", Value::Array(all)) => {
                    all.iter().map(|it| Value::Object(keys(it, depth, false))).collect()
                }
                _ => value.clone(),
            };
            Some((key.clone(), brief))
        };
        schema.as_object().into_iter().flatten().filter_map(part).collect()
    }
    keys(output, 2, false)
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

/// Takes out how Rust calls and keeps it; that what may be left out may be null, for then it is left
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
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !required.contains(&json!(name)))
    {
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
