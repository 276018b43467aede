//! JSON as it is printed: nothing in it deceives whoever reads it on a terminal.

use std::fmt::Write as _;

use serde::Serialize;

use elophanto_app::{Error, Result};
use elophanto_base::visible::is_deceptive;

/// A line of JSON as it is printed.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn printed_json<T: Serialize + ?Sized>(wire: &T) -> Result<String> {
    Ok(visible_json(&serde_json::to_string(wire).map_err(Error::new)?))
}

/// JSON in which deceptive characters are escaped too; they can only stand within strings.
pub fn visible_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for char in json.chars() {
        if is_deceptive(char) {
            for unit in char.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(char);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deceptive_characters_are_escaped() {
        let json = serde_json::to_string("a\u{202e}\u{e0041}ü\u{9b}").unwrap();
        let shown = visible_json(&json);
        assert_eq!(shown, "\"a\\u202e\\udb40\\udc41ü\\u009b\"");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), "a\u{202e}\u{e0041}ü\u{9b}");
    }
}
