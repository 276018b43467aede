//! What of all notes and pages is looked up again and again, as it was when notes changed last.

use std::{ops::Range, path::PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rustc_hash::FxHashMap;

use super::{Buffer, Spot};
use crate::{
    entities,
    learning::{Learning, now},
    reading::Catalogue,
    workspace::Workspace,
};
use elophanto_index::store::{manifest::Place, segment::Attributes};
use elophanto_knowledge::learn::entity_store::EntitySnapshot;
use elophanto_text::entity::Entity;

/// Words of a name.
const MOST_WORDS: usize = 6;
/// Letters of a name that is recognised in a text.
const FEWEST_LETTERS: usize = 2;
/// Places where something is mentioned.
const MOST_MENTIONS: usize = 500;
/// Patterns of one note.
const MOST_PATTERNS: usize = 100;

/// A line of a page of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    pub entity: String,
    pub id: String,
    pub text: String,
    /// The page, relative to the root, and its line from 1.
    pub page: String,
    pub line: usize,
    pub source: Option<String>,
    /// Further sources that say the same.
    pub also: usize,
    /// The day on which it was found out.
    pub day: Option<String>,
    /// In seconds since 1970.
    pub at: Option<i64>,
    /// The user's note that says otherwise.
    pub against: Option<String>,
    /// What other facts say otherwise, the newest first.
    pub otherwise: Vec<String>,
    pub is_edited: bool,
}

/// Pages of entities, and what notes cover.
pub struct Known {
    pub snapshot: EntitySnapshot,
    folder: PathBuf,
    /// By the slug of the entity.
    facts: FxHashMap<String, Vec<Fact>>,
    covers: GlobSet,
    /// For each pattern of `covers` the note and the pattern as written.
    covering: Vec<(String, String)>,
}

impl Known {
    pub fn of(workspace: &Workspace, catalogue: &Catalogue) -> Self {
        let learning = Learning::look(workspace);
        let store = learning.store();
        let snapshot = store.read(now());
        let mut facts = FxHashMap::default();
        for entity in snapshot.entities.iter() {
            facts.insert(entity.slug.clone(), facts_of(&entities::of(&store, entity), entity));
        }
        let folder = elophanto_knowledge::learn::entity_store::folder(store.write_root);
        let (covers, covering) = covers(catalogue);
        Self { snapshot, folder, facts, covers, covering }
    }

    /// What is known of an entity.
    pub fn facts(&self, entity: &Entity) -> &[Fact] {
        self.facts.get(&entity.slug).map(Vec::as_slice).unwrap_or_default()
    }

    /// Facts that stand on a page.
    pub fn facts_on<'k>(&'k self, page: &'k str) -> impl Iterator<Item = &'k Fact> {
        self.facts.values().flatten().filter(move |fact| fact.page == page)
    }

    /// Facts of which a note says otherwise.
    pub fn against<'k>(&'k self, note: &'k str) -> impl Iterator<Item = &'k Fact> {
        self.facts.values().flatten().filter(move |fact| fact.against.as_deref() == Some(note))
    }

    /// The page of an entity, relative to the root.
    pub fn page(&self, entity: &Entity) -> Option<String> {
        let page = self.folder.join(format!("{}.md", entity.slug));
        page.to_str().map(str::to_owned)
    }

    /// The notes that cover a file, each with the pattern that says so.
    pub fn covering(&self, path: &str) -> Vec<(&str, &str)> {
        let mut found: Vec<(&str, &str)> = self
            .covers
            .matches(path)
            .into_iter()
            .filter_map(|at| self.covering.get(at))
            .map(|(note, pattern)| (note.as_str(), pattern.as_str()))
            .collect();
        found.sort_unstable();
        found.dedup_by_key(|(note, _)| *note);
        found
    }

    /// The entity whose name stands at a byte: of several the longest name.
    pub fn entity_at(&self, buffer: &Buffer, offset: usize) -> Option<(Range<usize>, &Entity)> {
        if self.snapshot.entities.is_empty() {
            return None;
        }
        let line = buffer.line_range(buffer.line_at(offset));
        let text = buffer.text.get(line.clone())?;
        let words = words(text);
        let at = offset.checked_sub(line.start)?;
        let own = words.iter().position(|word| word.start <= at && at <= word.end)?;
        for count in (1..=MOST_WORDS).rev() {
            for first in (own + 1).saturating_sub(count)..=own {
                let Some(last) = words.get(first + count - 1) else { continue };
                let range = words[first].start..last.end;
                let name = text.get(range.clone())?;
                if name.chars().count() < FEWEST_LETTERS {
                    continue;
                }
                if let Some(entity) = self.snapshot.entities.find(name) {
                    return Some((line.start + range.start..line.start + range.end, entity));
                }
            }
        }
        None
    }

    /// Where notes name an entity, and its page.
    pub fn mentions(&self, catalogue: &Catalogue, entity: &Entity) -> Vec<Spot> {
        let names: Vec<String> = std::iter::once(&entity.title)
            .chain(&entity.aliases)
            .map(|name| name.to_lowercase())
            .filter(|name| name.chars().count() >= FEWEST_LETTERS)
            .collect();
        let mut spots: Vec<Spot> = self.page(entity).iter().map(|page| Spot::top(page)).collect();
        let own = self.page(entity);
        for (number, entry) in catalogue.entries.iter().enumerate() {
            if own.as_ref() == Some(&entry.name) {
                continue;
            }
            let Some(text) = catalogue.text(number) else { continue };
            for (line, text) in text.lines().enumerate() {
                if let Some(bytes) = named(text, &names) {
                    let (path, text) = (entry.name.clone(), text.to_owned());
                    spots.push(Spot { path, line, bytes, text });
                    if spots.len() >= MOST_MENTIONS {
                        return spots;
                    }
                }
            }
        }
        spots
    }
}

/// Where the first of these names, in lower case, stands as a word of its own.
fn named(line: &str, names: &[String]) -> Option<Range<usize>> {
    let lower = line.to_lowercase();
    let is_word = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    names.iter().find_map(|name| {
        lower.match_indices(name.as_str()).find_map(|(at, _)| {
            let end = at + name.len();
            let is_apart =
                !is_word(lower[..at].chars().next_back()) && !is_word(lower[end..].chars().next());
            // Letters whose small form has another length move what stands behind them.
            let is_same = lower.len() == line.len() && line.get(at..end).is_some();
            is_apart.then_some(if is_same { at..end } else { 0..line.len() })
        })
    })
}

/// Letters and digits in a row.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, char) in text.char_indices().filter(|(_, char)| char.is_alphanumeric()) {
        match words.last_mut().filter(|word| word.end == at) {
            Some(word) => word.end += char.len_utf8(),
            None => words.push(at..at + char.len_utf8()),
        }
    }
    words
}

fn facts_of(known: &entities::Known, entity: &Entity) -> Vec<Fact> {
    let said = |id: &str| known.facts.iter().find(|it| it.id == id).map(|it| it.text.to_owned());
    let at = |id: &str| {
        let line = entity.facts.iter().flat_map(|fact| fact.lines()).find(|line| line.id == id)?;
        line.at.map(jiff::Timestamp::as_second)
    };
    let fact = |fact: &entities::KnownFact| Fact {
        entity: entity.title.clone(),
        id: fact.id.to_owned(),
        text: fact.text.to_owned(),
        page: fact.path.clone(),
        line: fact.line,
        source: fact.source.filter(|source| !source.is_empty()).map(str::to_owned),
        also: fact.also.len(),
        day: fact.day().map(str::to_owned),
        at: at(fact.id),
        against: fact.against.map(str::to_owned),
        otherwise: fact.otherwise.iter().filter_map(|id| said(id)).collect(),
        is_edited: fact.edited,
    };
    known.facts.iter().map(fact).collect()
}

/// The patterns of all notes, and whose each is.
fn covers(catalogue: &Catalogue) -> (GlobSet, Vec<(String, String)>) {
    let mut set = GlobSetBuilder::new();
    let mut covering = Vec::new();
    for file in &catalogue.snapshot.files {
        let Place::Document { segment, document } = file.place else { continue };
        let Some(part) = catalogue.snapshot.parts.get(segment as usize) else { continue };
        let Ok(view) = part.loaded.segment.document(document as usize) else { continue };
        let Attributes::Note { covers } = view.attributes else { continue };
        for pattern in covers.into_iter().take(MOST_PATTERNS) {
            for glob in super::covers::globs(pattern) {
                let Ok(glob) = GlobBuilder::new(&glob).literal_separator(true).build() else {
                    continue;
                };
                set.add(glob);
                covering.push((file.path.to_text(), pattern.to_owned()));
            }
        }
    }
    match set.build() {
        Ok(set) => (set, covering),
        Err(_) => (GlobSet::empty(), Vec::new()),
    }
}
