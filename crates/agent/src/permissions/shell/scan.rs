//! Where words, quotes and substitutions end: byte offsets into a text, nothing more.

use super::lex::Result;

/// Levels of substitutions inside each other.
const MAX_DEPTH: usize = 32;

/// Whether the text begins with a process substitution.
pub fn opens_substitution(rest: &str) -> bool {
    rest.starts_with("<(") || rest.starts_with(">(")
}

/// End of the word that starts at `start`.
///
/// # Errors
/// When a quote or a parenthesis in it stays open.
pub fn word_end(text: &str, start: usize) -> Result<usize> {
    word_end_at(text, start, 0)
}

fn word_end_at(text: &str, start: usize, depth: usize) -> Result<usize> {
    let mut at = start;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let byte = rest.as_bytes().first().copied().unwrap_or_default();
        match byte {
            b'(' if takes_array(text.get(start..at).unwrap_or_default()) => {
                at = paren_end(text, at + 1, depth + 1)?;
            }
            b'<' | b'>' if opens_substitution(rest) => at = paren_end(text, at + 2, depth + 1)?,
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
            _ => at = piece_end(text, at, depth, false)?,
        }
    }
    Ok(at)
}

/// `NAME=` or `NAME+=`: what a list of values may follow.
fn takes_array(before: &str) -> bool {
    before.strip_suffix('=').is_some_and(|name| {
        let name = name.strip_suffix('+').unwrap_or(name);
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// End of one quote, escape, expansion or character. Inside double quotes `'` is a character.
fn piece_end(text: &str, at: usize, depth: usize, quoted: bool) -> Result<usize> {
    if depth > MAX_DEPTH {
        return Err("too many levels of substitutions");
    }
    let rest = text.get(at..).unwrap_or_default();
    let Some(first) = rest.chars().next() else { return Ok(at) };
    let after = |length: usize| text.get(at + length..).unwrap_or_default();
    match first {
        '\\' => match after(1).chars().next() {
            Some(escaped) => Ok(at + 1 + escaped.len_utf8()),
            None => Err("a backslash at the end"),
        },
        '\'' if !quoted => {
            let end = after(1).find('\'').ok_or("an open quote")?;
            Ok(at + 1 + end + 1)
        }
        '"' if !quoted => double_quote_end(text, at + 1, depth),
        '`' => backtick_end(text, at + 1),
        '$' if after(1).starts_with('\'') && !quoted => ansi_end(text, at + 2),
        '$' if after(1).starts_with('"') && !quoted => double_quote_end(text, at + 2, depth),
        '$' if after(1).starts_with("((") => match arithmetic_end(text, at + 3) {
            Some(end) => Ok(end),
            None => paren_end(text, at + 2, depth + 1),
        },
        '$' if after(1).starts_with('(') => paren_end(text, at + 2, depth + 1),
        '$' if after(1).starts_with('{') => brace_end(text, at + 2, depth + 1, quoted),
        '$' if after(1).starts_with('[') => Err("old arithmetic"),
        _ => Ok(at + first.len_utf8()),
    }
}

/// End after the closing `"`, from inside.
pub fn double_quote_end(text: &str, from: usize, depth: usize) -> Result<usize> {
    let mut at = from;
    while at < text.len() {
        if text.get(at..).is_some_and(|rest| rest.starts_with('"')) {
            return Ok(at + 1);
        }
        at = piece_end(text, at, depth, true)?;
    }
    Err("an open quote")
}

/// End after the closing backtick, from inside.
pub fn backtick_end(text: &str, from: usize) -> Result<usize> {
    closing(text, from, b'`').ok_or("an open backtick")
}

/// End after the closing `'` of `$'...'`, from inside.
pub fn ansi_end(text: &str, from: usize) -> Result<usize> {
    closing(text, from, b'\'').ok_or("an open quote")
}

fn closing(text: &str, from: usize, mark: u8) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        if escaped {
            escaped = false;
        } else if byte == b'\\' {
            escaped = true;
        } else if byte == mark {
            return Some(at + 1);
        }
    }
    None
}

/// End after the `}` of `${...}`, from inside.
pub fn brace_end(text: &str, from: usize, depth: usize, quoted: bool) -> Result<usize> {
    let mut at = from;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with('}') {
            return Ok(at + 1);
        }
        // Which quotes count inside depends on the operator: what is unusual is not judged.
        if quoted && rest.starts_with(['\'', '"']) {
            return Err("quotes inside a quoted expansion");
        }
        at = piece_end(text, at, depth, quoted)?;
    }
    Err("an open brace")
}

/// End after the `)` that closes a command, from inside.
pub fn paren_end(text: &str, from: usize, depth: usize) -> Result<usize> {
    if depth > MAX_DEPTH {
        return Err("too many levels of substitutions");
    }
    let mut at = from;
    let mut open = 0_usize;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let byte = rest.as_bytes().first().copied().unwrap_or_default();
        match byte {
            b'(' => (open, at) = (open + 1, at + 1),
            b')' if open == 0 => return Ok(at + 1),
            b')' => (open, at) = (open - 1, at + 1),
            b'#' => at += rest.find('\n').unwrap_or(rest.len()),
            b'<' if rest.starts_with("<<") && !rest.starts_with("<<<") => {
                return Err("a here-document inside a substitution");
            }
            b'<' if rest.starts_with("<<<") => at += 3,
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' => at += 1,
            b'<' | b'>' if !opens_substitution(rest) => at += 1,
            _ => at = word_end_at(text, at, depth)?,
        }
    }
    Err("an open parenthesis")
}

/// End after `))` if the inner parenthesis closes right before an outer one; from inside.
pub fn arithmetic_end(text: &str, from: usize) -> Option<usize> {
    let mut open = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match byte {
            b'(' => open += 1,
            b')' if open > 0 => open -= 1,
            b')' => {
                return text.get(at..).is_some_and(|rest| rest.starts_with("))")).then_some(at + 2);
            }
            // With quotes in it bash may see other parentheses.
            b'\'' | b'"' | b'`' | b'\\' => return None,
            _ => {}
        }
    }
    None
}

/// End of one quote, escape, expansion or character outside double quotes.
///
/// # Errors
/// When it stays open.
pub fn piece(text: &str, at: usize) -> Result<usize> {
    piece_end(text, at, 0, false)
}

/// [`piece`] inside double quotes.
///
/// # Errors
/// When it stays open.
pub fn quoted_piece(text: &str, at: usize) -> Result<usize> {
    piece_end(text, at, 0, true)
}
