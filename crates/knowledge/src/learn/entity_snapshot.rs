//! What the pages of entities and the journal hold at one moment. Pure.
//!
//! Owns which lines of which pages count. It refuses to know where pages lie and how one is changed:
//! that is the [store](super::entity_store)'s.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::record::{FACT, RESTORED, RETIRED, RestoredLines, RetiredLine};
use elophanto_repo::journal::{Record, fold};
use elophanto_text::entity::{
    self, Entities, Kind, Line, LineHash, Page, Reason, Retired, TextDigest, identity, normalise,
};

/// A page and its text.
#[derive(Debug, Clone, Default)]
pub struct ParsedPage {
    pub text: String,
    pub page: Page,
}

/// What the pages and the journal hold at one moment.
#[derive(Default)]
pub struct EntitySnapshot {
    pub pages: BTreeMap<String, ParsedPage>,
    /// Pages that are left out, and why.
    pub unread: Vec<String>,
    pub entities: Entities,
    pub retired: Retired,
    /// Every retirement that stands.
    pub retirements: Vec<RetiredLine>,
    /// Digests of what retired facts said.
    pub(super) removed: BTreeSet<TextDigest>,
    /// Identities of the names of entities that were deleted.
    pub(super) deleted: BTreeSet<String>,
    /// Ids of all facts ever written.
    pub(super) written: FxHashSet<String>,
}

impl ParsedPage {
    pub fn of(text: String) -> Self {
        Self { page: Page::parse(&text), text }
    }

    /// A line as it stands there.
    pub fn raw(&self, line: &Line) -> Option<&str> {
        let raw = self.text.lines().nth(line.number.checked_sub(1)?)?;
        (LineHash::of(raw) == line.hash).then(|| raw.trim_end())
    }
}

impl EntitySnapshot {
    /// From pages and records in any order.
    pub fn of(pages: BTreeMap<String, ParsedPage>, records: Vec<Record>, now: Timestamp) -> Self {
        let mut snapshot = Self { pages, ..Self::default() };
        let mut restored: FxHashSet<String> = FxHashSet::default();
        for record in fold(records, now).into_values().filter(|record| !record.retired) {
            // A record of another shape is of a newer version: it stays as it is.
            match record.kind.as_str() {
                FACT => drop(snapshot.written.insert(record.id)),
                RETIRED => snapshot.retirements.extend(record.parse::<RetiredLine>().ok()),
                RESTORED => {
                    let record = record.parse::<RestoredLines>().ok();
                    restored.extend(record.into_iter().flat_map(|record| record.retirements));
                }
                _ => {}
            }
        }
        snapshot.retirements.retain(|line| !restored.contains(&line.id));
        let former = former(&snapshot.retirements);
        let is_ours = |id: &str| snapshot.written.contains(id);
        snapshot.pages.par_iter_mut().for_each(|(slug, parsed)| {
            let former = former.get(slug.as_str()).map(Vec::as_slice).unwrap_or_default();
            parsed.page.disown_edited(slug, former, &is_ours);
        });
        snapshot.fold();
        snapshot
    }

    /// Whether a fact was removed that said this.
    pub fn is_removed(&self, text: &str) -> bool {
        self.removed.contains(&TextDigest::of(&normalise(text)))
    }

    /// Whether the user deleted an entity of this name.
    pub fn is_deleted(&self, name: &str) -> bool {
        self.deleted.contains(&identity(name))
    }

    /// What is odd about pages, with their names.
    pub fn warnings(&self) -> Vec<String> {
        let of_page = |(slug, parsed): (&String, &ParsedPage)| {
            let said = parsed.page.warnings.iter().map(|warning| {
                let line = warning.line.map(|line| format!(":{line}")).unwrap_or_default();
                format!("{slug}.md{line}: {}", warning.message)
            });
            said.collect::<Vec<_>>()
        };
        self.unread.iter().cloned().chain(self.pages.iter().flat_map(of_page)).collect()
    }

    /// A free slug for a name.
    pub fn slug_for(&self, name: &str) -> String {
        let own = identity(name);
        entity::slug(name, &|slug| {
            self.pages.contains_key(slug)
                && self.entities.by_slug(slug).is_none_or(|entity| entity.identity != own)
        })
    }

    /// Puts a page as it was just read in the place of what is known of it.
    pub(super) fn put(&mut self, slug: &str, mut parsed: ParsedPage) {
        let former = former(self.retirements.iter().filter(|line| line.line.slug == slug));
        let former = former.get(slug).map(Vec::as_slice).unwrap_or_default();
        parsed.page.disown_edited(slug, former, &|id| self.written.contains(id));
        self.pages.insert(slug.to_owned(), parsed);
    }

    /// Works out anew what counts, after lines were added to one page.
    pub(super) fn fold_page(&mut self, slug: &str) {
        let Some(parsed) = self.pages.get(slug) else { return };
        if !self.entities.take(slug, &parsed.page, &self.retired) {
            self.fold();
        }
    }

    /// Works out anew what counts.
    pub(super) fn fold(&mut self) {
        let retirements = self.retirements.iter().map(RetiredLine::retirement);
        self.retired = Retired::of(retirements.map(entity::Record::Retired));
        self.removed = self.retired.texts();
        let names = self.retirements.iter().filter(|line| {
            line.line.reason == Reason::Deleted
                && line.line.line.starts_with([Kind::Title.letter(), Kind::Alias.letter()])
        });
        self.deleted = names.filter_map(RetiredLine::says).map(|name| identity(&name)).collect();
        let pages = self.pages.iter().map(|(slug, parsed)| (slug.clone(), parsed.page.clone()));
        self.entities = Entities::of(pages, &self.retired);
        // One that lives again is not deleted.
        let lives = |name: &String| self.entities.find(name).is_some();
        self.deleted.retain(|name| !lives(name));
    }
}

/// What pages were called once, by slug.
fn former<'l>(
    retirements: impl IntoIterator<Item = &'l RetiredLine>,
) -> BTreeMap<&'l str, Vec<String>> {
    let mut former: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let is_title = |line: &&RetiredLine| line.line.line.starts_with(Kind::Title.letter());
    for line in retirements.into_iter().filter(is_title) {
        former.entry(&line.line.slug).or_default().extend(line.says());
    }
    former
}
