//! The built-in tools: files, git, a shell, the web, models, the user.
//!
//! Owns what each tool is called, what it wants, what it would do ([`crate::Intent`]) and
//! how it does it. It refuses to know who decides whether it may (`permissions`), how a program is
//! fenced in, and how a page is fetched: those are closures.
//!
//! A tool that touches files is shown to whoever approves in full, and does that or nothing: what
//! its effect depends on is looked at again when it runs (`approved`), and every file is reached
//! from the open root, folder by folder, without following a link ([`elophanto_base::beneath`]).

mod approved;
mod arguments;
mod ask_user;
mod below;
mod contents;
mod cut;
mod delegate_reading;
mod diff;
mod edits;
mod file_delete;
mod file_edit;
mod file_list;
mod file_move;
mod file_read;
mod file_search;
mod file_write;
mod git_calls;
mod git_commit;
mod git_diff;
mod git_log;
mod git_status;
mod llm_call;
mod paths;
mod said;
mod shell_execute;
#[cfg(test)]
mod tests;
mod todo_list;
mod tree;
mod web_fetch;
mod web_search;
mod withheld;

use std::{path::Path, sync::Arc};

pub use arguments::spec;
pub use ask_user::AskUser;
pub(crate) use contents::hash_of;
pub use delegate_reading::DelegateReading;
pub use diff::{diff, hunks};
pub use file_delete::FileDelete;
pub use file_edit::FileEdit;
pub use file_list::FileList;
pub use file_move::FileMove;
pub use file_read::{FileRead, part_shown};
pub use file_search::FileSearch;
pub use file_write::FileWrite;
pub use git_commit::{Along, Gate, GitCommit, Proposed, refuse_secrets};
pub use git_diff::GitDiff;
pub use git_log::GitLog;
pub use git_status::GitStatus;
pub use llm_call::LlmCall;
pub use shell_execute::{Runner, ShellExecute, ShellOutcome, ShellRequest};
pub use todo_list::{TODO_LIST, TodoList};
pub use web_fetch::{Fetch, Page, WebFetch};
pub use web_search::{Ask, Hit, Search, WebSearch};

use crate::Tool;
use elophanto_repo::Git;

/// Which files (absolute paths) no tool reads: key material.
pub type OutOfReach = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// Tools for files of the work tree. A search passes over what is out of reach; the other tools
/// name each path in their intent, where permissions judge it.
pub fn files(out_of_reach: OutOfReach) -> Vec<Box<dyn Tool>> {
    vec![
        Box::new(FileRead::default()),
        Box::new(FileList::default()),
        Box::new(FileSearch::new(out_of_reach)),
        Box::new(FileWrite::default()),
        Box::new(FileEdit::default()),
        Box::new(FileMove::default()),
        Box::new(FileDelete::default()),
    ]
}

/// Tools for the git repository of the work tree. A diff leaves out what is out of reach; `gate`
/// has the last word on each commit ([`refuse_secrets`], or more), `along` adds to it.
pub fn git(
    git: Arc<Git>,
    out_of_reach: OutOfReach,
    gate: Gate,
    along: Along,
) -> Vec<Box<dyn Tool>> {
    vec![
        Box::new(GitStatus::new(git.clone())),
        Box::new(GitDiff::new(git.clone(), out_of_reach)),
        Box::new(GitLog::new(git.clone())),
        Box::new(GitCommit::new(git, gate, along)),
    ]
}

/// The shell; `runner` puts the program into its fence. What git says of files out of reach is left
/// out of its output.
pub fn shell(runner: Runner, out_of_reach: OutOfReach) -> Box<dyn Tool> {
    Box::new(ShellExecute::new(runner, out_of_reach))
}

/// Tools for the web.
pub fn web(fetch: Fetch, search: Search) -> Vec<Box<dyn Tool>> {
    vec![Box::new(WebFetch::new(fetch)), Box::new(WebSearch::new(search))]
}

/// Questions to the user, through the host.
pub fn ask_user() -> Box<dyn Tool> {
    Box::new(AskUser)
}

/// What is to be done, shown to the user through the host.
pub fn todo_list() -> Box<dyn Tool> {
    Box::new(TodoList)
}

/// Questions that sub-agents read about side by side, at most so many at once, through the host.
pub fn readers(most: usize) -> Box<dyn Tool> {
    Box::new(DelegateReading::new(most))
}

/// Questions to a language model, through the host.
pub fn model() -> Box<dyn Tool> {
    Box::new(LlmCall)
}
