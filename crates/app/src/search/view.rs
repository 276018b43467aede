//! The notes that a search looks at, and what git tells of its hits.

use std::time::Duration;

use crate::{
    Result,
    embedding::background::embed_soon,
    reporter::Reporter,
    when::{self, day},
    workspace::Workspace,
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_base::visible::escape_control_line;
use elophanto_index::{
    Kind, Options, Refreshed, Snapshot,
    refresh::last_view,
    search::{
        Answer, Hit, Listing,
        origin::{Origins, State},
    },
    source::Notes,
    version::forget,
};
use elophanto_knowledge::corpus;
use elophanto_repo::{CommitId, Git, GitError, Version, history::Age};

/// A search waits this long for another process that writes the view.
const PATIENCE: Duration = Duration::from_millis(50);

/// The notes that are searched: those of the work tree or of a commit.
pub struct Viewed {
    pub refreshed: Refreshed,
    /// The commit that was asked for, and when it was made, in seconds since 1970.
    pub at: Option<(CommitId, i64)>,
}

impl Viewed {
    pub fn now(as_it_is: bool, workspace: &Workspace, reporter: &dyn Reporter) -> Result<Self> {
        let refreshed = match as_it_is.then(|| last_view(&workspace.context(), &Notes)).flatten() {
            Some(mut last) => {
                corpus::join_last(&workspace.context(), &mut last);
                last
            }
            None => {
                let again = || Self::refresh(workspace, false, reporter);
                embed_soon(workspace, &workspace.context(), again()?, &again)?
            }
        };
        Ok(Self { refreshed, at: None })
    }

    /// Files as they were seen.
    pub fn seen(seen: Option<&Snapshot>) -> Self {
        let snapshot = seen.cloned().unwrap_or_default();
        Self { refreshed: Refreshed { snapshot, ..Refreshed::default() }, at: None }
    }

    /// The commit that hits are measured against: the one that was asked for, else HEAD.
    pub fn against(&self) -> Option<CommitId> {
        self.at.map(|(commit, _)| commit).or(self.refreshed.snapshot.history.head)
    }

    pub fn at(
        revision: &str,
        workspace: &Workspace,
        now: i64,
        reporter: &dyn Reporter,
    ) -> Result<Self> {
        let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
        let commit = when::commit(&git, revision, now)?;
        let time = git.commit_time(&commit)?;
        let refreshed = Self::version(workspace, &git, commit, reporter)?;
        Ok(Self { refreshed, at: Some((commit, time)) })
    }

    fn refresh(workspace: &Workspace, full: bool, reporter: &dyn Reporter) -> Result<Refreshed> {
        let progress = reporter.progress("notes");
        let update = |done, all| progress.update(done, all);
        workspace.refresh_all(Options { full, patience: Some(PATIENCE), progress: &update })
    }

    fn version(
        workspace: &Workspace,
        git: &Git,
        commit: CommitId,
        reporter: &dyn Reporter,
    ) -> Result<Refreshed> {
        let progress = reporter.progress("notes");
        let update = |done, all| progress.update(done, all);
        workspace.version(git, &Version::Commit(commit), &update)
    }

    pub fn rebuild(&mut self, workspace: &Workspace, reporter: &dyn Reporter) -> Result<()> {
        self.refreshed = match (self.at, Git::of(&workspace.repository)) {
            (Some((commit, _)), Some(git)) => {
                forget(&workspace.context());
                Self::version(workspace, &git, commit, reporter)?
            }
            _ => Self::refresh(workspace, true, reporter)?,
        };
        Ok(())
    }

    /// Says where each hit comes from; with `--author`, keeps only those by that person.
    pub fn trace(
        &self,
        blame: &Blame,
        listing: Listing,
        wanted: usize,
        answer: &mut Answer,
        git: Option<&Git>,
    ) {
        if let Some(git) = git.filter(|_| blame.asked) {
            let origins = Origins::new(git, self.against());
            let authors = origins.authors(&answer.hits, &self.refreshed.snapshot);
            for (hit, author) in answer.hits.iter_mut().zip(authors) {
                hit.origin.author = author;
            }
        }
        if let Some(name) = blame.author {
            let by_them =
                |hit: &Hit| hit.origin.author.as_ref().is_some_and(|author| author.is_called(name));
            answer.keep(listing, wanted, by_them);
        }
        if self.at.is_none() {
            for hit in answer.hits.iter_mut().filter(|hit| hit.kind != Kind::Summary) {
                hit.origin.state = state_of(&self.refreshed.snapshot, hit);
            }
        }
    }

    /// Which commit was searched, and what it took.
    pub fn say(&self, reporter: &dyn Reporter) {
        let Some((commit, time)) = self.at else { return };
        let report = &self.refreshed.report;
        let date = day(time);
        let (notes, embedded) = (counted(report.files, "note"), counted(report.embedded, "chunk"));
        reporter
            .note(format_args!("{notes} as of {} ({date}), {embedded} embedded", commit.short()));
        if let Some(problem) = report.problems.first() {
            reporter.note(format_args!(
                "{} of it {} left out, `{}` for one: {}",
                counted(report.problems.len(), "note"),
                agreeing(report.problems.len(), "is", "are"),
                escape_control_line(&problem.path.to_text()),
                problem.reason
            ));
        }
    }
}

/// Whether hits are to be traced to their authors.
pub struct Blame<'a> {
    pub asked: bool,
    /// Keeps only hits of this person.
    pub author: Option<&'a str>,
}

/// Whether the text of a hit is committed, as the history has it.
fn state_of(snapshot: &Snapshot, hit: &Hit) -> State {
    let history = &snapshot.history;
    match history.age(&hit.path, &hit.blob) {
        Age::Committed(_) | Age::Unknown => State::Committed,
        // Without a history nothing can be said.
        Age::NotCommitted if !history.complete => State::Committed,
        Age::NotCommitted if history.get(&hit.path).is_some() => State::Modified,
        Age::NotCommitted => State::Uncommitted,
    }
}
