//! One refresh: walk, compare, build what is new, replace the view.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{
    IndexError, Kind, Problem,
    draft::Draft,
    fill::{missing_keys, missing_rows},
    form::Form,
    history,
    note::{Chunker, Unwritten},
    plan::{Plan, plan},
    segments::{Job, Known, Workshop, build},
    vectors::{Closed, Vectors, can_complete},
};
use crate::store::{
    bits::Bits,
    lock::Lock,
    manifest::{FileEntry, Manifest, Place},
    registry::{BadTable, Registry},
    tables::{self, Format},
    view::{self, Loaded, Opened, Staging, View},
};
use elophanto_base::lexical::Analyzer;
use elophanto_models::{Embedder, Pace};
use elophanto_repo::{NotePath, Repository, Selection, Walked, history::History, walk};
use elophanto_text::chunk::Limits;

/// Raised whenever the same note would be cut or analysed differently.
const FORMAT: u32 = 4;
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
    /// What is indexed if it is not the notes of the selection.
    pub form: Option<&'a Form>,
    /// The forms of other files than notes that there are.
    pub forms: &'a [Form],
    /// What of a note still waits to be written.
    pub unwritten: Unwritten,
}

impl<'a> Context<'a> {
    /// How notes are cut and named.
    pub fn chunker(&self) -> Chunker<'a> {
        Chunker {
            limits: self.limits,
            write_root: self.write_root,
            count_tokens: self.count_tokens,
            fingerprint: self.embedder.fingerprint(),
            form: self.form,
            unwritten: self.unwritten,
        }
    }

    /// Folder of the search view: one per model, so that a search without the model of the
    /// repository does not undo what was built with it.
    pub fn view_dir(&self) -> PathBuf {
        self.model_dir(self.form.map_or("view", |form| &form.view))
    }

    /// Folder of what was seen of versions other than the work tree.
    pub fn past_dir(&self) -> PathBuf {
        match self.form {
            None => self.model_dir("past"),
            Some(form) => self.model_dir(&format!("{}-past", form.view)),
        }
    }

    pub(super) fn model_dir(&self, name: &str) -> PathBuf {
        let folder = self.repository.view_dir();
        match self.embedder.pace() {
            Pace::Instant => folder.with_file_name(name),
            Pace::Slow | Pace::Remote => {
                let hash = blake3::hash(self.embedder.fingerprint().as_str().as_bytes()).to_hex();
                folder.with_file_name(format!("{name}-{}", &hash[..16]))
            }
        }
    }
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
}

/// A snapshot and how it came about.
#[derive(Default)]
pub struct Refreshed {
    pub snapshot: Snapshot,
    pub report: Report,
}

/// Brings the view up to date with the work tree.
///
/// Never fails because of a single file, nor because the view cannot be written: then the
/// snapshot lives in memory and a notice says so.
///
/// # Errors
/// [`IndexError`] when a configured root does not exist.
pub fn refresh(context: &Context, options: Options) -> Result<Refreshed, IndexError> {
    let roots = context.selection.roots.iter().filter(|_| context.form.is_none());
    for root in roots {
        if !context.repository.root.join(root).is_dir() {
            return Err(IndexError::NoRoot(root.clone()));
        }
    }
    let folder = context.view_dir();
    // One `index` at a time: the second waits here and then finds nothing left to do.
    let _index_lock =
        if options.patience.is_none() { view::index_lock(&folder).ok() } else { None };
    let mut run = Run {
        context,
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

/// The last view as it is, without looking at the files. `None` if there is none.
pub fn last_view(context: &Context) -> Option<Refreshed> {
    let Opened::Ready(view) = view::open(&context.view_dir()) else { return None };
    (view.manifest.settings == settings(context)
        && view.manifest.fingerprint == context.embedder.fingerprint().as_str())
    .then(|| {
        let report = report_on(&view.manifest);
        let history = history::last(context.repository);
        refreshed(context.kind(), view.manifest, &view.segments, history, report)
    })
}

struct Run<'a> {
    context: &'a Context<'a>,
    options: Options<'a>,
    folder: &'a Path,
    notices: Vec<String>,
    /// Segments built by earlier attempts, with the folder that holds their files.
    extra: Vec<(Arc<Loaded>, Option<Arc<Staging>>)>,
    /// When the notes changed, once that has been asked.
    history: Option<Arc<History>>,
}

impl Run<'_> {
    /// One round. `None` means the view was replaced meanwhile and the round must be repeated;
    /// that never happens to a reader.
    fn attempt(&mut self, lock: Option<Lock>) -> Result<Option<Refreshed>, IndexError> {
        // Before the first stat: what is younger than this proves nothing.
        let now = (self.context.now)();
        let Context { repository, selection, .. } = *self.context;
        let known = self.history.take();
        let form = self.context.form;
        let (walked, (opened, (history, failure))) = rayon::join(
            || match form {
                None => walk(&repository.root, selection),
                Some(form) => ((form.list)(&form.root), Vec::new()),
            },
            || {
                let ask = || match form {
                    None => history::current(repository, selection),
                    Some(_) => (Arc::default(), None),
                };
                rayon::join(|| view::open(self.folder), || known.map_or_else(ask, |h| (h, None)))
            },
        );
        let (walked, walk_errors) = walked;
        self.history = Some(Arc::clone(&history));
        let base = self.usable(opened);
        self.notices.extend(failure);
        let fresh = base.manifest.settings != settings(self.context)
            || base.manifest.fingerprint != self.context.embedder.fingerprint().as_str();
        let known_files: &[FileEntry] = if fresh { &[] } else { &base.manifest.files };
        let full = self.options.full && self.extra.is_empty();
        if full {
            tables::forgive(self.folder);
            tables::forgive(&self.context.past_dir());
        }
        let stats = walked.iter().map(|file| (&file.path, &file.stat));
        let plan = plan(known_files, stats, full);
        let entries = base.segments.iter().zip(&base.manifest.segments);
        let missing = missing_keys(entries.map(|(loaded, entry)| (&**loaded, &entry.live)));
        let complete = can_complete(self.context, &missing);
        let mut refreshed = if plan.is_empty() && !fresh && !complete {
            let mut report = report_on(&base.manifest);
            report.notices = std::mem::take(&mut self.notices);
            refreshed(self.context.kind(), base.manifest, &base.segments, history, report)
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
        refreshed.report.problems.extend(walk_errors.iter().map(|error| Problem {
            path: "".into(),
            line: None,
            reason: error.to_string(),
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

        let tables = context.repository.tables_dir();
        let loaded =
            Registry::load(self.context.tables, &view::registry_file(self.folder), &tables);
        let (registry, bad) = loaded.unwrap_or_else(|cause| {
            self.notices.push(format!("the committed index cannot be read: {cause}"));
            Default::default()
        });
        self.notice_bad(&bad);
        // Without a folder to write to, everything is built in memory.
        let staging = Staging::new(self.folder).ok().map(Arc::new);
        let cache = context.repository.vectors_dir();
        let vectors = Vectors::new(context, &draft.segments, tables, registry, cache);
        let fingerprint = context.embedder.fingerprint();
        let groups = build(
            &Workshop {
                root: context.root(),
                max_file_bytes: context.max_file_bytes,
                chunker: context.chunker(),
                analyzer: context.analyzer,
                fingerprint: fingerprint.as_str(),
                dimension: context.embedder.dimension(),
                vectors: &vectors,
                known: &known,
                segments: &draft.segments,
                objects: None,
                staging: staging.as_deref().map(Staging::path),
                progress: self.options.progress,
            },
            jobs,
        );
        let Closed { mut registry, bad, damaged } = vectors.close();
        self.notice_bad(&bad);
        self.notice_damaged(&damaged);

        let (mut embedded, mut files_read) = (0, 0);
        for group in groups {
            embedded += group.embedded;
            files_read += group.read;
            if let Some(failure) = group.failure {
                self.notices.push(format!("some vectors are missing: {failure}"));
            }
            let loaded = group.loaded.map(Arc::new);
            self.extra.extend(loaded.iter().map(|loaded| (Arc::clone(loaded), staging.clone())));
            draft.take(loaded, group.outcomes, now);
        }
        let (manifest, segments) = draft.finish(settings(context), fingerprint.as_str());
        let mut report = Report {
            embedded,
            read: files_read,
            removed: plan.removed.len(),
            stale: stale.len(),
            changed: manifest != base.manifest,
            ..report_on(&manifest)
        };
        drop(indexer);
        if stale.is_empty() {
            match self.publish(&manifest, base.generation, lock, &mut registry) {
                Ok(Published::Done) => {}
                Ok(Published::Overtaken) if self.options.patience.is_none() => return Ok(None),
                // Another process replaced the view or is about to. What a reader built is right
                // for the files it saw, so it answers from memory.
                Ok(Published::Overtaken | Published::Busy) => {}
                Err(cause) => self.notices.push(format!(
                    "the search view cannot be written ({cause}); answering from memory"
                )),
            }
        }
        report.notices = std::mem::take(&mut self.notices);
        Ok(Some(refreshed(context.kind(), manifest, &segments, history, report)))
    }

    /// The view if it can be built upon, else an empty one.
    fn usable(&mut self, opened: Opened) -> View {
        let damaged = match opened {
            // An `index` must not commit damaged vectors; a search checks those that it scans.
            Opened::Ready(view) if self.options.patience.is_none() => {
                match view.damaged_vectors(self.folder) {
                    Some(cause) => Some(cause),
                    None => return view,
                }
            }
            Opened::Ready(view) => return view,
            Opened::Missing => None,
            Opened::Damaged(cause) => Some(cause),
        };
        if let Some(cause) = damaged
            && self.notices.is_empty()
        {
            self.notices.push(format!("{cause}; the search view was built anew"));
        }
        let generation = view::generation(self.folder);
        View { manifest: Manifest::default(), segments: Vec::new(), generation }
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

    /// Makes the manifest the view, if nobody else changed it since `generation`.
    fn publish(
        &self,
        manifest: &Manifest,
        generation: u64,
        lock: Option<Lock>,
        registry: &mut Registry,
    ) -> io::Result<Published> {
        let _lock = match lock {
            Some(lock) => lock,
            None => match view::write_lock(self.folder, self.options.patience)? {
                Some(lock) => lock,
                None => return Ok(Published::Busy),
            },
        };
        if view::generation(self.folder) != generation {
            return Ok(Published::Overtaken);
        }
        publish_segments(self.folder, manifest, &self.extra)?;
        registry.save(&view::registry_file(self.folder))?;
        view::replace(self.folder, manifest)?;
        Ok(Published::Done)
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

enum Published {
    Done,
    /// Another process replaced the view since we read it.
    Overtaken,
    /// Another process holds the lock for longer than we wait.
    Busy,
}

/// Moves the files of those segments into the view's folder that its next manifest names. The
/// caller holds the write lock.
pub(super) fn publish_segments(
    folder: &Path,
    manifest: &Manifest,
    built: &[(Arc<Loaded>, Option<Arc<Staging>>)],
) -> io::Result<()> {
    for (loaded, staging) in built {
        if !manifest.segments.iter().any(|entry| entry.name == loaded.name) {
            continue;
        }
        let target = view::segment_files(folder, &loaded.name);
        let Some(staging) = staging else {
            return Err(io::Error::other("no room for a new segment"));
        };
        for (from, to) in view::segment_files(staging.path(), &loaded.name).iter().zip(&target) {
            if !to.exists() {
                fs::rename(from, to)?;
            }
        }
    }
    Ok(())
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
    Refreshed { snapshot: Snapshot { parts, files: manifest.files, history }, report }
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
