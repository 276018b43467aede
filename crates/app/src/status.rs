//! The state of a knowledge base in figures.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Error, memory::Memories, notes::Notes, workspace::Workspace};

/// What is indexed and what waits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Status {
    pub repository: String,
    pub memory_repository: String,
    pub version: &'static str,
    pub model: String,
    pub documents: usize,
    pub chunks: usize,
    /// chunks that wait for a vector
    pub waiting: usize,
    pub stale: usize,
    pub lessons: usize,
}

/// The state as it is now: what changed is read first.
///
/// # Errors
/// When the view can neither be read nor be made.
pub fn status(workspace: &Workspace, version: &'static str) -> Result<Status, Error> {
    let notes = Notes::open(workspace)?;
    let memories = Memories::open(workspace);
    let report = &notes.known.report;
    let root = workspace.repository.root.file_name().unwrap_or_default();
    Ok(Status {
        repository: root.to_string_lossy().into_owned(),
        version,
        model: workspace.models.active().fingerprint().to_string(),
        documents: report.files,
        chunks: report.chunks,
        waiting: report.waiting,
        stale: report.stale,
        lessons: memories.read().0.folded.memories.len(),
        memory_repository: memories.own,
    })
}
