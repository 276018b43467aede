//! Whose a repository is: git uses none of somebody else's unless its settings say so (`safe.directory`).
//!
//! The file system tells owners, and libgit2 what the settings of the user and of the system name. Only
//! where neither says yes git itself is asked, which knows of `sudo`, `GIT_DIR` and `git -c`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use elophanto_base::platform;

use super::git::{git_dir_by_git, has_other_settings};

/// Whether git uses the repository of a work tree, of which `.git` and the git directory are these.
pub fn is_used_by_git(root: &Path, dot_git: &Path, git_dir: &Path) -> bool {
    let is_own = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| platform::is_own(&it));
    [root, dot_git, git_dir].into_iter().all(is_own)
        || is_named(root)
        || git_dir_by_git(root).is_some_and(|found| real(&found) == real(git_dir))
}

fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// Whether the settings name it beyond doubt: an empty value takes back what stands before it.
fn is_named(root: &Path) -> bool {
    if has_other_settings() {
        return false;
    }
    let Ok(config) = git2::Config::open_default() else { return false };
    let Ok(mut entries) = config.multivar("safe.directory", None) else { return false };
    let mut is_named = false;
    while let Some(entry) = entries.next() {
        let value = entry.ok().filter(|entry| entry.has_value());
        match value.and_then(|entry| entry.value().ok()) {
            None | Some("") => return false,
            Some(value) => is_named |= names(value, root),
        }
    }
    is_named
}

fn names(value: &str, root: &Path) -> bool {
    let is_below = |above: &str| root != Path::new(above) && root.starts_with(above);
    value == "*" || root == Path::new(value) || value.strip_suffix("/*").is_some_and(is_below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_as_git_names_them() {
        for (value, expected) in [
            ("*", true),
            ("/srv/wiki", true),
            ("/srv/wiki/", true),
            ("/srv/*", true),
            ("/*", true),
            ("/srv/wiki/*", false),
            ("/srv", false),
            ("/srv/wi*", false),
            ("/srv/wiki/docs", false),
            ("wiki", false),
            (".", false),
        ] {
            assert_eq!(names(value, Path::new("/srv/wiki")), expected, "{value}");
        }
    }
}
