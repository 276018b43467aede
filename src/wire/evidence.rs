//! Evidence, as other programs take it; and files that are described, with what was asked of them.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use elophanto_index::search::Hit;
use elophanto_knowledge::scan::{
    GapKind, QuestionState, Summary, freshness::Freshness, investigate::Found,
};

/// Evidence in the form of the reference design.
#[derive(Serialize, JsonSchema)]
pub struct EvidenceWire<C, M> {
    source: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    content: C,
    metadata: M,
    /// How sure a reader may be that it bears on the question.
    confidence: f64,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
pub struct FoundContent<'a> {
    summaries: Vec<&'a str>,
    file_paths: Vec<String>,
}

/// What was asked.
#[derive(Serialize, JsonSchema)]
pub struct QueryMetadata<'a> {
    query: &'a str,
    result_count: usize,
}

/// Which file it is of.
#[derive(Serialize, JsonSchema)]
pub struct FileMetadata<'a> {
    file_path: &'a str,
    indexed_at: String,
}

impl<'a> EvidenceWire<FoundContent<'a>, QueryMetadata<'a>> {
    /// Of what was found.
    pub fn of_hits(query: &'a str, hits: &'a [Hit]) -> Self {
        let summaries = hits.iter().map(|hit| hit.text.trim()).collect();
        let file_paths = hits.iter().map(|hit| hit.path.to_text()).collect();
        Self {
            source: "documentation",
            kind: "indexed_knowledge",
            content: FoundContent { summaries, file_paths },
            metadata: QueryMetadata { query, result_count: hits.len() },
            confidence: 0.8,
        }
    }
}

impl<'a> EvidenceWire<&'a str, FileMetadata<'a>> {
    /// Of what a file was found to hold.
    pub fn of_file(file_path: &'a str, summary: &'a Summary) -> Self {
        Self {
            source: "documentation",
            kind: "knowledge_indexed",
            content: &summary.summary,
            metadata: FileMetadata { file_path, indexed_at: summary.indexed_at.to_string() },
            confidence: 0.9,
        }
    }
}

/// A question and what came of it.
#[derive(Serialize, JsonSchema)]
pub struct AnswerWire<'a> {
    id: &'a str,
    kind: GapKind,
    question: &'a str,
    state: QuestionState,
    file_path: &'a str,
    /// Only for a path that is not UTF-8: its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<&'a [u8]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    indexed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
}

impl<'a> From<&'a Found> for AnswerWire<'a> {
    fn from(Found { question, summary }: &'a Found) -> Self {
        let (evidence, summary) = (&question.evidence, summary.as_ref());
        Self {
            id: &question.id,
            kind: question.gap,
            question: &question.question,
            state: question.state,
            file_path: &evidence.file_path,
            path_bytes: evidence.path_bytes.as_deref(),
            file_type: evidence.file_type.as_deref(),
            summary: summary.map(|summary| summary.summary.as_str()),
            model: summary.map(|summary| summary.model.as_str()),
            indexed_at: summary.map(|summary| summary.indexed_at),
            answer: question.answer.as_deref(),
        }
    }
}

/// A described file.
#[derive(Serialize, JsonSchema)]
pub struct IndexedWire<'a> {
    file_path: &'a str,
    /// Only for a path that is not UTF-8: its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<&'a [u8]>,
    file_type: &'a str,
    #[schemars(with = "String")]
    indexed_at: Timestamp,
    model: &'a str,
    /// `fresh`, `stale` or `gone`.
    state: &'static str,
    summary_failed: bool,
    summary: &'a str,
}

impl<'a> IndexedWire<'a> {
    pub fn of(summary: &'a Summary, freshness: Freshness) -> Self {
        Self {
            file_path: &summary.file_path,
            path_bytes: summary.path_bytes.as_deref(),
            file_type: &summary.file_type,
            indexed_at: summary.indexed_at,
            model: &summary.model,
            state: freshness.name(),
            summary_failed: summary.summary_failed,
            summary: &summary.summary,
        }
    }
}
