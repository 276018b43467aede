//! Answers without what cannot be seen: a note may hide orders to agents in it, or steer the
//! terminal of a client. Pure.
//!
//! What hides stands as a mark, and the answer says how many there are. A note is marked in what is
//! read of it alone: its hash is that of the note as it is, and what is written back says what it
//! says, marks included.

use serde_json::{Value, json};

use super::Reply;
use elophanto_base::counted::{agreeing, counted};
use elophanto_base::visible::{hidden, visible};

impl Reply {
    /// The same, safe to show: in all texts of it what cannot be seen is marked.
    pub fn shown(self) -> Self {
        match self {
            Self::Found { text, items, mut structured } => {
                let mut count = 0;
                mark(&mut structured, &mut count);
                // A text may say less than the structure, or more.
                let of_items: usize = items.iter().map(|item| hidden(item)).sum();
                let count = count.max(hidden(&text) + of_items);
                if count == 0 {
                    return Self::Found { text, items, structured };
                }
                if let Some(object) = structured.as_object_mut() {
                    object.insert("hidden".to_owned(), json!(count));
                }
                let text = format!("{}\n{}", said(count), visible(&text));
                let items = items.iter().map(|item| visible(item)).collect();
                Self::Found { text, items, structured }
            }
            Self::Refused { reason, hint } => {
                Self::Refused { reason: visible(&reason), hint: hint.map(|hint| visible(&hint)) }
            }
        }
    }
}

/// How many characters were marked, for whoever reads the text.
pub fn said(count: usize) -> String {
    let (characters, stand) = (counted(count, "character"), agreeing(count, "stands", "stand"));
    format!("[{characters} that cannot be seen {stand} as <U+...>]")
}

fn mark(value: &mut Value, count: &mut usize) {
    match value {
        Value::String(text) => {
            let found = hidden(text);
            if found > 0 {
                *count += found;
                *text = visible(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mark(item, count)),
        Value::Object(fields) => fields.values_mut().for_each(|field| mark(field, count)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_marked_everywhere_and_counted() {
        let given = Reply::found(
            "a\u{200b}b \u{1b}[2J".to_owned(),
            json!({ "hits": [{ "text": "a\u{e0041}", "line": 3 }, { "path": "\u{202e}x" }],
                "title": "Bonjour\u{a0}!" }),
        );
        let Reply::Found { text, structured, .. } = given.shown() else { panic!("refused") };
        assert_eq!(text, "[2 characters that cannot be seen stand as <U+...>]\na<U+200B>b ␛[2J");
        let expected = json!({ "hits": [{ "text": "a<U+E0041>", "line": 3 }, { "path": "<U+202E>x" }],
            "title": "Bonjour\u{a0}!", "hidden": 2 });
        assert_eq!(structured, expected);
        let plain = Reply::found("❤\u{fe0f} äö\n".to_owned(), json!({}));
        let Reply::Found { text, structured, .. } = plain.shown() else { panic!("refused") };
        assert_eq!((&*text, structured), ("❤\u{fe0f} äö\n", json!({})));
        let refused =
            Reply::Refused { reason: "no \u{7}".to_owned(), hint: Some("\u{feff}".into()) };
        let Reply::Refused { reason, hint } = refused.shown() else { panic!("found") };
        assert_eq!((&*reason, hint.as_deref()), ("no ␇", Some("<U+FEFF>")));
    }
}
