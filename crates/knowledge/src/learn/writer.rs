//! Who writes here: a random id for each clone, so that no name or address is written down.

use std::{
    fs,
    io::{ErrorKind, Write},
};

use ulid::Ulid;

use super::LearnError;
use elophanto_base::{regular, whole::PRIVATE};
use elophanto_repo::record_store::RecordStore;

/// The id of this clone; made when it is first asked for.
///
/// # Errors
/// When there is none and none can be kept.
pub fn writer(record_store: &RecordStore) -> Result<String, LearnError> {
    let folder = record_store.repository.local_dir();
    let path = folder.join("writer");
    if let Some(known) = read(&path) {
        return Ok(known);
    }
    fs::create_dir_all(&folder).map_err(LearnError::Writer)?;
    let new = Ulid::new().to_string();
    match regular::make_new(&path, PRIVATE).and_then(|mut file| file.write_all(new.as_bytes())) {
        Ok(()) => Ok(new),
        // Another process was faster, or what is there is no id.
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => match read(&path) {
            Some(known) => Ok(known),
            None => {
                elophanto_index::store::write_whole(&path, new.as_bytes())
                    .map_err(LearnError::Writer)?;
                Ok(new)
            }
        },
        Err(cause) => Err(LearnError::Writer(cause)),
    }
}

/// The id of this clone, if it has one.
pub fn known_writer(record_store: &RecordStore) -> Option<String> {
    read(&record_store.repository.local_dir().join("writer"))
}

fn read(path: &std::path::Path) -> Option<String> {
    let text = regular::read_text(path, 64).ok()?;
    Ulid::from_string(text.trim()).ok().map(|id| id.to_string())
}
