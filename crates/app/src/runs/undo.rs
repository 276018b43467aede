//! Taking back what a run changed.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use ulid::Ulid;

use crate::{
    Error, Result,
    agent::{around::recovered, stash, tasks, trails},
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_agent::{
    Entry, EntryKind,
    checkpoint::{CheckpointError, Checkpoints, How, Kept, Progress, Undo, is_undone},
    permissions::is_key,
};
use elophanto_base::{
    counted::counted,
    one_line::one_line,
    visible::{escape_control_line, exact_line},
};
use elophanto_repo::Git;

/// Characters of a goal in a question.
const SHOWN_GOAL: usize = 80;

/// What to take back, and how.
#[derive(Debug, Clone, Copy, Default)]
pub struct UndoRequest<'r> {
    /// Id of the run, or its beginning; without one, the last one that is no undo.
    pub run: Option<&'r str>,
    /// Takes back what nobody changed since, and leaves the rest; else all or nothing.
    pub partly: bool,
    /// Also what changed after a run was interrupted, whoever changed it.
    pub interrupted: bool,
    /// Agrees to what is taken back where none is named and the last one is undone already.
    pub yes: bool,
}

/// What was taken back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Undone {
    /// The id of the run.
    pub run: String,
    /// The undo, as a run; `None` if there was nothing to do.
    pub undo: Option<String>,
    /// Files that say again what they said, relative to the root.
    pub restored: Vec<String>,
    /// Files that the run had made.
    pub removed: Vec<String>,
    /// Files that are not as they were, and why.
    pub left: Vec<Left>,
    /// Folders that the run made and that stay, as others put something there.
    pub used: Vec<String>,
    /// What the run may have changed and no undo takes back.
    pub uncovered: Vec<Left>,
    /// Commits that were taken back.
    pub commits: usize,
    /// What was written down of the task is taken back, or, by the undo of an undo, counts again.
    pub task: bool,
    /// The branch that HEAD is still on, if the run had begun it and nothing of its own is left there.
    pub branch: Option<OnBranch>,
    /// The run had been interrupted: others may have had a part in it.
    #[serde(skip)]
    pub is_interrupted: bool,
}

impl Undone {
    /// What was taken back, in one sentence.
    pub fn told(&self) -> String {
        match &self.undo {
            None if self.task => format!(
                "what run {} wrote of its task is gone: there is nothing else to take back",
                self.run
            ),
            None if self.left.is_empty() => {
                format!("there is nothing to take back: all is as it was before run {}", self.run)
            }
            _ => {
                let commits = match self.commits {
                    0 => String::new(),
                    commits => format!(", {} taken back", counted(commits, "commit")),
                };
                format!(
                    "{} restored, {} removed{commits}: run {} is undone{}",
                    self.restored.len(),
                    self.removed.len(),
                    self.run,
                    if self.left.is_empty() { "" } else { ", but for what is named above" }
                )
            }
        }
    }
}

/// A branch with nothing of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OnBranch {
    /// Its short name.
    pub name: String,
    /// The branch that it was begun from.
    pub base: String,
}

/// What is not as it was before the run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Left {
    /// Relative to the root.
    pub path: String,
    /// In a few words.
    pub reason: &'static str,
}

/// Takes back what a run changed; `None` if there is no run to take back.
///
/// # Errors
/// When there is no such run, or part of it cannot be taken back and the request is for all of it.
pub fn undo(
    workspace: &Workspace,
    request: &UndoRequest,
    reporter: &dyn Reporter,
) -> Result<Option<Undone>> {
    let (git, folder) = super::checkpoints_of(workspace)?;
    let checkpoints = Checkpoints::new(&git, &folder, is_key);
    let runs = checkpoints.runs()?;
    if let Some(run) = request.run.and_then(|named| only_told(workspace, &runs, named)) {
        let task = tasks::take_back(workspace, &run)?;
        return Ok(Some(Undone { run, task, ..Undone::default() }));
    }
    let Some(kept) = chosen(&runs, request.run, git.root())? else {
        recovered(stash::recover(&git), reporter);
        let is_at_work = |run: &&Kept| run.progress == Progress::AtWork && run.is_in(git.root());
        match runs.iter().find(is_at_work) {
            Some(run) => {
                reporter.talk(format_args!("run {} is at work: wait until it has ended", run.run));
            }
            None => reporter.talk(
                "there is no run of the agent here whose changes could be taken back; an undo is \
                 taken back by its id",
            ),
        }
        return Ok(None);
    };
    if request.run.is_none() && !request.yes && is_behind_an_undone(&runs, kept, git.root()) {
        agreed(workspace, kept, reporter)?;
    }
    let wanted = Undo {
        run: &kept.run,
        as_run: &Ulid::new().to_string(),
        how: if request.partly { How::OnlyUnchanged } else { How::All },
        accepts_interrupted: request.interrupted,
    };
    let undone = match checkpoints.undo(&wanted) {
        Err(CheckpointError::Conflicts { left }) => {
            for left in &left {
                let path = exact_line(&left.path.to_string_lossy());
                reporter.warn(format_args!("`{path}` {}", left.why.as_str()));
            }
            return Err(Error::new(format_args!(
                "{} of the things that run {} changed are not as it left them: nothing was taken back",
                left.len(),
                kept.run
            ))
            .hint("`--partly` takes back the others and leaves these as they are"));
        }
        Err(cause @ CheckpointError::Interrupted { .. }) => {
            return Err(Error::of(cause).hint(
                "look at `git status`; `--interrupted` takes back all that changed since the run \
                 began",
            ));
        }
        undone => undone?,
    };
    // What was written down of the task goes with it, and comes back with it.
    let task = match undoes(&runs, kept) {
        (run, false) => tasks::take_back(workspace, run),
        (run, true) => tasks::bring_back(workspace, run),
    };
    let task = task.unwrap_or_else(|error| {
        let cause = error.message();
        reporter.warn(format_args!("what was written down of the task is as it was: {cause}"));
        false
    });
    // What the run had put aside fits again.
    recovered(stash::recover(&git), reporter);
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let texts = |paths: &[PathBuf]| paths.iter().map(|path| text(path)).collect();
    let left = |path, reason| Left { path: text(path), reason };
    Ok(Some(Undone {
        run: kept.run.clone(),
        restored: texts(&undone.restored),
        removed: texts(&undone.removed),
        left: undone.left.iter().map(|it| left(&it.path, it.why.as_str())).collect(),
        used: texts(&undone.used),
        uncovered: undone.uncovered.iter().map(|it| left(&it.path, it.why.as_str())).collect(),
        commits: undone.commits_undone,
        task,
        branch: if undone.commits_undone > 0 { left_on(&git) } else { None },
        is_interrupted: undone.is_interrupted,
        undo: undone.run,
    }))
}

/// Whether a later run in this work tree was taken back: whoever undoes once more may not mean this one.
fn is_behind_an_undone(runs: &[Kept], kept: &Kept, root: &Path) -> bool {
    let is_later = |run: &&Kept| run.run > kept.run && run.undoes.is_none() && run.is_in(root);
    runs.iter().filter(is_later).any(|run| is_undone(runs, &run.run))
}

/// Asks whether this older run is meant.
///
/// # Errors
/// When it is not, or nobody can say so.
fn agreed(workspace: &Workspace, kept: &Kept, reporter: &dyn Reporter) -> Result<()> {
    let run = &kept.run;
    let goal = trails(&workspace.environment)?.read(run).ok().and_then(|trail| {
        let goal = |entry: &Entry| match &entry.kind {
            EntryKind::Begin { goal, .. } => Some(one_line(goal, SHOWN_GOAL)),
            _ => None,
        };
        trail.entries.iter().find_map(goal)
    });
    let goal = goal.map_or_else(String::new, |goal| format!(" (\"{goal}\")"));
    let began = kept.began.strftime("%Y-%m-%d %H:%M");
    let which = format!("run {run} of {began}{goal}");
    let question = format!("The last run is undone already. Take back the one before, {which}?");
    if reporter.confirm(&question)? {
        return Ok(());
    }
    Err(Error::new(format_args!(
        "nothing was taken back: the last run is undone already, and the one before is {which}"
    ))
    .hint(format!("`elophanto agent undo {run}` takes it back, as does `--yes`")))
}

/// The run of which all that is left to take back is what was written down of its task.
fn only_told(workspace: &Workspace, runs: &[Kept], named: &str) -> Option<String> {
    let is_meant = |run: &Kept| run.run.starts_with(&named.to_uppercase());
    let mut told = tasks::named(workspace, named);
    (told.len() == 1 && !runs.iter().any(is_meant)).then(|| told.remove(0))
}

/// The run at the end of a chain of undos, and whether undoing this one does its work again.
fn undoes<'k>(runs: &'k [Kept], kept: &'k Kept) -> (&'k str, bool) {
    let (mut run, mut again) = (&*kept.run, false);
    let mut undoes = kept.undoes.as_deref();
    while let Some(older) = undoes {
        (run, again) = (older, !again);
        let found = runs.iter().find(|it| it.run == older);
        // Each is newer than what it takes back, so that this ends.
        undoes = found.and_then(|it| it.undoes.as_deref()).filter(|next| *next < older);
    }
    (run, again)
}

/// The branch that HEAD is on, if it is where the one before it is: git's log of HEAD knows which.
fn left_on(git: &Git) -> Option<OnBranch> {
    let name = git.branch()?;
    let said = git.run(&["rev-parse", "--abbrev-ref", "--verify", "--quiet", "@{-1}"]).ok()?;
    let base = String::from_utf8_lossy(said.trim_ascii()).into_owned();
    let (tip, other) = (git.branch_tip(&name).ok()??, git.branch_tip(&base).ok()??);
    (name != base && tip == other).then_some(OnBranch { name, base })
}

/// The id of the last of these runs that changed something and was not taken back.
///
/// # Errors
/// When checkpoints cannot be read.
pub fn last_of(workspace: &Workspace, own: &[String]) -> Result<Option<String>> {
    let Some(git) = Git::of(&workspace.repository) else { return Ok(None) };
    let folder = workspace.repository.runs_dir();
    let runs = Checkpoints::new(&git, &folder, is_key).runs()?;
    let is_here = |it: &&Kept| own.contains(&it.run) && it.is_in(git.root());
    let left = runs.iter().filter(is_here).filter(|it| !is_undone(&runs, &it.run));
    Ok(left.map(|it| it.run.clone()).max())
}

/// The run that is meant: the last one in this work tree that is not an undo, if none is named.
fn chosen<'k>(runs: &'k [Kept], named: Option<&str>, root: &Path) -> Result<Option<&'k Kept>> {
    let Some(named) = named else {
        let is_work = |run: &&Kept| {
            let is_over = run.undoes.is_none() && run.progress != Progress::AtWork;
            is_over && run.is_in(root) && !is_undone(runs, &run.run)
        };
        return Ok(runs.iter().filter(is_work).max_by(|a, b| a.run.cmp(&b.run)));
    };
    let wanted = named.to_uppercase();
    let found: Vec<&Kept> =
        runs.iter().filter(|run| run.run.to_uppercase().starts_with(&wanted)).collect();
    let shown = escape_control_line(named);
    match found[..] {
        [only] => Ok(Some(only)),
        [] => Err(Error::new(format_args!("no run `{shown}` changed anything here"))
            .hint("`elophanto agent runs` lists them")),
        _ => Err(Error::new(format_args!("{} runs begin with `{shown}`", found.len()))
            .hint("give more of the id")),
    }
}
