//! What self-development is made with.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;

use crate::{Host, Spec, Tool, plugins::Runtime};

elophanto_base::named! {
    /// A stage of self-development, in their order.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Stage, as_str {
        Research = "research",
        Design = "design",
        Implement = "implement",
        Test = "test",
        Review = "review",
        Deploy = "deploy",
        Document = "document",
    }
}

/// How far a stage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    Begun,
    Done,
    /// The detail says why.
    Failed,
}

/// Something to show and to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Name of the plugin.
    pub plugin: String,
    pub stage: Stage,
    /// From 1; 0 before the first and after the last.
    pub attempt: usize,
    pub state: State,
    /// May hold text from outside: for whoever shows it to escape.
    pub detail: String,
}

/// A branch that is worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// `elophanto/develop/<name of the plugin>`
    pub name: String,
}

/// How the work on a branch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ended {
    Deployed,
    /// The user did not agree, or did not answer.
    NotAgreed,
    /// Out of attempts, or something could not be done.
    Failed,
    Cancelled,
}

/// The git branch of a plugin, made without touching what the user has checked out.
///
/// No call changes HEAD, the user's index, or a file of the work tree: the files of a plugin lie in
/// the work tree, untracked there, and commits are made of them by plumbing. `begin` creates the
/// branch at the commit of HEAD, or goes on with the one that is there. `commit` fills a temporary
/// index from the branch (`read-tree`), takes the paths into it as they are in the work tree
/// (content unfiltered, links refused, what is missing removed), writes tree and commit, and moves
/// the branch by a compare-and-swap. `finish` removes a branch without commits of its own and
/// leaves any other for the user to merge or to drop.
pub trait Branching: Send + Sync {
    /// # Errors
    /// For people: no repository, no commit yet, the branch is checked out somewhere.
    fn begin(&self, plugin: &str) -> Result<Branch, String>;

    /// Commits files or whole folders, relative to the root, as they are now. The full id, or
    /// `None` if nothing differs from the branch.
    ///
    /// # Errors
    /// For people: the branch was moved meanwhile, git failed.
    fn commit(
        &self,
        branch: &Branch,
        paths: &[PathBuf],
        message: &str,
    ) -> Result<Option<String>, String>;

    /// Called once, however the work ended.
    ///
    /// # Errors
    /// For people.
    fn finish(&self, branch: &Branch, ended: Ended) -> Result<(), String>;
}

/// Writes a file (a path relative to the root, all of its content); so that it can be undone, the
/// checkpoint takes what was there before. The error is for people.
pub type Write = dyn Fn(&Path, &str) -> Result<(), String> + Send + Sync;

/// Keeps that the user has agreed to this name and hash. The error is for people.
pub type Agree = dyn Fn(&str, &str) -> Result<(), String> + Send + Sync;

/// Writes an entry and gives the paths it wrote, relative to the root. The error is for people.
pub type Record = dyn Fn(&str) -> Result<Vec<PathBuf>, String> + Send + Sync;

/// Shows and records what happens, with the host whose run it is.
pub type Tell = dyn Fn(&Event, &mut dyn Host) + Send + Sync;

/// What self-development is made with, besides its host.
pub struct Parts {
    pub runtime: Arc<Runtime>,
    /// Names of built-in tools: no plugin may have one of them.
    pub built_in: Vec<String>,
    /// The root of our own notes, relative to the root: `knowledge`.
    pub write_root: PathBuf,
    /// Writes notes of ours and the manifest. Called for the manifest only after the user agreed.
    pub write: Box<Write>,
    /// A file that all runs of this repository lock to change the manifest.
    pub lock: PathBuf,
    pub branching: Box<dyn Branching>,
    /// All tools there are now.
    pub tools: Box<dyn Fn() -> Vec<Spec> + Send + Sync>,
    /// Keeps the user's agreement outside the repository, where no tool can write.
    pub agree: Box<Agree>,
    /// Takes the new tool into the run.
    pub deployed: Box<dyn Fn(Box<dyn Tool>) + Send + Sync>,
    /// Writes an entry of the changelog: one line of Markdown.
    pub changelog: Box<Record>,
    pub events: Box<Tell>,
    pub now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    /// Letters and digits that nobody can guess, new each time: they mark quoted text.
    pub nonce: Box<dyn Fn() -> String + Send + Sync>,
}
