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
mod channels;
mod charts;
mod chat;
mod edit;
mod elsewhere;
mod entities;
mod entity;
pub mod export;
mod fleet;
mod frame;
mod graph;
mod history;
mod lessons;
mod memory;
mod merges;
mod note;
mod notes;
mod opener;
mod patterns;
mod peek;
mod picture;
mod preview;
mod questions;
mod runs;
mod search;
mod search_form;
mod shape;
mod start;
mod status;
mod trust;
mod words;

use std::{
    cell::{OnceCell, RefCell},
    collections::BTreeMap,
    sync::Arc,
};

use maud::Markup;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

pub use acts::act;
use address::{Query, Site, decoded};
pub use frame::{Tab, closed};
use opener::Opener;
use shape::{Shape, shape_of};

use crate::wire::printed_json;
use elophanto_app::{
    Environment, Error, Result, Workspace,
    channels::Bots,
    fleet::Reader,
    gateway::Served,
    learning::{Learning, now},
    reading::{self, Catalogue, Note, ReadingCache},
};
use elophanto_base::image::Bare;
use elophanto_index::links::Files;
use elophanto_knowledge::learn::entity_store::EntitySnapshot;
use elophanto_repo::CommitId;

/// All that pages are made of.
pub struct Library {
    pub caches: Vec<(String, Arc<ReadingCache>)>,
    pub environment: Environment,
    /// Bots of the user's, where there is a gateway.
    pub bots: Option<Bots>,
    /// Repositories elsewhere that may be asked.
    pub fleet: Option<Reader>,
}

impl Library {
    pub fn new(repositories: &[Served], environment: Environment) -> Self {
        let cache = |it: &Served| (it.name.clone(), ReadingCache::new(it.base.clone()));
        Self {
            caches: repositories.iter().map(cache).collect(),
            environment,
            bots: None,
            fleet: None,
        }
    }

    /// Reads beside what pages will need.
    pub fn warm(&self) {
        self.caches.iter().for_each(|(_, cache)| cache.warm());
    }
}

/// What is sent.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
    /// Where to go instead.
    pub location: Option<String>,
}

impl Answer {
    fn html(status: u16, markup: Markup) -> Self {
        Self::of(status, "text/html; charset=utf-8", markup.into_string())
    }

    fn json(status: u16, body: String) -> Self {
        Self::of(status, "application/json", body)
    }

    fn of(status: u16, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, kind, body: body.into(), location: None }
    }

    fn to(location: String) -> Self {
        Self { location: Some(location), ..Self::of(303, "text/plain; charset=utf-8", Vec::new()) }
    }
}

/// What one page is made of.
pub struct Asked<'l> {
    pub library: &'l Library,
    pub cache: &'l Arc<ReadingCache>,
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
    /// The revision whose notes they are: what lies in the work tree is none of it.
    at: Option<CommitId>,
    /// What opens a place in the editor.
    pub opener: Opener,
    /// What links by name lead to besides notes.
    files: Files,
    /// Whether what exported notes show is a picture that goes with them, by path.
    pictures: RefCell<BTreeMap<String, bool>>,
    /// What is known of entities, once a page has asked for it.
    known: OnceCell<EntitySnapshot>,
}

/// A page in the form that was wanted.
pub enum Page {
    Html { tab: Tab, title: String, body: Markup, status: u16 },
    Json { status: u16, body: String },
    Markdown(String),
    Picture(Bare),
    To(String),
}

impl Asked<'_> {
    /// Addresses as they are at the top.
    fn site_of_top(&self) -> Site {
        Site { root: String::new(), ..self.site.clone() }
    }

    /// What is known of entities: read once, however many pages are made.
    fn known(&self) -> &EntitySnapshot {
        self.known.get_or_init(|| Learning::look(&self.workspace).store().read(now()))
    }

    /// The pages of another knowledge base of this gateway.
    fn site_of(&self, name: &str) -> Site {
        Site { name: name.to_owned(), ..self.site.clone() }
    }

    /// The note at a path, as it is now.
    fn note(&self, path: &str) -> Result<Option<Note>> {
        let Some(number) = self.catalogue.find(path) else { return Ok(None) };
        reading::note(&self.workspace, &self.catalogue, number)
    }

    /// The page as HTML, or its twin.
    ///
    /// # Errors
    /// When the twin cannot be written as JSON, which is a bug.
    fn page<T: Serialize + JsonSchema + ?Sized>(
        &self,
        tab: Tab,
        title: impl Into<String>,
        twin: &T,
        body: impl FnOnce() -> Markup,
    ) -> Result<Page> {
        match self.shape {
            Shape::Json => self.json(twin),
            _ => Ok(Page::Html { tab, title: title.into(), body: body(), status: 200 }),
        }
    }

    /// What has no page beside its twin.
    fn json<T: Serialize + JsonSchema + ?Sized>(&self, twin: &T) -> Result<Page> {
        Ok(Page::Json { status: 200, body: printed_json(twin).map_err(Error::new)? })
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
        self.refused(tab, error, 404)
    }

    /// Why a page is not to be had, in the form that was wanted.
    fn refused(&self, tab: Tab, error: &Error, status: u16) -> Page {
        match self.shape {
            Shape::Json => Page::Json { status, body: refusal(error) },
            _ => {
                let body = frame::refusal(error);
                Page::Html { tab, title: "Not to be had".to_owned(), body, status }
            }
        }
    }
}

/// Why something is not to be had, for programs.
fn refusal(error: &Error) -> String {
    json!({ "error": error.message(), "hint": error.hint_text() }).to_string()
}

/// What a page of a knowledge base is made of.
fn asked<'l>(
    library: &'l Library,
    root: &str,
    (name, cache): &'l (String, Arc<ReadingCache>),
    query: &str,
) -> Result<Asked<'l>> {
    let workspace = cache.open(Vec::new())?;
    let catalogue = cache.catalogue(&workspace)?;
    Ok(Asked {
        library,
        cache,
        site: Site { root: root.to_owned(), name: name.clone(), is_export: false },
        name: name.clone(),
        others: library.caches.iter().map(|(name, _)| name.clone()).collect(),
        opener: Opener::of(&workspace),
        files: Files::below(&workspace.repository.root),
        workspace,
        number: catalogue.number,
        catalogue,
        query: Query::parse(query),
        shape: Shape::Page,
        at: None,
        pictures: RefCell::default(),
        known: OnceCell::new(),
    })
}

/// Answers a request for a page: what follows `root` in its address, and what follows the `?`. May
/// take some tens of milliseconds.
pub fn answer(library: &Library, root: &str, path: &str, query: &str) -> Answer {
    let mut site = Site { root: root.to_owned(), name: String::new(), is_export: false };
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let name = decoded(first).unwrap_or_default();
    let found = library.caches.iter().find(|(known, _)| *known == name);
    let Some(named) = found.filter(|_| path.contains('/')) else {
        if let (true, Some((first, _))) = (path.is_empty(), library.caches.first()) {
            site.name = first.clone();
            return Answer::to(site.to(""));
        }
        return lost(&site, path, &no_such_page(), 404);
    };
    site.name = named.0.clone();
    let mut asked = match asked(library, root, named, query) {
        Ok(asked) => asked,
        Err(error) => return lost(&site, path, &error, 503),
    };
    let (page, shape) = shape_of(rest, &|path| asked.catalogue.find(path).is_some());
    asked.shape = shape;
    let made = asked
        .made(page)
        .unwrap_or_else(|error| asked.refused(Tab::Start, &error, status_of(&error)));
    match made {
        Page::Html { tab, title, body, status } => {
            Answer::html(status, frame::page(&asked, tab, &title, &body))
        }
        Page::Json { status, body } => Answer::json(status, body),
        Page::Markdown(body) => Answer::of(200, "text/markdown; charset=utf-8", body),
        Page::Picture(picture) => Answer::of(200, picture.format.media_type(), picture.bytes),
        Page::To(location) => Answer::to(location),
    }
}

/// Where nothing can be shown around it.
fn lost(site: &Site, path: &str, error: &Error, status: u16) -> Answer {
    match path.ends_with(".json") {
        true => Answer::json(status, refusal(error)),
        false => Answer::html(status, frame::bare(site, error)),
    }
}

fn status_of(error: &Error) -> u16 {
    match error.kind {
        elophanto_app::error::Kind::User => 404,
        _ => 500,
    }
}

impl Asked<'_> {
    fn made(&self, page: &str) -> Result<Page> {
        let (first, rest) = page.split_once('/').unwrap_or((page, ""));
        let rest = decoded(rest).ok_or_else(no_such_page)?;
        if self.query.holds('\0') {
            return Err(Error::new("the address holds a character that no text here has")
                .hint("take `%00` out of it"));
        }
        match (first, rest.as_str()) {
            ("" | "index", "") => start::page(self),
            ("search", "") => search::page(self),
            ("answer", "") => answer::page(self),
            ("fleet", "") => fleet::page(self),
            ("notes", "") => notes::page(self),
            ("note", path) if !path.is_empty() => note::page(self, path),
            ("picture", path) if !path.is_empty() => picture::page(self, path),
            ("peek", path) if !path.is_empty() => peek::page(self, path),
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
            ("patterns", "") => patterns::page(self),
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
