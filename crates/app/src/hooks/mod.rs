//! Git hooks that run us: which there are, what is written for them, and how a user's own hooks
//! live on.
//!
//! Owns the hooks folder, the text of our block, and putting it in and taking it out. It knows
//! nothing of what a hook does. `script` and `plan` are pure; `folder` asks git where hooks
//! lie, [`install`] touches the disk. Nothing is remembered elsewhere: what is installed can be
//! read off the hooks folder alone, and a hook of the user is never without a name in it.

mod folder;
mod install;
mod plan;
mod script;

use std::{io, path::PathBuf};

pub use folder::{Folder, Place, effective};
pub use install::{Change, Installation, Status, install, status, uninstall};
pub use plan::{Foreign, Standing, State};
pub use script::by_hand;

use crate::init::managed_block::BlockError;
use elophanto_repo::GitError;

elophanto_base::named! {
    /// A hook of git that we have something to do in.
    pub enum HookName, as_str {
        /// Before a commit: refuses secrets, stages what goes along.
        PreCommit = "pre-commit",
        /// After a merge: brings the view up to date, says what git merged by itself.
        PostMerge = "post-merge",
        /// After a commit: brings the view up to date.
        PostCommit = "post-commit",
        /// After a checkout: brings the view up to date.
        PostCheckout = "post-checkout",
        /// After a rebase or an amended commit: brings the view up to date.
        PostRewrite = "post-rewrite",
    }
}

impl HookName {
    /// Whether it is installed without being asked for by `--eager`.
    pub fn is_default(self) -> bool {
        matches!(self, Self::PreCommit | Self::PostMerge)
    }
}

/// Hooks could not be read or written. Everything is planned before anything is done, so that
/// after any error but [`HookError::Io`] the folder is as it was.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// A plain folder has no hooks.
    #[error("`{}` is no git repository, so there is nothing that would run hooks", root.display())]
    NoGit {
        /// The folder.
        root: PathBuf,
    },
    /// A folder that other repositories use too.
    #[error(
        "git runs the hooks of `{}` (core.hooksPath), which lies outside this repository and may \
         serve others",
        folder.display()
    )]
    Outside {
        /// Where `core.hooksPath` leads.
        folder: PathBuf,
    },
    /// A folder, a device.
    #[error("`{}` is neither a file nor a link", path.display())]
    Odd {
        /// The hook.
        path: PathBuf,
    },
    /// The markers in a hook don't match.
    #[error("{}:{source}", path.display())]
    Block {
        /// The hook.
        path: PathBuf,
        /// Why.
        source: BlockError,
    },
    /// Our block stands in a file that is no shell script, or is not executable any more.
    #[error("`{}` holds our block, but git or a shell would not run it", path.display())]
    NotRun {
        /// The hook.
        path: PathBuf,
    },
    /// Lines were added to a file of ours that hands over to the user's saved hook.
    #[error(
        "`{}` was edited, and `{}` holds the hook that was there before",
        path.display(), saved.display()
    )]
    Edited {
        /// The hook.
        path: PathBuf,
        /// Where the user's hook is kept.
        saved: PathBuf,
    },
    /// The name that the user's hook would be moved to is taken.
    #[error("`{}` would be moved to `{}`, which exists", path.display(), saved.display())]
    InTheWay {
        /// The hook.
        path: PathBuf,
        /// Where the user's hook is kept.
        saved: PathBuf,
    },
    /// Git does not say where hooks lie, or what its settings say of them.
    #[error("{0}")]
    Git(#[from] GitError),
    /// A hook, its folder, or the lock of whoever writes hooks.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The hook.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}
