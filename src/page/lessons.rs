//! What is done with lessons, and how it is taken back.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::acts::Done;
use elophanto_app::{
    Error, Result, Workspace,
    memory::{Correction, Draft, Memories},
    reporter::Silent,
};
use elophanto_knowledge::memory::Rate;

/// A lesson as it was.
#[derive(Debug, Deserialize)]
pub struct Lesson {
    kind: String,
    repo: String,
    agent: String,
    context: String,
    command: String,
    lesson: String,
    rate: String,
    tags: Vec<String>,
}

/// Takes a lesson back; it can be remembered again.
pub fn forget(workspace: &Workspace, id: &str) -> Result<Done> {
    let forgotten = Memories::open(workspace).forget(id, false, None, &Silent)?;
    let it = &forgotten.memory;
    let rate = it.success_rate.map(|rate| rate.to_string()).unwrap_or_default();
    let undo = json!({
        "act": "remember", "kind": it.event_type.as_str(), "repo": it.repo, "agent": it.agent_id,
        "context": it.context, "command": it.command, "lesson": it.lesson, "rate": rate,
        "tags": it.tags,
    });
    Ok(Done::said("Forgotten, here and in every clone.", Some(undo)))
}

/// Writes down again what was forgotten.
pub fn remember(workspace: &Workspace, it: &Lesson) -> Result<Done> {
    let draft = Draft {
        event_type: it.kind.parse().map_err(Error::new)?,
        context: it.context.clone(),
        command: it.command.clone(),
        lesson: it.lesson.clone(),
        success_rate: rate(&it.rate)?,
        tags: Some(it.tags.clone()),
        repo: it.repo.clone(),
        agent_id: it.agent.clone(),
        replaces: None,
    };
    let remembered = Memories::open(workspace).remember(draft, Timestamp::now())?;
    let undo = json!({ "act": "forget", "id": remembered.memory.id });
    Ok(Done::said("It is remembered again.", Some(undo)))
}

/// How often something worked, as people write it.
fn rate(text: &str) -> Result<Option<Rate>> {
    match text.trim() {
        "" => Ok(None),
        rate => Ok(Some(rate.parse().map_err(|cause| {
            Error::new(format_args!("how often it worked {cause}")).hint("write 3/4, or nothing")
        })?)),
    }
}

/// Writes down a lesson in the place of another.
pub fn correct(workspace: &Workspace, id: &str, texts: [&String; 4]) -> Result<Done> {
    let memories = Memories::open(workspace);
    let before = memories.records(&Silent).find(id)?.clone();
    let [context, command, lesson, rate] = texts;
    let correction = Correction {
        context: Some(context.clone()),
        command: Some(command.clone()),
        lesson: Some(lesson.clone()),
        success_rate: self::rate(rate)?,
        ..Correction::default()
    };
    let corrected = memories.correct(id, correction, None, &Silent)?;
    let undo = json!({
        "act": "correct", "id": corrected.memory.id, "context": before.context,
        "command": before.command, "lesson": before.lesson,
        "rate": before.success_rate.map(|rate| rate.to_string()).unwrap_or_default(),
    });
    let mut said = "Corrected.".to_owned();
    corrected.contradictions().for_each(|it| said.push_str(&format!(" It {it}.")));
    Ok(Done::said(said, Some(undo)))
}
