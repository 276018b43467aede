//! What is known of what stands under the cursor.

use std::{ops::Range, sync::Arc};

use rustc_hash::FxHashMap;

use super::{
    Buffer, LinkTo, Resolver,
    facts::stale,
    fixes::near,
    known::{Fact, Known},
};
use crate::{
    Result,
    reading::{Catalogue, Line, blame, drift_of},
    when::day,
};
use elophanto_base::{mutex::lock, one_line::one_line};
use elophanto_repo::{CommitId, Git, NotePath};
use elophanto_text::{entity::Entity, markdown::Destination};

/// Lines of a note that are shown.
const MOST_LINES: usize = 6;
/// Characters of a line that is shown.
const MOST_LINE: usize = 200;
/// Facts of an entity that are shown.
const MOST_FACTS: usize = 8;
/// Pages of which it is kept who wrote which line.
const MOST_BLAMED: usize = 64;

/// Who wrote the lines of pages, by commit, path and text.
pub type Blamed = FxHashMap<(Option<CommitId>, String, blake3::Hash), Arc<Vec<Line>>>;

/// What is shown of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The bytes that it is about.
    pub range: Range<usize>,
    /// What is known of it, the nearest first.
    pub cards: Vec<Card>,
}

/// One thing that is known. All of it is text from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Card {
    /// A note that is linked to.
    Note {
        /// Relative to the root, with `/`.
        path: String,
        /// What it is called.
        title: String,
        /// The first lines, or those behind the heading that is meant.
        lines: Vec<String>,
        /// The day on which it changed last.
        changed: Option<String>,
        /// Who changed it last, and in which commit; `None` if that is not committed.
        committed: Option<(String, String)>,
        /// Commits that touched what it covers since, and the day since when.
        drifted: Option<(usize, String)>,
    },
    /// A link that leads nowhere, and what it may mean.
    Missing {
        /// As the link says it.
        target: String,
        /// Paths that are spelt most like it.
        near: Vec<String>,
    },
    /// A file that is no note.
    File {
        /// Relative to the root, with `/`.
        path: String,
        /// What was found out about it, and whether the file still is as it was then.
        description: Option<(String, bool)>,
        /// Notes that cover it or name it.
        notes: Vec<Mention>,
    },
    /// The page of an entity.
    Entity {
        /// What it is called.
        name: String,
        /// The path of the page, relative to the root.
        page: String,
        /// The first ones of the page.
        facts: Vec<KnownFactShown>,
        /// How many others there are.
        more: usize,
    },
    /// What notes say of a word of a source file.
    Said {
        /// As it stands in the source file.
        word: String,
        /// Where they say it.
        notes: Vec<Mention>,
    },
}

/// A fact with where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFactShown {
    /// In Markdown, on one line.
    pub text: String,
    /// An address, or the path of a file.
    pub source: Option<String>,
    /// The day on which it was found out.
    pub day: Option<String>,
    /// Who committed it, and in which commit; `None` while nobody has.
    pub committed: Option<(String, String)>,
    /// Why it may not hold.
    pub doubts: Vec<String>,
}

/// A place in a note that has to do with something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Of the note, relative to the root.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// Of the note.
    pub title: String,
    /// What stands there.
    pub text: String,
}

/// What is known of what stands at a byte.
///
/// # Errors
/// When the knowledge base cannot be read.
pub fn hover(resolver: &Resolver, buffer: &Buffer, offset: usize) -> Result<Option<Hover>> {
    let catalogue = resolver.catalogue()?;
    if !resolver.editor.is_note(&buffer.path) {
        return super::source::hover(resolver, catalogue, buffer, offset);
    }
    let known = resolver.known()?;
    if let Some(link) = resolver.link_at(buffer, offset) {
        let card = of_link(resolver, catalogue, &known, buffer, &link);
        return Ok(card.map(|card| Hover { range: link.link.range.clone(), cards: vec![card] }));
    }
    let found = known.entity_at(buffer, offset);
    Ok(found.map(|(range, entity)| Hover {
        range,
        cards: vec![of_entity(resolver, catalogue, &known, entity)],
    }))
}

fn of_link(
    resolver: &Resolver,
    catalogue: &Catalogue,
    known: &Known,
    buffer: &Buffer,
    link: &LinkTo,
) -> Option<Card> {
    match &link.to {
        Destination::External => None,
        Destination::Nowhere => {
            let target = link.link.target.clone();
            let near = near(&target, &resolver.listing).into_iter().map(str::to_owned).collect();
            Some(Card::Missing { target, near })
        }
        Destination::Inside(path) if resolver.editor.is_note(path) => {
            let entity = known.of_page(path).filter(|entity| !entity.facts.is_empty());
            if let Some(entity) = entity.filter(|_| *path != buffer.path) {
                return Some(of_entity(resolver, catalogue, known, entity));
            }
            let target = resolver.buffer_of(path)?;
            Some(of_note(resolver, catalogue, &target, link.heading()))
        }
        Destination::Inside(path) => Some(super::source::of_file(resolver, catalogue, path)),
    }
}

/// A note by its title and first lines, or those behind a heading.
fn of_note(
    resolver: &Resolver,
    catalogue: &Catalogue,
    note: &Buffer,
    heading: Option<&str>,
) -> Card {
    let document = note.document().ok();
    let found = heading.and_then(|wanted| note.heading(wanted));
    let (title, from) = match (found, document) {
        (Some(heading), _) => (heading.text.clone(), heading.range.end),
        (None, Some(document)) => {
            let first = document.headings.first().filter(|it| it.level == 1);
            let stem = || NotePath::from(note.path.as_str()).stem();
            let title = document.title().map_or_else(stem, str::to_owned);
            let is_first = |at: &usize| note.text[document.body.start..*at].trim().is_empty();
            let start = first.map(|it| it.range.start).filter(is_first);
            (title, start.and(first).map_or(document.body.start, |it| it.range.end))
        }
        (None, None) => (NotePath::from(note.path.as_str()).stem(), 0),
    };
    let rest = note.text.get(from..).unwrap_or_default();
    let lines = rest.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.take(MOST_LINES).map(|line| one_line(line, MOST_LINE)).collect();
    let number = catalogue.find(&note.path);
    let entry = number.and_then(|number| catalogue.entries.get(number));
    let drift = entry.and_then(|entry| drift_of(resolver.workspace, catalogue, &entry.path));
    let committed = || {
        let commit = catalogue.made(&entry?.path)?.commit;
        Some((Git::of(&resolver.workspace.repository)?.author(&commit)?, commit.short()))
    };
    Card::Note {
        path: note.path.clone(),
        title,
        lines,
        changed: entry.and_then(|entry| entry.changed).map(day),
        committed: committed(),
        drifted: drift.map(|drift| (drift.total, day(drift.since))),
    }
}

fn of_entity(resolver: &Resolver, catalogue: &Catalogue, known: &Known, entity: &Entity) -> Card {
    let facts = known.facts(resolver.workspace, entity);
    let page = known.page(entity).unwrap_or_default();
    let lines = match facts.is_empty() {
        true => Arc::default(),
        false => lines_of(resolver, catalogue, &page),
    };
    let shown = |fact: &Fact| {
        let told = &fact.told;
        let line = lines.get(told.line.saturating_sub(1)).filter(|_| told.path == page);
        // The line as it is committed, unless the page has moved under it.
        let blame =
            line.filter(|line| line.text.contains(told.id)).and_then(|it| it.blame.as_ref());
        let doubts = [
            told.against.map(|note| format!("your note {note} says otherwise")),
            fact.otherwise().map(|other| format!("another source says: {other}")),
            stale(resolver, catalogue, fact),
            told.edited.then(|| "changed by hand".to_owned()),
        ];
        KnownFactShown {
            text: told.text.to_owned(),
            source: told.source.filter(|it| !it.is_empty()).map(str::to_owned),
            day: told.day().map(str::to_owned),
            committed: blame.map(|blame| (blame.author.clone(), blame.commit.short())),
            doubts: doubts.into_iter().flatten().collect(),
        }
    };
    Card::Entity {
        name: entity.title.clone(),
        facts: facts.iter().take(MOST_FACTS).map(shown).collect(),
        more: facts.len().saturating_sub(MOST_FACTS),
        page,
    }
}

/// Who wrote which line of a page as it lies on disk; asked of git once. What it does not tell in time is
/// left out.
fn lines_of(resolver: &Resolver, catalogue: &Catalogue, page: &str) -> Arc<Vec<Line>> {
    let editor = resolver.editor;
    let Some(Buffer { text, .. }) = editor.read(page) else { return Arc::default() };
    let head = catalogue.snapshot.history.head;
    let key = (head, page.to_owned(), blake3::hash(text.as_bytes()));
    if let Some(known) = lock(&editor.blamed).get(&key) {
        return Arc::clone(known);
    }
    let told = blame(resolver.workspace, &NotePath::from(page), &text);
    let lines = Arc::new(told.unwrap_or_default());
    let mut all = lock(&editor.blamed);
    if all.len() >= MOST_BLAMED {
        all.clear();
    }
    all.insert(key, Arc::clone(&lines));
    lines
}
