//! Untrusted text inside text, DOT and Mermaid. Owns which characters each of them would act on.

use std::fmt::Write;

/// On one line, with a visible sign for each character that steers a terminal, changes the
/// direction of reading, or hides.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            // Control pictures exist for exactly this.
            '\u{0}'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(char))),
            '\u{7f}' => shown.push('\u{2421}'),
            _ if is_deceptive(char) => {
                let _ = write!(shown, "<U+{:04X}>", u32::from(char));
            }
            _ => shown.push(char),
        }
    }
    shown
}

fn is_deceptive(char: char) -> bool {
    matches!(char,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// The inside of a quoted DOT string: there a backslash begins an escape and `&` an entity.
pub(super) fn dot(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\"")
}

/// The inside of a quoted Mermaid label. Mermaid reads directives, Markdown and HTML even between
/// quotes, so all but what a plain path is made of becomes a numbered entity.
pub(super) fn mermaid(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in visible(text).chars() {
        let plain = char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-' | '/');
        if plain || !char.is_ascii() {
            shown.push(char);
        } else {
            let _ = write!(shown, "#{};", u32::from(char));
        }
    }
    shown
}
