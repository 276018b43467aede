//! Questions to git: libgit2 where it can open the repository, else the git program.

use std::{
    collections::BTreeSet,
    io::Read,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::{NotePath, Repository};

/// Git could not answer.
#[derive(Debug, thiserror::Error)]
#[error("git cannot list the tracked files: {0}")]
pub struct GitError(String);

/// Names directly below `folder` (relative to the root) that git tracks: in its index or in HEAD.
///
/// Outside git nothing is tracked.
///
/// # Errors
/// When neither libgit2 nor the git program can read the repository.
pub fn tracked_under(
    repository: &Repository,
    folder: &str,
) -> Result<BTreeSet<NotePath>, GitError> {
    let Some(git_dir) = &repository.git_dir else { return Ok(BTreeSet::new()) };
    match by_library(git_dir, folder) {
        Ok(names) => Ok(names),
        Err(_) => by_program(&repository.root, folder),
    }
}

fn by_library(git_dir: &Path, folder: &str) -> Result<BTreeSet<NotePath>, git2::Error> {
    let mut names = BTreeSet::new();
    let repository = git2::Repository::open_bare(git_dir)?;
    let prefix = format!("{folder}/");
    for entry in repository.index()?.iter() {
        names.extend(first_component(&entry.path, prefix.as_bytes()));
    }
    if let Ok(head) = repository.head() {
        let tree = head.peel_to_tree()?;
        if let Ok(entry) = tree.get_path(Path::new(folder)) {
            let object = entry.to_object(&repository)?;
            if let Some(tree) = object.as_tree() {
                names.extend(tree.iter().map(|entry| NotePath::new(entry.name_bytes())));
            }
        }
    }
    Ok(names)
}

fn by_program(root: &Path, folder: &str) -> Result<BTreeSet<NotePath>, GitError> {
    let prefix = format!("{folder}/");
    let mut names = BTreeSet::new();
    let listed = run(root, &["ls-files", "-z", "--", folder])?;
    // No commit yet is an answer, not a failure: then only the index counts.
    let committed = run(root, &["ls-tree", "-r", "-z", "--name-only", "HEAD", "--", folder])
        .unwrap_or_default();
    for output in [listed, committed] {
        for path in output.split(|&byte| byte == 0) {
            names.extend(first_component(path, prefix.as_bytes()));
        }
    }
    Ok(names)
}

fn first_component(path: &[u8], prefix: &[u8]) -> Option<NotePath> {
    let rest = path.strip_prefix(prefix)?;
    rest.split(|&byte| byte == b'/').next().filter(|name| !name.is_empty()).map(NotePath::new)
}

/// How long git may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Variables by which a caller (a hook of another repository) would point git elsewhere: those of
/// `git rev-parse --local-env-vars`.
const LOCAL_VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Runs the git program with everything switched off that a repository could use to run code.
fn run(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let mut command = Command::new("git");
    LOCAL_VARIABLES.iter().for_each(|name| {
        command.env_remove(name);
    });
    let mut child = command
        .current_dir(root)
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_CONFIG_COUNT", "3")
        .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_0", "false")
        .env("GIT_CONFIG_KEY_1", "safe.bareRepository")
        .env("GIT_CONFIG_VALUE_1", "explicit")
        .env("GIT_CONFIG_KEY_2", "protocol.ext.allow")
        .env("GIT_CONFIG_VALUE_2", "never")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|cause| GitError(format!("cannot run git: {cause}")))?;
    let failed = |cause: std::io::Error| GitError(cause.to_string());
    // The output is read on a thread of its own, so that a full pipe cannot stop git.
    let pipe = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut output = Vec::new();
        pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut output)).map(|_| output)
    });
    let deadline = Instant::now() + TIMEOUT;
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            None => {
                child.kill().map_err(failed)?;
                child.wait().map_err(failed)?;
                return Err(GitError(format!("no answer within {} s", TIMEOUT.as_secs())));
            }
        }
    };
    let output = reader
        .join()
        .map_err(|_| GitError("its output could not be read".to_owned()))?
        .map_err(failed)?;
    if status.success() {
        Ok(output)
    } else {
        Err(GitError(format!("`git {}` failed ({status})", arguments.join(" "))))
    }
}
