//! Writing tables. A table gets its name only once what lies on the disk was read back: Lance does
//! not report a write that was cut short.

use std::{fs, path::Path};

use super::{
    Encoded, Key, TableContent, TableError,
    decode::{self, guarded},
    files::Files,
    form, new_name, place,
    rows::{self, ROW_BYTES},
};

/// Name of the table inside its temporary database.
const TEMPORARY_NAME: &str = "vectors";
/// Most bytes of vectors in a table; what is more goes into further ones.
const PIECE_BYTES: u64 = 64 << 20;

/// Writes what is given as tables below `folder`, one unless it is more than a table may hold, and
/// returns their names. `staging` is a folder for temporary files that is never committed.
///
/// # Errors
/// When a table cannot be written, or is not on the disk as it was written; then it has no name.
pub fn write(
    folder: &Path,
    staging: &Path,
    content: &TableContent,
) -> Result<Vec<String>, TableError> {
    let dimension = content.rows.first().map_or(0, |(_, vector)| vector.codes.len());
    content
        .rows
        .chunks(rows_of_piece(dimension))
        .map(|rows| write_one(folder, staging, &content.fingerprint, rows))
        .collect()
}

/// How many tables [`write()`] makes of this many vectors.
pub fn pieces(rows: usize, dimension: usize) -> usize {
    rows.div_ceil(rows_of_piece(dimension))
}

fn rows_of_piece(dimension: usize) -> usize {
    (PIECE_BYTES / (ROW_BYTES + dimension as u64)).max(1) as usize
}

fn write_one(
    folder: &Path,
    staging: &Path,
    fingerprint: &str,
    rows: &[(Key, Encoded)],
) -> Result<String, TableError> {
    fs::create_dir_all(staging)?;
    let temporary = tempfile::Builder::new().prefix("table-").tempdir_in(staging)?;
    let database = fs::canonicalize(temporary.path())?;
    let batch =
        rows::encode(fingerprint, rows).map_err(|cause| TableError::Lance(cause.to_string()))?;
    let place = uri(&database)?;
    guarded(None, async move {
        let connection = lancedb::connect(&place).execute().await?;
        connection.create_table(TEMPORARY_NAME, batch).execute().await?;
        Ok(())
    })?;
    let written = database.join(format!("{TEMPORARY_NAME}.lance"));
    let digest = read_back(&written, fingerprint, rows)
        .map_err(|cause| TableError::Unwritten(Box::new(cause)))?;
    let name = new_name(&digest);
    place::put(folder, &name, &written)?;
    Ok(name)
}

/// The digest of a table on the disk, if it holds these very rows.
fn read_back(
    table: &Path,
    fingerprint: &str,
    rows: &[(Key, Encoded)],
) -> Result<String, TableError> {
    let files = Files::read(table)?;
    let digest = files.digest();
    let form = form::of(&files)?;
    let content = decode::decode(files, form)?;
    if content.fingerprint != fingerprint || content.rows != rows {
        return Err(TableError::Differs);
    }
    Ok(digest)
}

/// LanceDB takes a path that is not absolute for something else (a name starting with `db` for
/// its cloud service), so only canonical paths come here.
fn uri(path: &Path) -> Result<String, TableError> {
    let refused = |why: &str| {
        TableError::Lance(format!("`{}` {why}", path.display().to_string().escape_debug()))
    };
    match path.to_str() {
        None => Err(refused("is not UTF-8, which LanceDB asks for")),
        Some(text) if text.contains(char::is_control) => {
            Err(refused("holds control characters, which LanceDB does not take"))
        }
        Some(text) => Ok(text.to_owned()),
    }
}
