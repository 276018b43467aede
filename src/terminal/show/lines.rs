//! Which kind of line one of Markdown is, and where it may be cut. Pure.

use anstyle::Style;

use super::{BOLD, FAINT, PLAIN, Span};

/// Columns that a text is moved in at most.
const MOST_INDENT: usize = 12;
/// What something is open in for longer is taken as it is, in bytes.
const MOST_OPEN: usize = 1_000;

/// How a line is shown.
#[derive(Clone)]
pub struct Line {
    pub first: Vec<Span>,
    pub rest: Vec<Span>,
    pub style: Style,
}

/// Blanks between words where no code, emphasis or link is open, in order.
pub fn gaps(text: &str) -> impl Iterator<Item = usize> {
    let mut chars = text.char_indices().peekable();
    let (mut before, mut code, mut brackets, mut since) = (' ', 0, 0_usize, 0);
    // Signs of emphasis, and how many stand together.
    let mut marks: Vec<(char, usize)> = Vec::new();
    let mut is_address = false;
    std::iter::from_fn(move || {
        loop {
            let (at, char) = chars.next()?;
            let next = chars.peek().map_or(' ', |(_, next)| *next);
            let was = std::mem::replace(&mut before, char);
            match char {
                '`' => {
                    let mut run = 1;
                    while chars.next_if(|(_, char)| *char == '`').is_some() {
                        run += 1;
                    }
                    code = if code == 0 {
                        run
                    } else if code == run {
                        0
                    } else {
                        code
                    };
                }
                _ if code > 0 => {}
                '\\' if next.is_ascii_punctuation() => drop(chars.next()),
                '*' | '_' | '~' => {
                    let mut run = 1;
                    while chars.next_if(|(_, next)| *next == char).is_some() {
                        run += 1;
                    }
                    let next = chars.peek().map_or(' ', |(_, next)| *next);
                    let is_inside = char == '_' && was.is_alphanumeric() && next.is_alphanumeric();
                    let is_alone = was.is_whitespace() && next.is_whitespace();
                    if marks.last() == Some(&(char, run)) {
                        marks.pop();
                    } else if !is_inside && !is_alone {
                        marks.push((char, run));
                    }
                }
                '[' => brackets += 1,
                ']' => {
                    brackets = brackets.saturating_sub(1);
                    is_address = next == '(';
                }
                ')' => is_address = false,
                _ => {}
            }
            let is_gap = char.is_whitespace() && !was.is_whitespace();
            let is_closed = code == 0 && brackets == 0 && !is_address && marks.is_empty();
            if is_gap && (is_closed || at - since > MOST_OPEN) {
                since = at;
                return Some(at);
            }
        }
    })
}

/// How a line is shown, and where its text begins.
pub fn kind_of(text: &str) -> (Line, usize) {
    let bare = text.trim_start();
    let indent = text.len() - bare.len();
    let pad = " ".repeat(indent.min(MOST_INDENT));
    let line = |first: String, sign: Style, style: Style| {
        let rest = " ".repeat(first.chars().count());
        let spans =
            |text: String| if text.is_empty() { vec![] } else { vec![Span::new(text, sign)] };
        Line { first: spans(first), rest: spans(rest), style }
    };
    let hashes = bare.len() - bare.trim_start_matches('#').len();
    if (1..=6).contains(&hashes) && bare[hashes..].starts_with(' ') {
        let style = if hashes == 1 { BOLD.underline() } else { BOLD };
        return (line(String::new(), PLAIN, style), indent + hashes + 1);
    }
    if let Some(rest) = bare.strip_prefix('>') {
        let sign = vec![Span::new(format!("{pad}│ "), FAINT)];
        let at = text.len() - rest.strip_prefix(' ').unwrap_or(rest).len();
        return (Line { first: sign.clone(), rest: sign, style: PLAIN }, at);
    }
    if bare.starts_with(['-', '*', '+']) && bare[1..].starts_with(' ') {
        return (line(format!("{pad}• "), PLAIN, PLAIN), indent + 2);
    }
    let digits = bare.len() - bare.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    let number = bare.get(..digits + 2).unwrap_or_default();
    if (1..=9).contains(&digits)
        && number.ends_with([' '])
        && number[digits..].starts_with(['.', ')'])
    {
        return (line(format!("{pad}{number}"), PLAIN, PLAIN), indent + number.len());
    }
    (line(pad, PLAIN, PLAIN), indent)
}

pub fn is_rule(bare: &str) -> bool {
    let signs: String = bare.split_whitespace().collect();
    let sign = signs.chars().next().filter(|sign| matches!(sign, '-' | '*' | '_'));
    signs.len() >= 3 && sign.is_some_and(|sign| signs.chars().all(|char| char == sign))
}

/// `[text](address)` as `text (address)`, where it is not told otherwise.
pub fn unlinked(row: &str) -> String {
    let (mut shown, mut rest) = (String::new(), row);
    while let Some((before, after)) = rest.split_once('[') {
        shown.push_str(before);
        rest = after;
        let link = after.split_once("](").and_then(|(text, after)| {
            let (address, after) = after.split_once(')')?;
            (!text.contains(['[', ']', '|'])).then_some((text, address, after))
        });
        match link {
            Some((text, address, after)) => {
                shown.push_str(text);
                if text != address {
                    shown.push_str(&format!(" ({address})"));
                }
                rest = after;
            }
            None => shown.push('['),
        }
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_where_nothing_is_open() {
        for (text, cut) in [
            ("one two  three", "one/two  three"),
            ("a **b c** d", "a/**b c**/d"),
            ("`a b` ``c ` d`` e", "`a b`/``c ` d``/e"),
            ("[a b](c d) e", "[a b](c d)/e"),
            ("snake_case is _one two_ word", "snake_case/is/_one two_/word"),
            ("2 \\* 3 * 4", "2/\\*/3/*/4"),
            ("~~a b~~ c", "~~a b~~/c"),
        ] {
            let mut found = String::new();
            let mut from = 0;
            for at in gaps(text) {
                found.push_str(&text[from..at]);
                found.push('/');
                from = at + 1;
            }
            found.push_str(&text[from..]);
            assert_eq!(found, cut.replace("two  three", "two/ three"), "{text:?}");
        }
    }

    #[test]
    fn links_in_tables_are_readable() {
        for (row, expected) in [
            ("| [a](b) | [c](c) |", "| a (b) | c |"),
            ("| [x] | a[0] | [a](b |", "| [x] | a[0] | [a](b |"),
        ] {
            assert_eq!(unlinked(row), expected);
        }
    }
}
