//! Making a folder of skills a hub: `index.json` at its top.

use std::path::Path;

use serde::Serialize;

use super::{
    super::{Result, SkillError, Warning, files, name, plan::front_of, remote::Listed, warnings},
    Entry, folder,
    listing::{self, INDEX, Index},
};
use elophanto_base::beneath::Folder;

/// What is published now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Sorted by name.
    pub entries: Vec<Entry>,
    /// What to look at, with the skill it is about: whoever installs it is told the same.
    pub warnings: Vec<(String, Warning)>,
    /// Whether the list is another than before.
    pub changed: bool,
}

#[derive(Serialize)]
struct SkillsFile<'a> {
    version: u32,
    skills: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    description: &'a str,
    path: &'a str,
}

/// Writes the list of all skills below a folder: all of them, or none if one of them could not be
/// installed from there.
///
/// # Errors
/// [`SkillError::Unpublished`] with what is wrong; [`SkillError::NoSkill`] when there is none,
/// [`SkillError::Occupied`] when an `index.json` of another kind is there; when it cannot be read or
/// written.
pub fn publish(root: &Path) -> Result<Published> {
    let failed = |cause| SkillError::io(root, cause);
    let place = root.canonicalize().map_err(failed)?;
    let listed = folder::list(&place)?;
    let read = |files: &[&Listed], max| folder::read(&place, files, max);
    let mut problems = Vec::new();
    let mut entries = listing::from_folders(&listed, &read, &mut problems)?;
    listing::each_once(&mut entries, &mut problems);
    let mut found = Vec::new();
    for entry in &entries {
        match looked_at(&place, entry) {
            Ok(warnings) => {
                found.extend(warnings.into_iter().map(|warning| (entry.name.clone(), warning)));
            }
            Err(cause) => problems.push(cause.to_string()),
        }
    }
    if !problems.is_empty() {
        return Err(SkillError::Unpublished(problems));
    }
    if entries.is_empty() {
        return Err(SkillError::NoSkill(name::shown(&root.to_string_lossy())));
    }
    let form = SkillsFile { version: 1, skills: entries.iter().map(row).collect() };
    let mut bytes = serde_json::to_vec_pretty(&form).map_err(|cause| failed(cause.into()))?;
    bytes.push(b'\n');
    let index = place.join(INDEX);
    let before = match listed.iter().any(|file| file.path == INDEX) {
        true => Some(files::read_capped(&index, listing::MAX_INDEX_BYTES)?.0),
        false => None,
    };
    if before.as_ref().is_some_and(|before| serde_json::from_slice::<Index>(before).is_err()) {
        return Err(SkillError::Occupied(index));
    }
    let changed = before.as_ref() != Some(&bytes);
    if changed {
        let write = || Folder::open(&place)?.write(Path::new(INDEX), &bytes);
        write().map_err(|cause| SkillError::io(&index, cause))?;
    }
    Ok(Published { entries, warnings: found, changed })
}

fn row(entry: &Entry) -> Row<'_> {
    let Entry { name, description, path, .. } = entry;
    Row { name, description, path }
}

/// Reads all of a skill as installing it would.
fn looked_at(root: &Path, entry: &Entry) -> Result<Vec<Warning>> {
    let (contents, skipped) = folder::contents(root, &entry.path)?;
    let named = entry.path.rsplit('/').next().filter(|name| !name.is_empty());
    Ok(warnings::find(&front_of(&contents, &entry.path, named)?, &contents, &skipped))
}
