//! `elophanto scan --list`, `--show`, `--dismiss` and `--indexed`: what is asked and known.

use super::output::question_line;
use crate::cli::{CliError, Outcome, Result, Ui, Workspace, escape_control_line, visible};
use crate::wire::IndexedWire;
use elophanto_app::questions::{self, Listed, find, known, warn};
use elophanto_knowledge::scan::QuestionState;

pub fn list(workspace: &Workspace, state: Option<QuestionState>, ui: &mut Ui) -> Result<Outcome> {
    let known = known(workspace)?;
    warn(&known, ui);
    let questions = questions::list(&known, state);
    for question in &questions {
        ui.emit(&Listed::from(*question), question_line(question))?;
    }
    let nothing = match state {
        None => "no question waits for an answer: `elophanto scan` looks for some",
        Some(_) => "no such question",
    };
    Ok(ui.listed(questions.is_empty(), nothing))
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
    ui.done(&Listed::from(question), lines.join("\n"))
}

pub fn dismiss(workspace: &Workspace, id: &str, ui: &mut Ui) -> Result<Outcome> {
    let known = known(workspace)?;
    let Some(question) = find(&known, id)? else {
        return Err(CliError::unknown("question", id, "scan --list"));
    };
    let dismissed = questions::dismiss(workspace, question)?;
    ui.done(&Listed::from(&dismissed), format_args!("dismissed {}", dismissed.id))
}

pub fn indexed(workspace: &Workspace, ui: &mut Ui) -> Result<Outcome> {
    let known = known(workspace)?;
    warn(&known, ui);
    let mut outcome = Outcome::Negative;
    for (summary, freshness) in questions::described(workspace, &known) {
        outcome = Outcome::Done;
        let failed = if summary.summary_failed { ", failed" } else { "" };
        let (path, kind) = (escape_control_line(&summary.file_path), &summary.file_type);
        ui.emit(
            &IndexedWire::of(&summary, freshness),
            format_args!("{path}  ({kind}, {freshness}{failed})"),
        )?;
    }
    if outcome == Outcome::Negative {
        ui.talk("no file is described yet: `elophanto scan --investigate` describes some");
    }
    Ok(outcome)
}
