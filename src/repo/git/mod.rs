//! Questions to git: libgit2 where it can open the repository, else the git program.
//!
//! Every call of the git program goes through [`program`]'s one wrapper, which switches off
//! whatever a repository could use to run code.

mod head;
mod program;
mod tracked;

pub use head::{CommitId, ObjectId, head};
pub use program::{Git, GitError};
pub use tracked::tracked_under;
