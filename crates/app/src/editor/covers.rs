//! What may be meant by the beginning of a pattern of `covers:`.

use std::{ops::ControlFlow, path::Path};

use elophanto_repo::walk_entries;

/// Names of a folder that are proposed.
const MOST: usize = 300;

/// What may follow the beginning of a pattern: folders (with `/` and with `/**`), files, and files of one
/// ending where several have it. Nothing of hidden folders, and nothing through links.
pub fn proposals(root: &Path, typed: &str) -> Vec<String> {
    let folder = typed.rsplit_once('/').map_or("", |(folder, _)| folder);
    if folder.split('/').any(|part| part == ".." || part.contains(['*', '?', '[', '{'])) {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    let mut endings: Vec<String> = Vec::new();
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut visit = |path: &Path, kind: std::fs::FileType| {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return ControlFlow::Continue(());
        };
        if name.starts_with('.') {
            return ControlFlow::Continue(());
        }
        if kind.is_dir() {
            found.push(format!("{prefix}{name}/**"));
            found.push(format!("{prefix}{name}/"));
        } else if kind.is_file() {
            found.push(format!("{prefix}{name}"));
            endings.extend(name.rsplit_once('.').map(|(_, ending)| ending.to_owned()));
        }
        if found.len() < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    // What cannot be looked at is not proposed.
    let _ = walk_entries(root, Path::new(folder), true, 1, &mut visit);
    endings.sort();
    for run in endings.chunk_by(|one, next| one == next).filter(|run| run.len() > 1) {
        found.push(format!("{prefix}*.{}", run[0]));
    }
    found
}
