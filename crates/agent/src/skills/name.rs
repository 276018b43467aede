//! What a skill may be called: an allow-list, because names become folders on every system.

use super::{Result, SkillError};
use elophanto_base::{one_line::one_line, visible::escape_control_line};

/// Bytes of a name.
pub const MAX_NAME: usize = 64;

/// Names that some systems give to devices, whatever follows behind a dot.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];

/// Whether a text may be the name of a skill: `[a-z0-9]` in groups joined by single hyphens, at
/// most [`MAX_NAME`] bytes, not the name of a device.
///
/// # Errors
/// [`SkillError::Name`], which says what is wrong with it.
pub fn check_name(name: &str) -> Result<()> {
    let why = if name.is_empty() {
        "it is empty"
    } else if name.len() > MAX_NAME {
        "it has more than 64 characters"
    } else if !name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')) {
        "only lower case letters, digits and hyphens are allowed"
    } else if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        "hyphens stand singly between letters or digits"
    } else if is_device(name) {
        "some systems keep that name for a device"
    } else {
        return Ok(());
    };
    Err(SkillError::Name { shown: shown(name), why })
}

/// A text from outside for an error: one line, marks instead of what hides, not too long.
pub(super) fn shown(text: &str) -> String {
    let head: String = text.chars().take(200).collect();
    one_line(&escape_control_line(&head), 200)
}

/// Whether the part of a file name before its first dot names a device.
pub(super) fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let numbered = |prefix| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest: &str| rest.len() == 1 && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, allowed: bool) {
        assert_eq!(check_name(name).is_ok(), allowed, "{name:?}");
    }

    #[test]
    fn names() {
        for name in ["a", "7", "writing-a-note", "pdf2text", "console", "comet", "com10"] {
            check(name, true);
        }
        check(&"a".repeat(64), true);
        check(&"a".repeat(65), false);
        for name in [
            "", "-", "-rf", "a-", "a--b", "A", "../../bin/x", "..", ".", "a/b", "a\\b", "a b",
            "a_b", "con", "nul", "com1", "lpt9", "aux", "prn", "naïve", "аdmin", "ａ", "a\0",
            "a\n", "a\u{202e}b", "--upload-pack=x", "$(x)", "`x`", "a;b", ".git", "~", "a.b",
            "\u{200b}", "con.txt",
        ] {
            check(name, false);
        }
    }

    #[test]
    fn errors_are_safe_to_show() {
        let said = check_name("\u{1b}[2J\u{202e}x\n\0").unwrap_err().to_string();
        assert!(
            !said.chars().any(|c| c.is_control() || elophanto_base::visible::is_deceptive(c)),
            "{said:?}"
        );
        assert!(check_name(&"x".repeat(1 << 20)).unwrap_err().to_string().len() < 500);
    }
}
