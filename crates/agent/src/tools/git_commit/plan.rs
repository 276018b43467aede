//! What a commit would hold, found out without writing anything.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs,
    path::Path,
};

use super::super::{
    arguments::bad,
    contents::{Contents, failed},
    git_calls::{answer, pathspec, told},
    paths::{Last, Place, place, shown},
};
use crate::{Host, ToolError};
use elophanto_base::{
    beneath::{Folder, Kind},
    platform,
};
use elophanto_repo::{CommitId, Git, NotePath, TEMPORARY, head};

/// Files of one commit at most.
const MOST: usize = 1_000;

/// A commit that could be made.
pub(super) struct Plan {
    pub(super) head: Option<CommitId>,
    /// What to take from the work tree; `None` for what is staged.
    pub(super) named: Option<Named>,
    /// For whoever approves: a line for each file.
    pub(super) shown: String,
    /// All that it depends on.
    pub(super) state: Vec<u8>,
}

/// Files of the work tree that the commit takes.
#[derive(Default)]
pub(super) struct Named {
    /// Those that are there.
    pub(super) kept: Vec<NotePath>,
    pub(super) removed: Vec<NotePath>,
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
        line(&mut text, char::from(letter).encode_utf8(&mut [0; 4]), pair[1]);
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
        .filter(|path| !path.is_empty() && !is_temporary(path))
        .collect();
    if paths.len() > MOST || !tracked.1 || !others.1 {
        return Err(ToolError::Refused(format!("over {MOST} files: name fewer")));
    }
    let old = match &head {
        Some(_) => ask(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", against])?.0,
        None => Vec::new(),
    };
    let old: BTreeSet<&[u8]> = old.split(|&byte| byte == 0).collect();
    for place in places {
        let is_below = |path: &&[u8]| platform::path(path).starts_with(&place.relative);
        let is_there = fs::symlink_metadata(host.root().join(&place.relative)).is_ok();
        if !is_there && !old.iter().chain(&paths).any(is_below) {
            return Err(bad(format!(
                "there is no `{}`, and there was none",
                shown(&place.relative)
            )));
        }
    }
    let mut plan = Plan { head, named: None, shown: String::new(), state: Vec::new() };
    let mut files = Named::default();
    for path in paths {
        let relative = platform::path(path);
        let is_old = old.contains(path);
        match now(host, relative)? {
            Now::Gone if is_old => {
                line(&mut plan.shown, "D", path);
                note(&mut plan.state, path, b"");
                files.removed.push(NotePath::new(path));
            }
            Now::Gone => {}
            Now::Holds(mark) => {
                line(&mut plan.shown, if is_old { "M" } else { "A" }, path);
                note(&mut plan.state, path, &mark);
                files.kept.push(NotePath::new(path));
            }
            Now::Foreign if places.iter().any(|place| relative == place.relative) => {
                return Err(ToolError::Refused(format!(
                    "`{}` is a repository of its own, or no file: it is not committed",
                    shown(relative)
                )));
            }
            Now::Foreign => {
                line(&mut plan.shown, "left out, a repository of its own or no file:", path);
            }
        }
    }
    if files.kept.is_empty() && files.removed.is_empty() {
        return Err(bad("nothing has changed there, or git ignores it"));
    }
    check_filters(git, &files.kept)?;
    plan.named = Some(files);
    Ok(plan)
}

/// Whether a path is that of a file that a crash left half written.
fn is_temporary(path: &[u8]) -> bool {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    name.starts_with(TEMPORARY.as_bytes())
}

/// What is at a path of the work tree.
enum Now {
    Gone,
    /// A file or link, with a mark of what it holds.
    Holds(Vec<u8>),
    /// A repository within this one, a pipe, a device.
    Foreign,
}

fn now(host: &dyn Host, relative: &Path) -> Result<Now, ToolError> {
    let above = relative.parent().unwrap_or(Path::new(""));
    let root = Folder::open(host.root()).map_err(|cause| failed("look at", above, &cause))?;
    // What lies behind a link is there under another name.
    if root.at(above).is_err() {
        return Ok(Now::Gone);
    }
    let place = place(host.root(), &shown(relative), Last::Itself)?;
    Ok(match place.kind {
        None => Now::Gone,
        Some(Kind::File) => {
            let contents = Contents::read(host.root(), &place)?;
            Now::Holds(format!("{:o} {}", contents.mode, contents.hash).into_bytes())
        }
        Some(Kind::Link) => match root.link(&place.relative) {
            Ok(to) => Now::Holds(to.as_os_str().as_encoded_bytes().to_vec()),
            Err(_) => Now::Gone,
        },
        Some(Kind::Folder | Kind::Other) => Now::Foreign,
    })
}

/// Git is run without the filters that a repository names, so what is to go through one would be
/// committed as it is.
fn check_filters(git: &Git, files: &[NotePath]) -> Result<(), ToolError> {
    let input: Vec<u8> = files.iter().flat_map(|file| [file.as_bytes(), &[0]].concat()).collect();
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
            shown(platform::path(path)),
            shown(platform::path(filter))
        ))),
    }
}

fn line(text: &mut String, mark: &str, path: &[u8]) {
    text.push_str(mark);
    text.push(' ');
    text.push_str(&shown(platform::path(path)));
    text.push('\n');
}

fn note(state: &mut Vec<u8>, path: &[u8], now: &[u8]) {
    state.extend_from_slice(path);
    state.push(0);
    state.extend_from_slice(now);
    state.push(0);
}
