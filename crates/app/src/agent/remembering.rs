//! What is kept of a task: notes of the reference forms, a lesson, what the user said.

use std::path::PathBuf;

use ulid::Ulid;

use crate::{
    Error, Workspace,
    learning::{Learning, now},
    memory::{self, EventType, Memories},
    notes,
    reporter::Silent,
};
use elophanto_agent::{Outcome, TaskSummary};
use elophanto_knowledge::learn::record::{MESSAGE, Message};
use elophanto_repo::journal::Place;
use elophanto_text::authoring::{Draft, Kind, template};

/// Characters of a lesson that go into memory.
const MOST_LESSON: usize = 1_000;
/// Who remembers.
const AGENT: &str = "elophanto";

/// Writes the notes about a task.
///
/// # Errors
/// When one cannot be written.
pub fn remember(workspace: &Workspace, summary: &TaskSummary) -> Result<Vec<PathBuf>, Error> {
    let mut written = vec![task(workspace, summary)?];
    if summary.outcome == Outcome::Failed {
        written.push(failure(workspace, summary)?);
    }
    if let Some(text) = &summary.pattern {
        written.push(pattern(workspace, summary, text)?);
    }
    if let Some(lesson) = &summary.lesson {
        lesson_of(workspace, summary, lesson)?;
    }
    Ok(written)
}

/// Writes down that the user said something.
///
/// # Errors
/// When the journal cannot be written.
pub fn heard(workspace: &Workspace, message: &str) -> Result<(), Error> {
    let learning = Learning::open(workspace)?;
    let (text, _) = elophanto_base::secrets::mask(message);
    let record = Message {
        kind: MESSAGE.to_owned(),
        id: Ulid::new().to_string(),
        at: now(),
        user: learning.user.clone(),
        text: text.into_owned(),
    };
    Ok(learning.record_store.write(Place::Local, &[&record])?)
}

fn task(workspace: &Workspace, summary: &TaskSummary) -> Result<PathBuf, Error> {
    let mut notes = Vec::new();
    if !summary.touched.is_empty() {
        let paths = summary.touched.iter().map(|path| format!("- `{}`", path.display()));
        notes.push(format!("Files touched:\n\n{}", paths.collect::<Vec<_>>().join("\n")));
    }
    if !summary.commits.is_empty() {
        let commits = summary.commits.iter().map(|commit| format!("- {commit}"));
        notes.push(format!("Commits:\n\n{}", commits.collect::<Vec<_>>().join("\n")));
    }
    if let Some(lesson) = &summary.lesson {
        notes.push(format!("Lesson: {lesson}"));
    }
    if summary.is_tainted {
        notes.push("Text from outside was part of the conversation.".to_owned());
    }
    notes.push(format!("Run: {}", summary.run));
    let did = bullets(&summary.did);
    let outcome = format!("{}: {}", summary.outcome.name(), summary.outcome_text);
    write(workspace, Kind::Task, summary, &[&summary.asked, &did, &outcome, &notes.join("\n\n")])
}

fn failure(workspace: &Workspace, summary: &TaskSummary) -> Result<PathBuf, Error> {
    let cause = summary.root_cause.as_deref().unwrap_or(&summary.outcome_text);
    let lesson = summary.lesson.as_deref().unwrap_or_default();
    let happened = format!("{}\n\n{}", summary.asked, summary.outcome_text);
    let attempts = match summary.failed_approaches.is_empty() {
        true => bullets(&summary.did),
        false => bullets(&summary.failed_approaches),
    };
    write(workspace, Kind::Failure, summary, &[&happened, cause, lesson, &attempts])
}

fn pattern(workspace: &Workspace, summary: &TaskSummary, text: &str) -> Result<PathBuf, Error> {
    let seen = format!("In a task: {}", summary.title);
    write(workspace, Kind::Pattern, summary, &[&summary.title, text, "", &seen])
}

/// A note of a kind, its headings filled in their order.
fn write(
    workspace: &Workspace,
    kind: Kind,
    summary: &TaskSummary,
    texts: &[&str],
) -> Result<PathBuf, Error> {
    let masked: Vec<String> =
        texts.iter().map(|text| elophanto_base::secrets::mask(text).0.into_owned()).collect();
    let headings = template(kind).iter().copied();
    let sections: Vec<(&str, &str)> = headings.zip(masked.iter().map(String::as_str)).collect();
    let draft = Draft {
        kind,
        title: &summary.title,
        sections: &sections,
        body: None,
        tags: &[],
        path: None,
    };
    Ok(notes::write(workspace, &draft, None, &Silent)?.path)
}

fn lesson_of(workspace: &Workspace, summary: &TaskSummary, lesson: &str) -> Result<(), Error> {
    let memories = Memories::open(workspace);
    let is_done = summary.outcome == Outcome::Done;
    let draft = memory::Draft {
        event_type: if is_done { EventType::Success } else { EventType::Error },
        context: summary.title.clone(),
        command: String::new(),
        lesson: lesson.chars().take(MOST_LESSON).collect(),
        success_rate: None,
        tags: None,
        repo: memories.own.clone(),
        agent_id: AGENT.to_owned(),
        replaces: None,
    };
    memories.remember(draft, now()).map(drop)
}

fn bullets(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}\n")).collect()
}
