//! Earlier tasks in the journal of this clone: written at the end of a run, found by the next one,
//! taken back by an undo.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ranking;
use crate::{Error, Workspace, learning::now};
use elophanto_agent::Piece;
use elophanto_repo::{
    journal::{Draft, Place},
    record_store::RecordStore,
};

/// `kind` of a task in the journal; its id is that of the run.
const TASK: &str = "agent_task";
/// The newest tasks are looked through, up to so many.
const MOST: usize = 300;

/// What is written down of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub title: String,
    /// What the user asked for.
    pub asked: String,
    /// All that a note would say of it, as Markdown.
    pub text: String,
}

fn record_store(workspace: &Workspace) -> RecordStore<'_> {
    workspace.record_store()
}

/// Writes a task down, for this clone alone.
///
/// # Errors
/// When the journal cannot be written.
pub fn keep(workspace: &Workspace, run: &str, task: &Task) -> Result<(), Error> {
    write(workspace, run, task, false)
}

/// Takes a task back; nothing happens where none was written down.
///
/// # Errors
/// When the journal cannot be written.
pub fn take_back(workspace: &Workspace, run: &str) -> Result<(), Error> {
    match of(workspace).remove(run) {
        Some((_, task)) => write(workspace, run, &task, true),
        None => Ok(()),
    }
}

fn write(workspace: &Workspace, run: &str, task: &Task, retired: bool) -> Result<(), Error> {
    let draft = Draft { kind: TASK, id: run, at: now(), retired, body: task };
    Ok(record_store(workspace).write(Place::Local, &[draft])?)
}

/// All tasks that still count, by their runs.
fn of(workspace: &Workspace) -> BTreeMap<String, (Timestamp, Task)> {
    let records = record_store(workspace).journal.read(&[TASK]).records;
    let local = || records.iter().filter(|record| record.place == Place::Local);
    let retired: BTreeSet<&str> =
        local().filter(|record| record.retired).map(|record| record.id.as_str()).collect();
    local()
        .filter(|record| !retired.contains(record.id.as_str()))
        .filter_map(|record| Some((record.id.clone(), (record.at, record.parse().ok()?))))
        .collect()
}

/// Earlier tasks that bear on a goal, best first, as quotes: a model wrote of them.
pub fn past(workspace: &Workspace, goal: &str, most: usize) -> Vec<Piece> {
    let mut tasks: Vec<(String, (Timestamp, Task))> = of(workspace).into_iter().collect();
    tasks.sort_by_key(|(_, (at, _))| std::cmp::Reverse(*at));
    tasks.truncate(MOST);
    let texts: Vec<String> =
        tasks.iter().map(|(_, (_, task))| format!("{}: {}", task.title, task.asked)).collect();
    let scores = ranking::rank(goal, &texts);
    let mut fitting: Vec<(f32, (String, Task))> = scores
        .into_iter()
        .zip(tasks.into_iter().map(|(run, (_, task))| (run, task)))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    // Of equal ones the newest.
    fitting.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let piece = |(_, (run, task)): (f32, (String, Task))| Piece {
        origin: format!("task of run {run}"),
        text: format!("# {}\n\n{}", task.title, task.text),
        is_untrusted: true,
    };
    fitting.into_iter().take(most).map(piece).collect()
}
