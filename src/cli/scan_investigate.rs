//! `elophanto scan --investigate`: answering questions.

use serde::Serialize;

use super::{
    error::CliError,
    scan_questions,
    ui::{Progress, Ui, visible, visible_line},
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_app::llm::asker::{Asker, Purpose, Reach};
use elophanto_app::{
    index::embed,
    questions::{find, in_order},
};
use elophanto_index::Options;
use elophanto_knowledge::scan::{
    AnswerNotes, Known, Question, QuestionState, documents,
    investigate::{Bench, Found, claim, investigate},
};
use elophanto_models::{Pace, builtin::count_tokens};
use elophanto_repo::Git;

/// What is wanted.
pub struct Wish<'a> {
    /// Questions by id; the most valuable ones if empty.
    pub ids: &'a [String],
    /// All that are open.
    pub all: bool,
    pub yes: bool,
    pub evidence: bool,
}

/// What came of it.
#[derive(Default)]
pub struct Done {
    pub answered: usize,
    pub failed: usize,
    pub calls: usize,
    pub stopped: bool,
}

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
    indexed_at: String,
}

/// An answer, as `--json` prints it.
#[derive(Serialize)]
struct AnswerWire<'a> {
    id: &'a str,
    kind: &'a str,
    question: &'a str,
    state: &'a str,
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
    indexed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
}

/// Answers questions and prints the answers.
pub fn run(workspace: &Workspace, wish: &Wish, ui: &mut Ui) -> Result<Done, CliError> {
    let desk = workspace.desk();
    let Some(_claim) = claim(&desk)? else {
        ui.talk("another process is investigating here; nothing was done");
        return Ok(Done { stopped: true, ..Done::default() });
    };
    // The claim is ours: what others left behind is open.
    let mut known = Known::read(&desk.journal, jiff::Timestamp::now());
    known.reopen();
    let chosen = choose(workspace, &known, wish)?;
    if chosen.is_empty() {
        return Ok(Done::default());
    }
    let options = Options { full: false, patience: None, progress: &|_, _| {} };
    let notes = workspace.refresh_pages(options)?;
    let git = Git::of(&workspace.repository);
    let talk = Ui::new(ui.json, true);
    let mut model = Asker::open(workspace, Purpose::DESCRIBE, Reach::Agreed, wish.yes, &talk)?;
    let bench = Bench {
        desk: &desk,
        root: &workspace.repository.root,
        max_file_bytes: workspace.config.knowledge.max_file_bytes,
        count_tokens: &count_tokens,
        notes: AnswerNotes { snapshot: &notes.snapshot, git: git.as_ref() },
        now: &now_nanoseconds,
    };
    let progress = Progress::new();
    let is_there = model.is_there();
    let mut ask = |prompt: &str| model.ask(prompt);
    let outcome = investigate(
        &bench,
        &known,
        &chosen,
        if is_there { Some(&mut ask) } else { None },
        &|done, all| progress.update(done, all),
    )?;
    progress.finish();
    if outcome.found.iter().any(|found| found.summary.is_some()) {
        // Cut, embedded and inverted now, so that no search has to wait for it.
        let again = || Ok(documents::refresh(&workspace.context(), &desk, options));
        let made = again()?;
        // What a model elsewhere is to embed waits for `index`, which asks first.
        if workspace.context().embedder.pace() == Pace::Slow {
            embed::complete(workspace, made, false, &again, ui)?;
        }
    }
    let mut done = Done { calls: outcome.calls, ..Done::default() };
    for found in &outcome.found {
        match found.question.state {
            QuestionState::Failed => done.failed += 1,
            _ => done.answered += 1,
        }
        print(found, wish, ui)?;
    }
    if let Some(reason) = &outcome.stopped {
        let left = chosen.len() - outcome.found.len();
        ui.note(format_args!("{left} questions stay open: {reason}"));
        done.stopped = true;
    }
    Ok(done)
}

/// Which questions are to be answered.
fn choose(workspace: &Workspace, known: &Known, wish: &Wish) -> Result<Vec<Question>, CliError> {
    if !wish.ids.is_empty() {
        let mut chosen = Vec::new();
        for id in wish.ids {
            match find(known, id)? {
                Some(question) => chosen.push(question.clone()),
                None => {
                    return Err(CliError::new(format_args!(
                        "no question is called `{}`",
                        visible_line(id)
                    ))
                    .hint("`elophanto scan --list` shows those that wait for an answer"));
                }
            }
        }
        return Ok(chosen);
    }
    let waiting = known.questions.values().filter(|question| question.state.is_waiting());
    let mut open: Vec<&Question> = waiting.collect();
    in_order(&mut open);
    if !wish.all {
        open.truncate(workspace.config.scan.max_questions);
    }
    Ok(open.into_iter().cloned().collect())
}

fn print(found: &Found, wish: &Wish, ui: &mut Ui) -> Result<(), CliError> {
    let Found { question, summary } = found;
    let path = question.evidence.file_path.as_str();
    if wish.evidence {
        let Some(summary) = summary.as_ref().filter(|summary| !summary.summary_failed) else {
            return Ok(());
        };
        return ui.json(&EvidenceWire {
            source: "documentation",
            evidence_type: "knowledge_indexed",
            content: &summary.summary,
            metadata: MetadataWire { file_path: path, indexed_at: summary.indexed_at.to_string() },
            confidence: 0.9,
        });
    }
    let wire = AnswerWire {
        id: &question.id,
        kind: question.gap.as_str(),
        question: &question.question,
        state: question.state.as_str(),
        file_path: path,
        path_bytes: question.evidence.path_bytes.as_deref(),
        file_type: question.evidence.file_type.as_deref(),
        summary: summary.as_ref().map(|summary| summary.summary.as_str()),
        model: summary.as_ref().map(|summary| summary.model.as_str()),
        indexed_at: summary.as_ref().map(|summary| summary.indexed_at.to_string()),
        answer: question.answer.as_deref(),
    };
    let text = match (summary, &question.answer) {
        (Some(summary), _) if !summary.summary_failed => summary.summary.as_str(),
        (_, Some(answer)) => answer,
        _ => question.state.as_str(),
    };
    let shown = visible(text);
    let first = shown.lines().next().unwrap_or_default();
    ui.emit(&wire, format_args!("{}\n    {first}", scan_questions::head(question)))
}
