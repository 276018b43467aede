//! Lines of entities at a commit: what a person took out, edited or put back is written down, so
//! that no merge undoes it.
//!
//! `merge=union` can only add, so a line that is gone here would come back from a branch that still
//! has it. Staged pages are compared with those of the commit's parents, and what became of each
//! line goes into the journal, which goes along with the commit.

use std::{collections::BTreeMap, path::Path};

use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{CommitError, unseen::Unseen};
use elophanto_base::secrets;
use elophanto_knowledge::learn::{
    entity_store::{MAX_PAGE_BYTES, ParsedPage, restored, retired, slug_of},
    record::{RESTORED, RETIRED, RestoredLines, RetiredLine},
};
use elophanto_repo::{
    CommitId, Git, NotePath, ObjectId, Objects, Stored, Version,
    journal::{Record, parse_file},
    record_store::{RecordStore, SHARED},
};
use elophanto_text::entity::{
    self, Changes, Line, LineHash, Reason, Retired, Retirement, changes, without_moves,
};

/// Largest file of the journal that is read from git, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Pages as the commit and its parents have them.
pub struct Pages {
    pub staged: Vec<Stored>,
    /// In the order of the parents.
    pub before: Vec<Vec<Stored>>,
}

/// What was written down.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// Lines of facts that a person took out.
    pub retired: usize,
    /// Lines that are back.
    pub restored: usize,
}

impl Pages {
    /// Lists the pages of what is staged and of the parents.
    ///
    /// # Errors
    /// When git cannot list a version.
    pub fn list(git: &Git, folder: &Path, parents: &[CommitId]) -> Result<Self, CommitError> {
        Self::of(git, folder, &Version::Staged, parents)
    }

    pub(super) fn of(
        git: &Git,
        folder: &Path,
        version: &Version,
        parents: &[CommitId],
    ) -> Result<Self, CommitError> {
        let list = |version: &Version| -> Result<Vec<Stored>, CommitError> {
            let files = git.list(version, &[folder])?;
            Ok(files
                .into_iter()
                .filter(|file| slug_of(folder, file.path.as_path()).is_some())
                .collect())
        };
        let staged = list(version)?;
        let before = parents.iter().map(|parent| list(&Version::Commit(*parent)));
        Ok(Self { before: before.collect::<Result<_, _>>()?, staged })
    }
}

/// Compares the pages with those of the parents and writes down what became of their lines.
///
/// # Errors
/// When git cannot be read or the journal not be written.
pub fn note(
    record_store: &RecordStore,
    git: &Git,
    objects: &Objects,
    folder: &Path,
    pages: &Pages,
    parents: &[CommitId],
    now: Timestamp,
) -> Result<Noted, CommitError> {
    let mut noted = Noted::default();
    let touched = Touched::of(folder, pages, objects);
    let mut unseen = Unseen::read(git, objects, folder, parents.first().copied(), now)?;
    // The usual commit touches no page and brings no records: it costs some listings.
    if unseen.is_empty()
        && touched.is_empty()
        && (pages.staged.is_empty() || !brings_records(record_store, git, parents)?)
    {
        unseen.settle(git, &Retired::default());
        return Ok(noted);
    }
    let all = records(record_store.journal.read(&[RETIRED, RESTORED]).records);
    let before = records_of(git, objects, parents)?;
    // A repository that shares nothing has all of them at hand, and no branch brings others.
    let fresh: Vec<&Said> = all.iter().filter(|said| !before.contains_key(said.id())).collect();
    let retired_by = |said: &[&Said]| Retired::of(said.iter().map(|said| said.record()));
    let everything: Vec<&Said> = before.values().chain(fresh.iter().copied()).collect();
    // What a merge leaves out or brings has been told by the branch that did so. Of an ordinary
    // commit, only its own records tell; what it learned and took back is not back.
    let is_merge = parents.len() > 1;
    let told = if is_merge { retired_by(&everything) } else { retired_by(&fresh) };
    let committed: Vec<&Said> = before.values().collect();
    let known = if is_merge { retired_by(&everything) } else { retired_by(&committed) };

    let mut gone: Vec<RetiredLine> = Vec::new();
    let mut back: Vec<String> = Vec::new();
    // What is put back now is not gone, whoever took it out.
    let is_back = |hash: &LineHash| {
        touched.pages.iter().any(|(.., changes)| changes.back.iter().any(|it| it.hash == *hash))
    };
    unseen.gone.retain(|line| !is_back(&line.line.hash));
    let standing = retired_by(&everything);
    gone.extend(unseen.gone.iter().filter(|line| !standing.holds(&line.line.hash)).cloned());
    let of_unseen: FxHashSet<LineHash> = gone.iter().map(|line| line.line.hash).collect();
    for (slug, page, changes) in &touched.pages {
        for line in changes.to_retire(&told).filter(|line| !of_unseen.contains(&line.hash)) {
            let reason = page.reason(line);
            gone.push(retired(slug, line, page.raw(line), reason, now));
        }
        for (_, ids) in changes.to_restore(&known) {
            back.extend(ids.into_iter().map(str::to_owned));
        }
    }
    // Taken out for a commit that came to nothing, and still there; but not what was taken out in earnest, and
    // a merge brought again. Or put back by a commit that no hook saw.
    let mut known_to: FxHashMap<Option<CommitId>, BTreeMap<String, Said>> = FxHashMap::default();
    for parent in unseen.back.values() {
        let read = || records_of(git, objects, parent.as_slice()).unwrap_or_default();
        known_to.entry(*parent).or_insert_with(read);
    }
    back.extend(still_there(&everything, &standing, pages, folder, objects, |line| {
        let hash = &line.line.hash;
        let knows = |parent: &Option<CommitId>| known_to[parent].contains_key(&line.id);
        !before.contains_key(&line.id) && (is_back(hash) || unseen.may_be_of_nothing(line))
            || unseen.back.get(hash).is_some_and(knows)
    }));
    let fresh_records: Vec<entity::Record> = fresh.iter().map(|said| said.record()).collect();
    if fresh_records.iter().any(|record| matches!(record, entity::Record::Restored(_))) {
        let all_records: Vec<entity::Record> =
            everything.iter().map(|said| said.record()).collect();
        let texts: Vec<String> = texts(objects, &pages.staged);
        let texts = texts.iter().map(String::as_str);
        for retirement in entity::to_retire_again(&fresh_records, &all_records, texts) {
            gone.push(again(retirement, &everything, now));
        }
    }
    noted.retired = gone.len();
    noted.restored = back.len();
    record_store.write(record_store.place(false), &gone)?;
    if !back.is_empty() {
        record_store.write(record_store.place(false), &[&restored(back, now)])?;
    }
    unseen.settle(git, &if record_store.share { retired_by(&committed) } else { standing });
    Ok(noted)
}

/// Whether there are records that none of the parents has.
fn brings_records(
    record_store: &RecordStore,
    git: &Git,
    parents: &[CommitId],
) -> Result<bool, CommitError> {
    if !record_store.share {
        return Ok(!record_store.journal.is_empty());
    }
    let mut known: FxHashSet<NotePath> = FxHashSet::default();
    for parent in parents {
        let files = git.list(&Version::Commit(*parent), &[Path::new(SHARED)])?;
        known.extend(files.into_iter().map(|file| file.path));
    }
    let root = &record_store.repository.root;
    Ok(record_store.journal.shared_files().iter().any(|file| {
        let below = file.strip_prefix(root).unwrap_or(file);
        !known.contains(&NotePath::from(below))
    }))
}

/// A record about lines, read.
enum Said {
    Retired(RetiredLine),
    Restored(RestoredLines),
}

impl Said {
    fn id(&self) -> &str {
        match self {
            Self::Retired(line) => &line.id,
            Self::Restored(lines) => &lines.id,
        }
    }

    fn record(&self) -> entity::Record {
        match self {
            Self::Retired(line) => entity::Record::Retired(line.retirement()),
            Self::Restored(lines) => entity::Record::Restored(entity::Restoration {
                id: lines.id.clone(),
                retirements: lines.retirements.clone(),
            }),
        }
    }
}

fn records(records: Vec<Record>) -> Vec<Said> {
    let mut seen = FxHashSet::default();
    let parse = |record: Record| match record.kind.as_str() {
        RETIRED => record.parse().ok().map(Said::Retired),
        RESTORED => record.parse().ok().map(Said::Restored),
        _ => None,
    };
    let parsed = records.into_iter().filter(|record| !record.retired).filter_map(parse);
    parsed.filter(|said| seen.insert(said.id().to_owned())).collect()
}

/// What the journals of the parents hold, by id.
fn records_of(
    git: &Git,
    objects: &Objects,
    parents: &[CommitId],
) -> Result<BTreeMap<String, Said>, CommitError> {
    let mut ids: Vec<ObjectId> = Vec::new();
    for parent in parents {
        for file in git.list(&Version::Commit(*parent), &[Path::new(SHARED)])? {
            if !ids.contains(&file.object) {
                ids.push(file.object);
            }
        }
    }
    let contents = objects.read(&ids.iter().collect::<Vec<_>>(), MOST_BYTES).into_iter().flatten();
    let read = contents.flat_map(|bytes| parse_file(&bytes, &[RETIRED, RESTORED]).into_records());
    let said = records(read.collect());
    Ok(said.into_iter().map(|said| (said.id().to_owned(), said)).collect())
}

/// A page that the commit changes.
pub(super) struct Page {
    before: Vec<ParsedPage>,
    now: ParsedPage,
}

impl Page {
    /// The line as it stood in a parent.
    pub(super) fn raw(&self, line: &Line) -> Option<&str> {
        self.before.iter().find_map(|parsed| parsed.raw(line))
    }

    /// Why a line is gone: another text with its id took its place, or none.
    pub(super) fn reason(&self, line: &Line) -> Reason {
        let is_secret = self.raw(line).is_some_and(|raw| !secrets::scan(raw).is_empty());
        let is_edited = self.now.page.lines.iter().any(|now| now.key() == line.key());
        match (is_secret, is_edited) {
            (true, _) => Reason::Masked,
            (false, true) => Reason::Edited,
            (false, false) => Reason::Removed,
        }
    }
}

/// The pages that a commit changes.
pub(super) struct Touched {
    pub(super) pages: Vec<(String, Page, Changes)>,
}

impl Touched {
    pub(super) fn of(folder: &Path, pages: &Pages, objects: &Objects) -> Self {
        let by_slug = |files: &[Stored]| -> BTreeMap<String, ObjectId> {
            let slug = |file: &Stored| slug_of(folder, file.path.as_path());
            files.iter().filter_map(|file| Some((slug(file)?, file.object))).collect()
        };
        let staged = by_slug(&pages.staged);
        let before: Vec<_> = pages.before.iter().map(|files| by_slug(files)).collect();
        let slugs: FxHashSet<&String> =
            staged.keys().chain(before.iter().flat_map(|map| map.keys())).collect();
        let mut slugs: Vec<&String> = slugs
            .into_iter()
            .filter(|slug| {
                before.is_empty() || before.iter().any(|map| map.get(*slug) != staged.get(*slug))
            })
            .collect();
        slugs.sort_unstable();
        let parsed = |id: Option<&ObjectId>| {
            let bytes = id.and_then(|id| objects.read(&[id], MAX_PAGE_BYTES).pop()?.ok());
            ParsedPage::of(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
        };
        let read: Vec<(String, Page)> = slugs
            .into_iter()
            .map(|slug| {
                let before = before.iter().map(|map| parsed(map.get(slug))).collect();
                (slug.clone(), Page { before, now: parsed(staged.get(slug)) })
            })
            .collect();
        let compared = read.iter().map(|(_, page)| {
            let parents: Vec<&str> =
                page.before.iter().map(|parsed| parsed.text.as_str()).collect();
            changes(&parents, &page.now.text)
        });
        let compared = without_moves(compared.collect());
        let pages = read.into_iter().zip(compared);
        Self { pages: pages.map(|((slug, page), changes)| (slug, page, changes)).collect() }
    }

    fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}

/// Ids of those retirements by hand that may be of nothing, as an attempt which came to nothing has written
/// them, and whose lines are on the staged pages all the same.
fn still_there(
    all: &[&Said],
    told: &Retired,
    pages: &Pages,
    folder: &Path,
    objects: &Objects,
    may_be_of_nothing: impl Fn(&RetiredLine) -> bool,
) -> Vec<String> {
    let by_hand = |line: &RetiredLine| {
        matches!(line.line.reason, Reason::Removed | Reason::Edited | Reason::Masked)
            && told.standing(&line.line.hash).iter().any(|one| one.id == line.id)
            && may_be_of_nothing(line)
    };
    let mut found = Vec::new();
    let mut read: BTreeMap<&str, ParsedPage> = BTreeMap::new();
    for said in all {
        let Said::Retired(line) = said else { continue };
        if !by_hand(line) {
            continue;
        }
        let slug = line.line.slug.as_str();
        let parsed = read.entry(slug).or_insert_with(|| {
            let is_its =
                |file: &&Stored| slug_of(folder, file.path.as_path()).as_deref() == Some(slug);
            let files: Vec<Stored> =
                pages.staged.iter().find(is_its).into_iter().cloned().collect();
            ParsedPage::of(texts(objects, &files).pop().unwrap_or_default())
        });
        if parsed.page.lines.iter().any(|there| there.hash == line.line.hash) {
            found.push(line.id.clone());
        }
    }
    found
}

fn texts(objects: &Objects, files: &[Stored]) -> Vec<String> {
    let ids: Vec<&ObjectId> = files.iter().map(|file| &file.object).collect();
    let read = objects.read(&ids, MAX_PAGE_BYTES).into_iter();
    read.map(|bytes| String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()).collect()
}

/// A retirement under a new id.
fn again(retirement: Retirement, all: &[&Said], now: Timestamp) -> RetiredLine {
    let raw = all.iter().find_map(|said| match said {
        Said::Retired(line) if line.id == retirement.id => line.raw.clone(),
        _ => None,
    });
    let id = ulid::Ulid::new().to_string();
    let line = Retirement { id: id.clone(), ..retirement };
    RetiredLine { kind: RETIRED.to_owned(), id, at: now, raw, line }
}
