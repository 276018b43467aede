//! The repository around a run: what is known of the task, what is allowed, what is taken back.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use ulid::Ulid;

use super::{
    super::super::{error::CliError, ui::exact_line, workspace::Workspace},
    super::errors::why_uncovered,
    fencing::Fencing,
    gathering, remembering,
    rights::Rights,
};
use elophanto_agent::{
    Effects, Gathered, Session, TaskSummary, World,
    checkpoint::{Checkpoints, Run, Uncovered},
    git_guard::{Before, Links, UnderWay, written_into},
    permissions::{Action, Call, Decision, Layer, Mode, Verdict, is_key, shown_objects},
    skills::Skill,
};
use elophanto_repo::{CommitId, Git, head};

/// Files that are told of one by one.
const MOST_TOLD: usize = 20;

/// A call that is being made. Calls that only look are inside of others too.
#[derive(Default)]
struct Begun {
    /// A checkpoint covers what it does.
    is_covered: bool,
    /// HEAD before it, if it may make a commit.
    head: Option<Option<CommitId>>,
    /// Which other repositories there were, if it may leave one.
    before: Option<Before>,
    /// The same, written down until the call has ended.
    under_way: Option<UnderWay>,
    /// Whoever let it through was told which files it changes.
    is_shown: bool,
}

/// Files that our own output goes to: what a user keeps of it in the work tree is none of the run's.
fn own_output() -> impl Iterator<Item = PathBuf> {
    let links = ["/proc/self/fd/1", "/proc/self/fd/2"].into_iter();
    links.filter_map(|link| std::fs::read_link(link).ok()).filter(|path| path.is_file())
}

/// What a run works in.
pub struct Surroundings<'a> {
    workspace: &'a Workspace,
    git: Option<&'a Git>,
    checkpoints: Option<Checkpoints<'a>>,
    rights: Rc<RefCell<Rights>>,
    skills: &'a [Skill],
    fencing: Arc<Fencing>,
    run: Option<Ulid>,
    checkpoint: Option<Run<'a>>,
    /// Each call that is being made, the innermost last.
    calls: Vec<Begun>,
    links: Links,
    warnings: Vec<String>,
    /// What this process has told of what is known.
    told: &'a RefCell<BTreeSet<String>>,
}

impl<'a> Surroundings<'a> {
    pub fn new(
        workspace: &'a Workspace,
        git: Option<&'a Git>,
        folder: &'a Path,
        rights: Rc<RefCell<Rights>>,
        skills: &'a [Skill],
        fencing: Arc<Fencing>,
        told: &'a RefCell<BTreeSet<String>>,
    ) -> Self {
        Self {
            workspace,
            git,
            checkpoints: git.map(|git| Checkpoints::new(git, folder, is_key)),
            rights,
            skills,
            fencing,
            run: None,
            checkpoint: None,
            calls: Vec::new(),
            links: Links::default(),
            warnings: Vec::new(),
            told,
        }
    }

    /// Ends the run: what it changed can be taken back from now on.
    ///
    /// # Errors
    /// When the checkpoint cannot be sealed; it can be undone all the same.
    pub fn finish(&mut self) -> Result<(), CliError> {
        self.run = None;
        self.calls.clear();
        self.fencing.rests();
        if let Some(run) = self.checkpoint.take() {
            run.finish()?;
        }
        Ok(())
    }

    /// What went wrong beside the run, once.
    pub fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// The checkpoint of the run, begun with its first change.
    fn checkpoint(&mut self) -> Result<&mut Run<'a>, String> {
        let Some(checkpoints) = self.checkpoints else {
            return Err("there is no git repository here, so nothing could be taken back: \
                        `git init` makes one"
                .to_owned());
        };
        if self.checkpoint.is_none() {
            let run = self.run.unwrap_or_default().to_string();
            self.checkpoint = Some(checkpoints.begin(&run).map_err(|cause| cause.to_string())?);
        }
        self.checkpoint.as_mut().ok_or_else(|| "there is no checkpoint".to_owned())
    }

    /// An object that a listed command would show and that is none of the repository's commits.
    fn content_shown(&self, verdict: &Verdict) -> Option<String> {
        let git = self.git?;
        let is_listed = verdict.layer == Layer::Mode;
        let mut objects = shown_objects(&verdict.commands).into_iter().filter(|_| is_listed);
        objects.find(|id| git.resolve(id).is_err()).map(str::to_owned)
    }

    /// What the call that has just been made changed.
    fn changed(&mut self) -> Vec<PathBuf> {
        let Some(Begun { is_covered: true, head: old, .. }) = self.calls.pop() else {
            return Vec::new();
        };
        let new = self.head();
        let branch = self.git.and_then(Git::branch).map(|name| format!("refs/heads/{name}"));
        let Some(run) = &mut self.checkpoint else { return Vec::new() };
        if let Some(old) = old
            && let Some(new) = new.filter(|new| old.as_ref() != Some(new))
            && let Err(cause) = run.committed(old, new, branch.as_deref())
        {
            self.warnings.push(format!("the commit cannot be taken back: {cause}"));
        }
        match run.after() {
            Ok(paths) => paths,
            Err(cause) => {
                self.warnings.push(format!("what the call changed is not known yet: {cause}"));
                Vec::new()
            }
        }
    }

    /// Puts repositories that the call has left out of git's sight; says so.
    fn put_aside(&mut self) -> Vec<String> {
        let repository = &self.workspace.repository;
        let Some(Begun { before: Some(before), under_way, .. }) = self.calls.last_mut() else {
            return Vec::new();
        };
        let run = self.run.unwrap_or_default().to_string();
        let aside = before.put_aside(repository, &|_| false, &repository.aside_dir().join(run));
        // What is still there is tried again by the next run.
        if let Some(under_way) = under_way.take().filter(|_| aside.is_whole) {
            under_way.ended();
        }
        aside.told
    }

    /// Says which of these files, relative to the root, others execute.
    fn executed(&self, changed: &[PathBuf]) -> Vec<String> {
        let (rights, root) = (self.rights.borrow(), &self.workspace.repository.root);
        let who = |path: &PathBuf| {
            let path = root.join(path);
            // A folder alone says nothing; a link says what lies behind it.
            let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
            rights.protected().executed(&path).filter(|_| !is_folder)
        };
        let found: Vec<(&PathBuf, &str)> =
            changed.iter().filter_map(|path| Some((path, who(path)?))).collect();
        let said = |(path, who): &(&PathBuf, &str)| {
            let path = exact_line(&path.to_string_lossy());
            format!(
                "`{path}` was changed, and runs or steers {who} outside of the sandbox: look at it \
                 first"
            )
        };
        let mut told: Vec<String> = found.iter().take(MOST_TOLD).map(said).collect();
        if let Some(more @ 1..) = found.len().checked_sub(MOST_TOLD) {
            told.push(format!("{more} more files that run or steer other programs were changed"));
        }
        told
    }

    fn head(&self) -> Option<CommitId> {
        self.git.and_then(|git| head(git).ok().flatten())
    }
}

impl World for Surroundings<'_> {
    fn begun(&mut self, run: Ulid) {
        self.run = Some(run);
    }

    fn gather(&mut self, goal: &str) -> Gathered {
        let protected = self.rights.borrow().protected().entries();
        let mut gathered = gathering::gather(self.workspace, goal, self.skills, protected);
        // Once, however many tasks there are.
        gathered.remarks.retain(|remark| self.told.borrow_mut().insert(remark.clone()));
        gathered
    }

    fn decide(
        &mut self,
        call: &Call<'_>,
        is_tainted: bool,
        is_attended: bool,
        _session: &Session,
    ) -> Verdict {
        // Asked only where it matters: trying the fence takes a moment.
        let runs = matches!(call.action, Action::Shell { .. } | Action::Program { .. });
        let is_fenced = !runs || self.fencing.is_there();
        let mut verdict = self.rights.borrow().decide(call, is_tainted, is_attended, is_fenced);
        if verdict.decision == Decision::Allow
            && self.rights.borrow().mode() == Mode::Smart
            && let Some(id) = self.content_shown(&verdict)
        {
            verdict.decision = if is_attended { Decision::Ask } else { Decision::Deny };
            verdict.is_unanswered = !is_attended;
            verdict
                .reasons
                .push(format!("`{id}` is no commit: it is not known of which file it is"));
        }
        if let Some(folder) = written_into(&self.workspace.repository.root, &call.action) {
            let folder = exact_line(&folder.to_string_lossy());
            verdict.decision = Decision::Deny;
            verdict.layer = Layer::Protected;
            verdict.can_be_kept = false;
            verdict.reasons = vec![format!("`{folder}` is a git repository of its own")];
        }
        verdict
    }

    fn before(&mut self, action: &Action) -> Result<(), String> {
        let changes_nothing = match action {
            Action::Reach { .. } => true,
            Action::Shell { line, folder, network } => {
                self.fencing.holds_still(line, folder, *network)
            }
            action => !action.writes_or_reaches(),
        };
        if changes_nothing {
            if matches!(action, Action::Shell { .. }) {
                self.fencing.get_ready();
            }
            self.calls.push(Begun::default());
            return Ok(());
        }
        let runs = matches!(action, Action::Shell { .. } | Action::Program { .. });
        if runs {
            self.fencing.get_ready();
        }
        let head = self.head();
        let said = |cause: elophanto_agent::checkpoint::CheckpointError| cause.to_string();
        let fencing = Arc::clone(&self.fencing);
        let (workspace, git) = (self.workspace, self.git);
        let root = &workspace.repository.root;
        let before = Before::look(root, action);
        let mut repositories =
            before.as_ref().map(|before| before.repositories(root)).unwrap_or_default();
        if let Some(git) = git.filter(|_| runs) {
            repositories.extend_from_slice(self.links.look(root, git, head)?);
        }
        let run = self.checkpoint()?;
        match action {
            Action::Write { paths } => run.before_files(paths).map_err(said)?,
            _ => {
                let protected = if runs { fencing.protected() } else { &[] };
                let but: Vec<PathBuf> = protected.iter().cloned().chain(own_output()).collect();
                let nested = runs && fencing.is_there();
                run.before_anything_but(&but, nested).map_err(said)?;
            }
        }
        if runs {
            if let Some(paths) = run.paths() {
                fencing.knows(paths);
            }
            fencing.knows_repositories(repositories);
        }
        if matches!(action, Action::Commit) {
            run.before_commit().map_err(said)?;
        }
        let aside = workspace.repository.aside_dir();
        let under_way =
            before.as_ref().map(|it| UnderWay::begin(it, &workspace.repository)).transpose();
        let under_way = under_way.map_err(|cause| {
            format!("`{}` cannot be written: {cause}", exact_line(&aside.to_string_lossy()))
        })?;
        // What is shut in cannot: a commit that is made meanwhile is somebody else's.
        let commits = !(runs && fencing.is_there());
        let head = commits.then_some(head);
        let is_shown = matches!(action, Action::Write { .. });
        self.calls.push(Begun {
            is_covered: true,
            head,
            before,
            under_way: under_way.flatten(),
            is_shown,
        });
        Ok(())
    }

    fn after(&mut self) -> Effects {
        self.fencing.forget();
        // Before anybody, be it us, looks at what has changed.
        let mut remarks = self.put_aside();
        let is_shown = self.calls.last().is_none_or(|call| call.is_shown);
        let changed = self.changed();
        if !is_shown {
            remarks.extend(self.executed(&changed));
        }
        self.fencing.expects_another();
        Effects { changed, remarks }
    }

    fn uncovered(&self) -> Vec<String> {
        let uncovered = self.checkpoint.as_ref().map(Run::uncovered).unwrap_or_default();
        let told = |it: &Uncovered| {
            let path = exact_line(&it.path.to_string_lossy());
            format!("an undo would not restore `{path}`: {}", why_uncovered(it.why))
        };
        uncovered.iter().map(told).collect()
    }

    fn remember(&mut self, summary: &TaskSummary) -> Result<Vec<PathBuf>, String> {
        remembering::remember(self.workspace, summary).map_err(|error| error.message().to_owned())
    }

    fn heard(&mut self, message: &str) {
        // The run does not depend on it.
        if let Err(error) = remembering::heard(self.workspace, message) {
            self.warnings.push(format!("the message is not in the journal: {}", error.message()));
        }
    }

    fn keep_rule(&mut self, call: &Call<'_>, verdict: &Verdict) -> Result<(), String> {
        self.rights.borrow_mut().keep(call, verdict).map_err(|error| error.message().to_owned())
    }
}
