//! `elophanto scan --list`, `--show`, `--dismiss` and `--indexed`: what is asked and known.

use jiff::Timestamp;
use serde::Serialize;

use super::{
    super::{
        Outcome,
        error::{CliError, Result},
        ui::{Ui, escape_control_line, visible},
        workspace::Workspace,
    },
    output::question_line,
};
use elophanto_app::questions::{self, Listed, find, known, warn};
use elophanto_knowledge::scan::{QuestionState, freshness::Freshness};

/// A described file, as `--json` prints it.
#[derive(Serialize)]
struct IndexedWire<'a> {
    file_path: &'a str,
    /// Only for a path that is not UTF-8: its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<&'a [u8]>,
    file_type: &'a str,
    indexed_at: Timestamp,
    model: &'a str,
    /// `fresh`, `stale` or `gone`.
    state: &'static str,
    summary_failed: bool,
    summary: &'a str,
}

pub fn list(workspace: &Workspace, state: Option<QuestionState>, ui: &mut Ui) -> Result<Outcome> {
    let known = known(workspace)?;
    warn(&known, ui);
    let questions = questions::list(&known, state);
    for question in &questions {
        ui.emit(&Listed::from(*question), question_line(question))?;
    }
    if questions.is_empty() {
        return Ok(ui.nothing(match state {
            None => "no question waits for an answer: `elophanto scan` looks for some",
            Some(_) => "no such question",
        }));
    }
    Ok(Outcome::Done)
}

pub fn show(workspace: &Workspace, id: &str, ui: &mut Ui) -> Result<Outcome> {
    let known = known(workspace)?;
    let Some(question) = find(&known, id)? else {
        return Err(CliError::unknown("question", id, "scan --list"));
    };
    let evidence = &question.evidence;
    let mut lines = vec![
        question_line(question),
        format!("  state       {}", question.state.as_str()),
        format!("  hypothesis  {}", escape_control_line(&question.hypothesis)),
        format!("  file        {}", escape_control_line(&evidence.file_path)),
    ];
    let mut add = |name: &str, value: &Option<String>| {
        if let Some(value) = value {
            lines.push(format!("  {name:10}  {}", escape_control_line(value)));
        }
    };
    add("type", &evidence.file_type);
    add("blob", &evidence.blob);
    add("commit", &evidence.last_commit);
    add("other", &evidence.other);
    add("line", &evidence.line.map(|line| line.to_string()));
    lines.push(format!("  value       {:.2}, about {} tokens", question.value, question.cost));
    if let Some(answer) = &question.answer {
        lines.push(format!("  answer      {}", visible(answer)));
    }
    if let Some(summary) = known.newest(&evidence.path()).and_then(|known| known.summary()) {
        lines.push(String::new());
        lines.push(visible(&summary.summary));
    }
    ui.emit(&Listed::from(question), lines.join("\n"))?;
    Ok(Outcome::Done)
}

pub fn dismiss(workspace: &Workspace, id: &str, ui: &mut Ui) -> Result<Outcome> {
    let known = known(workspace)?;
    let Some(question) = find(&known, id)? else {
        return Err(CliError::unknown("question", id, "scan --list"));
    };
    let dismissed = questions::dismiss(workspace, question)?;
    ui.emit(&Listed::from(&dismissed), format_args!("dismissed {}", dismissed.id))?;
    Ok(Outcome::Done)
}

pub fn indexed(workspace: &Workspace, ui: &mut Ui) -> Result<Outcome> {
    let known = known(workspace)?;
    warn(&known, ui);
    let mut outcome = Outcome::Negative;
    for (summary, freshness) in questions::described(workspace, &known) {
        outcome = Outcome::Done;
        let state = match freshness {
            Freshness::Fresh => "fresh",
            Freshness::Stale => "stale",
            Freshness::Gone => "gone",
        };
        let wire = IndexedWire {
            file_path: &summary.file_path,
            path_bytes: summary.path_bytes.as_deref(),
            file_type: &summary.file_type,
            indexed_at: summary.indexed_at,
            model: &summary.model,
            state,
            summary_failed: summary.summary_failed,
            summary: &summary.summary,
        };
        let failed = if summary.summary_failed { ", failed" } else { "" };
        let (path, kind) = (escape_control_line(&summary.file_path), &summary.file_type);
        ui.emit(&wire, format_args!("{path}  ({kind}, {state}{failed})"))?;
    }
    if outcome == Outcome::Negative {
        ui.talk("no file is described yet: `elophanto scan --investigate` describes some");
    }
    Ok(outcome)
}
