//! All that was said in a session, a message a line. It is only ever appended to: the session itself
//! holds what the model is told, of which a summary takes the place of older messages.

use std::{
    fs,
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
};

use uuid::Uuid;

use super::{Sessions, SessionsError, form};
use crate::Session;
use elophanto_base::{
    regular::{self, if_there},
    whole::{PRIVATE, Synced},
};
use elophanto_models::llm::Message;

/// Bytes of such a file.
const CAP: u64 = 64 * 1024 * 1024;

/// A whole conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Said {
    /// The oldest first.
    pub messages: Vec<Message>,
    /// Lines that cannot be read.
    pub damaged: usize,
}

impl Sessions {
    /// Adds what was said. `before` is what comes before it where nothing was kept yet, as older
    /// versions did. Whoever calls it holds the session's lock.
    ///
    /// # Errors
    /// When it cannot be written, or the file would be over its cap.
    pub(crate) fn add_said(
        &self,
        id: Uuid,
        before: &[Message],
        new: &[Message],
        synced: Synced,
    ) -> Result<(), SessionsError> {
        if before.is_empty() && new.is_empty() {
            return Ok(());
        }
        let path = self.said_path(id);
        let written = self.make_folder().and_then(|()| append(&path, before, new, synced));
        written.map_err(|cause| SessionsError::Io { path, action: "written", source: cause })
    }

    /// All that was said in a session, what became a summary for the model too.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn said(&self, session: &Session) -> Result<Said, SessionsError> {
        let path = self.said_path(session.id);
        let failed =
            |cause| SessionsError::Io { path: path.clone(), action: "read", source: cause };
        let read = regular::open(&path).and_then(|file| regular::read_capped(file, CAP));
        let Some(read) = if_there(read).map_err(failed)? else {
            return Ok(Said { messages: session.messages.clone(), damaged: 0 });
        };
        let bytes = read.ok_or_else(|| failed(over_cap()))?;
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mut said = Said::default();
        for line in lines {
            match form::message_of_line(line) {
                Some(message) => said.messages.push(message),
                None => said.damaged += 1,
            }
        }
        Ok(said)
    }

    /// Removes it with its session.
    pub(super) fn remove_said(&self, id: Uuid) -> Result<(), SessionsError> {
        let path = self.said_path(id);
        let removed = if_there(fs::remove_file(&path)).map(drop);
        removed.map_err(|cause| SessionsError::Io { path, action: "removed", source: cause })
    }

    fn said_path(&self, id: Uuid) -> PathBuf {
        self.folder.join(format!("{}.said.jsonl", id.hyphenated()))
    }
}

/// One buffer, one write; a line that a killed process has not ended is ended first.
fn append(path: &Path, before: &[Message], new: &[Message], synced: Synced) -> io::Result<()> {
    drop(regular::open_or_make(path, PRIVATE)?);
    let mut file = regular::careful().append(true).read(true).open(path)?;
    let length = file.metadata().and_then(|it| match it.is_file() {
        true => Ok(it.len()),
        false => Err(io::Error::other("it is not a regular file")),
    })?;
    let mut bytes = Vec::new();
    if length > 0 {
        let mut last = [0];
        file.seek(io::SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            bytes.push(b'\n');
        }
    }
    let before = if length == 0 { before } else { &[] };
    for message in before.iter().chain(new) {
        bytes.extend(form::line_of_message(message));
    }
    if length + bytes.len() as u64 > CAP {
        return Err(over_cap());
    }
    if bytes.is_empty() {
        return Ok(());
    }
    file.write_all(&bytes)?;
    if matches!(synced, Synced::Nothing) { Ok(()) } else { file.sync_data() }
}

fn over_cap() -> io::Error {
    io::Error::other(format!("over the cap of {CAP} bytes"))
}
