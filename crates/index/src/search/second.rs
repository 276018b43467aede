//! A second look: a slower model reads the best candidates of a fast one, each as a whole and its
//! best excerpt, as many as fit into a time, the best ones first.
//!
//! Owns the clock and the vectors that are kept of whole passages, under the names that an index of
//! the slower model gives them: what is asked about becomes such an index by itself. How the order
//! changes is `closer`'s business.

use std::{
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rustc_hash::FxHashSet;

use crate::{
    note::key,
    store::{
        cache::Cache,
        matrix::{Encoded, Key},
    },
};
use elophanto_models::{EmbedError, Embedded, Embedder, Role};

/// Candidates that are read at most.
pub const LOOKED_AT: usize = 20;
/// About as many bytes of a text as a small transformer reads.
const MOST_READ: usize = 1_200;
/// What each text costs besides, as bytes: short ones must not make long ones look out of reach.
const EACH: usize = 150;

/// Who looks a second time, and for how long.
#[derive(Clone)]
pub struct SecondLook<'a> {
    pub embedder: &'a dyn Embedder,
    /// Folder of the vector cache; `None` keeps nothing.
    pub vectors: Option<PathBuf>,
    /// `None`: as long as it takes.
    pub budget: Option<Duration>,
}

/// A candidate as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// What an index embeds of it.
    pub passage: String,
    /// Its best excerpt; `None` if it is no longer than one.
    pub excerpt: Option<String>,
}

/// Cosines of the question with a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Near {
    pub excerpt: f32,
    /// `None` if there was no time for all of it.
    pub whole: Option<f32>,
}

/// What a second look saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// Of the first candidates, as many as there was time for.
    pub near: Vec<Near>,
    /// Why there is none, if the model failed.
    pub failure: Option<EmbedError>,
}

/// A text to read, and of which candidate.
struct Task<'t> {
    at: usize,
    text: &'t str,
    is_whole: bool,
}

/// What the threads that read have in common.
struct Shared {
    excerpts: Vec<Option<f32>>,
    wholes: Vec<Option<f32>>,
    made: Vec<(Key, Encoded)>,
    failure: Option<EmbedError>,
}

impl SecondLook<'_> {
    /// Reads candidates, given best first, on all threads of the current rayon pool: of all of them
    /// the excerpts first, which tell most for the time they take, then the whole passages.
    pub fn read(&self, question: &str, candidates: &[Reading]) -> Seen {
        let start = Instant::now();
        let question = match self.embedder.embed_query(question) {
            Ok(vector) => vector,
            Err(failure) => return Seen { failure: Some(failure), ..Seen::default() },
        };
        let fingerprint = self.embedder.fingerprint();
        let keys: Vec<Key> =
            candidates.iter().map(|candidate| key(fingerprint, &candidate.passage)).collect();
        let dimension = self.embedder.dimension();
        let mut cache =
            self.vectors.clone().map(|folder| Cache::new(folder, fingerprint.as_str(), dimension));
        let wanted: FxHashSet<Key> = keys.iter().copied().collect();
        let mut kept = cache.as_mut().map(|cache| cache.vectors(&wanted)).unwrap_or_default();
        kept.retain(|_, vector| vector.is_sane(dimension));
        let shared = Mutex::new(Shared {
            excerpts: vec![None; candidates.len()],
            wholes: keys.iter().map(|key| Some(cosine(kept.get(key)?, &question))).collect(),
            made: Vec::new(),
            failure: None,
        });
        let unknown = |at: &usize| !kept.contains_key(&keys[*at]);
        let tasks = tasks(candidates, unknown);
        let next = AtomicUsize::new(0);
        let begun = start.elapsed();
        rayon::broadcast(|_| {
            let mut read = 0;
            while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let size = task.text.len().min(MOST_READ) + EACH;
                if !self.has_time(start.elapsed(), begun, read, size) {
                    // For nobody: what comes later is worth less.
                    next.store(tasks.len(), Ordering::Relaxed);
                    break;
                }
                read += size;
                let Embedded { vectors, failure } =
                    self.embedder.embed(&[task.text], Role::Document);
                let vector = vectors.into_iter().next().flatten();
                let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(failure) = failure {
                    shared.failure.get_or_insert(failure);
                    next.store(tasks.len(), Ordering::Relaxed);
                    break;
                }
                let Some(vector) = vector.map(|vector| Encoded::new(&vector)) else { continue };
                let near = Some(cosine(&vector, &question));
                if task.is_whole {
                    shared.wholes[task.at] = near;
                    shared.made.push((keys[task.at], vector));
                } else {
                    shared.excerpts[task.at] = near;
                }
            }
        });
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Shared { excerpts, wholes, made, failure } = shared;
        if let Some(mut cache) = cache.filter(|_| !made.is_empty()) {
            made.into_iter().for_each(|(key, vector)| cache.add(key, vector));
            cache.close();
        }
        if failure.is_some() {
            return Seen { near: Vec::new(), failure };
        }
        let near = |((candidate, excerpt), whole): ((&Reading, Option<f32>), Option<f32>)| {
            let excerpt = if candidate.excerpt.is_some() { excerpt } else { whole };
            Some(Near { excerpt: excerpt?, whole })
        };
        Seen {
            near: candidates.iter().zip(excerpts).zip(wholes).map_while(near).collect(),
            failure,
        }
    }

    /// Whether there is time to read so much more, when so much was read since `begun` in the time that
    /// is gone.
    fn has_time(&self, gone: Duration, begun: Duration, read: usize, more: usize) -> bool {
        let expected = match read {
            0 => Duration::ZERO,
            read => gone.saturating_sub(begun).mul_f64(more as f64 / read as f64),
        };
        self.budget.is_none_or(|budget| gone + expected <= budget)
    }
}

/// What is to be read: of each candidate its excerpt, or all of it if that is short, then what is long.
/// `is_unknown`: the vector of the whole passage is not at hand.
fn tasks(candidates: &[Reading], is_unknown: impl Fn(&usize) -> bool) -> Vec<Task<'_>> {
    let whole = |at: usize| Task { at, text: &candidates[at].passage, is_whole: true };
    let first = candidates.iter().enumerate().filter_map(|(at, candidate)| {
        let excerpt = candidate.excerpt.as_deref();
        let excerpt = excerpt.map(|text| Task { at, text, is_whole: false });
        excerpt.or_else(|| is_unknown(&at).then(|| whole(at)))
    });
    let long = (0..candidates.len())
        .filter(|at| candidates[*at].excerpt.is_some() && is_unknown(at))
        .map(whole);
    first.chain(long).collect()
}

/// As the vectors that are kept have it, so that it makes no difference whether one was.
fn cosine(vector: &Encoded, question: &[f32]) -> f32 {
    let products = vector.codes.iter().zip(question).map(|(code, x)| f32::from(*code) * x);
    products.sum::<f32>() * vector.scale
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use elophanto_models::{Fingerprint, Pace, bert::Bert};

    /// A model that counts what it reads, takes its time, and fails if it is told to.
    struct Slow {
        fingerprint: Fingerprint,
        read: AtomicUsize,
        takes: Duration,
        fails_at: Option<&'static str>,
    }

    impl Slow {
        fn new(takes: u64, fails_at: Option<&'static str>) -> Self {
            let fingerprint = Fingerprint::new("slow-2");
            let takes = Duration::from_millis(takes);
            Self { fingerprint, read: AtomicUsize::new(0), takes, fails_at }
        }
    }

    impl Embedder for Slow {
        fn fingerprint(&self) -> &Fingerprint {
            &self.fingerprint
        }

        fn dimension(&self) -> usize {
            2
        }

        fn pace(&self) -> Pace {
            Pace::Slow
        }

        /// How much of a text is the letter `o`.
        fn embed(&self, texts: &[&str], role: Role) -> Embedded {
            if role == Role::Document {
                std::thread::sleep(self.takes);
                self.read.fetch_add(texts.len(), Ordering::Relaxed);
            }
            if let Some(bad) = self.fails_at
                && texts.iter().any(|text| text.contains(bad))
            {
                let failure = Some(EmbedError::new(&self.fingerprint, "it is down"));
                return Embedded { vectors: vec![None; texts.len()], failure };
            }
            let vector = |text: &&str| {
                let x = text.matches('o').count() as f32 / text.len().max(1) as f32;
                vec![x, (1.0 - x * x).sqrt()]
            };
            Embedded::all(texts.iter().map(vector).collect())
        }
    }

    fn readings(count: usize) -> Vec<Reading> {
        let one = |number: usize| Reading {
            passage: format!("{number}{}", "o".repeat(number)),
            excerpt: (number.is_multiple_of(2)).then(|| "oo".to_owned()),
        };
        (0..count).map(one).collect()
    }

    fn look<'a>(model: &'a Slow, folder: Option<&std::path::Path>) -> SecondLook<'a> {
        SecondLook { embedder: model, vectors: folder.map(Into::into), budget: None }
    }

    #[test]
    fn all_are_read_where_there_is_time() {
        let model = Slow::new(0, None);
        let seen = look(&model, None).read("o", &readings(9));
        assert!(seen.failure.is_none());
        assert_eq!(seen.near.len(), 9);
        // Of each the passage, of every second one an excerpt too.
        assert_eq!(model.read.load(Ordering::Relaxed), 9 + 5);
        assert!(seen.near[8].whole > seen.near[1].whole, "{:?}", seen.near);
        assert!((seen.near[8].excerpt - 1.0).abs() < 0.01, "{:?}", seen.near);
        assert_eq!(Some(seen.near[7].excerpt), seen.near[7].whole, "it is short");
        assert!(look(&model, None).read("o", &[]).near.is_empty());
    }

    #[test]
    fn what_was_read_is_read_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let (model, all) = (Slow::new(0, None), readings(6));
        let first = look(&model, Some(folder.path())).read("o", &all);
        let again = Slow::new(0, None);
        let second = look(&again, Some(folder.path())).read("o", &all);
        assert_eq!(first.near, second.near);
        assert_eq!(
            again.read.load(Ordering::Relaxed),
            3,
            "the excerpts, which are of the question"
        );
        // Under the names that an index of the model looks for.
        let wanted = all.iter().map(|it| key(&model.fingerprint, &it.passage)).collect();
        let mut cache = Cache::new(folder.path().to_owned(), "slow-2", 2);
        assert_eq!(cache.vectors(&wanted).len(), 6);
    }

    #[test]
    fn the_time_is_kept_to_and_the_best_are_read_first() {
        let model = Slow::new(20, None);
        let budget = Some(Duration::from_millis(70));
        let many = readings(400);
        let seen = SecondLook { budget, ..look(&model, None) }.read("o", &many);
        assert!(seen.near.len() < 400, "{}", seen.near.len());
        // As many as were read without a gap, and of long ones the excerpt first.
        let all = look(&Slow::new(0, None), None).read("o", &many).near;
        for (at, (seen, all)) in seen.near.iter().zip(&all).enumerate() {
            assert_eq!(seen.excerpt, all.excerpt);
            assert_eq!(seen.whole, all.whole.filter(|_| at % 2 == 1));
        }
        let none = SecondLook { budget: Some(Duration::ZERO), ..look(&model, None) };
        assert!(none.read("o", &many).near.is_empty());
    }

    #[test]
    fn what_is_kept_needs_no_time() {
        let all = readings(4);
        let order = |known: &[usize]| -> Vec<(usize, bool)> {
            let tasks = tasks(&all, |at| !known.contains(at));
            tasks.iter().map(|task| (task.at, task.is_whole)).collect()
        };
        let (excerpt, whole) = (false, true);
        let both = [(0, excerpt), (1, whole), (2, excerpt), (3, whole), (0, whole), (2, whole)];
        assert_eq!(order(&[]), both);
        assert_eq!(order(&[0, 3]), [(0, excerpt), (1, whole), (2, excerpt), (2, whole)]);
        assert_eq!(order(&[0, 1, 2, 3]), [(0, excerpt), (2, excerpt)]);
    }

    #[test]
    fn a_model_that_fails_changes_nothing() {
        for bad in ["o", "3o"] {
            let model = Slow::new(0, Some(bad));
            let seen = look(&model, None).read("o", &readings(6));
            assert!(seen.near.is_empty());
            assert!(seen.failure.unwrap().to_string().contains("it is down"));
        }
    }

    #[test]
    fn meaning_is_seen_where_words_are_not() {
        let reading = |text: &str| Reading { passage: text.to_owned(), excerpt: None };
        let texts = [
            reading("The parser stops at the first error and names its line."),
            reading("To bring the service back after a crash, launch the daemon again."),
        ];
        let look = SecondLook { embedder: Bert::minilm(), vectors: None, budget: None };
        let seen = look.read("how do I restart the server", &texts).near;
        assert!(seen[1].excerpt > seen[0].excerpt + 0.2, "{seen:?}");
    }
}
