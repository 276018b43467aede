//! How questions are printed.

use serde::Serialize;

use super::ui::visible_line;
use elophanto_knowledge::scan::{Question, record::Evidence};

/// A question, as `--json` prints it.
#[derive(Serialize)]
pub struct QuestionWire<'a> {
    id: &'a str,
    kind: &'a str,
    question: &'a str,
    hypothesis: &'a str,
    evidence: &'a Evidence,
    priority: &'a str,
    autonomy: u8,
    value: f32,
    cost: u64,
    state: &'a str,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
}

impl<'a> QuestionWire<'a> {
    pub fn of(question: &'a Question) -> Self {
        Self {
            id: &question.id,
            kind: question.gap.as_str(),
            question: &question.question,
            hypothesis: &question.hypothesis,
            evidence: &question.evidence,
            priority: question.priority.as_str(),
            autonomy: question.autonomy,
            value: question.value,
            cost: question.cost,
            state: question.state.as_str(),
            at: question.at.to_string(),
            answer: question.answer.as_deref(),
        }
    }
}

/// A question on one line.
pub fn question_line(question: &Question) -> String {
    format!(
        "{}  {:6}  {}",
        question.id,
        question.priority.as_str(),
        visible_line(&question.question)
    )
}
