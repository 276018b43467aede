//! Entities as documents that can be searched: one per page, with the lines of its file.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::entity_store::{
    EntitySnapshot, KINDS, MAX_PAGE_BYTES, Sheet, folder, page_files, slug_of,
};
use elophanto_index::{
    Context, Kind, Options, Refreshed,
    derived::{self, Against, Collection, Derived},
};
use elophanto_repo::{
    BlobId, Git, GitError, NotePath, ObjectId, Stored, Version,
    journal::{Record, parse_file},
    read_note,
    record_store::{RecordStore, SHARED},
};
use elophanto_text::entity::{Entity, LineHash, Page, searchable};

/// Largest file of the journal that is read from git, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// A file changed this recently may change again without a new time.
const RACY: Duration = Duration::from_secs(2);

/// Brings what can be searched of the entities up to date with their pages.
pub fn refresh(context: &Context, record_store: &RecordStore, options: Options) -> Refreshed {
    let root = &context.repository.root;
    let files = page_files(root, &folder(context.write_root));
    if files.is_empty() && derived::last(context, Kind::Fact).is_none() {
        // The usual case costs a search next to nothing.
        return Refreshed::default();
    }
    let now = at((context.now)());
    let journal = record_store.journal.stamp(now);
    let (pages, settled) = stamp(root, &files, now);
    let documents =
        || of(context, &texts_here(root, &files), record_store.journal.read(&KINDS).records, now);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&journal.digest).update(pages.as_bytes());
    let collection = Collection {
        kind: Kind::Fact,
        stamp: Some(hasher.finalize().to_hex().to_string()),
        settled: settled && !journal.racy,
        documents: &documents,
    };
    derived::refresh(context, &collection, options)
}

/// What can be searched of the entities as it was left.
pub fn last(context: &Context) -> Option<Refreshed> {
    derived::last(context, Kind::Fact)
}

/// What a version holds that its entities are made of: their pages, and the journal.
///
/// # Errors
/// When git cannot list the version.
pub fn files_of(context: &Context, git: &Git, version: &Version) -> Result<Vec<Stored>, GitError> {
    let folder = folder(context.write_root);
    let pages = pages_of(git, version, &folder)?;
    if pages.is_empty() {
        return Ok(Vec::new());
    }
    let mut files: Vec<Stored> = pages.into_iter().map(|(_, file)| file).collect();
    files.extend(git.list(version, &[Path::new(SHARED)])?);
    Ok(files)
}

/// The entities that a version carries, of the files it holds of them.
pub fn of_version(context: &Context, git: &Git, files: &[Stored], options: Options) -> Refreshed {
    if files.is_empty() {
        return Refreshed::default();
    }
    let folder = folder(context.write_root);
    let (pages, records): (Vec<&Stored>, Vec<&Stored>) =
        files.iter().partition(|file| slug_of(&folder, file.path.as_path()).is_some());
    let now = at((context.now)());
    let documents = || {
        let read = |files: &[&Stored], most| {
            let ids: Vec<&ObjectId> = files.iter().map(|file| &file.object).collect();
            git.objects().read(&ids, most).into_iter()
        };
        let records = read(&records, MOST_BYTES).flatten();
        let records = records.flat_map(|bytes| parse_file(&bytes, &KINDS).into_records());
        let texts = pages.iter().zip(read(&pages, MAX_PAGE_BYTES)).filter_map(|(file, bytes)| {
            let (slug, bytes) = (slug_of(&folder, file.path.as_path())?, bytes.ok()?);
            Some((slug, (BlobId::of(&bytes), text_of(&bytes))))
        });
        of(context, &texts.collect(), records.collect(), now)
    };
    let collection =
        Collection { kind: Kind::Fact, stamp: None, settled: false, documents: &documents };
    derived::of_version(context, &collection, options)
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
        Some((slug.clone(), (BlobId::of(&bytes), text_of(&bytes))))
    });
    read.collect()
}

pub(super) fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One document for each page that says anything.
fn of(context: &Context, texts: &Texts, records: Vec<Record>, now: Timestamp) -> Vec<Derived> {
    let sheets = texts.par_iter().map(|(slug, (_, text))| (slug.clone(), Sheet::of(text.clone())));
    let snapshot = EntitySnapshot::of(sheets.collect(), records, now);
    let folder = folder(context.write_root);
    let mut documents: Vec<Derived> = texts
        .par_iter()
        .filter_map(|(slug, (blob, text))| {
            let entity = snapshot.entities.by_slug(slug)?;
            let page = without_elsewhere(snapshot.sheets.get(slug)?.page.clone(), entity, slug);
            let path = NotePath::from(folder.join(format!("{slug}.md")).as_path());
            let text = searchable(text, &page, &snapshot.retired, &entity.title);
            let against = against(&page, &snapshot);
            Some(Derived::of_lines(path, with_origin(&text, entity, blob, &against)))
        })
        .collect();
    documents.sort_by(|a, b| a.path.cmp(&b.path));
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

/// Adds to a header when something was last found out, what the document is made from, and what of
/// it the user says otherwise, without a further line.
fn with_origin(text: &str, entity: &Entity, blob: &BlobId, against: &[Against]) -> String {
    let newest = entity.facts.iter().filter_map(|fact| fact.line.at).max().or(entity.created);
    let updated = newest.map(|at| format!("updated: {at}, ")).unwrap_or_default();
    // A header is one, too, where lines end as on other systems, and behind a byte order mark.
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let Some(end) = text.strip_prefix("---\n").and_then(|rest| rest.find("\n---\n")) else {
        return text;
    };
    let (inner, rest) = text["---\n".len()..].split_at(end);
    let said: Vec<&str> = inner.lines().filter(|line| !line.is_empty()).collect();
    let said = said.join(", ");
    let said = said.strip_prefix('{').and_then(|said| said.strip_suffix('}')).unwrap_or(&said);
    // Whoever links to it by one of its names finds it.
    let names = list(std::iter::once(entity.title.clone()).chain(entity.aliases.iter().cloned()));
    let made_from = std::iter::once(blob.to_string());
    let covers = list(made_from.chain(against.iter().map(Against::cover)));
    let blank = "\n".repeat(inner.matches('\n').count());
    format!("---\n{{{said}, aliases: {names}, {updated}covers: {covers}}}{blank}{rest}")
}

/// A list of YAML: JSON strings are strings there too, whatever is in them.
fn list(items: impl Iterator<Item = String>) -> String {
    serde_json::Value::from(items.collect::<Vec<_>>()).to_string()
}

/// What the files look like, and whether that proves anything the next time.
fn stamp(root: &Path, files: &[(String, NotePath)], now: Timestamp) -> (blake3::Hash, bool) {
    use std::os::unix::fs::MetadataExt;
    let states: Vec<Option<[i64; 6]>> = files
        .par_iter()
        .map(|(_, path)| {
            let file = std::fs::symlink_metadata(root.join(path.as_path())).ok()?;
            let (size, inode) = (file.size() as i64, file.ino() as i64);
            let (mtime, ctime) = (file.mtime(), file.ctime());
            Some([mtime, file.mtime_nsec(), ctime, file.ctime_nsec(), size, inode])
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
    use elophanto_text::{
        entity::{NewLine, Origin, append, new_page},
        markdown,
    };

    /// A page as it is handed to the index.
    fn given(page: &str) -> String {
        let sheets = [("kef".to_owned(), Sheet::of(page.to_owned()))].into_iter().collect();
        let snapshot = EntitySnapshot::of(sheets, Vec::new(), Timestamp::UNIX_EPOCH);
        let (entity, page_read) =
            (snapshot.entities.by_slug("kef").unwrap(), &snapshot.sheets["kef"].page);
        let text = searchable(page, page_read, &snapshot.retired, &entity.title);
        let against = against(page_read, &snapshot);
        with_origin(&text, entity, &BlobId::of(page.as_bytes()), &against)
    }

    #[test]
    fn what_is_known_of_a_page_does_not_depend_on_its_line_ends() {
        let at = Timestamp::UNIX_EPOCH;
        let against = Some("knowledge/user/my audio.md");
        let origin = Origin { source: None, search: None, message: None, against };
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
            let front = markdown::parse(&given).unwrap().front_matter;
            assert!(front.aliases.contains(&"LS50".to_owned()), "{page:?}: {given:?}");
            let said = Against { line, note: "knowledge/user/my audio.md".to_owned() };
            let blob = BlobId::of(page.as_bytes()).to_string();
            assert_eq!(front.covers, [blob, said.cover()], "{page:?}");
            assert_eq!(given.lines().nth(line - 1), Some("- The KEF is a speaker."));
        }
    }
}
