//! What is known of what stands under the cursor.

use std::ops::Range;

use super::{
    Buffer, Editor, LinkTo, Resolver,
    facts::stale,
    fixes::near,
    known::{Fact, Known},
    links::heading_of,
};
use crate::{
    Error,
    reading::{Catalogue, blame, drift_of},
    when::day,
    workspace::Workspace,
};
use elophanto_base::one_line::one_line;
use elophanto_repo::NotePath;
use elophanto_text::{entity::Entity, markdown::Destination};

/// Lines of a note that are shown.
const MOST_LINES: usize = 6;
/// Characters of a line that is shown.
const MOST_LINE: usize = 200;
/// Facts of an entity that are shown.
const MOST_FACTS: usize = 8;

/// What is shown of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub range: Range<usize>,
    pub cards: Vec<Card>,
}

/// One thing that is known. All of it is text from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Card {
    Note {
        path: String,
        title: String,
        /// The first lines, or those behind the heading that is meant.
        lines: Vec<String>,
        /// The day on which it changed last.
        changed: Option<String>,
        /// Commits that touched what it covers since, and the day since when.
        drifted: Option<(usize, String)>,
    },
    /// A link that leads nowhere, and what it may mean.
    Missing {
        target: String,
        near: Vec<String>,
    },
    /// A file that is no note.
    File {
        path: String,
        /// What was found out about it, and whether the file still is as it was then.
        description: Option<(String, bool)>,
        /// Notes that cover it or name it.
        notes: Vec<Mention>,
    },
    Entity {
        name: String,
        page: String,
        facts: Vec<KnownFactShown>,
        more: usize,
    },
    /// What notes say of a word of a source file.
    Said {
        word: String,
        notes: Vec<Mention>,
    },
}

/// A fact with where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFactShown {
    pub text: String,
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
    pub path: String,
    /// From 1.
    pub line: usize,
    pub title: String,
    pub text: String,
}

/// What is known of what stands at a byte.
///
/// # Errors
/// When the knowledge base cannot be read.
pub fn hover(
    editor: &Editor,
    workspace: &Workspace,
    buffer: &Buffer,
    offset: usize,
) -> Result<Option<Hover>, Error> {
    let catalogue = editor.catalogue(workspace)?;
    if !editor.is_note(&buffer.path) {
        return super::source::hover(editor, workspace, &catalogue, buffer, offset);
    }
    let listing = editor.listing();
    let resolver = Resolver { editor, listing: &listing, catalogue: Some(&catalogue) };
    if let Some(link) = resolver.link_at(buffer, offset) {
        let card = of_link(workspace, &resolver, &catalogue, buffer, &link);
        return Ok(card.map(|card| Hover { range: link.link.range.clone(), cards: vec![card] }));
    }
    let known = editor.known(workspace, &catalogue);
    let found = known.entity_at(buffer, offset);
    Ok(found.map(|(range, entity)| Hover {
        range,
        cards: vec![of_entity(editor, workspace, &catalogue, &known, entity)],
    }))
}

fn of_link(
    workspace: &Workspace,
    resolver: &Resolver,
    catalogue: &Catalogue,
    buffer: &Buffer,
    link: &LinkTo,
) -> Option<Card> {
    let editor = resolver.editor;
    match &link.to {
        Destination::External => None,
        Destination::Nowhere => {
            let target = link.link.target.clone();
            let near = near(&target, resolver.listing).into_iter().map(str::to_owned).collect();
            Some(Card::Missing { target, near })
        }
        Destination::Inside(path) if editor.is_note(path) => {
            let known = editor.known(workspace, catalogue);
            let is_page = known.facts_on(path).next().is_some();
            if is_page && *path != buffer.path {
                let stem = NotePath::from(path.as_str()).stem();
                if let Some(entity) = known.snapshot.entities.by_slug(&stem) {
                    return Some(of_entity(editor, workspace, catalogue, &known, entity));
                }
            }
            let own;
            let target = if *path == buffer.path {
                buffer
            } else {
                own = editor.read(path)?;
                &own
            };
            Some(of_note(workspace, catalogue, target, link.link.heading.as_deref()))
        }
        Destination::Inside(path) => {
            Some(super::source::of_file(editor, workspace, catalogue, path))
        }
    }
}

/// A note by its title and first lines, or those behind a heading.
fn of_note(
    workspace: &Workspace,
    catalogue: &Catalogue,
    note: &Buffer,
    heading: Option<&str>,
) -> Card {
    let document = note.document().ok();
    let wanted = heading.filter(|heading| !heading.is_empty());
    let found = wanted.and_then(|wanted| heading_of(document?, wanted));
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
    let drift = entry.and_then(|entry| drift_of(workspace, catalogue, &entry.path));
    Card::Note {
        path: note.path.clone(),
        title,
        lines,
        changed: entry.and_then(|entry| entry.changed).map(day),
        drifted: drift.map(|drift| (drift.total, day(drift.since))),
    }
}

fn of_entity(
    editor: &Editor,
    workspace: &Workspace,
    catalogue: &Catalogue,
    known: &Known,
    entity: &Entity,
) -> Card {
    let facts = known.facts(entity);
    let page = known.page(entity).unwrap_or_default();
    // What git does not tell in time is left out.
    let text = editor.text(&page).unwrap_or_default();
    let path = NotePath::from(page.as_str());
    let lines = match facts.is_empty() {
        true => Vec::new(),
        false => blame(workspace, &path, &text).unwrap_or_default(),
    };
    let shown = |fact: &Fact| {
        let line = lines.get(fact.line.saturating_sub(1)).filter(|_| fact.page == page);
        // The line as it is committed, unless the page has moved under it.
        let blame =
            line.filter(|line| line.text.contains(&fact.id)).and_then(|it| it.blame.as_ref());
        let doubts = [
            fact.against.as_ref().map(|note| format!("your note {note} says otherwise")),
            fact.otherwise.first().map(|other| format!("another source says: {other}")),
            stale(editor, catalogue, fact),
            fact.is_edited.then(|| "changed by hand".to_owned()),
        ];
        KnownFactShown {
            text: fact.text.clone(),
            source: fact.source.clone(),
            day: fact.day.clone(),
            committed: blame.map(|blame| {
                let commit = blame.commit.to_string();
                (blame.author.clone(), commit.get(..10).unwrap_or(&commit).to_owned())
            }),
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
