//! What wikis and Pandoc write otherwise than Markdown does: `== Head ==`, `[[page|words]]`, `Term` with
//! `: what it is` below it, and the header of `Key: value` in `<pre>` with which some documents begin. Lines
//! stay lines.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

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
    let fenced = fenced(&text);
    let plain = text.lines().enumerate().filter(|(number, _)| !fenced.contains(number));
    if plain.filter(|(_, line)| heading(line).is_some()).count() < LEAST_HEADINGS {
        return text;
    }
    let header = header(&text);
    let mut shown = String::with_capacity(text.len());
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim_end();
        match heading(bare) {
            _ if fenced.contains(&number) => shown.push_str(bare),
            _ if header.as_ref().is_some_and(|lines| lines.contains(&number)) => {
                let is_mark = matches!(bare.trim(), "<pre>" | "</pre>");
                shown.push_str(if is_mark { "" } else { bare.trim() });
            }
            Some((level, name)) => {
                shown.push_str(&"#".repeat(level));
                shown.push(' ');
                shown.push_str(name);
            }
            None => shown.push_str(&outside_code(bare, without_links)),
        }
        shown.push_str(&line[bare.len()..]);
    }
    Cow::Owned(shown)
}

/// The numbers of the lines of code between fences, with these.
fn fenced(text: &str) -> HashSet<usize> {
    const LEAST: usize = 3;
    let mut fenced = HashSet::new();
    let mut open: Option<(char, usize)> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| line.len() - line.trim_start_matches(mark).len());
        let rest = line.get(length..).unwrap_or_default();
        match open {
            Some((own, least)) => {
                fenced.insert(number);
                if mark == Some(own) && length >= least && rest.is_empty() {
                    open = None;
                }
            }
            None if length >= LEAST && !rest.contains('`') => {
                fenced.insert(number);
                open = mark.map(|mark| (mark, length));
            }
            None => {}
        }
    }
    fenced
}

/// The spans of code of a line, between as many backticks on either side.
fn code_spans(line: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end = at + 1,
            None => runs.push(at..at + 1),
        }
    }
    let mut spans = Vec::new();
    let mut open: Option<Range<usize>> = None;
    for run in runs {
        match open.take() {
            Some(start) if start.len() == run.len() => spans.push(start.start..run.end),
            // Another run within it, or one that nothing closes.
            Some(start) => open = Some(start),
            None => open = Some(run),
        }
    }
    spans
}

/// A line with something done to each part that is no code.
fn outside_code<'t>(line: &'t str, change: fn(&str) -> Cow<'_, str>) -> Cow<'t, str> {
    let spans = code_spans(line);
    if spans.is_empty() {
        return change(line);
    }
    let mut shown = String::with_capacity(line.len());
    let mut from = 0;
    for span in spans {
        shown.push_str(&change(&line[from..span.start]));
        shown.push_str(&line[span.clone()]);
        from = span.end;
    }
    shown.push_str(&change(&line[from..]));
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
    if !text.contains("][") {
        return Cow::Borrowed(text);
    }
    let label = |line: &str| {
        let inner = line.trim_start_matches([' ', '>']).strip_prefix('[')?;
        Some(inner.split_once("]:")?.0.to_lowercase())
    };
    let labels: HashSet<String> = text.lines().filter_map(label).collect();
    let fenced = fenced(text);
    let mut shown = String::with_capacity(text.len());
    for (number, line) in text.split_inclusive('\n').enumerate() {
        match fenced.contains(&number) || !line.contains("][") {
            true => shown.push_str(line),
            false => shown.push_str(&without_unlinked(line, &labels)),
        }
    }
    Cow::Owned(shown)
}

/// A line without those of its references that are no label's.
fn without_unlinked(line: &str, labels: &HashSet<String>) -> String {
    const LONGEST: usize = 80;
    let spans = code_spans(line);
    let is_code = |at: usize| {
        let next = spans.partition_point(|span| span.end <= at);
        spans.get(next).is_some_and(|span| span.contains(&at))
    };
    let mut shown = String::with_capacity(line.len());
    let mut from = 0;
    for (at, _) in line.match_indices("][") {
        let before = line.get(from..at).unwrap_or_default();
        let Some(open) = before.rfind('[').map(|open| from + open) else { continue };
        let Some(close) = line[at + 2..].find(']').map(|close| at + 2 + close) else { break };
        let (words, name) = (&line[open + 1..at], &line[at + 2..close]);
        let name = if name.is_empty() { words } else { name };
        let is_plain = words.starts_with(char::is_alphabetic)
            && close - open <= LONGEST
            && !is_code(at)
            && line[..open].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        if is_plain && !labels.contains(&name.to_lowercase()) {
            shown.push_str(&line[from..open]);
            shown.push_str(words);
            from = close + 1;
        }
    }
    shown.push_str(&line[from..]);
    shown
}

/// `Term` and `: value` below it as an item of a list.
fn defined(text: &str) -> Cow<'_, str> {
    let is_value = |line: &str| line.starts_with(": ") || line.starts_with(":\t");
    if !text.lines().any(is_value) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let fenced = fenced(text);
    let is_term = |at: usize| {
        let above = at.checked_sub(1).is_none_or(|above| lines[above].trim().is_empty());
        let words = lines[at].split_whitespace().count();
        let below = lines.get(at + 1).is_some_and(|below| is_value(below));
        above
            && below
            && !fenced.contains(&at)
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
        check("The `a = [b][0]` and [c][d] and `e`.", "The `a = [b][0]` and c and `e`.");
        check("```\n[a][b]\n```\n[a][b]\n", "```\n[a][b]\n```\na\n");
        check(
            "== A ==\n`[[ -f x ]]` and [[b]].\n~~~ sh\n== x ==\n[[ -f x ]]\n~~~\n== C ==\n",
            "## A\n`[[ -f x ]]` and b.\n~~~ sh\n== x ==\n[[ -f x ]]\n~~~\n## C\n",
        );
        check("```\n== x ==\n\na\n: b\n```\n== y ==\n", "```\n== x ==\n\na\n: b\n```\n== y ==\n");
        check("Smile :)\n: no\n", "Smile :)\n: no\n");
    }

    #[test]
    fn many_references_are_read_in_linear_time() {
        let text = "See [one][two] and `a` here. ".repeat(30_000);
        assert!(as_markdown(&text).starts_with("See one and `a` here. See one"));
        let text = text.replace(". ", ".\n");
        assert!(as_markdown(&text).starts_with("See one and `a` here.\nSee one"));
    }
}
