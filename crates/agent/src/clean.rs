//! Text on its way out: secrets masked, then cut. Pure.

use serde_json::Value;

use elophanto_base::secrets;

/// Secrets masked, then cut in its middle to `max` bytes. Of a very long text only as much is looked
/// at as may stay, and as much again, so that the cut goes through no secret.
pub(super) fn clean(text: &str, max: usize) -> String {
    let side = max.saturating_mul(2).max(4096);
    if text.len() <= 2 * side {
        return cut_middle(&secrets::mask(text).0, max);
    }
    let head = text.get(..text.floor_char_boundary(side)).unwrap_or("");
    let tail = text.get(text.ceil_char_boundary(text.len() - side)..).unwrap_or("");
    let (head, tail) = (secrets::mask(head).0, secrets::mask(tail).0);
    joined(&head, &tail, max, text.len().saturating_sub(max))
}

/// At most `max` bytes and a mark where the rest was: half from the beginning, half from the end.
pub(super) fn cut_middle(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    joined(text, text, max, text.len() - max)
}

/// The first half of `max` bytes of one text, and the last half of another.
fn joined(head: &str, tail: &str, max: usize, left_out: usize) -> String {
    let head = head.get(..head.floor_char_boundary(max / 2)).unwrap_or("");
    let from = tail.ceil_char_boundary(tail.len().saturating_sub(max / 2));
    let tail = tail.get(from..).unwrap_or("");
    format!("{head}\n[... {left_out} bytes left out ...]\n{tail}")
}

/// All texts of a value masked, and cut to `max` bytes each; names are masked too.
pub(super) fn clean_json(value: &Value, max: usize) -> Value {
    match value {
        Value::String(text) => Value::String(clean(text, max)),
        Value::Array(items) => items.iter().map(|item| clean_json(item, max)).collect(),
        Value::Object(fields) => {
            // `password: ...` is known by its name, which a text of its own does not have.
            let named = |name: &str, value: &Value| match value {
                Value::String(text) => match secret_by_name(name, text) {
                    Some(masked) => Value::String(masked),
                    None => clean_json(value, max),
                },
                value => clean_json(value, max),
            };
            let fields = fields.iter();
            Value::Object(fields.map(|(name, one)| (clean(name, 200), named(name, one))).collect())
        }
        value => value.clone(),
    }
}

/// The value with each of its texts replaced; names stay.
pub(super) fn map_texts(value: &Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(items) => items.iter().map(|item| map_texts(item, change)).collect(),
        Value::Object(fields) => {
            let one = |(name, one): (&String, &Value)| (name.clone(), map_texts(one, change));
            Value::Object(fields.iter().map(one).collect())
        }
        value => value.clone(),
    }
}

/// [`clean_json`], and as one cut text if it is over `total` bytes all the same.
pub(super) fn brief_json(value: &Value, max: usize, total: usize) -> Value {
    let cleaned = clean_json(value, max);
    let text = cleaned.to_string();
    if text.len() > total { Value::String(cut_middle(&text, total)) } else { cleaned }
}

fn secret_by_name(name: &str, text: &str) -> Option<String> {
    if name.len() > 100 || text.len() > 4096 {
        return None;
    }
    let line = format!("{name} = \"{text}\"");
    let (masked, count) = secrets::mask(&line);
    let inner = masked.strip_prefix(&format!("{name} = \""))?.strip_suffix('"')?;
    (count > 0).then(|| inner.to_owned())
}

/// Canonical JSON: keys sorted at every level, no blanks.
pub(super) fn canonical(value: &Value) -> String {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    sorted.to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn cuts() {
        for (text, max, expected) in [
            ("", 0, ""),
            ("abc", 3, "abc"),
            ("abcdefgh", 4, "ab\n[... 4 bytes left out ...]\ngh"),
            ("ééé", 3, "\n[... 3 bytes left out ...]\n"),
            ("ab", 0, "\n[... 2 bytes left out ...]\n"),
        ] {
            assert_eq!(cut_middle(text, max), expected);
        }
    }

    #[test]
    fn a_long_text_says_how_much_is_missing() {
        let text = "x".repeat(1_000_000);
        assert!(clean(&text, 1_000).contains("[... 999000 bytes left out ...]"));
    }

    #[test]
    fn canonical_form_ignores_order() {
        let (one, two) =
            (r#"{"b":[1,{"d":1,"c":"x"}],"a":null}"#, r#"{"a":null,"b":[1,{"c":"x","d":1}]}"#);
        let value = |text| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(canonical(&value(one)), canonical(&value(two)));
        assert_eq!(canonical(&value(one)), two);
        assert_ne!(canonical(&json!({"a": "1"})), canonical(&json!({"a": 1})));
    }

    #[test]
    fn secrets_are_masked_in_values() {
        let token = concat!("gh", "p_9aKx27LmQz81WvTb4RnYc6PdEs0HjGfUo3Xi");
        let value = json!({"a": [format!("use {token}")], "password": "kT7!vQ2#mZ9pLw4x"});
        let cleaned = clean_json(&value, 1000).to_string();
        assert!(!cleaned.contains(token) && !cleaned.contains("kT7!vQ2#mZ9pLw4x"), "{cleaned}");
    }

    proptest! {
        #[test]
        fn a_cut_is_bounded(text in any::<String>(), max in 0_usize..40) {
            prop_assert!(cut_middle(&text, max).len() <= max + 60);
        }
    }
}
