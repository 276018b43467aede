//! Where a link's target and heading stand in its text, for whoever changes them; and how a heading is
//! linked to.
//!
//! Nothing is guessed: what is found is read again, and taken only if it says what the parser said.

use std::ops::Range;

use super::{Link, LinkKind, parse};

/// The parts of a link as it is written, in bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Without heading; empty, but at its place, for a link into the note itself.
    pub target: Range<usize>,
    /// What follows `#`.
    pub heading: Option<Range<usize>>,
    /// Whether it stands in pointed brackets, where blanks are allowed.
    pub is_pointed: bool,
}

/// Where the parts of a link of this text are written. `None` where that cannot be told for sure: the
/// target stands elsewhere (`[text][label]`), or is written twice in the same way.
pub fn written(text: &str, link: &Link) -> Option<Written> {
    let source = text.get(link.range.clone())?;
    let ends = match link.kind {
        LinkKind::Inline => inline(source),
        LinkKind::Wiki | LinkKind::Embed => wiki(source, link.kind == LinkKind::Embed),
    };
    let mut fitting = ends.into_iter().filter(|it| says(source, it, link));
    let found = fitting.next()?;
    if fitting.next().is_some() {
        return None;
    }
    let moved = |it: Range<usize>| it.start + link.range.start..it.end + link.range.start;
    Some(Written {
        target: moved(found.target),
        heading: found.heading.map(moved),
        is_pointed: found.is_pointed,
    })
}

/// All that may be the inside of a wikilink.
fn wiki(source: &str, is_embed: bool) -> Vec<Written> {
    let open = if is_embed { "![[" } else { "[[" };
    let starts = source.match_indices(open).map(|(at, _)| at + open.len());
    let inside = starts.filter_map(|start| {
        let end = start + source.get(start..)?.find("]]")?;
        let bar = source.get(start..end)?.find('|').map_or(end, |at| start + at);
        Some(parted(source, start..bar, false))
    });
    inside.collect()
}

/// All that may be the target of an inline link, or of one that is its own text (`<https://...>`).
fn inline(source: &str) -> Vec<Written> {
    let starts = source.match_indices("](").map(|(at, _)| at + 2);
    starts.filter_map(|start| destination(source, start)).collect()
}

/// The destination that begins behind a round bracket.
fn destination(source: &str, start: usize) -> Option<Written> {
    let rest = source.get(start..)?;
    let start = start + (rest.len() - rest.trim_start().len());
    let rest = source.get(start..)?;
    let mut is_escaped = false;
    if rest.starts_with('<') {
        for (at, char) in rest.char_indices().skip(1) {
            match char {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '>' => return Some(parted(source, start + 1..start + at, true)),
                '\n' | '<' => return None,
                _ => {}
            }
        }
        return None;
    }
    let mut depth = 0_usize;
    let mut end = rest.len();
    for (at, char) in rest.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '(' => depth += 1,
            ')' if depth == 0 => {
                end = at;
                break;
            }
            ')' => depth -= 1,
            char if char.is_whitespace() => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    Some(parted(source, start..start + end, false))
}

/// A destination parted at `#`.
fn parted(source: &str, range: Range<usize>, is_pointed: bool) -> Written {
    let raw = source.get(range.clone()).unwrap_or_default();
    let (target, heading) = match raw.find('#') {
        Some(at) => (range.start..range.start + at, Some(range.start + at + 1..range.end)),
        None => (range, None),
    };
    let trim = |range: Range<usize>| {
        let raw = source.get(range.clone()).unwrap_or_default();
        let start = range.start + (raw.len() - raw.trim_start().len());
        start..start + raw.trim().len()
    };
    Written { target: trim(target), heading: heading.map(trim), is_pointed }
}

/// Whether what is written there is what the link says: letter by letter, or read again by the parser
/// where it is escaped.
fn says(source: &str, written: &Written, link: &Link) -> bool {
    let raw = |range: &Range<usize>| source.get(range.clone()).unwrap_or_default();
    let (target, heading) = (raw(&written.target), written.heading.as_ref().map(raw));
    // Of an address, the parser keeps all in the target.
    if link.heading.is_none() && heading.is_some() {
        return false;
    }
    if target == link.target && heading == link.heading.as_deref() {
        return true;
    }
    if !target.contains(['\\', '&']) && !heading.is_some_and(|it| it.contains(['\\', '&'])) {
        return false;
    }
    let whole = match heading {
        Some(heading) => format!("{target}#{heading}"),
        None => target.to_owned(),
    };
    let again = match link.kind {
        LinkKind::Inline if written.is_pointed => format!("[x](<{whole}>)"),
        LinkKind::Inline => format!("[x]({whole})"),
        LinkKind::Wiki | LinkKind::Embed => format!("[[{whole}]]"),
    };
    let Ok(document) = parse(&again) else { return false };
    let [one] = document.links.as_slice() else { return false };
    one.target == link.target && one.heading == link.heading
}

/// A heading as it is linked to: by its words, or as forges write it. Of several that are the same,
/// forges put `-1` behind the second one.
pub fn anchor(heading: &str) -> String {
    let mut anchor = String::new();
    for char in heading.to_lowercase().chars() {
        match char {
            ' ' => anchor.push('-'),
            '-' | '_' => anchor.push(char),
            char if char.is_alphanumeric() => anchor.push(char),
            _ => {}
        }
    }
    anchor
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each link of a text with what is written as its target and heading; `?` where that is not told.
    fn check(text: &str, expected: &[&str]) {
        let document = parse(text).expect("parses");
        let shown = document.links.iter().map(|link| match written(text, link) {
            Some(Written { target, heading, is_pointed }) => {
                let heading = heading.map_or(String::new(), |it| format!("#{}", &text[it]));
                let pointed = if is_pointed { "<>" } else { "" };
                format!("{pointed}{}{heading}", &text[target])
            }
            None => "?".to_owned(),
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn targets_are_found_where_they_stand() {
        check("see [[one]] and [[ two#Part |shown]]", &["one", "two#Part"]);
        check("![[pic.png]] [[#Here]]", &["pic.png", "#Here"]);
        check("a [x](a.md), [y](b%20c.md#part \"title\")", &["a.md", "b%20c.md#part"]);
        check("[x](<a b.md#c>) ![p](d.png)", &["<>a b.md#c", "d.png"]);
        check("[x](a\\_b.md) [y](a&amp;b.md)", &["a\\_b.md", "a&amp;b.md"]);
        check("[x](a(1).md) [`](`](b.md)", &["a(1).md", "b.md"]);
        check("[![p](inner.png)](outer.md)", &["outer.md", "inner.png"]);
        check("[x][label]\n\n[label]: elsewhere.md\n", &["?"]);
        check("<https://example.org/#a> [x](https://example.org/#b)", &["?", "?"]);
        check("> - [x](a.md)\n>   and [[b]]\n", &["a.md", "b"]);
        check("| a | b |\n| - | - |\n| [x](a.md) | [[b]] |\n", &["a.md", "b"]);
        check("---\ntitle: x\n---\n\u{feff}\n\täöü [x](ä.md)\r\n\r\nß [[ü]]\r\n", &["ü"]);
        check("über [x](a.md)\r\nund [[b]]\rund [y](c.md)", &["a.md", "b", "c.md"]);
        check("[x](\na.md)", &["a.md"]);
    }

    #[test]
    fn headings_are_linked_to_as_forges_write_them() {
        for (heading, expected) in
            [("Two words", "two-words"), ("`code` & more!", "code--more"), ("Größe_1", "größe_1")]
        {
            assert_eq!(anchor(heading), expected);
        }
    }
}
