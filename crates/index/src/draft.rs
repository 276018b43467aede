//! The next manifest while it is being put together.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    fill::missing_rows,
    segments::{Job, Known, Outcome},
};
use crate::store::{
    bits::Bits,
    manifest::{FileEntry, Manifest, Place, SegmentEntry},
    view::Loaded,
};
use elophanto_repo::{BlobId, NotePath, Walked};

/// With at least this many segments the small ones are merged.
const MANY_SEGMENTS: usize = 8;
/// Segments with fewer current chunks are small.
const SMALL_SEGMENT_CHUNKS: u32 = 2_048;
/// A segment below this size may stay half empty.
const WORTH_PACKING_CHUNKS: usize = 256;

/// Segments, which of their documents are current, and the files that say so.
pub struct Draft {
    pub segments: Vec<Arc<Loaded>>,
    live: Vec<Bits>,
    files: Vec<FileEntry>,
}

impl Draft {
    /// Starts with segments of which nothing is current.
    pub fn new(segments: Vec<Arc<Loaded>>) -> Self {
        let live = segments.iter().map(|s| Bits::new(s.segment.documents(), false)).collect();
        Self { segments, live, files: Vec::new() }
    }

    /// Documents that need no parsing, from segment `first` on. With `complete`, those of a segment
    /// that waits for vectors are built again.
    pub fn known(&self, first: usize, complete: bool) -> Known {
        let mut known = Known::default();
        for (number, loaded) in self.segments.iter().enumerate().skip(first) {
            if complete && (0..loaded.matrix.rows()).any(|row| loaded.matrix.is_missing(row)) {
                continue;
            }
            for document in 0..loaded.segment.documents() {
                if let Ok((path, blob)) = loaded.segment.identity(document) {
                    known.insert((NotePath::new(path), blob), (number, document));
                }
            }
        }
        known
    }

    /// A file that is as it was.
    pub fn keep(&mut self, entry: FileEntry) {
        if let Place::Document { segment, document } = entry.place {
            self.live[segment as usize].set(document as usize, true);
        }
        self.files.push(entry);
    }

    /// A file whose content a segment holds, `now` in nanoseconds since 1970.
    pub fn found(
        &mut self,
        file: Walked,
        blob: BlobId,
        (segment, document): (usize, usize),
        now: i64,
    ) {
        self.keep(entry(file, blob, now, place(segment, document)));
    }

    /// Documents to be written again, with what they weigh: those of small segments when there
    /// are many; if `complete`, of segments that wait for vectors; if `thorough`, also of segments
    /// that are mostly out of date. Only the first `count` segments are looked at.
    pub fn merges(&self, count: usize, complete: bool, thorough: bool) -> Vec<(Job, u64)> {
        let chunks: Vec<u32> = (0..count)
            .map(|number| live_chunks(&self.segments[number], &self.live[number]))
            .collect();
        let small = |&number: &usize| (1..SMALL_SEGMENT_CHUNKS).contains(&chunks[number]);
        let crowded =
            count >= MANY_SEGMENTS && (0..count).filter(small).count() >= MANY_SEGMENTS / 2;
        let mut jobs = Vec::new();
        for (segment, &current) in chunks.iter().enumerate() {
            let loaded = &self.segments[segment];
            let all = loaded.segment.chunks();
            let wasted = current > 0 && (current as usize) < all / 2 && all > WORTH_PACKING_CHUNKS;
            let again = (crowded && small(&segment))
                || (thorough && wasted)
                || (complete && missing_rows(loaded, &self.live[segment]).next().is_some());
            if !again {
                continue;
            }
            for document in self.live[segment].ones() {
                // A rough weight: a kilobyte a chunk.
                let view = loaded.segment.document(document);
                let weight = view.map_or(0, |view| view.chunks.len() as u64 * 1024);
                jobs.push((Job::Move { segment, document }, weight));
            }
        }
        jobs
    }

    /// What became of a group of files, `now` in nanoseconds since 1970.
    pub fn take(&mut self, loaded: Option<Arc<Loaded>>, outcomes: Vec<Outcome>, now: i64) {
        let number = self.segments.len();
        if let Some(loaded) = loaded {
            self.live.push(Bits::new(loaded.segment.documents(), false));
            self.segments.push(loaded);
        }
        let mut moved: FxHashMap<NotePath, (BlobId, usize)> = FxHashMap::default();
        for outcome in outcomes {
            match outcome {
                Outcome::Known { file, blob, segment, document } => {
                    self.found(file, blob, (segment, document), now);
                }
                Outcome::Built { file: Some(file), blob, document, .. } => {
                    self.keep(entry(file, blob, now, place(number, document)));
                }
                Outcome::Built { file: None, blob, path, document } => {
                    moved.insert(path, (blob, document));
                }
                Outcome::Skipped { file, blob, problem } => {
                    let place = Place::Skipped { reason: problem.reason, line: problem.line };
                    self.files.push(entry(file, blob, now, place));
                }
                Outcome::Gone => {}
            }
        }
        if !moved.is_empty() {
            self.move_documents(&moved, number);
        }
    }

    /// The manifest, without segments that hold nothing current, and its segments.
    pub fn finish(mut self, settings: String, fingerprint: &str) -> (Manifest, Vec<Arc<Loaded>>) {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut numbers = vec![None; self.segments.len()];
        let mut entries = Vec::new();
        let mut kept = Vec::new();
        for (number, (loaded, live)) in self.segments.into_iter().zip(self.live).enumerate() {
            if live.count() > 0 {
                numbers[number] = Some(entries.len() as u32);
                let live_chunks = live_chunks(&loaded, &live);
                entries.push(SegmentEntry { name: loaded.name.clone(), live, live_chunks });
                kept.push(loaded);
            }
        }
        self.files.retain_mut(|file| match &mut file.place {
            Place::Skipped { .. } => true,
            Place::Document { segment, .. } => match numbers.get(*segment as usize) {
                Some(&Some(number)) => {
                    *segment = number;
                    true
                }
                _ => false,
            },
        });
        let fingerprint = fingerprint.to_owned();
        (Manifest { settings, fingerprint, segments: entries, files: self.files }, kept)
    }

    fn move_documents(&mut self, moved: &FxHashMap<NotePath, (BlobId, usize)>, number: usize) {
        for file in &mut self.files {
            if let Some(&(blob, document)) = moved.get(&file.path)
                && file.blob == blob
                && let Place::Document { segment: before, document: old } = file.place
                && before as usize != number
            {
                self.live[before as usize].set(old as usize, false);
                self.live[number].set(document, true);
                file.place = place(number, document);
            }
        }
    }
}

fn live_chunks(loaded: &Loaded, live: &Bits) -> u32 {
    let documents = live.ones().filter_map(|number| loaded.segment.document(number).ok());
    documents.map(|document| document.chunks.len() as u32).sum()
}

fn entry(file: Walked, blob: BlobId, recorded: i64, place: Place) -> FileEntry {
    FileEntry { path: file.path, stat: file.stat, recorded, blob, place }
}

fn place(segment: usize, document: usize) -> Place {
    Place::Document { segment: segment as u32, document: document as u32 }
}
