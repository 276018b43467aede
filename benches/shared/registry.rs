//! Real texts that any machine has that built the project: cargo's registry sources.

use std::{fs, path::PathBuf};

/// All files with an ending below cargo's registry sources, by path relative to it.
pub fn registry_files(ending: &str) -> Vec<(PathBuf, String)> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let root = home.unwrap().join("registry/src");
    let mut notes: Vec<(PathBuf, String)> = walkdir::WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == ending))
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(&root).ok()?.to_owned();
            Some((path, fs::read_to_string(entry.path()).ok()?))
        })
        .collect();
    // Hidden folders and ignore files of crates must not hide their notes here.
    notes.retain(|(path, _)| {
        path.components().all(|part| !part.as_os_str().to_string_lossy().starts_with('.'))
    });
    notes
}
