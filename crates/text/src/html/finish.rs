//! The allow list, and what of ours goes into HTML after it. Where ours goes is held by characters that
//! no note can say: they are taken out of it.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use ammonia::{Builder, UrlRelative};

use super::Anchor;

/// Around the number of what goes there: of the last plane for private use.
const OPEN: char = '\u{10FFFC}';
const CLOSE: char = '\u{10FFFD}';
pub(super) const FIRST_MARK: usize = 0;
pub(super) const MARK: usize = 1;
pub(super) const MARK_END: usize = 2;
pub(super) const BREAK: usize = 3;
/// From here on: ids of headings.
pub(super) const HEADINGS: usize = 4;

/// What holds a place.
pub(super) fn held(number: usize) -> String {
    format!("{OPEN}{number}{CLOSE}")
}

/// A text that holds no places.
pub(super) fn without_holders(text: &str) -> String {
    text.replace([OPEN, CLOSE], "\u{FFFD}")
}

/// A text without the places that it holds.
pub(super) fn spoken(text: &str) -> String {
    let mut spoken = String::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once(OPEN) {
        spoken.push_str(before);
        rest = from.split_once(CLOSE).map_or("", |(_, after)| after);
    }
    spoken + rest
}

static ALLOWED: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags = [
        "a", "blockquote", "br", "code", "del", "em", "h2", "h3", "h4", "h5", "h6", "hr", "img",
        "li", "ol", "p", "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
    ];
    let of = |attributes: &[&'static str]| attributes.iter().copied().collect::<HashSet<_>>();
    let attributes = HashMap::from([
        ("a", of(&["href"])),
        ("img", of(&["src", "alt"])),
        ("ol", of(&["start"])),
        ("td", of(&["align"])),
        ("th", of(&["align"])),
    ]);
    let mut builder = Builder::empty();
    builder
        .tags(tags.into_iter().collect())
        .tag_attributes(attributes)
        .url_schemes(["http", "https", "mailto"].into_iter().collect())
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("noreferrer nofollow"));
    builder
});

/// Nothing but what is allowed.
pub(super) fn sanitised(html: &str) -> String {
    ALLOWED.clean(html).to_string()
}

/// HTML with what of ours goes into it. Places are looked for in text alone, never within a tag.
pub(super) fn finished(html: &str, anchors: &[Anchor]) -> String {
    let mut out = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = html;
    let mut tables = 0;
    while let Some(at) = rest.find(['<', OPEN]) {
        let (text, from) = rest.split_at(at);
        out.push_str(text);
        let end = if from.starts_with('<') { tag_end(from) } else { holder_end(from) };
        let (piece, after) = from.split_at(end);
        rest = after;
        match piece {
            // Wide ones are scrolled, by keyboard too.
            "<table>" => {
                tables += 1;
                out.push_str(
                    "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table ",
                );
                out.push_str(&format!("{tables}\"><table>"));
            }
            "</table>" => out.push_str("</table></div>"),
            "<pre>" => out.push_str("<pre tabindex=\"0\">"),
            tag if tag.starts_with("<img ") => {
                out.push_str("<img loading=\"lazy\" ");
                out.push_str(&spoken(tag.trim_start_matches("<img ")));
            }
            // Nothing of ours goes into an attribute.
            tag if tag.starts_with('<') => out.push_str(&spoken(tag)),
            holder => fill(holder, anchors, &mut out),
        }
    }
    out.push_str(rest);
    out
}

/// Where a tag ends: its attributes are in double quotes.
fn tag_end(from: &str) -> usize {
    let mut is_quoted = false;
    for (at, byte) in from.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'>' if !is_quoted => return at + 1,
            _ => {}
        }
    }
    from.len()
}

fn holder_end(from: &str) -> usize {
    from.find(CLOSE).map_or(from.len(), |at| at + CLOSE.len_utf8())
}

fn fill(holder: &str, anchors: &[Anchor], out: &mut String) {
    let number = holder.trim_matches([OPEN, CLOSE]).parse::<usize>();
    match number {
        Ok(FIRST_MARK) => out.push_str("<mark id=\"mark\">"),
        Ok(MARK) => out.push_str("<mark>"),
        Ok(MARK_END) => out.push_str("</mark>"),
        Ok(BREAK) => out.push_str("<br>"),
        Ok(number) => {
            let Some(anchor) = number.checked_sub(HEADINGS).and_then(|at| anchors.get(at)) else {
                return;
            };
            // Into the tag of the heading, the last one that was opened.
            let is_heading =
                |at: &usize| out.as_bytes().get(at + 2).is_some_and(|level| level.is_ascii_digit());
            if let Some(at) = out.rfind("<h").filter(is_heading) {
                out.insert_str(at + 3, &format!(" id=\"{}\"", anchor.id));
            }
        }
        Err(_) => {}
    }
}
