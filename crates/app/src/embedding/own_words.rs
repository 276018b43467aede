//! The table of a repository's own words, with which the built-in model is tuned: where it lies, and
//! reading it.
//!
//! Tables lie in `.elophanto/words`, each named by the time it was made and by its digest, so that
//! two branches never write the same file. The latest one counts. Whoever wrote it, it is data from
//! outside: one that is not as it should be is refused as a whole.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};

use elophanto_base::beneath::Folder;
use elophanto_models::{
    Embedder,
    builtin::{Builtin, DIGITS, MOST_BYTES, Tuned, digest},
};

/// Folder of the tables.
pub const FOLDER: &str = ".elophanto/words";
const ENDING: &str = ".words";
/// Names that are looked at.
const MOST_NAMES: usize = 1_000;

/// The built-in model as a repository has it, and why its table is not used if it is refused.
pub fn builtin(root: &Path) -> (Box<dyn Embedder>, Option<String>) {
    let Some(path) = tables(root).pop() else { return (Box::new(Builtin), None) };
    match read(root, &path) {
        Ok(tuned) => (Box::new(tuned), None),
        Err(reason) => {
            let reason = format!(
                "`{}` is not used: {reason}; `{}` goes without it",
                path.display(),
                Builtin.fingerprint()
            );
            (Box::new(Builtin), Some(reason))
        }
    }
}

/// The tables below a root, the latest last. What is not named like one is none.
pub fn tables(root: &Path) -> Vec<PathBuf> {
    let entries = Folder::open(root).and_then(|root| root.entries(Path::new(FOLDER)));
    let names = entries.into_iter().flatten().take(MOST_NAMES).filter_map(|entry| {
        let name = entry.ok()?.0.into_string().ok()?;
        digest_in(&name).is_some().then_some(name)
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names.into_iter().map(|name| Path::new(FOLDER).join(name)).collect()
}

/// The file for a new table.
pub(crate) fn path_for(bytes: &[u8]) -> PathBuf {
    let name = format!("{}-{}{ENDING}", ulid::Ulid::new(), digest(bytes));
    Path::new(FOLDER).join(name)
}

fn read(root: &Path, path: &Path) -> Result<Tuned, String> {
    let whole = |(file, _): (std::fs::File, _)| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = Folder::open(root)
        .and_then(|root| root.read(path))
        .and_then(whole)
        .map_err(|cause| format!("it cannot be read: {cause}"))?;
    let name = path.file_name().and_then(|name| name.to_str()).and_then(digest_in);
    Tuned::read(&bytes, name.unwrap_or_default()).map_err(|cause| cause.to_string())
}

fn digest_in(name: &str) -> Option<&str> {
    let (time, digest) = name.strip_suffix(ENDING)?.split_once('-')?;
    ulid::Ulid::from_string(time).ok()?;
    let is_digest = digest.len() == DIGITS && digest.bytes().all(|it| it.is_ascii_hexdigit());
    is_digest.then_some(digest)
}
