//! Entities as documents that can be searched: one per page, with the lines of its file.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::{
    entity_store::{
        EntitySnapshot, KINDS, MAX_PAGE_BYTES, ParsedPage, folder, is_wide, page_files, slug_of,
    },
    otherwise::disagreements,
};
use elophanto_index::{
    Context, IndexError, Kind,
    source::{Collection, Derived, Listing, Source},
    store::segment::{Against, Attributes, Otherwise},
};
use elophanto_repo::{
    BlobId, FileStat, Git, GitError, NotePath, ObjectId, Stored, Version,
    journal::{Record, parse_file},
    read_note,
    record_store::{SHARED, journal_of},
};
use elophanto_text::entity::{Entity, Fact, LineHash, Page, counting_tags, searchable};

/// Largest file of the journal that is read from git, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// A file changed this recently may change again without a new time.
const RACY: Duration = Duration::from_secs(2);

/// What is known of entities, from their pages and the journal.
pub struct Facts;

impl Source for Facts {
    fn kind(&self) -> Kind {
        Kind::Fact
    }

    fn here<'s>(&'s self, context: &'s Context) -> Result<Listing<'s>, IndexError> {
        let root = &context.repository.root;
        let files = page_files(root, &folder(context.write_root));
        if files.is_empty() {
            // The usual case costs a search next to nothing.
            return Ok(Listing::Made(Collection::default()));
        }
        let now = at((context.now)());
        let journal = journal_of(context.repository);
        let records = journal.stamp(now);
        let (pages, settled) = stamp(root, &files, now);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&records.digest).update(pages.as_bytes());
        Ok(Listing::Made(Collection {
            stamp: hasher.finalize().to_hex().to_string(),
            settled: settled && !records.racy,
            documents: Box::new(move || {
                of(context, &texts_here(root, &files), journal.read(&KINDS).records, now)
            }),
        }))
    }

    /// The pages, and the journal.
    fn stored(
        &self,
        context: &Context,
        git: &Git,
        version: &Version,
    ) -> Result<Vec<Stored>, GitError> {
        let pages = pages_of(git, version, &folder(context.write_root))?;
        if pages.is_empty() {
            return Ok(Vec::new());
        }
        let mut files: Vec<Stored> = pages.into_iter().map(|(_, file)| file).collect();
        files.extend(git.list(version, &[Path::new(SHARED)])?);
        Ok(files)
    }

    fn made(
        &self,
        context: &Context,
        git: &Git,
        _version: &Version,
        files: &[Stored],
    ) -> Option<Vec<Derived>> {
        let folder = folder(context.write_root);
        let (pages, records): (Vec<&Stored>, Vec<&Stored>) =
            files.iter().partition(|file| slug_of(&folder, file.path.as_path()).is_some());
        let read = |files: &[&Stored], most| {
            let ids: Vec<&ObjectId> = files.iter().map(|file| &file.object).collect();
            git.objects().read(&ids, most).into_iter()
        };
        let records = read(&records, MOST_BYTES).flatten();
        let records = records.flat_map(|bytes| parse_file(&bytes, &KINDS).into_records());
        let texts = pages.iter().zip(read(&pages, MAX_PAGE_BYTES)).filter_map(|(file, bytes)| {
            let (slug, bytes) = (slug_of(&folder, file.path.as_path())?, bytes.ok()?);
            if is_wide(&bytes) {
                return None;
            }
            Some((slug, (BlobId::of(&bytes), text_of(&bytes))))
        });
        Some(of(context, &texts.collect(), records.collect(), at((context.now)())))
    }
}

/// The pages that a version holds, by slug.
///
/// # Errors
/// When git cannot list the version.
pub fn pages_of(
    git: &Git,
    version: &Version,
    folder: &Path,
) -> Result<Vec<(String, Stored)>, GitError> {
    let files = git.list(version, &[folder])?;
    let page = |file: Stored| {
        let path = file.path.as_path();
        Some((slug_of(folder, path)?, file))
    };
    Ok(files.into_iter().filter_map(page).collect())
}

/// Pages by slug, with the names of their contents.
type Texts = BTreeMap<String, (BlobId, String)>;

fn texts_here(root: &Path, files: &[(String, NotePath)]) -> Texts {
    let read = files.par_iter().filter_map(|(slug, path)| {
        let (bytes, _) = read_note(root, path, MAX_PAGE_BYTES).ok()?;
        if is_wide(&bytes) {
            // It counts nowhere, which whoever reads entities says.
            return None;
        }
        Some((slug.clone(), (BlobId::of(&bytes), text_of(&bytes))))
    });
    read.collect()
}

pub(super) fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One document for each page that says anything.
fn of(context: &Context, texts: &Texts, records: Vec<Record>, now: Timestamp) -> Vec<Derived> {
    let pages =
        texts.par_iter().map(|(slug, (_, text))| (slug.clone(), ParsedPage::of(text.clone())));
    let snapshot = EntitySnapshot::of(pages.collect(), records, now);
    let folder = folder(context.write_root);
    let groups: BTreeMap<&str, Vec<Vec<usize>>> = snapshot
        .entities
        .iter()
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|entity| (entity.slug.as_str(), disagreements(entity)))
        .collect();
    let mut documents: Vec<Derived> = texts
        .par_iter()
        .filter_map(|(slug, (blob, text))| {
            let entity = snapshot.entities.by_slug(slug)?;
            let page = without_elsewhere(snapshot.pages.get(slug)?.page.clone(), entity, slug);
            let path = NotePath::from(folder.join(format!("{slug}.md")).as_path());
            let others = otherwise(slug, entity, groups.get(entity.slug.as_str())?, &folder);
            Some(document(path, text, *blob, (&page, others), entity, &snapshot))
        })
        .collect();
    documents.sort_by(|a, b| a.path().cmp(b.path()));
    documents
}

/// The page without facts that another page of its entity says in the same words.
fn without_elsewhere(mut page: Page, entity: &Entity, slug: &str) -> Page {
    if entity.pages.len() > 1 {
        let elsewhere: BTreeSet<LineHash> = entity
            .facts
            .iter()
            .filter(|fact| fact.slug != slug)
            .flat_map(|fact| fact.also.iter().map(|(_, line)| line.hash))
            .collect();
        page.lines.retain(|line| !elsewhere.contains(&line.hash));
    }
    page
}

/// The facts of a page that a note of the user contradicts.
fn against(page: &Page, snapshot: &EntitySnapshot) -> Vec<Against> {
    let counting = page.lines.iter().filter(|line| !snapshot.retired.holds(&line.hash));
    let against = counting
        .filter_map(|line| Some(Against { line: line.number, note: line.against.clone()? }));
    against.collect()
}

/// Facts that are named beside one, the newest.
const MOST_OTHERS: usize = 5;

/// What other facts of its entity say otherwise than those of a page.
fn otherwise(slug: &str, entity: &Entity, groups: &[Vec<usize>], folder: &Path) -> Vec<Otherwise> {
    let mut all = Vec::new();
    for group in groups {
        let facts: Vec<&Fact> = group.iter().filter_map(|at| entity.facts.get(*at)).collect();
        for fact in facts.iter().filter(|fact| fact.slug == slug) {
            let others = facts.iter().filter(|other| other.line.hash != fact.line.hash);
            all.extend(others.take(MOST_OTHERS).map(|other| Otherwise {
                line: fact.line.number,
                page: NotePath::from(folder.join(format!("{}.md", other.slug)).as_path()).to_text(),
                at_line: other.line.number,
                text: other.line.text.clone(),
                source: other.line.source.clone().unwrap_or_default(),
                said: other.newest().map(Timestamp::as_second),
            }));
        }
    }
    all
}

/// A page as a document, with the lines of its file, and what is said otherwise elsewhere.
fn document(
    path: NotePath,
    text: &str,
    blob: BlobId,
    (page, otherwise): (&Page, Vec<Otherwise>),
    entity: &Entity,
    snapshot: &EntitySnapshot,
) -> Derived {
    let text = searchable(text, page, &snapshot.retired);
    // A header is one, too, where lines end as on other systems, and behind a byte order mark.
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let newest = entity.facts.iter().filter_map(|fact| fact.line.at).max().or(entity.created);
    // Whoever links to it by one of its names finds it.
    let names = std::iter::once(&entity.title).chain(&entity.aliases).cloned().collect();
    let against = against(page, snapshot);
    Derived::new(
        path,
        entity.title.clone(),
        counting_tags(page, &snapshot.retired),
        (None, newest.map(Timestamp::as_second)),
        Attributes::Facts { page: blob, names, against, otherwise },
        text,
    )
}

/// What the files look like, and whether that proves anything the next time.
fn stamp(root: &Path, files: &[(String, NotePath)], now: Timestamp) -> (blake3::Hash, bool) {
    let states: Vec<Option<[i64; 4]>> = files
        .par_iter()
        .map(|(_, path)| {
            let file = std::fs::symlink_metadata(root.join(path.as_path())).ok()?;
            let FileStat { size, mtime, ctime, inode } = FileStat::from(&file);
            Some([mtime, ctime, size as i64, inode as i64])
        })
        .collect();
    let young = SystemTime::from(now).checked_sub(RACY).and_then(|time| {
        time.duration_since(SystemTime::UNIX_EPOCH).ok().map(|time| time.as_secs() as i64)
    });
    let mut settled = true;
    let mut hasher = blake3::Hasher::new();
    for ((_, path), state) in files.iter().zip(&states) {
        hasher.update(path.as_bytes()).update(&[0]);
        let Some(state) = state else {
            settled = false;
            continue;
        };
        settled &= young.is_some_and(|young| state[0].max(state[2]) < young);
        for number in state {
            hasher.update(&number.to_le_bytes());
        }
    }
    (hasher.finalize(), settled)
}

pub(super) fn at(nanoseconds: i64) -> Timestamp {
    Timestamp::from_nanosecond(i128::from(nanoseconds)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use elophanto_text::entity::{NewLine, Origin, append, new_page};

    /// A page as it is handed to the index.
    fn given(page: &str) -> Derived {
        let pages = [("kef".to_owned(), ParsedPage::of(page.to_owned()))].into_iter().collect();
        let snapshot = EntitySnapshot::of(pages, Vec::new(), Timestamp::UNIX_EPOCH);
        let (entity, page_read) =
            (snapshot.entities.by_slug("kef").unwrap(), &snapshot.pages["kef"].page);
        let blob = BlobId::of(page.as_bytes());
        document("kef.md".into(), page, blob, (page_read, Vec::new()), entity, &snapshot)
    }

    #[test]
    fn what_is_known_of_a_page_does_not_depend_on_its_line_ends() {
        let at = Timestamp::UNIX_EPOCH;
        let against = Some("knowledge/user/my audio.md");
        let origin = Origin { against, ..Origin::default() };
        let lines = [
            NewLine::alias("KEF", "LS50", at).unwrap(),
            NewLine::fact("KEF", "The KEF is a speaker.", &origin, at).unwrap(),
        ];
        let page = append(&new_page("kef", "KEF", at), &lines);
        let line = 1 + page.lines().position(|line| line.contains("is a speaker")).unwrap();
        for page in [
            page.clone(),
            page.replace('\n', "\r\n"),
            page.replace('\n', "\r"),
            format!("\u{feff}{page}"),
            page.replace("\n- ", "\r\n- "),
        ] {
            let given = given(&page);
            let expected = Attributes::Facts {
                page: BlobId::of(page.as_bytes()),
                names: vec!["KEF".to_owned(), "LS50".to_owned()],
                against: vec![Against { line, note: "knowledge/user/my audio.md".to_owned() }],
                otherwise: Vec::new(),
            };
            assert_eq!(given.attributes(), &expected, "{page:?}");
            assert_eq!(given.text().lines().nth(line - 1), Some("- The KEF is a speaker."));
        }
    }
}
