//! What a commit would hold, found out without writing anything.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    path::Path,
};

use super::super::{
    arguments::bad,
    beneath::Kind,
    contents::Contents,
    git_calls::{answer, pathspec, told},
    paths::{Place, shown},
};
use crate::{
    agent::{Host, ToolError},
    repo::{CommitId, Git, NotePath, head},
};

/// Files of one commit at most.
const MOST: usize = 1_000;

/// A commit that could be made.
pub(super) struct Plan {
    pub(super) head: Option<CommitId>,
    /// The files to take from the work tree; `None` for what is staged.
    pub(super) named: Option<Vec<NotePath>>,
    /// For whoever approves: a line for each file.
    pub(super) shown: String,
    /// All that it depends on.
    pub(super) state: Vec<u8>,
}

/// # Errors
/// When git is in the middle of something that ends with a commit of its own.
pub(super) fn check_state(git: &Git) -> Result<(), ToolError> {
    if git.is_replaying() || !git.merge_heads().is_empty() {
        return Err(ToolError::Refused(
            "a merge, rebase, cherry-pick or revert is under way: the user ends that".into(),
        ));
    }
    if !git.run(&["ls-files", "-z", "--unmerged"]).map_err(told)?.is_empty() {
        return Err(ToolError::Refused("there are conflicts: the user resolves them".into()));
    }
    Ok(())
}

/// # Errors
/// When there is nothing to commit, too much, or something that is no file.
pub(super) fn plan(git: &Git, host: &dyn Host, places: &[Place]) -> Result<Plan, ToolError> {
    let head = head(git).map_err(told)?;
    let against = match &head {
        Some(head) => head.to_string(),
        None => empty_tree(git)?,
    };
    let mut plan = if places.is_empty() {
        staged(git, host, head, &against)?
    } else {
        named(git, host, head, &against, places)?
    };
    plan.state.extend_from_slice(against.as_bytes());
    Ok(plan)
}

/// What git compares with where there is no commit yet.
pub(super) fn empty_tree(git: &Git) -> Result<String, ToolError> {
    let said = git.run_with(&["hash-object", "-t", "tree", "--stdin"], &[]).map_err(told)?;
    Ok(String::from_utf8_lossy(said.trim_ascii()).into_owned())
}

fn staged(
    git: &Git,
    host: &dyn Host,
    head: Option<CommitId>,
    against: &str,
) -> Result<Plan, ToolError> {
    let asked = ["diff-index", "--cached", "--raw", "-z", "--no-renames", against, "--"];
    let (state, whole) = answer(git, host, &asked)?;
    let fields: Vec<&[u8]> = state.split(|&byte| byte == 0).collect();
    let files = fields.len() / 2;
    if files == 0 {
        return Err(bad("nothing is staged: name `paths`"));
    }
    if !whole || files > MOST {
        return Err(ToolError::Refused(format!("over {MOST} files are staged")));
    }
    let mut text = String::new();
    for pair in fields.chunks_exact(2) {
        let letter = pair[0].last().copied().unwrap_or(b'?');
        line(&mut text, char::from(letter), pair[1]);
    }
    Ok(Plan { head, named: None, shown: text, state })
}

fn named(
    git: &Git,
    host: &dyn Host,
    head: Option<CommitId>,
    against: &str,
    places: &[Place],
) -> Result<Plan, ToolError> {
    let specs: Vec<_> = places.iter().map(|place| pathspec(&place.relative)).collect();
    let ask = |options: &[&str]| {
        let mut all: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
        all.push(OsStr::new("--"));
        all.extend(specs.iter().map(|spec| spec.as_os_str()));
        answer(git, host, &all)
    };
    let tracked = ask(&[
        "diff",
        "--name-only",
        "-O/dev/null",
        "-z",
        "--no-renames",
        "--ignore-submodules=dirty",
        against,
    ])?;
    let others = ask(&["ls-files", "-z", "--others", "--exclude-standard"])?;
    let paths: BTreeSet<&[u8]> = [&tracked.0, &others.0]
        .into_iter()
        .flat_map(|said| said.split(|&byte| byte == 0))
        .filter(|path| !path.is_empty())
        .collect();
    if paths.len() > MOST || !tracked.1 || !others.1 {
        return Err(ToolError::Refused(format!("over {MOST} files: name fewer")));
    }
    let old = match &head {
        Some(_) => ask(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", against])?.0,
        None => Vec::new(),
    };
    let old: BTreeSet<&[u8]> = old.split(|&byte| byte == 0).collect();
    let mut plan = Plan { head, named: None, shown: String::new(), state: Vec::new() };
    let mut files = Vec::new();
    for path in paths {
        let relative = Path::new(OsStr::from_bytes(path));
        let is_old = old.contains(path);
        let Some(now) = now(host, relative)? else {
            if is_old {
                line(&mut plan.shown, 'D', path);
                note(&mut plan.state, path, b"");
                files.push(NotePath::new(path));
            }
            continue;
        };
        line(&mut plan.shown, if is_old { 'M' } else { 'A' }, path);
        note(&mut plan.state, path, &now);
        files.push(NotePath::new(path));
    }
    if files.is_empty() {
        return Err(bad("nothing has changed there, or git ignores it"));
    }
    check_filters(git, &files)?;
    plan.named = Some(files);
    Ok(plan)
}

/// What a file of the work tree holds, as a mark; `None` if it is gone.
fn now(host: &dyn Host, relative: &Path) -> Result<Option<Vec<u8>>, ToolError> {
    let place = super::super::paths::place(
        host.root(),
        &shown(relative),
        super::super::paths::Last::Itself,
    )?;
    match place.kind {
        None => Ok(None),
        Some(Kind::File) => {
            let contents = Contents::read(host.root(), &place)?;
            Ok(Some(format!("{:o} {}", contents.mode, contents.hash).into_bytes()))
        }
        Some(Kind::Link) => match fs::read_link(&place.absolute) {
            Ok(to) => Ok(Some(to.as_os_str().as_bytes().to_vec())),
            Err(_) => Ok(None),
        },
        Some(Kind::Folder | Kind::Other) => Err(ToolError::Refused(format!(
            "`{}` is a repository of its own, or no file: it is not committed",
            place.shown()
        ))),
    }
}

/// Git is run without the filters that a repository names, so what is to go through one would be
/// committed as it is.
fn check_filters(git: &Git, files: &[NotePath]) -> Result<(), ToolError> {
    let mut input = Vec::new();
    for file in files {
        input.extend_from_slice(file.as_bytes());
        input.push(0);
    }
    let said = git.run_with(&["check-attr", "--stdin", "-z", "filter"], &input).map_err(told)?;
    let fields: Vec<&[u8]> = said.split(|&byte| byte == 0).collect();
    let filtered: BTreeMap<&[u8], &[u8]> = fields
        .chunks_exact(3)
        .filter(|fields| !matches!(fields[2], b"unspecified" | b"unset"))
        .map(|fields| (fields[0], fields[2]))
        .collect();
    match filtered.first_key_value() {
        None => Ok(()),
        Some((path, filter)) => Err(ToolError::Refused(format!(
            "`{}` goes through the filter `{}`, which no tool runs: the user commits it",
            shown(Path::new(OsStr::from_bytes(path))),
            shown(Path::new(OsStr::from_bytes(filter)))
        ))),
    }
}

fn line(text: &mut String, letter: char, path: &[u8]) {
    text.push(letter);
    text.push(' ');
    text.push_str(&shown(Path::new(OsStr::from_bytes(path))));
    text.push('\n');
}

fn note(state: &mut Vec<u8>, path: &[u8], now: &[u8]) {
    state.extend_from_slice(path);
    state.push(0);
    state.extend_from_slice(now);
    state.push(0);
}
