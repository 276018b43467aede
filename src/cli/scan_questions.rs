//! `elophanto scan --list`, `--show`, `--dismiss` and `--indexed`: what is asked and known.

use jiff::Timestamp;
use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    scan_output::{QuestionWire, question_line},
    ui::{Ui, visible, visible_line},
    workspace::Workspace,
};
use elophanto_app::questions::{self, find, known, warn};
use elophanto_knowledge::{
    scan::sought::is_outside,
    scan::{
        Question, QuestionState,
        freshness::{Freshness, current},
        record::{DISMISSAL, Dismissal},
    },
};

/// A described file, as `--json` prints it.
#[derive(Serialize)]
struct IndexedWire<'a> {
    file_path: &'a str,
    /// Only for a path that is not UTF-8: its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<&'a [u8]>,
    file_type: &'a str,
    indexed_at: String,
    model: &'a str,
    /// `fresh`, `stale` or `gone`.
    state: &'static str,
    summary_failed: bool,
    summary: &'a str,
}

pub fn list(
    workspace: &Workspace,
    state: Option<QuestionState>,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    let known = known(workspace)?;
    warn(&known, ui);
    let questions = questions::list(&known, state);
    for question in &questions {
        ui.emit(&QuestionWire::of(question), question_line(question))?;
    }
    if questions.is_empty() {
        ui.talk("no such question");
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}

pub fn show(workspace: &Workspace, id: &str, ui: &mut Ui) -> Result<Outcome, CliError> {
    let known = known(workspace)?;
    let Some(question) = find(&known, id)? else { return unknown(id, ui) };
    let evidence = &question.evidence;
    let mut lines = vec![
        question_line(question),
        format!("  state       {}", question.state.as_str()),
        format!("  hypothesis  {}", visible_line(&question.hypothesis)),
        format!("  file        {}", visible_line(&evidence.file_path)),
    ];
    let mut add = |name: &str, value: &Option<String>| {
        if let Some(value) = value {
            lines.push(format!("  {name:10}  {}", visible_line(value)));
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
    ui.emit(&QuestionWire::of(question), lines.join("\n"))?;
    Ok(Outcome::Done)
}

pub fn dismiss(workspace: &Workspace, id: &str, ui: &mut Ui) -> Result<Outcome, CliError> {
    let known = known(workspace)?;
    let Some(question) = find(&known, id)? else { return unknown(id, ui) };
    let dismissed = question.moved(QuestionState::Dismissed, None, Timestamp::now());
    let desk = workspace.desk();
    let place = desk.place(is_outside(&question.evidence.path()));
    let dismissal = Dismissal {
        kind: DISMISSAL.to_owned(),
        id: question.id.clone(),
        at: dismissed.at,
        state: dismissed.state,
        blob: question.evidence.blob.clone(),
    };
    desk.write(place, &[&dismissal])?;
    ui.emit(&QuestionWire::of(&dismissed), format_args!("dismissed {}", dismissed.id))?;
    Ok(Outcome::Done)
}

pub fn indexed(workspace: &Workspace, ui: &mut Ui) -> Result<Outcome, CliError> {
    let known = known(workspace)?;
    warn(&known, ui);
    let root = &workspace.repository.root;
    let limit = workspace.config.knowledge.max_file_bytes;
    let mut paths: Vec<_> = known.described.keys().collect();
    paths.sort_unstable();
    let mut any = false;
    for path in paths {
        let found = current(&known, root, path, limit);
        let Some((summary, freshness)) =
            found.and_then(|(described, freshness)| Some((described.summary()?, freshness)))
        else {
            continue;
        };
        any = true;
        let state = match freshness {
            Freshness::Fresh => "fresh",
            Freshness::Stale => "stale",
            Freshness::Gone => "gone",
        };
        let wire = IndexedWire {
            file_path: &summary.file_path,
            path_bytes: summary.path_bytes.as_deref(),
            file_type: &summary.file_type,
            indexed_at: summary.indexed_at.to_string(),
            model: &summary.model,
            state,
            summary_failed: summary.summary_failed,
            summary: &summary.summary,
        };
        let failed = if summary.summary_failed { ", failed" } else { "" };
        let text = format!(
            "{}  ({}, {state}{failed})",
            visible_line(&summary.file_path),
            summary.file_type
        );
        ui.emit(&wire, text)?;
    }
    if !any {
        ui.talk("no file is described yet: `elophanto scan --investigate` describes some");
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}

fn unknown(id: &str, ui: &Ui) -> Result<Outcome, CliError> {
    ui.talk(format_args!("no question is called `{}`", visible_line(id)));
    ui.talk("hint: `elophanto scan --list` shows those that wait for an answer");
    Ok(Outcome::Negative)
}

/// What a question is about, in a few words.
pub fn head(question: &Question) -> String {
    let path = visible_line(&question.evidence.file_path);
    match question.state {
        QuestionState::Failed => format!("{path}  ({}, failed)", question.gap.as_str()),
        _ => format!("{path}  ({})", question.gap.as_str()),
    }
}
