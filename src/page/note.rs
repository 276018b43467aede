//! A note: what it says, and what is known of it.

use maud::{Markup, html};

use super::{
    Asked, Page, Shape, Tab,
    address::encoded,
    beside::{history_of, linked, outline, similar, slider},
    body::{Shown, body},
    notes::crumbs,
    words,
};
use crate::wire::{
    CommitWire, DriftWire,
    page::{AlikeNoteWire, HeadingWire, LinkWire, NoteWire},
};
use elophanto_app::{
    Error, Result,
    reading::{self, Alike, Note, Past, Version, drift_of, past},
    when,
};
use elophanto_base::counted::counted;
use elophanto_index::{Kind, drift::Drift};
use elophanto_repo::{NotePath, Touched};
use elophanto_text::{html::Mark, markdown};

pub fn page(asked: &Asked, path: &str) -> Result<Page> {
    let entry = asked.catalogue.find(path).and_then(|it| asked.catalogue.entries.get(it));
    let past = past(&asked.workspace, &entry.map_or_else(|| path.into(), |it| it.path.clone()));
    if let Some(revision) = asked.query.get("at") {
        return match reading::version(&asked.workspace, path, revision, &past)? {
            Some(version) => old(asked, path, &version, &past),
            None => Ok(asked.missing(Tab::Notes, &not_then(path, revision))),
        };
    }
    match asked.note(path)? {
        Some(note) if asked.shape == Shape::Markdown => Ok(Page::Markdown(note.text)),
        Some(note) => now(asked, &note, &past),
        None => Ok(asked.missing(Tab::Notes, &gone(asked, path, &past))),
    }
}

fn gone(asked: &Asked, path: &str, past: &Past) -> Error {
    let error = Error::new(format_args!("there is no note `{}`", words::line(path)));
    match past.commits.first() {
        Some(last) if asked.catalogue.problem(path).is_none() => error.hint(format!(
            "it was changed last in commit {} of {}: put `?at={}~1` behind the address to read it as it \
             was before",
            last.commit.short(),
            when::day(last.time),
            last.commit.short(),
        )),
        _ => asked.no_note(path),
    }
}

fn not_then(path: &str, revision: &str) -> Error {
    Error::new(format_args!(
        "there was no note `{}` at `{}`",
        words::line(path),
        words::line(revision)
    ))
    .hint("leave out `?at=` for the note as it is now")
}

fn now(asked: &Asked, note: &Note, past: &Past) -> Result<Page> {
    let path = note.path.to_text();
    let shown = Shown {
        path: &path,
        title: &note.title,
        text: &note.text,
        document: note.document.as_ref().ok(),
        unreadable: note.document.as_ref().err().map(String::as_str),
    };
    let drift = drift_of(&asked.workspace, &asked.catalogue, &note.path);
    // What cannot be told is left out: the note itself is what was asked for.
    let alike = asked.cache.alike(&asked.workspace, &asked.catalogue, note);
    let alike = alike.unwrap_or_default();
    let catalogue = &asked.catalogue;
    let (links, backlinks) = (catalogue.links_of(note.number), catalogue.backlinks_of(note.number));
    let headings = note.document.as_ref().map(|it| it.headings.as_slice()).unwrap_or_default();
    let twin = NoteWire {
        path: &path,
        title: &note.title,
        kind: note.kind.name(),
        scope: note.scope.as_str(),
        tags: &note.tags,
        hash: &note.hash,
        state: note.state,
        changed: note.changed.and_then(when::time),
        at: None,
        text: &note.text,
        outline: headings
            .iter()
            .map(|it| HeadingWire { level: it.level, text: &it.text, line: it.line })
            .collect(),
        links: links.0.iter().map(LinkWire::from).collect(),
        backlinks: backlinks.0.iter().map(LinkWire::from).collect(),
        alike: alike
            .iter()
            .map(|Alike { hit, is_linked }| AlikeNoteWire {
                path: hit.path.to_text(),
                title: &hit.title,
                line: hit.line,
                score: hit.score.total,
                linked: *is_linked,
            })
            .collect(),
        drifted: drift.as_ref().map(DriftWire::from),
        commits: commits(past),
    };
    asked.page(Tab::Notes, note.title.as_str(), &twin, || {
        let body = body(asked, &shown);
        html! {
            article.note data-note=(encoded(&path)) {
                (heading(asked, &shown))
                p.meta {
                    (words::day(note.changed)) ", " (note.state) ", " (words::bytes(note.bytes)) ", scope " (note.scope.as_str())
                    @for tag in &note.tags { " " a.badge href=(format!("{}?q={}&tag={}", asked.site.page("search"), encoded(tag), encoded(tag))) { (words::line(tag)) } }
                }
                (actions(asked, &shown, note.kind))
                @if let Some(drift) = &drift { (drifted(drift)) }
                @if let Some(reason) = shown.unreadable { p.warn role="note" { "Shown as it stands: " (words::line(reason)) "." } }
                (body.html)
                (body.paging)
                (slider(asked, shown.path, None, past))
            }
            aside aria-label="About this note" {
                (outline(&body.anchors))
                (linked("Links to it", &backlinks, asked, true))
                (linked("Links from it", &links, asked, false))
                (similar(asked, &alike))
                (history_of(asked, &path, past))
            }
        }
    })
}

/// A note on a page that is a file: what it says, and what is linked with it.
pub fn exported(asked: &Asked, number: usize) -> Page {
    let Some(entry) = asked.catalogue.entries.get(number) else {
        return asked.missing(Tab::Notes, &Error::new("there is no such note"));
    };
    let text = asked.catalogue.text(number).unwrap_or_default();
    let document = markdown::parse(text);
    let shown = Shown {
        path: &entry.name,
        title: &entry.title,
        text,
        document: document.as_ref().ok(),
        unreadable: None,
    };
    let (links, backlinks) =
        (asked.catalogue.links_of(number), asked.catalogue.backlinks_of(number));
    let body = body(asked, &shown);
    let html = html! {
        article.note {
            (heading(asked, &shown))
            p.meta { (words::day(entry.changed)) @for tag in &entry.tags { " " span.badge { (words::line(tag)) } } }
            (body.html)
        }
        aside aria-label="About this note" {
            (outline(&body.anchors))
            (linked("Links to it", &backlinks, asked, true))
            (linked("Links from it", &links, asked, false))
        }
    };
    Page::Html { tab: Tab::Notes, title: entry.title.clone(), body: html, status: 200 }
}

fn old(asked: &Asked, path: &str, version: &Version, past: &Past) -> Result<Page> {
    let shown = Shown {
        path,
        title: &version.title,
        text: &version.text,
        document: version.document.as_ref().ok(),
        unreadable: version.document.as_ref().err().map(String::as_str),
    };
    let twin = NoteWire {
        path,
        title: &version.title,
        kind: Kind::Note.name(),
        state: "committed",
        changed: when::time(version.time),
        at: Some(version.commit.to_string()),
        text: &version.text,
        commits: commits(past),
        ..NoteWire::default()
    };
    asked.page(Tab::Notes, version.title.as_str(), &twin, || {
        let body = body(asked, &shown);
        html! {
            article.note {
                (heading(asked, &shown))
                p.warn role="note" {
                    "As of commit " code { (version.commit.short()) } " of " (words::day(Some(version.time))) ". "
                    a href=(asked.site.note(path)) { "As it is now" }
                }
                (slider(asked, shown.path, Some(version), past))
                (body.html)
                (body.paging)
            }
            aside aria-label="About this note" { (outline(&body.anchors)) (history_of(asked, path, past)) }
        }
    })
}

pub fn commits<'a>(past: &'a Past) -> Vec<CommitWire<'a>> {
    let wire = |it: &'a Touched| CommitWire {
        commit: it.commit.to_string(),
        date: when::time(it.time),
        subject: &it.subject,
    };
    past.commits.iter().map(wire).collect()
}

fn heading(asked: &Asked, shown: &Shown) -> Markup {
    let folder = shown.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    html! {
        (crumbs(asked, folder))
        h1 { (words::line(shown.title)) }
    }
}

fn actions(asked: &Asked, shown: &Shown, kind: Kind) -> Markup {
    let site = &asked.site;
    let mark = asked.query.get("mark").and_then(|text| text.parse::<Mark>().ok());
    let line = mark.map_or(1, |mark| mark.start.0);
    html! {
        @if !site.is_export {
            nav.actions aria-label="This note" {
                a href=(site.to(&format!("edit/{}", encoded(shown.path)))) { "Edit" }
                @if let Some(address) = asked.opener.address(shown.path, line) { a href=(address) { "Open in your editor" } }
                a href=(site.to(&format!("lines/{}", encoded(shown.path)))) { "Who wrote it" }
                a href=(site.to(&format!("history/{}", encoded(shown.path)))) { "History" }
                a href=(format!("{}?note={}", site.page("graph"), encoded(shown.path))) { "Graph" }
                a href=(format!("{}.md", site.note(shown.path))) { "Markdown" }
                a href=(format!("{}.json", site.note(shown.path))) { "JSON" }
                @if kind == Kind::Fact { a href=(site.entity(&NotePath::from(shown.path).stem())) { "Entity" } }
            }
        }
    }
}

fn drifted(drift: &Drift) -> Markup {
    html! {
        div.warn role="note" {
            p { "What it covers changed after it, in " (counted(drift.total, "commit")) " since " (words::day(Some(drift.since))) ":" }
            ul { @for it in &drift.commits { li { code { (it.id.short()) } " " (words::line(&it.subject)) } } }
        }
    }
}
