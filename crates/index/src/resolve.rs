//! Settling a conflict over the committed index: the right index after a merge is the union of
//! all sides, so every table that any side holds and that can be read is taken.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Context, IndexError,
    commit::TABLES,
    version::{table_name, tables_of, write_table},
};
use crate::store::{place, tables, view::Staging};
use elophanto_repo::{Git, NotePath, ObjectId, Staged, Stored, Version, head};

/// How git numbers the sides of a conflict.
const OURS: u8 = b'2';
const THEIRS: u8 = b'3';

/// What was done to settle it.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
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
/// stages them. Without a conflict nothing is changed.
///
/// # Errors
/// When git cannot be read, or a table cannot be written.
pub fn resolve(context: &Context, git: &Git) -> Result<Resolved, IndexError> {
    let objects = git.objects();
    let unmerged = unmerged(git)?;
    let staged = tables_of(git, &Version::Staged, &BTreeSet::new())?;
    let others = git.other_sides();
    if unmerged.is_empty() && others.is_empty() {
        return Ok(Resolved { tables: staged.len(), ..Resolved::default() });
    }
    // Of a side that no commit holds (`stash pop`) the index has what is in conflict, and beside
    // it what is not.
    let mut sides: Vec<BTreeMap<String, Vec<Stored>>> =
        [OURS, THEIRS].map(|stage| with_conflicts(&staged, &unmerged, stage)).into();
    for commit in head(git)?.into_iter().chain(others) {
        sides.push(tables_of(git, &Version::Commit(commit), &BTreeSet::new())?);
    }
    let names: BTreeSet<&String> = sides.iter().flat_map(BTreeMap::keys).collect();

    let folder = context.repository.tables_dir();
    let view = context.view_dir();
    let staging = Staging::new(&view)?;
    let mut resolved = Resolved { conflicts: unmerged.len(), ..Resolved::default() };
    let mut changes: Vec<Staged> =
        unmerged.iter().map(|(_, file)| Staged::Remove { path: file.path.clone() }).collect();
    for name in &names {
        let whole = sides.iter().filter_map(|side| side.get(*name)).find(|files| {
            let _ = fs::remove_dir_all(staging.path().join(name));
            write_table(staging.path(), name, files, &objects).is_ok()
                && tables::read(context.tables, staging.path(), name, Some(&view)).is_ok()
        });
        let Some(files) = whole else {
            resolved.unreadable.push((*name).clone());
            continue;
        };
        resolved.tables += 1;
        if tables::read(context.tables, &folder, name, Some(&view)).is_err() {
            place::remove(&folder, name)?;
            place::put(&folder, name, &staging.path().join(name))?;
            resolved.restored += 1;
        }
        changes.extend(
            files.iter().map(|file| Staged::Put { path: file.path.clone(), object: file.object }),
        );
    }
    // Parts of tables that a conflict left behind, under names that no side knows whole.
    for name in tables::list(&folder)? {
        let known = names.contains(&name) && !resolved.unreadable.contains(&name);
        if !known && tables::read(context.tables, &folder, &name, Some(&view)).is_err() {
            place::remove(&folder, &name)?;
        }
    }
    for name in &resolved.unreadable {
        let staged = staged.get(name).into_iter().flatten();
        changes.extend(staged.map(|file| Staged::Remove { path: file.path.clone() }));
    }
    git.stage(&changes)?;
    Ok(resolved)
}

/// Whether a table is in conflict.
///
/// # Errors
/// When git cannot be read.
pub fn is_in_conflict(git: &Git) -> Result<bool, IndexError> {
    Ok(!unmerged(git)?.is_empty())
}

/// Files below the tables' folder that are staged in conflict, with the number of the side.
fn unmerged(git: &Git) -> Result<Vec<(u8, Stored)>, IndexError> {
    let output = git.run(&["ls-files", "--unmerged", "-z", "--full-name", "--", TABLES])?;
    let mut files = Vec::new();
    for line in output.split(|&byte| byte == 0) {
        // `mode id stage\tpath`.
        let Some(tab) = line.iter().position(|&byte| byte == b'\t') else { continue };
        let fields: Vec<&[u8]> = line[..tab].split(|&byte| byte == b' ').collect();
        if let [_, id, [stage]] = fields[..]
            && let Some(object) = ObjectId::from_hex(id)
        {
            let path = NotePath::new(&line[tab + 1..]);
            files.push((*stage, Stored { path, object, executable: false }));
        }
    }
    Ok(files)
}

/// The staged tables together with one side of what is in conflict. A table that is mixed of two
/// sides does not match its digest.
fn with_conflicts(
    staged: &BTreeMap<String, Vec<Stored>>,
    unmerged: &[(u8, Stored)],
    side: u8,
) -> BTreeMap<String, Vec<Stored>> {
    let mut tables = staged.clone();
    for (stage, file) in unmerged {
        if *stage == side
            && let Some(name) = table_name(&file.path)
        {
            tables.entry(name).or_default().push(file.clone());
        }
    }
    tables
}
