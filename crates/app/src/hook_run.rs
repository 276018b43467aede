//! What git's hooks do: the gate before a commit and what goes along with it, and a view that is
//! fresh after git has changed the work tree.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    Result, attributes,
    environment::Environment,
    hidden,
    hooks::{self, Place, Standing, State},
    on_commit::{self, CommitRequest, Done, GitVariables, IndexFile, Looked, Seen},
    reporter::Reporter,
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_base::{secrets::AllowList, visible::escape_control_line};
use elophanto_index::{
    Options,
    commit::{self, TABLES},
    fill::Allowance,
    store::view,
};
use elophanto_repo::{Git, Repository, locate};

/// Passages that a commit always embeds: what people change at a time.
const LEAST_EMBEDDED: usize = 50;
/// How long a commit of the agent may embed.
const MOST_EMBEDDING: Duration = Duration::from_secs(60);

/// A commit that was looked through for secrets.
pub struct Gated {
    git: Git,
    may_stage: bool,
    /// Where nothing of ours is (yet), nothing is written: secrets are refused all the same.
    is_indexed: bool,
    /// Whether anything is staged that HEAD does not hold.
    differs: bool,
    /// Whether the commit takes the place of HEAD.
    amends: bool,
    allowed: AllowList,
    workspace: Result<Workspace>,
}

/// Looks through what is to be committed, for a hook that git runs in `folder`; `None` if the
/// repository is not one of ours. At the deadline git is stopped.
///
/// # Errors
/// When git cannot say what is staged, or is at work in another repository.
pub fn look(
    folder: &Path,
    given: &GitVariables,
    deadline: Instant,
    environment: Environment,
    reporter: &dyn Reporter,
) -> Result<Option<(Looked, Gated)>> {
    let Some((repository, git)) = find(folder, true)? else { return Ok(None) };
    let is_indexed = is_indexed(&repository);
    let file = IndexFile::of(&git, folder, given)?;
    let git = git.with_index(file.path).until(deadline);
    let allowed = on_commit::allowed_for(&git, &environment, given.amends)?;
    // Settings may add to what the gate looks at; those that cannot be read take nothing away.
    let workspace = open(repository, environment, reporter);
    let extensions = workspace.as_ref().map(|workspace| &workspace.config.knowledge.extensions[..]);
    let looked = on_commit::look(&git, extensions.unwrap_or_default(), &allowed)?;
    let may_stage = file.may_stage;
    let (differs, amends) = (looked.differs, given.amends);
    Ok(Some((looked, Gated { git, may_stage, is_indexed, differs, amends, allowed, workspace })))
}

impl Gated {
    /// Does what the settings want of the commit, which the gate let pass. Of the time since `start`,
    /// no passage is begun after `embed_until`, so that what there is can be staged.
    ///
    /// # Errors
    /// When the settings are unusable, or something cannot be read or staged; the commit goes on.
    pub fn prepare(self, start: Instant, embed_until: Duration) -> Result<Done> {
        let Self { git, may_stage, is_indexed, differs, amends, allowed, workspace } = self;
        let workspace = workspace?;
        let settings = &workspace.config;
        let clock = || start.elapsed();
        let budget = settings.hooks.budget;
        let allowance =
            Allowance { least: LEAST_EMBEDDED, budget, ceiling: embed_until, clock: &clock };
        let request = CommitRequest {
            differs,
            amends,
            changelog: is_indexed && settings.changelog.enabled,
            // Never the vectors of a model that only stands in here.
            index: is_indexed && workspace.commits_vectors(),
            embed: (!budget.is_zero()).then_some(allowance),
            journal: is_indexed && settings.journal.share,
            allowed: &allowed,
            now: now_nanoseconds() / 1_000_000_000,
        };
        Ok(on_commit::prepare(&workspace.context(), &git, may_stage, &request, &|_, _| {})?)
    }
}

/// Stages the vectors that go along with a commit of the agent, which no hook prepares: where hooks
/// of ours would, or where earlier commits carry some, as a clone's do. `git` has the index of the
/// commit.
///
/// # Errors
/// When something cannot be read or staged; the commit can be made all the same.
pub fn carry(workspace: &Workspace, git: &Git) -> Result<()> {
    let repository = &workspace.repository;
    let carries = || -> Result<bool> {
        Ok(has_our_hooks(repository) || !git.run(&["ls-files", "-z", "--", TABLES])?.is_empty())
    };
    if !is_indexed(repository) || !workspace.commits_vectors() || !carries()? {
        return Ok(());
    }
    let (start, budget) = (Instant::now(), workspace.config.hooks.budget);
    let clock = || start.elapsed();
    let allowance =
        Allowance { least: LEAST_EMBEDDED, budget, ceiling: MOST_EMBEDDING, clock: &clock };
    let allowance = (!budget.is_zero()).then_some(allowance);
    on_commit::carry(&workspace.context(), git, allowance.as_ref(), &|_, _| {})?;
    Ok(())
}

/// Brings the view up to date after git has changed the work tree.
///
/// # Errors
/// When a setting is unusable, or a root does not exist.
pub fn freshen(folder: &Path, environment: Environment, reporter: &dyn Reporter) -> Result<()> {
    let Some((repository, git)) = find(folder, false)? else { return Ok(()) };
    fresh(&git, &open(repository, environment, reporter)?)
}

/// The same after a merge. Says which notes git merged by itself, where no table holds what came of them: the
/// tree of such a commit is made before git runs any hook, so that none can add a table to it.
///
/// # Errors
/// Those of [`freshen`], or when git or a table cannot be read.
pub fn freshen_merged(
    folder: &Path,
    environment: Environment,
    reporter: &dyn Reporter,
) -> Result<()> {
    let Some((repository, git)) = find(folder, false)? else { return Ok(()) };
    let workspace = open(repository, environment, reporter)?;
    fresh(&git, &workspace)?;
    let context = workspace.context();
    let made = on_commit::merged(&context, &git)?;
    let [first, rest @ ..] = &made[..] else { return Ok(()) };
    let options = Options { full: false, patience: Some(Duration::ZERO), progress: &|_, _| {} };
    if workspace.commits_vectors()
        && commit::is_behind(&context, &workspace.refresh_indexed(options)?.snapshot)?
    {
        let more =
            if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        reporter.note(format_args!(
            "git merged `{}`{more} by itself: vectors of what came of it go along with the next commit, or \
             now by `elophanto index --commit`",
            escape_control_line(&first.to_text())
        ));
    }
    Ok(())
}

fn fresh(git: &Git, workspace: &Workspace) -> Result<()> {
    // A rebase runs this hook at every step; the last step is followed by another hook. Whoever
    // is indexing sees what git has done, or the next search does.
    if !git.is_replaying() && !view::is_busy(&workspace.context().view_dir()) {
        let options = Options { full: false, patience: Some(Duration::ZERO), progress: &|_, _| {} };
        workspace.refresh_all(options)?;
    }
    Ok(())
}

/// What begins in a clone once its hooks stand.
///
/// # Errors
/// When git cannot say what its newest commit is.
pub fn begin(
    repository: &Repository,
    environment: Environment,
    reporter: &dyn Reporter,
) -> Result<()> {
    if let Some(git) = Git::of(repository) {
        // What was committed before needs no entry.
        Seen::of_entries(&git).begin(&git)?;
        Seen::of_facts(&git).begin(&git)?;
    }
    match Workspace::again(repository.clone(), environment, Vec::new()) {
        Ok(workspace) => {
            attributes::ensure(&workspace, reporter);
            hidden::say(&workspace, reporter);
        }
        // Whoever uses the settings says so; the hooks stand.
        Err(cause) => reporter.note(cause.message()),
    }
    if !is_indexed(repository) {
        reporter.note(
            "nothing is indexed here yet: until `elophanto index` has run once, the hooks refuse \
             secrets and do nothing else",
        );
    }
    Ok(())
}

/// What ends in a clone once its hooks are gone.
pub fn end(repository: &Repository, environment: Environment, reporter: &dyn Reporter) {
    match Workspace::again(repository.clone(), environment, Vec::new()) {
        Ok(workspace) => attributes::withdraw(&workspace, reporter),
        Err(cause) => reporter.note(cause.message()),
    }
}

fn open(
    repository: Repository,
    environment: Environment,
    reporter: &dyn Reporter,
) -> Result<Workspace> {
    let workspace = Workspace::at(repository, environment, Vec::new(), reporter)?;
    workspace.put_aside_of_killed().iter().for_each(|line| reporter.warn(line));
    Ok(workspace)
}

/// The repository around a folder, if it is one of ours: a hooks folder may serve others. With
/// `or_hooked`, one of which nothing is indexed is ours if our hooks are its own.
fn find(folder: &Path, or_hooked: bool) -> Result<Option<(Repository, Git)>> {
    let repository = locate(folder)?;
    let is_ours = is_indexed(&repository) || or_hooked && has_our_hooks(&repository);
    let git = if is_ours { Git::of(&repository) } else { None };
    Ok(git.map(|git| (repository, git)))
}

/// Whether something of ours is in the work tree.
fn is_indexed(repository: &Repository) -> bool {
    repository.root.join(".elophanto").is_dir()
}

fn has_our_hooks(repository: &Repository) -> bool {
    hooks::status(repository).is_ok_and(|status| {
        let is_there = |standing: &Standing| standing.state != State::Missing;
        status.folder.place != Place::Outside
            && status.hooks.iter().any(|(_, standing)| is_there(standing))
    })
}
