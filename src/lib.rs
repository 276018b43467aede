//! A git repository's Markdown as a knowledge base that people and AI agents share.
//!
//! This is the library behind the program `elophanto`. A [`Workspace`] is an opened knowledge base;
//! each thing that can be done with one is a function with a typed request and a typed answer:
//!
//! - [`search::search`] finds by meaning and by keyword, [`search::answer::answer`] answers with
//!   citations or says that what is known does not suffice;
//! - [`index::first`] brings the index up to date, and what git carries of it;
//! - [`learn::learn`] keeps facts with their source, [`entities`] says what is known of things;
//! - [`library::Library`] describes files and searches what is said of them;
//! - [`memory::Memories`] keeps and recalls what agents learnt;
//! - [`agent::prepare`] has an agent work on tasks, asking an [`agent::Approver`] before it does
//!   harm; [`knowledge_tools`] are those of its tools that search, write and remember here.
//!
//! Nothing of it prints, reads the environment or depends on the current folder: an [`Environment`]
//! is handed in ([`Environment::offline`] needs nothing), and what is to be told or asked on the way
//! goes through a [`Reporter`] ([`Silent`] tells nobody). `examples/` has whole programs.
//!
//! Texts are UTF-8, paths of notes relative to the root with `/`, lines counted from 1 and both ends
//! of a range included, times in UTC. What can be done to mend a failure stands in [`Error::hints`].
//!
//! Doors to it are [`mcp`], the Model Context Protocol, and [`lsp`], which serves editors. The terminal,
//! the gateway and the JSON that they print are the program's: public for its tests alone, and no part
//! of what is promised here. How the crates below `crates/` build on each other: `ARCHITECTURE.md`.

#![warn(missing_docs)]

mod acp;
#[doc(hidden)]
pub mod cli;
mod gateway;
mod listening;
pub mod lsp;
pub mod mcp;
mod page;
mod terminal;
#[doc(hidden)]
pub mod wire;

pub use elophanto_app::{
    Environment, Error, Reporter, Workspace, agent, entities, environment, error, index, learn,
    memory, reporter, reporter::Silent, scan::library, search, workspace,
};
pub use mcp::knowledge_tools;
