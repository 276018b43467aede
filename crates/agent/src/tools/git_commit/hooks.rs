//! What `git commit` would do besides, and a commit made by plumbing does not: ask the user's
//! hooks, sign.

use std::{fs, path::PathBuf};

use elophanto_base::platform::{self, is_executable};
use elophanto_repo::Git;

/// Hooks that may refuse or change a commit.
const NAMES: &[&str] = &["pre-commit", "prepare-commit-msg", "commit-msg"];

/// Those that are there and may be run.
pub(super) fn named(git: &Git) -> Vec<&'static str> {
    let folder = folder(git);
    let runs = |name: &&&str| {
        fs::metadata(folder.join(name)).is_ok_and(|found| found.is_file() && is_executable(&found))
    };
    NAMES.iter().filter(runs).copied().collect()
}

/// Whether the user's settings ask for signed commits. Ours, which comes last, says no.
pub(super) fn signs(git: &Git) -> bool {
    let asked = ["config", "-z", "--type=bool", "--get-all", "commit.gpgSign"];
    let said = git.run(&asked).unwrap_or_default();
    let values: Vec<&[u8]> =
        said.split(|&byte| byte == 0).filter(|said| !said.is_empty()).collect();
    // The last of what stands in files.
    values.iter().rev().nth(1).is_some_and(|value| *value == b"true")
}

/// Git is run with a setting of ours for this, which comes last; the one before it is the user's.
fn folder(git: &Git) -> PathBuf {
    let asked = ["config", "-z", "--type=path", "--get-all", "core.hooksPath"];
    let said = git.run(&asked).unwrap_or_default();
    let values: Vec<&[u8]> =
        said.split(|&byte| byte == 0).filter(|path| !path.is_empty()).collect();
    match values.iter().rev().find(|path| **path != b"/dev/null") {
        Some(path) => git.root().join(platform::path(path)),
        None => git.common_dir().join("hooks"),
    }
}
