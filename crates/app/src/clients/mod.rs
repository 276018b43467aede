//! Setting up agents' programs: what to change in their files so that they start our MCP server and
//! know when to ask it.
//!
//! Owns where each program keeps its servers, skills and hooks, how an entry gets into a file of the
//! user and out again without another byte changing, how a change is shown, and what is read from
//! and said to a program that runs our hooks. It refuses to know whoever agrees. Only [`setup()`] and
//! [`session`] know the disk: to all else contents come in through a function, and go out as
//! [`Change`]s.

use std::{
    io,
    path::{Path, PathBuf},
};

mod client;
mod diff;
mod error;
mod hook_input;
mod hooks;
mod json;
mod places;
mod plan;
mod servers;
pub mod session;
mod setup;
mod skill;
#[cfg(test)]
mod tests;
mod toml_file;
mod transcript;

pub use client::{Client, Scope, UnknownClient};
pub use diff::diff;
pub use error::ClientError;
pub use hook_input::{HookInput, hook_input, start_output, stop_output};
pub use hooks::{hooks, remove_hooks};
pub(crate) use plan::change;
pub use plan::{install, remove};
pub use setup::{Made, Setup, SetupRequest, own_files, setup};
pub use skill::skill;
pub use transcript::{MAX_TRANSCRIPT_BYTES, wants_reminder};

/// The name of our server and of our skill in the programs' files.
const NAME: &str = "elophanto";
/// What our program is asked to do as a server.
const SERVE: [&str; 3] = ["agent", "mcp", "serve"];
/// Most bytes of a file that is changed.
pub const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;

/// The folders that all places lie below.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// Root of the project.
    pub project: &'a Path,
    /// The user's home folder.
    pub home: &'a Path,
    /// Where the user's programs keep their settings (`~/.config`,
    /// `~/Library/Application Support`).
    pub config_home: &'a Path,
}

/// What has to become of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file, absolute.
    pub path: PathBuf,
    /// `None`: there is no file.
    pub before: Option<String>,
    /// `None`: the file goes.
    pub after: Option<String>,
    /// What the change is for, a few words.
    pub purpose: &'static str,
}

/// Reads a file as text. `None`: there is none.
pub type Read<'a> = dyn Fn(&Path) -> io::Result<Option<String>> + 'a;
