//! What elophanto does, as a library: one function for what each door offers, typed requests in and
//! typed answers out; and what the doors share: settings and their layers, the knowledge tree that
//! `init` plans, git hooks and what a commit brings along, jobs at intervals, and the files of agents'
//! programs.
//!
//! It prints nothing, reads no environment and knows no current folder: a door hands in an
//! [`Environment`] and a [`Reporter`], through which it is told and asked on the way.

#![warn(missing_docs)]

pub mod agent;
pub mod attributes;
pub mod beginning;
pub mod changelog;
pub mod channels;
pub mod clean;
pub mod clients;
pub mod config;
pub mod doctor;
pub mod editor;
pub mod editor_setup;
pub mod embedding;
pub mod enrich;
pub mod entities;
pub mod environment;
pub mod error;
pub mod eval;
pub mod fleet;
pub mod gateway;
pub mod graph;
pub mod hidden;
pub mod hook_run;
pub mod hooks;
pub mod index;
pub mod init;
pub mod interest;
pub mod keys;
pub mod learn;
pub mod learn_setup;
pub mod learning;
pub mod llm;
pub mod mcp;
pub mod memory;
pub mod models;
pub mod notes;
pub mod on_commit;
pub mod pages;
pub mod plugin_pages;
pub mod plugins;
pub mod questions;
pub mod reading;
pub mod reporter;
pub mod runs;
pub mod scan;
pub mod schedule;
pub mod search;
pub mod settings;
pub use elophanto_base::shell;
pub mod skills;
pub mod status;
pub mod trust;
pub mod usage;
pub mod vault;
pub mod when;
pub mod workspace;

pub use environment::Environment;
pub use error::{Error, Result};
pub use reporter::Reporter;
pub use workspace::Workspace;
