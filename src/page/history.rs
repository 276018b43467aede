//! How a note came to be: all its commits, and who wrote which line.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::{
    Asked, Page, Tab, beside::sparkline, frame::pager, note::commits, notes::crumbs, words,
};
use elophanto_app::{
    Error, Result,
    reading::{self, Line, Past, past},
    when,
};
use elophanto_repo::Touched;

/// Commits on a page, and lines.
const ON_EACH: usize = 50;
const LINES: usize = 400;

pub fn page(asked: &Asked, path: &str) -> Result<Page> {
    let entry = asked.catalogue.find(path).and_then(|it| asked.catalogue.entries.get(it));
    let past = past(&asked.workspace, &entry.map_or_else(|| path.into(), |it| it.path.clone()));
    let Some(title) = entry
        .map(|it| it.title.clone())
        .or_else(|| (!past.commits.is_empty()).then(|| path.to_owned()))
    else {
        return Ok(asked.missing(Tab::Notes, &asked.no_note(path)));
    };
    let twin = commits(&past);
    let first = (asked.query.page() - 1) * ON_EACH;
    asked.page(Tab::Notes, format!("History of {title}"), &twin, || html! {
        (crumbs(asked, path.rsplit_once('/').map_or("", |it| it.0)))
        h1 { "History of " a href=(asked.site.note(path)) { (words::line(&title)) } }
        @if let Some(reason) = &past.untold { p { "It cannot be told: " (words::line(reason)) "." } }
        @else if past.commits.is_empty() { p { "The note is in no commit yet." } }
        @else { (sparkline(&past)) }
        (list(asked, path, past.commits.iter().skip(first).take(ON_EACH)))
        (cut_off(&past))
        (pager(asked, &asked.site.to(&format!("history/{}", super::address::encoded(path))), past.commits.len(), ON_EACH))
    })
}

/// That there is more than this clone holds.
pub fn cut_off(past: &Past) -> Markup {
    html! {
        @if past.is_cut_off {
            p.quiet { "The history is cut off here, for this clone is a shallow one. " code.copy { "git fetch --unshallow" } " brings the rest." }
        }
    }
}

/// Commits, each a link to the note as it was then.
pub fn list<'a>(asked: &Asked, path: &str, commits: impl Iterator<Item = &'a Touched>) -> Markup {
    html! {
        ol.plain data-list {
            @for it in commits {
                li {
                    a href=(format!("{}?at={}", asked.site.note(path), it.commit.short())) { (words::line(if it.subject.is_empty() { "without a message" } else { &it.subject })) }
                    span.quiet { " " (words::day(Some(it.time))) ", " (words::line(&it.author)) ", " code { (it.commit.short()) } }
                }
            }
        }
    }
}

/// Who wrote each line.
pub fn lines(asked: &Asked, path: &str) -> Result<Page> {
    let Some(note) = asked.note(path)? else {
        return Ok(asked.missing(Tab::Notes, &asked.no_note(path)));
    };
    let told = match note.state {
        "committed" => reading::blame(&asked.workspace, &note.path, &note.text),
        state => Err(Error::new(format_args!(
            "the note is {state}: git knows the lines of committed notes"
        ))),
    };
    let (lines, untold) = match told {
        Ok(lines) => (lines, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let first = (asked.query.page() - 1) * LINES;
    let shown: Vec<(usize, &Line)> = (1..).zip(&lines).skip(first).take(LINES).collect();
    let twin: Vec<Value> = shown.iter().map(|(number, line)| wire(*number, line)).collect();
    asked.page(Tab::Notes, format!("Who wrote {}", note.title), &twin, || html! {
        (crumbs(asked, path.rsplit_once('/').map_or("", |it| it.0)))
        h1 { "Who wrote " a href=(asked.site.note(path)) { (words::line(&note.title)) } }
        @if let Some(error) = &untold { p { "It cannot be told: " (words::line(error.message())) "." } }
        @else {
            (by_section(&note, &lines))
            h2 { "By line" }
            (super::frame::table("Lines", Some("lines"), &["Who", "When", "Commit", "Line", "Text"], &html! {
                tbody {
                    @for (at, (number, line)) in shown.iter().enumerate() {
                        @let commit = |it: &(usize, &Line)| it.1.blame.as_ref().map(|blame| blame.commit);
                        @let own = line.blame.as_ref().map(|blame| blame.commit);
                        @let is_same = own.is_some() && at.checked_sub(1).and_then(|at| shown.get(at)).and_then(commit) == own;
                        tr class=[(!is_same).then_some("first")] {
                            @match (&line.blame, is_same) {
                                (Some(blame), false) => {
                                    @let rows = shown.iter().skip(at).take_while(|it| commit(it) == own).count();
                                    td rowspan=(rows) { (words::line(&blame.author)) }
                                    td rowspan=(rows) { (words::day(Some(blame.time))) }
                                    td rowspan=(rows) { a href=(format!("{}?at={}", asked.site.note(path), blame.commit.short())) title=(words::line(&blame.subject)) { (blame.commit.short()) } }
                                }
                                (Some(_), true) => {}
                                (None, _) => { td {} td {} td {} }
                            }
                            td.number { a href=(asked.site.marked(path, number)) { (number) } }
                            td.text { code { (words::text(&line.text)) } }
                        }
                    }
                }
            }))
            (pager(asked, &asked.site.to(&format!("lines/{}", super::address::encoded(path))), lines.len(), LINES))
        }
    })
}

/// Each section with who wrote most of it, and when it changed last.
fn by_section(note: &reading::Note, lines: &[Line]) -> Markup {
    let headings = note.document.as_ref().map(|it| it.headings.as_slice()).unwrap_or_default();
    let ends = headings.iter().skip(1).map(|it| it.line - 1).chain([lines.len()]);
    let sections = headings.iter().zip(ends).filter_map(|(heading, end)| {
        let of = lines.get(heading.line.saturating_sub(1)..end)?;
        let told = || of.iter().filter_map(|line| line.blame.as_ref());
        let mut authors: Vec<(usize, &str)> = Vec::new();
        for blame in told() {
            match authors.iter_mut().find(|(_, name)| *name == blame.author) {
                Some((count, _)) => *count += 1,
                None => authors.push((1, &blame.author)),
            }
        }
        authors.sort_by_key(|author| std::cmp::Reverse(author.0));
        Some((heading, authors, told().map(|blame| blame.time).max()))
    });
    html! {
        @if headings.len() > 1 {
            h2 { "By section" }
            (super::frame::table("Sections", None, &["Section", "Changed last", "Lines by"], &html! {
                tbody {
                    @for (heading, authors, last) in sections {
                        tr {
                            td { (words::line(&heading.text)) }
                            td { (words::day(last)) }
                            td { @for (at, (count, name)) in authors.iter().enumerate() { @if at > 0 { ", " } (words::line(name)) " " (count) } }
                        }
                    }
                }
            }))
        }
    }
}

/// Who wrote a line.
fn wire(number: usize, line: &Line) -> Value {
    let blame = line.blame.as_ref();
    json!({
        "line": number,
        "author": blame.map(|it| &it.author),
        "commit": blame.map(|it| it.commit.to_string()),
        "date": blame.and_then(|it| when::time(it.time)),
        "subject": blame.map(|it| &it.subject),
        "text": line.text,
    })
}
