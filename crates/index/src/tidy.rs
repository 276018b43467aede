//! Removing local data that is no longer needed. Everything here is made again when it is.

use std::{
    fs, io, iter,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Context, IndexError, Kind,
    commit::TABLES,
    source::{Notes, Source},
};
use crate::store::{cache, registry::Registry, view};
use elophanto_repo::tracked_under;

/// What was removed, or would be.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tidied {
    #[serde(rename = "files_removed")]
    pub files: usize,
    #[serde(rename = "bytes_freed")]
    pub bytes: u64,
}

/// Removes what was kept of versions other than the work tree, views of other models, and cached
/// vectors that a tracked table holds. Of a dry run the cache is left out: what it would give is
/// only known once it is done.
///
/// # Errors
/// When something is there and cannot be removed.
pub fn tidy(context: &Context, dry: bool) -> Result<Tidied, IndexError> {
    let mut tidied = Tidied::default();
    for folder in others(context).into_iter().chain([context.past_of(&Notes)]) {
        // Nobody is adding to it while it goes.
        let lock = if folder.exists() { view::write_lock(&folder, None).ok() } else { None };
        count(&folder, &mut tidied)?;
        if !dry && folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        drop(lock);
    }
    if !dry {
        tidied.bytes += prune(context)?;
    }
    Ok(tidied)
}

/// Folders of views of other models than the present one, but for the built-in one.
fn others(context: &Context) -> Vec<PathBuf> {
    let mut own: Vec<PathBuf> = Kind::COLLECTIONS.map(|kind| context.model_dir(kind.name())).into();
    for source in iter::once(&Notes as &dyn Source).chain(context.lessons) {
        own.extend([context.view_of(source), context.past_of(source)]);
    }
    let near = own[0].parent().and_then(|folder| fs::read_dir(folder).ok());
    let paths = near.into_iter().flatten().flatten().map(|entry| entry.path());
    let is_view = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let made = ["view-", "past-", "summary-", "fact-", "memory-"]
            .iter()
            .any(|begin| name.starts_with(begin));
        made && !own.contains(path)
    };
    paths.filter(is_view).collect()
}

/// Bytes freed in the vector cache.
fn prune(context: &Context) -> Result<u64, IndexError> {
    let folder = context.repository.vectors_dir();
    let tracked = tracked_under(context.repository, TABLES)?;
    let (registry, _) =
        Registry::read_all(context.tables, &context.repository.tables_dir(), &context.view_dir())?;
    let fingerprint = context.embedder.fingerprint().as_str();
    let held = registry.keys(fingerprint, |name| tracked.contains(name.as_bytes()));
    let before = cache::size(&folder)?.bytes;
    cache::prune(&folder, |key| !held.contains(key))?;
    Ok(before.saturating_sub(cache::size(&folder)?.bytes))
}

fn count(folder: &Path, tidied: &mut Tidied) -> io::Result<()> {
    for entry in walkdir::WalkDir::new(folder).follow_links(false) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => {
                tidied.files += 1;
                tidied.bytes += entry.metadata().map_or(0, |metadata| metadata.len());
            }
            Ok(_) => {}
            Err(cause) if cause.io_error().is_some_and(is_gone) => {}
            Err(cause) => return Err(cause.into()),
        }
    }
    Ok(())
}

fn is_gone(cause: &io::Error) -> bool {
    cause.kind() == io::ErrorKind::NotFound
}
