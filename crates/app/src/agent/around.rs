//! What is done around a run, where the user wants it: a branch or a work tree of its own, changes of
//! theirs put aside and brought back.

use std::sync::atomic::Ordering;

use ulid::Ulid;

use super::{
    Finished, Prepared,
    branch::{Branch, Branched},
    stash::{self, Back, Stash},
    worktree::{self, WorkTree},
};
use crate::{Error, Reporter, Result};
use elophanto_agent::checkpoint::{CheckpointError, Held};
use elophanto_base::visible::exact_line;

/// What is wanted around a run.
#[derive(Debug, Default)]
pub struct AroundRequest<'r> {
    /// Work on a new branch of this name, in this work tree.
    pub branch: Option<&'r str>,
    /// Put uncommitted changes aside.
    pub stash: bool,
    /// The work tree that was made for the run, which is the one that it was prepared in.
    pub work_tree: Option<WorkTree>,
}

/// What was done before a run, until [`Prepared::after`].
#[derive(Debug, Default)]
pub struct Around {
    branch: Option<Branch>,
    work_tree: Option<WorkTree>,
    stash: Option<Stash>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct After {
    /// The branch, by its name.
    pub branch: Option<(String, Branched)>,
    /// The work tree of its own that the run had; `None` if it ran in the user's.
    pub work_tree: Option<worktree::Left>,
    /// The user's uncommitted changes that were set aside for it; `None` if none were.
    pub back: Option<Back>,
}

impl Around {
    /// The branch that what the run changes is committed to.
    pub fn branch(&self) -> Option<&Branch> {
        self.work_tree.as_ref().map(WorkTree::branch).or(self.branch.as_ref())
    }
}

impl Prepared<'_> {
    /// What is to be done before a run.
    ///
    /// # Errors
    /// When it cannot be done; then all is as it was.
    pub fn around(&self, request: AroundRequest<'_>) -> Result<Around> {
        let AroundRequest { branch, stash, work_tree } = request;
        let mut around = Around { work_tree, ..Around::default() };
        if branch.is_none() && !stash {
            return Ok(around);
        }
        let Some(git) = &self.git else {
            return Err(Error::new("there is no git repository here").hint("`git init` makes one"));
        };
        // What another run has not committed is not the user's, and it goes by HEAD.
        let _held = self.hold()?;
        if stash {
            self.bring_back_of_killed();
        }
        let (begun, is_stopped) = self.undisturbed(|| {
            around.stash = if stash { Stash::begin(git)? } else { None };
            around.branch = branch.map(|name| Branch::begin(git, name)).transpose()?;
            Ok(())
        });
        let stopped = || Err(Error::new("stopped before the run began"));
        let begun = if is_stopped { begun.and_then(|()| stopped()) } else { begun };
        let Err(error) = begun else { return Ok(around) };
        let tell: &dyn Reporter = &*self.reporter;
        match self.after(around, None) {
            Ok(after) => after.back.iter().for_each(|back| back.tell(tell)),
            Err(error) => tell.warn(error.message()),
        }
        Err(error)
    }

    /// What is to be done once the run has ended, or did not begin.
    ///
    /// # Errors
    /// When git cannot say what is where; all that could be done is done.
    pub fn after(&self, around: Around, finished: Option<&Finished>) -> Result<After> {
        let Around { branch, work_tree, stash } = around;
        let git = self.git.as_ref();
        // None begins in between, if none is at work already.
        let _held = self.hold().ok();
        let ((branch, back), _) = self.undisturbed(|| {
            let branch = branch.zip(git).map(|(branch, git)| {
                let name = branch.name().to_owned();
                branch.end(git, finished).map(|branched| (name, branched))
            });
            (branch, stash.map(Stash::end))
        });
        // First, so that no failure keeps them away.
        let back = back.transpose()?;
        if let (Some(Err(_)), Some(back)) = (&branch, &back) {
            back.tell(&*self.reporter);
        }
        Ok(After {
            branch: branch.transpose()?,
            work_tree: work_tree.map(|tree| tree.end(finished)).transpose()?,
            back,
        })
    }

    /// Does it whatever signal comes, and whether one came: the git at work would go on without us.
    fn undisturbed<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        let was = self.cancelled.swap(false, Ordering::Relaxed);
        let done = work();
        (done, self.cancelled.swap(was, Ordering::Relaxed))
    }

    /// Keeps other runs from beginning in this work tree.
    ///
    /// # Errors
    /// While one is at work.
    fn hold(&self) -> Result<Option<Held>> {
        let held = self.checkpoints().map(|it| it.hold(&Ulid::new().to_string())).transpose();
        held.map_err(|cause| match cause {
            CheckpointError::Busy { .. } => {
                Error::of(cause).hint("wait until it has ended, or use `--worktree` instead")
            }
            cause => cause.into(),
        })
    }

    /// Brings back changes of the user that a run had left aside. Says so.
    pub(super) fn bring_back_of_killed(&self) {
        if let Some(git) = &self.git {
            recovered(stash::recover(git), &*self.reporter);
        }
    }
}

/// Says what became of changes that an earlier run had left aside.
pub(crate) fn recovered(found: Result<Option<Back>>, tell: &dyn Reporter) {
    match found {
        Ok(Some(Back::Nothing) | None) => {}
        Ok(Some(back)) => {
            tell.note("an earlier run has left uncommitted changes of yours aside");
            back.tell(tell);
        }
        Err(error) => tell.warn(format_args!(
            "uncommitted changes of yours are aside (`git stash list`): {}",
            error.message()
        )),
    }
}

impl Back {
    /// Says it.
    pub fn tell(&self, tell: &dyn Reporter) {
        match self {
            Self::Whole => tell.talk("your uncommitted changes are back"),
            Self::Unstaged => tell.note(
                "your uncommitted changes are back, but none of them is staged any more: the index \
                 was in the way",
            ),
            Self::Stays { stash, why } => tell.warn(format_args!(
                "your uncommitted changes stay in the stash {stash} ({}): `git stash apply {stash}` \
                 brings them back, `git stash list` shows it",
                exact_line(why)
            )),
            Self::Nothing => tell.warn(
                "your uncommitted changes are in no stash any more: somebody has taken them out",
            ),
        }
    }
}
