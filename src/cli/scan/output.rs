//! `elophanto scan`: how a run and its answers are printed.

use jiff::Timestamp;
use serde::Serialize;

use super::super::{
    error::Result,
    ui::{Ui, escape_control_line, visible},
};
use elophanto_app::scan::Scanned;
use elophanto_base::counted::counted;
use elophanto_knowledge::scan::{GapKind, Question, QuestionState, investigate::Found};

/// What a file was found to hold, as other programs take it.
#[derive(Serialize)]
struct EvidenceWire<'a> {
    source: &'static str,
    #[serde(rename = "type")]
    evidence_type: &'static str,
    content: &'a str,
    metadata: MetadataWire<'a>,
    confidence: f32,
}

#[derive(Serialize)]
struct MetadataWire<'a> {
    file_path: &'a str,
    indexed_at: Timestamp,
}

/// An answer, as `--json` prints it.
#[derive(Serialize)]
struct AnswerWire<'a> {
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
    indexed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
}

/// Prints an answer, as an evidence record if that is wanted.
pub fn answer(found: &Found, as_evidence: bool, ui: &mut Ui) -> Result<()> {
    let Found { question, summary } = found;
    let summary = summary.as_ref();
    let path = question.evidence.file_path.as_str();
    if as_evidence {
        let Some(summary) = summary.filter(|summary| !summary.summary_failed) else {
            return Ok(());
        };
        return ui.json(&EvidenceWire {
            source: "documentation",
            evidence_type: "knowledge_indexed",
            content: &summary.summary,
            metadata: MetadataWire { file_path: path, indexed_at: summary.indexed_at },
            confidence: 0.9,
        });
    }
    let wire = AnswerWire {
        id: &question.id,
        kind: question.gap,
        question: &question.question,
        state: question.state,
        file_path: path,
        path_bytes: question.evidence.path_bytes.as_deref(),
        file_type: question.evidence.file_type.as_deref(),
        summary: summary.map(|summary| summary.summary.as_str()),
        model: summary.map(|summary| summary.model.as_str()),
        indexed_at: summary.map(|summary| summary.indexed_at),
        answer: question.answer.as_deref(),
    };
    let text = match (summary, &question.answer) {
        (Some(summary), _) if !summary.summary_failed => summary.summary.as_str(),
        (_, Some(answer)) => answer,
        _ => question.state.as_str(),
    };
    let shown = visible(text);
    let first = shown.lines().next().unwrap_or_default();
    let failed = if question.state == QuestionState::Failed { ", failed" } else { "" };
    let (path, kind) = (escape_control_line(path), question.gap.as_str());
    ui.emit(&wire, format_args!("{path}  ({kind}{failed})\n    {first}"))
}

/// Prints what a run came to.
pub fn summary(scanned: &Scanned, ui: &mut Ui) -> Result<()> {
    if !ui.json {
        scanned.problems.iter().for_each(|problem| ui.warn(escape_control_line(problem)));
    }
    let Scanned { files, indexed, asked, open, seconds, .. } = scanned;
    let answered = match (scanned.answered, scanned.failed) {
        (0, 0) => String::new(),
        (answered, 0) => format!("{answered} answered, "),
        (answered, failed) => format!("{answered} answered, {failed} failed, "),
    };
    let left = match scanned.left {
        0 => String::new(),
        left => format!(" and {left} to be asked"),
    };
    ui.emit(
        scanned,
        format_args!(
            "{}, {indexed} described, {asked} asked, {answered}{open} open{left}, {seconds:.2} seconds",
            counted(*files, "file")
        ),
    )
}

/// A question on one line.
pub fn question_line(question: &Question) -> String {
    let (id, priority) = (&question.id, question.priority.as_str());
    format!("{id}  {priority:6}  {}", escape_control_line(&question.question))
}
