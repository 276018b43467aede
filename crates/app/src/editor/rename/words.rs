//! Where the words of a heading stand, and texts with others in their place. Pure.

use std::ops::Range;

use elophanto_text::markdown::Heading;

/// Where the words of a heading stand; `None` where they have several lines.
pub fn words_of(text: &str, heading: &Heading) -> Option<Range<usize>> {
    let whole = text.get(heading.range.clone())?;
    let line = whole.lines().next()?;
    let start = line.len() - line.trim_start().len();
    let body = &line[start..];
    let (from, end) = if body.starts_with('#') {
        let marks = body.len() - body.trim_start_matches('#').len();
        let from = start + marks + (body[marks..].len() - body[marks..].trim_start().len());
        let end = line.trim_end().len();
        // Marks behind the words close it.
        let words = line.get(from..end).unwrap_or_default();
        let bare = words.trim_end_matches('#');
        let closes = bare.len() < words.len() && (bare.is_empty() || bare.ends_with([' ', '\t']));
        (from, if closes { from + bare.trim_end().len() } else { end })
    } else {
        let is_one = whole.trim_end().lines().count() == 2;
        (start, if is_one { line.trim_end().len() } else { return None })
    };
    Some(heading.range.start + from..heading.range.start + end.max(from))
}

/// A text with others in the place of some of its bytes, which are in its order.
pub fn apply(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (range, new) in edits {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(new);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
