//! What of all notes and pages is looked up again and again, as it was when notes changed last.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use globset::{GlobSet, GlobSetBuilder};

use super::{Buffer, Spot};
use crate::{
    entities::{self, KnownFact},
    learning::{Learning, now},
    reading::Catalogue,
    workspace::Workspace,
};
use elophanto_index::{
    drift::globs,
    store::{manifest::Place, segment::Attributes},
};
use elophanto_knowledge::learn::entity_store::{EntitySnapshot, EntityStore};
use elophanto_text::entity::{self, Entity};

/// Words of a name.
const MOST_WORDS: usize = 6;
/// Letters of a name that is recognised in a text.
const FEWEST_LETTERS: usize = 2;
/// Places where something is mentioned.
const MOST_MENTIONS: usize = 500;
/// Patterns of one note.
const MOST_PATTERNS: usize = 100;

/// A fact with the entity that it is of.
pub struct Fact<'k> {
    pub entity: &'k Entity,
    pub told: KnownFact<'k>,
}

impl Fact<'_> {
    /// When it was found out, in seconds since 1970.
    pub fn at(&self) -> Option<i64> {
        let at: jiff::Timestamp = self.told.learned_at.as_deref()?.parse().ok()?;
        Some(at.as_second())
    }

    /// What another fact says otherwise, the newest of them.
    pub fn otherwise(&self) -> Option<&str> {
        let id = self.told.otherwise.first()?;
        let other = self.entity.facts.iter().find(|fact| fact.line.id == *id)?;
        Some(&other.line.text)
    }
}

/// Pages of entities, and what notes cover.
pub struct Known {
    pub snapshot: EntitySnapshot,
    folder: PathBuf,
    covers: GlobSet,
    /// For each pattern of `covers` the note and the pattern as written.
    covering: Vec<(String, String)>,
}

impl Known {
    pub fn of(workspace: &Workspace, catalogue: &Catalogue) -> Self {
        let (covers, covering) = covers(catalogue);
        let folder = entity::folder(&workspace.config.knowledge.write_root);
        Self { snapshot: Learning::look(workspace).store().read(now()), folder, covers, covering }
    }

    /// What is known of an entity.
    pub fn facts<'k>(&self, workspace: &Workspace, entity: &'k Entity) -> Vec<Fact<'k>> {
        let record_store = &workspace.record_store();
        let write_root = &workspace.config.knowledge.write_root;
        let known = entities::of(&EntityStore { record_store, write_root }, entity);
        known.facts.into_iter().map(|told| Fact { entity, told }).collect()
    }

    /// Facts that are meant, or are of entities of which one is.
    fn meant(
        &self,
        workspace: &Workspace,
        is_meant: impl Fn(&entity::Fact) -> bool,
    ) -> Vec<Fact<'_>> {
        let all = self.snapshot.entities.iter().filter(|it| it.facts.iter().any(&is_meant));
        all.flat_map(|entity| self.facts(workspace, entity)).collect()
    }

    /// Facts that stand on a page.
    pub fn facts_on(&self, workspace: &Workspace, page: &str) -> Vec<Fact<'_>> {
        let slug = entity::slug_of(&self.folder, Path::new(page));
        let mut found = self.meant(workspace, |fact| Some(&fact.slug) == slug.as_ref());
        found.retain(|fact| fact.told.path == page);
        found
    }

    /// Facts of which a note says otherwise.
    pub fn against(&self, workspace: &Workspace, note: &str) -> Vec<Fact<'_>> {
        let mut found = self.meant(workspace, |fact| fact.line.against.as_deref() == Some(note));
        found.retain(|fact| fact.told.against == Some(note));
        found
    }

    /// The entity of a page.
    pub fn of_page(&self, page: &str) -> Option<&Entity> {
        self.snapshot.entities.by_slug(&entity::slug_of(&self.folder, Path::new(page))?)
    }

    /// The page of an entity, relative to the root.
    pub fn page(&self, entity: &Entity) -> Option<String> {
        entity::path(&self.folder, &entity.slug).to_str().map(str::to_owned)
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
            for glob in globs(pattern) {
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
