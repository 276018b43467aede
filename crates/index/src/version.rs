//! A version that git holds, as a snapshot: what a commit, or what is staged, looks like to a
//! search.
//!
//! A version is a set of paths with blob ids. Documents that the view or an earlier question of
//! this kind has seen are taken from there; the others are read from git's object store, cut and
//! kept in a folder beside the view for the next time. The work tree is never looked at.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Component, Path},
    sync::Arc,
    time::Duration,
};

use super::{
    Context, IndexError, Kind, Progress, Refreshed, Report,
    commit::TABLES,
    draft::Draft,
    fill::missing_keys,
    form::Form,
    refresh::{refreshed, report_on, settings},
    segments::{Job, Workshop, build},
    vectors::{Vectors, can_complete},
};
use crate::store::{
    bits::Bits,
    manifest::{Manifest, SegmentEntry},
    registry::Registry,
    tables::{self, Format},
    view::{self, Loaded, Opened, Staging},
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

/// The notes of a version.
///
/// `embedded` of the report counts passages that neither the view, a table of the work tree or
/// of the version, nor the local cache holds.
///
/// # Errors
/// When git cannot list the version.
pub fn snapshot_of(
    context: &Context,
    git: &Git,
    version: &Version,
    progress: Progress,
) -> Result<Refreshed, IndexError> {
    let objects = git.objects();
    let notes = match context.form {
        None => stored_notes(git, &objects, version, context.selection)?,
        Some(form) => stored_files(git, version, form)?,
    };
    let past = context.past_dir();
    let mut loaded = usable(context, &context.view_dir());
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
    for note in notes {
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
        let memory = view::registry_file(&context.view_dir());
        let (mut registry, _) =
            Registry::load(context.tables, &memory, &tables).unwrap_or_default();
        let names = registry.names().map(str::to_owned).collect();
        let tables_there = tables_of(git, version, &names)?;
        let elsewhere = fetch_tables(&tables_there, &objects, &mut registry, &past, context.tables);
        let staging = Staging::new(&past).ok().map(Arc::new);
        let cache = context.repository.vectors_dir();
        let vectors = Vectors::new(context, &draft.segments, tables, registry, cache);
        let groups = build(
            &Workshop {
                root: context.root(),
                max_file_bytes: context.max_file_bytes,
                chunker: context.chunker(),
                analyzer: context.analyzer,
                fingerprint: context.embedder.fingerprint().as_str(),
                dimension: context.embedder.dimension(),
                vectors: &vectors,
                known: &known,
                segments: &draft.segments,
                objects: Some(&objects),
                staging: staging.as_deref().map(Staging::path),
                progress,
            },
            jobs,
        );
        // Damaged tables and cache files are passed over; whoever indexes the work tree says so.
        vectors.close();
        drop(elsewhere);
        let mut built = Vec::new();
        for group in groups {
            report.embedded += group.embedded;
            report.read += group.read;
            if let Some(failure) = group.failure {
                report.notices.push(format!("some vectors are missing: {failure}"));
            }
            let loaded = group.loaded.map(Arc::new);
            built.extend(loaded.clone());
            draft.take(loaded, group.outcomes, 0);
        }
        if let Some(staging) = staging {
            // Without a place to keep them they are made again next time: that is no failure.
            let _ = keep(context, &past, &built, &staging);
        }
    }
    let (manifest, segments) =
        draft.finish(settings(context), context.embedder.fingerprint().as_str());
    let report = Report { changed: true, ..with_counts(report, &manifest) };
    // What HEAD's history says holds here too, for every note that is the same.
    let history = super::history::last(context.repository);
    Ok(refreshed(context.kind(), manifest, &segments, history, report))
}

/// The files of a form that a version holds.
///
/// # Errors
/// When git cannot list the version.
pub fn stored_files(git: &Git, version: &Version, form: &Form) -> Result<Vec<Stored>, GitError> {
    let Some(folder) = &form.folder else { return Ok(Vec::new()) };
    let mut files = git.list(version, &[folder.as_path()])?;
    files.retain(|file| (form.names)(&file.path));
    Ok(files)
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

/// Drops what is kept of versions: something in it was damaged.
pub fn forget(context: &Context) {
    let collections = Kind::COLLECTIONS.map(|kind| context.collection_dir(kind));
    for folder in [context.view_dir(), context.past_dir()].into_iter().chain(collections) {
        // What cannot be removed is found damaged again.
        let _ = fs::remove_file(folder.join("manifest"));
    }
}

fn with_counts(report: Report, manifest: &Manifest) -> Report {
    let Report { embedded, read, notices, .. } = report;
    Report { embedded, read, notices, ..report_on(manifest) }
}

/// The segments in a folder, if notes are still cut and embedded as they were then.
fn usable(context: &Context, folder: &Path) -> Vec<Arc<Loaded>> {
    match view::open(folder) {
        Opened::Ready(view)
            if view.manifest.settings == settings(context)
                && view.manifest.fingerprint == context.embedder.fingerprint().as_str() =>
        {
            view.segments
        }
        Opened::Ready(_) | Opened::Missing | Opened::Damaged(_) => Vec::new(),
    }
}

/// Adds new segments to those kept of other versions.
fn keep(
    context: &Context,
    folder: &Path,
    built: &[Arc<Loaded>],
    staging: &Staging,
) -> io::Result<()> {
    let Some(_lock) = view::write_lock(folder, Some(PATIENCE))? else { return Ok(()) };
    // Others may have added some since we looked.
    let mut all = usable(context, folder);
    for loaded in built {
        let from = view::segment_files(staging.path(), &loaded.name);
        let to = view::segment_files(folder, &loaded.name);
        for (from, to) in from.iter().zip(&to) {
            fs::rename(from, to)?;
        }
        all.push(Arc::clone(loaded));
    }
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
    view::replace(folder, &manifest).map(drop)
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
