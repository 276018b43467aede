//! Self-development: the tool `self_develop`, which makes a plugin.
//!
//! Owns the order of its stages (research, design, implement, test, review, deploy, document), the
//! limit of attempts, what models are asked and believed, what the user is asked, and what is left
//! behind when it fails. Nothing is deployed unless its tests ran and passed on exactly the files
//! that were reviewed, and the user agreed to them.
//!
//! It refuses to know git, the fence, models, and where notes lie on disk: these come in as
//! [`Parts`] and as the [`Host`](crate::Host). Files of a plugin are written by the tools
//! `file_write` and `file_delete`, like those of any call.

mod answer;
mod attempt;
mod deploy;
mod failure;
mod naming;
mod parts;
mod pipeline;
mod prompts;
mod quote;
mod tool;

#[cfg(test)]
mod tests;

pub use parts::{Agree, Branch, Branching, Ended, Event, Parts, Record, Stage, State, Tell, Write};
pub use tool::{NAME, SelfDevelop};

/// Attempts before it asks the user.
pub const MAX_ATTEMPTS: usize = 3;
/// Characters of a goal.
pub const MAX_GOAL_CHARS: usize = 4_000;
/// Files that a model may answer with.
pub const MAX_ANSWER_FILES: usize = 30;
/// Bytes of one of them.
pub const MAX_ANSWER_FILE_BYTES: usize = 64 << 10;
/// Bytes of all of them.
pub const MAX_ANSWER_FILES_BYTES: usize = 128 << 10;
/// Bytes of an answer that are looked at.
pub const MAX_ANSWER_BYTES: usize = 1 << 20;
/// Bytes of a design.
pub const MAX_DESIGN_BYTES: usize = 32 << 10;
/// Findings of a review.
pub const MAX_FINDINGS: usize = 20;
/// Characters of a finding.
pub const MAX_FINDING_CHARS: usize = 500;
/// Seconds that tests may take.
pub const MAX_TEST_SECONDS: u64 = 120;
