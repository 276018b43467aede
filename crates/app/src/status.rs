//! The state of a knowledge base in figures.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Error, Result, memory::Memories, notes::Notes, workspace::Workspace};

/// What is indexed and what waits.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Status {
    /// The name of the knowledge base's folder.
    pub repository: String,
    /// Under which name lessons are written down here.
    #[schemars(extend("detail" = 1))]
    pub memory_repository: String,
    /// Of elophanto.
    #[schemars(extend("detail" = 2))]
    pub version: &'static str,
    /// The fingerprint of the model that makes vectors.
    #[schemars(extend("detail" = 3))]
    pub model: String,
    /// Notes and pages of entities that can be searched.
    pub documents: usize,
    /// Passages that these are cut into.
    #[schemars(extend("detail" = 2))]
    pub chunks: usize,
    /// chunks that wait for a vector
    pub waiting: usize,
    /// Notes that changed and are not searched yet.
    #[schemars(extend("detail" = 1))]
    pub stale: usize,
    /// What agents learnt from tasks.
    pub lessons: usize,
    /// why there is no knowledge base, and how to get one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The state where there is no knowledge base: what is missing, and how it is made.
pub fn nowhere(cause: &Error, version: &'static str) -> Status {
    let said: Vec<&str> =
        std::iter::once(cause.message()).chain(cause.hints().iter().map(String::as_str)).collect();
    Status { version, problem: Some(said.join("; ")), ..Status::default() }
}

/// The state as it is now: what changed is read first.
///
/// # Errors
/// When the view can neither be read nor be made.
pub fn status(workspace: &Workspace, version: &'static str) -> Result<Status> {
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
        problem: None,
    })
}
