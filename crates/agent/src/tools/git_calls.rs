//! What the git tools share: arguments that are paths, answers read within limits.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    arguments::{Arguments, bad},
    cut::text_of,
    paths::{Last, Place, place},
};
use crate::{Host, Intent, ToolError, permissions::Action};
use elophanto_base::platform;
use elophanto_repo::{CommitId, Git, GitError};

/// Paths of one call at most.
pub(super) const MOST_PATHS: usize = 200;
/// Bytes of git's answer that are read.
const MOST_READ: usize = 8 << 20;
/// Bytes of a revision's name.
const MOST_OF_A_REVISION: usize = 250;
/// The longest that git is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Git for this run: no more patient than the host.
pub(super) fn patient(git: &Git, host: &dyn Host) -> Git {
    git.clone().with_timeout(host.patience().min(PATIENCE))
}

/// The places that the argument `paths` names. They need not be there: git knows of others.
///
/// # Errors
/// When one lies outside of the root.
pub(super) fn places(arguments: &Arguments, host: &dyn Host) -> Result<Vec<Place>, ToolError> {
    let texts = arguments.texts("paths")?;
    if texts.len() > MOST_PATHS {
        return Err(bad(format!("`paths` holds over {MOST_PATHS} paths")));
    }
    texts.iter().map(|text| place(host.root(), text, Last::Itself)).collect()
}

/// What git is to take a path for: that very path, from the root, nothing in it a wildcard.
pub(super) fn pathspec(path: &Path) -> OsString {
    let magic: &[u8] = if path.as_os_str().is_empty() { b":(top)" } else { b":(top,literal)" };
    named(magic, path)
}

/// What leaves that very path out.
pub(super) fn excluded(path: &Path) -> OsString {
    named(b":(top,exclude,literal)", path)
}

fn named(magic: &[u8], path: &Path) -> OsString {
    platform::path(&[magic, path.as_os_str().as_encoded_bytes()].concat()).into()
}

/// The arguments, then `--` and the places.
pub(super) fn with_places<S: AsRef<OsStr>>(arguments: &[S], places: &[Place]) -> Vec<OsString> {
    let mut all: Vec<OsString> = arguments.iter().map(|a| a.as_ref().to_owned()).collect();
    all.push("--".into());
    all.extend(places.iter().map(|place| pathspec(&place.relative)));
    all
}

/// What a tool that asks git reads: the places, or all.
pub(super) fn read_paths(places: &[Place], host: &dyn Host) -> Vec<PathBuf> {
    match places {
        [] => vec![host.root().to_owned()],
        places => places.iter().map(|place| place.absolute.clone()).collect(),
    }
}

/// The commit that an argument names; `None` if it is left out.
///
/// # Errors
/// When it names none.
pub(super) fn revision(
    git: &Git,
    arguments: &Arguments,
    name: &str,
) -> Result<Option<CommitId>, ToolError> {
    let Some(text) = arguments.optional_text(name)? else { return Ok(None) };
    if text.is_empty() || text.len() > MOST_OF_A_REVISION || text.contains(['\0', '\n']) {
        return Err(bad(format!("`{name}` is no name of a commit")));
    }
    match git.resolve(text) {
        Ok(commit) => Ok(Some(commit)),
        Err(cause @ GitError::UnknownRevision(_)) => Err(bad(format!("`{name}`: {cause}"))),
        Err(cause) => Err(ToolError::Failed(cause.to_string())),
    }
}

/// What git is asked about these places, before it is.
pub(super) fn intent(options: &[String], places: &[Place], host: &dyn Host) -> Intent {
    let mut shown = format!("git {}", options.join(" "));
    for place in places {
        shown.push(' ');
        shown.push_str(&place.shown());
    }
    Intent { action: Action::Read { paths: read_paths(places, host) }, shown }
}

/// Git's answer, up to a limit, and whether that was all.
///
/// # Errors
/// When git fails, or the user has ended the run.
pub(super) fn answer<S: AsRef<OsStr>>(
    git: &Git,
    host: &dyn Host,
    arguments: &[S],
) -> Result<(Vec<u8>, bool), ToolError> {
    let (mut bytes, mut whole) = (Vec::new(), true);
    let mut take = |piece: &[u8]| {
        let room = MOST_READ - bytes.len();
        whole = piece.len() <= room;
        bytes.extend_from_slice(piece.get(..room).unwrap_or(piece));
        whole && !host.is_cancelled()
    };
    git.stream(arguments, &[], &mut take).map_err(told)?;
    host.alive()?;
    Ok((bytes, whole))
}

/// Git's answer as text, with a mark where it is not all.
pub(super) fn text(answer: &(Vec<u8>, bool)) -> String {
    let mut text = text_of(&answer.0);
    if !answer.1 {
        text.push_str("\n[the rest was not read: name paths]\n");
    }
    text
}

/// An error of git, for the model.
pub(super) fn told(cause: GitError) -> ToolError {
    ToolError::Failed(cause.to_string())
}
