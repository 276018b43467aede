//! A file that grows by one line of JSON per message.

use std::path::PathBuf;

use super::{Sink, SinkError, Wire};
use crate::notify::Message;
use elophanto_base::{jsonl::Log, regular::open_or_make, whole::PRIVATE};

/// A file of messages, made so that only its owner may read it. Its folder must be there.
#[derive(Debug, Clone)]
pub struct FileSink {
    path: PathBuf,
}

impl FileSink {
    /// Touches nothing yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl Sink for FileSink {
    fn send(&self, message: &Message) -> Result<(), SinkError> {
        // The log makes files that others may read; this one is there before it looks.
        let made = open_or_make(&self.path, PRIVATE);
        made.map_err(|cause| SinkError::File { path: self.path.clone(), source: cause })?;
        Ok(Log::new(&self.path).append(&Wire::from(message))?)
    }
}
