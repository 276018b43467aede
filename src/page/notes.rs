//! All notes, folder by folder.

use maud::{Markup, html};
use serde_json::json;

use super::{Asked, Page, Tab, address::encoded, frame::pager, words};
use crate::wire::page::NoteLineWire;
use elophanto_app::{Error, Result, reading::Entry};
use elophanto_index::Kind;

/// Notes on a page.
pub const ON_EACH: usize = 100;

pub fn page(asked: &Asked) -> Result<Page> {
    let folder = asked.query.get("folder").unwrap_or_default().trim_matches('/');
    let first = (asked.query.page() - 1) * ON_EACH;
    let listed = asked.catalogue.folder(folder, first, ON_EACH);
    if listed.folders.is_empty() && listed.total == 0 && !folder.is_empty() {
        let error = Error::new(format_args!("no note lies in `{}`", words::line(folder)))
            .hint("the folders that there are stand under Notes");
        return Ok(asked.missing(Tab::Notes, &error));
    }
    let folders = listed.folders.iter().map(|it| json!({ "path": it.path, "notes": it.notes }));
    let twin = json!({
        "folder": folder,
        "folders": folders.collect::<Vec<_>>(),
        "notes": listed.notes.iter().map(|it| NoteLineWire::from(*it)).collect::<Vec<_>>(),
        // Notes in it, on all pages.
        "total": listed.total,
        "page": asked.query.page(),
    });
    asked.page(Tab::Notes, "Notes", &twin, || {
        html! {
            h1 { "Notes" }
            (crumbs(asked, folder))
            div data-live=(asked.site.to("notes")) {
                @if !listed.folders.is_empty() {
                    ul.folders {
                        @for it in &listed.folders {
                            li {
                                a href=(of_folder(asked, &it.path)) { (words::line(&it.name)) "/" }
                                span.quiet { " " (words::number(it.notes)) }
                            }
                        }
                    }
                }
                @if listed.total > 0 { (list(asked, &listed.notes)) }
                @else if listed.folders.is_empty() { p { "There are no notes yet." } }
            }
            (pager(asked, &asked.site.page("notes"), listed.total, ON_EACH))
        }
    })
}

/// All notes in one list, for pages that are files.
pub fn exported(asked: &Asked) -> Result<Page> {
    let entries = &asked.catalogue.entries;
    let first = (asked.query.page() - 1) * ON_EACH;
    let shown: Vec<&Entry> = entries.iter().skip(first).take(ON_EACH).collect();
    asked.page(Tab::Notes, "Notes", &(), || {
        html! {
            h1 { "Notes" }
            p { "All " (words::number(entries.len())) ", by path." }
            (list(asked, &shown))
            (pager(asked, &asked.site.page("notes"), entries.len(), ON_EACH))
        }
    })
}

/// The page of a folder.
pub fn of_folder(asked: &Asked, folder: &str) -> String {
    let page = asked.site.page("notes");
    match (folder.is_empty(), asked.site.is_export) {
        (true, _) | (_, true) => page,
        _ => format!("{page}?folder={}", encoded(folder)),
    }
}

/// The folders that lead to one, each a link.
pub fn crumbs(asked: &Asked, folder: &str) -> Markup {
    let mut so_far = String::new();
    html! {
        nav.crumbs aria-label="Folder" {
            a href=(of_folder(asked, "")) { (words::line(&asked.name)) }
            @for name in folder.split('/').filter(|name| !name.is_empty()) {
                ({
                    if !so_far.is_empty() {
                        so_far.push('/');
                    }
                    so_far.push_str(name);
                    " / "
                })
                a href=(of_folder(asked, &so_far)) { (words::line(name)) }
            }
        }
    }
}

/// Notes in a list that keys go through.
pub fn list(asked: &Asked, notes: &[&Entry]) -> Markup {
    html! {
        ol.notes data-list {
            @for it in notes {
                li {
                    a href=(asked.site.note(&it.name)) { (words::line(&it.title)) }
                    @if it.kind == Kind::Fact { " " span.badge { "entity" } }
                    span.quiet { " " bdi { (words::line(&it.name)) } ", " (words::day(it.changed)) }
                }
            }
        }
    }
}
