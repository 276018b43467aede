//! The engine all remote embedders share: many texts through a service that takes a few at a time.
//!
//! Owns concurrency, what is asked again or in smaller parts, when to stop, and the counts. How a
//! request looks and how an answer is read is the [`Service`]'s.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

use futures::{StreamExt, stream};

use super::{
    super::{EmbedError, Embedded, Embedder, Fingerprint, Pace, Role},
    RemoteError, plan,
    prefixes::Prefixes,
    vector::normalised,
};
use elophanto_net::http::{Client, block_on};

/// Bytes of a text if nobody knows what the model takes.
const MAX_BYTES: usize = 64 << 10;

/// Batches that may fail, each after all its attempts, before the others are not even tried.
const FAILED_BATCHES: usize = 3;

/// How much is sent at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Texts of a batch.
    pub batch: usize,
    /// Tokens of a batch, estimated. A longer text makes a batch alone.
    pub batch_tokens: usize,
    /// Batches under way at once.
    pub concurrency: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { batch: 96, batch_tokens: 60_000, concurrency: 8 }
    }
}

/// What has been used since the embedder was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Batches sent, parts of batches included; each may take several attempts.
    pub calls: u64,
    /// Requests sent by the embedder's client and its clones.
    pub attempts: u64,
    /// Tokens as the server counts them; 0 if it doesn't.
    pub tokens: u64,
    /// Texts that were longer than the model takes, and cut.
    pub cut: u64,
}

/// A server of one model.
pub trait Service: Send + Sync {
    fn client(&self) -> &Client;

    /// One vector per text, in order, as the server gives them: any length, not normalised, `None`
    /// if it is missing.
    fn ask(&self, texts: &[&str]) -> impl Future<Output = Result<Answer, RemoteError>> + Send;
}

pub struct Answer {
    pub vectors: Vec<Option<Vec<f32>>>,
    pub tokens: u64,
}

/// Components of the vectors a service gives.
pub(super) fn native_dimension(service: &impl Service) -> Result<usize, RemoteError> {
    let answer = apart(|| block_on(service.ask(&["dimension"])))?;
    match answer.vectors.into_iter().next().flatten().and_then(normalised) {
        Some(vector) => Ok(vector.len()),
        None => Err(RemoteError::Shape { reason: "not for one word" }),
    }
}

/// A service with everything that is the same for all of them.
pub struct Engine<S> {
    pub(super) service: S,
    pub(super) fingerprint: Fingerprint,
    pub(super) dimension: usize,
    pub(super) prefixes: Option<&'static Prefixes>,
    /// Bytes of a text with its prefix.
    pub(super) max_bytes: Option<usize>,
    pub(super) limits: Limits,
    pub(super) counts: Counts,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    calls: AtomicU64,
    tokens: AtomicU64,
    cut: AtomicU64,
    /// The service has answered with vectors before, so a refusal is about texts.
    accepted: AtomicBool,
}

impl<S: Service> Engine<S> {
    /// What has been used so far.
    pub fn usage(&self) -> Usage {
        Usage {
            calls: self.counts.calls.load(Ordering::Relaxed),
            attempts: self.service.client().attempts(),
            tokens: self.counts.tokens.load(Ordering::Relaxed),
            cut: self.counts.cut.load(Ordering::Relaxed),
        }
    }
}

impl<S: Service> Embedder for Engine<S> {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn pace(&self) -> Pace {
        if self.service.client().is_local() { Pace::Slow } else { Pace::Remote }
    }

    fn embed(&self, texts: &[&str], role: Role) -> Embedded {
        let prefix = self.prefixes.map_or("", |prefixes| prefixes.of(role));
        let max_bytes = self.max_bytes.unwrap_or(MAX_BYTES);
        let mut vectors = vec![None; texts.len()];
        let mut wanted: Vec<(usize, Cow<'_, str>)> = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            if text.trim().is_empty() {
                // Servers refuse these, and they have no direction.
                vectors[index] = Some(vec![0.0; self.dimension]);
                continue;
            }
            let (text, cut) = plan::prepare(text, prefix, max_bytes);
            self.counts.cut.fetch_add(u64::from(cut), Ordering::Relaxed);
            wanted.push((index, text));
        }
        let (found, failure) = apart(|| block_on(self.all(&wanted)));
        for ((index, _), vector) in wanted.iter().zip(found) {
            vectors[*index] = vector;
        }
        let failure = failure
            .map(|cause| EmbedError { fingerprint: self.fingerprint.clone(), cause: cause.into() });
        Embedded { vectors, failure }
    }
}

impl<S: Service> Engine<S> {
    async fn all(
        &self,
        wanted: &[(usize, Cow<'_, str>)],
    ) -> (Vec<Option<Vec<f32>>>, Option<RemoteError>) {
        let texts: Vec<&str> = wanted.iter().map(|(_, text)| text.as_ref()).collect();
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let bytes = self.limits.batch_tokens.saturating_mul(plan::BYTES_PER_TOKEN);
        let round = Round { engine: self, state: State::default() };
        let batches = plan::batches(&lengths, self.limits.batch, bytes);
        let mut answers = stream::iter(batches)
            .map(|range| {
                let texts = &texts[range.clone()];
                let round = &round;
                async move { (range, round.batch(texts).await) }
            })
            .buffer_unordered(self.limits.concurrency.max(1));
        let mut vectors = vec![None; texts.len()];
        while let Some((range, found)) = answers.next().await {
            for (vector, found) in vectors[range].iter_mut().zip(found) {
                *vector = found;
            }
        }
        drop(answers);
        (vectors, round.state.failure())
    }
}

/// One call of `embed`.
struct Round<'a, S> {
    engine: &'a Engine<S>,
    state: State,
}

/// Part of a batch.
struct Part {
    /// Places in the batch.
    places: Vec<usize>,
    /// These were left out of an answer before.
    again: bool,
}

impl<S: Service> Round<'_, S> {
    /// The vectors of one batch, in as many requests as it takes.
    async fn batch(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        let mut vectors = vec![None; texts.len()];
        let mut parts = vec![Part { places: (0..texts.len()).collect(), again: false }];
        while let Some(Part { places, again }) = parts.pop() {
            if self.state.has_ended() {
                break;
            }
            let asked: Vec<&str> = places.iter().map(|&place| texts[place]).collect();
            match self.ask(&asked).await {
                Ok(found) => {
                    let mut missing = Vec::new();
                    for (place, vector) in places.into_iter().zip(found) {
                        match vector.and_then(normalised) {
                            Some(vector) => vectors[place] = Some(vector),
                            None => missing.push(place),
                        }
                    }
                    if again {
                        self.state.miss(missing.len());
                    } else {
                        parts.extend(halves(missing, true));
                    }
                }
                Err(error) if error.blames_texts() && places.len() > 1 => {
                    parts.extend(halves(places, again));
                }
                Err(error) if error.blames_texts() && self.is_accepting().await => {
                    self.state.note(error);
                }
                Err(error) if error.blames_texts() => self.state.end(error),
                Err(error) => {
                    self.state.fail(error);
                    break;
                }
            }
        }
        vectors
    }

    async fn ask(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, RemoteError> {
        let counts = &self.engine.counts;
        counts.calls.fetch_add(1, Ordering::Relaxed);
        let Answer { vectors, tokens } = self.engine.service.ask(texts).await?;
        counts.tokens.fetch_add(tokens, Ordering::Relaxed);
        let expected = self.engine.dimension;
        // Nothing of such an answer is believed.
        if let Some(odd) = vectors.iter().flatten().find(|vector| vector.len() != expected) {
            return Err(RemoteError::Dimension { expected, found: odd.len() });
        }
        if vectors.iter().any(Option::is_some) {
            counts.accepted.store(true, Ordering::Relaxed);
        }
        Ok(vectors)
    }

    /// Whether the service takes texts at all. Otherwise a model's name it doesn't know, say, would
    /// cost two requests for each text.
    async fn is_accepting(&self) -> bool {
        self.engine.counts.accepted.load(Ordering::Relaxed) || self.ask(&["text"]).await.is_ok()
    }
}

/// The first half last, where it is taken from first.
fn halves(mut places: Vec<usize>, again: bool) -> impl Iterator<Item = Part> {
    let second = places.split_off(places.len().div_ceil(2));
    [second, places]
        .into_iter()
        .filter(|places| !places.is_empty())
        .map(move |places| Part { places, again })
}

/// What has gone wrong in a round.
#[derive(Default)]
struct State {
    ended: RefCell<Option<RemoteError>>,
    first: RefCell<Option<RemoteError>>,
    failed: Cell<usize>,
    missing: Cell<usize>,
}

impl State {
    fn has_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }

    /// Some texts get no vector, the others do.
    fn note(&self, error: RemoteError) {
        self.first.borrow_mut().get_or_insert(error);
    }

    fn miss(&self, count: usize) {
        self.missing.set(self.missing.get() + count);
    }

    /// A batch failed.
    fn fail(&self, error: RemoteError) {
        self.failed.set(self.failed.get() + 1);
        if error.is_passing() && self.failed.get() < FAILED_BATCHES {
            self.note(error);
        } else {
            self.end(error);
        }
    }

    /// Nothing more is asked.
    fn end(&self, error: RemoteError) {
        self.ended.borrow_mut().get_or_insert(error);
    }

    fn failure(self) -> Option<RemoteError> {
        let missing = self.missing.get();
        let left_out = (missing > 0).then_some(RemoteError::Missing { missing });
        self.ended.into_inner().or(self.first.into_inner()).or(left_out)
    }
}

/// Runs `work` where waiting is allowed: on another thread if this one runs asynchronous code.
pub(super) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if tokio::runtime::Handle::try_current().is_err() {
        return work();
    }
    std::thread::scope(|scope| match scope.spawn(work).join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
