//! What the doors share: settings and their layers, the knowledge tree that `init` plans, git hooks
//! and what a commit brings along, jobs at intervals, and the files of agents' programs.
//!
//! It prints nothing and reads no environment: a door hands in what it needs.

pub mod clients;
pub mod config;
pub mod hooks;
pub mod init;
pub mod on_commit;
pub mod schedule;
