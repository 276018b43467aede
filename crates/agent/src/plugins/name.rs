//! Which names a plugin may have.

use super::MAX_NAME_BYTES;

/// Why a name is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("a plugin's name is a letter from a to z, then letters, digits and `_`")]
    Form,
    #[error("a plugin's name has at most {MAX_NAME_BYTES} bytes")]
    Long,
    #[error("`{0}` is a name that some systems keep for a device")]
    Device(String),
    #[error("`{0}` is the name of a built-in tool")]
    BuiltIn(String),
}

/// Refuses what is not `[a-z][a-z0-9_]*` of at most [`MAX_NAME_BYTES`], what Windows keeps for
/// devices, and the names of built-in tools.
///
/// # Errors
/// See [`NameError`].
pub fn check_name(name: &str, built_in: &[&str]) -> Result<(), NameError> {
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase());
    if !starts || !bytes.all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')) {
        return Err(NameError::Form);
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(NameError::Long);
    }
    if is_device(name) {
        return Err(NameError::Device(name.to_owned()));
    }
    if built_in.contains(&name) {
        return Err(NameError::BuiltIn(name.to_owned()));
    }
    Ok(())
}

fn is_device(name: &str) -> bool {
    let port = |prefix: &str| {
        let number = name.strip_prefix(prefix);
        number.is_some_and(|number| number.len() == 1 && number.bytes().all(|b| b.is_ascii_digit()))
    };
    matches!(name, "con" | "prn" | "aux" | "nul") || port("com") || port("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, allowed: bool) {
        assert_eq!(check_name(name, &["file_read"]).is_ok(), allowed, "{name:?}");
    }

    #[test]
    fn names() {
        for name in ["a", "gmail_reader", "x2", "a_", "console", "com10", "lpt"] {
            check(name, true);
        }
        for name in [
            "", "_a", "2x", "A", "Gmail", "a-b", "a.b", "a b", "../../bin/x", "-rf", "con", "nul",
            "com1", "lpt9", "a/b", "a\0", "a\n", "é", "а", "file_read", "a\u{202e}", ".", "..",
        ] {
            check(name, false);
        }
        check(&"a".repeat(64), true);
        check(&"a".repeat(65), false);
    }
}
