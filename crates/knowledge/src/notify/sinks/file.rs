//! A file that grows by one line of JSON per message.

use std::{fs::File, os::unix::fs::OpenOptionsExt, path::PathBuf};

use super::{Sink, SinkError, Wire};
use crate::notify::Message;
use elophanto_base::jsonl::Log;

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
        let made = File::options()
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(&self.path);
        made.map_err(|cause| SinkError::File { path: self.path.clone(), cause })?;
        Ok(Log::new(&self.path).append(&Wire::from(message))?)
    }
}
