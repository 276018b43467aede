//! Untrusted text inside text, DOT and Mermaid. Owns which characters each of them would act on.

use std::fmt::Write;

pub(super) use elophanto_base::visible::escape_control_line as visible;

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
