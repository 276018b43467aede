//! Folders as somebody calls them, who may have come there through links.

use std::path::{Path, PathBuf};

/// What `top` is called by whoever calls a folder in it so. Where a link on the way skips folders, that is
/// not to be told from the folder: then it is called as it is.
pub fn called(folder: &Path, top: &Path) -> PathBuf {
    let canonical = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let depth = canonical.strip_prefix(top).map_or(0, |below| below.iter().count());
    let is_top = |above: &&Path| above.canonicalize().is_ok_and(|it| it == top);
    folder.ancestors().nth(depth).filter(is_top).unwrap_or(top).to_owned()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_top_is_called_as_whoever_came_through_a_link_calls_it() {
        let house = tempfile::tempdir().unwrap();
        let house = house.path().canonicalize().unwrap();
        let top = house.join("top");
        fs::create_dir_all(top.join("a/b")).unwrap();
        symlink(&top, house.join("link")).unwrap();
        symlink(top.join("a/b"), house.join("deep")).unwrap();
        for (folder, expected) in [
            ("top", "top"),
            ("top/a", "top"),
            ("link", "link"),
            ("link/a/b", "link"),
            // What is above of it is another folder.
            ("deep", "top"),
            ("gone", "top"),
        ] {
            assert_eq!(called(&house.join(folder), &top), house.join(expected), "{folder}");
        }
    }
}
