//! The repository around a run: what is known of the task, what is allowed, what is taken back.

mod changes;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use ulid::Ulid;

use super::{
    Prepared,
    branch::{self, Branch},
    gathering, remembering,
};
use crate::{
    Result, Workspace,
    config::{StoreError, TrustEntry, TrustStore, digest},
};
use elophanto_agent::{
    Effects, Gathered, LeftToCommit, TaskSummary, World,
    checkpoint::{Checkpoints, Run, Uncovered, WhyUncovered},
    git_guard::{Before, INSTALLED, Links, Named, Runs, Steering, UnderWay, written_into},
    permissions::{Action, Call, Decision, Layer, Mode, Verdict, shown_objects},
    skills::Skill,
};
use elophanto_base::{counted::counted, visible::exact_line};
use elophanto_models::llm::Image;
use elophanto_repo::{CommitId, Git, Visited, head};

/// A call that is being made. Calls that only look are inside of others too.
#[derive(Default)]
struct Begun {
    /// A checkpoint covers what it does.
    is_covered: bool,
    /// It makes a commit: what goes along with that is none of the run's files.
    is_commit: bool,
    /// HEAD before it, if it may make a commit.
    head: Option<Option<CommitId>>,
    /// Which other repositories there were, if it may leave one.
    before: Option<Before>,
    /// The same, written down until the call has ended.
    under_way: Option<UnderWay>,
    /// Whoever let it through was told which files it changes.
    is_shown: bool,
    /// Files that others go by, as they were before a call that nobody looked at.
    steering: Option<Steering>,
    /// There are more files with names outside of the work tree than can be kept from it.
    linked_beyond: bool,
}

/// Files that our own output goes to: what a user keeps of it in the work tree is none of the run's.
fn own_output() -> impl Iterator<Item = PathBuf> {
    let links = ["/proc/self/fd/1", "/proc/self/fd/2"].into_iter();
    links.filter_map(|link| std::fs::read_link(link).ok()).filter(|path| path.is_file())
}

/// What elophanto keeps in a work tree for all clones.
const OWN_RECORDS: [&str; 3] = [".elophanto/index", ".elophanto/journal", ".elophanto/memory"];
/// Folders, ignored by git, that a program fills again, besides what is [`INSTALLED`].
const MADE_AGAIN: [&str; 2] = ["build", "dist"];
/// What could be lost is told of one by one up to so many.
const MOST_LOST: usize = 5;
/// Files with changes of the user's and of the run that are named.
const MOST_MIXED: usize = 8;
/// What git runs is asked about up to so many at once.
const MOST_RUNS: usize = 5;
/// Files with names outside of the work tree that are kept from programs one by one.
const MOST_LINKED: usize = 1_000;

/// The name under which the user trusts what git runs.
fn trusted_as(by: &str) -> String {
    format!("git {by}")
}

/// What no program may change so that a file which others go by stays as it is: what a link leads to
/// in its place.
fn held(root: &Path, path: &Path) -> Option<PathBuf> {
    let path = root.join(path);
    if !path.is_symlink() {
        return Some(path);
    }
    path.canonicalize().ok().filter(|target| target.starts_with(root) && target != root)
}

/// Whether something is lost for good if a program deletes it.
fn is_dear(it: &Uncovered) -> bool {
    match it.why {
        WhyUncovered::TooMuch => {
            let name = it.path.file_name().unwrap_or_default();
            !INSTALLED.iter().chain(&MADE_AGAIN).any(|made| name == *made)
        }
        WhyUncovered::Large | WhyUncovered::Unreadable => true,
        // Other repositories no command changes; the rest holds nothing.
        WhyUncovered::Special | WhyUncovered::NestedRepository | WhyUncovered::Head => false,
    }
}

fn not_restored(it: &Uncovered) -> String {
    let path = exact_line(&it.path.to_string_lossy());
    format!("an undo would not restore `{path}`: {}", it.why.as_str())
}

/// What a run works in.
pub struct Surroundings<'a> {
    prepared: &'a Prepared<'a>,
    workspace: &'a Workspace,
    git: Option<&'a Git>,
    checkpoints: Option<Checkpoints<'a>>,
    skills: &'a [Skill],
    run: Option<Ulid>,
    checkpoint: Option<Run<'a>>,
    /// Each call that is being made, the innermost last.
    calls: Vec<Begun>,
    links: Links,
    /// What links lead to that have the names of files that others go by, once it was asked for.
    led_to: Option<Vec<PathBuf>>,
    /// What git goes by in the work tree, once it mattered; of what it runs, what nobody approved.
    named: Option<Named>,
    /// Whether the user is asked about what git runs, and says yes by letting the call through.
    asks_of_git: bool,
    /// The branch that was begun for the run.
    branch: Option<&'a Branch>,
    /// What the run was told of what is known.
    pub known: Option<Gathered>,
    /// Somebody said just now what is to be done.
    pub is_said: bool,
    /// What went wrong beside the run.
    pub warnings: Vec<String>,
}

impl<'a> Surroundings<'a> {
    pub fn new(
        prepared: &'a Prepared<'a>,
        skills: &'a [Skill],
        branch: Option<&'a Branch>,
    ) -> Self {
        Self {
            prepared,
            workspace: prepared.workspace,
            git: prepared.git.as_ref(),
            checkpoints: prepared.checkpoints(),
            skills,
            run: None,
            checkpoint: None,
            calls: Vec::new(),
            links: Links::default(),
            led_to: None,
            named: None,
            asks_of_git: false,
            branch,
            known: None,
            is_said: true,
            warnings: Vec::new(),
        }
    }

    /// Ends the run: what it changed can be taken back from now on.
    ///
    /// # Errors
    /// When the checkpoint cannot be sealed; it can be undone all the same.
    pub fn finish(&mut self) -> Result<()> {
        self.run = None;
        (self.led_to, self.named) = (None, None);
        self.calls.clear();
        self.prepared.fencing.rests();
        if let Some(run) = self.checkpoint.take() {
            run.finish()?;
        }
        Ok(())
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

    /// Whether a link with the name of a file that others go by leads to this path, or to a folder
    /// around it. Links are looked for once in a run.
    fn is_led_to(&mut self, path: &Path) -> bool {
        if self.led_to.is_none() {
            let root = &self.workspace.repository.root;
            let protected = Arc::clone(&self.prepared.rights.borrow().protected);
            let found = Steering::look(root, &protected, self.named.as_ref()).files;
            let links = found.keys().map(|it| root.join(it)).filter(|it| it.is_symlink());
            let targets = links.filter_map(|it| it.canonicalize().ok()).filter(|it| it != root);
            self.led_to = Some(targets.collect());
        }
        self.led_to.iter().flatten().any(|target| path.starts_with(target))
    }

    /// Finds out what git goes by in the work tree, once in a run: no call changes its settings.
    fn know_what_git_names(&mut self) {
        let Some(git) = self.git.filter(|_| self.named.is_none()) else { return };
        let named = self.workspace.with_git(&|around| Named::look(git, around));
        let mut named = named.unwrap_or_else(|cause| {
            let by = format!("git does not say its settings: {cause}");
            Named { runs: vec![Runs { by, line: None }], ..Named::default() }
        });
        if let Ok(store) = self.trusted() {
            let root = &self.workspace.repository.root;
            let trusts =
                |line: &String, by: &str| store.trusts(root, &trusted_as(by), line.as_bytes());
            named.runs.retain(|it| !it.line.as_ref().is_some_and(|line| trusts(line, &it.by)));
        }
        self.named = Some(named);
    }

    fn trusted(&self) -> Result<TrustStore, StoreError> {
        let variables = self.workspace.environment.variables();
        TrustStore::open_for(&self.workspace.repository.root, variables)
    }

    /// The user was asked about what git runs and said yes: just that is not asked about again.
    fn approve_what_git_runs(&mut self) {
        let Some(named) = self.named.as_mut().filter(|_| std::mem::take(&mut self.asks_of_git))
        else {
            return;
        };
        let shown = named.runs.len().min(MOST_RUNS);
        let (approved, open): (Vec<Runs>, Vec<Runs>) =
            named.runs.drain(..shown).partition(|it| it.line.is_some());
        named.runs.splice(..0, open);
        let root = &self.workspace.repository.root;
        for Runs { by, line } in approved {
            let digest = digest(line.unwrap_or_default().as_bytes());
            let entry = TrustEntry::now(digest, trusted_as(&by), root);
            if let Err(cause) = self.trusted().and_then(|store| store.record(entry)) {
                let by = exact_line(&by);
                self.warnings.push(format!("`{by}` is asked about again: {cause}"));
            }
        }
    }

    /// Why a call that nobody has looked at might change what runs outside of the sandbox, in words;
    /// nothing if it cannot.
    fn steers(&mut self, action: &Action) -> Vec<String> {
        let is_change =
            matches!(action, Action::Write { .. } | Action::Shell { .. } | Action::Program { .. });
        if !is_change {
            return Vec::new();
        }
        let mut reasons = Vec::new();
        self.know_what_git_names();
        let runs: &[Runs] = self.named.as_ref().map_or(&[], |named| &named.runs);
        let runs = &runs[..runs.len().min(MOST_RUNS)];
        if !runs.is_empty() {
            self.asks_of_git = true;
            let names: Vec<String> =
                runs.iter().map(|it| format!("`{}`", exact_line(&it.by))).collect();
            let kept = match runs.iter().any(|it| it.line.is_some()) {
                true => {
                    "; a yes holds for these lines as they stand, whatever they load, until you revoke your trust"
                }
                false => "",
            };
            reasons.push(format!(
                "git runs by itself what {} names, and which files of the work tree that goes by \
                 cannot be told{kept}",
                names.join(", ")
            ));
        }
        let Action::Write { paths } = action else { return reasons };
        reasons.extend(paths.iter().find_map(|path| {
            let shown = exact_line(&path.to_string_lossy());
            if let Some(by) = self.named.as_ref().and_then(|named| named.why(path)) {
                let by = exact_line(by);
                return Some(format!("git goes by `{shown}`, outside of the sandbox: `{by}`"));
            }
            self.is_led_to(path).then(|| {
                format!(
                    "a link of a file that steers other programs, outside of the sandbox, leads to \
                     `{shown}`"
                )
            })
        }));
        reasons
    }

    fn head(&self) -> Option<CommitId> {
        self.git.and_then(|git| head(git).ok().flatten())
    }
}

impl World for Surroundings<'_> {
    fn image(&self, path: &str) -> Result<Image, String> {
        self.prepared.image_again(path).map_err(|error| error.message().to_owned())
    }

    fn begun(&mut self, run: Ulid) {
        self.run = Some(run);
    }

    fn gather(&mut self, goal: &str) -> Gathered {
        let protected = self.prepared.rights.borrow().protected.entries();
        let mut gathered = gathering::gather(self.workspace, goal, self.skills, protected);
        // Once, however many tasks there are.
        gathered.remarks.retain(|remark| self.prepared.told.borrow_mut().insert(remark.clone()));
        // Parts of the task come later, with less of it.
        self.known.get_or_insert_with(|| gathered.clone());
        gathered
    }

    fn decide(&mut self, call: &Call<'_>, is_tainted: bool, is_attended: bool) -> Verdict {
        self.asks_of_git = false;
        // Asked only where it matters: trying the sandbox takes a moment.
        let runs = matches!(call.action, Action::Shell { .. } | Action::Program { .. });
        let is_fenced = !runs || self.prepared.fencing.is_there();
        let mut verdict =
            self.prepared.rights.borrow().decide(call, is_tainted, is_attended, is_fenced);
        if verdict.decision == Decision::Allow
            && self.prepared.mode() == Mode::Smart
            && let Some(id) = self.content_shown(&verdict)
        {
            verdict.decision = if is_attended { Decision::Ask } else { Decision::Deny };
            verdict.is_unanswered = !is_attended;
            verdict
                .reasons
                .push(format!("`{id}` is no commit: it is not known of which file it is"));
        }
        let steers = match is_tainted && verdict.decision != Decision::Deny {
            true => self.steers(&call.action),
            false => Vec::new(),
        };
        if !steers.is_empty() {
            verdict.decision = if is_attended { Decision::Ask } else { Decision::Deny };
            (verdict.layer, verdict.can_be_kept) = (Layer::Blacklist, false);
            verdict.is_unanswered = !is_attended;
            verdict.reasons = steers;
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

    fn before(&mut self, action: &Action, is_unseen: bool) -> Result<(), String> {
        self.approve_what_git_runs();
        let changes_nothing = match action {
            Action::Reach { .. } => true,
            Action::Shell { line, folder, network } => {
                self.prepared.fencing.holds_still(line, folder, *network)
            }
            action => !action.writes_or_reaches(),
        };
        if changes_nothing {
            if matches!(action, Action::Shell { .. }) {
                self.prepared.fencing.get_ready();
            }
            self.calls.push(Begun::default());
            return Ok(());
        }
        let runs = matches!(action, Action::Shell { .. } | Action::Program { .. });
        if runs {
            self.prepared.fencing.get_ready();
        }
        let head = self.head();
        let said = |cause: elophanto_agent::checkpoint::CheckpointError| cause.to_string();
        let (fencing, workspace, git) = (&self.prepared.fencing, self.workspace, self.git);
        let root = &workspace.repository.root;
        let is_unseen = runs && is_unseen && fencing.is_there();
        let sight = is_unseen.then(|| self.sight());
        let visit = |visited: Visited<'_>| sight.iter().for_each(|it| it.visit(visited));
        let before = Before::look(root, action, &visit);
        let mut repositories =
            before.as_ref().map(|before| before.repositories(root)).unwrap_or_default();
        if let Some(git) = git.filter(|_| runs) {
            repositories.extend_from_slice(self.links.look(root, git, head)?);
        }
        let steering = sight.as_ref().map(|sight| sight.steering(self.named.as_ref()));
        let linked = sight.zip(steering.as_ref());
        let linked = linked.map(|(it, steering)| it.linked(steering, &repositories));
        let linked = linked.unwrap_or_default();
        // As other repositories are: no program that is shut in changes it.
        repositories.extend(
            steering.iter().flat_map(|it| it.files.keys()).filter_map(|path| held(root, path)),
        );
        if steering.is_some() {
            // What is written down there goes further than this work tree.
            repositories
                .extend(OWN_RECORDS.iter().map(|path| root.join(path)).filter(|it| it.is_dir()));
        }
        let linked_beyond = linked.len() > MOST_LINKED;
        if !linked_beyond {
            repositories.extend(linked);
        }
        fencing.stays_here(steering.is_some());
        let run = self.checkpoint()?;
        match action {
            Action::Write { paths } => run.before_files(paths).map_err(said)?,
            _ => {
                let protected = if runs { fencing.protected() } else { &[] };
                let but: Vec<PathBuf> = protected.iter().cloned().chain(own_output()).collect();
                let nested = runs && fencing.is_there();
                run.before_anything(&but, nested).map_err(said)?;
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
            before.as_ref().map(|it| UnderWay::begin(it, steering.as_ref(), &workspace.repository));
        let under_way = under_way.transpose();
        let under_way = under_way.map_err(|cause| {
            format!("`{}` cannot be written: {cause}", exact_line(&aside.to_string_lossy()))
        })?;
        // What is shut in cannot: a commit that is made meanwhile is somebody else's.
        let commits = !(runs && fencing.is_there());
        let head = commits.then_some(head);
        let is_shown = matches!(action, Action::Write { .. });
        self.calls.push(Begun {
            is_covered: true,
            is_commit: matches!(action, Action::Commit),
            head,
            before,
            under_way: under_way.flatten(),
            is_shown,
            steering,
            linked_beyond,
        });
        Ok(())
    }

    fn after(&mut self) -> Effects {
        self.prepared.fencing.forget();
        // Before anybody, be it us, looks at what has changed.
        let mut remarks = self.put_aside();
        let is_shown = self.calls.last().is_none_or(|call| call.is_shown);
        let changed = self.changed();
        if !is_shown {
            remarks.extend(self.executed(&changed));
        }
        self.prepared.fencing.expects_another();
        Effects { changed, remarks }
    }

    fn uncovered(&self) -> Vec<String> {
        let uncovered = self.checkpoint.as_ref().map(Run::uncovered).unwrap_or_default();
        uncovered.iter().map(not_restored).collect()
    }

    fn beyond_undo(&self) -> Vec<String> {
        // A call that changes nothing has no checkpoint.
        if !self.calls.last().is_some_and(|call| call.is_covered) {
            return Vec::new();
        }
        let lost = self.checkpoint.as_ref().map(Run::not_covered).unwrap_or_default();
        let lost = lost.iter().filter(|it| is_dear(it)).take(MOST_LOST).map(not_restored);
        let is_linked = self.calls.last().is_some_and(|call| call.linked_beyond);
        let linked = is_linked.then(|| {
            format!(
                "over {MOST_LINKED} files here are hard links to files elsewhere: what is written \
                 into one is written there too"
            )
        });
        lost.chain(linked).collect()
    }

    fn left_to_commit(&mut self, touched: &BTreeSet<PathBuf>) -> LeftToCommit {
        let (Some(branch), Some(git)) = (self.branch, self.git) else {
            return LeftToCommit::default();
        };
        let none = |why: String| LeftToCommit { paths: Vec::new(), kept_back: Some(why) };
        if touched.is_empty() {
            return LeftToCommit::default();
        }
        let (own, users): (Vec<&PathBuf>, Vec<&PathBuf>) =
            touched.iter().partition(|path| !branch.dirty.contains(*path));
        if git.branch().as_deref() != Some(branch.name()) {
            let why = "another branch is checked out by now: what is left is not committed";
            return none(why.to_owned());
        }
        let changed = match branch::changed(git) {
            Ok(changed) => changed,
            Err(cause) => return none(format!("what is left is not committed: {cause}")),
        };
        let mut mixed: Vec<String> = users
            .into_iter()
            .filter(|path| changed.contains(*path))
            .map(|path| format!("`{}`", exact_line(&path.to_string_lossy())))
            .collect();
        if let Some(more @ 1..) = mixed.len().checked_sub(MOST_MIXED) {
            mixed.truncate(MOST_MIXED);
            mixed.push(counted(more, "more file"));
        }
        LeftToCommit {
            paths: own.into_iter().filter(|path| changed.contains(*path)).cloned().collect(),
            kept_back: (!mixed.is_empty()).then(|| {
                format!(
                    "{} had uncommitted changes of yours before, so what the run changed there is \
                     not committed (`--stash` puts yours aside first)",
                    mixed.join(", ")
                )
            }),
        }
    }

    fn remember(&mut self, summary: &TaskSummary) -> Result<Vec<PathBuf>, String> {
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let folders = remembering::folders(self.workspace);
        // An undo of the run takes its notes back.
        if !folders.is_empty() && self.checkpoints.is_some() {
            let run = self.checkpoint()?;
            run.before_files(&folders).map_err(|cause| said(&cause))?;
        }
        let written = remembering::remember(self.workspace, summary)
            .map_err(|error| error.message().to_owned());
        if let Some(run) = self.checkpoint.as_mut().filter(|_| !folders.is_empty()) {
            run.after().map_err(|cause| said(&cause))?;
        }
        written
    }

    fn heard(&mut self, message: &str) {
        if !self.is_said {
            return;
        }
        // The run does not depend on it.
        if let Err(error) = remembering::heard(self.workspace, message) {
            self.warnings.push(format!("the message is not in the journal: {}", error.message()));
        }
    }

    fn keep_rule(&mut self, call: &Call<'_>, verdict: &Verdict) -> Result<(), String> {
        self.prepared
            .rights
            .borrow_mut()
            .keep(call, verdict)
            .map_err(|error| error.message().to_owned())
    }
}
