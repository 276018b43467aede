//! What is done around a run, where the user wants it: a branch or a work tree of its own, changes of
//! theirs put aside and brought back.

use super::{
    Finished, Prepared,
    branch::{Branch, Branched},
    stash::{self, Back, Stash},
    worktree::{self, WorkTree},
};
use crate::{Error, Reporter};
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
    pub work_tree: Option<worktree::Left>,
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
    pub fn around(&self, request: AroundRequest<'_>) -> Result<Around, Error> {
        let AroundRequest { branch, stash, work_tree } = request;
        let mut around = Around { work_tree, ..Around::default() };
        if branch.is_none() && !stash {
            return Ok(around);
        }
        let Some(git) = &self.git else {
            return Err(Error::new("there is no git repository here").hint("`git init` makes one"));
        };
        if stash {
            self.bring_back_of_killed();
            around.stash = Stash::begin(git)?;
        }
        if let Some(name) = branch {
            around.branch = match Branch::begin(git, name) {
                Ok(branch) => Some(branch),
                Err(error) => {
                    let tell: &dyn Reporter = &*self.reporter;
                    match around.stash.take().map(Stash::end).transpose() {
                        Ok(back) => back.iter().for_each(|back| back.tell(tell)),
                        Err(error) => tell.warn(error.message()),
                    }
                    return Err(error);
                }
            };
        }
        Ok(around)
    }

    /// What is to be done once the run has ended, or did not begin.
    ///
    /// # Errors
    /// When git cannot say what is where; all that could be done is done.
    pub fn after(&self, around: Around, finished: Option<&Finished>) -> Result<After, Error> {
        let Around { branch, work_tree, stash } = around;
        let git = self.git.as_ref();
        let branch = branch.zip(git).map(|(branch, git)| {
            let name = branch.name().to_owned();
            branch.end(git, finished).map(|branched| (name, branched))
        });
        // First, so that no failure keeps them away.
        let back = stash.map(Stash::end).transpose()?;
        Ok(After {
            branch: branch.transpose()?,
            work_tree: work_tree.map(|tree| tree.end(finished)).transpose()?,
            back,
        })
    }

    /// Brings back changes of the user that a killed run had put aside. Says so.
    pub(super) fn bring_back_of_killed(&self) {
        if let Some(git) = &self.git {
            recovered(stash::recover(git), &*self.reporter);
        }
    }
}

/// Says what became of changes that a killed run had put aside.
pub(crate) fn recovered(found: Result<Option<Back>, Error>, tell: &dyn Reporter) {
    match found {
        Ok(Some(Back::Nothing) | None) => {}
        Ok(Some(back)) => {
            tell.note("a run that was killed had put uncommitted changes of yours aside");
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
