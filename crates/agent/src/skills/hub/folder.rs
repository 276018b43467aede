//! A hub in a folder of this machine, read as it is.

use std::{fs, path::Path};

use super::{
    super::{
        Result, SkillError,
        files::{self, Content, Skipped},
        name,
        remote::{Kind, Listed},
    },
    Hub, listing,
};

/// Folders inside each other.
const MAX_DEPTH: usize = 8;
/// Files and folders that are looked at.
const MAX_LISTED: usize = 100_000;

/// What lies there.
pub(super) fn hub(address: &str, root: &Path) -> Result<Hub> {
    let listed = list(root)?;
    listing::hub(address, "", &listed, &|files: &[&Listed], max| read(root, files, max))
}

/// The files of one skill.
pub(super) fn contents(root: &Path, folder: &str) -> Result<(Vec<Content>, Vec<Skipped>)> {
    files::read_folder(&root.join(folder))
}

/// All regular files, `.git` apart; links are not followed.
pub(super) fn list(root: &Path) -> Result<Vec<Listed>> {
    let mut listed = Vec::new();
    let mut looked = 0;
    let mut open = vec![(root.to_owned(), String::new(), 0)];
    while let Some((place, prefix, depth)) = open.pop() {
        let failed = |cause| SkillError::io(&place, cause);
        for entry in fs::read_dir(&place).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            looked += 1;
            if looked > MAX_LISTED {
                let (what, max) = (name::shown(&root.to_string_lossy()), MAX_LISTED as u64);
                return Err(SkillError::TooLarge { what, max, unit: "files" });
            }
            let kind = entry.file_type().map_err(failed)?;
            // A name that is no UTF-8 is that of no skill.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{prefix}{name}");
            if kind.is_dir() && name != ".git" && depth + 1 < MAX_DEPTH {
                open.push((entry.path(), format!("{path}/"), depth + 1));
            } else if kind.is_file() {
                let size = entry.metadata().map_err(failed)?.len();
                listed.push(Listed { path, id: String::new(), size, kind: Kind::Regular });
            }
        }
    }
    listed.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(listed)
}

/// The bytes of files that were listed.
pub(super) fn read(root: &Path, files: &[&Listed], max: u64) -> Result<Vec<Vec<u8>>> {
    let mut left = max;
    let mut read = Vec::with_capacity(files.len());
    for file in files {
        let (bytes, _) = files::read_capped(&root.join(&file.path), left)?;
        left = left.saturating_sub(bytes.len() as u64);
        read.push(bytes);
    }
    Ok(read)
}
