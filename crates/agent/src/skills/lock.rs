//! `skills.lock.json`: which skills were installed, from where, and the hash of what was copied.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Result, SkillError, files, name};
use elophanto_base::{
    regular::{SHARED, open_or_make},
    whole::{PRIVATE, Synced, write_whole},
};

/// Name of the list, beside the folders of the installed skills.
pub const LOCK_NAME: &str = "skills.lock.json";

/// The file that writers lock. It stays empty and is never removed.
const GUARD: &str = ".skills.guard";
const VERSION: u32 = 1;
const MAX_LOCK_BYTES: u64 = 4 << 20;

/// What is pinned of an installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    /// As [`super::Source`] shows it; a path is absolute.
    pub source: String,
    /// The commit it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Address of the hub it was found in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
    /// Hash of all its files.
    pub tree: String,
}

#[derive(Serialize, Deserialize)]
struct Form {
    version: u32,
    skills: BTreeMap<String, Locked>,
}

/// All installed skills by name, as they are pinned.
///
/// # Errors
/// When the list is there but cannot be read or understood.
pub fn installed(folder: &Path) -> Result<BTreeMap<String, Locked>> {
    let path = folder.join(LOCK_NAME);
    let bytes = match files::read_capped(&path, MAX_LOCK_BYTES) {
        Ok((bytes, _)) => bytes,
        Err(SkillError::Io { source: cause, .. })
            if cause.kind() == std::io::ErrorKind::NotFound =>
        {
            return Ok(BTreeMap::new());
        }
        Err(cause) => return Err(cause),
    };
    let wrong = |why: String| SkillError::Lock { path: path.clone(), why };
    let form: Form =
        serde_json::from_slice(&bytes).map_err(|cause| wrong(name::shown(&cause.to_string())))?;
    if form.version != VERSION {
        return Err(wrong(format!(
            "it is of version {}, this program knows {VERSION}",
            form.version
        )));
    }
    if let Some(bad) = form.skills.keys().find(|name| name::check_name(name).is_err()) {
        return Err(wrong(format!("`{}` is no name of a skill", name::shown(bad))));
    }
    Ok(form.skills)
}

/// Replaces the list: all of it or nothing.
pub(super) fn write(folder: &Path, skills: BTreeMap<String, Locked>) -> Result<()> {
    let path = folder.join(LOCK_NAME);
    let failed = |cause: std::io::Error| SkillError::io(&path, cause);
    let form = Form { version: VERSION, skills };
    let mut bytes = serde_json::to_vec_pretty(&form).map_err(|cause| failed(cause.into()))?;
    bytes.push(b'\n');
    write_whole(&path, &bytes, PRIVATE, Synced::ContentAndName).map_err(failed)
}

/// Makes the folder and lets one writer in at a time, until the file is dropped.
pub(super) fn guard(folder: &Path) -> Result<File> {
    let path: PathBuf = folder.join(GUARD);
    fs::create_dir_all(folder).map_err(|cause| SkillError::io(folder, cause))?;
    let file = open_or_make(&path, SHARED).map_err(|cause| SkillError::io(&path, cause))?;
    file.lock().map_err(|cause| SkillError::io(&path, cause))?;
    Ok(file)
}
