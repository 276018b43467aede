//! The repository as files: where it is, which notes it has, and their bytes; and the journal of
//! deliberate acts that it carries.
//!
//! Owns finding the root, the walk, safe opening and calls to git: files of the work tree, staged
//! or of any commit. It knows no Markdown, no settings and no index. Every path it hands out is relative to the root and held as bytes ([`NotePath`]),
//! because a file name is bytes.

mod blob;
mod git;
pub mod history;
mod inner;
pub mod journal;
mod locate;
mod note_path;
mod notes;
mod owner;
mod read;
pub mod record_store;
mod walk;
pub mod watch;
mod write;

pub use blob::BlobId;
pub use git::{
    Blame, Brought, CommitId, Git, GitError, Hidden, Logged, ObjectId, Objects, Side, Staged,
    StagedFile, Stored, Touched, Touching, Unread, Version, branch_reference, gitlinks, head,
    is_closed, is_tracked, reference, remote_url, tracked_under,
};
pub use inner::{
    PutAside, Visit, Visited, inner_marks, inner_marks_and, is_git_name, marks_on_the_way,
    move_aside, put_aside,
};
pub use locate::{LocateError, Repository, locate};
pub use note_path::NotePath;
pub use notes::stored_notes;
pub use read::{ReadError, read_if_there, read_note};
pub use walk::{
    FileStat, Finder, Selection, WalkError, Walked, is_in_parts, is_withheld, walk, walk_entries,
    walk_files,
};
pub use write::{TEMPORARY, WriteError, remove_beneath, write_beneath, write_new_beneath};
