//! The committed index at a commit: one new table for what the commit brings, put into git's
//! index beside the notes.
//!
//! Takes what is *staged*, not what lies in the work tree: after `git add -p` the two differ.
//! A table that no parent of the commit holds is replaced where it is of an attempt that came to nothing, or of
//! text that the commit has not; one that a parent holds never is.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

use super::{
    Context, IndexError, Snapshot,
    commit::{TABLES, used_keys, write_tables},
    version::{fetch_tables, tables_of},
};
use crate::store::{place, registry::Registry, tables, view, write_whole};
use elophanto_base::regular::read_text;
use elophanto_repo::{CommitId, Git, GitError, NotePath, Staged, Stored, Version};

/// Largest name that is remembered, in bytes.
const MOST_BYTES: u64 = 255;

/// What is to be put into git's index.
#[derive(Debug, Default)]
pub struct StagedIndex {
    /// Vectors in the table that the commit brings.
    pub vectors: usize,
    /// What to change in git's index; empty if it is as it should be.
    pub changes: Vec<Staged>,
    /// Tables in the work tree that have done their work once the changes are staged.
    pub obsolete: Vec<String>,
}

/// The tables that a commit is to hold, as things stand.
pub struct StagedTables {
    staged: BTreeMap<String, Vec<Stored>>,
    committed: BTreeMap<String, Vec<Stored>>,
}

impl StagedTables {
    /// Of a commit with these parents.
    ///
    /// # Errors
    /// When git cannot list a version.
    pub fn of(git: &Git, parents: &[CommitId]) -> Result<Self, GitError> {
        let tables = |version: &Version| tables_of(git, version, &BTreeSet::new());
        let mut committed = BTreeMap::new();
        for parent in parents {
            committed.extend(tables(&Version::Commit(*parent))?);
        }
        Ok(Self { staged: tables(&Version::Staged)?, committed })
    }

    /// Whether there are some that no parent holds.
    pub fn brings_any(&self) -> bool {
        self.staged.keys().any(|name| !self.committed.contains_key(name))
    }
}

/// Makes the table that goes with the staged notes of `snapshot`, which holds all that git is to carry vectors
/// of if the tables bring any; the caller stages or commits the changes.
///
/// # Errors
/// When a table cannot be written or git cannot be read.
pub fn plan_staged(
    context: &Context,
    git: &Git,
    snapshot: &Snapshot,
    tables: &StagedTables,
) -> Result<StagedIndex, IndexError> {
    let folder = context.view_dir();
    let _lock = view::write_lock(&folder, None)?;
    let tables_dir = context.repository.tables_dir();
    let remembered = view::registry_folder(&folder);
    let (mut registry, _) = Registry::load(context.tables, &remembered, &tables_dir)?;
    let fingerprint = context.embedder.fingerprint().as_str();

    let StagedTables { staged, committed } = tables;
    // A sparse work tree holds none of them, and what is damaged there is whole in git.
    let elsewhere = fetch_tables(staged, &git.objects(), &mut registry, &folder, context.tables);
    // Ours from an earlier attempt: remembered, still staged, in no commit.
    let memory = Memory::of(&folder);
    let ours = match memory.read() {
        Some(name) if !committed.contains_key(&name) && !is_in_history(git, &name)? => Some(name),
        Some(_) | None => None,
    };
    let of = |registry: &Registry, name: &str| registry.keys(fingerprint, |known| known == name);
    let used = used_keys(snapshot);
    // So are those that no commit before this one holds and that are of other text too: of a commit that
    // is amended or squashed, of a note as it was when `index` ran. What is large stays as it is, and what
    // was compacted of the tables of a parent, for other branches use it.
    let is_compacted = committed.keys().any(|name| !staged.contains_key(name));
    let large = tables::rows_of_piece(context.embedder.dimension());
    let is_of_other_text = |name: &str| {
        let keys = of(&registry, name);
        keys.len() < large && !keys.without(&used).is_empty()
    };
    let is_earlier = |name: &&String| {
        ours.as_ref() == Some(*name)
            || !is_compacted && !committed.contains_key(*name) && is_of_other_text(name)
    };
    let earlier: BTreeSet<String> = staged.keys().filter(is_earlier).cloned().collect();
    let stays = |name: &str| staged.contains_key(name) && !earlier.contains(name);
    // Half of a table may be staged, or half of it unstaged.
    let is_whole = |name: &str| {
        let of_commit = committed.get(name);
        let staged: Option<BTreeSet<&NotePath>> =
            staged.get(name).map(|files| files.iter().map(|file| &file.path).collect());
        of_commit.map(|files| files.iter().map(|file| &file.path).collect()) == staged
            || tables::contents(&tables_dir, name).is_ok_and(|files| {
                staged.is_some_and(|staged| {
                    files.iter().all(|(path, _)| staged.contains(&path_in_git(name, path)))
                })
            })
    };
    let held = registry.keys(fingerprint, |name| stays(name) && is_whole(name));
    let missing = used.without(&held);
    let mut plan = StagedIndex { vectors: missing.len(), ..StagedIndex::default() };
    if let Some(name) = earlier.first().filter(|_| earlier.len() == 1)
        && of(&registry, name) == missing
        && is_whole(name)
    {
        return Ok(plan);
    }
    for name in &earlier {
        let files = staged.get(name).into_iter().flatten();
        plan.changes.extend(files.map(|file| Staged::Remove { path: file.path.clone() }));
    }
    let mut needed = Vec::new();
    // What the user keeps out of git stays out.
    let new = path_in_git("x.lance", Path::new("data"));
    let is_kept_out =
        !missing.is_empty() && git.ignored(&[&new]).is_ok_and(|ignored| !ignored.is_empty());
    if is_kept_out {
        plan.vectors = 0;
    } else if !missing.is_empty() {
        // The pending table of `index`, or that of an attempt, often is exactly what is needed.
        let same = registry
            .names()
            .filter(|name| !stays(name) && !committed.contains_key(*name))
            .find(|name| of(&registry, name) == missing && tables_dir.join(name).is_dir());
        needed = match same {
            Some(name) => vec![name.to_owned()],
            None => write_tables(context, snapshot, &missing)?,
        };
        for name in &needed {
            let files = tables::contents(&tables_dir, name)?;
            let (paths, contents): (Vec<PathBuf>, Vec<Vec<u8>>) = files.into_iter().unzip();
            let objects = git.write_contents(&contents)?;
            let puts = paths.iter().zip(objects);
            plan.changes.extend(
                puts.map(|(path, object)| Staged::Put { path: path_in_git(name, path), object }),
            );
            // Of several the last: another attempt makes that one again and keeps the others.
            memory.write(name)?;
        }
    }
    // What a pending table holds is now in the new one: it has done its work. So has the table of
    // an attempt that came to nothing.
    let new = held.with(&missing);
    for other in registry.names() {
        let done = Some(other) == ours.as_deref()
            || earlier.contains(other)
            || (!needed.is_empty()
                && !staged.contains_key(other)
                && of(&registry, other).without(&new).is_empty());
        if done && !needed.iter().any(|name| name == other) && !committed.contains_key(other) {
            plan.obsolete.push(other.to_owned());
        }
    }
    plan.changes.extend(intended(git, &plan.obsolete, staged)?);
    drop(elsewhere);
    Ok(plan)
}

/// Takes out of git's index what `git add --intent-to-add` put there of tables that go: nothing of it is staged.
fn intended(
    git: &Git,
    obsolete: &[String],
    staged: &BTreeMap<String, Vec<Stored>>,
) -> Result<Vec<Staged>, GitError> {
    let mut arguments = vec!["ls-files".to_owned(), "-z".to_owned(), "--".to_owned()];
    let gone = obsolete.iter().filter(|name| !staged.contains_key(*name));
    arguments.extend(gone.map(|name| format!(":(top,literal){TABLES}/{name}")));
    if arguments.len() == 3 {
        return Ok(Vec::new());
    }
    let output = git.run(&arguments)?;
    let paths = output.split(|&byte| byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(|path| Staged::Remove { path: NotePath::new(path) }).collect())
}

/// Removes what a plan replaces, now that its changes are staged. Whoever is stopped before that
/// leaves a table too many, never a staged one without its files.
///
/// # Errors
/// When a table cannot be removed.
pub fn remove_obsolete(context: &Context, plan: &StagedIndex) -> Result<(), IndexError> {
    let folder = context.view_dir();
    let _lock = view::write_lock(&folder, None)?;
    let tables_dir = context.repository.tables_dir();
    for name in &plan.obsolete {
        place::remove(&tables_dir, name)?;
    }
    let remembered = view::registry_folder(&folder);
    let (mut registry, _) = Registry::load(context.tables, &remembered, &tables_dir)?;
    registry.save(&remembered);
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
    let committed = match head {
        Some(commit) => names(git, &Version::Commit(commit))?,
        None => BTreeSet::new(),
    };
    let tables = tables_of(git, &Version::Staged, &committed)?;
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
fn names(git: &Git, version: &Version) -> Result<BTreeSet<String>, GitError> {
    Ok(tables_of(git, version, &BTreeSet::new())?.into_keys().collect())
}

/// A file of a table, as git names it.
fn path_in_git(table: &str, file: &Path) -> NotePath {
    Path::new(TABLES).join(table).join(file).as_path().into()
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
        let name = read_text(&self.file, MOST_BYTES).ok()?;
        tables::is_name(&name).then_some(name)
    }

    fn write(&self, name: &str) -> io::Result<()> {
        write_whole(&self.file, name.as_bytes())
    }
}
