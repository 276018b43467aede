//! Building segments: groups of notes, read, cut, embedded and inverted side by side.

use std::{
    fs, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    note::{Chunker, Note, Problem},
    source::{Derived, Source},
    vectors::Vectors,
};
use crate::store::{
    Malformed,
    matrix::{Matrix, encode_matrix},
    segment::{Segment, SegmentBuilder},
    view::{Loaded, open_segment, segment_files},
};
use elophanto_base::lexical::Analyzer;
use elophanto_models::Fingerprint;
use elophanto_repo::{BlobId, FileStat, NotePath, ObjectId, Objects, Unread, Walked, read_note};

/// Text that goes into one segment at most. Bounds the memory of a run.
const GROUP_BYTES: u64 = 10 * 1024 * 1024;
/// Text that is worth a segment of its own when there are idle threads.
const SMALLEST_GROUP_BYTES: u64 = 1024 * 1024;

/// Where the documents of all known segments are.
pub type Known = FxHashMap<(NotePath, BlobId), (usize, usize)>;

/// What there is to do for one file.
pub enum Job {
    /// Read it from the work tree.
    Read(Walked),
    /// Take the content that git holds.
    Fetch(Walked, ObjectId),
    /// Take this document.
    Take(Box<Derived>),
    /// Take the document that a segment already holds (number of the segment, of the document).
    Move { segment: usize, document: usize },
}

/// What became of one file.
pub enum Outcome {
    /// Its content was already in a segment.
    Known { file: Walked, blob: BlobId, segment: usize, document: usize },
    /// It is in the group's new segment.
    Built { file: Option<Walked>, blob: BlobId, path: NotePath, document: usize },
    /// It cannot be indexed.
    Skipped { file: Walked, blob: BlobId, problem: Problem },
    /// It vanished since the walk.
    Gone,
}

/// A group's segment, if it has one, and what became of its files.
pub struct Group {
    /// With the reason, if it is in memory because it could not be written.
    pub loaded: Option<(Arc<Loaded>, Option<io::Error>)>,
    pub outcomes: Vec<Outcome>,
    pub embedded: usize,
    pub read: usize,
    pub failure: Option<String>,
}

/// All that building needs.
pub struct Workshop<'a> {
    pub root: &'a Path,
    pub max_file_bytes: u64,
    pub source: &'a dyn Source,
    pub chunker: Chunker<'a>,
    pub analyzer: &'a Analyzer,
    pub fingerprint: &'a Fingerprint,
    pub dimension: usize,
    pub vectors: &'a Vectors<'a>,
    pub known: &'a Known,
    pub segments: &'a [Arc<Loaded>],
    /// Where contents that git holds are read; `None` if there is no such job.
    pub objects: Option<&'a Objects>,
    /// Folder for the files; `None` keeps them in memory.
    pub staging: Option<&'a Path>,
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Does all jobs; groups run in parallel and keep their order.
pub fn build(workshop: &Workshop, jobs: Vec<(Job, u64)>) -> Vec<Group> {
    let all = jobs.len();
    let done = AtomicUsize::new(0);
    let total: u64 = jobs.iter().map(|(_, size)| size).sum();
    let threads = rayon::current_num_threads() as u64;
    let target = (total / (threads * 2)).clamp(SMALLEST_GROUP_BYTES, GROUP_BYTES);
    let mut groups: Vec<(Vec<Job>, u64)> = Vec::new();
    for (job, size) in jobs {
        match groups.last_mut() {
            Some((jobs, filled)) if *filled + size <= target => {
                jobs.push(job);
                *filled += size;
            }
            _ => groups.push((vec![job], size)),
        }
    }
    groups
        .into_par_iter()
        .map(|(jobs, _)| {
            build_group(workshop, jobs, &|| {
                (workshop.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, all);
            })
        })
        .collect()
}

fn build_group(workshop: &Workshop, jobs: Vec<Job>, tick: &(dyn Fn() + Sync)) -> Group {
    let contents = workshop.fetch(&jobs);
    // Files of one small group (the usual small change) are still read side by side.
    let done: Vec<Done> = jobs
        .into_par_iter()
        .with_min_len(16)
        .map(|job| {
            let done = workshop.do_job(job, &contents);
            tick();
            done
        })
        .collect();
    let mut group =
        Group { loaded: None, outcomes: Vec::new(), embedded: 0, read: 0, failure: None };
    let mut builder = SegmentBuilder::new(workshop.analyzer);
    let mut keys = Vec::new();
    let mut passages = Vec::new();
    let mut documents = 0;
    for done in done {
        let (file, note) = match done {
            Done::Outcome(outcome) => {
                group.read += usize::from(!matches!(outcome, Outcome::Gone));
                group.outcomes.push(outcome);
                continue;
            }
            Done::Note(file, note) => (file, note),
        };
        group.read += usize::from(file.is_some());
        let note = *note;
        builder.add(&note.record, &note.text, &note.chunks);
        keys.extend(note.keys);
        passages.extend(note.passages);
        let (blob, path) = (note.record.blob, note.record.path);
        group.outcomes.push(Outcome::Built { file, blob, path, document: documents });
        documents += 1;
    }
    if documents > 0 {
        let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
        let found = workshop.vectors.find(&keys, &passages);
        group.embedded = found.embedded;
        group.failure = found.failure;
        drop(passages);
        let matrix = encode_matrix(workshop.fingerprint.as_str(), workshop.dimension, &found.rows);
        match workshop.load(builder.finish(), matrix) {
            Ok(loaded) => group.loaded = Some(loaded),
            Err(cause) => group.failure = Some(cause),
        }
    }
    group
}

/// What git holds under some ids.
type Contents = FxHashMap<ObjectId, Result<Vec<u8>, Unread>>;

enum Done {
    Outcome(Outcome),
    Note(Option<Walked>, Box<Note>),
}

impl Workshop<'_> {
    /// The contents that the jobs want from git, all at once.
    fn fetch(&self, jobs: &[Job]) -> Contents {
        let ids: Vec<&ObjectId> = jobs
            .iter()
            .filter_map(|job| match job {
                Job::Fetch(_, object) => Some(object),
                Job::Read(_) | Job::Take(_) | Job::Move { .. } => None,
            })
            .collect();
        let Some(objects) = self.objects.filter(|_| !ids.is_empty()) else {
            return Contents::default();
        };
        let contents = objects.read(&ids, self.max_file_bytes);
        ids.into_iter().cloned().zip(contents).collect()
    }

    fn do_job(&self, job: Job, contents: &Contents) -> Done {
        match job {
            Job::Read(file) => self.read(file),
            Job::Fetch(file, object) => match contents.get(&object) {
                Some(Ok(bytes)) => self.cut(file, bytes),
                Some(Err(cause)) => Done::Outcome(unreadable(file, cause)),
                None => Done::Outcome(unreadable(file, &Unread::Missing)),
            },
            Job::Take(derived) => self.make(*derived),
            Job::Move { segment, document } => match self.take(segment, document) {
                Ok(note) => Done::Note(None, Box::new(note)),
                // The text is damaged: the caller reads the file instead.
                Err(Malformed) => Done::Outcome(Outcome::Gone),
            },
        }
    }

    fn read(&self, mut file: Walked) -> Done {
        let (bytes, stat) = match read_note(self.root, &file.path, self.max_file_bytes) {
            Ok(read) => read,
            Err(cause) if cause.is_gone() => return Done::Outcome(Outcome::Gone),
            Err(cause) => {
                // What was in its place, or in that of its folder, its own stat does not tell.
                if cause.is_elsewhere() {
                    file.stat = unsettled(file.stat);
                }
                return Done::Outcome(unreadable(file, &cause));
            }
        };
        // It may have changed while it was read.
        file.stat = stat.unwrap_or(unsettled(file.stat));
        self.cut(file, &bytes)
    }

    fn cut(&self, file: Walked, bytes: &[u8]) -> Done {
        let blob = BlobId::of(bytes);
        if let Some(&(segment, document)) = self.known.get(&(file.path.clone(), blob)) {
            return Done::Outcome(Outcome::Known { file, blob, segment, document });
        }
        match self.source.cut(&self.chunker, &file.path, blob, bytes) {
            Ok(note) => Done::Note(Some(file), Box::new(note)),
            Err(problem) => Done::Outcome(Outcome::Skipped { file, blob, problem }),
        }
    }

    fn make(&self, Derived { record, text }: Derived) -> Done {
        let blob = record.blob;
        let file = Walked { path: record.path.clone(), stat: FileStat::default() };
        match self.chunker.cut_made(record, text) {
            Ok(note) => Done::Note(Some(file), Box::new(note)),
            Err(problem) => Done::Outcome(Outcome::Skipped { file, blob, problem }),
        }
    }

    fn take(&self, segment: usize, document: usize) -> Result<Note, Malformed> {
        let segment = &self.segments.get(segment).ok_or(Malformed)?.segment;
        Note::of_segment(segment, document, self.fingerprint)
    }

    /// Writes a segment, or keeps it in memory and says why: the answer matters more than the cache.
    fn load(
        &self,
        segment: Vec<u8>,
        matrix: Vec<u8>,
    ) -> Result<(Arc<Loaded>, Option<io::Error>), String> {
        let name = ulid::Ulid::new().to_string().to_lowercase();
        let unwritten = match self.staging.map(|folder| write(folder, &name, &segment, &matrix)) {
            Some(Ok(loaded)) => return Ok((loaded, None)),
            Some(Err(cause)) => Some(cause),
            None => None,
        };
        let broken = |Malformed| "a segment that was just built cannot be read".to_owned();
        let loaded = Loaded {
            name,
            segment: Segment::in_memory(segment).map_err(broken)?,
            matrix: Matrix::in_memory(matrix).map_err(broken)?,
        };
        Ok((Arc::new(loaded), unwritten))
    }
}

/// Writes the files of a segment and opens it; none of them stays where that fails.
fn write(folder: &Path, name: &str, segment: &[u8], matrix: &[u8]) -> io::Result<Arc<Loaded>> {
    let files = segment_files(folder, name);
    let opened = files
        .iter()
        .zip([segment, matrix])
        .try_for_each(|(file, bytes)| fs::write(file, bytes))
        .and_then(|()| open_segment(folder, name).map_err(io::Error::other));
    if opened.is_err() {
        files.iter().for_each(|file| drop(fs::remove_file(file)));
    }
    opened
}

/// A stat that no file has: the file is read again the next time.
fn unsettled(stat: FileStat) -> FileStat {
    FileStat { ctime: i64::MAX, ..stat }
}

fn unreadable(file: Walked, cause: &dyn std::fmt::Display) -> Outcome {
    let problem = Problem { path: file.path.clone(), line: None, reason: cause.to_string() };
    Outcome::Skipped { file, blob: BlobId::from_bytes([0; 20]), problem }
}
