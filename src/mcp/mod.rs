//! The door for agents' programs: the Model Context Protocol.
//!
//! Owns a server of the protocol ([`server`]), which of our use cases each of its tools is, the same
//! as tools of our own agent, whom it tells of changed notes, and how the server of a repository is
//! served. It refuses to know the terminal.

mod knowledge_tools;
mod operations;
pub mod server;
pub mod serving;
pub mod watching;

pub use knowledge_tools::tools as knowledge_tools;
pub use operations::operations;
