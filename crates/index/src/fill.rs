//! Embedding what waits for a model that is not instant: all of it for `index`, as much as an
//! [`Allowance`] lets where somebody waits for something else.
//!
//! A refresh takes the vectors that it finds and leaves the other chunks to be found by keyword.
//! What is embedded here goes to the vector cache, every other second, so that whatever ends the
//! run loses little; the next refresh finds it there.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Context, Part, Snapshot,
    passages::{Passage, passages_of},
};
use crate::store::{
    Malformed,
    bits::Bits,
    cache::Cache,
    matrix::{Encoded, Key},
    view::Loaded,
};
use elophanto_models::{Embedder, Pace, Role};
use elophanto_repo::NotePath;

/// Texts that a model which runs here is given at once: enough for every core.
const SLICE: usize = 64;
/// The same where time is short: a twentieth of a second or two.
const SMALL_SLICE: usize = 8;
/// The same of a remote model: many requests at once, so that its pace is not held up by us.
const REMOTE_SLICE: usize = 4_096;
/// What was embedded goes to the cache at least this often.
const SAVED_EVERY: Duration = Duration::from_secs(2);

/// How much is embedded where somebody waits for something else.
#[derive(Clone, Copy)]
pub struct Allowance<'a> {
    /// So many texts however long they take.
    pub least: usize,
    /// More of them within this time.
    pub budget: Duration,
    /// Nothing is begun after this time, not even one of the least.
    pub ceiling: Duration,
    /// The time that has passed since the work began.
    pub clock: &'a dyn Fn() -> Duration,
}

impl Allowance<'_> {
    /// Whether more may be embedded after so many texts.
    fn lets(&self, done: usize) -> bool {
        let passed = (self.clock)();
        passed < self.ceiling && (done < self.least || passed < self.budget)
    }

    /// How many texts at once: never beyond the least for their sake alone.
    fn slice(&self, done: usize) -> usize {
        match self.least.saturating_sub(done) {
            0 => SMALL_SLICE,
            left => left.min(SMALL_SLICE),
        }
    }
}

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

/// Puts the passages of documents that `first` names before all others, and among both those of
/// documents of which least waits: the more documents are complete.
pub fn smallest_first(passages: &mut [Passage], first: impl Fn(&NotePath) -> bool) {
    let mut waiting: FxHashMap<NotePath, usize> = FxHashMap::default();
    for Passage { path, text, .. } in &*passages {
        *waiting.entry(path.clone()).or_default() += text.len();
    }
    passages.sort_by_cached_key(|passage| {
        let size = waiting.get(&passage.path).copied().unwrap_or_default();
        (!first(&passage.path), size, passage.path.clone(), passage.line)
    });
}

/// Embeds passages and files the vectors in the cache. `progress` is called with texts done and
/// texts to do, and says whether to go on.
pub fn fill(
    context: &Context,
    passages: &[Passage],
    progress: &dyn Fn(usize, usize) -> bool,
) -> Filled {
    let slice = if context.embedder.pace() == Pace::Remote { REMOTE_SLICE } else { SLICE };
    work(context, passages, &|done| progress(done, passages.len()).then_some(slice))
}

/// The same with as many of the passages, from the first on, as are allowed. None is for a model
/// that does not run in this process.
pub fn fill_within(context: &Context, passages: &[Passage], allowance: &Allowance) -> Filled {
    if context.embedder.pace() == Pace::Remote {
        return Filled::default();
    }
    work(context, passages, &|done| allowance.lets(done).then(|| allowance.slice(done)))
}

/// `next` says how many texts come next after so many, if any.
fn work(context: &Context, passages: &[Passage], next: &dyn Fn(usize) -> Option<usize>) -> Filled {
    let embedder: &dyn Embedder = context.embedder;
    let fingerprint = embedder.fingerprint().as_str();
    let folder = context.repository.vectors_dir();
    let mut cache = Cache::new(folder, fingerprint, embedder.dimension());
    let mut filled = Filled::default();
    // Nothing is written where the repository is gone.
    let there = context.repository.home();
    let mut saved = Instant::now();
    let mut left = passages;
    while !left.is_empty()
        && let Some(slice) = next(passages.len() - left.len())
    {
        let (passages, rest) = left.split_at(slice.clamp(1, left.len()));
        left = rest;
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
        if !there.is_dir() {
            return filled;
        }
        if embedder.pace() == Pace::Remote || saved.elapsed() >= SAVED_EVERY {
            cache.save();
            saved = Instant::now();
        }
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// How many of `all` texts are embedded, each taking a hundredth of a second.
    fn embedded(all: usize, least: usize, budget: u64, ceiling: u64) -> usize {
        let done = Cell::new(0);
        let clock = || Duration::from_millis(10 * done.get() as u64);
        let millis = Duration::from_millis;
        let allowance =
            Allowance { least, budget: millis(budget), ceiling: millis(ceiling), clock: &clock };
        while done.get() < all && allowance.lets(done.get()) {
            done.set((done.get() + allowance.slice(done.get())).min(all));
        }
        done.get()
    }

    #[test]
    fn an_allowance_is_a_least_and_a_budget_below_a_ceiling() {
        for (all, least, budget, ceiling, expected) in [
            (30, 50, 1, 9_000, 30),
            (120, 50, 1, 9_000, 50),
            (120, 50, 0, 9_000, 50),
            // The budget lasts for more than the least.
            (120, 50, 800, 9_000, 80),
            (120, 50, 9_000, 9_000, 120),
            // The ceiling holds for the least too.
            (120, 50, 1, 160, 16),
            (120, 0, 300, 300, 32),
            (120, 0, 0, 0, 0),
        ] {
            let found = embedded(all, least, budget, ceiling);
            assert!(
                found.abs_diff(expected) < SMALL_SLICE && (expected != least || found == least),
                "{found} of {all}: at least {least} or {budget} ms, below {ceiling} ms"
            );
        }
    }

    #[test]
    fn what_is_named_comes_first_and_small_documents_before_large_ones() {
        let passage = |path: &str, line, bytes| Passage {
            path: path.into(),
            line,
            text: "x".repeat(bytes),
            key: Key::default(),
        };
        let mut passages = vec![
            passage("large.md", 1, 10),
            passage("large.md", 9, 90),
            passage("small.md", 5, 20),
            passage("small.md", 1, 20),
            passage("changed.md", 1, 500),
        ];
        smallest_first(&mut passages, |path| *path == "changed.md".into());
        let order: Vec<_> =
            passages.iter().map(|passage| (passage.path.to_text(), passage.line)).collect();
        let expected =
            [("changed.md", 1), ("small.md", 1), ("small.md", 5), ("large.md", 1), ("large.md", 9)];
        assert_eq!(order, expected.map(|(path, line)| (path.to_owned(), line)));
    }
}
