//! A run on a branch of its own: begun where HEAD is, without touching the work tree or the index.

use std::{collections::BTreeSet, ffi::OsStr, os::unix::ffi::OsStrExt, path::PathBuf};

use serde::Serialize;

use crate::Error;
use elophanto_agent::Finished;
use elophanto_base::{one_line::one_line, visible::visible};
use elophanto_repo::{CommitId, Git, GitError, head};

/// Characters of the title of a pull request.
const TITLE: usize = 72;

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PullRequest {
    pub branch: String,
    /// The branch that it was begun from, or the commit.
    pub base: String,
    pub title: String,
    /// As Markdown.
    pub body: String,
}

impl Branch {
    /// Makes a branch at HEAD, and puts HEAD onto it.
    ///
    /// # Errors
    /// When there is no commit yet, the name is none, or there is such a branch.
    pub fn begin(git: &Git, name: &str) -> Result<Self, Error> {
        let is_name = !name.starts_with('-') && name != "@";
        if !is_name || git.run(&["check-ref-format", &reference(name)]).is_err() {
            return Err(Error::new(format_args!(
                "`{}` cannot be the name of a branch",
                shown(name)
            )));
        }
        let Some(at) = head(git)? else {
            return Err(Error::new("there is no commit yet that a branch could begin at")
                .hint("make the first commit before, or leave out `--branch`"));
        };
        if git.is_replaying() || !git.merge_heads().is_empty() {
            return Err(Error::new("a merge, rebase or cherry-pick is under way")
                .hint("finish it, or leave out `--branch`"));
        }
        let reference = reference(name);
        let base = git.branch();
        let dirty = changed(git)?;
        let none = "0".repeat(at.to_string().len());
        let made = git.run(&["update-ref", "--end-of-options", &reference, &at.to_string(), &none]);
        match made {
            Err(GitError::Failed { .. }) if git.resolve(&reference).is_ok() => {
                return Err(Error::new(format_args!(
                    "there is a branch `{}` already",
                    shown(name)
                ))
                .hint("give another name, or `git switch` to it and leave out `--branch`"));
            }
            made => made?,
        };
        let moved =
            git.run(&["symbolic-ref", "-m", "elophanto: a run of its own", "HEAD", &reference]);
        if moved.is_err() {
            let _ = git.run(&["update-ref", "-d", &reference, &at.to_string()]);
        }
        moved?;
        Ok(Self { name: name.to_owned(), base, at, dirty })
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
    pub fn end(self, git: &Git, finished: Option<&Finished>) -> Result<Branched, Error> {
        let reference = reference(&self.name);
        let is_here = git.branch().as_deref() == Some(&*self.name);
        let Ok(tip) = git.resolve(&reference) else { return Ok(Branched::Moved) };
        if tip == self.at {
            // Where the user's own branch is another commit by now, going back to it would put
            // work tree and index before that.
            let is_same = |base: &String| git.resolve(&self::reference(base)).ok() == Some(self.at);
            if !is_here || !self.base.as_ref().is_none_or(is_same) {
                return Ok(Branched::Moved);
            }
            match &self.base {
                Some(base) => git.run(&["symbolic-ref", "HEAD", &self::reference(base)])?,
                None => git.run(&["update-ref", "--no-deref", "HEAD", &self.at.to_string()])?,
            };
            git.run(&["update-ref", "-d", &reference, &self.at.to_string()])?;
            return Ok(Branched::Gone);
        }
        let Some(finished) = finished else { return Ok(Branched::Moved) };
        let range = format!("{}..{tip}", self.at);
        let log = git.run(&["log", "--reverse", "--format=%h %s", &range])?;
        let log = String::from_utf8_lossy(&log).into_owned();
        let commits: Vec<&str> = log.lines().collect();
        let first = commits.first().and_then(|line| line.split_once(' ')).map(|(_, it)| it);
        let stat = git.run(&["diff", "--stat", &range])?;
        let body = format!(
            "{}\n\n## Commits\n\n{}\n\n## Files\n\n```text\n{}```\n",
            finished.answer.trim(),
            commits.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n"),
            String::from_utf8_lossy(&stat),
        );
        Ok(Branched::Kept(PullRequest {
            branch: self.name,
            base: self.base.unwrap_or_else(|| self.at.short()),
            title: one_line(first.unwrap_or_default(), TITLE),
            // A model wrote some of it, and it is shown at terminals.
            body: visible(&body),
        }))
    }
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
    Ok(names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
}

fn reference(name: &str) -> String {
    format!("refs/heads/{name}")
}

fn shown(name: &str) -> String {
    one_line(name, TITLE)
}
