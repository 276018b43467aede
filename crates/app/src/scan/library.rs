//! The knowledge of a repository's files as a library has it: describe a file, list what is
//! described, ask whether it still holds, search it.
//!
//! The names are those of the reference design (an indexer that other programs share).

use jiff::Timestamp;

use crate::{
    Reporter, Result, Workspace,
    search::{SearchRequest, search},
    workspace::now_nanoseconds,
};
use elophanto_index::{Kind, Snapshot, search::Hit};
use elophanto_knowledge::scan::{
    AnswerNotes, Known, Summary,
    freshness::{Freshness, freshness},
    investigate::{InvestigationContext, describe},
};
use elophanto_models::builtin::count_tokens;
pub use elophanto_models::llm::{Ask, Asked};
pub use elophanto_repo::NotePath;

/// What became of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Indexed {
    /// Whether the file is described now.
    pub success: bool,
    /// What is said of it, as Markdown, or why nothing is.
    pub summary: String,
    /// Relative to the root.
    pub file_path: NotePath,
    /// When that was said.
    pub indexed_at: Timestamp,
}

/// What a search of the knowledge found.
#[derive(Debug, Clone)]
pub struct Knowledge {
    /// The file that is described, relative to the root.
    pub file_path: NotePath,
    /// Name of its type, such as `rust_file`.
    pub file_type: String,
    /// The passage of its description that answers.
    pub summary: String,
    /// From 0 to about 1.
    pub score: f32,
}

/// What is described of a repository's files, and the means to describe more.
pub struct Library<'w> {
    workspace: &'w Workspace,
    known: Known,
}

impl<'w> Library<'w> {
    /// Reads what is known.
    pub fn open(workspace: &'w Workspace) -> Self {
        Self { workspace, known: known(workspace) }
    }

    /// Reads a file, makes its summary and writes that down: with the model that `ask` asks, or of
    /// the file's own words. A file that is described as it is stays as it is described.
    ///
    /// # Errors
    /// When the summary cannot be written down. That a file cannot be described is no error: then
    /// `success` is false.
    pub fn summarize_and_index(&mut self, path: &NotePath, ask: Ask) -> Result<Indexed> {
        if !self.is_stale(path)
            && let Some(known) = self.known.newest(path).and_then(|known| known.summary())
            && !known.summary_failed
        {
            return Ok(indexed(known));
        }
        let (record_store, reach) = (self.workspace.record_store(), self.workspace.reach());
        let context = InvestigationContext {
            record_store: &record_store,
            reach: &reach,
            max_file_bytes: self.workspace.config.knowledge.max_file_bytes,
            count_tokens: &count_tokens,
            notes: AnswerNotes { snapshot: &Snapshot::default(), git: None },
            now: &now_nanoseconds,
        };
        match describe(&context, &self.known, path, ask) {
            Ok(summary) => {
                record_store.write(record_store.place(reach.is_private(path)), &[&summary])?;
                self.known = known(self.workspace);
                Ok(indexed(summary))
            }
            Err(reason) => Ok(Indexed {
                success: false,
                summary: reason.to_owned(),
                file_path: path.clone(),
                indexed_at: Timestamp::now(),
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
        let most = self.workspace.config.knowledge.max_file_bytes;
        self.known.newest(path).is_some_and(|described| {
            freshness(&self.workspace.reach(), path, &described.blob, most) != Freshness::Fresh
        })
    }

    /// The best descriptions for a question, of one type of file if one is named: at most `top_k`, and
    /// no more than `search.limit`.
    ///
    /// # Errors
    /// As [`search`].
    pub fn search_knowledge(
        &self,
        question: &str,
        top_k: usize,
        file_type: Option<&str>,
        reporter: &dyn Reporter,
    ) -> Result<Vec<Knowledge>> {
        let request = SearchRequest {
            text: question.to_owned(),
            kinds: vec![Kind::Summary],
            types: file_type.map(str::to_owned).into_iter().collect(),
            most: Some(top_k),
            ..SearchRequest::default()
        };
        let knowledge = |hit: Hit| Knowledge {
            file_type: hit.file_type().to_owned(),
            file_path: hit.path,
            summary: hit.text,
            score: hit.score.total,
        };
        let hits = search(self.workspace, &request, reporter)?.answer.hits;
        Ok(hits.into_iter().map(knowledge).collect())
    }
}

fn known(workspace: &Workspace) -> Known {
    let journal = workspace.record_store().journal;
    Known::read(&journal, &workspace.reach(), Timestamp::now())
}

fn indexed(summary: Summary) -> Indexed {
    Indexed {
        success: !summary.summary_failed,
        file_path: summary.path(),
        indexed_at: summary.indexed_at,
        summary: summary.summary,
    }
}
