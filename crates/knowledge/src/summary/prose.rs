//! Prose out of documentation: paragraphs without marks.

use super::text::{cut, tidy};
use crate::words::{Words, list};

/// Longest paragraph that is kept, in bytes. Minified text is one paragraph.
const MAX_PARAGRAPH: usize = 4_000;

/// Lines that begin the part of a doc comment that tells of parameters and shows how to call.
static DETAIL_STARTS: Words = list!(words "detail_starts");

/// The paragraphs of a text in light markup: headings, fenced code, tables, HTML and link targets
/// left out; list items one paragraph each; marks of emphasis and links taken away; white space
/// collapsed. In a doc comment everything from its example or its parameters on is left out too.
pub(super) fn paragraphs(text: &str, doc_comment: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = String::new();
    let (mut fenced, mut skipped) = (false, false);
    for line in text.lines() {
        let line = line.trim();
        let line = line.strip_prefix("> ").unwrap_or(line);
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            close(&mut open, &mut found);
            continue;
        }
        if fenced {
            continue;
        }
        if doc_comment && DETAIL_STARTS.iter().any(|start| line.starts_with(start)) {
            break;
        }
        if let Some(heading) = heading(line) {
            skipped = doc_comment && heading.starts_with("Example");
            close(&mut open, &mut found);
            continue;
        }
        if is_rule(line) {
            // Under a line of text this makes that line a heading.
            open.clear();
            continue;
        }
        if line.is_empty() || skipped || is_no_prose(line) {
            close(&mut open, &mut found);
            continue;
        }
        let item = without_bullet(line);
        if item.len() < line.len() {
            close(&mut open, &mut found);
        }
        if open.len() < MAX_PARAGRAPH {
            if !open.is_empty() {
                open.push(' ');
            }
            open.push_str(cut(item, MAX_PARAGRAPH));
        }
    }
    close(&mut open, &mut found);
    found
}

/// A list item or numbered step without its mark.
pub(super) fn without_bullet(line: &str) -> &str {
    if let Some(rest) = ["- ", "* ", "+ ", "• "].iter().find_map(|mark| line.strip_prefix(mark)) {
        let rest = rest.trim_start();
        return ["[ ] ", "[x] "].iter().find_map(|mark| rest.strip_prefix(mark)).unwrap_or(rest);
    }
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    if rest.len() < line.len() && line.len() - rest.len() < 4 {
        return [". ", ") "].iter().find_map(|mark| rest.strip_prefix(mark)).unwrap_or(line);
    }
    line
}

/// Marks of links, emphasis and tags taken away, code spans kept.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut code = false;
    while let Some(char) = rest.chars().next() {
        let after = &rest[char.len_utf8()..];
        let taken = match char {
            '`' => {
                code = !code;
                None
            }
            _ if code => None,
            '!' if after.starts_with('[') => link(after).map(|(_, rest)| ("", rest)),
            '[' => link(rest),
            '{' if after.starts_with('@') => after
                .split_once('}')
                .map(|(inner, rest)| (inner.split_once(' ').map_or("", |(_, name)| name), rest)),
            '<' if after.starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()) => {
                tag(after).map(|rest| ("", rest))
            }
            '*' if after.starts_with('*') => Some(("", &after[1..])),
            '*' if after.starts_with(char::is_alphanumeric)
                || plain.ends_with(char::is_alphanumeric) =>
            {
                Some(("", after))
            }
            '\\' if after.starts_with(|c: char| c.is_ascii_punctuation()) => Some(("", after)),
            _ => None,
        };
        match taken {
            Some((shown, next)) => {
                plain.push_str(shown);
                rest = next;
            }
            None => {
                plain.push(char);
                rest = after;
            }
        }
    }
    plain
}

fn close(open: &mut String, found: &mut Vec<String>) {
    if !open.is_empty() {
        let paragraph = tidy(&plain(open));
        if !paragraph.is_empty() {
            found.push(paragraph);
        }
        open.clear();
    }
}

/// The words of a link and what follows it: `[words](target)`, `[words][name]`, `[words]`.
fn link(text: &str) -> Option<(&str, &str)> {
    let end = text.get(..300.min(text.floor_char_boundary(300)))?.find(']')?;
    let words = text.get(1..end)?;
    let rest = text.get(end + 1..)?;
    if words.is_empty() || words.contains('[') {
        return None;
    }
    let close = match rest.chars().next() {
        Some('(') => ')',
        Some('[') => ']',
        // `[0]` and `[T]` after a name are code, a link has words.
        _ if words.len() > 2 => return Some((words, rest)),
        _ => return None,
    };
    let target = rest.find(close)?;
    Some((words, rest.get(target + 1..)?))
}

/// What follows a tag, if this is one.
fn tag(after: &str) -> Option<&str> {
    let head = after.get(..after.floor_char_boundary(200))?;
    let end = head.find('>')?;
    let known = [
        "a", "b", "i", "p", "br", "em", "li", "ul", "ol", "pre", "code", "img", "sup", "div",
        "span", "strong",
    ];
    let name = head.trim_start_matches('/');
    let name = name.split(|char: char| !char.is_ascii_alphanumeric()).next()?;
    known.contains(&name.to_ascii_lowercase().as_str()).then(|| after.get(end + 1..)).flatten()
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let marks = line.len() - rest.len();
    ((1..=6).contains(&marks) && (rest.starts_with(' ') || rest.is_empty())).then(|| rest.trim())
}

fn is_rule(line: &str) -> bool {
    let first = line.bytes().next();
    line.len() >= 3
        && matches!(first, Some(b'-' | b'=' | b'*' | b'_' | b'~'))
        && line.bytes().all(|byte| Some(byte) == first)
}

fn is_no_prose(line: &str) -> bool {
    line.starts_with('|')
        || line.starts_with("<!--")
        || line.starts_with("[![")
        || (line.starts_with('<') && line.ends_with('>'))
        || (line.starts_with('[') && line.contains("]: "))
        || !line.chars().take(400).any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_have_no_marks() {
        let check = |text: &str, doc: bool, expected: &[&str]| {
            assert_eq!(paragraphs(text, doc), expected, "{text}");
        };
        check(
            "# Title\nA *good*\n**day** with [a link](x), [`Code`] and `*p`.\n",
            false,
            &["A good day with a link, `Code` and `*p`."],
        );
        check("- one\n- [ ] two\n  more\n\n1. three", false, &["one", "two more", "three"]);
        check(
            "Title\n===\nText\n```\ncode\n```\n| a |\n[x]: y\n<div>\nEnd",
            false,
            &["Text", "End"],
        );
        check(
            "Does it.\n\n# Examples\n\nlet x\n\n# Errors\n\nFails.",
            true,
            &["Does it.", "Fails."],
        );
        check("Does it.\nArgs:\n  x: y", true, &["Does it."]);
        check(
            "Uses {@link Foo} and <b>bold</b>; a < b > c, Vec<T>, v[0].",
            true,
            &["Uses Foo and bold; a < b > c, Vec<T>, v[0]."],
        );
        check("a\u{1b}[31mb\u{202e}c\u{0}\n", false, &["a[31mbc"]);
    }
}
