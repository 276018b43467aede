//! Markdown and plain text: headings, told by lines.
//!
//! A scan by lines is enough for what an outline says, and no text makes it slow.

use super::{
    draft::{Draft, Found},
    kind::ItemKind,
    prose,
};

/// Which headings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// `# Title`, underlined titles, fences, front matter.
    Markdown,
    /// Underlined titles only.
    Plain,
}

/// A heading; its section ends where the next one begins that is not below it.
struct Heading<'t> {
    level: usize,
    title: &'t str,
    start: usize,
    /// Behind the heading's own lines.
    body: usize,
    /// Where the text in front of the next heading of any level ends.
    own_end: usize,
    /// Where the section ends.
    end: usize,
}

pub(super) fn read(draft: &mut Draft<'_>, flavour: Flavour) {
    let text = draft.text;
    let start = if flavour == Flavour::Markdown { behind_front_matter(text) } else { 0 };
    let headings = headings(text, start, flavour);
    let front = front_value(&text[..start], "description");
    let title = front_value(&text[..start], "title")
        .or_else(|| headings.first().map(|first| first.title))
        .unwrap_or_default();
    let first = headings.iter().find_map(|heading| {
        let paragraph = paragraph(&text[heading.body..heading.own_end]);
        (!paragraph.is_empty()).then_some(paragraph)
    });
    let intro = paragraph(&text[start..headings.first().map_or(text.len(), |h| h.start)]);
    let said = if intro.is_empty() { first.unwrap_or_default() } else { intro };
    let parts = [title, front.unwrap_or_default(), &said];
    draft.purpose(&parts.map(str::trim).join("\n\n").replace("\n\n\n\n", "\n\n"));
    // Numbers of the headings that the next one may be below, with their levels.
    let mut above: Vec<(usize, Option<usize>)> = Vec::new();
    for heading in &headings {
        while above.last().is_some_and(|(level, _)| *level >= heading.level) {
            above.pop();
        }
        let doc = paragraph(&text[heading.body..heading.own_end]);
        let number = draft.add(Found {
            parent: above.last().and_then(|(_, number)| *number),
            signature: text[heading.start..heading.body].lines().next().unwrap_or_default(),
            doc: &doc,
            ..Found::new(ItemKind::Heading, heading.title, heading.start..heading.end)
        });
        above.push((heading.level, number));
    }
}

fn headings(text: &str, from: usize, flavour: Flavour) -> Vec<Heading<'_>> {
    let mut found: Vec<Heading<'_>> = Vec::new();
    let mut fence: Option<(u8, usize)> = None;
    let mut comment = false;
    // The line before, if it may be the title of an underline.
    let mut before: Option<(usize, &str)> = None;
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let previous = before.take();
        let bare = line.trim();
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if flavour == Flavour::Markdown {
            if comment {
                comment = !bare.contains("-->");
                continue;
            }
            if let Some((mark, length)) = fence {
                let (closing, rest) = fence_of(bare).unwrap_or((0, 0));
                if closing == mark && rest >= length && bare.len() == rest {
                    fence = None;
                }
                continue;
            }
            if let Some(opened) = fence_of(bare).filter(|_| !indented) {
                fence = Some(opened);
                continue;
            }
            if bare.starts_with("<!--") {
                comment = !bare.contains("-->");
                continue;
            }
            if let Some((level, title)) = hashes(bare).filter(|_| !indented) {
                found.push(heading(level, title, start, at));
                continue;
            }
        }
        if let (Some((above, title)), Some(level)) = (previous, underline(bare, flavour)) {
            found.push(heading(level, title, above, at));
        } else if !bare.is_empty() && !indented && !is_block(bare) {
            // Only a paragraph of one line: what is under a longer one is more often a table.
            let alone = previous.is_none();
            before = Some((start, if alone { bare } else { "" }));
        }
    }
    close(&mut found, text.len());
    found
}

fn heading(level: usize, title: &str, start: usize, body: usize) -> Heading<'_> {
    Heading { level, title, start, body, own_end: body, end: body }
}

/// Where sections end, from the last to the first.
fn close(headings: &mut [Heading<'_>], end: usize) {
    let mut next = end;
    // The nearest start of a heading of this level or above, by level.
    let mut ends = [end; 7];
    for heading in headings.iter_mut().rev() {
        heading.own_end = next;
        let level = heading.level.min(6);
        heading.end = ends[level];
        next = heading.start;
        ends[level..].fill(heading.start);
    }
}

/// `## Title ##` is a heading of level 2.
fn hashes(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let title = rest.trim();
    let bare = title.trim_end_matches('#');
    let closed = bare.len() < title.len() && (bare.is_empty() || bare.ends_with(' '));
    Some((level, if closed { bare.trim_end() } else { title }))
}

/// The level of the heading above such a line.
fn underline(line: &str, flavour: Flavour) -> Option<usize> {
    let mark = line.bytes().next()?;
    let least = if flavour == Flavour::Markdown { 1 } else { 3 };
    if line.len() < least || line.bytes().any(|byte| byte != mark) {
        return None;
    }
    match mark {
        b'=' => Some(1),
        b'-' => Some(2),
        b'~' if flavour == Flavour::Plain => Some(3),
        _ => None,
    }
}

/// The mark of a fence and how often it is there.
fn fence_of(line: &str) -> Option<(u8, usize)> {
    let mark = line.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = line.bytes().take_while(|byte| *byte == mark).count();
    // An inline span of code may begin a line.
    let inline = mark == b'`' && line[length..].contains('`');
    (length >= 3 && !inline).then_some((mark, length))
}

/// Lists, quotes, tables and markup are no titles and no paragraphs.
fn is_block(line: &str) -> bool {
    let item = ["- ", "* ", "+ ", ">", "|", "<", "![", "[![", "```", "~~~", "[//]", ":::"];
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "))
    };
    item.iter().any(|start| line.starts_with(start)) || numbered()
}

/// The first run of lines that are prose.
fn paragraph(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut fence: Option<(u8, usize)> = None;
    let mut comment = false;
    for line in text.lines() {
        let bare = line.trim();
        if comment || bare.starts_with("<!--") {
            comment = !bare.contains("-->");
            continue;
        }
        if let Some((mark, length)) = fence {
            if fence_of(bare).is_some_and(|(m, l)| m == mark && l >= length) {
                fence = None;
            }
            continue;
        }
        fence = fence_of(bare);
        let says = fence.is_none() && !is_block(bare) && bare.contains(char::is_alphanumeric);
        if says {
            lines.push(bare);
        } else if !lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

/// Where the text starts behind `---` lines that hold front matter.
fn behind_front_matter(text: &str) -> usize {
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim_end();
        at += line.len();
        match number {
            0 if bare.trim_start_matches('\u{feff}') != "---" => return 0,
            0 => {}
            _ if bare == "---" || bare == "..." => return at,
            _ => {}
        }
    }
    0
}

/// A plain value of the front matter.
fn front_value<'t>(front: &'t str, key: &str) -> Option<&'t str> {
    let value = |line: &'t str| line.strip_prefix(key)?.strip_prefix(':');
    let value = front.lines().find_map(value)?.trim().trim_matches(['"', '\'']);
    let plain = !value.is_empty() && !value.starts_with(['|', '>', '&', '*', '[', '{']);
    plain.then(|| prose::head(value, super::caps::DOC))
}
