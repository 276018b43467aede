//! What is committed of the protocol says what the program does: schemas, and types of TypeScript.

use std::{collections::BTreeMap, fs, path::Path};

use elophanto::wire::gateway::schemas;
use serde_json::Value;

/// Holds a committed file against what it is to be; `ELOPHANTO_WRITE_ASSETS=1` writes it.
fn held(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/gateway").join(name);
    if std::env::var_os("ELOPHANTO_WRITE_ASSETS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "`{}` is not what the types say now", path.display());
}

#[test]
fn schemas_are_those_of_the_types() {
    for (name, schema) in ["client", "gateway"].into_iter().zip(schemas()) {
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        held(&format!("{name}.schema.json"), &text);
    }
}

#[test]
fn typescript_says_the_same() {
    let mut named = BTreeMap::new();
    for (name, schema) in ["ToGateway", "FromGateway"].into_iter().zip(schemas()) {
        let all = schema["$defs"].as_object().into_iter().flatten();
        let parts = all.map(|(name, part)| (name.as_str(), part)).chain([(name, &schema)]);
        for (name, part) in parts {
            let declared = declaration(name, part);
            let before = named.insert(name.to_owned(), declared.clone());
            assert!(before.is_none_or(|before| before == declared), "two types are called {name}");
        }
    }
    let declarations: String = named.into_values().collect();
    held(
        "messages.d.ts",
        &format!("// Messages of the gateway, made of their schemas.\n{declarations}"),
    );
}

fn declaration(name: &str, schema: &Value) -> String {
    let about = comment(schema, "");
    format!("\n{about}export type {name} = {};\n", typed(schema, ""))
}

fn comment(schema: &Value, indent: &str) -> String {
    let text = schema["description"].as_str().map(|text| text.replace('\n', " "));
    text.map_or(String::new(), |text| format!("{indent}/** {text} */\n"))
}

/// A schema as a type. What only a checker of JSON knows (formats, bounds) is left out.
fn typed(schema: &Value, indent: &str) -> String {
    let all = |key: &str| schema[key].as_array().map(|all| all.iter());
    let union = |all: Vec<String>| match all.as_slice() {
        [one] => one.clone(),
        _ => format!("({})", all.join(" | ")),
    };
    let mut parts: Vec<String> = Vec::new();
    if let Some(reference) = schema["$ref"].as_str() {
        parts.extend(reference.rsplit('/').next().map(str::to_owned));
    }
    if let Some(literal) = schema.get("const") {
        parts.push(literal.to_string());
    } else if let Some(words) = all("enum") {
        parts.push(union(words.map(Value::to_string).collect()));
    } else if let Some(properties) = schema["properties"].as_object() {
        parts.push(object(schema, properties, indent));
    } else {
        let one = |kind: &Value| match kind.as_str() {
            Some("array") => format!("{}[]", typed(&schema["items"], indent)),
            Some("integer") => "number".to_owned(),
            Some(kind @ ("string" | "number" | "boolean" | "null")) => kind.to_owned(),
            _ => "unknown".to_owned(),
        };
        match &schema["type"] {
            Value::Null => {}
            // What several kinds of it say stands below.
            Value::String(kind) if kind == "object" && schema.get("oneOf").is_some() => {}
            Value::Array(kinds) => parts.push(union(kinds.iter().map(one).collect())),
            kind => parts.push(one(kind)),
        }
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(all) = all(key) {
            parts.push(union(all.map(|one| typed(one, indent)).collect()));
        }
    }
    parts.extend(all("allOf").into_iter().flatten().map(|one| typed(one, indent)));
    if parts.is_empty() { "unknown".to_owned() } else { parts.join(" & ") }
}

fn object(schema: &Value, properties: &serde_json::Map<String, Value>, indent: &str) -> String {
    let inner = format!("{indent}  ");
    let required = schema["required"].as_array();
    let line = |(name, property): (&String, &Value)| {
        let is_needed = required.is_some_and(|all| all.iter().any(|one| one == name));
        let mark = if is_needed { "" } else { "?" };
        let about = comment(property, &inner);
        format!("{about}{inner}{name}{mark}: {};\n", typed(property, &inner))
    };
    let lines: String = properties.iter().map(line).collect();
    format!("{{\n{lines}{indent}}}")
}
