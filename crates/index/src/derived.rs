//! Documents that are no files of the work tree: what records say of something, searched beside
//! the notes.
//!
//! Each collection has a view of its own; a stamp of what its documents are made from tells whether
//! they have to be made at all. It refuses to know what the records are.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use super::{
    Context, Options, Refreshed, Report, Snapshot,
    draft::Draft,
    fill::missing_keys,
    pipeline,
    refresh::{in_memory, is_of, refreshed, report_on, settings},
    segments::Job,
    source::{Derived, Source},
    vectors::can_complete,
};
use crate::store::{
    manifest::Place,
    registry::Registry,
    view::{self, Staging, View},
    write_whole,
};
use elophanto_base::regular::read_text;
use elophanto_repo::{FileStat, Stored, Walked, history::History};

/// With this many segments the small ones are built anew as one.
const MANY_SEGMENTS: usize = 8;
/// A segment with fewer documents is small.
const SMALL_DOCUMENTS: usize = 256;
/// Largest memory of what went along, in bytes.
const MOST_BYTES: u64 = 4_096;

/// Documents that are made, of one version.
pub(super) struct Made<'a> {
    pub source: &'a dyn Source,
    /// Changes whenever the documents may have changed, and whether the same one will still mean
    /// the same next time; `None` if that cannot be told without making them.
    pub stamp: Option<(&'a str, bool)>,
    pub documents: Box<dyn FnOnce() -> Vec<Derived> + Send + 'a>,
    /// Whether the view becomes one of these documents.
    pub keep: bool,
}

/// Brings the view of a collection up to date, from `base` on. As with notes, a view that cannot be
/// written is answered from memory.
pub(super) fn bring(
    context: &Context,
    made: Made,
    base: View,
    notices: Vec<String>,
    options: Options,
) -> Refreshed {
    let Made { source, stamp, documents, keep } = made;
    let folder = context.view_of(source);
    let base = if options.full || !is_of(&base, context) {
        // Nothing of it is taken over: something in it may be damaged.
        View { generation: base.generation, ..View::default() }
    } else {
        base
    };
    let mut report = Report { notices, ..Report::default() };
    let settings = settings(context);
    let wanted = stamp.map(|(stamp, _)| format!("{settings}\n{}", stamp.replace('\n', " ")));
    let entries = base.segments.iter().zip(&base.manifest.segments);
    let missing = missing_keys(entries.map(|(loaded, entry)| (&**loaded, &entry.live)));
    let complete = can_complete(context, &missing);
    let finished = |view: View, report: Report| {
        let Report { embedded, read, notices, changed, .. } = report;
        let report = Report { embedded, read, notices, changed, ..report_on(&view.manifest) };
        refreshed(
            source.kind(),
            view.manifest,
            &view.segments,
            Arc::new(History::default()),
            report,
        )
    };
    let unchanged = wanted.as_ref() == Some(&base.manifest.settings);
    if unchanged && !complete && !options.full {
        return finished(base, report);
    }
    let documents = documents();
    if documents.is_empty() && base.generation == 0 {
        return Refreshed::default();
    }

    let mut draft = Draft::new(base.segments.clone());
    let mut known = draft.known(0, complete);
    if keep && base.segments.len() >= MANY_SEGMENTS {
        let small = |number: usize| base.segments[number].segment.documents() < SMALL_DOCUMENTS;
        known.retain(|_, (segment, _)| !small(*segment));
    }
    let mut jobs = Vec::new();
    let mut seen = BTreeSet::new();
    for document in documents {
        let (path, blob) = (document.record.path.clone(), document.record.blob);
        if !seen.insert((path.clone(), blob)) {
            continue;
        }
        match known.get(&(path.clone(), blob)) {
            Some(&place) => {
                draft.found(Walked { path, stat: FileStat::default() }, blob, place, 0);
            }
            None => {
                let size = document.text.len() as u64;
                jobs.push((Job::Take(Box::new(document)), size));
            }
        }
    }
    let mut built = Vec::new();
    if !jobs.is_empty() {
        let memory = view::registry_folder(&context.view_dir());
        let tables = context.repository.tables_dir();
        let (registry, _) = Registry::load(context.tables, &memory, &tables).unwrap_or_default();
        let run = pipeline::Run {
            context,
            source,
            known: &known,
            registry,
            objects: None,
            staging: Staging::shared(&folder),
            now: 0,
            progress: options.progress,
        };
        // Damaged tables and cache files are passed over; whoever indexes the notes says so.
        built = run.work(&mut draft, jobs, &mut report).built;
    }
    let made = wanted
        .filter(|_| stamp.is_some_and(|(_, settled)| settled))
        .unwrap_or_else(|| format!("{settings}\n"));
    let fingerprint = context.embedder.fingerprint().as_str();
    let (manifest, segments) = draft.finish(made, fingerprint);
    report.changed = manifest != base.manifest;
    if keep && report.changed {
        let (before, patience) = (base.generation, options.patience);
        // Whoever was faster, or has it now, had the same records: nothing is lost.
        if let Err(cause) = View::commit(&folder, before, &manifest, &built, None, patience) {
            report.notices.push(in_memory(&cause));
            report.unwritten = Some(cause.to_string());
        }
    }
    finished(View { manifest, segments, generation: base.generation }, report)
}

/// What a version holds of a collection, as one name.
pub fn name_of(files: &[Stored]) -> String {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        hasher.update(file.path.as_bytes()).update(&[0]).update(file.object.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Whether a commit took along all vectors of what bears this name, by this model.
pub fn went_along(context: &Context, source: &dyn Source, name: &str) -> bool {
    read_text(&went_along_file(context, source), MOST_BYTES)
        .is_ok_and(|text| text == gone_along(context, name))
}

/// Remembers that a commit takes along all vectors of what bears this name. Where that cannot be
/// kept, the next commit looks at all of it again.
pub fn remember(context: &Context, source: &dyn Source, name: &str) {
    let _ = write_whole(&went_along_file(context, source), gone_along(context, name).as_bytes());
}

fn went_along_file(context: &Context, source: &dyn Source) -> PathBuf {
    context.view_of(source).join("went-along")
}

fn gone_along(context: &Context, name: &str) -> String {
    format!("{name} {}", context.embedder.fingerprint())
}

impl Refreshed {
    /// Adds documents of another kind.
    pub fn join(&mut self, other: Self) {
        let Self { snapshot: Snapshot { parts, files, .. }, report } = other;
        let before = self.snapshot.parts.len() as u32;
        self.snapshot.parts.extend(parts);
        self.snapshot.files.extend(files.into_iter().map(|mut file| {
            if let Place::Document { segment, .. } = &mut file.place {
                *segment += before;
            }
            file
        }));
        self.snapshot.files.sort_by(|a, b| a.path.cmp(&b.path));
        let own = &mut self.report;
        own.chunks += report.chunks;
        own.embedded += report.embedded;
        own.waiting += report.waiting;
        own.changed |= report.changed;
        own.unwritten = own.unwritten.take().or(report.unwritten);
        for notice in report.notices {
            if !own.notices.contains(&notice) {
                own.notices.push(notice);
            }
        }
    }
}
