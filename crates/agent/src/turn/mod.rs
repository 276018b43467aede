//! The loop: plan, execute one call at a time, reflect, remember.

mod budget;
mod call;
mod check;
mod close;
mod commit;
mod compact;
mod context;
mod cut_off;
mod facts;
mod frame;
mod honest;
mod host;
mod loops;
mod offer;
mod permit;
mod plan;
mod reader;
mod readers;
mod record;
mod reflect;
mod step;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use jiff::Timestamp;

pub(super) use compact::whole;
pub use context::{CompactError, CompactedSession, ContextUse, compact_session, context_use};
pub use plan::Plan;

use super::{
    AgentError, Approver, Brain, End, Event, Finished, MAX_MESSAGES, Session, Sessions,
    SessionsError, Toolbox, Trails, World,
    clean::clean,
    image::missing,
    quote::Quote,
    trail::{EntryKind, Trail},
};
use crate::permissions::Mode;
use budget::Allowance;
use elophanto_base::{one_line::one_line, whole::Synced};
use elophanto_models::llm::{Image, Message};
use facts::Facts;

/// Tasks inside tasks at most.
pub const MAX_DEPTH: u32 = 3;
/// Bytes of a goal.
const GOAL_CAP: usize = 64 * 1024;
/// Bytes of one text that the user adds.
const GIVEN_CAP: usize = 48 * 1024;
/// The same in a list of sessions.
const SHOWN_GOAL: usize = 200;

/// When the model looks back: at the end of a run that called tools, and after a call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reflect {
    /// It judges each result in the reply that makes the next call, one that failed too; where that fails
    /// as well, it is asked about it by itself.
    #[default]
    EveryStep,
    /// It is asked about each call that failed, and about no other.
    Failures,
}

/// What holds for a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Canonical root of the work tree.
    pub root: PathBuf,
    pub mode: Mode,
    /// Whether somebody is there to approve.
    pub is_attended: bool,
    /// Replies of the model that may call tools, those of nested tasks included.
    pub max_steps: u32,
    /// Time a tool may take.
    pub patience: Duration,
    /// The same for single tools, by name.
    pub patience_of: BTreeMap<String, Duration>,
    /// Bytes of a result that the model is shown.
    pub max_output: usize,
    /// Tokens of a prompt, as estimated: near it, older results are cut and older messages summarised.
    pub max_prompt_tokens: u64,
    /// Messages that a session keeps, as channels do; `None`: as many as the prompt holds.
    pub max_messages: Option<usize>,
    /// Tokens of an answer.
    pub max_answer_tokens: u32,
    /// Whether a model is asked that takes pictures; otherwise they are only named.
    pub takes_images: bool,
    /// Tokens that one reader of a delegated question may use.
    pub reader_tokens: u64,
    pub reflect: Reflect,
    /// A shell line that must not fail after files were changed.
    pub check: Option<String>,
    /// Whether the user is asked about the plan before work begins.
    pub asks_plan: bool,
    /// Of sessions that [`run`] makes.
    pub channel: String,
    pub user: String,
}

impl Settings {
    pub fn new(root: impl Into<PathBuf>, mode: Mode) -> Self {
        Self {
            root: root.into(),
            mode,
            is_attended: true,
            max_steps: 40,
            patience: Duration::from_mins(2),
            patience_of: BTreeMap::new(),
            max_output: 16 * 1024,
            max_prompt_tokens: 60_000,
            max_messages: Some(MAX_MESSAGES),
            max_answer_tokens: 8_192,
            takes_images: false,
            reader_tokens: 50_000,
            reflect: Reflect::EveryStep,
            check: None,
            asks_plan: false,
            channel: "terminal".to_owned(),
            user: String::new(),
        }
    }
}

/// Begins the message that quotes what the user adds to another.
pub const ATTACHED: &str = "I add to this:\n";

/// What the user adds to what they say. It is from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attachment {
    /// A file, what a command said.
    Text {
        /// Where it comes from.
        origin: String,
        /// All of it; cut where it is long.
        text: String,
    },
    /// A picture.
    Image(Image),
}

/// All that a run works with, but for the session and whoever approves.
pub struct Agent<'a> {
    pub brain: &'a dyn Brain,
    pub world: &'a mut dyn World,
    pub tools: &'a Toolbox,
    pub settings: Settings,
    /// What the user adds to the goal: quoted behind it, in the conversation too.
    pub given: &'a [Attachment],
    pub trails: &'a Trails,
    pub sessions: &'a Sessions,
    /// Set when the user ends the run; looked at between any two things that are done.
    pub cancelled: &'a AtomicBool,
    pub now: fn() -> Timestamp,
}

/// Works on a goal in a session of its own.
///
/// # Errors
/// As [`run_session`].
pub fn run(
    goal: &str,
    approver: &mut dyn Approver,
    agent: &mut Agent<'_>,
) -> Result<Finished, AgentError> {
    let Settings { channel, user, .. } = &agent.settings;
    let mut session = Session::new(channel, user, (agent.now)());
    run_session(goal, &mut session, approver, agent)
}

/// Works on a goal in a session: what was said there before is known, and what is said now is
/// kept, however the run ends. After an end that is not [`End::Answered`], the same session goes on.
/// A session in which no model could say anything is not kept: there is nothing to go on with.
///
/// # Errors
/// When there is no run: no goal, a session that another run is in, or no place to write.
pub fn run_session(
    goal: &str,
    session: &mut Session,
    approver: &mut dyn Approver,
    agent: &mut Agent<'_>,
) -> Result<Finished, AgentError> {
    let goal = checked(goal)?;
    let lock = agent.sessions.lock(session.id)?;
    renew(session, agent.sessions)?;
    let root = agent.settings.root.to_string_lossy();
    match &session.root {
        Some(other) if *other != root => {
            return Err(AgentError::OtherRoot { session: session.id, root: other.clone() });
        }
        _ => session.root = Some(root.into_owned()),
    }
    let not_shown =
        if agent.settings.takes_images { show_again(session, agent.world) } else { Vec::new() };
    let is_new = session.messages.is_empty();
    let before = session.under_way.take();
    let known = session.messages.len();
    let cut_off = before.and_then(|run| cut_off::into_session(agent.trails, run, session));
    let (said, new) = session.messages.split_at(known.min(session.messages.len()));
    agent.sessions.add_said(session.id, said, new, Synced::Nothing)?;
    let is_first = agent.given.is_empty() && !has_worked(session, agent.tools);
    let started = (agent.now)();
    let trail = agent.trails.begin(started)?;
    session.under_way = Some(trail.run);
    agent.world.begun(trail.run);
    agent.world.heard(goal);
    let goal = clean(goal, GOAL_CAP);
    session.goal = Some(one_line(&goal, SHOWN_GOAL));
    let mut run = Run {
        allowance: Allowance::new(agent.settings.max_steps),
        agent,
        session,
        approver,
        trail,
        quote: Quote::new(),
        facts: Facts::default(),
        depth: 0,
        reader: None,
        current: Vec::new(),
        worked_on: Vec::new(),
        is_first,
        outside: 0,
        stop: None,
        warnings: Vec::new(),
        started,
    };
    run.begin(&goal)?;
    cut_off.into_iter().chain(not_shown).for_each(|told| run.warn(told));
    let finished = run.whole_run(&goal);
    let has_done_nothing = run.facts.did.is_empty();
    let is_said = |message: &Message| matches!(message, Message::Assistant { .. });
    let no_model = matches!(finished.end, End::Brain { .. } | End::Budget { .. });
    if no_model && is_new && has_done_nothing && !session.messages.iter().any(is_said) {
        // One that cannot be removed is listed, which harms nobody.
        let _ = agent.sessions.remove_held(session.id, lock);
    }
    Ok(finished)
}

/// The goal of a run, without blanks around it.
///
/// # Errors
/// When there is none, or it is too long.
pub fn checked(goal: &str) -> Result<&str, AgentError> {
    let goal = goal.trim();
    match goal.len() {
        0 => Err(AgentError::EmptyGoal),
        bytes if bytes > GOAL_CAP => Err(AgentError::GoalTooLong { bytes, max: GOAL_CAP }),
        _ => Ok(goal),
    }
}

/// Another run may have been in the session since it was loaded: what it left counts.
fn renew(session: &mut Session, sessions: &Sessions) -> Result<(), SessionsError> {
    match sessions.load(session.id) {
        Ok(newer) if newer.revision > session.revision => *session = newer,
        Ok(_) | Err(SessionsError::Missing(_)) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Reads the pictures of a kept conversation again; what became of those that are not as they were.
fn show_again(session: &mut Session, world: &dyn World) -> Vec<String> {
    let mut told = Vec::new();
    for image in missing(&mut session.messages) {
        match world.image(&image.path) {
            Ok(now) => {
                let is_changed = now.hash != image.hash;
                if is_changed {
                    told.push(format!(
                        "`{}` has changed since it was shown: the model sees it as it is now",
                        image.path
                    ));
                }
                let was_changed = image.is_changed;
                *image = Image { is_changed: was_changed || is_changed, ..now };
            }
            Err(reason) => told.push(format!("`{}` is not shown again: {reason}", image.path)),
        }
    }
    told
}

/// Whether something may have been changed or run in a conversation: by a call of a tool that does
/// more than look, or by what became a summary.
fn has_worked(session: &Session, tools: &Toolbox) -> bool {
    let looks = |name: &str| name == offer::MORE || tools.only_reads(name);
    session.messages.iter().any(|message| match message {
        Message::Tool { failed: false, name, .. } => !looks(name),
        Message::User(text) => text.starts_with(compact::HEADING),
        _ => false,
    })
}

/// A run that goes on, shared by its task and all that are nested in it.
struct Run<'r, 'a> {
    agent: &'r mut Agent<'a>,
    session: &'r mut Session,
    approver: &'r mut dyn Approver,
    trail: Trail,
    quote: Quote,
    allowance: Allowance,
    facts: Facts,
    /// Of the task that is being worked on.
    depth: u32,
    /// The reader whose call is being made, from 0.
    reader: Option<usize>,
    /// Names of the tools that are at work, the innermost last.
    current: Vec<String>,
    /// Files and folders of calls that were let through since instructions were looked for.
    worked_on: Vec<PathBuf>,
    /// Nothing that an answer could speak of was done in the conversation before.
    is_first: bool,
    /// How often text from outside came in.
    outside: u64,
    /// Why everything must end, found out inside of a tool.
    stop: Option<End>,
    warnings: Vec<String>,
    started: Timestamp,
}

impl Run<'_, '_> {
    fn begin(&mut self, goal: &str) -> Result<(), AgentError> {
        let settings = &self.agent.settings;
        let begin = EntryKind::Begin {
            run: self.trail.run.to_string(),
            goal: goal.to_owned(),
            session: self.session.id.hyphenated().to_string(),
            mode: settings.mode.name().to_owned(),
            attended: settings.is_attended,
            tainted: self.session.is_tainted,
            root: settings.root.to_string_lossy().into_owned(),
        };
        self.note(begin);
        self.session.updated = self.started;
        self.agent.sessions.save_soon(self.session)?;
        self.approver.tell(&Event::Begun { run: self.trail.run, session: self.session.id });
        Ok(())
    }

    fn whole_run(&mut self, goal: &str) -> Finished {
        let tools = self.agent.tools;
        let history = self.session.messages.clone();
        let mut frame = self.frame(goal, tools, history);
        for given in self.agent.given {
            self.add(&mut frame, given);
        }
        let (end, answer) = match self.work(&mut frame) {
            Ok(answer) => (End::Answered, Some(answer)),
            Err(end) => (end, None),
        };
        self.close(frame, end, answer)
    }

    /// Puts what the user added into the conversation.
    fn add(&mut self, frame: &mut frame::Frame<'_>, given: &Attachment) {
        match given {
            Attachment::Text { origin, text } => {
                let quoted = self.quote.wrap(origin, &clean(text, GIVEN_CAP));
                frame.push(Message::User(format!("{ATTACHED}{quoted}")));
                self.taint(origin);
            }
            Attachment::Image(image) => {
                frame.push(Message::Image(image.clone()));
                let Image { path, hash, bytes, format, .. } = image.clone();
                self.taint(&format!("the image `{path}`"));
                let format = format.name().to_owned();
                self.note(EntryKind::Image { path, hash, bytes, format });
            }
        }
    }

    /// Plans and executes until there is an answer.
    fn work(&mut self, frame: &mut frame::Frame<'_>) -> Result<String, End> {
        self.go_on()?;
        self.keep(frame);
        self.plan(frame)?;
        loop {
            if let Some(answer) = self.step(frame)?
                && (self.depth > 0 || self.stands(frame)?)
            {
                if self.depth == 0 {
                    self.commit_what_is_left(frame)?;
                }
                return Ok(answer);
            }
        }
    }

    /// Ends what must not go on.
    fn go_on(&self) -> Result<(), End> {
        match &self.stop {
            Some(end) => Err(end.clone()),
            None if self.is_cancelled_now() => Err(End::Cancelled),
            None => Ok(()),
        }
    }

    fn is_cancelled_now(&self) -> bool {
        self.agent.cancelled.load(Ordering::Relaxed)
    }

    fn note(&mut self, kind: EntryKind) {
        self.trail.reader = self.reader.map(|number| number + 1);
        self.trail.note((self.agent.now)(), self.depth, kind);
    }

    fn warn(&mut self, text: String) {
        self.approver.tell(&Event::Warning(&text));
        self.note(EntryKind::Warning { text: text.clone() });
        self.warnings.push(text);
    }

    /// From now on, for all tasks of the session.
    fn taint(&mut self, origin: &str) {
        self.outside += 1;
        if !self.session.is_tainted {
            self.session.is_tainted = true;
            let origin = one_line(origin, 200);
            self.approver.tell(&Event::Tainted { origin: &origin });
            self.note(EntryKind::Tainted { origin });
        }
    }
}
