//! A git repository's Markdown as a knowledge base that people and AI agents share.
//!
//! This is the library behind the program `elophanto`. A [`Workspace`] is an opened knowledge base;
//! each thing that can be done with one is a function with a typed request and a typed answer:
//!
//! - [`search::search`] finds by meaning and by keyword, [`search::answer::answer`] answers with
//!   citations or says that what is known does not suffice;
//! - [`index::first`] brings the index up to date, and what git carries of it;
//! - [`learn::learn`] keeps facts with their source, [`entities`] says what is known of things;
//! - [`memory::Memories`] keeps and recalls what agents learnt;
//! - [`agent::prepare`] has an agent work on tasks, asking an [`agent::Approver`] before it does
//!   harm; [`knowledge_tools`] are those of its tools that search, write and remember here.
//!
//! Nothing of it prints, reads the environment or depends on the current folder: an [`Environment`]
//! is handed in ([`Environment::offline`] needs nothing), and what is to be told or asked on the way
//! goes through a [`Reporter`] ([`Silent`] tells nobody). `examples/` has whole programs.
//!
//! The doors to it are [`cli`], the terminal, [`mcp`], the Model Context Protocol, [`lsp`] and the Agent
//! Client Protocol, which serve editors, and the gateway, which holds conversations over WebSockets;
//! [`wire`] is what they say to programs. How the crates below `crates/` build on each other: `ARCHITECTURE.md`.

mod acp;
pub mod cli;
mod gateway;
mod listening;
pub mod lsp;
pub mod mcp;
mod page;
mod terminal;
pub mod wire;

pub use elophanto_app::{
    Environment, Error, Reporter, Workspace, agent, entities, error, index, learn, memory,
    reporter::Silent, search,
};
pub use mcp::knowledge_tools;
