//! Earlier tasks in the journal of this clone: written at the end of a run, found by the next one,
//! taken back by an undo.

use std::collections::{BTreeMap, btree_map::Entry};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ranking;
use crate::{Result, Workspace, learning::now};
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
    /// The heading of the note.
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
pub fn keep(workspace: &Workspace, run: &str, task: &Task) -> Result<()> {
    write(workspace, run, task, false)
}

/// Takes a task back; whether there was one that counted.
///
/// # Errors
/// When the journal cannot be written.
pub fn take_back(workspace: &Workspace, run: &str) -> Result<bool> {
    set(workspace, run, false)
}

/// Has a task count again that was taken back; whether there was one.
///
/// # Errors
/// When the journal cannot be written.
pub(crate) fn bring_back(workspace: &Workspace, run: &str) -> Result<bool> {
    set(workspace, run, true)
}

fn set(workspace: &Workspace, run: &str, counts: bool) -> Result<bool> {
    match written(workspace).remove(run) {
        Some(one) if one.counts != counts => {
            write(workspace, run, &one.task, !counts)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Runs whose task counts and whose ids begin with this.
pub fn named(workspace: &Workspace, beginning: &str) -> Vec<String> {
    let beginning = beginning.to_uppercase();
    let is_one = |(run, one): &(String, Written)| one.counts && run.starts_with(&beginning);
    written(workspace).into_iter().filter(is_one).map(|(run, _)| run).collect()
}

fn write(workspace: &Workspace, run: &str, task: &Task, retired: bool) -> Result<()> {
    let draft = Draft { kind: TASK, id: run, at: now(), retired, body: task };
    Ok(record_store(workspace).write(Place::Local, &[draft])?)
}

/// What was written down of a run's task last.
struct Written {
    at: Timestamp,
    task: Task,
    /// It was not taken back.
    counts: bool,
}

/// The task of each run. This clone alone writes them, so that the last word counts.
fn written(workspace: &Workspace) -> BTreeMap<String, Written> {
    let records = record_store(workspace).journal.read(&[TASK]).records;
    let mut written: BTreeMap<String, Written> = BTreeMap::new();
    for record in records.iter().filter(|record| record.place == Place::Local) {
        let Ok(task) = record.parse() else { continue };
        let one = Written { at: record.at, task, counts: !record.retired };
        match written.entry(record.id.clone()) {
            Entry::Vacant(free) => drop(free.insert(one)),
            // Of two of one moment the one that was read later.
            Entry::Occupied(mut taken) if one.at >= taken.get().at => drop(taken.insert(one)),
            Entry::Occupied(_) => {}
        }
    }
    written
}

/// All tasks that still count, by their runs.
fn of(workspace: &Workspace) -> BTreeMap<String, (Timestamp, Task)> {
    let counting = written(workspace).into_iter().filter(|(_, one)| one.counts);
    counting.map(|(run, one)| (run, (one.at, one.task))).collect()
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
