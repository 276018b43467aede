//! Text from outside made fit for a note.

use crate::markdown;
use elophanto_base::{
    one_line::{is_emoji, one_line},
    visible::{hides, is_deceptive, visible},
};

const JOINER: char = '\u{200d}';
const VARIATION: char = '\u{fe0f}';

/// The text with line feeds as its only line ends, control characters and what turns the direction
/// of reading round as visible marks, and without what merely has no width. Emoji made of several
/// stay whole. Cleaning twice changes nothing more.
pub(super) fn clean(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | 0x20..=0x7e)) {
        return text.to_owned();
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\n' | '\t' => cleaned.push(char),
            '\r' => {
                chars.next_if_eq(&'\n');
                cleaned.push('\n');
            }
            '\u{85}' | '\u{2028}' | '\u{2029}' => cleaned.push('\n'),
            JOINER => {
                let joins = |char: char| is_emoji(char) || char == VARIATION;
                if cleaned.ends_with(joins) && chars.peek().is_some_and(|next| is_emoji(*next)) {
                    cleaned.push(JOINER);
                }
            }
            '\u{ad}' | '\u{200b}' | '\u{200c}' | '\u{2060}' | '\u{feff}' => {}
            '\u{fe0e}' | VARIATION
                if hides(cleaned.chars().next_back(), char, chars.peek().copied()) => {}
            _ if char.is_control() || is_deceptive(char) => {
                cleaned.push_str(&visible(char.encode_utf8(&mut [0; 4])));
            }
            _ => cleaned.push(char),
        }
    }
    cleaned
}

/// The text without blank lines at its start and without white space at its end, and how many
/// lines that took from the start. Indentation of the first line stays: it may mean code.
pub(super) fn trim_blank(text: &str) -> (&str, usize) {
    let (mut rest, mut skipped) = (text, 0);
    while let Some((line, behind)) = rest.split_once('\n') {
        if !line.trim().is_empty() {
            break;
        }
        (rest, skipped) = (behind, skipped + 1);
    }
    (rest.trim_end(), skipped)
}

/// Tags as they are read back: on one line, without a leading `#`, each once. Empty ones are left
/// out.
pub(super) fn tags<'a>(raw: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    let lines = raw.map(|tag| one_line(tag, super::MAX_TAG_CHARS));
    let tags = lines.map(|line| line.trim_start_matches(['#', ' ']).to_owned());
    tags.filter(|tag| !tag.is_empty() && seen.insert(tag.clone())).collect()
}

/// One line of plain text as the content of a heading, which reads as this text again. Code between
/// single backticks stays code, its backticks are then not read back.
pub(super) fn heading(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    // A blank inside the backticks would not be read back.
    let is_whole = |code: &&str| !code.is_empty() && code.trim() == *code;
    let has_code = parts.len() % 2 == 1 && parts.iter().skip(1).step_by(2).all(is_whole);
    let has_code = has_code && !line.contains("``");
    if !has_code {
        return escape(line, false, false);
    }
    let mut content = String::with_capacity(line.len() + 8);
    for (index, part) in parts.iter().enumerate() {
        if index % 2 == 1 {
            content.push('`');
            content.push_str(part);
            content.push('`');
        } else {
            // Told by what stands beside it whether a mark would be one.
            content.push_str(&escape(part, index > 0, index + 1 < parts.len()));
        }
    }
    content
}

/// Backslashes in front of what would be markup. `behind_code` and `before_code` say that a code
/// span touches the text there.
fn escape(line: &str, behind_code: bool, before_code: bool) -> String {
    let end = |is_code: bool| if is_code { '`' } else { ' ' };
    let several_tildes = line.matches('~').count() > 1;
    markdown::escape(line, (end(behind_code), end(before_code)), |_, before, char, next| match char
    {
        '`' | '[' => true,
        '\\' => next.is_ascii_punctuation(),
        '*' => before != ' ' || next != ' ',
        '_' => !(before.is_alphanumeric() && next.is_alphanumeric()),
        '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'),
        '&' => next.is_ascii_alphanumeric() || next == '#',
        '~' => several_tildes || behind_code || before_code,
        '#' => before == ' ',
        _ => false,
    })
}
