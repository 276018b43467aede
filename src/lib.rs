//! A git repository's Markdown as a knowledge base that people and AI agents share.
//!
//! The modules are listed in reading order: top to bottom they follow the data, from the door to
//! the answer. Imports point the same way, and down to the crates below (see `ARCHITECTURE.md`).

// Front door.
pub mod cli;
pub mod server;

// What git asks of us.

// What is not known yet, what is found out, and doing things at intervals.

// All that can be searched.

// Questions and answers.

// What the commits say of them.

// From files to what can be searched.

// Pure: text in, structure out.
