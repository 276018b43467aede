//! What is kept of a task: notes of the reference forms, a lesson, what the user said.

use std::{path::PathBuf, time::Duration};

use ulid::Ulid;

use super::tasks::{self, Task};
use crate::{
    Result, Workspace,
    config::TaskNotes,
    learning::{Learning, now},
    memory::{self, EventType, Memories},
    notes,
    reporter::Silent,
};
use elophanto_agent::{Outcome, TaskSummary};
use elophanto_knowledge::learn::{
    record::{MESSAGE, Message, Trigger},
    responses::Finding,
    run::{keep, queued},
};
use elophanto_repo::journal::Place;
use elophanto_text::authoring::{Draft, Kind, template};

/// Characters of a lesson that go into memory.
const MOST_LESSON: usize = 1_000;
/// Who remembers.
const AGENT: &str = "elophanto";

/// Writes down what became of a task, where the settings say; paths of the notes.
///
/// # Errors
/// When it cannot be written.
pub fn remember(workspace: &Workspace, summary: &TaskSummary) -> Result<Vec<PathBuf>> {
    let mut notes = notes_of(summary);
    for note in &mut notes {
        for (_, text) in &mut note.sections {
            *text = elophanto_base::secrets::mask(text).0.into_owned();
        }
    }
    let mut written = Vec::new();
    match workspace.config.agent.notes {
        TaskNotes::Knowledge => {
            for note in &notes {
                written.push(write(workspace, summary, note)?);
            }
        }
        TaskNotes::Journal => {
            let text = notes.iter().map(Note::text).collect::<Vec<_>>().join("\n");
            let title = elophanto_base::secrets::mask(&summary.title).0.into_owned();
            let asked = elophanto_base::secrets::mask(&summary.asked).0.into_owned();
            tasks::keep(workspace, &summary.run.to_string(), &Task { title, asked, text })?;
        }
        TaskNotes::None => {}
    }
    if let Some(lesson) = &summary.lesson {
        lesson_of(workspace, summary, lesson)?;
    }
    Ok(written)
}

/// Folders in which notes about tasks are written, relative to the root.
pub fn folders(workspace: &Workspace) -> Vec<PathBuf> {
    let config = &workspace.config;
    let below = |name: &str| config.knowledge.write_root.join("learned").join(name);
    match config.agent.notes {
        TaskNotes::Knowledge => ["tasks", "failures", "patterns"].map(below).into(),
        TaskNotes::Journal | TaskNotes::None => Vec::new(),
    }
}

/// A note of a reference form: its headings and what stands below each.
struct Note {
    kind: Kind,
    sections: Vec<(&'static str, String)>,
}

impl Note {
    fn new(kind: Kind, texts: Vec<String>) -> Self {
        Self { kind, sections: template(kind).iter().copied().zip(texts).collect() }
    }

    fn text(&self) -> String {
        let told = self.sections.iter().filter(|(_, text)| !text.trim().is_empty());
        told.map(|(heading, text)| format!("## {heading}\n\n{}\n", text.trim())).collect()
    }
}

/// What there is to write about a task.
fn notes_of(summary: &TaskSummary) -> Vec<Note> {
    let mut notes = vec![task(summary)];
    if matches!(summary.outcome, Outcome::Failed | Outcome::Nothing) {
        notes.push(failure(summary));
    }
    if let Some(text) = &summary.pattern {
        let seen = format!("In a task: {}", summary.title);
        let texts = vec![summary.title.clone(), text.clone(), String::new(), seen];
        notes.push(Note::new(Kind::Pattern, texts));
    }
    notes
}

/// Writes down that the user said something.
///
/// # Errors
/// When the journal cannot be written.
pub fn heard(workspace: &Workspace, message: &str) -> Result<()> {
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

/// Writes down that the agent searched the web by itself, and what it was shown: what it says of things
/// that are known is added to them when it is read, and nothing else comes of it.
///
/// # Errors
/// When the journal cannot be written.
pub fn searched(
    workspace: &Workspace,
    query: &str,
    found: &[Finding],
    took: Duration,
) -> Result<()> {
    let learning = Learning::open(workspace)?;
    let search = queued(query, Trigger::Enrichment, &learning.user, now());
    let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    keep(&learning.record_store, Place::Local, &search, found, took, now())?;
    Ok(())
}

fn task(summary: &TaskSummary) -> Note {
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
    Note::new(Kind::Task, vec![summary.asked.clone(), did, outcome, notes.join("\n\n")])
}

fn failure(summary: &TaskSummary) -> Note {
    let cause = summary.root_cause.as_deref().unwrap_or(&summary.outcome_text);
    let lesson = summary.lesson.as_deref().unwrap_or_default();
    let happened = format!("{}\n\n{}", summary.asked, summary.outcome_text);
    let attempts = match summary.failed_approaches.is_empty() {
        true => bullets(&summary.did),
        false => bullets(&summary.failed_approaches),
    };
    let texts = vec![happened, cause.to_owned(), lesson.to_owned(), attempts];
    Note::new(Kind::Failure, texts)
}

fn write(workspace: &Workspace, summary: &TaskSummary, note: &Note) -> Result<PathBuf> {
    let sections: Vec<(&str, &str)> =
        note.sections.iter().map(|(heading, text)| (*heading, text.as_str())).collect();
    let draft = Draft {
        kind: note.kind,
        title: &summary.title,
        sections: &sections,
        body: None,
        tags: None,
        path: None,
    };
    Ok(notes::write(workspace, &draft, None, &Silent)?.path)
}

fn lesson_of(workspace: &Workspace, summary: &TaskSummary, lesson: &str) -> Result<()> {
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
