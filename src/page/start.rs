//! Where one begins: what there is, what changed, what waits.

use maud::html;
use serde_json::json;

use super::{Asked, Page, Tab, words};
use crate::wire::page::NoteLineWire;
use elophanto_app::{Result, questions};

/// Notes that changed last.
const LATEST: usize = 12;

pub fn page(asked: &Asked) -> Result<Page> {
    let (catalogue, site) = (&asked.catalogue, &asked.site);
    if site.is_export {
        return exported(asked);
    }
    let known = questions::known(&asked.workspace)?;
    let waiting = questions::waiting(&known, None, 3);
    let open = waiting.questions.len() + waiting.more;
    let latest = catalogue.latest(LATEST);
    let notes = catalogue.entries.len();
    let twin = json!({
        "repository": asked.name,
        "notes": notes,
        "chunks": catalogue.chunks,
        "waiting": catalogue.waiting,
        "broken_links": catalogue.broken,
        "questions": open,
        // Counts how often notes have changed since the page was first looked at.
        "number": catalogue.number,
        "latest": latest.iter().map(|it| NoteLineWire::from(*it)).collect::<Vec<_>>(),
    });
    asked.page(Tab::Start, "Start", &twin, || html! {
        h1 { (words::line(&asked.name)) }
        form.large role="search" aria-label="Ask" action=(site.page("search")) method="get" {
            label for="ask" { "What do you want to know?" }
            span.row {
                input #ask type="search" name="q" autocomplete="off" spellcheck="false" placeholder="A few words, or a question";
                button type="submit" { "Search" }
                button type="submit" formaction=(site.page("answer")) { "Answer" }
            }
        }
        dl.figures {
            div { dt { "Notes" } dd { a href=(site.page("notes")) { (words::number(notes)) } } }
            div { dt { "Passages" } dd { (words::number(catalogue.chunks)) } }
            div { dt { "Waiting for a vector" } dd { (words::number(catalogue.waiting)) } }
            div { dt { "Links that lead nowhere" } dd { a href=(site.page("status")) { (words::number(catalogue.broken)) } } }
            div { dt { "Open questions" } dd { a href=(site.page("questions")) { (words::number(open)) } } }
        }
        @if notes == 0 {
            section.empty aria-labelledby="empty" {
                h2 #empty { "There are no notes yet" }
                p { "Write a Markdown file into the repository, or run " code { "elophanto init" } " in a terminal." }
            }
        }
        section aria-labelledby="latest" data-live=(site.to("index")) {
            h2 #latest { "Changed last" }
            (super::notes::list(asked, &latest))
        }
        @if open > 0 {
            section aria-labelledby="open" {
                h2 #open { "Open questions" }
                ul.plain { @for asked_ in &waiting.questions { li { (words::line(asked_.question)) } } }
                p { a href=(site.page("questions")) { "All " (words::number(open)) } }
            }
        }
    })
}

/// The same of pages that are files: what this machine knows beside is left out.
fn exported(asked: &Asked) -> Result<Page> {
    let latest = asked.catalogue.latest(LATEST);
    asked.page(Tab::Start, "Start", &(), || {
        html! {
            h1 { (words::line(&asked.name)) }
            p {
                (words::number(asked.catalogue.entries.len())) " notes: "
                a href=(asked.site.page("notes")) { "all of them" } ", "
                a href=(asked.site.page("entities")) { "what is known of things" } ", "
                a href=(asked.site.page("graph")) { "how they hang together" } "."
            }
            section aria-labelledby="latest" {
                h2 #latest { "Changed last" }
                (super::notes::list(asked, &latest))
            }
        }
    })
}
