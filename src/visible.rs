//! Text from outside made safe to show. Pure, and the only place that knows which characters steer a
//! terminal, turn the direction of reading round, or hide.

use std::fmt::Write as _;

/// Text from outside, safe to show: control characters, direction marks and invisible characters
/// become visible marks. Line feeds and tabs stay.
pub fn visible(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | 0x20..=0x7e)) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' | '\t' => shown.push(char),
            // Control pictures exist for exactly this.
            '\u{0}'..='\u{1f}' => {
                shown.extend(char::from_u32(0x2400 + u32::from(char)));
            }
            '\u{7f}' => shown.push('\u{2421}'),
            _ if is_deceptive(char) => {
                let _ = write!(shown, "<U+{:04X}>", u32::from(char));
            }
            _ => shown.push(char),
        }
    }
    shown
}

/// Characters that steer a terminal or hide: C1 controls, direction marks, what has no width.
pub fn is_deceptive(char: char) -> bool {
    matches!(char,
        '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// [`visible`], on one line.
pub fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "\u{240a}").replace('\t', "\u{2409}")
}
