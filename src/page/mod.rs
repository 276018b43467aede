//! The door for people with a browser: pages of what is known, as HTML that reads and works without
//! script, each with a twin in JSON.
//!
//! Owns addresses, how things look, and which use case each page shows. It refuses to know who may
//! come in and how bytes are sent: that is `gateway`'s. All text from outside is escaped by the
//! templates; what is rendered of notes comes from `elophanto_text::html`, which lets no markup of
//! theirs through.

mod acts;
pub mod address;
mod answer;
pub mod assets;
mod beside;
mod body;
mod charts;
mod chat;
mod edit;
mod entities;
mod entity;
pub mod export;
mod frame;
mod graph;
mod history;
mod memory;
mod merges;
mod note;
mod notes;
mod questions;
mod runs;
mod search;
mod search_form;
mod start;
mod status;
mod words;

use std::sync::Arc;

use maud::Markup;
use serde::Serialize;

pub use acts::act;
use address::{Query, Site, decoded};
pub use frame::{Tab, closed};

use crate::wire::printed_json;
use elophanto_app::{
    Environment, Error, Workspace,
    gateway::Served,
    reading::{Catalogue, Shelf},
};

/// All that pages are made of.
pub struct Library {
    pub shelves: Vec<(String, Arc<Shelf>)>,
    pub environment: Environment,
}

impl Library {
    pub fn new(repositories: &[Served], environment: Environment) -> Self {
        let shelf = |it: &Served| (it.name.clone(), Shelf::new(it.base.clone()));
        Self { shelves: repositories.iter().map(shelf).collect(), environment }
    }

    /// Reads beside what pages will need.
    pub fn warm(&self) {
        self.shelves.iter().for_each(|(_, shelf)| shelf.warm());
    }
}

/// What is sent.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub kind: &'static str,
    pub body: String,
    /// Where to go instead.
    pub location: Option<String>,
}

impl Answer {
    fn html(status: u16, markup: Markup) -> Self {
        let body = markup.into_string();
        Self { status, kind: "text/html; charset=utf-8", body, location: None }
    }

    fn to(location: String) -> Self {
        Self {
            status: 303,
            kind: "text/plain; charset=utf-8",
            body: String::new(),
            location: Some(location),
        }
    }
}

/// In which form a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Page,
    Json,
    Markdown,
}

/// What one page is made of.
pub struct Asked<'l> {
    pub library: &'l Library,
    pub shelf: &'l Arc<Shelf>,
    pub site: Site,
    /// The name of the knowledge base.
    pub name: String,
    /// The names of all of them.
    pub others: Vec<String>,
    pub workspace: Workspace,
    pub catalogue: Arc<Catalogue>,
    pub query: Query,
    /// Of the catalogue: a page that is open asks whether there is a newer one.
    pub number: u64,
    shape: Shape,
    /// Whether the notes are those of a revision: what lies in the work tree is none of it.
    is_past: bool,
}

/// A page in the form that was wanted.
pub enum Page {
    Html { tab: Tab, title: String, body: Markup, status: u16 },
    Json(String),
    Markdown(String),
    To(String),
}

impl Asked<'_> {
    /// Addresses as they are at the top.
    fn site_of_top(&self) -> Site {
        Site { root: String::new(), ..self.site.clone() }
    }

    fn wants_markdown(&self) -> bool {
        self.shape == Shape::Markdown
    }

    /// The page as HTML, or its twin.
    ///
    /// # Errors
    /// When the twin cannot be written as JSON, which is a bug.
    fn page<T: Serialize + ?Sized>(
        &self,
        tab: Tab,
        title: impl Into<String>,
        twin: &T,
        body: impl FnOnce() -> Markup,
    ) -> Result<Page, Error> {
        match self.shape {
            Shape::Json => Ok(Page::Json(printed_json(twin).map_err(Error::new)?)),
            _ => Ok(Page::Html { tab, title: title.into(), body: body(), status: 200 }),
        }
    }

    /// That there is no note at a path, and why, where that is known.
    fn no_note(&self, path: &str) -> Error {
        let error = Error::new(format_args!("there is no note `{}`", words::line(path)));
        error.hint(match self.catalogue.problem(path) {
            Some(reason) => format!("the file is left out: {}", words::line(reason)),
            None if self.catalogue.stale > 0 => {
                "notes are being read just now: look again in a moment".to_owned()
            }
            None => "search for what it says: it may lie elsewhere by now".to_owned(),
        })
    }

    /// The same of what is not there.
    fn missing(&self, tab: Tab, error: &Error) -> Page {
        let body = frame::refusal(error);
        Page::Html { tab, title: "Not there".to_owned(), body, status: 404 }
    }
}

/// Answers a request for a page: what follows `root` in its address, and what follows the `?`. May
/// take some tens of milliseconds.
pub fn answer(library: &Library, root: &str, path: &str, query: &str) -> Answer {
    let others: Vec<String> = library.shelves.iter().map(|(name, _)| name.clone()).collect();
    let mut site = Site { root: root.to_owned(), name: String::new(), is_export: false };
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let name = decoded(first).unwrap_or_default();
    let found = library.shelves.iter().find(|(known, _)| *known == name);
    let Some((name, shelf)) = found.filter(|_| path.contains('/')) else {
        if let (true, Some((first, _))) = (path.is_empty(), library.shelves.first()) {
            site.name = first.clone();
            return Answer::to(site.to(""));
        }
        let error = Error::new("there is no such page").hint("begin at the top of the page");
        return lost(&site, &error, 404);
    };
    site.name = name.clone();
    let mut page = rest;
    let asked = shelf.open(Vec::new()).and_then(|workspace| {
        let catalogue = shelf.catalogue(&workspace)?;
        let (without, shape) = shape_of(rest, &|path| catalogue.find(path).is_some());
        page = without;
        Ok(Asked {
            library,
            shelf,
            site: site.clone(),
            name: name.clone(),
            others,
            workspace,
            number: catalogue.number,
            catalogue,
            query: Query::parse(query),
            shape,
            is_past: false,
        })
    });
    let asked = match asked {
        Ok(asked) => asked,
        Err(error) => return lost(&site, &error, 503),
    };
    match asked.made(page) {
        Ok(Page::Html { tab, title, body, status }) => {
            Answer::html(status, frame::page(&asked, tab, &title, &body))
        }
        Ok(Page::Json(body)) => of_kind("application/json", body),
        Ok(Page::Markdown(body)) => of_kind("text/markdown; charset=utf-8", body),
        Ok(Page::To(location)) => Answer::to(location),
        Err(error) => {
            let body = frame::refusal(&error);
            Answer::html(status_of(&error), frame::page(&asked, Tab::Start, "Not to be had", &body))
        }
    }
}

fn of_kind(kind: &'static str, body: String) -> Answer {
    Answer { status: 200, kind, body, location: None }
}

/// Where nothing can be shown around it.
fn lost(site: &Site, error: &Error, status: u16) -> Answer {
    Answer::html(status, frame::bare(site, error))
}

fn status_of(error: &Error) -> u16 {
    match error.kind {
        elophanto_app::error::Kind::User => 404,
        _ => 500,
    }
}

/// The page without the ending that says in which form it is wanted. A note may be called as if it had
/// one: what is there comes first.
fn shape_of<'p>(page: &'p str, is_note: &dyn Fn(&str) -> bool) -> (&'p str, Shape) {
    let is_known = |page: &str| {
        let path = page.strip_prefix("note/").and_then(decoded);
        path.is_some_and(|path| is_note(&path))
    };
    if is_known(page) {
        return (page, Shape::Page);
    }
    if let Some(page) = page.strip_suffix(".json") {
        return (page, Shape::Json);
    }
    match page.strip_suffix(".md") {
        Some(page) if is_known(page) => (page, Shape::Markdown),
        _ => (page, Shape::Page),
    }
}

impl Asked<'_> {
    fn made(&self, page: &str) -> Result<Page, Error> {
        let (first, rest) = page.split_once('/').unwrap_or((page, ""));
        let rest = decoded(rest).ok_or_else(no_such_page)?;
        match (first, rest.as_str()) {
            ("" | "index", "") => start::page(self),
            ("search", "") => search::page(self),
            ("answer", "") => answer::page(self),
            ("notes", "") => notes::page(self),
            ("note", path) if !path.is_empty() => note::page(self, path),
            ("history", path) if !path.is_empty() => history::page(self, path),
            ("lines", path) if !path.is_empty() => history::lines(self, path),
            ("entities", "") => entities::page(self),
            ("entity", name) if !name.is_empty() => entity::page(self, name),
            ("edit", path) if !path.is_empty() => edit::page(self, path),
            ("chat", "") => chat::page(self),
            ("merges", "") => merges::page(self),
            ("graph", "") => graph::page(self),
            ("questions", "") => questions::page(self),
            ("memory", "") => memory::page(self),
            ("memory", id) => memory::lesson(self, id),
            ("runs", "") => runs::page(self),
            ("run", id) if !id.is_empty() => runs::run(self, id),
            ("status", "") => status::page(self),
            _ => Ok(self.missing(Tab::Start, &no_such_page())),
        }
    }
}

fn no_such_page() -> Error {
    Error::new("there is no such page").hint("the parts of the page are named at the top")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_say_the_form() {
        let is_note = |path: &str| ["a.md", "a.txt", "b.c", "b.c.md", "d.md.json"].contains(&path);
        for (page, expected) in [
            ("search", ("search", Shape::Page)),
            ("search.json", ("search", Shape::Json)),
            ("note/a.md", ("note/a.md", Shape::Page)),
            ("note/a%2Emd", ("note/a%2Emd", Shape::Page)),
            ("note/a.md.md", ("note/a.md", Shape::Markdown)),
            ("note/a.md.json", ("note/a.md", Shape::Json)),
            ("note/a.txt.md", ("note/a.txt", Shape::Markdown)),
            ("note/b.c.md", ("note/b.c.md", Shape::Page)),
            ("note/d.md.json", ("note/d.md.json", Shape::Page)),
            ("note/gone.md", ("note/gone.md", Shape::Page)),
        ] {
            assert_eq!(shape_of(page, &is_note), expected, "{page}");
        }
    }
}
