//! A note: what it says, and what is known of it.

use maud::{Markup, PreEscaped, html};

use super::{Asked, Page, Tab, address::encoded, charts, history, notes::crumbs, search, words};
use crate::wire::{
    CommitWire, DriftWire,
    page::{AlikeNoteWire, HeadingWire, LinkWire, NoteWire},
};
use elophanto_app::{
    Error,
    reading::{self, Alike, Linked, Note, Past, Version, drift_of, past},
    when,
};
use elophanto_index::{Kind, drift::Drift};
use elophanto_repo::NotePath;
use elophanto_text::{
    html::{Addresses, Anchor, Mark, Part, Rendered, Target, parts, render},
    markdown::{self, Destination, Document, Link, LinkKind},
};

/// Bytes of a note on one page.
const ON_EACH: usize = 32 * 1024;
/// Commits that are listed below a note.
const COMMITS: usize = 8;
/// Bars of the picture of its commits.
const MONTHS: usize = 24;
const MONTH: i64 = 30 * 86_400;

/// What is shown of a note, as it is or as it was.
struct Shown<'n> {
    path: &'n str,
    title: &'n str,
    text: &'n str,
    document: Option<&'n Document>,
    unreadable: Option<&'n str>,
}

pub fn page(asked: &Asked, path: &str) -> Result<Page, Error> {
    let number = asked.catalogue.find(path);
    let note_path = match number.and_then(|number| asked.catalogue.entries.get(number)) {
        Some(entry) => entry.path.clone(),
        None => NotePath::from(path),
    };
    let past = past(&asked.workspace, &note_path);
    if let Some(revision) = asked.query.get("at") {
        return match reading::version(&asked.workspace, path, revision, &past)? {
            Some(version) => old(asked, path, &version, &past),
            None => Ok(asked.missing(Tab::Notes, &not_then(path, revision))),
        };
    }
    let found = match number {
        Some(number) => reading::note(&asked.workspace, &asked.catalogue, number)?,
        None => None,
    };
    match found {
        Some(_) if asked.wants_markdown() => {
            Ok(Page::Markdown(found.map(|note| note.text).unwrap_or_default()))
        }
        Some(note) => now(asked, &note, &past),
        None => Ok(asked.missing(Tab::Notes, &gone(path, &past))),
    }
}

fn gone(path: &str, past: &Past) -> Error {
    let error = Error::new(format_args!("there is no note `{}`", words::line(path)));
    match past.commits.first() {
        Some(last) => error.hint(format!(
            "it was changed last in commit {} of {}: put `?at={}~1` behind the address to read it as it \
             was before",
            last.commit.short(),
            when::day(last.time),
            last.commit.short(),
        )),
        None => error.hint("search for what it says: it may lie elsewhere by now"),
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

fn now(asked: &Asked, note: &Note, past: &Past) -> Result<Page, Error> {
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
    let alike = asked.shelf.alike(&asked.workspace, &asked.catalogue, note);
    let alike = alike.unwrap_or_default();
    let catalogue = &asked.catalogue;
    let (links, backlinks) = (catalogue.links_of(note.number), catalogue.backlinks_of(note.number));
    let outline = note.document.as_ref().map(|it| it.headings.as_slice()).unwrap_or_default();
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
        outline: outline
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
                (slider(asked, &shown, None, past))
            }
            aside aria-label="About this note" {
                (outline_of(&body))
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
            (outline_of(&body))
            (linked("Links to it", &backlinks, asked, true))
            (linked("Links from it", &links, asked, false))
        }
    };
    Page::Html { tab: Tab::Notes, title: entry.title.clone(), body: html, status: 200 }
}

fn old(asked: &Asked, path: &str, version: &Version, past: &Past) -> Result<Page, Error> {
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
        scope: "",
        tags: &[],
        hash: "",
        state: "committed",
        changed: when::time(version.time),
        at: Some(version.commit.to_string()),
        text: &version.text,
        outline: Vec::new(),
        links: Vec::new(),
        backlinks: Vec::new(),
        alike: Vec::new(),
        drifted: None,
        commits: commits(past),
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
                (slider(asked, &shown, Some(version), past))
                (body.html)
                (body.paging)
            }
            aside aria-label="About this note" { (outline_of(&body)) (history_of(asked, path, past)) }
        }
    })
}

fn commits(past: &Past) -> Vec<CommitWire<'_>> {
    let wire = |it: &'_ elophanto_repo::Touched| (it.commit.to_string(), when::time(it.time));
    past.commits
        .iter()
        .map(|it| {
            let (commit, date) = wire(it);
            CommitWire { commit, date, subject: &it.subject }
        })
        .collect()
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
    html! {
        @if !site.is_export {
            nav.actions aria-label="This note" {
                a href=(site.to(&format!("edit/{}", encoded(shown.path)))) { "Edit" }
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
            p { "What it covers changed after it, in " (drift.total) " commits since " (words::day(Some(drift.since))) ":" }
            ul { @for it in &drift.commits { li { code { (it.id.short()) } " " (words::line(&it.subject)) } } }
        }
    }
}

/// What a note says, and the way through its parts.
struct Body {
    html: Markup,
    anchors: Vec<Anchor>,
    paging: Markup,
}

fn body(asked: &Asked, shown: &Shown) -> Body {
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
    // Pictures are not served: only their words are shown.
    let picture = |_: &Link| None;
    let addresses = Addresses { link: &link, picture: &picture };
    match render(text, part.line, shown.title, mark, &addresses) {
        Ok(Rendered { html, anchors, is_marked }) => {
            let missing = mark.is_some() && !is_marked;
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
    let exists = |path: &str| match asked.is_past {
        true => asked.catalogue.find(path).is_some(),
        false => root.join(path).exists(),
    };
    match asked.catalogue.names.destination(note, link, &exists) {
        Destination::External
            if link.kind == LinkKind::Inline && !link.target.starts_with("//") =>
        {
            Target::To(link.target.clone())
        }
        Destination::Inside(path) if asked.catalogue.find(&path).is_some() => {
            let page = asked.site.note(&path);
            match &link.heading {
                Some(heading) if path == note || !heading.is_empty() => {
                    Target::To(format!("{page}#s-{}", encoded(&slug(heading))))
                }
                _ => Target::To(page),
            }
        }
        _ => Target::Nowhere,
    }
}

/// A heading as it is linked to: by its words, or as forges write it.
fn slug(heading: &str) -> String {
    let mut slug = String::new();
    for char in heading.to_lowercase().chars() {
        match char {
            ' ' => slug.push('-'),
            '-' | '_' => slug.push(char),
            char if char.is_alphanumeric() => slug.push(char),
            _ => {}
        }
    }
    slug
}

fn outline_of(body: &Body) -> Markup {
    html! {
        @if body.anchors.len() > 1 {
            nav.outline aria-label="Outline" {
                h2 { "Outline" }
                ul {
                    @for anchor in &body.anchors {
                        li class=(format!("level-{}", anchor.level)) { a href=(format!("#{}", anchor.id)) { (words::line(&anchor.text)) } }
                    }
                }
            }
        }
    }
}

fn linked(
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

fn similar(asked: &Asked, alike: &[Alike]) -> Markup {
    let part = |wanted: bool| alike.iter().filter(move |it| it.is_linked == wanted);
    let list = |all: Vec<&Alike>| {
        html! {
            ul.plain {
                @for Alike { hit, .. } in all {
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
    };
    html! {
        @if part(false).next().is_some() {
            section {
                h2 { "Says similar things, and is not linked" }
                (list(part(false).collect()))
            }
        }
        @if part(true).next().is_some() {
            section {
                h2 { "Says similar things" }
                (list(part(true).collect()))
            }
        }
    }
}

/// Older and newer versions, one step at a time.
fn slider(asked: &Asked, shown: &Shown, version: Option<&Version>, past: &Past) -> Markup {
    let made = version.and_then(|version| version.made);
    let (older, newer) = match made {
        Some(made) => past.around(&made),
        None if version.is_none() => (past.commits.get(1), None),
        None => (past.commits.first(), None),
    };
    let to = |commit: &elophanto_repo::Touched| {
        format!("{}?at={}", asked.site.note(shown.path), commit.commit.short())
    };
    html! {
        @if !asked.site.is_export && (older.is_some() || version.is_some()) {
            nav.slider aria-label="Versions" {
                @if let Some(it) = older { a rel="prev" href=(to(it)) { "\u{2190} Older, " (when::day(it.time)) } } @else { span.quiet { "The first version" } }
                @match (newer, version) {
                    (Some(it), _) => { a rel="next" href=(to(it)) { "Newer, " (when::day(it.time)) " \u{2192}" } }
                    (None, Some(_)) => { a rel="next" href=(asked.site.note(shown.path)) { "As it is now \u{2192}" } }
                    (None, None) => { span.quiet { "As it is now" } }
                }
            }
        }
    }
}

fn history_of(asked: &Asked, path: &str, past: &Past) -> Markup {
    html! {
        @if !asked.site.is_export {
            section {
                h2 { "History" }
                @if let Some(reason) = &past.untold { p.quiet { "Not told: " (words::line(reason)) "." } }
                @else if past.commits.is_empty() { p.quiet { "It is in no commit yet." } }
                @else {
                    (sparkline(past))
                    (history::list(asked, path, past.commits.iter().take(COMMITS)))
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
    charts::bars(&counts, &format!("{in_all} commits in the two years up to {}", when::day(newest)))
}
