//! The knowledge of a repository's files as a library has it: describe a file, list what is
//! described, ask whether it still holds, search.
//!
//! The names are those of the reference design (an indexer that other programs share).

use jiff::Timestamp;

use super::{
    freshness::{Freshness, freshness},
    investigate::{InvestigationContext, describe},
    known::Known,
    record::Summary,
};
use elophanto_index::{
    Kind, Snapshot,
    search::{Filter, Hit, Request, SearchError, run::SearchContext, search},
};
use elophanto_models::llm::Ask;
use elophanto_repo::NotePath;

/// What became of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Indexed {
    pub success: bool,
    /// What is said of it, or why nothing is.
    pub summary: String,
    pub file_path: NotePath,
    pub indexed_at: Timestamp,
}

/// What a search of the knowledge found.
#[derive(Debug, Clone)]
pub struct Knowledge {
    pub file_path: NotePath,
    pub file_type: String,
    /// The chunk that answers.
    pub summary: String,
    pub score: f32,
}

/// What is described, and the means to describe more.
pub struct Library<'a> {
    pub context: &'a InvestigationContext<'a>,
    pub known: Known,
}

impl<'a> Library<'a> {
    /// Reads what is known.
    pub fn open(context: &'a InvestigationContext<'a>) -> Self {
        let now = super::run::at((context.now)());
        Self { context, known: Known::read(&context.record_store.journal, context.reach, now) }
    }

    /// Reads a file, makes its summary and writes that down. A file described as it is stays as it
    /// is described.
    ///
    /// # Errors
    /// When the summary cannot be written down. That a file cannot be described is no error: then
    /// `success` is false.
    pub fn summarize_and_index(
        &mut self,
        path: &NotePath,
        ask: Ask,
    ) -> Result<Indexed, super::ScanError> {
        if !self.is_stale(path)
            && let Some(known) = self.known.newest(path).and_then(|known| known.summary())
            && !known.summary_failed
        {
            return Ok(indexed(&known));
        }
        match describe(self.context, &self.known, path, ask) {
            Ok(summary) => {
                let record_store = self.context.record_store;
                record_store
                    .write(record_store.place(self.context.reach.is_private(path)), &[&summary])?;
                let now = super::run::at((self.context.now)());
                self.known = Known::read(&record_store.journal, self.context.reach, now);
                Ok(indexed(&summary))
            }
            Err(reason) => Ok(Indexed {
                success: false,
                summary: reason.to_owned(),
                file_path: path.clone(),
                indexed_at: super::run::at((self.context.now)()),
            }),
        }
    }

    /// Paths of everything described, sorted.
    pub fn indexed_files(&self) -> Vec<&NotePath> {
        let mut paths: Vec<&NotePath> = self.known.described.keys().collect();
        paths.sort_unstable();
        paths
    }

    /// Whether a file is described, as it is or as it was.
    pub fn is_indexed(&self, path: &NotePath) -> bool {
        self.known.newest(path).is_some_and(|described| !described.failed)
    }

    /// Whether a file is described as it no longer is, or is gone.
    pub fn is_stale(&self, path: &NotePath) -> bool {
        self.known.newest(path).is_some_and(|described| {
            let InvestigationContext { reach, max_file_bytes, .. } = *self.context;
            freshness(reach, path, &described.blob, max_file_bytes) != Freshness::Fresh
        })
    }
}

/// The best `top_k` summaries for a question, of one type of file if one is named.
///
/// # Errors
/// As [`search`].
pub fn search_knowledge(
    snapshot: &Snapshot,
    request: &Request,
    tools: &SearchContext,
    top_k: usize,
    file_type: Option<&str>,
) -> Result<Vec<Knowledge>, SearchError> {
    let filter = Filter {
        kinds: vec![Kind::Summary],
        types: file_type.map(str::to_owned).into_iter().collect(),
        ..request.filter.clone()
    };
    let request = Request { filter, limit: top_k, ..request.clone() };
    let answer = search(snapshot, &request, tools)?;
    let knowledge = |hit: Hit| Knowledge {
        file_type: hit.file_type().to_owned(),
        file_path: hit.path,
        summary: hit.text,
        score: hit.score.total,
    };
    Ok(answer.hits.into_iter().map(knowledge).collect())
}

fn indexed(summary: &Summary) -> Indexed {
    Indexed {
        success: !summary.summary_failed,
        summary: summary.summary.clone(),
        file_path: summary.path(),
        indexed_at: summary.indexed_at,
    }
}
