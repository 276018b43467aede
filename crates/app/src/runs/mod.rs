//! Runs of the agent, looked at afterwards: what was done, which conversations can go on, and what can
//! be taken back.

mod beside;
mod changes;
mod export;
mod new_file;
mod patch;
mod undo;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

pub use beside::{left_beside, unfinished};
pub use changes::{Change, changes};
pub use export::{export, export_to};
pub use new_file::{refuse_taken, write_new};
pub use patch::{Patch, patch};
pub use undo::{Left, OnBranch, UndoRequest, Undone, last_of, undo};

use crate::{Error, Result, Workspace, reporter::Reporter};
use elophanto_agent::{
    RunLine, Said, Session, Sessions, Spent, Trails, Which,
    checkpoint::{Checkpoints, Kept, Progress, is_undone},
    permissions::is_key,
};
use elophanto_base::counted::counted;
use elophanto_models::llm::Message;
use elophanto_repo::{Git, Repository};

/// The repository's git, and where its checkpoints are.
///
/// # Errors
/// When there is no git repository.
fn checkpoints_of(workspace: &Workspace) -> Result<(Git, PathBuf)> {
    let git = Git::of(&workspace.repository).ok_or_else(|| {
        Error::new("there is no git repository here, so there are no checkpoints")
    })?;
    Ok((git, workspace.repository.runs_dir()))
}

/// A run in a list; or an undo, which is a run too.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Listed {
    /// Its id.
    pub run: String,
    /// When it began.
    #[schemars(with = "String")]
    pub begun: Timestamp,
    /// What was asked for, on one line.
    pub goal: String,
    /// The work tree.
    pub root: String,
    /// The conversation that it was in.
    pub session: Option<String>,
    /// `None` while it goes on, or when it was cut off.
    pub outcome: Option<String>,
    /// Whether its process is still there.
    pub is_at_work: bool,
    /// Of an undo, what it took back: it can be taken back itself.
    pub undoes: Option<String>,
    /// Whether an undo took it back.
    pub is_undone: bool,
    /// Calls of tools that were made.
    pub calls: usize,
    /// Asked of the user, and not answered.
    pub open_questions: Vec<String>,
}

/// Runs, the newest first: in the work tree of a repository and undos of it, or all of this machine.
///
/// # Errors
/// When the trails cannot be read.
pub fn list(
    (trails, sessions): (&Trails, &Sessions),
    here: Option<&Repository>,
    all: bool,
    limit: usize,
    reporter: &dyn Reporter,
) -> Result<Vec<Listed>> {
    let root = here.filter(|_| !all).map(|here| here.root.as_path());
    let (lines, problems) = trails.list(root.map_or(Which::All, Which::Root), limit)?;
    let kept = here.map(checkpoints).unwrap_or_default();
    for problem in problems {
        reporter.warn(problem);
    }
    let mut listed: Vec<Listed> = lines.into_iter().map(|line| of_run(line, sessions)).collect();
    let is_here = |it: &&Kept| root.is_none_or(|root| it.is_in(root));
    listed.extend(kept.iter().filter(is_here).filter_map(of_undo));
    listed.sort_by(|one, two| two.run.cmp(&one.run));
    listed.truncate(limit);
    for row in &mut listed {
        row.is_undone = is_undone(&kept, &row.run);
    }
    Ok(listed)
}

fn of_run(line: RunLine, sessions: &Sessions) -> Listed {
    let is_busy = || line.session.is_some_and(|id| sessions.is_busy(id));
    Listed {
        run: line.run.to_string(),
        begun: line.begun,
        is_at_work: line.outcome.is_none() && is_busy(),
        goal: line.goal,
        root: line.root,
        session: line.session.map(|id| id.to_string()),
        outcome: line.outcome,
        calls: line.calls,
        open_questions: line.open_questions,
        ..Listed::default()
    }
}

fn of_undo(kept: &Kept) -> Option<Listed> {
    Some(Listed {
        run: kept.run.clone(),
        begun: kept.began,
        is_at_work: kept.progress == Progress::AtWork,
        undoes: Some(kept.undoes.clone()?),
        ..Listed::default()
    })
}

/// What could be taken back here, as far as it can be found out.
fn checkpoints(here: &Repository) -> Vec<Kept> {
    let Some(git) = Git::of(here) else { return Vec::new() };
    Checkpoints::new(&git, &here.runs_dir(), is_key).runs().unwrap_or_default()
}

/// Conversations that can go on, the one that was used last first: those in a work tree and those
/// that have none yet, or all.
///
/// # Errors
/// When they cannot be read.
pub fn conversations(
    sessions: &Sessions,
    root: Option<&Path>,
    reporter: &dyn Reporter,
) -> Result<Vec<Session>> {
    let listing = sessions.list()?;
    for problem in &listing.problems {
        reporter.warn(problem);
    }
    let root = root.map(Path::to_string_lossy);
    let is_here = |session: &Session| match (&root, &session.root) {
        (Some(wanted), Some(root)) => wanted == root,
        _ => true,
    };
    // One that was cut off before anything was said is nothing to go on with.
    let is_one = |session: &Session| !session.messages.is_empty() || sessions.is_busy(session.id);
    Ok(listing.sessions.into_iter().filter(is_here).filter(is_one).collect())
}

/// A conversation, and what was done in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// With its name and when it was used.
    pub session: Session,
    /// All that was said, what became a summary for the model too; the oldest first.
    pub messages: Vec<Message>,
    /// The oldest first.
    pub runs: Vec<Listed>,
}

/// A whole conversation, by its id or the beginning of it.
///
/// # Errors
/// When there is none, or it cannot be read.
pub fn conversation(
    (trails, sessions): (&Trails, &Sessions),
    id: &str,
    here: Option<&Repository>,
    reporter: &dyn Reporter,
) -> Result<Conversation> {
    let session = sessions.load(sessions.find(id)?)?;
    let messages = said(sessions, &session, reporter)?;
    let (lines, problems) = trails.list(Which::Session(session.id), usize::MAX)?;
    for problem in problems {
        reporter.warn(problem);
    }
    let kept = here.map(checkpoints).unwrap_or_default();
    let mut runs: Vec<Listed> =
        lines.into_iter().rev().map(|line| of_run(line, sessions)).collect();
    for row in &mut runs {
        row.is_undone = is_undone(&kept, &row.run);
    }
    Ok(Conversation { session, messages, runs })
}

/// What the runs of a session have cost, and how many there were.
///
/// # Errors
/// When the trails cannot be read.
pub fn spent(trails: &Trails, session: &Session) -> Result<(Spent, usize)> {
    let (lines, _) = trails.list(Which::Session(session.id), usize::MAX)?;
    let total = lines.iter().fold(Spent::default(), |sum, line| sum.plus(line.spent));
    Ok((total, lines.len()))
}

/// All that was said in a session, what became a summary for the model too; the oldest first.
///
/// # Errors
/// When it cannot be read.
pub fn said(
    sessions: &Sessions,
    session: &Session,
    reporter: &dyn Reporter,
) -> Result<Vec<Message>> {
    let Said { messages, damaged } = sessions.said(session)?;
    if damaged > 0 {
        reporter.warn(format_args!(
            "{} of what was said in session {} cannot be read",
            counted(damaged, "message"),
            session.id
        ));
    }
    Ok(messages)
}
