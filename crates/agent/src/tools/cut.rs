//! Text for the model, cut to what may go back. Pure.

use elophanto_base::secrets;

/// The text with NUL shown, in at most `max` bytes: what is longer loses its middle, and says how
/// much is missing.
pub(super) fn cut(text: &str, max: usize) -> String {
    let shown;
    let text = if text.contains('\0') {
        shown = text.replace('\0', "\u{2400}");
        shown.as_str()
    } else {
        text
    };
    if text.len() <= max {
        return text.to_owned();
    }
    // Of a secret that the cut goes through nobody could tell any more what it is.
    let (text, found) = secrets::mask(text);
    if found > 0 && text.len() <= max {
        return text.into_owned();
    }
    let text = &*text;
    // No number has more digits than the length of the text.
    let mark = |missing: usize| format!("\n[... {missing} bytes left out ...]\n");
    let room = max.saturating_sub(mark(text.len()).len());
    if room == 0 {
        return text[..text.floor_char_boundary(max)].to_owned();
    }
    let head = text.floor_char_boundary(room.div_ceil(2));
    let tail = text.ceil_char_boundary(text.len() - room / 2);
    format!("{}{}{}", &text[..head], mark(tail - head), &text[tail..])
}

/// The text as it is where it is valid UTF-8, other bytes as `\xNN`.
pub(super) fn text_of(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len());
    for piece in bytes.utf8_chunks() {
        text.push_str(piece.valid());
        for byte in piece.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn holds_the_limit(text in "\\PC{0,300}|[\0a\u{e9}]{0,300}", max in 0_usize..400) {
            let short = cut(&text, max);
            prop_assert!(short.len() <= max);
            prop_assert!(!short.contains('\0'));
            let whole = text.replace('\0', "\u{2400}");
            if whole.len() <= max {
                prop_assert_eq!(short, whole);
            } else if let Some((head, rest)) = short.split_once("\n[... ") {
                let (missing, tail) = rest.split_once(" bytes left out ...]\n").unwrap();
                prop_assert!(whole.starts_with(head) && whole.ends_with(tail));
                let missing: usize = missing.parse().unwrap();
                prop_assert_eq!(head.len() + missing + tail.len(), whole.len());
            }
        }
    }
}
