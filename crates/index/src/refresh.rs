//! One refresh: walk, compare, build what is new, replace the view.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{
    IndexError, Kind, Problem,
    apart::Whole,
    derived::{self, Made},
    draft::Draft,
    fill::{missing_keys, missing_rows},
    history,
    note::Unwritten,
    pipeline,
    plan::{Plan, plan},
    segments::{Job, Known},
    source::{Listing, Source},
    vectors::can_complete,
};
use crate::store::{
    OpenError,
    bits::Bits,
    lock::Lock,
    manifest::{FileEntry, Manifest, Place},
    registry::{BadTable, Registry},
    tables::{self, Format},
    view::{self, Built, Committed, Loaded, Staging, View},
};
use elophanto_base::lexical::Analyzer;
use elophanto_models::Embedder;
use elophanto_repo::{NotePath, Repository, Selection, Walked, history::History};
use elophanto_text::chunk::Limits;

/// Raised whenever the same note would be cut or analysed differently.
const FORMAT: u32 = 9;
/// A reader that finds an indexer at work searches at most this much changed text from memory.
const OVERLAY_BYTES: u64 = 8 * 1024 * 1024;
/// How often a refresh starts again because another process replaced the view meanwhile.
const RETRIES: usize = 4;

/// What a refresh works on.
pub struct Context<'a> {
    pub repository: &'a Repository,
    pub selection: &'a Selection,
    pub write_root: &'a Path,
    pub limits: &'a Limits,
    /// Files larger than this are skipped, in bytes.
    pub max_file_bytes: u64,
    pub analyzer: &'a Analyzer,
    pub embedder: &'a dyn Embedder,
    /// How the committed tables hold their vectors.
    pub tables: &'a dyn Format,
    pub count_tokens: &'a (dyn Fn(&str) -> usize + Sync),
    /// Nanoseconds since 1970.
    pub now: &'a (dyn Fn() -> i64 + Sync),
    /// Where descriptions of files lie, if they are indexed here.
    pub summaries: Option<&'a dyn Source>,
    /// Where agents' lessons lie, if they are indexed here.
    pub lessons: Option<&'a dyn Source>,
    /// What of a note still waits to be written.
    pub unwritten: Unwritten,
}

/// How a refresh behaves.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Read and cut every file again.
    pub full: bool,
    /// How long to wait for other writers; `None` waits as long as it takes. A reader that gives
    /// up answers from memory.
    pub patience: Option<Duration>,
    pub progress: Progress<'a>,
}

/// Called with files done and files to do.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// A segment and which of its documents are current.
#[derive(Clone)]
pub struct Part {
    pub loaded: Arc<Loaded>,
    pub live: Bits,
    /// What its documents are.
    pub kind: Kind,
}

/// The files at one moment, ready to be searched.
#[derive(Clone, Default)]
pub struct Snapshot {
    pub parts: Vec<Part>,
    /// Sorted by path.
    pub files: Vec<FileEntry>,
    /// When the files changed.
    pub history: Arc<History>,
    /// What its chunks were chosen from, if that is more than there is here.
    pub whole: Option<Arc<Whole>>,
}

/// What a refresh did.
#[derive(Debug, Default)]
pub struct Report {
    /// Notes that can be searched.
    pub files: usize,
    /// Their chunks.
    pub chunks: usize,
    /// Those among them that are no notes, summaries or facts.
    pub apart: usize,
    /// Passages that the model was asked for.
    pub embedded: usize,
    /// Chunks without a vector: they are found by keyword only.
    pub waiting: usize,
    /// Files whose content was read.
    pub read: usize,
    /// Notes that are no longer there.
    pub removed: usize,
    /// Files that are not searched because another process is indexing.
    pub stale: usize,
    pub problems: Vec<Problem>,
    /// What the user should know, once.
    pub notices: Vec<String>,
    /// Whether anything differs from before.
    pub changed: bool,
    /// Why the view cannot be written, if it cannot: what is new lives in memory.
    pub unwritten: Option<String>,
}

impl Report {
    /// Counts what the refresh before did, too.
    pub fn follow(&mut self, before: Self) {
        self.embedded += before.embedded;
        self.read += before.read;
        self.removed += before.removed;
        self.notices.splice(0..0, before.notices);
    }
}

/// A snapshot and how it came about.
#[derive(Default)]
pub struct Refreshed {
    pub snapshot: Snapshot,
    pub report: Report,
}

/// Brings the view of a source up to date with the work tree.
///
/// Never fails because of a single file, nor because the view cannot be written: then the
/// snapshot lives in memory and a notice says so.
///
/// # Errors
/// [`IndexError`] when a configured root does not exist.
pub fn refresh(
    context: &Context,
    source: &dyn Source,
    options: Options,
) -> Result<Refreshed, IndexError> {
    source.ready(context)?;
    let folder = context.view_of(source);
    // One `index` at a time: the second waits here and then finds nothing left to do.
    let waits = options.patience.is_none() && !Kind::COLLECTIONS.contains(&source.kind());
    let _index_lock = if waits { view::index_lock(&folder).ok() } else { None };
    let mut run = Run {
        context,
        source,
        options,
        folder: &folder,
        notices: Vec::new(),
        extra: Vec::new(),
        history: None,
    };
    for _ in 0..RETRIES {
        if let Some(refreshed) = run.attempt(None)? {
            return Ok(refreshed);
        }
    }
    // Others keep replacing the view: do it once more while nobody else can.
    let lock = view::write_lock(&folder, None)?;
    let done = run.attempt(lock)?;
    done.ok_or_else(|| io::Error::other("the search view changed under its lock").into())
}

/// The last view of a source as it is, without looking at the files. `None` if there is none.
pub fn last_view(context: &Context, source: &dyn Source) -> Option<Refreshed> {
    let (view, _) = View::open(&context.view_of(source));
    let history = || match source.kind() {
        Kind::Note => history::last(context.repository),
        Kind::Summary | Kind::Fact | Kind::Memory => Arc::default(),
    };
    (view.generation != 0 && is_of(&view, context)).then(|| {
        let report = report_on(&view.manifest);
        refreshed(source.kind(), view.manifest, &view.segments, history(), report)
    })
}

/// Whether the documents of a view are cut and embedded as they would be now.
pub(super) fn is_of(view: &View, context: &Context) -> bool {
    let rest = view.manifest.settings.strip_prefix(&settings(context));
    // Behind a line break stands what the documents were made from.
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
        && view.manifest.fingerprint == context.embedder.fingerprint().as_str()
}

fn is_of_another_format(view: &View) -> bool {
    let format = view.manifest.settings.split('/').next();
    view.generation != 0 && format != Some(FORMAT.to_string().as_str())
}

struct Run<'a> {
    context: &'a Context<'a>,
    source: &'a dyn Source,
    options: Options<'a>,
    folder: &'a Path,
    notices: Vec<String>,
    /// Segments built by earlier attempts.
    extra: Vec<Built>,
    /// When the notes changed, once that has been asked.
    history: Option<Arc<History>>,
}

impl Run<'_> {
    /// One round. `None` means the view was replaced meanwhile and the round must be repeated;
    /// that never happens to a reader.
    fn attempt(&mut self, lock: Option<Lock>) -> Result<Option<Refreshed>, IndexError> {
        // Before the first stat: what is younger than this proves nothing.
        let now = (self.context.now)();
        let (context, source) = (self.context, self.source);
        let known = self.history.take();
        let (listing, ((view, damage), (history, failure))) = rayon::join(
            || source.here(context),
            || {
                let ask = || match source.kind() {
                    Kind::Note => history::current(context.repository, context.selection),
                    Kind::Summary | Kind::Fact | Kind::Memory => (Arc::default(), None),
                };
                rayon::join(|| View::open(self.folder), || known.map_or_else(ask, |h| (h, None)))
            },
        );
        let base = self.usable(view, damage);
        let (walked, walk_errors) = match listing? {
            Listing::Files(walked, failed) => (walked, failed),
            Listing::Made(collection) => {
                let notices = std::mem::take(&mut self.notices);
                let stamp = Some((&*collection.stamp, collection.settled));
                let made = Made { source, stamp, documents: collection.documents, keep: true };
                return Ok(Some(derived::bring(context, made, base, notices, self.options)));
            }
        };
        self.history = Some(Arc::clone(&history));
        self.notices.extend(failure);
        let fresh = !is_of(&base, context);
        let known_files: &[FileEntry] = if fresh { &[] } else { &base.manifest.files };
        let full = self.options.full && self.extra.is_empty();
        if full {
            tables::forgive(self.folder);
            tables::forgive(&context.past_of(source));
        }
        let stats = walked.iter().map(|file| (&file.path, &file.stat));
        let plan = plan(known_files, stats, full);
        let entries = base.segments.iter().zip(&base.manifest.segments);
        let missing = missing_keys(entries.map(|(loaded, entry)| (&**loaded, &entry.live)));
        let complete = can_complete(context, &missing);
        let mut refreshed = if plan.is_empty() && !fresh && !complete {
            let mut report = report_on(&base.manifest);
            report.notices = std::mem::take(&mut self.notices);
            refreshed(source.kind(), base.manifest, &base.segments, history, report)
        } else {
            let draft = Draft::new(self.all_segments(&base));
            // A fresh view takes nothing over; a full run parses everything again.
            let first = if fresh || full { base.segments.len() } else { 0 };
            let known = draft.known(first, complete);
            let task = Task { base, walked: &walked, plan, known, fresh, complete, now, history };
            match self.rebuild(task, draft, lock)? {
                Some(refreshed) => refreshed,
                None => return Ok(None),
            }
        };
        let root = &context.repository.root;
        refreshed.report.problems.extend(walk_errors.into_iter().map(|error| {
            let below = error.path.strip_prefix(root).unwrap_or(&error.path);
            let path = if below.as_os_str().is_empty() { Path::new(".") } else { below };
            Problem { path: path.into(), line: None, reason: error.cause.to_string() }
        }));
        Ok(Some(refreshed))
    }

    /// Segments of the view and those built by earlier attempts.
    fn all_segments(&self, base: &View) -> Vec<Arc<Loaded>> {
        let extra = self.extra.iter().map(|(loaded, _)| Arc::clone(loaded));
        base.segments.iter().cloned().chain(extra).collect()
    }

    /// Reads and builds what the plan asks for and makes the result the view.
    fn rebuild(
        &mut self,
        task: Task,
        mut draft: Draft,
        lock: Option<Lock>,
    ) -> Result<Option<Refreshed>, IndexError> {
        let context = self.context;
        let Task { base, walked, plan, known, fresh, complete, now, history } = task;
        let mut read: Vec<&Walked> = plan.read.iter().map(|&index| &walked[index]).collect();
        let (stale, indexer) = self.limit_overlay(&mut read);
        let mut jobs: Vec<(Job, u64)> =
            read.iter().map(|&file| (Job::Read(file.clone()), file.stat.size)).collect();
        if !fresh {
            let files = &base.manifest.files;
            let stale = stale.iter().filter_map(|path| base.manifest.file(path));
            let kept = plan.keep.iter().filter_map(|&index| files.get(index));
            kept.chain(stale).for_each(|entry| draft.keep(entry.clone()));
            let thorough = self.options.patience.is_none();
            jobs.extend(draft.merges(base.segments.len(), complete, thorough));
        }

        let remembered = view::registry_folder(self.folder);
        let tables = context.repository.tables_dir();
        let loaded = Registry::load(context.tables, &remembered, &tables);
        let (registry, bad) = loaded.unwrap_or_else(|cause| {
            self.notices.push(format!("the committed index cannot be read: {cause}"));
            Default::default()
        });
        self.notice_bad(&bad);
        let run = pipeline::Run {
            context,
            source: self.source,
            known: &known,
            registry,
            objects: None,
            // Without a folder to write to, everything is built in memory.
            staging: Staging::shared(self.folder),
            now,
            progress: self.options.progress,
        };
        let mut report = Report::default();
        let pipeline::Done { built, mut registry, bad, damaged } =
            run.work(&mut draft, jobs, &mut report);
        self.notice_bad(&bad);
        self.notice_damaged(&damaged);
        self.notices.append(&mut report.notices);
        self.extra.extend(built);
        let fingerprint = context.embedder.fingerprint().as_str();
        let (manifest, segments) = draft.finish(settings(context), fingerprint);
        let mut report = Report {
            embedded: report.embedded,
            read: report.read,
            removed: plan.removed.len(),
            stale: stale.len(),
            changed: manifest != base.manifest,
            ..report_on(&manifest)
        };
        drop(indexer);
        if stale.is_empty() {
            let patience = self.options.patience;
            let done =
                View::commit(self.folder, base.generation, &manifest, &self.extra, lock, patience);
            match done {
                Ok(Committed::Done(_lock)) => registry.save(&remembered),
                Ok(Committed::Overtaken) if patience.is_none() => return Ok(None),
                // Another process replaced the view or is about to. What a reader built is right
                // for the files it saw, so it answers from memory.
                Ok(Committed::Overtaken | Committed::Busy) => {}
                Err(cause) => {
                    self.notices.push(in_memory(&cause));
                    report.unwritten = Some(cause.to_string());
                }
            }
        }
        report.notices = std::mem::take(&mut self.notices);
        Ok(Some(refreshed(self.source.kind(), manifest, &segments, history, report)))
    }

    /// The view if it can be built upon, else an empty one. Of which version it is, that of the notes tells
    /// for those beside it.
    fn usable(&mut self, view: View, damage: Option<OpenError>) -> View {
        let is_note = self.source.kind() == Kind::Note;
        let notice = match &damage {
            Some(cause) => format!("{cause}; the search view was built anew"),
            None if is_note && is_of_another_format(&view) => {
                "the search view is of another version of elophanto; it was built anew".to_owned()
            }
            None => return view,
        };
        if self.notices.is_empty() {
            self.notices.push(notice);
        }
        if damage.is_some() { View::empty(self.folder) } else { view }
    }

    /// While an `index` runs, a reader takes only so much on itself; the rest is stale. Returns
    /// the stale files and, if no `index` runs, its lock.
    fn limit_overlay(&self, read: &mut Vec<&Walked>) -> (Vec<NotePath>, Option<Lock>) {
        let total: u64 = read.iter().map(|file| file.stat.size).sum();
        let Some(patience) = self.options.patience else { return (Vec::new(), None) };
        if total <= OVERLAY_BYTES {
            return (Vec::new(), None);
        }
        match crate::store::lock::try_for(&self.folder.join("index.lock"), patience) {
            Ok(Some(lock)) => (Vec::new(), Some(lock)),
            // Nothing can be locked in a read-only checkout: there is no indexer to wait for.
            Err(_) => (Vec::new(), None),
            Ok(None) => {
                // Newest first: what was just edited is what is looked for.
                read.sort_by_key(|file| std::cmp::Reverse(file.stat.mtime));
                let mut sum = 0;
                let fits = read
                    .iter()
                    .take_while(|file| {
                        sum += file.stat.size;
                        sum <= OVERLAY_BYTES
                    })
                    .count();
                let stale = read.split_off(fits).iter().map(|file| file.path.clone()).collect();
                (stale, None)
            }
        }
    }

    fn notice_bad(&mut self, bad: &[BadTable]) {
        for BadTable { name, cause } in bad {
            self.notices.push(format!(
                "`.elophanto/index/{name}` is passed over: {cause}; its vectors are made again"
            ));
        }
    }

    /// One notice, however many files of the vector cache there are to speak of.
    fn notice_damaged(&mut self, damaged: &[PathBuf]) {
        let Some(first) = damaged.first() else { return };
        let others = match damaged.len() - 1 {
            0 => String::new(),
            count => format!(" (and {count} more)"),
        };
        self.notices
            .push(format!("`{}`{others} is damaged; its vectors are made again", first.display()));
    }
}

/// What one attempt has to do.
struct Task<'a> {
    base: View,
    walked: &'a [Walked],
    plan: Plan,
    /// Documents that need no parsing.
    known: Known,
    /// Nothing of the present view can be kept.
    fresh: bool,
    /// Vectors that the view waits for can be had.
    complete: bool,
    /// When the walk began, in nanoseconds since 1970.
    now: i64,
    history: Arc<History>,
}

/// What a reader is told whose view cannot be kept.
pub(super) fn in_memory(cause: &io::Error) -> String {
    format!("the search view cannot be written ({cause}); answering from memory")
}

/// What decides how notes are cut and analysed.
pub fn settings(context: &Context) -> String {
    format!(
        "{FORMAT}/{}/{:?}/{}",
        context.analyzer.fingerprint(),
        context.limits,
        context.write_root.display()
    )
}

/// A manifest as what can be searched, and what is to be said of it.
pub(super) fn refreshed(
    kind: Kind,
    manifest: Manifest,
    segments: &[Arc<Loaded>],
    history: Arc<History>,
    mut report: Report,
) -> Refreshed {
    let parts = manifest.segments.into_iter().zip(segments);
    let parts: Vec<Part> = parts
        .map(|(entry, loaded)| Part { loaded: Arc::clone(loaded), live: entry.live, kind })
        .collect();
    report.waiting = parts.iter().map(|part| missing_rows(&part.loaded, &part.live).count()).sum();
    Refreshed { snapshot: Snapshot { parts, files: manifest.files, history, whole: None }, report }
}

/// What can be said of a manifest as it stands.
pub(super) fn report_on(manifest: &Manifest) -> Report {
    let problems = problems(&manifest.files);
    Report {
        files: manifest.files.len() - problems.len(),
        chunks: manifest.segments.iter().map(|segment| segment.live_chunks as usize).sum(),
        problems,
        ..Report::default()
    }
}

fn problems(files: &[FileEntry]) -> Vec<Problem> {
    files
        .iter()
        .filter_map(|file| match &file.place {
            Place::Document { .. } => None,
            Place::Skipped { reason, line } => {
                Some(Problem { path: file.path.clone(), line: *line, reason: reason.clone() })
            }
        })
        .collect()
}
