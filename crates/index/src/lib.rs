//! From files to what can be searched, and searching it.
//!
//! Owns the way from a [`source`] to a snapshot: what has changed ([`plan`]), how a document becomes
//! chunks ([`note`]), where vectors come from (`vectors`), the one `pipeline` that makes segments of
//! it, and replacing the view ([`refresh()`]) that [`store`] keeps; then [`search`], where links lead ([`links`]), which notes have [`drift`]ed, and
//! measuring all of it ([`eval`]). It reads no settings and prints nothing.

pub mod apart;
pub mod check;
pub mod commit;
pub mod compact;
pub mod derived;
mod draft;
pub mod drift;
pub mod eval;
pub mod fill;
pub mod history;
pub mod links;
pub mod note;
pub mod passages;
mod pipeline;
pub mod plan;
pub mod refresh;
pub mod resolve;
pub mod search;
mod segments;
pub mod source;
pub mod stage;
pub mod store;
pub mod tidy;
mod vectors;
pub mod verify;
pub mod version;
pub mod watch;

pub use note::{Problem, Unwritten};
pub use refresh::{Context, Options, Part, Progress, Refreshed, Report, Snapshot, refresh};
pub use vectors::vectors_held;

elophanto_base::named! {
    /// What a document is.
    #[derive(Hash, PartialOrd, Ord, Default)]
    pub enum Kind, name {
        /// A file that people or agents wrote to be read.
        #[default]
        Note = "note",
        /// What was found out about a file.
        Summary = "summary",
        /// What is known of an entity: its page, without what only we read in it.
        Fact = "fact",
        /// What agents wrote down for each other: a file of records.
        Memory = "memory",
    }
}

impl Kind {
    /// Those that `search` looks through; what agents remember is recalled in its own way.
    pub const SEARCHED: [Self; 3] = [Self::Note, Self::Summary, Self::Fact];

    /// Those whose documents are given, each in a view of its own.
    pub const COLLECTIONS: [Self; 2] = [Self::Summary, Self::Fact];
}

/// Indexing could not be done at all. One bad file is never such an error.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("knowledge root `{}` does not exist", .0.display())]
    NoRoot(std::path::PathBuf),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Git(#[from] elophanto_repo::GitError),
    #[error(transparent)]
    Table(#[from] crate::store::tables::TableError),
    #[error("the search view is damaged")]
    Damaged,
    #[error("`{}/{name}` cannot be read: {source}", commit::TABLES)]
    BadTable { name: String, source: crate::store::tables::TableError },
}
