//! Running the agent on a task: models, tools, what is known, what is allowed, put together.
//!
//! [`prepare`] reads rules, skills and plugins; [`Prepared::run`] works on one task to its end. Who
//! approves calls and is shown what happens is an [`Approver`]; notices go to the reporter of the
//! [`Door`].

pub mod around;
mod brain;
pub mod branch;
pub mod chat;
pub mod context;
pub mod credentials;
mod develop;
mod develop_branch;
mod external;
mod gathering;
mod hub_tools;
pub mod images;
pub mod knowledge;
pub mod modes;
mod own;
pub mod plugins;
mod proposing;
mod ranking;
mod remembering;
mod rights;
mod sandboxing;
pub mod servers;
pub mod skill_store;
mod skill_tools;
pub mod stash;
pub mod tasks;
mod toolbox;
pub mod worktree;
mod world;

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::BTreeSet,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    Environment, Error, Reporter, Result, Workspace,
    config::{Config, Reflection},
    llm::models_for,
    reporter::Silent,
    workspace::KnowledgeBase,
};
use brain::Models;
use branch::Branch;
use context::Window;
pub use elophanto_agent::{
    ATTACHED, Answer, Approval, Approver, Attachment, End, Event, Finished, Host, Intent, Outcome,
    Output, Plan, Session, Source, Spec, Spent, Todo, TodoState, Tool, ToolError, checked,
    permissions::{Action, Level, Mode},
};
use elophanto_agent::{
    Agent, Gathered, MAX_MESSAGES, Reflect, Sessions, SessionsError, Settings, Toolbox, Trails,
    checkpoint::Checkpoints,
    permissions::is_key,
    plugins::Problem,
    sandbox::{self, Kind},
    tools,
};
use elophanto_base::{one_line::one_line, visible::escape_control_line};
pub use elophanto_models::llm::{Image, ModelRef, Task};
use elophanto_repo::Git;
use external::External;
pub use own::{Named, Ran};
use plugins::PluginContext;
use proposing::{Proposing, proposal};
use rights::Rights;
use sandboxing::Fencing;
use skill_store::SkillStore;
use world::Surroundings;

/// Where sessions and trails lie, below the folder of the state.
const STATE: &str = "agent";
/// The channel of whoever works here in an editor.
pub const EDITOR: &str = "editor";
/// Channels of whoever works here, whose conversations are as long as the model takes; those of others
/// keep few messages.
const OWN_CHANNELS: [&str; 3] = ["terminal", "library", EDITOR];
/// Characters of a session's name.
const MOST_NAME: usize = 80;
/// Checkpoints that are kept.
const CHECKPOINTS: usize = 100;

/// What a door brings along for runs.
pub struct Door {
    /// What sessions and trails say of where somebody spoke to the agent.
    pub channel: &'static str,
    /// Who speaks there, where it is not the user of this machine.
    pub user: Option<String>,
    /// Tools of the door's own.
    pub tools: Vec<Box<dyn Tool>>,
    /// Who is told what is wrong with rules, skills and plugins, and asked for what models need.
    pub reporter: Arc<dyn Reporter + Send + Sync>,
}

impl Default for Door {
    /// Of a program that brings nothing along and is told nothing.
    fn default() -> Self {
        Self { channel: "library", user: None, tools: Vec::new(), reporter: Arc::new(Silent) }
    }
}

/// What one run is told.
#[derive(Debug, Clone, Default)]
pub struct RunRequest<'r> {
    /// What is to be done.
    pub goal: &'r str,
    /// Agrees to what is sent to a model elsewhere.
    pub yes: bool,
    /// Whether the approver can ask somebody; what needs an approval is refused otherwise.
    pub is_attended: bool,
    /// Whether somebody says this goal just now; not where its time has come.
    pub is_said: bool,
    /// A branch that was begun for this run: what it changes is committed there.
    pub branch: Option<&'r Branch>,
    /// Whether the user is asked about the plan before work begins.
    pub asks_plan: bool,
    /// What the user adds to the goal: quoted behind it.
    pub given: Vec<Attachment>,
    /// Pictures that it speaks of by their paths: shown to a model that takes any.
    pub pasted: Vec<Image>,
}

/// Everything that runs of one process have in common.
pub struct Prepared<'a> {
    /// The knowledge base that runs are about.
    pub workspace: &'a Workspace,
    channel: &'static str,
    user: Option<String>,
    reporter: Arc<dyn Reporter + Send + Sync>,
    git: Option<Git>,
    /// Where checkpoints lie.
    runs_dir: PathBuf,
    rights: RefCell<Rights>,
    fencing: Arc<Fencing>,
    store: SkillStore,
    /// What runs may call.
    pub tools: Toolbox,
    /// What plugins run with.
    pub bench: PluginContext,
    /// Plugins that are no tools, and why.
    pub problems: Vec<Problem>,
    sessions: Sessions,
    trails: Trails,
    /// Asked for everything, whatever the settings name.
    model: RefCell<Option<ModelRef>>,
    /// What was told of what is known, so that it is told once.
    told: RefCell<BTreeSet<String>>,
    /// What the last run was told of what is known, and the session that it was in.
    known: RefCell<Option<(String, Gathered)>>,
    /// The user wants the run to end, or none goes on.
    cancelled: Arc<AtomicBool>,
}

/// Reads rules, skills and plugins; starts nothing.
///
/// # Errors
/// When rules cannot be understood, or there is no folder for the state.
pub fn prepare(workspace: &Workspace, door: Door) -> Result<Prepared<'_>> {
    let Door { channel, user, tools: of_door, reporter } = door;
    let tell: &dyn Reporter = &*reporter;
    let rights = Rights::open(workspace)?;
    let fencing = Arc::new(Fencing::new(workspace, &rights));
    for ignored in rights.ignored() {
        tell.note(format_args!(
            "the repository's permissions.yaml may not widen: {ignored} is ignored"
        ));
    }
    let git = Git::of(&workspace.repository);
    let store = SkillStore::of(workspace)?;
    for problem in store.discover().problems {
        tell.note(problem);
    }
    let bench = PluginContext::open(workspace, &fencing, &reporter)?;
    let base = KnowledgeBase::of(workspace);
    let is_key = rights.out_of_reach();
    let mut built_in = toolbox::built_in(git.as_ref(), &fencing, is_key, &store, &base);
    if workspace.config.agent.readers > 0 {
        built_in.push(tools::readers(workspace.config.agent.readers));
    }
    built_in.extend(of_door);
    let (tools, problems) = toolbox::all(workspace, git.as_ref(), built_in, &bench, tell);
    let unknown = rights.tools().into_iter().filter(|name| tools.get(name).is_none());
    for name in unknown {
        // Without one near it, it is of another repository's plugins or of a server, not a slip.
        if let Some(near) = tools.near(name).first() {
            tell.note(format_args!(
                "a rule in permissions.yaml is for `{}`, which is no tool here: is it `{near}`?",
                escape_control_line(name)
            ));
        }
    }
    let state = state_folder(&workspace.environment)?;
    Ok(Prepared {
        workspace,
        channel,
        user,
        reporter,
        git,
        runs_dir: workspace.repository.runs_dir(),
        rights: RefCell::new(rights),
        fencing,
        store,
        tools,
        bench,
        problems,
        sessions: Sessions::new(state.join("sessions")),
        trails: trails(&workspace.environment)?,
        model: RefCell::default(),
        told: RefCell::default(),
        known: RefCell::default(),
        cancelled: Arc::new(AtomicBool::new(true)),
    })
}

impl Prepared<'_> {
    /// One run to its end, with its checkpoint sealed.
    ///
    /// # Errors
    /// When there is no run at all.
    pub fn run(
        &self,
        request: &RunRequest<'_>,
        session: &mut Session,
        approver: &mut dyn Approver,
    ) -> Result<Finished> {
        let tell: &dyn Reporter = &*self.reporter;
        if self.mode() != Mode::Ask
            && let Kind::Absent(why) = self.fencing.kind()
        {
            tell.note(format_args!("commands cannot be shut in here ({why}): each of them asks"));
        }
        // Before anything of this run starts, and told at once: one before it may have been killed
        // since this process began.
        self.workspace.put_aside_of_killed().iter().for_each(|line| tell.warn(line));
        self.bring_back_of_killed();
        // What the user forbade since holds for this run.
        self.rights.borrow_mut().look_again(self.workspace)?;
        let config = self.config();
        let brain = Models::open(self.workspace, &config, request.yes, &*self.reporter)?;
        self.can_show(request, session, &brain)?;
        let given = self.with_pasted(request, &brain);
        let window = brain.window();
        window.check(&config)?;
        // Anew for each run: one before it may have installed some.
        let skills = self.store.discover().skills;
        let proposal = proposal(request.goal, &skills, &self.store);
        let mut approver = Proposing { inner: approver, proposal };
        let _external = External::start(self.workspace, &self.tools, tell);
        let mut world = Surroundings::new(self, &skills, request.branch);
        world.is_said = request.is_said;
        self.cancelled.store(false, Ordering::Relaxed);
        let finished = {
            let mut agent = Agent {
                brain: &brain,
                world: &mut world,
                tools: &self.tools,
                settings: Settings {
                    takes_images: brain.takes_images(),
                    ..self.settings(request, &window)
                },
                given: &given,
                trails: &self.trails,
                sessions: &self.sessions,
                cancelled: &self.cancelled,
                now: Timestamp::now,
            };
            elophanto_agent::run_session(request.goal, session, &mut approver, &mut agent)
        };
        let sealed = world.finish();
        self.cancelled.store(true, Ordering::Relaxed);
        let known = world.known.take().map(|known| (session.id.to_string(), known));
        self.known.replace(known);
        world.warnings.iter().for_each(|warning| tell.warn(warning));
        let finished = finished?;
        if let Err(error) = sealed {
            tell.warn(error.message());
        }
        // What cannot be removed now is later.
        let _ = self.checkpoints().map(|checkpoints| checkpoints.prune(CHECKPOINTS));
        Ok(finished)
    }

    /// Starts the servers that the user trusts, as a run does, and has their tools among
    /// [`Prepared::tools`] for as long as `work` goes on.
    pub fn with_servers<T>(&self, work: impl FnOnce() -> T) -> T {
        let _external = External::start(self.workspace, &self.tools, &*self.reporter);
        work()
    }

    /// What runs without asking.
    pub fn mode(&self) -> Mode {
        self.rights.borrow().mode.get()
    }

    /// Changes what runs without asking, from now on.
    pub fn set_mode(&self, mode: Mode) {
        self.rights.borrow().mode.set(mode);
    }

    /// What runs without asking, to be set by another thread while a run goes on.
    pub fn shared_mode(&self) -> Arc<modes::Shared> {
        Arc::clone(&self.rights.borrow().mode)
    }

    /// Which models are asked for which kind of work, best first.
    pub fn models(&self) -> Vec<(Task, Vec<ModelRef>)> {
        let config = self.config();
        brain::WORK.into_iter().map(|task| (task, models_for(&config.llm, task))).collect()
    }

    /// Has one model asked for everything from now on.
    ///
    /// # Errors
    /// When the settings do not name its provider.
    pub fn set_model(&self, model: ModelRef) -> Result<()> {
        let providers = &self.workspace.config.llm.providers;
        if !providers.contains_key(model.provider()) {
            let known: Vec<_> = providers.keys().map(|name| format!("`{name}`")).collect();
            return Err(Error::new(format_args!("no provider `{}` is set up", model.provider()))
                .hint(format!("`llm.providers` in your settings names {}", known.join(", "))));
        }
        *self.model.borrow_mut() = Some(model);
        Ok(())
    }

    /// The model that was chosen since, for everything.
    pub(crate) fn chosen_model(&self) -> Option<ModelRef> {
        self.model.borrow().clone()
    }

    /// The settings, with the model that was chosen since.
    fn config(&self) -> Cow<'_, Config> {
        let Some(model) = &*self.model.borrow() else {
            return Cow::Borrowed(&self.workspace.config);
        };
        Cow::Owned(self.workspace.config.with_model(&model.to_string()))
    }

    /// Gives a session a name. One that no run has written down yet is only named here.
    ///
    /// # Errors
    /// When a run goes on in it, another one is called that, or it cannot be written.
    pub fn rename(&self, session: &mut Session, name: &str) -> Result<()> {
        let name = one_line(name, MOST_NAME);
        let is_taken = |other: &Session| {
            let of_other = other.name.as_ref().map(|it| it.to_lowercase());
            other.id != session.id && of_other == Some(name.to_lowercase())
        };
        if let Some(other) = self.sessions.list()?.sessions.iter().find(|it| is_taken(it)) {
            let shown = escape_control_line(&name);
            return Err(Error::new(format_args!(
                "another conversation is called `{shown}` already"
            ))
            .hint(format!(
                "`--session` would not tell them apart; the other one is {}",
                other.id
            )));
        }
        let _lock = self.sessions.lock(session.id)?;
        match self.sessions.load(session.id) {
            Ok(newer) => *session = newer,
            Err(SessionsError::Missing(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let is_kept = session.revision > 0;
        session.name = Some(name);
        if is_kept {
            self.sessions.save(session)?;
        }
        Ok(())
    }

    /// How commands are shut in, for people.
    pub fn fence(&self) -> String {
        match self.fencing.kind() {
            Kind::Full => "commands run in a sandbox".to_owned(),
            Kind::Narrow => format!("commands run in a narrow sandbox: {}", sandbox::NARROW),
            Kind::Absent(why) => format!("commands cannot be shut in here: {why}"),
        }
    }

    /// Set to end the run that goes on.
    pub fn cancelled(&self) -> &Arc<AtomicBool> {
        &self.cancelled
    }

    /// A session by its id or the beginning of it, or a new one, which the first run in it writes down.
    ///
    /// # Errors
    /// When there is none of that id, or it cannot be read.
    pub fn session(&self, id: Option<&str>) -> Result<Session> {
        Ok(match id {
            Some(id) => self.sessions.load(self.sessions.find(id)?)?,
            None => Session::new(self.channel, self.user(), Timestamp::now()),
        })
    }

    /// The session of this id, which may not have been written down yet.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn session_of(&self, id: Uuid) -> Result<Session> {
        match self.sessions.load(id) {
            Ok(session) => Ok(session),
            Err(SessionsError::Missing(_)) => Ok(Session { id, ..self.session(None)? }),
            Err(error) => Err(error.into()),
        }
    }

    /// Where that stands which the last run was told of what is known: a path, and a line of it.
    pub(crate) fn known_places(&self) -> Vec<(String, Option<usize>)> {
        let known = self.known.borrow();
        let Some((_, gathered)) = &*known else { return Vec::new() };
        let pieces = gathered.notes.iter().chain(&gathered.facts);
        let place = |piece: &elophanto_agent::Piece| {
            let (path, line) = piece.origin.rsplit_once(':')?;
            Some((path.to_owned(), line.parse().ok()))
        };
        pieces.filter_map(place).collect()
    }

    fn settings(&self, request: &RunRequest<'_>, window: &Window) -> Settings {
        let settings = &self.workspace.config.agent;
        let llm = &self.workspace.config.llm;
        let usual = Settings::new(&self.workspace.repository.root, self.mode());
        Settings {
            is_attended: request.is_attended,
            asks_plan: request.asks_plan,
            max_steps: u32::try_from(settings.max_steps).unwrap_or(u32::MAX),
            patience: settings.tool_timeout,
            max_prompt_tokens: window.prompt(&self.workspace.config),
            max_messages: (!OWN_CHANNELS.contains(&self.channel)).then_some(MAX_MESSAGES),
            reader_tokens: settings.reader_tokens as u64,
            max_answer_tokens: u32::try_from(llm.max_tokens).unwrap_or(u32::MAX),
            reflect: match settings.reflect {
                Reflection::Steps => Reflect::EveryStep,
                Reflection::Failures => Reflect::Failures,
            },
            check: settings.check.clone(),
            channel: self.channel.to_owned(),
            user: self.user().to_owned(),
            ..usual
        }
    }

    /// The name of the user, for sessions.
    fn user(&self) -> &str {
        if let Some(user) = &self.user {
            return user;
        }
        self.workspace.environment.harmless().get("USER").map_or("", String::as_str)
    }

    fn checkpoints(&self) -> Option<Checkpoints<'_>> {
        Some(Checkpoints::new(self.git.as_ref()?, &self.runs_dir, is_key))
    }
}

/// The folder of sessions and trails.
///
/// # Errors
/// When the user has no home.
pub fn state_folder(environment: &Environment) -> Result<PathBuf> {
    let folder = environment.state_folder().ok_or_else(|| {
        Error::new("there is no folder for sessions and runs")
            .hint("set HOME, or XDG_STATE_HOME to a folder")
    })?;
    Ok(folder.join(STATE))
}

/// The trails of runs on this machine.
///
/// # Errors
/// When the user has no home.
pub fn trails(environment: &Environment) -> Result<Trails> {
    Ok(Trails::new(state_folder(environment)?.join("runs")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_program_nothing_is_shut_in() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".elophanto")).unwrap();
        let variables = [("HOME".to_owned(), home.path().to_string_lossy().into_owned())];
        let environment = Environment::of_variables(variables);
        let workspace = Workspace::around(home.path(), environment, Vec::new(), &Silent).unwrap();
        let agent = prepare(&workspace, Door::default()).unwrap();
        assert!(agent.tools.get("file_read").is_some());
        assert_eq!(
            agent.fence(),
            format!("commands cannot be shut in here: {}", sandboxing::NO_PROGRAM)
        );
    }

    /// The rule of the reference for channels; whoever works here has all that the model takes.
    #[test]
    fn channels_keep_few_messages() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".elophanto")).unwrap();
        let variables = [("HOME".to_owned(), home.path().to_string_lossy().into_owned())];
        let environment = Environment::of_variables(variables);
        let workspace = Workspace::around(home.path(), environment, Vec::new(), &Silent).unwrap();
        for (channel, expected) in [("terminal", None), (EDITOR, None), ("telegram", Some(20))] {
            let agent = prepare(&workspace, Door { channel, ..Door::default() }).unwrap();
            let model = "anthropic/claude-sonnet-4-5".parse().ok();
            let settings =
                agent.settings(&RunRequest::default(), &Window::of(&workspace.config, model));
            assert_eq!(settings.max_messages, expected, "{channel}");
            assert_eq!(settings.max_prompt_tokens, 200_000 - 2_048);
        }
    }
}
