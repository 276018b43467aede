//! A run on a branch of its own: begun where HEAD is, without touching the work tree or the index.

use std::{collections::BTreeSet, path::PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Error, Result};
use elophanto_agent::Finished;
use elophanto_base::{one_line::one_line, platform, visible::visible};
use elophanto_repo::{CommitId, Git, GitError, branch_reference, head};

/// Characters of the title of a pull request.
const TITLE: usize = 72;
/// What the log of a branch says of its beginning.
const BEGUN: &str = "elophanto: a run of its own";
/// Vectors go along with a commit; nobody reads them.
const NO_TABLES: &str = ":(exclude,top).elophanto/index";

/// A branch that was begun for a run.
#[derive(Debug)]
pub struct Branch {
    name: String,
    /// The branch that HEAD was on; `None` where it was on none.
    base: Option<String>,
    at: CommitId,
    /// What differed from that commit before the run: it is the user's.
    pub dirty: BTreeSet<PathBuf>,
}

/// What became of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Branched {
    /// There are commits on it.
    Kept(PullRequest),
    /// Nothing was committed to it: HEAD is where it was.
    Gone,
    /// Somebody has moved it, its base or HEAD meanwhile: all is left as it is.
    Moved,
}

/// What a run on a branch of its own leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PullRequest {
    /// The branch with the commits, by its short name.
    pub branch: String,
    /// The branch that it was begun from, or the commit.
    pub base: String,
    /// On one line.
    pub title: String,
    /// As Markdown.
    pub body: String,
}

impl Branch {
    /// Makes a branch at HEAD, and puts HEAD onto it.
    ///
    /// # Errors
    /// When there is no commit yet, the name is none, or there is such a branch.
    pub fn begin(git: &Git, name: &str) -> Result<Self> {
        refuse_name(git, name)?;
        let at = begins_at(git, "--branch")?;
        if git.is_replaying() || !git.merge_heads().is_empty() {
            return Err(Error::new("a merge, rebase or cherry-pick is under way")
                .hint("finish it, or leave out `--branch`"));
        }
        let base = git.branch();
        let dirty = changed(git)?;
        if let Err(cause) = git.move_branch(name, None, &at, BEGUN) {
            return Err(match git.branch_tip(name)? {
                Some(_) => taken(name, "leave out `--branch`"),
                None => cause.into(),
            });
        }
        // As git says it, so that `git switch -` knows the way back.
        let from = base.clone().unwrap_or_else(|| at.to_string());
        let why = format!("checkout: moving from {from} to {name}");
        let moved = git.run(&["symbolic-ref", "-m", &why, "HEAD", &branch_reference(name)]);
        if moved.is_err() {
            let _ = git.remove_branch(name, &at);
        }
        moved?;
        Ok(Self { name: name.to_owned(), base, at, dirty })
    }

    /// The branch of a work tree of its own, where nothing differs from this commit.
    pub(super) fn of_work_tree(name: &str, base: Option<String>, at: CommitId) -> Self {
        Self { name: name.to_owned(), base, at, dirty: BTreeSet::new() }
    }

    /// How it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// To be called when the run has ended: what there is to say of it. A branch that nothing was
    /// committed to goes, and HEAD is where it was, unless somebody has moved either meanwhile.
    ///
    /// # Errors
    /// When git cannot say where the branch is, or go back.
    pub fn end(self, git: &Git, finished: Option<&Finished>) -> Result<Branched> {
        let is_here = git.branch().as_deref() == Some(&*self.name);
        let Some(tip) = git.branch_tip(&self.name)? else { return Ok(Branched::Moved) };
        if tip == self.at {
            // Where the user's own branch is another commit by now, going back to it would put
            // work tree and index before that.
            let is_same = |base: &String| git.branch_tip(base).ok().flatten() == Some(self.at);
            if !is_here || !self.base.as_ref().is_none_or(is_same) {
                return Ok(Branched::Moved);
            }
            match &self.base {
                Some(base) => git.run(&["symbolic-ref", "HEAD", &branch_reference(base)])?,
                None => git.run(&["update-ref", "--no-deref", "HEAD", &self.at.to_string()])?,
            };
            git.remove_branch(&self.name, &self.at)?;
            return Ok(Branched::Gone);
        }
        let Some(finished) = finished else { return Ok(Branched::Moved) };
        Ok(Branched::Kept(self.pull_request(git, &tip, finished)?))
    }

    /// The branch that it was begun from, or the commit.
    pub(super) fn base(&self) -> String {
        self.base.clone().unwrap_or_else(|| self.at.short())
    }

    /// The commit that it began at.
    pub(super) fn at(&self) -> &CommitId {
        &self.at
    }

    /// The text for what there is on the branch.
    ///
    /// # Errors
    /// When git cannot say what that is.
    pub(super) fn pull_request(
        &self,
        git: &Git,
        tip: &CommitId,
        finished: &Finished,
    ) -> Result<PullRequest> {
        let range = format!("{}..{tip}", self.at);
        let log = git.run(&["log", "--reverse", "--format=%h %s", &range])?;
        let log = String::from_utf8_lossy(&log).into_owned();
        let commits: Vec<&str> = log.lines().collect();
        let first = commits.first().and_then(|line| line.split_once(' ')).map(|(_, it)| it);
        let stat = git.run(&["diff", "--stat", &range, "--", ".", NO_TABLES])?;
        let body = format!(
            "{}\n\n## Commits\n\n{}\n\n## Files\n\n```text\n{}```\n",
            finished.answer.trim(),
            commits.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n"),
            String::from_utf8_lossy(&stat),
        );
        Ok(PullRequest {
            branch: self.name.clone(),
            base: self.base(),
            title: one_line(first.unwrap_or_default(), TITLE),
            // A model wrote some of it, and it is shown at terminals.
            body: visible(&body),
        })
    }
}

/// The commit that a branch begins at.
///
/// # Errors
/// When there is none yet.
pub(super) fn begins_at(git: &Git, flag: &str) -> Result<CommitId> {
    head(git)?.ok_or_else(|| {
        Error::new("there is no commit yet that a branch could begin at")
            .hint(format!("make the first commit before, or leave out `{flag}`"))
    })
}

/// # Errors
/// When no branch can be called that.
pub(super) fn refuse_name(git: &Git, name: &str) -> Result<()> {
    if git.is_branch_name(name) {
        return Ok(());
    }
    Err(Error::new(format_args!("`{}` cannot be the name of a branch", shown(name))))
}

/// That there is one of that name; `or` says what else can be done.
pub(super) fn taken(name: &str, or: &str) -> Error {
    Error::new(format_args!("there is a branch `{}` already", shown(name)))
        .hint(format!("give another name, or `git switch` to it and {or}"))
}

/// What differs from HEAD in the work tree or the index, relative to the root.
///
/// # Errors
/// When git cannot say.
pub fn changed(git: &Git) -> Result<BTreeSet<PathBuf>, GitError> {
    let asked = [
        "status",
        "--porcelain",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=dirty",
    ];
    let status = git.run(&asked)?;
    let names = status.split(|byte| *byte == 0).filter_map(|line| line.get(3..));
    Ok(names.map(|name| platform::path(name).to_owned()).collect())
}

fn shown(name: &str) -> String {
    one_line(name, TITLE)
}
