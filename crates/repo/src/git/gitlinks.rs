//! Where commits of other repositories stand in this one: the places of submodules.

use std::{collections::BTreeSet, path::PathBuf};

use elophanto_base::platform;

use super::{Git, GitError};

/// The mode of such an entry.
const MODE: &[u8] = b"160000";

/// All paths where the index or HEAD has a commit of another repository, checked out or not,
/// relative to the root.
///
/// # Errors
/// When git cannot read the index.
pub fn gitlinks(git: &Git) -> Result<BTreeSet<PathBuf>, GitError> {
    let mut found = BTreeSet::new();
    take(&git.run(&["ls-files", "--stage", "-z"])?, &mut found);
    // No commit yet is an answer, not a failure: then only the index counts.
    let committed = git.run(&["ls-tree", "-r", "-z", "--full-tree", "HEAD"]).unwrap_or_default();
    take(&committed, &mut found);
    Ok(found)
}

/// Records of both are `MODE ... TAB PATH`.
fn take(listed: &[u8], found: &mut BTreeSet<PathBuf>) {
    for record in listed.split(|&byte| byte == 0).filter(|record| record.starts_with(MODE)) {
        if let Some(tab) = record.iter().position(|&byte| byte == b'\t') {
            found.insert(platform::path(&record[tab + 1..]).to_owned());
        }
    }
}
