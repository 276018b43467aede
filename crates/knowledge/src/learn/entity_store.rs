//! The pages of entities as they lie in the work tree, joined with what the journal says of their
//! lines; and the only way in which we change them.
//!
//! A page is changed under a lock, from what it holds at that moment, as a whole or not at all, and
//! of what people wrote in it every byte stays. What becomes of a line is written down in the
//! order that loses nothing: a new line first in its page and then in the journal, a retired one
//! first in the journal and then out of its page.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use jiff::{Timestamp, civil::Date};
use rayon::{iter::Either, prelude::*};
use ulid::Ulid;

pub use super::entity_snapshot::{EntitySnapshot, ParsedPage};
pub use elophanto_text::entity::{folder, slug_of};

use super::{
    LearnError,
    decide::{MOST_SOURCES, Stated},
    otherwise::reader_of,
    record::{FACT, Fact as FactRecord, RESTORED, RETIRED, RestoredLines, RetiredLine},
};
use crate::duplicates::Said;
use elophanto_base::{
    beneath::{self, Folder},
    secrets,
};
use elophanto_index::store::lock;
use elophanto_repo::{
    NotePath, ReadError, TEMPORARY, is_tracked, read_note, record_store::RecordStore,
    remove_beneath, watch, write_beneath,
};
use elophanto_text::{
    entity::{
        self, Entity, Fact, Kind, Line, LineHash, NewLine, Origin, Page, Reason, Retirement, Spot,
        identity, normalise,
    },
    markdown,
};

/// Most pages that are read.
pub const MAX_PAGES: usize = 100_000;
/// Largest page, in bytes.
pub const MAX_PAGE_BYTES: u64 = 4 * 1024 * 1024;
/// Kinds of records that say what counts on a page.
pub const KINDS: [&str; 3] = [FACT, RETIRED, RESTORED];

/// Where pages lie, and where it is written down what became of them.
pub struct EntityStore<'a> {
    pub record_store: &'a RecordStore<'a>,
    /// Folder of our own notes, relative to the root.
    pub write_root: &'a Path,
}

/// A fact to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFact {
    pub text: String,
    pub source: Option<String>,
    pub search: Option<String>,
    pub message: Option<String>,
    /// The user's note that says otherwise.
    pub against: Option<String>,
    /// The day that the source gives itself.
    pub published: Option<Date>,
    /// It is on the page in these words; this is another source of it.
    pub is_known: bool,
}

/// A fact that was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    pub id: String,
    pub text: String,
}

/// Slugs and paths, relative to the root, of the pages in a folder, sorted.
pub fn page_files(root: &Path, folder: &Path) -> Vec<(String, NotePath)> {
    let entries = Folder::open(root).and_then(|root| root.entries(folder));
    let mut found: Vec<(String, NotePath)> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter(|(_, kind)| *kind == beneath::Kind::File)
        .filter_map(|(name, _)| {
            let path = folder.join(name);
            Some((slug_of(folder, &path)?, NotePath::from(path.as_path())))
        })
        .take(MAX_PAGES)
        .collect();
    found.sort();
    found
}

impl EntityStore<'_> {
    /// Reads all pages and what the journal says of them.
    pub fn read(&self, now: Timestamp) -> EntitySnapshot {
        let ((pages, unread), records) =
            rayon::join(|| self.pages(), || self.record_store.journal.read(&KINDS).records);
        EntitySnapshot { unread, ..EntitySnapshot::of(pages, records, now) }
    }

    /// Reads a few pages and nothing of the journal, for asking only: what was merged into one of
    /// them, or removed from it elsewhere, is not known.
    pub fn few(&self, slugs: &BTreeSet<String>, now: Timestamp) -> EntitySnapshot {
        let parsed = |slug: &String| {
            let text = self.text(&self.path(slug)).ok()?;
            Some((slug.clone(), ParsedPage::of(text)))
        };
        EntitySnapshot::of(slugs.iter().filter_map(parsed).collect(), Vec::new(), now)
    }

    /// Path of a page, relative to the root.
    pub fn path(&self, slug: &str) -> NotePath {
        NotePath::from(entity::path(&folder(self.write_root), slug).as_path())
    }

    /// All pages, and why some are left out.
    fn pages(&self) -> (BTreeMap<String, ParsedPage>, Vec<String>) {
        let paths = page_files(&self.record_store.repository.root, &folder(self.write_root));
        paths.into_par_iter().partition_map(|(slug, path)| match self.text(&path) {
            Ok(text) => Either::Left((slug, ParsedPage::of(text))),
            Err(cause) => Either::Right(format!("{} is left out: {cause}", path.to_text())),
        })
    }

    /// The text of a page.
    fn text(&self, path: &NotePath) -> Result<String, String> {
        let bytes = self.bytes(path).map_err(|cause| cause.to_string())?;
        if is_wide(&bytes) {
            return Err("it is not UTF-8 but UTF-16, which facts are not read from".to_owned());
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn bytes(&self, path: &NotePath) -> Result<Vec<u8>, ReadError> {
        let read = read_note(&self.record_store.repository.root, path, MAX_PAGE_BYTES);
        read.map(|(bytes, _)| bytes)
    }

    /// Nobody else changes pages for as long as the result lives.
    fn lock(&self) -> Result<lock::Lock, LearnError> {
        let path = self.record_store.repository.local_dir().join("entities.lock");
        lock::wait(&path).map_err(|cause| LearnError::Lock { path, source: cause })
    }

    /// Makes a page for a new entity, or one that was deleted or undone live again; says where.
    ///
    /// # Errors
    /// When the page or the journal cannot be written.
    pub fn create(
        &self,
        snapshot: &mut EntitySnapshot,
        name: &str,
        now: Timestamp,
    ) -> Result<String, LearnError> {
        let (name, _) = secrets::mask(name);
        let name = name.as_ref();
        if let Some(slug) = retired_slug(snapshot, name) {
            // Its name and the time count again; what was known of it stays away.
            let back: Vec<RetiredLine> =
                titles(snapshot).filter(|line| line.line.slug == slug).cloned().collect();
            self.restore(snapshot, &back, now)?;
            return Ok(slug);
        }
        let slug = snapshot.slug_for(name);
        self.change(snapshot, &slug, &|text| match text {
            Some(text) => {
                let title = NewLine::title(name, name, now);
                entity::append(&text, &title.into_iter().collect::<Vec<_>>())
            }
            None => entity::new_page(&slug, name, now),
        })?;
        snapshot.fold_page(&slug);
        Ok(slug)
    }

    /// Whether a page of this name would come to be without any of these facts: all were written once, on a
    /// page that is not here and that nobody here deleted.
    pub fn is_page_elsewhere(
        &self,
        snapshot: &EntitySnapshot,
        name: &str,
        facts: &[Stated],
        now: Timestamp,
    ) -> bool {
        let (name, _) = secrets::mask(name);
        let is_written = |Stated { text, source }: &Stated| {
            let source = source.as_deref().map(|source| secrets::mask(source).0);
            let origin = Origin { source: source.as_deref(), ..Origin::default() };
            NewLine::fact(&name, &secrets::mask(text).0, &origin, now)
                .is_some_and(|line| snapshot.written.contains(line.id()))
        };
        // A page that is there and cannot be read is another matter.
        let path = self.path(&snapshot.slug_for(&name));
        let is_away = self.bytes(&path).is_err_and(|cause| cause.is_gone());
        let is_deleted = retired_slug(snapshot, &name).is_some();
        is_away && !is_deleted && !facts.is_empty() && facts.iter().all(is_written)
    }

    /// Adds names and facts to a page that is there; says which facts were new. What was once
    /// written and is gone does not come back. What says otherwise of the same stands together, the
    /// newest first, and so do the sources of one fact.
    ///
    /// # Errors
    /// When the page or the journal cannot be written.
    pub fn add(
        &self,
        snapshot: &mut EntitySnapshot,
        slug: &str,
        aliases: &[String],
        facts: &[NewFact],
        now: Timestamp,
    ) -> Result<Vec<Written>, LearnError> {
        let Some(entity) = snapshot.entities.by_slug(slug) else { return Ok(Vec::new()) };
        let name = entity.identity.clone();
        let known: Vec<Fact> = entity.facts.clone();
        let entity = Entity { facts: Vec::new(), ..entity.clone() };
        // A name that was taken out does not come back either.
        let is_out = |line: &NewLine| {
            let key = format!("{}:{}", line.kind().letter(), line.id());
            snapshot.retired.all().any(|retirement| retirement.line == key)
        };
        let is_known =
            |alias: &&String| snapshot.entities.find(alias).is_some() || snapshot.is_deleted(alias);
        let mut lines: Vec<NewLine> = aliases
            .iter()
            .filter(|alias| !is_known(alias))
            .filter_map(|alias| NewLine::alias(&name, alias, now))
            .filter(|line| !is_out(line))
            .collect();
        let (mut records, mut written) = (Vec::new(), Vec::new());
        let mut agreeing: BTreeSet<String> = BTreeSet::new();
        for fact in facts {
            let (text, _) = secrets::mask(&fact.text);
            let origin = Origin {
                source: fact.source.as_deref(),
                search: fact.search.as_deref(),
                message: fact.message.as_deref(),
                against: fact.against.as_deref(),
                published: fact.published,
            };
            let Some(line) = NewLine::fact(&name, &text, &origin, now) else { continue };
            if snapshot.written.contains(line.id()) || snapshot.is_removed(line.text()) {
                continue;
            }
            snapshot.written.insert(line.id().to_owned());
            if fact.is_known {
                agreeing.insert(line.id().to_owned());
            } else {
                written.push(Written { id: line.id().to_owned(), text: line.text().to_owned() });
            }
            records.push(FactRecord {
                kind: FACT.to_owned(),
                id: line.id().to_owned(),
                at: now,
                entity: slug.to_owned(),
                source_url: fact.source.clone(),
                source_search_log_id: fact.search.clone(),
                source_message_id: fact.message.clone(),
            });
            lines.push(line);
        }
        if lines.is_empty() {
            return Ok(written);
        }
        let beside = Beside::of(&known, &entity);
        self.change(snapshot, slug, &|text| {
            let text = text.unwrap_or_else(|| entity::new_page(slug, &name, now));
            // Somebody else may have found the same in the meantime, elsewhere.
            let page = Page::parse(&text);
            let facts = page.lines.iter().filter(|line| line.kind == Kind::Fact);
            let mut said: BTreeMap<String, usize> = BTreeMap::new();
            facts.for_each(|line| *said.entry(normalise(&line.text)).or_default() += 1);
            let is_said = |line: &&NewLine| {
                let most = if agreeing.contains(line.id()) { MOST_SOURCES } else { 1 };
                let count = said.get(&normalise(line.text()));
                line.kind() == Kind::Fact && count.is_some_and(|count| *count >= most)
            };
            let fresh = lines.iter().filter(|line| !is_said(line));
            let placed = fresh.map(|line| (line.clone(), beside.of_line(line)));
            entity::insert(&text, &placed.collect::<Vec<_>>())
        })?;
        // What is on the page by now is written, whoever was faster.
        self.record_store.write(self.record_store.place(false), &records)?;
        snapshot.fold_page(slug);
        let ours: BTreeSet<LineHash> = lines.iter().map(NewLine::hash).collect();
        let parsed = snapshot.pages.get(slug);
        let there: BTreeSet<&str> = parsed
            .into_iter()
            .flat_map(|parsed| &parsed.page.lines)
            .filter(|line| ours.contains(&line.hash))
            .map(|line| line.id.as_str())
            .collect();
        written.retain(|fact| there.contains(fact.id.as_str()));
        Ok(written)
    }

    /// Writes down the facts of a search or message that are on pages and that no record tells of:
    /// whoever was stopped had written the one and not the other.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn catch_up(
        &self,
        snapshot: &mut EntitySnapshot,
        id: &str,
        now: Timestamp,
    ) -> Result<(), LearnError> {
        let is_its = |line: &&Line| {
            let from = [&line.search, &line.message];
            line.kind == Kind::Fact && from.into_iter().any(|from| from.as_deref() == Some(id))
        };
        let records: Vec<FactRecord> = snapshot
            .pages
            .iter()
            .flat_map(|(slug, parsed)| {
                let lines = parsed.page.lines.iter().filter(is_its);
                let missing = lines.filter(|line| !snapshot.written.contains(&line.id));
                missing.map(move |line| FactRecord {
                    kind: FACT.to_owned(),
                    id: line.id.clone(),
                    at: now,
                    entity: slug.clone(),
                    source_url: line.source.clone(),
                    source_search_log_id: line.search.clone(),
                    source_message_id: line.message.clone(),
                })
            })
            .collect();
        snapshot.written.extend(records.iter().map(|record| record.id.clone()));
        Ok(self.record_store.write(self.record_store.place(false), &records)?)
    }

    /// Removes a page that git does not track and that holds this text and nothing else; says whether it did.
    ///
    /// # Errors
    /// When the lock cannot be had, git cannot be asked, or the page cannot be removed.
    pub fn discard(&self, slug: &str, text: &str) -> Result<bool, LearnError> {
        let (path, repository) = (self.path(slug), self.record_store.repository);
        let _lock = self.lock()?;
        let is_same = self.bytes(&path).is_ok_and(|bytes| bytes == text.as_bytes());
        if !is_same || is_tracked(repository, path.as_path())? {
            return Ok(false);
        }
        remove_beneath(&repository.root, path.as_path())?;
        Ok(true)
    }

    /// Removes what a run that was killed has left beside the pages.
    ///
    /// # Errors
    /// When the lock cannot be had.
    pub fn tidy(&self) -> Result<(), LearnError> {
        // Whoever writes a page holds it.
        let _lock = self.lock()?;
        let root = Folder::open(&self.record_store.repository.root);
        let Ok(folder) = root.and_then(|root| root.at(&folder(self.write_root))) else {
            return Ok(());
        };
        for (name, kind) in folder.entries(Path::new("")).into_iter().flatten().flatten() {
            let is_left = name.to_string_lossy().starts_with(TEMPORARY);
            if is_left && kind == beneath::Kind::File {
                // The next run sees it again.
                let _ = folder.remove(Path::new(&name));
            }
        }
        Ok(())
    }

    /// Adds lines to a page.
    ///
    /// # Errors
    /// When the page cannot be written.
    pub fn put(
        &self,
        snapshot: &mut EntitySnapshot,
        slug: &str,
        lines: &[NewLine],
    ) -> Result<(), LearnError> {
        self.change(snapshot, slug, &|text| {
            entity::append(&text.unwrap_or_else(|| entity::empty_page(slug)), lines)
        })?;
        snapshot.fold();
        Ok(())
    }

    /// Retires lines of pages and takes them out; says which retirements were made.
    ///
    /// # Errors
    /// When the journal or a page cannot be written.
    pub fn retire(
        &self,
        snapshot: &mut EntitySnapshot,
        lines: &[(String, Line)],
        reason: &Reason,
        now: Timestamp,
    ) -> Result<Vec<RetiredLine>, LearnError> {
        let new: Vec<RetiredLine> = lines
            .iter()
            .map(|(slug, line)| {
                let raw = snapshot.pages.get(slug).and_then(|parsed| parsed.raw(line));
                retired(slug, line, raw, reason.clone(), now)
            })
            .collect();
        if new.is_empty() {
            return Ok(new);
        }
        self.record_store.write(self.record_store.place(false), &new)?;
        let mut by_page: BTreeMap<&str, BTreeSet<LineHash>> = BTreeMap::new();
        for (slug, line) in lines {
            by_page.entry(slug).or_default().insert(line.hash);
        }
        for (slug, hashes) in by_page {
            self.change(snapshot, slug, &|text| {
                entity::without(&text.unwrap_or_default(), &hashes)
            })?;
        }
        snapshot.retirements.extend(new.iter().cloned());
        snapshot.fold();
        Ok(new)
    }

    /// Takes retirements back: their lines are put back and count again, but for those that others
    /// hold.
    ///
    /// # Errors
    /// When the journal or a page cannot be written.
    pub fn restore(
        &self,
        snapshot: &mut EntitySnapshot,
        retirements: &[RetiredLine],
        now: Timestamp,
    ) -> Result<(), LearnError> {
        if retirements.is_empty() {
            return Ok(());
        }
        let ids: Vec<String> = retirements.iter().map(|line| line.id.clone()).collect();
        let record = restored(ids.clone(), now);
        self.record_store.write(self.record_store.place(false), &[&record])?;
        snapshot.retirements.retain(|line| !ids.contains(&line.id));
        let mut by_page: BTreeMap<&str, Vec<NewLine>> = BTreeMap::new();
        let held: BTreeSet<LineHash> =
            snapshot.retirements.iter().map(|line| line.line.hash).collect();
        for line in retirements.iter().filter(|line| !held.contains(&line.line.hash)) {
            by_page.entry(&line.line.slug).or_default().extend(line.again());
        }
        for (slug, lines) in by_page {
            self.change(snapshot, slug, &|text| {
                entity::append(&text.unwrap_or_else(|| entity::empty_page(slug)), &lines)
            })?;
        }
        snapshot.fold();
        Ok(())
    }

    /// Replaces a page by what `make` says, given what is there; under the lock.
    fn change(
        &self,
        snapshot: &mut EntitySnapshot,
        slug: &str,
        make: &dyn Fn(Option<String>) -> String,
    ) -> Result<(), LearnError> {
        let path = self.path(slug);
        let root = &self.record_store.repository.root;
        let _lock = self.lock()?;
        let bytes = self.bytes(&path).ok();
        if bytes.as_deref().is_some_and(is_wide) {
            return Err(LearnError::Encoding(path));
        }
        let before = bytes.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let is_there = || Folder::open(root).is_ok_and(|root| root.exists(path.as_path()));
        if before.is_none() && is_there() {
            // What cannot be read must not be replaced.
            return Err(LearnError::Unreadable(path));
        }
        let text = make(before.clone());
        if before.as_deref() != Some(&text) && !(before.is_none() && text.is_empty()) {
            let before = before.unwrap_or_default();
            let bytes = bytes.unwrap_or_default();
            let whole = with_bytes_of(&bytes, &before, &text);
            if encoding(&bytes).is_some_and(|it| encoding(&whole) != Some(it)) {
                return Err(LearnError::Encoding(path));
            }
            let _telling = watch::tell(self.record_store.repository, path.as_path(), Some(&whole));
            write_beneath(root, path.as_path(), &whole)?;
        }
        snapshot.put(slug, ParsedPage::of(text));
        Ok(())
    }
}

/// Where lines go: a further source below the fact, and what says otherwise above the newest fact
/// that it disagrees with. Each fact is read once.
struct Beside<'f> {
    known: Vec<(&'f Fact, String, Said)>,
    read: Box<dyn Fn(&str) -> Said>,
}

impl<'f> Beside<'f> {
    fn of(known: &'f [Fact], entity: &Entity) -> Self {
        let read = reader_of(entity);
        let known = known.iter().map(|fact| {
            let text = fact.line.text.as_str();
            (fact, normalise(text), read(text))
        });
        Self { known: known.collect(), read: Box::new(read) }
    }

    fn of_line(&self, line: &NewLine) -> Spot {
        if line.kind() != Kind::Fact {
            return Spot::End;
        }
        let said = normalise(line.text());
        if let Some((fact, ..)) = self.known.iter().find(|(_, normal, _)| *normal == said) {
            return fact.lines().last().map_or(Spot::End, |last| Spot::Below(last.hash));
        }
        let read = (self.read)(line.text());
        let against = self.known.iter().filter(|(.., said)| said.is_otherwise(&read));
        let against: Vec<&Fact> = against.map(|(fact, ..)| *fact).collect();
        let newer = against.iter().filter(|fact| fact.newest() > line.said());
        if let Some(newer) = newer.min_by_key(|fact| fact.newest()) {
            return newer.lines().last().map_or(Spot::End, |last| Spot::Below(last.hash));
        }
        let newest = against.iter().max_by_key(|fact| fact.newest());
        newest.map_or(Spot::End, |newest| Spot::Above(newest.line.hash))
    }
}

/// Whether a page has an encoding in which a line of ours would be no line.
pub(super) fn is_wide(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, ..] | [_, 0, ..])
}

/// Names and times of pages that were deleted or undone.
fn titles(snapshot: &EntitySnapshot) -> impl Iterator<Item = &RetiredLine> {
    snapshot.retirements.iter().filter(|line| {
        matches!(line.line.reason, Reason::Deleted | Reason::Undone(_))
            && line.line.line.starts_with([Kind::Title.letter(), Kind::Created.letter()])
    })
}

/// The page that was deleted or undone under a name.
fn retired_slug(snapshot: &EntitySnapshot, name: &str) -> Option<String> {
    let own = identity(name);
    let is_its = |line: &&RetiredLine| line.says().is_some_and(|title| identity(&title) == own);
    titles(snapshot).find(is_its).map(|line| line.line.slug.clone())
}

/// What a page that can be decoded is decoded from; none for UTF-8.
fn encoding(bytes: &[u8]) -> Option<Option<String>> {
    markdown::decode(bytes).ok().map(|decoded| decoded.note)
}

/// A page as it is to be written: `made` from its `text`, and what of its `bytes` is no UTF-8 as it
/// was.
fn with_bytes_of(bytes: &[u8], text: &str, made: &str) -> Vec<u8> {
    if bytes == text.as_bytes() {
        return made.as_bytes().to_vec();
    }
    if let Some(added) = made.strip_prefix(text) {
        return [bytes, added.as_bytes()].concat();
    }
    // Lines were taken out or put between; the others are there in their order.
    let raw = bytes.split_inclusive(|&byte| byte == b'\n');
    let mut there = text.split_inclusive('\n').zip(raw);
    let kept = made.split_inclusive('\n').flat_map(|line| {
        let mut ahead = there.clone();
        match ahead.find(|(was, _)| *was == line) {
            Some((_, raw)) => {
                there = ahead;
                raw
            }
            None => line.as_bytes(),
        }
    });
    kept.copied().collect()
}

/// The record of a line that no longer counts. What it said is kept, so that it can be put back and
/// is known again, but for what holds a secret.
pub fn retired(
    slug: &str,
    line: &Line,
    raw: Option<&str>,
    reason: Reason,
    now: Timestamp,
) -> RetiredLine {
    let is_secret = reason == Reason::Masked
        || !secrets::scan(raw.unwrap_or(&line.text)).is_empty()
        || !secrets::scan(&line.text).is_empty();
    let reason = if is_secret { Reason::Masked } else { reason };
    let id = Ulid::new().to_string();
    RetiredLine {
        kind: RETIRED.to_owned(),
        id: id.clone(),
        at: now,
        raw: raw.filter(|_| !is_secret).map(str::to_owned),
        line: Retirement::new(id, slug, line, reason),
    }
}

/// The record that takes retirements back.
pub fn restored(retirements: Vec<String>, now: Timestamp) -> RestoredLines {
    let id = Ulid::new().to_string();
    RestoredLines { kind: RESTORED.to_owned(), id, at: now, retirements }
}
