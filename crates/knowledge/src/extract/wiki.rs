//! What wikis and Pandoc write otherwise than Markdown does: `== Head ==`, `[[page|words]]`, `Term` with
//! `: what it is` below it, and the header of `Key: value` in `<pre>` with which some documents begin. Lines
//! stay lines.

use std::borrow::Cow;

/// Fewest headings by which a text is a wiki's.
const LEAST_HEADINGS: usize = 2;
/// Fewest keys of a header, and most words of a term.
const LEAST_KEYS: usize = 3;
const MAX_TERM: usize = 8;

/// The text as Markdown.
pub(super) fn as_markdown(text: &str) -> Cow<'_, str> {
    let text = match defined(text) {
        Cow::Borrowed(text) => without_references(text),
        Cow::Owned(text) => Cow::Owned(without_references(&text).into_owned()),
    };
    if text.lines().filter(|line| heading(line).is_some()).count() < LEAST_HEADINGS {
        return text;
    }
    let header = header(&text);
    let mut shown = String::with_capacity(text.len());
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim_end();
        match heading(bare) {
            _ if header.as_ref().is_some_and(|lines| lines.contains(&number)) => {
                let is_mark = matches!(bare.trim(), "<pre>" | "</pre>");
                shown.push_str(if is_mark { "" } else { bare.trim() });
            }
            Some((level, name)) => {
                shown.push_str(&"#".repeat(level));
                shown.push(' ');
                shown.push_str(name);
            }
            None => shown.push_str(&without_links(bare)),
        }
        shown.push_str(&line[bare.len()..]);
    }
    Cow::Owned(shown)
}

/// `== Head ==`, its level and its words.
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let level = line.len() - line.trim_start_matches('=').len();
    let name = line.trim_matches('=').trim();
    let is_heading = (2..=6).contains(&level)
        && line.len() - line.trim_end_matches('=').len() == level
        && name.starts_with(char::is_alphanumeric)
        && !name.contains('=');
    is_heading.then_some((level, name))
}

/// The lines between `<pre>` and `</pre>` with which a text begins, if they are `Key: value`.
fn header(text: &str) -> Option<std::ops::RangeInclusive<usize>> {
    let mut lines = text.lines().enumerate().skip_while(|(_, line)| line.trim().is_empty());
    let (from, _) = lines.next().filter(|(_, line)| line.trim() == "<pre>")?;
    let mut keys = 0;
    for (number, line) in lines {
        if line.trim() == "</pre>" {
            return (keys >= LEAST_KEYS).then_some(from..=number);
        }
        let key = line.trim().split_once(": ").map(|(key, _)| key);
        keys += usize::from(
            key.is_some_and(|key| key.chars().all(|it| it.is_alphanumeric() || it == '-')),
        );
    }
    None
}

/// The words of `[[page|words]]`, without the marks of bold and emphasis.
fn without_links(line: &str) -> Cow<'_, str> {
    if !line.contains("[[") && !line.contains("''") {
        return Cow::Borrowed(line);
    }
    let line = line.replace("'''", "**").replace("''", "*");
    let mut shown = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some((before, from)) = rest.split_once("[[") {
        let Some((inner, behind)) = from.split_once("]]") else { break };
        shown.push_str(before);
        shown.push_str(inner.rsplit('|').next().unwrap_or_default());
        rest = behind;
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// The words of `[words][name]` where the text does not say what `[name]:` links to.
fn without_references(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 80;
    if !text.contains("][") {
        return Cow::Borrowed(text);
    }
    let lower = text.to_lowercase();
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices("][") {
        let Some(open) = text[from..at].rfind('[').map(|open| from + open) else { continue };
        let Some(close) = text[at + 2..].find(']').map(|close| at + 2 + close) else { break };
        let (words, name) = (&text[open + 1..at], &text[at + 2..close]);
        let name = if name.is_empty() { words } else { name };
        let is_plain = words.starts_with(char::is_alphabetic)
            && close - open <= LONGEST
            && !text[open..close].contains('\n')
            && text[..open].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        if is_plain && !lower.contains(&format!("[{}]:", name.to_lowercase())) {
            shown.push_str(&text[from..open]);
            shown.push_str(words);
            from = close + 1;
        }
    }
    shown.push_str(&text[from..]);
    Cow::Owned(shown)
}

/// `Term` and `: value` below it as an item of a list.
fn defined(text: &str) -> Cow<'_, str> {
    let is_value = |line: &str| line.starts_with(": ") || line.starts_with(":\t");
    if !text.lines().any(is_value) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_term = |at: usize| {
        let above = at.checked_sub(1).is_none_or(|above| lines[above].trim().is_empty());
        let words = lines[at].split_whitespace().count();
        let below = lines.get(at + 1).is_some_and(|below| is_value(below));
        above
            && below
            && (1..=MAX_TERM).contains(&words)
            && lines[at].starts_with(char::is_alphanumeric)
            && !lines[at].contains(':')
    };
    let mut shown = String::with_capacity(text.len());
    let mut term: Option<&str> = None;
    for (at, line) in lines.iter().enumerate() {
        if let Some(term) = term.take() {
            let value = line[1..].trim_start();
            shown.push_str(&format!("- {}: {value}", term.trim_end()));
        } else if is_term(at) {
            term = Some(line);
            shown.push_str(&line[line.trim_end().len()..]);
        } else {
            shown.push_str(line);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_links_and_headers_of_wikis_become_markdown() {
        let check = |text: &str, expected: &str| assert_eq!(as_markdown(text), expected, "{text}");
        check("a == b\n==x==\n", "a == b\n==x==\n");
        check(
            "<pre>\n  Foo: 39\n  Title: Codes\n  Status: Final\n</pre>\n\n==Abstract==\nSee [[a|b]].\n=== More ===\n",
            "\nFoo: 39\nTitle: Codes\nStatus: Final\n\n\n## Abstract\nSee b.\n### More\n",
        );
        check("Issued\n:   1963-01-08\n\nText\n", "\n- Issued: 1963-01-08\n\nText\n");
        check("See [the list][] and [Foo][f].\n\n[f]: x", "See the list and [Foo][f].\n\n[f]: x");
        check("Smile :)\n: no\n", "Smile :)\n: no\n");
    }
}
