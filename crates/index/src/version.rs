//! A version that git holds, as a snapshot: what a commit, or what is staged, looks like to a
//! search.
//!
//! A version is a set of paths with blob ids. Documents that the view or an earlier question of
//! this kind has seen are taken from there; the others are read from git's object store, cut and
//! kept in a folder beside the view for the next time. The work tree is never looked at.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io, iter,
    path::{Component, Path},
    sync::Arc,
    time::Duration,
};

use super::{
    Context, IndexError, Kind, Options, Progress, Refreshed, Report,
    commit::TABLES,
    derived::{self, Made},
    draft::Draft,
    fill::missing_keys,
    pipeline,
    refresh::{is_of, refreshed, report_on, settings},
    segments::Job,
    source::{Notes, Source},
    vectors::can_complete,
};
use crate::store::{
    bits::Bits,
    manifest::{Manifest, SegmentEntry},
    registry::Registry,
    tables::{self, Format},
    view::{self, Built, Loaded, Staging, View},
};
use elophanto_repo::{
    BlobId, CommitId, FileStat, Git, GitError, NotePath, ObjectId, Objects, Stored, Unread,
    Version, Walked, stored_notes,
};

/// Segments kept of versions that were looked at; beyond, the smallest are dropped.
const MOST_SEGMENTS: usize = 24;
/// Chunks kept of them.
const MOST_CHUNKS: usize = 1_000_000;
/// How long to wait for another process that keeps something there.
const PATIENCE: Duration = Duration::from_millis(50);
/// What a note weighs whose size is not known, in bytes.
const TYPICAL_BYTES: u64 = 6 * 1024;

/// What a version holds of a source.
///
/// `embedded` of the report counts passages that neither the view, a table of the work tree or
/// of the version, nor the local cache holds.
///
/// # Errors
/// When git cannot list the version.
pub fn version(
    context: &Context,
    source: &dyn Source,
    git: &Git,
    version: &Version,
    progress: Progress,
) -> Result<Refreshed, IndexError> {
    let files = source.stored(context, git, version)?;
    Ok(of_files(context, source, git, version, files, progress)?)
}

/// The same, of the files that it [holds](Source::stored).
///
/// # Errors
/// When git cannot list the version.
pub fn of_files(
    context: &Context,
    source: &dyn Source,
    git: &Git,
    version: &Version,
    files: Vec<Stored>,
    progress: Progress,
) -> Result<Refreshed, GitError> {
    if files.is_empty() && source.kind() != Kind::Note {
        return Ok(Refreshed::default());
    }
    if Kind::COLLECTIONS.contains(&source.kind()) {
        let documents = || source.made(context, git, version, &files).unwrap_or_default();
        // What is known of them is taken from the collection's view, which stays as it is.
        let folder = context.view_of(source);
        let (mut base, _) = View::open(&folder);
        // Its vectors may be committed, and opening does not look at them.
        let is_intact = |loaded: &Arc<Loaded>| loaded.matrix.is_intact();
        if *version == Version::Staged && !base.segments.iter().all(is_intact) {
            base = View::empty(&folder);
        }
        let documents = Box::new(documents);
        let made = Made { source, stamp: None, documents, keep: false };
        let options = Options { full: false, patience: Some(Duration::ZERO), progress };
        return Ok(derived::bring(context, made, base, Vec::new(), options));
    }
    let objects = git.objects();
    let past = context.past_of(source);
    let mut loaded = usable(context, &context.view_of(source));
    loaded.extend(usable(context, &past));
    if *version == Version::Staged {
        // Its vectors may be committed, and opening does not look at them; a search checks those
        // that it scans.
        loaded.retain(|loaded| loaded.matrix.is_intact());
    }
    let mut draft = Draft::new(loaded);
    let everything = |loaded: &Arc<Loaded>| Bits::new(loaded.segment.documents(), true);
    let all: Vec<Bits> = draft.segments.iter().map(everything).collect();
    let missing = missing_keys(draft.segments.iter().map(|loaded| &**loaded).zip(&all));
    let known = draft.known(0, can_complete(context, &missing));
    let mut jobs = Vec::new();
    for note in files {
        let file = Walked { path: note.path, stat: FileStat::default() };
        let place = note
            .object
            .blob_id()
            .and_then(|blob| known.get(&(file.path.clone(), blob)).map(|&place| (blob, place)));
        match place {
            Some((blob, place)) => draft.found(file, blob, place, 0),
            None => jobs.push((Job::Fetch(file, note.object), TYPICAL_BYTES)),
        }
    }
    let mut report = Report::default();
    if !jobs.is_empty() {
        let tables = context.repository.tables_dir();
        let memory = view::registry_folder(&context.view_dir());
        let (mut registry, _) =
            Registry::load(context.tables, &memory, &tables).unwrap_or_default();
        let names = registry.names().map(str::to_owned).collect();
        let tables_there = tables_of(git, version, &names)?;
        let elsewhere = fetch_tables(&tables_there, &objects, &mut registry, &past, context.tables);
        let run = pipeline::Run {
            context,
            source,
            known: &known,
            registry,
            objects: Some(&objects),
            staging: Staging::shared(&past),
            now: 0,
            progress,
        };
        // Damaged tables and cache files are passed over; whoever indexes the work tree says so.
        let built = run.work(&mut draft, jobs, &mut report).built;
        drop(elsewhere);
        // Without a place to keep them they are made again next time: that is no failure.
        let _ = keep(context, &past, &built);
    }
    let (manifest, segments) =
        draft.finish(settings(context), context.embedder.fingerprint().as_str());
    let Report { embedded, read, notices, .. } = report;
    let report = Report { embedded, read, notices, changed: true, ..report_on(&manifest) };
    // What HEAD's history says holds here too, for every note that is the same.
    let history = super::history::last(context.repository);
    Ok(refreshed(source.kind(), manifest, &segments, history, report))
}

/// Paths and contents of a version's notes.
///
/// # Errors
/// When git cannot list the version.
pub fn blobs_of(
    context: &Context,
    git: &Git,
    commit: CommitId,
) -> Result<Vec<(NotePath, BlobId)>, IndexError> {
    let objects = git.objects();
    let version = Version::Commit(commit);
    let notes = stored_notes(git, &objects, &version, context.selection)?;
    let ids: Vec<&ObjectId> = notes.iter().map(|note| &note.object).collect();
    let known: Option<Vec<BlobId>> = ids.iter().map(|id| id.blob_id()).collect();
    let blobs = known.unwrap_or_else(|| {
        // Git names contents in another way here: name them ourselves.
        let contents = objects.read(&ids, context.max_file_bytes).into_iter();
        contents.map(|content| BlobId::of(&content.unwrap_or_default())).collect()
    });
    Ok(notes.into_iter().map(|note| note.path).zip(blobs).collect())
}

/// Drops all views, and what is kept of versions: something in it was damaged.
pub fn forget(context: &Context) {
    let collections = Kind::COLLECTIONS.map(|kind| context.model_dir(kind.name()));
    let sources = iter::once(&Notes as &dyn Source).chain(context.lessons);
    let views = sources.flat_map(|source| [context.view_of(source), context.past_of(source)]);
    for folder in views.chain(collections) {
        // What cannot be removed is found damaged again.
        let _ = fs::remove_file(folder.join("manifest"));
    }
}

/// The segments in a folder, if notes are still cut and embedded as they were then.
fn usable(context: &Context, folder: &Path) -> Vec<Arc<Loaded>> {
    let (view, _) = View::open(folder);
    if is_of(&view, context) { view.segments } else { Vec::new() }
}

/// Adds new segments to those kept of other versions.
fn keep(context: &Context, folder: &Path, built: &[Built]) -> io::Result<()> {
    let Some(_lock) = view::write_lock(folder, Some(PATIENCE))? else { return Ok(()) };
    // Others may have added some since we looked.
    let mut all = usable(context, folder);
    all.extend(built.iter().map(|(loaded, _)| Arc::clone(loaded)));
    let chunks = |all: &[Arc<Loaded>]| all.iter().map(|l| l.segment.chunks()).sum::<usize>();
    while all.len() > MOST_SEGMENTS || (chunks(&all) > MOST_CHUNKS && all.len() > 1) {
        // What is small is soon made again; of equals the oldest goes.
        let sizes = all.iter().map(|loaded| loaded.segment.chunks()).enumerate();
        let Some((smallest, _)) = sizes.min_by_key(|&(_, chunks)| chunks) else { break };
        all.remove(smallest);
    }
    let entry = |loaded: &Arc<Loaded>| SegmentEntry {
        name: loaded.name.clone(),
        live: Bits::new(loaded.segment.documents(), true),
        live_chunks: loaded.segment.chunks() as u32,
    };
    let manifest = Manifest {
        settings: settings(context),
        fingerprint: context.embedder.fingerprint().as_str().to_owned(),
        segments: all.iter().map(entry).collect(),
        files: Vec::new(),
    };
    view::publish(folder, &manifest, built)
}

/// Makes tables known that do not lie in the work tree. Returns the folder that holds them while
/// they are in use. A table that cannot be had is done without.
pub(super) fn fetch_tables(
    tables: &BTreeMap<String, Vec<Stored>>,
    objects: &Objects,
    registry: &mut Registry,
    near: &Path,
    format: &dyn Format,
) -> Option<Staging> {
    let known: BTreeSet<String> = registry.names().map(str::to_owned).collect();
    let missing: Vec<_> = tables.iter().filter(|(name, _)| !known.contains(*name)).collect();
    if missing.is_empty() {
        return None;
    }
    let staging = Staging::new(near).ok()?;
    for (name, files) in missing {
        if write_table(staging.path(), name, files, objects).is_ok() {
            // Damaged ones are done without: what they held is embedded again.
            let _ = registry.adopt(format, staging.path(), name, near);
        }
    }
    Some(staging)
}

/// The files of a version's tables but those named, by table.
///
/// # Errors
/// When git cannot list the version: that says nothing about which tables there are.
pub fn tables_of(
    git: &Git,
    version: &Version,
    but: &BTreeSet<String>,
) -> Result<BTreeMap<String, Vec<Stored>>, GitError> {
    let folder = Path::new(TABLES);
    let mut found: BTreeMap<String, Vec<Stored>> = BTreeMap::new();
    for file in git.list(version, &[folder])? {
        if let Some(name) = table_name(&file.path)
            && !but.contains(&name)
        {
            found.entry(name).or_default().push(file);
        }
    }
    Ok(found)
}

/// The table that a path below the tables' folder belongs to.
pub fn table_name(path: &NotePath) -> Option<String> {
    let below = path.as_path().strip_prefix(TABLES).ok()?;
    let mut components = below.components();
    let Component::Normal(name) = components.next()? else { return None };
    let name = name.to_str().filter(|name| tables::is_name(name))?;
    let rest: Vec<Component> = components.collect();
    // A tree object may hold anything, `..` too.
    let plain = !rest.is_empty() && rest.iter().all(|c| matches!(c, Component::Normal(_)));
    plain.then(|| name.to_owned())
}

/// Writes the files of a table as git holds them below a folder.
///
/// # Errors
/// When a content is not there, or a file cannot be written.
pub fn write_table(
    folder: &Path,
    name: &str,
    files: &[Stored],
    objects: &Objects,
) -> io::Result<()> {
    let mut left = tables::MOST_BYTES;
    for file in files {
        let content = objects.read(&[&file.object], left).pop().unwrap_or(Err(Unread::Missing));
        let content = content.map_err(io::Error::other)?;
        left -= content.len() as u64;
        let below = file.path.as_path().strip_prefix(TABLES).map_err(io::Error::other)?;
        let target = folder.join(below);
        if !below.starts_with(name) {
            return Err(io::Error::other("a file of another table"));
        }
        fs::create_dir_all(target.parent().unwrap_or(folder))?;
        fs::write(target, content)?;
    }
    Ok(())
}
