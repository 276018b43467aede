//! What a note says, part by part, with its links as addresses.

use maud::{Markup, PreEscaped, html};

use super::{Asked, address::encoded, picture, words};
use elophanto_text::{
    html::{Addresses, Anchor, Mark, Part, Rendered, Target, parts, render},
    markdown::{Destination, Document, Link, LinkKind, anchor},
};

/// Bytes of a note on one page.
const ON_EACH: usize = 32 * 1024;

/// What is shown of a note, as it is or as it was.
pub struct Shown<'n> {
    pub path: &'n str,
    pub title: &'n str,
    pub text: &'n str,
    pub document: Option<&'n Document>,
    pub unreadable: Option<&'n str>,
}

/// What a note says, and the way through its parts.
pub struct Body {
    pub html: Markup,
    pub anchors: Vec<Anchor>,
    pub paging: Markup,
}

/// The part that is wanted, or that holds what is marked.
pub fn body(asked: &Asked, shown: &Shown) -> Body {
    let most = if asked.site.is_export { usize::MAX } else { ON_EACH };
    let parts = parts(shown.text, shown.document, most);
    let mark: Option<Mark> = asked.query.get("mark").and_then(|text| text.parse().ok());
    let wanted = asked.query.get("part").and_then(|text| text.parse::<usize>().ok());
    let holding = mark.and_then(|mark| parts.iter().rposition(|part| part.line <= mark.start.0));
    let at =
        wanted.map(|part| part.saturating_sub(1)).or(holding).unwrap_or(0).min(parts.len() - 1);
    let Some(part) = parts.get(at) else {
        return Body { html: html! {}, anchors: Vec::new(), paging: html! {} };
    };
    let (html, anchors) = rendered(asked, shown, part, mark.as_ref());
    let to = |part: usize| {
        let query = asked.query.with("part", Some(&part.to_string()));
        format!("{}?{query}", asked.site.note(shown.path))
    };
    let paging = html! {
        @if parts.len() > 1 {
            nav.pager aria-label="Parts of this note" {
                @if at > 0 { a rel="prev" href=(to(at)) { "\u{2190} Before" } }
                span { "Part " (at + 1) " of " (parts.len()) }
                @if at + 1 < parts.len() { a rel="next" href=(to(at + 2)) { "Next \u{2192}" } }
            }
        }
    };
    Body { html, anchors, paging }
}

/// A note as it would read, whole.
pub fn draft(asked: &Asked, shown: &Shown) -> Markup {
    let all = parts(shown.text, shown.document, usize::MAX);
    html! { @for part in &all { (rendered(asked, shown, part, None).0) } }
}

fn rendered(
    asked: &Asked,
    shown: &Shown,
    part: &Part,
    mark: Option<&Mark>,
) -> (Markup, Vec<Anchor>) {
    let text = shown.text.get(part.range.clone()).unwrap_or_default();
    let as_it_stands = || html! { pre.plain tabindex="0" { (words::text(text)) } };
    if !part.is_whole {
        return (as_it_stands(), Vec::new());
    }
    let link = |link: &Link| target(asked, shown.path, link);
    let picture = |link: &Link| picture::address(asked, shown.path, link);
    let addresses = Addresses { link: &link, picture: &picture };
    match render(text, part.line, shown.title, mark, &addresses) {
        Ok(Rendered { html, anchors, is_marked }) => {
            // A line that is empty, or the title, cannot be marked.
            let is_there = |mark: &Mark| shown.text.lines().count() >= mark.start.0;
            let missing = !is_marked && mark.is_some_and(|mark| !is_there(mark));
            let body = html! {
                @if missing { p.quiet #mark { "What was marked here is no longer there." } }
                @if html.trim().is_empty() { p.quiet { "It says nothing." } }
                div.prose dir="auto" { (PreEscaped(html)) }
            };
            (body, anchors)
        }
        Err(_) => (as_it_stands(), Vec::new()),
    }
}

/// Where a link of a note leads.
fn target(asked: &Asked, note: &str, link: &Link) -> Target {
    let root = &asked.workspace.repository.root;
    let exists = |path: &str| match asked.at {
        Some(_) => asked.catalogue.find(path).is_some(),
        None => root.join(path).exists(),
    };
    match asked.catalogue.names.destination(note, link, &exists, &asked.files) {
        Destination::External if link.kind == LinkKind::Inline && !link.target.starts_with('/') => {
            Target::To(link.target.clone())
        }
        Destination::Inside(path) if asked.catalogue.find(&path).is_some() => {
            let page = asked.site.note(&path);
            match &link.heading {
                Some(heading) if path == note || !heading.is_empty() => {
                    Target::To(format!("{page}#s-{}", encoded(anchor(heading))))
                }
                _ => Target::To(page),
            }
        }
        // A file on a forge that is no note.
        Destination::Inside(_) if link.target.contains("://") => Target::To(link.target.clone()),
        _ => Target::Nowhere,
    }
}
