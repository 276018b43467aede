//! Embedding what waits for a model that is not instant: asked for by `index`, never by a hook.
//!
//! A refresh takes the vectors that it finds and leaves the other chunks to be found by keyword.
//! What is embedded here goes to the vector cache, slice by slice, so that whatever ends the run
//! loses at most one slice; the next refresh finds it there.

use std::path::PathBuf;

use rustc_hash::FxHashSet;

use super::{
    Context, Part, Snapshot,
    passages::{Passage, passages_of},
};
use crate::{
    embed::{Embedder, Pace, Role},
    store::{
        Malformed,
        bits::Bits,
        cache::Cache,
        matrix::{Encoded, Key},
        view::Loaded,
    },
};

/// Texts between two writes to the cache: of a model that runs here, a second or two of work.
const SLICE: usize = 512;
/// The same of a remote model: many requests at once, so that its pace is not held up by us.
const REMOTE_SLICE: usize = 4_096;

/// What became of the texts that waited.
#[derive(Debug, Default)]
pub struct Filled {
    /// Texts that have a vector now.
    pub embedded: usize,
    /// Why others have none.
    pub failure: Option<String>,
    /// Files of the cache that were passed over.
    pub damaged: Vec<PathBuf>,
}

/// The distinct passages of current chunks without a vector.
///
/// # Errors
/// [`Malformed`] if the view is damaged.
pub fn waiting(context: &Context, snapshot: &Snapshot) -> Result<Vec<Passage>, Malformed> {
    let keys = missing_keys(snapshot.parts.iter().map(|part| (&*part.loaded, &part.live)));
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut passages = Vec::new();
    for part in &snapshot.parts {
        let incomplete = incomplete(part);
        passages.extend(passages_of(context, part, |document| incomplete.contains(&document))?);
    }
    let mut seen = FxHashSet::default();
    passages.retain(|passage| keys.contains(&passage.key) && seen.insert(passage.key));
    Ok(passages)
}

/// Embeds passages and files the vectors in the cache. `progress` is called with texts done and
/// texts to do.
pub fn fill(context: &Context, passages: &[Passage], progress: &dyn Fn(usize, usize)) -> Filled {
    let embedder: &dyn Embedder = context.embedder;
    let fingerprint = embedder.fingerprint().as_str();
    let folder = context.repository.vectors_dir();
    let mut cache = Cache::new(folder, fingerprint, embedder.dimension());
    let mut filled = Filled::default();
    let slice = if embedder.pace() == Pace::Remote { REMOTE_SLICE } else { SLICE };
    let mut done = 0;
    for passages in passages.chunks(slice) {
        progress(done, passages.len());
        let texts: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
        let made = embedder.embed(&texts, Role::Document);
        let mut any = false;
        for (passage, vector) in passages.iter().zip(made.vectors) {
            if let Some(vector) = vector {
                cache.add(passage.key, Encoded::new(&vector));
                filled.embedded += 1;
                any = true;
            }
        }
        cache.save();
        done += passages.len();
        if let Some(failure) = made.failure {
            filled.failure.get_or_insert(failure.cause.to_string());
            // Nothing of a whole slice: the next one would fare no better.
            if !any {
                break;
            }
        }
    }
    filled.damaged = cache.close();
    filled
}

/// Keys of the current chunks that have no vector.
pub(super) fn missing_keys<'a>(
    parts: impl IntoIterator<Item = (&'a Loaded, &'a Bits)>,
) -> FxHashSet<Key> {
    let mut keys = FxHashSet::default();
    for (loaded, live) in parts {
        keys.extend(missing_rows(loaded, live).map(|row| loaded.matrix.key(row)));
    }
    keys
}

/// Rows of the current chunks that have no vector.
pub(super) fn missing_rows(loaded: &Loaded, live: &Bits) -> impl Iterator<Item = usize> {
    let (segment, matrix) = (&loaded.segment, &loaded.matrix);
    (0..matrix.rows())
        .filter(|&row| matrix.is_missing(row) && live.get(segment.chunk_document(row)))
}

/// Current documents of which a chunk has no vector.
fn incomplete(part: &Part) -> FxHashSet<usize> {
    let rows = missing_rows(&part.loaded, &part.live);
    rows.map(|row| part.loaded.segment.chunk_document(row)).collect()
}
