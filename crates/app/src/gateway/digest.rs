//! What an approval is good for: a digest of what will run and of what was shown. Pure.

use serde_json::Value;

use super::message::ApprovalOf;

/// BLAKE3, in hex, of the tool, its arguments with their keys in order, and what is shown; of a
/// question, of it and its options. Each part goes in with its length, so that no two share a digest
/// by where one ends.
pub fn digest(what: &ApprovalOf) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    match what {
        ApprovalOf::Call { tool, arguments, shown, .. } => {
            part(b"call");
            part(tool.as_bytes());
            part(canonical(arguments).to_string().as_bytes());
            part(shown.as_bytes());
        }
        ApprovalOf::Question { question, options } => {
            part(b"question");
            part(question.as_bytes());
            options.iter().for_each(|option| part(option.as_bytes()));
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// The same value with the keys of all objects in order.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<(&String, &Value)> = map.iter().collect();
            pairs.sort_unstable_by_key(|(key, _)| *key);
            pairs.into_iter().map(|(key, value)| (key.clone(), canonical(value))).collect()
        }
        Value::Array(all) => Value::Array(all.iter().map(canonical).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(tool: &str, arguments: Value, shown: &str) -> String {
        digest(&ApprovalOf::Call {
            tool: tool.to_owned(),
            level: "safe".to_owned(),
            arguments,
            shown: shown.to_owned(),
            reasons: vec!["any".to_owned()],
            commands: Vec::new(),
            can_be_kept: true,
            can_be_edits: false,
            can_be_rule: false,
            tainted: false,
            depth: 0,
        })
    }

    #[test]
    fn what_runs_and_what_is_shown() {
        let own = call("t", json!({"a": 1, "b": {"c": [1, 2], "d": 0}}), "ls");
        assert_eq!(own, call("t", json!({"b": {"d": 0, "c": [1, 2]}, "a": 1}), "ls"));
        for other in [
            call("u", json!({"a": 1, "b": {"c": [1, 2], "d": 0}}), "ls"),
            call("t", json!({"a": 1, "b": {"c": [2, 1], "d": 0}}), "ls"),
            call("t", json!({"a": 1, "b": {"c": [1, 2], "d": 0}}), "ls "),
            call("t", json!({}), "ls"),
        ] {
            assert_ne!(own, other);
        }
        let question = |question: &str, options: &[&str]| {
            let options = options.iter().map(|it| (*it).to_owned()).collect();
            digest(&ApprovalOf::Question { question: question.to_owned(), options })
        };
        assert_ne!(question("ab", &["c"]), question("a", &["bc"]));
    }
}
