//! A run of the agent, put together: models, tools, what is known, what is allowed.

mod brain;
mod branching;
mod develop;
mod external;
mod fencing;
mod gathering;
mod hub_tools;
mod knowledge;
pub mod plugins;
mod proposing;
mod ranking;
mod remembering;
pub mod rights;
mod signals;
mod skill_tools;
mod state;
pub mod terminal;
mod toolbox;
pub mod wire;
mod world;

use std::{
    cell::RefCell,
    collections::BTreeSet,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use jiff::Timestamp;

use super::{
    super::{
        error::CliError,
        ui::{Ui, visible_line},
        workspace::Workspace,
    },
    shelf::Shelf,
};
use brain::Models;
use elophanto_agent::{
    Agent, Approver, Finished, Reflect, Session, Sessions, Settings, Toolbox, Trails,
    checkpoint::Checkpoints,
    fence::{self, Kind},
    permissions::{Mode, is_key, only_reads},
    plugins::Problem,
    tools::OutOfReach,
};
use elophanto_app::config::{AgentMode, Reflection};
use elophanto_repo::Git;
use external::External;
use fencing::{Fencing, OnlyReads};
use plugins::Bench;
use proposing::{Proposing, proposal};
use rights::Rights;
pub use rights::mode_of;
pub use state::state_folder;
use state::user;
use world::Surroundings;

/// Whoever sits at the terminal.
const CHANNEL: &str = "terminal";
/// Checkpoints that are kept.
const CHECKPOINTS: usize = 100;

/// What the command line says of the settings.
pub fn flags(
    mode: Option<AgentMode>,
    max_steps: Option<usize>,
    budget: &Option<String>,
) -> Vec<(String, String)> {
    let flags = [
        ("agent.mode", mode.map(|mode| mode.to_string())),
        ("agent.max_steps", max_steps.map(|steps| steps.to_string())),
        ("llm.budget.run", budget.clone()),
    ];
    flags.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// What one run is told.
pub struct Wish {
    /// The session that it goes on with; a new one if none.
    pub session: Option<String>,
    /// Agrees to what is sent to a model elsewhere.
    pub yes: bool,
}

/// Everything that runs of one process have in common.
pub struct Prepared<'a> {
    pub workspace: &'a Workspace,
    git: Option<Git>,
    checkpoints: PathBuf,
    pub rights: Rc<RefCell<Rights>>,
    fencing: Arc<Fencing>,
    shelf: Shelf,
    pub tools: Toolbox,
    /// What plugins run with.
    pub bench: Bench,
    /// Plugins that are no tools, and why.
    pub problems: Vec<Problem>,
    pub sessions: Sessions,
    pub trails: Trails,
    /// What was told of what is known, so that it is told once.
    told: RefCell<BTreeSet<String>>,
    /// The user wants the run to end, or none goes on.
    cancelled: Arc<AtomicBool>,
}

/// Reads rules, skills and plugins; starts nothing.
///
/// # Errors
/// When rules cannot be understood, or there is no folder for the state.
pub fn prepare<'a>(workspace: &'a Workspace, ui: &Ui) -> Result<Prepared<'a>, CliError> {
    let (rights, fencing, is_key) = fenced(workspace)?;
    for ignored in rights.ignored() {
        ui.note(format_args!(
            "the repository's permissions.yaml may not widen: {ignored} is ignored"
        ));
    }
    let repository = &workspace.repository;
    let git = Git::of(repository);
    let shelf = Shelf::of(workspace)?;
    for problem in shelf.discover().problems {
        ui.note(problem);
    }
    let bench = Bench::open(workspace, &fencing, ui)?;
    let built_in = toolbox::built_in(git.as_ref(), &fencing, is_key, &shelf);
    let (tools, problems) = toolbox::all(workspace, git.as_ref(), built_in, &bench, ui);
    let unknown = rights.tools().into_iter().filter(|name| tools.get(name).is_none());
    for name in unknown {
        // Without one near it, it is of another repository's plugins or of a server, not a slip.
        if let Some(near) = tools.near(name).first() {
            ui.note(format_args!(
                "a rule in permissions.yaml is for `{}`, which is no tool here: is it `{near}`?",
                visible_line(name)
            ));
        }
    }
    let state = state_folder()?;
    let cancelled = Arc::new(AtomicBool::new(true));
    Ok(Prepared {
        workspace,
        git,
        checkpoints: workspace.repository.runs_dir(),
        rights: Rc::new(RefCell::new(rights)),
        fencing,
        shelf,
        tools,
        bench,
        problems,
        sessions: Sessions::new(state.join("sessions")),
        trails: Trails::new(state.join("runs")),
        told: RefCell::default(),
        cancelled,
    })
}

impl Prepared<'_> {
    /// One run to its end, with its checkpoint sealed.
    ///
    /// # Errors
    /// When there is no run at all.
    pub fn run(
        &self,
        goal: &str,
        wish: &Wish,
        is_attended: bool,
        approver: &mut dyn Approver,
        ui: &Ui,
    ) -> Result<Finished, CliError> {
        let mut session = self.session(wish.session.as_deref())?;
        self.run_in(goal, &mut session, wish.yes, is_attended, approver, ui)
    }

    /// The same in a session that is at hand.
    ///
    /// # Errors
    /// When there is no run at all.
    pub fn run_in(
        &self,
        goal: &str,
        session: &mut Session,
        yes: bool,
        is_attended: bool,
        approver: &mut dyn Approver,
        ui: &Ui,
    ) -> Result<Finished, CliError> {
        let mode = self.rights.borrow().mode();
        if mode != Mode::Ask
            && let Kind::Absent(why) = self.fencing.kind()
        {
            ui.note(format_args!("commands cannot be shut in here ({why}): each of them asks"));
        }
        // Before anything of this run starts, and told at once: one before it may have been killed
        // since this process began.
        self.workspace.put_aside_of_killed().iter().for_each(|line| ui.warn(line));
        let mut brain = Models::open(self.workspace, yes, ui)?;
        // Anew for each run: one before it may have installed some.
        let skills = self.shelf.discover().skills;
        let mut approver = Proposing::new(approver, proposal(goal, &skills, &self.shelf));
        let _external = External::start(&self.workspace.repository.root, &self.tools, ui);
        let mut world = Surroundings::new(
            self.workspace,
            self.git.as_ref(),
            &self.checkpoints,
            Rc::clone(&self.rights),
            &skills,
            Arc::clone(&self.fencing),
            &self.told,
        );
        self.cancelled.store(false, Ordering::Relaxed);
        let finished = {
            let mut agent = Agent {
                brain: &mut brain,
                world: &mut world,
                tools: &self.tools,
                settings: self.settings(is_attended),
                trails: &self.trails,
                sessions: &self.sessions,
                cancelled: &self.cancelled,
                now: Timestamp::now,
            };
            elophanto_agent::run_session(goal, session, &mut approver, &mut agent)
        };
        let sealed = world.finish();
        self.cancelled.store(true, Ordering::Relaxed);
        for warning in world.warnings() {
            ui.warn(warning);
        }
        let finished = finished?;
        if let Err(error) = sealed {
            ui.warn(error.message());
        }
        self.prune();
        Ok(finished)
    }

    /// How commands are shut in, for people.
    pub fn fence(&self) -> String {
        match self.fencing.kind() {
            Kind::Full => "commands run in a sandbox".to_owned(),
            Kind::Narrow => format!("commands run in a narrow sandbox: {}", fence::NARROW),
            Kind::Absent(why) => format!("commands cannot be shut in here: {why}"),
        }
    }

    /// Set to end the run that goes on.
    pub fn cancelled(&self) -> &Arc<AtomicBool> {
        &self.cancelled
    }

    /// From now on Ctrl-C ends the run that goes on, in order; a second one, or one between runs,
    /// ends this program.
    ///
    /// # Errors
    /// When the system takes no handler.
    pub fn end_at_signals(&self) -> Result<(), CliError> {
        Ok(signals::register(&self.cancelled)?)
    }

    /// A session by its id or the beginning of it, or a new one.
    ///
    /// # Errors
    /// When there is none of that id, or it cannot be read.
    pub fn session(&self, id: Option<&str>) -> Result<Session, CliError> {
        Ok(match id {
            Some(id) => self.sessions.load(self.sessions.find(id)?)?,
            None => self.sessions.create(CHANNEL, &user(), Timestamp::now())?,
        })
    }

    fn settings(&self, is_attended: bool) -> Settings {
        let settings = &self.workspace.config.agent;
        let llm = &self.workspace.config.llm;
        let usual = Settings::new(&self.workspace.repository.root, self.rights.borrow().mode());
        Settings {
            is_attended,
            max_steps: u32::try_from(settings.max_steps).unwrap_or(u32::MAX),
            patience: settings.tool_timeout,
            max_prompt_tokens: llm.context_tokens.saturating_sub(llm.max_tokens) as u64,
            max_answer_tokens: u32::try_from(llm.max_tokens).unwrap_or(u32::MAX),
            reflect: match settings.reflect {
                Reflection::Steps => Reflect::EveryStep,
                Reflection::Failures => Reflect::Failures,
            },
            channel: CHANNEL.to_owned(),
            user: user(),
            ..usual
        }
    }

    /// Old checkpoints go when there are many; what cannot be removed now is later.
    fn prune(&self) {
        if let Some(git) = &self.git {
            let checkpoints = Checkpoints::new(git, &self.checkpoints, is_key);
            let _ = checkpoints.prune(CHECKPOINTS);
        }
    }
}

/// What is allowed here, and the sandbox that goes with it.
///
/// # Errors
/// When rules cannot be understood.
pub fn fenced(workspace: &Workspace) -> Result<(Rights, Arc<Fencing>, OutOfReach), CliError> {
    let rights = Rights::open(workspace)?;
    let protected = Arc::clone(rights.protected());
    let is_key: OutOfReach = Arc::new(move |path: &Path| protected.holds_key(path).is_some());
    let paths = rights.paths().to_vec();
    let (protected, root) = (Arc::clone(rights.protected()), workspace.repository.root.clone());
    let home = rights.home().to_owned();
    let reads: OnlyReads =
        Arc::new(move |line, folder| only_reads(line, folder, &root, &home, &protected));
    let fencing = Fencing::new(workspace, rights.home(), paths, Arc::clone(&is_key), reads);
    Ok((rights, Arc::new(fencing), is_key))
}
