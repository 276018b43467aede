//! A run in a work tree of its own, on a branch of its own: the user's work tree, index and HEAD stay
//! byte for byte as they are.
//!
//! It lies in a folder beside the user's tree, `REPOSITORY.worktrees/NAME`, for below `.git` no tool
//! and no command writes. It is a work tree of git like any other: `git worktree list` shows it, `git
//! worktree remove` removes it. Which ones there are is read off git, so that one whose run was killed
//! is found as well.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    time::Duration,
};

use schemars::JsonSchema;
use serde::Serialize;

use super::branch::{Branch, PullRequest, begins_at, changed, refuse_name, taken};
use crate::{
    Environment, Error, Reporter, Result, Workspace,
    config::{TrustEntry, TrustStore},
};
use elophanto_agent::Finished;
use elophanto_base::{
    beneath::Folder,
    lock::{self, Lock},
    platform,
    visible::exact_line,
};
use elophanto_repo::{Git, GitError, Repository, branch_reference, locate};
use elophanto_text::authoring::slug;

/// Behind the name of the repository: the folder of its further work trees.
const BESIDE: &str = ".worktrees";
/// A large repository is checked out as long as that takes.
const PATIENCE: Duration = Duration::from_secs(600);
/// Bytes of a name that is made of a goal, and of a goal that names nothing.
const MOST_NAME: usize = 40;
const UNNAMED: &str = "run";
/// Names that are tried before the user has to give one.
const MOST_TRIED: usize = 100;
/// Held while a run works in it, in its git directory.
const LOCK: &str = "elophanto/worktree.lock";

/// Which work tree is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct WorkTreeRequest<'r> {
    /// Of the folder, and of the branch where none is named; without one, made of the goal.
    pub name: Option<&'r str>,
    /// Another name for its branch.
    pub branch: Option<&'r str>,
    /// What the run is to do.
    pub goal: &'r str,
}

/// A work tree that was made for a run.
#[derive(Debug)]
pub struct WorkTree {
    path: PathBuf,
    branch: Branch,
    /// Of the user's tree.
    user: Git,
    own: Git,
    lock: Option<Lock>,
    environment: Environment,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// Something came of it: it stays where it is.
    Kept(Kept),
    /// Nothing came of it: work tree and branch are gone.
    Gone,
}

/// What is in a work tree that a run leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Kept {
    /// The folder of the work tree, absolute.
    pub path: PathBuf,
    /// Its branch, by the short name.
    pub branch: String,
    /// The branch that it was begun from, or the commit.
    pub base: String,
    /// Commits that the branch it was begun from does not have.
    pub commits: usize,
    /// Files that differ from its newest commit.
    pub uncommitted: usize,
    /// How its branch could be offered for merging; `None` where nothing is committed.
    #[serde(skip)]
    pub pull_request: Option<PullRequest>,
}

/// A work tree beside the user's, as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The folder of the work tree, absolute.
    pub path: PathBuf,
    /// `None` where HEAD is on none.
    pub branch: Option<String>,
    /// Commits that the user's HEAD does not have.
    pub commits: usize,
    /// Files that differ from its newest commit.
    pub uncommitted: usize,
    /// A run works in it.
    pub is_at_work: bool,
}

/// Makes a work tree at HEAD, and opens it; `flags` are settings for this call.
///
/// # Errors
/// When there is no commit yet, the name is none or taken, or git cannot check it out.
pub fn begin(
    workspace: &Workspace,
    request: &WorkTreeRequest<'_>,
    flags: Vec<(String, String)>,
    reporter: &dyn Reporter,
) -> Result<(Workspace, WorkTree)> {
    let Some(user) = Git::of(&workspace.repository) else {
        return Err(Error::new("there is no git repository here that could have a work tree")
            .hint("`git init` makes one"));
    };
    let user = user.with_timeout(PATIENCE);
    let at = begins_at(&user, "--worktree")?;
    let beside = beside(&workspace.repository)?;
    let (path, name) = free(&user, &beside, request)?;
    let (above, folder) = (beside.parent().unwrap_or(&beside), beside.file_name());
    let made =
        Folder::open(above).and_then(|above| above.make(Path::new(folder.unwrap_or_default())));
    made.map_err(|cause| {
        Error::new(format_args!("`{}` cannot be made: {cause}", shown(&beside)))
            .hint("work trees of runs lie there; `--branch` works in this one")
    })?;
    let id = at.to_string();
    let add = ["worktree", "add", "--quiet", "--no-track", "-b", &name].map(OsStr::new);
    let add = [&add[..], &[path.as_os_str(), OsStr::new(&id)]].concat();
    if let Err(cause) = user.run(&add) {
        // Git removes the folder, not the branch.
        if !path.exists() {
            let _ = user.remove_branch(&name, &at);
        }
        return Err(cause.into());
    }
    let opened = open(workspace, &user, &path, flags, reporter);
    let (opened, own, lock) = opened.inspect_err(|_| {
        let real = canonical(&path);
        // Nobody has worked in it yet.
        let remove = ["worktree", "remove", "--force"].map(OsStr::new);
        let removed = user.run(&[&remove[..], &[path.as_os_str()]].concat());
        if removed.and_then(|_| user.remove_branch(&name, &at)).is_ok() {
            forget(&workspace.environment, user.root(), &path, &real);
        }
    })?;
    let branch = Branch::of_work_tree(&name, user.branch(), at);
    let environment = workspace.environment.clone();
    Ok((opened, WorkTree { path, branch, user, own, lock, environment }))
}

/// Opens a new one.
fn open(
    workspace: &Workspace,
    user: &Git,
    path: &Path,
    flags: Vec<(String, String)>,
    reporter: &dyn Reporter,
) -> Result<(Workspace, Git, Option<Lock>)> {
    if user.has_filtered_files()? {
        reporter.note(
            "files that go through a filter (Git LFS) are in the new work tree as git holds them: no \
             program of the settings is run for it",
        );
    }
    let environment = workspace.environment.clone();
    if let Err(cause) = trust_alike(&environment, &workspace.repository.root, path) {
        reporter
            .warn(format_args!("what you trust here is not trusted there: {}", cause.message()));
    }
    let repository = locate(path)?;
    let own =
        Git::of(&repository).ok_or_else(|| GitError::Odd("a work tree without git".into()))?;
    let lock = lock::try_for(&own.git_dir().join(LOCK), Duration::ZERO)?;
    Ok((Workspace::at(repository, environment, flags, reporter)?, own, lock))
}

impl WorkTree {
    /// Its folder, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// For the run: what it changes is committed there.
    pub fn branch(&self) -> &Branch {
        &self.branch
    }

    /// To be called when the run has ended. A work tree that nothing came of goes, with its branch.
    ///
    /// # Errors
    /// When git cannot say what is in it.
    pub fn end(self, finished: Option<&Finished>) -> Result<Left> {
        let Self { path, branch, user, own, lock, environment } = self;
        drop(lock);
        if !path.is_dir() {
            let (path, name) = (shown(&path), exact_line(branch.name()));
            return Err(Error::new(format_args!("the work tree `{path}` is gone"))
                .hint(format!("what was committed is on the branch `{name}`")));
        }
        let tip = own.branch_tip(branch.name())?.unwrap_or(*branch.at());
        // HEAD may be elsewhere by now, with commits that no branch holds.
        let is_on = own.branch().as_deref() == Some(branch.name()) && !own.is_under_way();
        let is_empty = is_on && tip == *branch.at() && is_untouched(&own)?;
        let real = canonical(&path);
        let remove = ["worktree", "remove"].map(OsStr::new);
        if is_empty && user.run(&[&remove[..], &[path.as_os_str()]].concat()).is_ok() {
            user.remove_branch(branch.name(), &tip)?;
            forget(&environment, user.root(), &path, &real);
            return Ok(Left::Gone);
        }
        let range = format!("{}..{tip}", branch.at());
        let pull_request = match finished.filter(|_| tip != *branch.at()) {
            Some(finished) => Some(branch.pull_request(&own, &tip, finished)?),
            None => None,
        };
        Ok(Left::Kept(Kept {
            commits: count(&own, &range)?,
            uncommitted: changed(&own)?.len(),
            branch: branch.name().to_owned(),
            base: branch.base(),
            path,
            pull_request,
        }))
    }
}

/// Work trees that runs have left beside that of the user, and those in which one is at work.
///
/// # Errors
/// When git cannot list them.
pub fn standing(repository: &Repository) -> Result<Vec<Standing>> {
    let Some(user) = Git::of(repository) else { return Ok(Vec::new()) };
    // None but that of the user: git need not be asked.
    if !user.common_dir().join("worktrees").is_dir() {
        return Ok(Vec::new());
    }
    let beside = beside(repository)?;
    let listed = user.run(&["worktree", "list", "--porcelain", "-z"])?;
    let mut found = Vec::new();
    for entry in split(&listed) {
        let value = |key: &[u8]| entry.iter().find_map(|line| line.strip_prefix(key));
        let Some(path) = value(b"worktree ").map(|path| platform::path(path).to_owned()) else {
            continue;
        };
        if path.parent() != Some(&*beside) || path == repository.root {
            continue;
        }
        let Some(own) = locate(&path).ok().and_then(|it| Git::of(&it)) else { continue };
        if own.root() != path {
            continue;
        }
        let lock = lock::try_for(&own.git_dir().join(LOCK), Duration::ZERO);
        let tip = value(b"HEAD ").map(String::from_utf8_lossy).unwrap_or_default();
        let branch =
            value(b"branch refs/heads/").map(|it| String::from_utf8_lossy(it).into_owned());
        found.push(Standing {
            branch,
            commits: count(&user, &format!("HEAD..{tip}"))?,
            uncommitted: changed(&own)?.len(),
            is_at_work: !matches!(lock, Ok(Some(_))),
            path,
        });
    }
    Ok(found)
}

/// Trusts in the new work tree the contents that the user trusts in theirs, and no others.
fn trust_alike(environment: &Environment, from: &Path, to: &Path) -> Result<()> {
    let store = TrustStore::open_for(from, environment.variables())?;
    let (from, to) = (canonical(from), canonical(to));
    // One of this name may have been there before.
    if store.entries().any(|entry| entry.root == to) {
        store.forget(&to)?;
    }
    for entry in store.entries().filter(|entry| entry.root == from) {
        store.record(TrustEntry { root: to.clone(), ..entry.clone() })?;
    }
    Ok(())
}

/// What is trusted in one that is gone is trusted for no other content; the folder of work trees goes
/// with the last of them. `real` is what the path led to.
fn forget(environment: &Environment, user: &Path, path: &Path, real: &Path) {
    let _ =
        TrustStore::open_for(user, environment.variables()).and_then(|store| store.forget(real));
    let Some(beside) = path.parent() else { return };
    let (Some(above), Some(name)) = (beside.parent(), beside.file_name()) else { return };
    // One that holds something stays.
    let _ = Folder::open(above).and_then(|above| above.remove_folder(Path::new(name)));
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The lines of each entry of a list whose lines end with NUL and whose entries with an empty one.
fn split(listed: &[u8]) -> Vec<Vec<&[u8]>> {
    let lines: Vec<&[u8]> = listed.split(|&byte| byte == 0).collect();
    let entries = lines.split(|line| line.is_empty()).filter(|entry| !entry.is_empty());
    entries.map(<[&[u8]]>::to_vec).collect()
}

/// The folder beside the main work tree; a bare repository has it beside itself.
fn beside(repository: &Repository) -> Result<PathBuf> {
    let is_linked = repository.git_dir != repository.common_dir;
    let main = match repository.common_dir.as_deref().filter(|_| is_linked) {
        Some(common) if common.ends_with(".git") => common.parent().unwrap_or(common),
        Some(common) => common,
        None => &repository.root,
    };
    let (Some(name), Some(above)) = (main.file_name(), main.parent()) else {
        return Err(Error::new(format_args!("there is no place beside `{}`", shown(main)))
            .hint("`--branch` works in this work tree"));
    };
    let mut name = OsString::from(name);
    name.push(BESIDE);
    Ok(above.join(name))
}

/// A folder and a branch that are not there yet.
fn free(git: &Git, beside: &Path, request: &WorkTreeRequest<'_>) -> Result<(PathBuf, String)> {
    if let Some(name) = request.name.or(request.branch) {
        let branch = request.branch.unwrap_or(name);
        refuse_name(git, name)?;
        refuse_name(git, branch)?;
        // A branch may have folders in its name.
        let path = beside.join(name.replace('/', "-"));
        if git.branch_tip(branch)?.is_some() {
            return Err(taken(branch, "leave out `--worktree`"));
        }
        if path.symlink_metadata().is_ok() {
            return Err(Error::new(format_args!("`{}` is there already", shown(&path)))
                .hint("give another name, or remove it: `git worktree remove`"));
        }
        return Ok((path, branch.to_owned()));
    }
    let slug = slug(request.goal, MOST_NAME);
    let slug = if slug.is_empty() { UNNAMED } else { &slug };
    for number in 1..=MOST_TRIED {
        let name = if number == 1 { slug.to_owned() } else { format!("{slug}-{number}") };
        let path = beside.join(&name);
        // Of that name, or below it: where there is `a/b` there can be no `a`.
        let asked = ["for-each-ref", "--count=1", &branch_reference(&name)];
        if path.symlink_metadata().is_err() && git.run(&asked)?.is_empty() {
            return Ok((path, name));
        }
    }
    Err(Error::new(format_args!("there are {MOST_TRIED} work trees named `{slug}`"))
        .hint("give a name: `--worktree=NAME`"))
}

/// Whether there is nothing in it that its commit does not have, ignored files among that.
fn is_untouched(git: &Git) -> Result<bool, GitError> {
    let asked = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignored"];
    Ok(git.run(&asked)?.is_empty())
}

fn count(git: &Git, range: &str) -> Result<usize, GitError> {
    let said = git.run(&["rev-list", "--count", "--end-of-options", range])?;
    String::from_utf8_lossy(said.trim_ascii())
        .parse()
        .map_err(|_| GitError::Odd("a number of commits".to_owned()))
}

fn shown(path: &Path) -> String {
    exact_line(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_lie_beside_the_main_work_tree() {
        fn check([root, git_dir, common_dir]: [&str; 3], expected: &str) {
            let repository = Repository {
                root: root.into(),
                git_dir: Some(git_dir.into()),
                common_dir: Some(common_dir.into()),
            };
            let found = beside(&repository).map_err(|error| error.message().to_owned());
            assert_eq!(found.unwrap_or_else(|said| said.into()), Path::new(expected), "{root}");
        }
        check(["/a/repo", "/a/repo/.git", "/a/repo/.git"], "/a/repo.worktrees");
        // From one of them, or from any other linked one.
        let linked = "/a/repo/.git/worktrees/x";
        check(["/a/repo.worktrees/x", linked, "/a/repo/.git"], "/a/repo.worktrees");
        check(["/b/c", "/a/repo.git/worktrees/c", "/a/repo.git"], "/a/repo.git.worktrees");
        // A submodule is not linked: its git directory is its own.
        let module = "/a/.git/modules/sub";
        check(["/a/sub", module, module], "/a/sub.worktrees");
        check(["/", "/.git", "/.git"], "there is no place beside `/`");
    }

    #[test]
    fn a_list_of_git() {
        let listed =
            b"worktree /a\0HEAD 1\0branch refs/heads/m\0\0worktree /b\nc\0HEAD 2\0detached\0\0";
        let found = split(listed);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[1], [&b"worktree /b\nc"[..], b"HEAD 2", b"detached"]);
        assert!(split(b"").is_empty());
    }
}
