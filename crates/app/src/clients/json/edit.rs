//! Putting an item into a file and taking it out again, to the byte.
//!
//! Who takes something out knows the text alone, not what it was before. So the layout says which
//! brackets were there first:
//!
//! | what was there | what it becomes |
//! | --- | --- |
//! | nothing (brackets are made) | the item over several lines, or on one with blanks around it |
//! | `{}` | the item on one line, that line by itself |
//! | `{ }`, with any white space | the item right behind the bracket, the white space after it |
//! | items over several lines | one more, over several lines |
//! | items on one line | one more, on that line |
//!
//! Brackets of the first kind go with their last item, the others stay.

use std::ops::Range;

use serde_json::Value;

use super::{
    parse::{Document, Node},
    value::{Layout, item, render},
};

/// The text with `new` in place of a span.
pub fn replace(text: &str, span: Range<usize>, new: &str) -> String {
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    [before, new, after].concat()
}

/// The text of a file that holds this value only, put after what was there (blank).
pub fn created(before: Option<&str>, value: &Value) -> String {
    let blank = before.unwrap_or_default();
    let layout = Layout::Block { indent: "", unit: "  ", eol: line_end(blank) };
    // A file that was there is told from one that was not by its last line.
    let end = if before.is_some() { "" } else { "\n" };
    [blank, &render(value, layout), end].concat()
}

/// The text with one more item at the end of an object (with a key) or an array (without).
pub fn append(
    document: &Document<'_>,
    container: &Node,
    key: Option<&str>,
    value: &Value,
) -> String {
    let text = document.text;
    let (open, close) = inside(container);
    let items = container.items();
    let last = items.last().map(|item| item.end);
    let eol = line_end(text);
    let unit = unit(text);
    let outer = line_indent(text, container.span.start);
    if is_blank(document, container) && items.is_empty() {
        let line = item(key, value, Layout::Line);
        let new = match open == close {
            true => format!("{eol}{outer}{unit}{line}{eol}{outer}"),
            false => line,
        };
        return replace(text, open..open, &new);
    }
    let comma = last.and_then(|last| document.comma_between(last, close));
    let comment = document.comment_between(last.unwrap_or(open), close);
    let at = [Some(open), last, comma.map(|comma| comma + 1), comment];
    let at = at.into_iter().flatten().max().unwrap_or(open);
    let mut new = if gaps(container, &items).any(|gap| has_line_end(document.slice(gap))) {
        let indent = items.first().and_then(|first| own_indent(text, open, first.start));
        let indent = indent.map_or_else(|| format!("{outer}{unit}"), str::to_owned);
        let layout = Layout::Block { indent: &indent, unit, eol };
        format!("{eol}{indent}{}", item(key, value, layout))
    } else {
        format!(" {}", item(key, value, Layout::Line))
    };
    if comma.is_some() {
        new.push(',');
    }
    let text = replace(text, at..at, &new);
    match last {
        Some(last) if comma.is_none() => replace(&text, last..last, ","),
        _ => text,
    }
}

/// The text without the item that these numbers lead to from the root, and without the brackets
/// around it that were made for it. `None`: the file was made for it.
pub fn take_out(document: &Document<'_>, route: &[usize]) -> Option<String> {
    let text = document.text;
    let root = document.root.as_ref();
    for depth in (0..route.len()).rev() {
        let (above, index) = (route.get(..depth), route.get(depth));
        let container = above
            .and_then(|above| above.iter().try_fold(root?, |node, index| node.item(*index)))
            .zip(index);
        let Some((container, index)) = container else { return Some(text.to_owned()) };
        let items = container.items();
        let Some(item) = items.get(*index) else { return Some(text.to_owned()) };
        let (open, close) = inside(container);
        let is_alone = items.len() == 1
            && is_blank(document, container)
            && document.comma_between(item.end, close).is_none();
        if !is_alone {
            return Some(without(document, (open, close), &items, *index));
        }
        let lead = document.slice(open..item.start);
        match (has_line_end(lead), has_line_end(document.slice(item.clone()))) {
            // Made with its brackets, unless those are the file's, which is never made on one line.
            (true, true) => {}
            (false, false) if !lead.is_empty() && depth > 0 => {}
            (true, false) => return Some(replace(text, open..close, "")),
            _ => return Some(replace(text, open..item.end, "")),
        }
    }
    let Some(root) = root else { return Some(text.to_owned()) };
    let (open, close) = inside(root);
    let before = document.slice(0..root.span.start);
    let after = document.slice(root.span.end..text.len());
    match (before, after) {
        ("", "\n") => None,
        (before, "") if before.trim_matches(is_space).is_empty() => Some(before.to_owned()),
        _ => Some(replace(text, open..close, "")),
    }
}

fn without(
    document: &Document<'_>,
    (open, close): (usize, usize),
    items: &[Range<usize>],
    index: usize,
) -> String {
    let Some(item) = items.get(index) else { return document.text.to_owned() };
    let previous = index.checked_sub(1).and_then(|index| items.get(index)).map(|item| item.end);
    let next = items.get(index + 1).map_or(close, |item| item.start);
    let comma = previous.and_then(|previous| document.comma_between(previous, item.start));
    let start = previous.unwrap_or(open);
    let comment = document.comment_between(start, item.start);
    let lead = [Some(start), comma.map(|comma| comma + 1), comment];
    let lead = lead.into_iter().flatten().max().unwrap_or(start);
    // From the end, so that the places before stay true.
    let (after, comma) = match document.comma_between(item.end, next) {
        Some(after) => (Some(after), None),
        None => (None, comma),
    };
    let mut text = document.text.to_owned();
    let spans = [after.map(|at| at..at + 1), Some(lead..item.end), comma.map(|at| at..at + 1)];
    for span in spans.into_iter().flatten() {
        text = replace(&text, span, "");
    }
    text
}

/// Where the inside of a pair of brackets begins and ends.
fn inside(container: &Node) -> (usize, usize) {
    (container.span.start + 1, container.span.end.saturating_sub(1))
}

/// Whether nothing but white space and commas stands between the brackets and around the items.
fn is_blank(document: &Document<'_>, container: &Node) -> bool {
    let items = container.items();
    gaps(container, &items).all(|gap| document.comment_between(gap.start, gap.end).is_none())
}

/// What is between the brackets and no item.
fn gaps(container: &Node, items: &[Range<usize>]) -> impl Iterator<Item = Range<usize>> {
    let (open, close) = inside(container);
    let starts = [open].into_iter().chain(items.iter().map(|item| item.end));
    let ends = items.iter().map(|item| item.start).chain([close]);
    starts.zip(ends).map(|(start, end)| start..end)
}

/// The white space before an item that begins its line, which is not that of the bracket.
fn own_indent(text: &str, open: usize, start: usize) -> Option<&str> {
    let lead = text.get(open..start)?;
    let indent = lead.get(lead.rfind(['\n', '\r'])? + 1..)?;
    indent.bytes().all(|byte| matches!(byte, b' ' | b'\t')).then_some(indent)
}

/// The white space that the line of a place begins with.
fn line_indent(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let line = text.get(start..).unwrap_or_default();
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

/// What the file indents by: the white space before the first line that is indented.
fn unit(text: &str) -> &str {
    let first = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    let indent = first.map(|line| line_indent(line, 0));
    match indent {
        Some(indent) if indent.starts_with('\t') => "\t",
        Some(indent) if indent.len() <= 8 => indent,
        _ => "  ",
    }
}

/// How the lines of a text end: as its first does.
pub fn line_end(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with("\r\n") { "\r\n" } else { "\n" }
}

fn has_line_end(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\n' | '\r' | '\u{feff}')
}
