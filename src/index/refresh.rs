//! One refresh: walk, compare, build what is new, replace the view.

use std::{fs, io, path::Path, sync::Arc, time::Duration};

use rustc_hash::FxHashMap;

use super::{
    IndexError, Problem,
    note::Cutter,
    plan::{Plan, plan},
    segments::{Group, Job, Known, Outcome, Workshop, build},
    vectors::Vectors,
};
use crate::{
    chunk::Limits,
    embed::Embedder,
    lexical::Analyzer,
    repo::{BlobId, NotePath, Repository, Selection, Walked, walk},
    store::{
        bits::Bits,
        lock::Lock,
        manifest::{FileEntry, Manifest, Place, SegmentEntry},
        registry::{BadTable, Registry},
        view::{self, Loaded, Opened, Staging, View},
    },
};

/// Raised whenever the same note would be cut or analysed differently.
const FORMAT: u32 = 1;
/// More segments than this and the small ones are merged.
const MANY_SEGMENTS: usize = 8;
/// Segments with fewer current chunks are small.
const SMALL_SEGMENT_CHUNKS: u32 = 2_048;
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
    pub count_tokens: &'a (dyn Fn(&str) -> usize + Sync),
    /// Nanoseconds since 1970.
    pub now: &'a (dyn Fn() -> i64 + Sync),
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
}

/// The files at one moment, ready to be searched.
#[derive(Clone, Default)]
pub struct Snapshot {
    pub parts: Vec<Part>,
    /// Sorted by path.
    pub files: Vec<FileEntry>,
}

/// What a refresh did.
#[derive(Debug, Default)]
pub struct Report {
    /// Notes that can be searched.
    pub files: usize,
    /// Their chunks.
    pub chunks: usize,
    /// Passages that the model was asked for.
    pub embedded: usize,
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
    for root in &context.selection.roots {
        if !context.repository.root.join(root).is_dir() {
            return Err(IndexError::NoRoot(root.clone()));
        }
    }
    let folder = context.repository.view_dir();
    // One `index` at a time: the second waits here and then finds nothing left to do.
    let _index_lock =
        if options.patience.is_none() { view::index_lock(&folder).ok() } else { None };
    let mut run = Run { context, options, folder: &folder, notices: Vec::new(), extra: Vec::new() };
    for _ in 0..RETRIES {
        if let Some(refreshed) = run.attempt(None)? {
            return Ok(refreshed);
        }
    }
    // Others keep replacing the view: do it once more while nobody else can.
    let lock = view::write_lock(&folder, options.patience)?;
    Ok(run.attempt(lock)?.unwrap_or_default())
}

/// The last view as it is, without looking at the files. `None` if there is none.
pub fn last_view(context: &Context) -> Option<Refreshed> {
    let Opened::Ready(view) = view::open(&context.repository.view_dir()) else { return None };
    (view.manifest.settings == settings(context)
        && view.manifest.fingerprint == context.embedder.fingerprint().as_str())
    .then(|| {
        let report = Report {
            files: view.manifest.files.len(),
            chunks: count_chunks(&view.manifest),
            problems: problems(&view.manifest.files),
            ..Report::default()
        };
        Refreshed { snapshot: snapshot(view.manifest, &view.segments), report }
    })
}

struct Run<'a> {
    context: &'a Context<'a>,
    options: Options<'a>,
    folder: &'a Path,
    notices: Vec<String>,
    /// Segments built by earlier attempts, with the folder that holds their files.
    extra: Vec<(Arc<Loaded>, Option<Arc<Staging>>)>,
}

impl Run<'_> {
    /// One round. `None` means the view was replaced meanwhile and the round must be repeated.
    fn attempt(&mut self, lock: Option<Lock>) -> Result<Option<Refreshed>, IndexError> {
        let (walked, opened) = rayon::join(
            || walk(&self.context.repository.root, self.context.selection),
            || view::open(self.folder),
        );
        let (walked, walk_errors) = walked;
        let now = (self.context.now)();
        let base = self.usable(opened);
        let fresh = base.manifest.settings != settings(self.context)
            || base.manifest.fingerprint != self.context.embedder.fingerprint().as_str();
        let known_files: &[FileEntry] = if fresh { &[] } else { &base.manifest.files };
        let full = self.options.full && self.extra.is_empty();
        let plan = plan(known_files, &walked, full);
        let incomplete = base
            .segments
            .iter()
            .zip(&base.manifest.segments)
            .any(|(loaded, entry)| has_missing(loaded, &entry.live));
        if plan.is_empty() && !fresh && !incomplete {
            let mut report = Report {
                files: base.manifest.files.len(),
                chunks: count_chunks(&base.manifest),
                problems: problems(&base.manifest.files),
                notices: std::mem::take(&mut self.notices),
                ..Report::default()
            };
            report.problems.extend(unwalked(&walk_errors));
            report.files -= problems(&base.manifest.files).len();
            let snapshot = snapshot(base.manifest, &base.segments);
            return Ok(Some(Refreshed { snapshot, report }));
        }
        self.rebuild(base, &walked, &plan, fresh, full, now, lock).map(|done| {
            done.map(|mut refreshed| {
                refreshed.report.problems.extend(unwalked(&walk_errors));
                refreshed
            })
        })
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the second half of `attempt`, split for reading"
    )]
    fn rebuild(
        &mut self,
        base: View,
        walked: &[Walked],
        plan: &Plan,
        fresh: bool,
        full: bool,
        now: i64,
        lock: Option<Lock>,
    ) -> Result<Option<Refreshed>, IndexError> {
        let context = self.context;
        let mut segments: Vec<Arc<Loaded>> = base.segments.clone();
        let known_segments = segments.len();
        segments.extend(self.extra.iter().map(|(loaded, _)| Arc::clone(loaded)));
        let known = list_known(&segments, if fresh || full { known_segments } else { 0 });

        let mut read: Vec<&Walked> = plan.read.iter().map(|&index| &walked[index]).collect();
        let (stale, indexer) = self.limit_overlay(&mut read);
        let mut jobs: Vec<(Job, u64)> =
            read.iter().map(|&file| (Job::Read(file.clone()), file.stat.size)).collect();

        let mut live: Vec<Bits> =
            segments.iter().map(|s| Bits::new(s.segment.documents(), false)).collect();
        let mut files: Vec<FileEntry> = Vec::with_capacity(walked.len());
        let kept: Vec<usize> = if fresh {
            Vec::new()
        } else {
            plan.keep.iter().copied().chain(stale_known(&base, &stale)).collect()
        };
        for index in kept {
            let entry = base.manifest.files[index].clone();
            if let Place::Document { segment, document } = entry.place {
                live[segment as usize].set(document as usize, true);
            }
            files.push(entry);
        }
        let moved = self.choose_merges(&segments[..known_segments], &live, fresh);
        for &segment in &moved {
            for document in live[segment].ones() {
                let size = segments[segment]
                    .segment
                    .document(document)
                    .map_or(0, |document| document.chunks.len() as u64 * 1024);
                jobs.push((Job::Move { segment, document }, size));
            }
        }

        let (registry, bad) = match Registry::load(
            &view::registry_file(self.folder),
            &context.repository.tables_dir(),
        ) {
            Ok(loaded) => loaded,
            Err(cause) => {
                self.notices.push(format!("the committed index cannot be read: {cause}"));
                Default::default()
            }
        };
        self.notice_bad(&bad);
        let staging = match Staging::new(self.folder) {
            Ok(staging) => Some(Arc::new(staging)),
            Err(_) => None,
        };
        let vectors =
            Vectors::new(context.embedder, &segments, context.repository.tables_dir(), registry);
        let fingerprint = context.embedder.fingerprint();
        let groups = build(
            &Workshop {
                root: &context.repository.root,
                max_file_bytes: context.max_file_bytes,
                cutter: Cutter {
                    limits: context.limits,
                    write_root: context.write_root,
                    count_tokens: context.count_tokens,
                    fingerprint,
                },
                analyzer: context.analyzer,
                fingerprint: fingerprint.as_str(),
                dimension: context.embedder.dimension(),
                vectors: &vectors,
                known: &known,
                segments: &segments,
                staging: staging.as_deref().map(Staging::path),
                progress: self.options.progress,
            },
            jobs,
        );
        let (mut registry, bad) = vectors.into_registry();
        self.notice_bad(&bad);

        let mut report =
            Report { removed: plan.removed.len(), stale: stale.len(), ..Report::default() };
        for group in groups {
            self.take_group(
                group,
                now,
                &mut segments,
                &mut live,
                &mut files,
                &mut report,
                &staging,
            );
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let manifest = assemble(context, &segments, &live, &mut files);
        report.problems = problems(&manifest.files);
        report.files = manifest.files.len() - report.problems.len();
        report.chunks = count_chunks(&manifest);
        report.changed = manifest != base.manifest;

        drop(indexer);
        let kept: Vec<Arc<Loaded>> = manifest
            .segments
            .iter()
            .filter_map(|entry| segments.iter().find(|loaded| loaded.name == entry.name).cloned())
            .collect();
        if stale.is_empty() {
            match self.publish(&manifest, base.generation, lock, &mut registry) {
                Ok(Published::Done) => {}
                Ok(Published::Overtaken) => return Ok(None),
                // Another process is replacing the view: ours stays in memory for this answer.
                Ok(Published::Busy) => {}
                Err(cause) => self.notices.push(format!(
                    "the search view cannot be written ({cause}); answering from memory"
                )),
            }
        }
        report.notices = std::mem::take(&mut self.notices);
        Ok(Some(Refreshed { snapshot: snapshot(manifest, &kept), report }))
    }

    /// The view if it can be built upon, else an empty one.
    fn usable(&mut self, opened: Opened) -> View {
        match opened {
            Opened::Ready(view) => return view,
            Opened::Missing => {}
            Opened::Damaged(cause) => {
                if self.notices.is_empty() {
                    self.notices.push(format!("{cause}; the search view was built anew"));
                }
            }
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

    /// Segments to be written again as part of this refresh: small ones when there are many, and
    /// those that wait for vectors. Only `index` takes on large ones.
    fn choose_merges(&self, segments: &[Arc<Loaded>], live: &[Bits], fresh: bool) -> Vec<usize> {
        if fresh {
            return Vec::new();
        }
        let chunks: Vec<u32> =
            segments.iter().zip(live).map(|(loaded, live)| live_chunks(loaded, live)).collect();
        let patient = self.options.patience.is_none();
        let small = |&number: &usize| chunks[number] < SMALL_SEGMENT_CHUNKS;
        let all = 0..segments.len();
        let crowded = segments.len() >= MANY_SEGMENTS
            && all.clone().filter(small).count() >= MANY_SEGMENTS / 2;
        all.filter(|number| {
            let loaded = &segments[*number];
            let wasted = chunks[*number] > 0
                && (chunks[*number] as usize) < loaded.segment.chunks() / 2
                && loaded.segment.chunks() > 256;
            (crowded && small(number) && chunks[*number] > 0)
                || (patient && wasted)
                || has_missing(loaded, &live[*number])
        })
        .collect()
    }

    #[expect(clippy::too_many_arguments, reason = "folds one group into the state of a refresh")]
    fn take_group(
        &mut self,
        group: Group,
        now: i64,
        segments: &mut Vec<Arc<Loaded>>,
        live: &mut Vec<Bits>,
        files: &mut Vec<FileEntry>,
        report: &mut Report,
        staging: &Option<Arc<Staging>>,
    ) {
        report.embedded += group.embedded;
        report.read += group.read;
        if let Some(failure) = group.failure {
            self.notices.push(format!("some vectors are missing: {failure}"));
        }
        let number = segments.len();
        if let Some(loaded) = group.loaded {
            let loaded = Arc::new(loaded);
            live.push(Bits::new(loaded.segment.documents(), false));
            self.extra.push((Arc::clone(&loaded), staging.clone()));
            segments.push(loaded);
        }
        let mut moved: FxHashMap<NotePath, (BlobId, usize)> = FxHashMap::default();
        for outcome in group.outcomes {
            let entry = |file: Walked, blob, place| FileEntry {
                path: file.path,
                stat: file.stat,
                recorded: now,
                blob,
                place,
            };
            let at = |segment: usize, document: usize| Place::Document {
                segment: segment as u32,
                document: document as u32,
            };
            match outcome {
                Outcome::Known { file, blob, segment, document } => {
                    live[segment].set(document, true);
                    files.push(entry(file, blob, at(segment, document)));
                }
                Outcome::Built { file: Some(file), blob, document, .. } => {
                    live[number].set(document, true);
                    files.push(entry(file, blob, at(number, document)));
                }
                Outcome::Built { file: None, blob, path, document } => {
                    moved.insert(path, (blob, document));
                }
                Outcome::Skipped { file, blob, problem } => {
                    let place = Place::Skipped { reason: problem.reason, line: problem.line };
                    files.push(entry(file, blob, place));
                }
                Outcome::Gone => {}
            }
        }
        if moved.is_empty() {
            return;
        }
        for file in files.iter_mut() {
            if let Some(&(blob, document)) = moved.get(&file.path)
                && file.blob == blob
                && let Place::Document { segment: before, document: old } = file.place
                && before as usize != number
            {
                live[before as usize].set(old as usize, false);
                live[number].set(document, true);
                file.place = Place::Document { segment: number as u32, document: document as u32 };
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
        for (loaded, staging) in &self.extra {
            if !manifest.segments.iter().any(|entry| entry.name == loaded.name) {
                continue;
            }
            let target = view::segment_files(self.folder, &loaded.name);
            let Some(staging) = staging else {
                return Err(io::Error::other("no room for a new segment"));
            };
            for (from, to) in view::segment_files(staging.path(), &loaded.name).iter().zip(&target)
            {
                if !to.exists() {
                    fs::rename(from, to)?;
                }
            }
        }
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
}

enum Published {
    Done,
    /// Another process replaced the view since we read it.
    Overtaken,
    /// Another process holds the lock for longer than we wait.
    Busy,
}

/// What decides how notes are cut and analysed.
fn settings(context: &Context) -> String {
    format!(
        "{FORMAT}/{}/{:?}/{}",
        context.analyzer.fingerprint(),
        context.limits,
        context.write_root.display()
    )
}

fn snapshot(manifest: Manifest, segments: &[Arc<Loaded>]) -> Snapshot {
    let parts = manifest.segments.into_iter().zip(segments);
    Snapshot {
        parts: parts
            .map(|(entry, loaded)| Part { loaded: Arc::clone(loaded), live: entry.live })
            .collect(),
        files: manifest.files,
    }
}

/// Documents that need no parsing, from segment `first` on.
fn list_known(segments: &[Arc<Loaded>], first: usize) -> Known {
    let mut known = Known::default();
    for (number, loaded) in segments.iter().enumerate().skip(first) {
        for document in 0..loaded.segment.documents() {
            if let Ok((path, blob)) = loaded.segment.identity(document) {
                known.insert((NotePath::new(path), blob), (number, document));
            }
        }
    }
    known
}

/// The manifest of these segments, without those that hold nothing current (unless there is room
/// for them: a branch switched back finds its documents there).
fn assemble(
    context: &Context,
    segments: &[Arc<Loaded>],
    live: &[Bits],
    files: &mut Vec<FileEntry>,
) -> Manifest {
    let mut numbers = vec![None; segments.len()];
    let mut entries = Vec::new();
    for (number, (loaded, live)) in segments.iter().zip(live).enumerate() {
        if live.count() > 0 {
            numbers[number] = Some(entries.len() as u32);
            entries.push(SegmentEntry {
                name: loaded.name.clone(),
                live: live.clone(),
                live_chunks: live_chunks(loaded, live),
            });
        }
    }
    files.retain_mut(|file| match &mut file.place {
        Place::Skipped { .. } => true,
        Place::Document { segment, .. } => match numbers.get(*segment as usize) {
            Some(&Some(number)) => {
                *segment = number;
                true
            }
            _ => false,
        },
    });
    Manifest {
        settings: settings(context),
        fingerprint: context.embedder.fingerprint().as_str().to_owned(),
        segments: entries,
        files: std::mem::take(files),
    }
}

fn live_chunks(loaded: &Loaded, live: &Bits) -> u32 {
    let documents = live.ones().filter_map(|number| loaded.segment.document(number).ok());
    documents.map(|document| document.chunks.len() as u32).sum()
}

fn has_missing(loaded: &Loaded, live: &Bits) -> bool {
    (0..loaded.matrix.rows())
        .any(|row| loaded.matrix.is_missing(row) && live.get(loaded.segment.chunk_document(row)))
}

fn count_chunks(manifest: &Manifest) -> usize {
    manifest.segments.iter().map(|segment| segment.live_chunks as usize).sum()
}

/// Known entries of files that are stale: they stay as they were.
fn stale_known(base: &View, stale: &[NotePath]) -> Vec<usize> {
    let files = &base.manifest.files;
    stale
        .iter()
        .filter_map(|path| files.binary_search_by(|file| file.path.cmp(path)).ok())
        .collect()
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

fn unwalked(errors: &[crate::repo::WalkError]) -> Vec<Problem> {
    errors
        .iter()
        .map(|error| Problem { path: "".into(), line: None, reason: error.to_string() })
        .collect()
}
