//! How a note came to be what it is: its commits, what it said in one, who wrote which line.

use std::time::Duration;

use crate::{Error, Result, when, workspace::Workspace, workspace::now_nanoseconds};
use elophanto_repo::{Blame, CommitId, Git, GitError, NotePath, Touched};
use elophanto_text::{
    markdown::{self, Document},
    place::is_below_root,
};

/// Git may take this long to tell the commits of a note, or who wrote it.
const PATIENCE: Duration = Duration::from_secs(2);
/// Commits of a note that are told.
const MOST_COMMITS: usize = 200;

/// The commits of a note, the newest first.
#[derive(Debug, Default)]
pub struct Past {
    /// Those that changed it, under all its names.
    pub commits: Vec<Touched>,
    /// Why they are not told.
    pub untold: Option<String>,
    /// Whether this clone holds the newest commits alone: older ones are not told.
    pub is_cut_off: bool,
}

impl Past {
    /// The commits of this note before and after one of them: the nearest older and newer ones.
    pub fn around(&self, commit: &CommitId) -> (Option<&Touched>, Option<&Touched>) {
        let Some(at) = self.commits.iter().position(|it| it.commit == *commit) else {
            return (None, None);
        };
        let newer = at.checked_sub(1).and_then(|at| self.commits.get(at));
        (self.commits.get(at + 1), newer)
    }
}

/// What a note said in a commit.
pub struct Version {
    /// The one that it is looked up in.
    pub commit: CommitId,
    /// In seconds since 1970.
    pub time: i64,
    /// All of it, front matter too.
    pub text: String,
    /// What it is called there.
    pub title: String,
    /// Why not, if it cannot be read as Markdown.
    pub document: Result<Document, String>,
    /// The newest of the note's own commits that this version holds.
    pub made: Option<CommitId>,
}

/// Who wrote a line last.
pub struct Line {
    /// `None` where it is not committed.
    pub blame: Option<Blame>,
    /// Without its line end.
    pub text: String,
}

/// Whether a note may lie, or have lain, at a path: nothing that is hidden or ignored.
fn can_be_note(workspace: &Workspace, path: &NotePath) -> bool {
    let ending = path.as_path().extension().and_then(|it| it.to_str()).unwrap_or_default();
    let known = &workspace.config.knowledge.extensions;
    known.iter().any(|known| known.eq_ignore_ascii_case(ending))
        && is_below_root(&path.to_text())
        && workspace.reach().holds(path)
}

/// The commits that changed a note; none of what cannot be one.
pub fn past(workspace: &Workspace, path: &NotePath) -> Past {
    if !can_be_note(workspace, path) {
        return Past::default();
    }
    let Some(git) = Git::of(&workspace.repository) else {
        return Past {
            untold: Some("there is no git repository here".to_owned()),
            ..Past::default()
        };
    };
    let git = git.with_timeout(PATIENCE);
    match git.commits_of(path, MOST_COMMITS) {
        Ok(commits) => Past { commits, untold: None, is_cut_off: git.is_shallow() },
        Err(cause) => Past { untold: Some(cause.to_string()), ..Past::default() },
    }
}

/// What a note said at a revision or date; `None` if there was none at this path.
///
/// # Errors
/// When there is no such revision, or it cannot be read.
pub fn version(
    workspace: &Workspace,
    path: &str,
    revision: &str,
    past: &Past,
) -> Result<Option<Version>> {
    let knowledge = &workspace.config.knowledge;
    let path = NotePath::from(path);
    if !can_be_note(workspace, &path) {
        return Ok(None);
    }
    let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
    let commit = when::commit(&git, revision, now_nanoseconds() / 1_000_000_000)?;
    let time = git.commit_time(&commit)?;
    let Some(object) = git.contents_at(&commit, &[&path])?.pop().flatten() else { return Ok(None) };
    let read = git.objects().read(&[&object], knowledge.max_file_bytes).pop();
    let bytes = read.ok_or_else(|| Error::bug("git read nothing"))?.map_err(Error::new)?;
    let text = markdown::decode(&bytes).map_err(Error::new)?.text.into_owned();
    let document = markdown::parse(&text).map_err(|cause| cause.to_string());
    let said = document.as_ref().ok().and_then(|it| it.title().map(str::to_owned));
    let same = past.commits.iter().find(|it| it.commit == commit);
    let made = same.or_else(|| past.commits.iter().find(|it| it.time <= time));
    Ok(Some(Version {
        commit,
        time,
        text,
        title: said.unwrap_or_else(|| path.stem()),
        document,
        made: made.map(|it| it.commit),
    }))
}

/// Who wrote each line of a note as it is committed.
///
/// # Errors
/// When git does not tell.
pub fn blame(workspace: &Workspace, path: &NotePath, text: &str) -> Result<Vec<Line>> {
    let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
    let head = elophanto_repo::head(&git)?.ok_or_else(|| Error::new("nothing is committed yet"))?;
    let lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let told = git.with_timeout(PATIENCE).blame(&head, path, (1, lines.len()))?;
    let mut told = told.into_iter().peekable();
    let line = |(number, text): (usize, &str)| Line {
        blame: told.next_if(|blame| blame.line == number),
        text: text.to_owned(),
    };
    Ok((1..).zip(lines).map(line).collect())
}
