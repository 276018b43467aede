//! `elophanto scan`: how a run and its answers are printed.

use crate::cli::{Result, Ui, escape_control_line, visible};
use crate::wire::{AnswerWire, EvidenceWire};
use elophanto_app::scan::Scanned;
use elophanto_base::counted::counted;
use elophanto_knowledge::scan::{LeftOut, Question, QuestionState, investigate::Found};

/// Prints an answer, as an evidence record if that is wanted.
pub fn answer(found: &Found, as_evidence: bool, ui: &mut Ui) -> Result<()> {
    let Found { question, summary } = found;
    let summary = summary.as_ref();
    let path = question.evidence.file_path.as_str();
    if as_evidence {
        let Some(summary) = summary.filter(|summary| !summary.summary_failed) else {
            return Ok(());
        };
        return ui.json(&EvidenceWire::of_file(path, summary));
    }
    let text = match (summary, &question.answer) {
        (Some(summary), _) if !summary.summary_failed => summary.summary.as_str(),
        (_, Some(answer)) => answer,
        _ => question.state.as_str(),
    };
    let shown = visible(text);
    let first = shown.lines().next().unwrap_or_default();
    let failed = if question.state == QuestionState::Failed { ", failed" } else { "" };
    let (path, kind) = (escape_control_line(path), question.gap.as_str());
    ui.emit(&AnswerWire::from(found), format_args!("{path}  ({kind}{failed})\n    {first}"))
}

/// Prints what a run came to; beside evidence records, which are all that stdout holds then, as talk.
pub fn summary(scanned: &Scanned, as_evidence: bool, ui: &mut Ui) -> Result<()> {
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
    let text = format!(
        "{}, {indexed} described, {asked} asked, {answered}{open} open{left}, {seconds:.2} seconds",
        counted(*files, "file")
    );
    if as_evidence {
        ui.talk(text);
        return Ok(());
    }
    ui.emit(scanned, text)
}

/// Says what is left out though there is most of it, and which setting takes it in.
pub fn left_out(scanned: &Scanned, ui: &Ui) {
    for LeftOut { ending, files } in scanned.left_out.iter().take(MOST_LEFT_OUT) {
        let ending = escape_control_line(ending);
        let files = counted(*files, &format!("`.{ending}` file"));
        ui.note(format_args!(
            "{files} left out, more than of any kind that is described: `scan.patterns.source` takes them in \
             with \"*.{ending}\", `scan.skip` leaves them out without a word"
        ));
    }
}

/// Kinds of files that are told to be left out.
const MOST_LEFT_OUT: usize = 3;

/// A question on one line.
pub fn question_line(question: &Question) -> String {
    let (id, priority) = (&question.id, question.priority.as_str());
    format!("{id}  {priority:6}  {}", escape_control_line(&question.question))
}
