//! Where the words of a heading stand, texts with others in their place, and how links are written anew: those to
//! pages of a site stay such. Pure.

use std::ops::Range;

use super::super::fixes::{LinkStyle, encoded, targets};
use elophanto_text::markdown::{Heading, Link, LinkKind, percent_decode};

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

/// All targets under which the note at `to`, which was at `was`, may be written in a link of the note at `from`:
/// in the form that the link has.
pub fn written_anew(from: &str, was: &str, to: &str, link: &Link, is_pointed: bool) -> Vec<String> {
    let style = LinkStyle {
        kind: link.kind,
        is_pointed,
        is_whole: link.target.ends_with(".md"),
        has_path: link.target.contains('/'),
    };
    if link.kind == LinkKind::Inline && link.target.starts_with('/') {
        let path = from_top(was, to, &link.target);
        return path
            .map(|path| if is_pointed { path } else { encoded(&path) })
            .into_iter()
            .collect();
    }
    let page = (link.kind == LinkKind::Inline && link.target.ends_with(".html"))
        .then(|| targets(from, to, LinkStyle { is_whole: false, has_path: true, ..style }))
        .and_then(|all| Some(format!("{}.html", all.first()?)));
    page.into_iter().chain(targets(from, to, style)).collect()
}

/// The address of a note from the top of the site in which it was found by another; `None` where it lies
/// outside of that site now.
fn from_top(was: &str, is: &str, address: &str) -> Option<String> {
    let (path, asked) = address.split_at(address.find('?').unwrap_or(address.len()));
    let name = percent_decode(path.trim_matches('/'))?;
    let is_page = name.ends_with(".html");
    let bare = name.strip_suffix(".html").or(name.strip_suffix(".md")).unwrap_or(&name);
    let bare = bare.strip_suffix("/index").unwrap_or(bare);
    let mut found = was.rmatch_indices(bare).map(|(at, _)| &was[..at]);
    let top = found.find(|top| top.is_empty() || top.ends_with('/'))?;
    let mut rest = is.strip_prefix(top)?;
    if !name.ends_with(".md") {
        rest = rest.strip_suffix(".md").unwrap_or(rest);
        let in_folder =
            ["/index", "/_index", "/README"].iter().find_map(|it| rest.strip_suffix(it));
        rest = in_folder.filter(|_| !is_page).unwrap_or(rest);
    }
    let ending = if is_page { ".html" } else { "" };
    let slash = if path.ends_with('/') { "/" } else { "" };
    Some(format!("/{rest}{ending}{slash}{asked}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_stays_one_of_its_site() {
        for (was, is, address, expected) in [
            ("one.md", "new.md", "/one.md", Some("/new.md")),
            ("docs/a/one.md", "docs/b/new.md", "/a/one", Some("/b/new")),
            ("docs/a/one.md", "docs/b/new.md", "/docs/a/one/", Some("/docs/b/new/")),
            ("docs/a/one.md", "docs/new.md", "/a/one.html", Some("/new.html")),
            ("docs/a/one.md", "docs/new.md", "/a/one.md?plain=1", Some("/new.md?plain=1")),
            ("docs/a/index.md", "docs/b/README.md", "/a/", Some("/b/")),
            ("docs/a/README.md", "docs/b.md", "/a/index.html", Some("/b.html")),
            ("docs/a b.md", "docs/c d.md", "/a%20b", Some("/c d")),
            ("a/a/a.md", "a/a/b.md", "/a", Some("/b")),
            ("docs/a/one.md", "other/one.md", "/a/one", None),
        ] {
            assert_eq!(from_top(was, is, address).as_deref(), expected, "{was} {is} {address}");
        }
    }
}
