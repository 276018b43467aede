//! Settling a conflict over the committed index: the right index after a merge is the union of
//! all sides, so every table that any side holds and that can be read is taken.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use super::{
    Context, IndexError,
    commit::TABLES,
    version::{table_name, tables_of, write_table},
};
use crate::{
    repo::{Git, NotePath, ObjectId, Staged, Stored, Version, head},
    store::{tables, view::Staging},
};

/// What was done to settle it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// Tables that the index now holds.
    pub tables: usize,
    /// Of these, tables that were missing or damaged in the work tree.
    pub restored: usize,
    /// Paths that were in conflict.
    pub conflicts: usize,
    /// Tables that no side holds whole; what they held is embedded again.
    pub unreadable: Vec<String>,
}

/// Takes every readable table of all sides of a merge, cherry-pick or rebase under way, and
/// stages them.
///
/// # Errors
/// When git cannot be read, or a table cannot be written.
pub fn resolve(context: &Context, git: &Git) -> Result<Resolved, IndexError> {
    let objects = git.objects();
    let unmerged = unmerged(git)?;
    let mut sides: Vec<BTreeMap<String, Vec<Stored>>> = vec![by_table(&unmerged)];
    sides.push(tables_of(git, &Version::Staged, &BTreeSet::new()));
    for commit in head(git)?.into_iter().chain(git.other_sides()) {
        sides.push(tables_of(git, &Version::Commit(commit), &BTreeSet::new()));
    }
    let names: BTreeSet<&String> = sides.iter().flat_map(BTreeMap::keys).collect();

    let folder = context.repository.tables_dir();
    let staging = Staging::new(&context.repository.view_dir())?;
    let mut resolved = Resolved { conflicts: unmerged.len(), ..Resolved::default() };
    let mut changes: Vec<Staged> =
        unmerged.iter().map(|file| Staged::Remove { path: file.path.clone() }).collect();
    for name in &names {
        let whole = sides.iter().filter_map(|side| side.get(*name)).find(|files| {
            let _ = fs::remove_dir_all(staging.path().join(name));
            write_table(staging.path(), name, files, &objects).is_ok()
                && tables::read(staging.path(), name).is_ok()
        });
        let Some(files) = whole else {
            resolved.unreadable.push((*name).clone());
            continue;
        };
        resolved.tables += 1;
        if tables::read(&folder, name).is_err() {
            remove(&folder.join(name))?;
            fs::create_dir_all(&folder)?;
            fs::rename(staging.path().join(name), folder.join(name))?;
            resolved.restored += 1;
        }
        changes.extend(
            files
                .iter()
                .map(|file| Staged::Put { path: file.path.clone(), object: file.object.clone() }),
        );
    }
    // Parts of tables that a conflict left behind, under names that no side knows whole.
    for name in tables::list(&folder)? {
        let known = names.contains(&name) && !resolved.unreadable.contains(&name);
        if !known && tables::read(&folder, &name).is_err() {
            remove(&folder.join(&name))?;
        }
    }
    for name in &resolved.unreadable {
        let staged = sides[1].get(name).into_iter().flatten();
        changes.extend(staged.map(|file| Staged::Remove { path: file.path.clone() }));
    }
    git.stage(&changes)?;
    Ok(resolved)
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

/// Files below the tables' folder that are staged in conflict, once per side.
fn unmerged(git: &Git) -> Result<Vec<Stored>, IndexError> {
    let output = git.run(&["ls-files", "--unmerged", "-z", "--full-name", "--", TABLES])?;
    let mut files = Vec::new();
    for line in output.split(|&byte| byte == 0) {
        // `mode id stage\tpath`.
        let Some(tab) = line.iter().position(|&byte| byte == b'\t') else { continue };
        let id = line[..tab].split(|&byte| byte == b' ').nth(1).unwrap_or_default();
        if let Some(object) = ObjectId::from_hex(id) {
            let path = NotePath::new(&line[tab + 1..]);
            files.push(Stored { path, object, executable: false });
        }
    }
    Ok(files)
}

fn by_table(files: &[Stored]) -> BTreeMap<String, Vec<Stored>> {
    let mut tables: BTreeMap<String, Vec<Stored>> = BTreeMap::new();
    for file in files {
        if let Some(name) = table_name(&file.path) {
            let files = tables.entry(name).or_default();
            // Both sides of a conflict name the same content, or the digest tells.
            if !files.contains(file) {
                files.push(file.clone());
            }
        }
    }
    tables
}
