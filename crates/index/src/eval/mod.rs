//! Measuring retrieval: a corpus, questions and judgements in, quality and latency out.
//!
//! Owns reading the test set and the metrics. What is measured is the very search that users
//! run, over segments built in memory; every document is one chunk.

mod against;
mod compare;
mod history;
mod metrics;
mod set;
mod thresholds;

use std::time::{Duration, Instant};

use rayon::prelude::*;

pub use against::{AtLevel, Judged, Parted, parted};
pub use compare::{Paired, interval, paired};
pub use history::questions;
pub use metrics::{Quality, ndcg, recall, reciprocal_rank};
pub use set::{Question, SetError, TestSet};
pub use thresholds::{Thresholds, thresholds};

use crate::{
    Kind, Part, Snapshot, note,
    search::{Query, Request, SearchError, run::SearchContext},
    store::{
        bits::Bits,
        manifest::{FileEntry, Place},
        matrix::{Encoded, Matrix, encode_matrix},
        segment::{Attributes, ChunkRecord, DocumentRecord, Segment, SegmentBuilder},
        view::Loaded,
    },
};
use elophanto_base::lexical::Analyzer;
use elophanto_models::{EmbedError, Embedded, Embedder, Role, builtin::Builtin};
use elophanto_repo::{BlobId, FileStat, NotePath};
use elophanto_text::markdown::Scope;

/// Documents in one segment.
const SEGMENT_DOCUMENTS: usize = 4_000;
/// Ranks that count: Recall@20 looks deepest.
pub const DEPTH: usize = 20;

/// What one way of searching answers to a question.
#[derive(Debug, Clone)]
pub struct Answered {
    pub ndcg_at_10: f64,
    /// The documents found, best first, each with its grade.
    pub found: Vec<(String, f64)>,
}

/// Quality of one way of searching, and how long its queries took.
#[derive(Debug, Clone)]
pub struct Measured {
    pub quality: Quality,
    /// Question by question, in the order of the set.
    pub answers: Vec<Answered>,
    pub median: Duration,
    pub p95: Duration,
}

/// Why a set could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error(transparent)]
    Set(#[from] SetError),
    #[error(transparent)]
    Embed(#[from] EmbedError),
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// The documents of a set, ready to be searched.
pub struct Corpus {
    snapshot: Snapshot,
}

impl Corpus {
    /// The notes of a repository.
    pub fn of(snapshot: Snapshot) -> Self {
        Self { snapshot }
    }

    /// Embeds and inverts all documents.
    ///
    /// # Errors
    /// When the embedder fails.
    pub fn build(
        set: &TestSet,
        analyzer: &Analyzer,
        embedder: &dyn Embedder,
    ) -> Result<Self, EvalError> {
        let groups: Vec<_> = set.documents.chunks(SEGMENT_DOCUMENTS).enumerate().collect();
        let built: Vec<(Part, Vec<FileEntry>)> = groups
            .into_par_iter()
            .map(|(number, documents)| {
                let mut builder = SegmentBuilder::new(analyzer);
                let mut files = Vec::with_capacity(documents.len());
                let passages: Vec<String> = documents
                    .iter()
                    .map(|document| {
                        let title = (!document.title.is_empty()).then_some(document.title.as_str());
                        note::passage(title, &[], &document.text)
                    })
                    .collect();
                let texts: Vec<&str> = passages.iter().map(String::as_str).collect();
                let Embedded { vectors, failure } = embedder.embed(&texts, Role::Document);
                if let Some(failure) = failure {
                    return Err(failure.into());
                }
                let mut rows = Vec::with_capacity(documents.len());
                for (index, (document, vector)) in documents.iter().zip(vectors).enumerate() {
                    let blob = BlobId::of(document.text.as_bytes());
                    builder.add(
                        &DocumentRecord {
                            path: NotePath::from(document.id.as_str()),
                            blob,
                            title: document.title.clone(),
                            titled: !document.title.is_empty(),
                            scope: Scope::User,
                            tags: Vec::new(),
                            attributes: Attributes::Note { covers: Vec::new() },
                            created: None,
                            updated: None,
                            note: None,
                        },
                        &document.text,
                        &[ChunkRecord {
                            range: 0..document.text.len(),
                            lines: (1, 1),
                            breadcrumb: Vec::new(),
                            lesson: None,
                        }],
                    );
                    let key = note::key(embedder.fingerprint(), &passages[index]);
                    rows.push((key, vector.as_deref().map(Encoded::new)));
                    let (segment, document) = (number as u32, index as u32);
                    files.push(FileEntry {
                        path: NotePath::from(documents[index].id.as_str()),
                        stat: FileStat::default(),
                        recorded: 0,
                        blob,
                        place: Place::Document { segment, document },
                    });
                }
                let matrix =
                    encode_matrix(embedder.fingerprint().as_str(), embedder.dimension(), &rows);
                let damaged = |_| SearchError::Damaged;
                let loaded = Loaded {
                    name: number.to_string(),
                    segment: Segment::in_memory(builder.finish()).map_err(damaged)?,
                    matrix: Matrix::in_memory(matrix).map_err(damaged)?,
                };
                let live = Bits::new(loaded.segment.documents(), true);
                Ok((Part { loaded: loaded.into(), live, kind: Kind::Note }, files))
            })
            .collect::<Result<_, EvalError>>()?;
        let (parts, files): (Vec<_>, Vec<_>) = built.into_iter().unzip();
        let files = files.concat();
        Ok(Self { snapshot: Snapshot { parts, files, ..Snapshot::default() } })
    }

    /// Runs all questions and compares with the judgements.
    ///
    /// `request` makes the request for a query; its limit is [`DEPTH`].
    ///
    /// # Errors
    /// When the embedder fails.
    pub fn measure(
        &self,
        set: &TestSet,
        analyzer: &Analyzer,
        embedder: &dyn Embedder,
        request: impl for<'a> Fn(&'a Query) -> Request<'a>,
    ) -> Result<Measured, EvalError> {
        let tools = SearchContext { analyzer, embedder, sentence_embedder: &Builtin };
        let mut quality = Quality::default();
        let mut times = Vec::new();
        let mut answers = Vec::with_capacity(set.questions.len());
        for question in &set.questions {
            let start = Instant::now();
            let query = Query::plain(&question.text, analyzer);
            let answer = crate::search::search(&self.snapshot, &request(&query), &tools)?;
            times.push(start.elapsed());
            let ids = answer.hits.iter().map(|hit| hit.path.to_text());
            let found: Vec<(String, f64)> = ids
                .map(|id| {
                    let grade = question.relevant.get(&id).copied().unwrap_or(0.0);
                    (id, grade)
                })
                .collect();
            let grades: Vec<f64> = found.iter().map(|(_, grade)| *grade).collect();
            let ndcg_at_10 = quality.add(&grades, question.relevant.values().copied());
            answers.push(Answered { ndcg_at_10, found });
        }
        times.sort();
        let at = |share: f64| {
            let index = (times.len() as f64 * share) as usize;
            times.get(index.min(times.len().saturating_sub(1))).copied().unwrap_or_default()
        };
        Ok(Measured { quality: quality.mean(), answers, median: at(0.5), p95: at(0.95) })
    }
}
