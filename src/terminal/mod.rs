//! The terminal: what is drawn on it, and what is typed there.
//!
//! Owns the three streams, how the events of a run look as they happen, Markdown and diffs in colour,
//! questions and their answers, lines with a history, secrets without an echo, and signals. It knows
//! typed events and answers, no arguments of a command line, and calls no use case.

pub mod call;
pub mod input;
pub mod json_lines;
pub mod remote;
pub mod run;
pub mod screen;
pub mod secret_input;
pub mod show;
pub mod signals;
mod spinner;
pub mod system;
pub mod ui;

pub use ui::Outcome;
