//! A git repository's Markdown as a knowledge base that people and AI agents share.
//!
//! The modules are listed in reading order: top to bottom they follow the data, from the door to
//! the answer. Imports point the same way (see `ARCHITECTURE.md`).

// Front door.
pub mod cli;
pub mod config;
pub mod hooks;
pub mod init;

// Questions and answers.
pub mod eval;
pub mod links;
pub mod search;

// From files to what can be searched.
pub mod index;
pub mod repo;
pub mod store;

// Pure: text in, structure out.
pub mod chunk;
pub mod embed;
pub mod lexical;
pub mod markdown;
pub mod yaml;
