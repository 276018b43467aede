//! Writing tables. A table gets its name only once what lies on the disk was read back: not every
//! format reports a write that was cut short.

use std::{fs, path::Path};

use super::{Encoded, Files, Format, Key, TableContent, TableError, new_name, place};

/// Most bytes of vectors in a table; what is more goes into further ones.
const PIECE_BYTES: u64 = 64 << 20;
/// Bytes of a row besides its codes: key and scale.
pub const ROW_BYTES: u64 = 20;

/// Writes what is given as tables below `folder`, one unless it is more than a table may hold, and
/// returns their names. `staging` is a folder for temporary files that is never committed.
///
/// # Errors
/// When a table cannot be written, or is not on the disk as it was written; then it has no name.
pub fn write(
    format: &dyn Format,
    folder: &Path,
    staging: &Path,
    content: &TableContent,
) -> Result<Vec<String>, TableError> {
    let dimension = content.rows.first().map_or(0, |(_, vector)| vector.codes.len());
    content
        .rows
        .chunks(rows_of_piece(dimension))
        .map(|rows| write_one(format, folder, staging, &content.fingerprint, rows))
        .collect()
}

/// How many tables [`write()`] makes of this many vectors.
pub fn pieces(rows: usize, dimension: usize) -> usize {
    rows.div_ceil(rows_of_piece(dimension))
}

/// How many vectors one table holds.
pub fn rows_of_piece(dimension: usize) -> usize {
    (PIECE_BYTES / (ROW_BYTES + dimension as u64)).max(1) as usize
}

fn write_one(
    format: &dyn Format,
    folder: &Path,
    staging: &Path,
    fingerprint: &str,
    rows: &[(Key, Encoded)],
) -> Result<String, TableError> {
    fs::create_dir_all(staging)?;
    let temporary = tempfile::Builder::new().prefix("table-").tempdir_in(staging)?;
    let written = format.write(&fs::canonicalize(temporary.path())?, fingerprint, rows)?;
    let digest = read_back(format, &written, fingerprint, rows)
        .map_err(|cause| TableError::Unwritten(Box::new(cause)))?;
    let name = new_name(&digest);
    place::put(folder, &name, &written)?;
    Ok(name)
}

/// The digest of a table on the disk, if it holds these very rows.
fn read_back(
    format: &dyn Format,
    table: &Path,
    fingerprint: &str,
    rows: &[(Key, Encoded)],
) -> Result<String, TableError> {
    let files = Files::read(table)?;
    let digest = files.digest();
    let content = format.read(files)?;
    if content.fingerprint != fingerprint || content.rows != rows {
        return Err(TableError::Differs);
    }
    Ok(digest)
}
