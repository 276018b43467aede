//! Tables as Lance keeps them: of vectors, which git carries, and of the chunks of a whole fleet of
//! repositories, in an object store ([`fleet`], over [`store`]). The one crate that knows Lance, Arrow
//! and object stores.
//!
//! Lance does not check its data pages and follows whatever a table names, so the files that are read
//! are in memory and held against their digest before they come here; they are looked at before Lance
//! decodes them (`form`), and Lance then sees nothing but their bytes (`decode`).

use std::path::{Path, PathBuf};

use elophanto_index::store::tables::{Encoded, Files, Format, Key, TableContent, TableError};
use lance::dataset::InsertBuilder;

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

/// Name of a table before it is sealed: the folder is a LanceDB database that holds it.
const NAME: &str = "vectors.lance";

/// Each table a Lance dataset of its own, which LanceDB opens as a table.
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
        let table = folder.join(NAME);
        let place = uri(&table)?;
        guarded(None, async move {
            InsertBuilder::new(place.as_str()).execute(vec![batch]).await?;
            Ok(())
        })?;
        // Of use to who commits a second version, which no table of ours has: one file less in git.
        std::fs::remove_dir_all(table.join("_transactions"))?;
        Ok(table)
    }

    fn read(&self, files: Files) -> Result<TableContent, TableError> {
        let form = form::of(&files)?;
        decode::decode(files, form)
    }
}

/// Lance takes a path with a scheme for an address, so only canonical paths come here.
fn uri(path: &Path) -> Result<String, TableError> {
    let refused = |why: &str| {
        TableError::Lance(format!("`{}` {why}", path.display().to_string().escape_debug()))
    };
    match path.to_str() {
        None => Err(refused("is not UTF-8, which Lance asks for")),
        Some(text) if text.contains(char::is_control) => {
            Err(refused("holds control characters, which Lance does not take"))
        }
        Some(text) => Ok(text.to_owned()),
    }
}
