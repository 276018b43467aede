//! What stands beside a note: its outline, what is linked with it or resembles it, its versions.

use maud::{Markup, html};

use super::{Asked, address::encoded, charts, history, search, words};
use elophanto_app::{
    reading::{Alike, Linked, Past, Version},
    when,
};
use elophanto_base::counted::counted;
use elophanto_repo::Touched;
use elophanto_text::html::Anchor;

/// Commits that are listed.
const COMMITS: usize = 8;
/// Bars of the picture of commits.
const MONTHS: usize = 24;
const MONTH: i64 = 30 * 86_400;

/// The headings of a note, each a link.
pub fn outline(anchors: &[Anchor]) -> Markup {
    html! {
        @if anchors.len() > 1 {
            nav.outline aria-label="Outline" {
                h2 { "Outline" }
                ul {
                    @for anchor in anchors {
                        li class=(format!("level-{}", anchor.level)) { a href=(format!("#{}", anchor.id)) { (words::line(&anchor.text)) } }
                    }
                }
            }
        }
    }
}

/// Links, and how many there are.
pub fn linked(
    title: &str,
    (links, total): &(Vec<Linked>, usize),
    asked: &Asked,
    opens_line: bool,
) -> Markup {
    html! {
        @if *total > 0 {
            section {
                h2 { (title) " " span.quiet { (words::number(*total)) } }
                ul.plain {
                    @for it in links {
                        @let page = asked.site.note(&it.path);
                        li {
                            a href=(if opens_line { asked.site.marked(&it.path, it.line) } else { page }) { (words::line(&it.title)) }
                            @if opens_line && !it.text.is_empty() { " " span.quiet { (words::line(&it.text)) } }
                        }
                    }
                }
                @if links.len() < *total { p.quiet { "The first " (links.len()) " of " (words::number(*total)) "." } }
            }
        }
    }
}

/// What resembles a note, first what is not linked with it.
pub fn similar(asked: &Asked, alike: &[Alike]) -> Markup {
    let parts = [("Says similar things, and is not linked", false), ("Says similar things", true)];
    html! {
        @for (title, wanted) in parts {
            @let part = || alike.iter().filter(|it| it.is_linked == wanted);
            @if part().next().is_some() {
                section {
                    h2 { (title) }
                    ul.plain {
                        @for Alike { hit, .. } in part() {
                            li {
                                @match search::place(&asked.site, hit) {
                                    Some(address) => { a href=(address) { (words::line(&hit.title)) } }
                                    None => { (words::line(&hit.path.to_text())) }
                                }
                                " " span.quiet { (search::passage(hit)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Older and newer versions, one step at a time.
pub fn slider(asked: &Asked, path: &str, version: Option<&Version>, past: &Past) -> Markup {
    let made = version.and_then(|version| version.made);
    let (older, newer) = match made {
        Some(made) => past.around(&made),
        None if version.is_none() => (past.commits.get(1), None),
        None => (past.commits.first(), None),
    };
    let to = |commit: &Touched| format!("{}?at={}", asked.site.note(path), commit.commit.short());
    html! {
        @if !asked.site.is_export && (older.is_some() || version.is_some()) {
            nav.slider aria-label="Versions" {
                @if let Some(it) = older { a rel="prev" href=(to(it)) { "\u{2190} Older, " (when::day(it.time)) } } @else { span.quiet { "The first version" } }
                @match (newer, version) {
                    (Some(it), _) => { a rel="next" href=(to(it)) { "Newer, " (when::day(it.time)) " \u{2192}" } }
                    (None, Some(_)) => { a rel="next" href=(asked.site.note(path)) { "As it is now \u{2192}" } }
                    (None, None) => { span.quiet { "As it is now" } }
                }
            }
        }
    }
}

/// The last commits of a note.
pub fn history_of(asked: &Asked, path: &str, past: &Past) -> Markup {
    html! {
        @if !asked.site.is_export {
            section {
                h2 { "History" }
                @if let Some(reason) = &past.untold { p.quiet { "Not told: " (words::line(reason)) "." } }
                @else if past.commits.is_empty() { p.quiet { "It is in no commit yet." } }
                @else {
                    (sparkline(past))
                    (history::list(asked, path, past.commits.iter().take(COMMITS)))
                    (history::cut_off(past))
                    @if past.commits.len() > COMMITS {
                        p { a href=(asked.site.to(&format!("history/{}", encoded(path)))) { "All " (past.commits.len()) } }
                    }
                }
            }
        }
    }
}

/// Commits a month, up to the last one.
pub fn sparkline(past: &Past) -> Markup {
    let newest = past.commits.iter().map(|it| it.time).max().unwrap_or(0);
    let mut counts = [0; MONTHS];
    for commit in &past.commits {
        let ago = usize::try_from((newest - commit.time) / MONTH).unwrap_or(MONTHS);
        if let Some(count) = (MONTHS - 1).checked_sub(ago).and_then(|at| counts.get_mut(at)) {
            *count += 1;
        }
    }
    let in_all: usize = counts.iter().sum();
    charts::bars(
        &counts,
        &format!("{} in the two years up to {}", counted(in_all, "commit"), when::day(newest)),
    )
}
