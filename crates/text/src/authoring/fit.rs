//! A text fitted into a note: its headings stand below the one above it, and no code block or
//! HTML that it leaves open swallows what follows.

use super::text::trim_blank;
use crate::markdown::{self, BlockKind, Document, Heading, Unparsable};
use elophanto_base::fenced::fenced;

/// The deepest level of a heading.
const DEEPEST: u8 = 6;
/// Stands behind a text to see whether it is over. Any heading would do.
const MARK: &str = "\n\n# end\n";

/// The text without blank lines at its ends, with no heading above the level `least`, and closed.
/// What can't be closed becomes a block of code.
///
/// # Errors
/// When it hits a cap of the Markdown parser.
pub(super) fn fit(text: &str, least: u8) -> Result<String, Unparsable> {
    let (text, _) = trim_blank(text);
    if text.is_empty() {
        return Ok(String::new());
    }
    let document = parse(text)?;
    let shift = document.headings.iter().map(|heading| heading.level).min();
    let shift = least.saturating_sub(shift.unwrap_or(DEEPEST));
    let expected: Vec<(u8, &str)> = document
        .headings
        .iter()
        .map(|heading| (pushed(heading, shift), heading.text.as_str()))
        .collect();
    let fitted = close(push(text, &document, shift).trim_end().to_owned())?;
    let is_as_meant = {
        let probe = parse(&format!("{fitted}{MARK}"))?;
        let found = probe.headings.iter().map(|found| (found.level, found.text.as_str()));
        found.eq(expected.iter().copied().chain([(1, "end")]))
    };
    Ok(if is_as_meant { fitted } else { fenced("text", text) })
}

/// The level of the heading that a text begins with.
pub(super) fn first_level(text: &str) -> Result<Option<u8>, Unparsable> {
    let (text, _) = trim_blank(text);
    Ok(parse(text)?.blocks.first().and_then(|block| match block.kind {
        BlockKind::Heading(level) => Some(level),
        _ => None,
    }))
}

/// Parses a text that is not at the start of a note, where it would have front matter: offsets are
/// one more than in the text.
fn parse(text: &str) -> Result<Document, Unparsable> {
    markdown::parse(&format!("\n{text}"))
}

fn pushed(heading: &Heading, shift: u8) -> u8 {
    heading.level.saturating_add(shift).min(DEEPEST)
}

fn push(text: &str, document: &Document, shift: u8) -> String {
    if shift == 0 {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + document.headings.len() * usize::from(shift));
    let mut done = 0;
    for heading in &document.headings {
        let (start, end) =
            (heading.range.start.saturating_sub(1), heading.range.end.saturating_sub(1));
        out.push_str(text.get(done..start).unwrap_or_default());
        let source = text.get(start..end).unwrap_or_default();
        let marks = "#".repeat(usize::from(pushed(heading, shift)));
        match content(source) {
            Content::Marked(content) => {
                out.push_str(&marks);
                out.push_str(content);
            }
            Content::Underlined(content) => {
                out.push_str(format!("{marks} {content}").trim_end());
                // Marks at the end would be taken for the closing ones.
                if content.ends_with('#') {
                    out.push_str(&format!(" {marks}"));
                }
                if source.ends_with('\n') {
                    out.push('\n');
                }
            }
        }
        done = end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

enum Content<'a> {
    /// All behind the `#` marks, line feed included.
    Marked(&'a str),
    /// All above the underline, on one line.
    Underlined(String),
}

fn content(source: &str) -> Content<'_> {
    let unmarked = source.trim_start_matches(' ').trim_start_matches('#');
    let is_marked = source.trim_start_matches(' ').starts_with('#')
        && (unmarked.is_empty() || unmarked.starts_with([' ', '\t', '\n']))
        && source.trim_end().lines().count() == 1;
    if is_marked {
        return Content::Marked(unmarked);
    }
    let lines: Vec<&str> = source.trim_end().lines().map(str::trim).collect();
    let said = lines.split_last().map_or(&[][..], |(_underline, said)| said);
    let mut content = String::new();
    for (index, line) in said.iter().enumerate() {
        let slashes = line.len() - line.trim_end_matches('\\').len();
        let breaks = index + 1 < said.len() && slashes % 2 == 1;
        content.push_str(if index > 0 { " " } else { "" });
        content.push_str(line.get(..line.len() - usize::from(breaks)).unwrap_or_default());
    }
    Content::Underlined(content)
}

/// The text with its last block closed, if that would go on.
fn close(text: String) -> Result<String, Unparsable> {
    let probe = parse(&format!("{text}{MARK}"))?;
    let is_closed = probe.headings.last().is_some_and(|last| last.range.start > text.len());
    let Some(last) = probe.blocks.last().filter(|_| !is_closed) else { return Ok(text) };
    let start = last.range.start.saturating_sub(1).min(text.len());
    let (before, open) = text.split_at_checked(start).unwrap_or((&text, ""));
    Ok(match last.kind {
        BlockKind::Code => {
            let mark = open.trim_start().chars().next().filter(|mark| matches!(mark, '`' | '~'));
            let length = mark.map_or(0, |mark| {
                open.trim_start().chars().take_while(|char| *char == mark).count()
            });
            let fence: String = mark.into_iter().cycle().take(length).collect();
            format!("{text}\n{fence}")
        }
        // A comment that nobody ends hides the rest from readers too.
        BlockKind::Html => format!("{before}{}", fenced("text", open)),
        _ => text,
    })
}
