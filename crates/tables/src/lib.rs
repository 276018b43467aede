//! Tables as Lance keeps them: of vectors, which git carries, and of the chunks of a whole fleet of
//! repositories, in an object store ([`fleet`], over [`store`]). The one crate that knows Lance, Arrow
//! and object stores.
//!
//! Lance does not check its data pages and follows whatever a table names, so the files that are read
//! are in memory and held against their digest before they come here; they are looked at before Lance
//! decodes them (`form`), and Lance then sees nothing but their bytes (`decode`).

use std::path::{Path, PathBuf};

use elophanto_index::store::tables::{Encoded, Files, Format, Key, TableContent, TableError};

mod decode;
pub mod fleet;
mod form;
mod rows;
pub mod store;
#[cfg(test)]
mod tests;
mod work;

pub use decode::WORKER_THREAD;
use decode::guarded;

/// Name of the table inside its temporary database.
const NAME: &str = "vectors";

/// Each table a LanceDB table of its own.
#[derive(Debug, Clone, Copy)]
pub struct Lance;

impl Format for Lance {
    fn write(
        &self,
        folder: &Path,
        fingerprint: &str,
        rows: &[(Key, Encoded)],
    ) -> Result<PathBuf, TableError> {
        let batch = rows::encode(fingerprint, rows)
            .map_err(|cause| TableError::Lance(cause.to_string()))?;
        let place = uri(folder)?;
        guarded(None, async move {
            let connection = lancedb::connect(&place).execute().await?;
            connection.create_table(NAME, batch).execute().await?;
            Ok(())
        })?;
        Ok(folder.join(format!("{NAME}.lance")))
    }

    fn read(&self, files: Files) -> Result<TableContent, TableError> {
        let form = form::of(&files)?;
        decode::decode(files, form)
    }
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
