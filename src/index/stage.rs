//! The committed index at a commit: one new table for what the commit brings, put into git's
//! index beside the notes.
//!
//! Takes what is *staged*, not what lies in the work tree: after `git add -p` the two differ.
//! A table of ours that an aborted commit left staged is replaced; what is in a commit never is.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use rustc_hash::FxHashSet;

use super::{
    Context, IndexError, Snapshot,
    commit::{TABLES, rows, used_keys},
    version::tables_of,
};
use crate::{
    repo::{CommitId, Git, GitError, NotePath, Staged, Version, head},
    store::{
        matrix::Key,
        registry::Registry,
        tables::{self, TableContent},
        view,
    },
};

/// What is to be put into git's index.
#[derive(Debug, Default)]
pub struct StagedIndex {
    /// Vectors in the table that the commit brings.
    pub vectors: usize,
    /// Vectors in use that the tables of earlier commits hold.
    pub held: usize,
    /// What to change in git's index; empty if it is as it should be.
    pub changes: Vec<Staged>,
    /// Tables in the work tree that have done their work once the changes are staged.
    pub obsolete: Vec<String>,
}

/// Makes the table that goes with the staged notes of `snapshot`; the caller stages or commits
/// the changes.
///
/// # Errors
/// When a table cannot be written or git cannot be read.
pub fn plan_staged(
    context: &Context,
    git: &Git,
    snapshot: &Snapshot,
) -> Result<StagedIndex, IndexError> {
    let folder = context.repository.view_dir();
    let _lock = view::write_lock(&folder, None)?;
    let tables_dir = context.repository.tables_dir();
    let registry_file = view::registry_file(&folder);
    let (registry, _) = Registry::load(&registry_file, &tables_dir)?;
    let fingerprint = context.embedder.fingerprint().as_str();

    let staged = names(git, &Version::Staged);
    let parents = head(git)?.into_iter().chain(git.merge_heads());
    let committed: BTreeSet<String> =
        parents.flat_map(|commit| names(git, &Version::Commit(commit))).collect();
    // Ours from an earlier attempt: remembered, still staged, in no commit.
    let memory = Memory::of(&folder);
    let earlier = match memory.read() {
        Some(name)
            if staged.contains(&name)
                && !committed.contains(&name)
                && !is_in_history(git, &name)? =>
        {
            Some(name)
        }
        Some(_) | None => None,
    };
    let stays = |name: &str| staged.contains(name) && Some(name) != earlier.as_deref();
    let held = registry.keys(fingerprint, stays);
    let used = used_keys(snapshot);
    let missing: FxHashSet<Key> = used.difference(&held).copied().collect();
    let mut plan = StagedIndex {
        vectors: missing.len(),
        held: used.len() - missing.len(),
        ..StagedIndex::default()
    };
    let of = |registry: &Registry, name: &str| registry.keys(fingerprint, |known| known == name);
    if let Some(name) = &earlier
        && of(&registry, name) == missing
    {
        return Ok(plan);
    }
    if let Some(name) = &earlier {
        plan.changes.extend(paths_of(git, name).into_iter().map(|path| Staged::Remove { path }));
        plan.obsolete.push(name.clone());
    }
    if !missing.is_empty() {
        // The pending table of `index` often is exactly what is needed.
        let pending: Vec<String> =
            registry.names().filter(|name| !staged.contains(*name)).map(str::to_owned).collect();
        let same = pending
            .iter()
            .find(|name| !committed.contains(*name) && of(&registry, name) == missing);
        let name = match same {
            Some(name) => name.clone(),
            None => {
                let rows = rows(snapshot, &missing);
                let content = TableContent { fingerprint: fingerprint.to_owned(), rows };
                let staging = view::Staging::new(&folder)?;
                tables::write(&tables_dir, staging.path(), &content)?
            }
        };
        let files = tables::contents(&tables_dir, &name)?;
        let (paths, contents): (Vec<PathBuf>, Vec<Vec<u8>>) = files.into_iter().unzip();
        let objects = git.write_contents(&contents)?;
        plan.changes.extend(paths.iter().zip(objects).map(|(path, object)| Staged::Put {
            path: NotePath::from(Path::new(TABLES).join(&name).join(path).as_path()),
            object,
        }));
        memory.write(&name)?;
        // What a pending table holds is now in the new one: it has done its work.
        let new: FxHashSet<Key> = held.union(&missing).copied().collect();
        for other in pending.iter().filter(|other| **other != name && !committed.contains(*other)) {
            if of(&registry, other).is_subset(&new) {
                plan.obsolete.push(other.clone());
            }
        }
    }
    Ok(plan)
}

/// Removes what a plan replaces, now that its changes are staged. Whoever is stopped before that
/// leaves a table too many, never a staged one without its files.
///
/// # Errors
/// When a table cannot be removed.
pub fn remove_obsolete(context: &Context, plan: &StagedIndex) -> Result<(), IndexError> {
    let folder = context.repository.view_dir();
    let _lock = view::write_lock(&folder, None)?;
    let tables_dir = context.repository.tables_dir();
    for name in &plan.obsolete {
        remove_table(&tables_dir, name)?;
    }
    let registry_file = view::registry_file(&folder);
    let (mut registry, _) = Registry::load(&registry_file, &tables_dir)?;
    registry.save(&registry_file)?;
    Ok(())
}

/// The tables that are staged and not in HEAD, without what `plan` takes out: together with the
/// changes of the plan, what a commit of the index alone brings.
///
/// # Errors
/// When git cannot be read.
pub fn staged_before(
    git: &Git,
    head: Option<CommitId>,
    plan: &StagedIndex,
) -> Result<Vec<Staged>, GitError> {
    let committed = head.map(|commit| names(git, &Version::Commit(commit))).unwrap_or_default();
    let tables = tables_of(git, &Version::Staged, &committed);
    let is_taken_out = |path: &NotePath| {
        let removes =
            |change: &Staged| matches!(change, Staged::Remove { path: gone } if gone == path);
        plan.changes.iter().any(removes)
    };
    let files = tables.into_values().flatten().filter(|file| !is_taken_out(&file.path));
    Ok(files.map(|file| Staged::Put { path: file.path, object: file.object }).collect())
}

/// Whether any commit that a branch or tag leads to holds a table. After `merge --squash` or
/// `cherry-pick --no-commit` a table of another branch is staged, and may well be the one that
/// was staged last here.
fn is_in_history(git: &Git, name: &str) -> Result<bool, GitError> {
    let path = format!("{TABLES}/{name}");
    let arguments =
        ["rev-list", "--max-count=1", "--exclude=refs/stash", "--all", "--", path.as_str()];
    Ok(!git.run(&arguments)?.is_empty())
}

/// Names of a version's tables.
fn names(git: &Git, version: &Version) -> BTreeSet<String> {
    tables_of(git, version, &BTreeSet::new()).into_keys().collect()
}

fn paths_of(git: &Git, name: &str) -> Vec<NotePath> {
    let mut tables = tables_of(git, &Version::Staged, &BTreeSet::new());
    let files = tables.remove(name).unwrap_or_default();
    files.into_iter().map(|file| file.path).collect()
}

fn remove_table(folder: &Path, name: &str) -> io::Result<()> {
    match fs::remove_dir_all(folder.join(name)) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

/// The name of the table that was staged last, so that it can be told from those of others.
struct Memory {
    file: PathBuf,
}

impl Memory {
    fn of(view: &Path) -> Self {
        Self { file: view.join("staged") }
    }

    fn read(&self) -> Option<String> {
        let name = fs::read_to_string(&self.file).ok()?;
        tables::is_name(&name).then_some(name)
    }

    fn write(&self, name: &str) -> io::Result<()> {
        fs::write(&self.file, name)
    }
}
