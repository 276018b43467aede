//! What is not known yet, what is found out, and what is remembered.
//!
//! Owns learning of topics and describing of sources, the pages and records that come of them,
//! lessons of agents, and what waits to be told. It reads no settings and prints nothing; which
//! model is asked is for whoever calls.

pub mod corpus;
pub mod duplicates;
pub mod enrich;
pub mod extract;
pub mod interest;
pub mod learn;
pub mod memory;
pub mod notify;
pub mod providers;
pub mod references;
pub mod scan;
pub mod summary;
mod words;
