//! Questions to git: libgit2 where it can open the repository, else the git program.
//!
//! Every call of the git program goes through [`program`]'s one wrapper, which switches off
//! whatever a repository could use to run code.

mod blame;
mod branches;
mod brought;
mod gitlinks;
mod head;
mod log;
mod objects;
mod program;
mod rules;
mod sides;
mod stage;
mod state;
mod tracked;

pub use blame::Blame;
pub use branches::branch_reference;
pub use brought::Brought;
pub use gitlinks::gitlinks;
pub use head::{CommitId, ObjectId, head, reference};
pub use log::{Logged, Touched, Touching};
pub use objects::{Objects, Stored, Unread, Version};
pub use program::{Git, GitError};
pub(crate) use program::{git_dir_by_git, has_other_settings};
pub use rules::Hidden;
pub use sides::Side;
pub use stage::{Staged, StagedFile};
pub use state::remote_url;
pub use tracked::{is_closed, is_tracked, tracked_under};
