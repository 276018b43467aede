//! One task's conversation, and asking a model about it.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use super::{
    Reflect, Run,
    compact::{self, Room, SUMMARY_CAP, compact, extract, transcript},
    loops::Loops,
    offer::offer,
    plan::Plan,
};
use crate::{
    BrainErrorKind, Cost, End, Event, Instructions, Session, Sessions, SessionsError, Toolbox,
    clean::{clean, cut_middle},
    image::keep_newest,
    prompt::{self, NOTE},
    quote::Quote,
    session::MOST_MESSAGES,
    trail::EntryKind,
};
use elophanto_base::whole::Synced;
use elophanto_models::llm::{self, Delta, Message, Reply, Request, StopReason, Task};

/// Of the tokens that a prompt may have, in percent: beyond the first it is made shorter, to the second.
/// So what comes before stays as it is for many steps, and a provider need not read it anew.
const NEAR: (u64, u64) = (90, 60);
/// With less room for a conversation no model is asked for a summary: it would be at each step.
const ROOM_TO_ASK: u64 = 4_000;
/// Bytes of a conversation that a summary is made of.
pub(super) const TRANSCRIPT_CAP: usize = 200 * 1024;
/// Tokens of a conversation that are kept, however large a model's window.
const MOST_TOKENS: u64 = 500_000;
/// Bytes of a model's text that are kept.
pub(super) const TEXT_CAP: usize = 64 * 1024;

type Save = fn(&Sessions, &mut Session) -> Result<(), SessionsError>;

/// One task: the run's own, or one nested in it.
pub(super) struct Frame<'t> {
    pub(super) goal: String,
    pub(super) tools: &'t Toolbox,
    /// Names of tools that are offered besides the usual ones.
    pub(super) wanted: BTreeSet<String>,
    /// Of the tools that there were when the task began.
    first: BTreeSet<String>,
    /// What was offered last, and the state of the toolbox and how many were wanted then.
    offered: RefCell<(u64, usize, llm::Tools)>,
    system: String,
    /// Instructions for folders that nobody has worked in yet.
    nested: Vec<Instructions>,
    /// What the model was told of instructions for folders: stays in the prompt whatever else becomes a
    /// summary.
    told: Vec<Message>,
    takes_images: bool,
    known: Option<String>,
    /// Of the session, before this goal.
    history: Vec<Message>,
    /// The goal and what came of it.
    tail: Vec<Message>,
    /// Of these, what is not written down yet as it was said.
    fresh: Vec<Message>,
    pub(super) plan: Plan,
    pub(super) loops: Loops,
    /// Calls that were made.
    pub(super) calls: u32,
    /// Whether the model was told to do what it said.
    pub(super) is_reminded: bool,
    /// Answers in a row that could not be used.
    pub(super) misses: u32,
    /// Steps in a row that failed.
    pub(super) failures: u32,
}

/// Why there is no reply to work with.
pub(super) enum Trouble {
    End(End),
    /// What was said, and what is wrong with it.
    Malformed {
        raw: String,
        message: String,
    },
    TooLong(String),
}

impl From<End> for Trouble {
    fn from(end: End) -> Self {
        Self::End(end)
    }
}

impl Frame<'_> {
    /// Adds a message. Its text must be clean already.
    pub(super) fn push(&mut self, message: Message) {
        if !is_note(&message) {
            self.fresh.push(message.clone());
        }
        self.tail.push(message);
    }

    /// Adds a remark of the loop.
    pub(super) fn remark(&mut self, text: &str) {
        self.push(Message::User(format!("{NOTE} {text}")));
    }

    /// All messages, with the tools if some are to be offered.
    pub(super) fn request(&self, with_tools: bool, max_tokens: u32) -> Request {
        let mut messages = vec![Message::System(self.system.clone())];
        messages.extend_from_slice(&self.history);
        messages.extend(self.known.clone().map(Message::User));
        messages.extend_from_slice(&self.tail);
        keep_newest(&mut messages, self.takes_images);
        let tools = if with_tools { self.offered() } else { llm::Tools::default() };
        let is_continued = !tools.is_empty();
        Request { messages, tools, max_tokens, is_continued, ..Request::default() }
    }

    /// A tool that was made meanwhile is offered too.
    fn offered(&self) -> llm::Tools {
        let (mut offered, state) =
            (self.offered.borrow_mut(), (self.tools.version(), self.wanted.len()));
        if (offered.0, offered.1) != state || offered.2.is_empty() {
            let specs: Vec<_> = self.tools.specs().collect();
            let mut wanted = self.wanted.clone();
            let names = specs.iter().map(|spec| &spec.name);
            wanted.extend(names.filter(|name| !self.first.contains(*name)).cloned());
            *offered = (state.0, state.1, offer(specs, &wanted));
        }
        offered.2.clone()
    }

    /// Instructions for the folders that these paths lie in, the outermost first, each only once.
    fn instructions_for(&mut self, root: &Path, paths: &[PathBuf]) -> Vec<Instructions> {
        let is_for = |it: &mut Instructions| {
            let folder = root.join(&it.folder);
            paths.iter().any(|path| root.join(path).starts_with(&folder))
        };
        self.nested.extract_if(.., is_for).collect()
    }

    fn said(&self) -> Vec<Message> {
        let said = self.history.iter().chain(&self.tail);
        let mut said: Vec<_> = said.filter(|it| !is_note(it)).cloned().collect();
        keep_newest(&mut said, true);
        said
    }
}

/// A remark of the loop is no part of a conversation.
fn is_note(message: &Message) -> bool {
    matches!(message, Message::User(text) if text.starts_with(NOTE))
}

impl Run<'_, '_> {
    pub(super) fn frame<'t>(
        &mut self,
        goal: &str,
        tools: &'t Toolbox,
        history: Vec<Message>,
    ) -> Frame<'t> {
        let gathered = self.agent.world.gather(goal);
        for remark in &gathered.remarks {
            if !self.warnings.contains(remark) {
                self.warn(remark.clone());
            }
        }
        if let Some(origin) = prompt::untrusted(&gathered) {
            self.taint(origin);
        }
        let settings = &self.agent.settings;
        let mut system =
            prompt::system(&gathered, &self.quote, settings.mode, settings.is_attended);
        if settings.reflect == Reflect::EveryStep {
            system.push_str(prompt::JUDGES);
        }
        let is_nested = |it: &Instructions| !it.folder.as_os_str().is_empty();
        // The mark of the loop is the loop's alone.
        let first = Message::User(goal.replace(NOTE, "(loop)"));
        Frame {
            goal: goal.to_owned(),
            tools,
            wanted: BTreeSet::new(),
            first: tools.specs().map(|spec| spec.name).collect(),
            offered: RefCell::default(),
            system,
            known: prompt::known(&gathered, &self.quote),
            nested: gathered.instructions.into_iter().filter(is_nested).collect(),
            told: Vec::new(),
            history,
            takes_images: settings.takes_images,
            fresh: vec![first.clone()],
            tail: vec![first],
            plan: Plan::default(),
            loops: Loops::default(),
            calls: 0,
            is_reminded: false,
            misses: 0,
            failures: 0,
        }
    }

    /// Tells of instructions that are for what a call worked on, if they are new.
    pub(super) fn instruct(&mut self, frame: &mut Frame<'_>) {
        let paths = std::mem::take(&mut self.worked_on);
        let root = self.agent.settings.root.clone();
        for it in frame.instructions_for(&root, &paths) {
            frame.remark(&prompt::nested(&it, &self.quote));
            frame.told.extend(frame.tail.last().cloned());
            if it.piece.is_untrusted {
                self.taint(&it.piece.origin);
            }
        }
    }

    /// What of the conversation is kept.
    fn room(&self) -> Room {
        let settings = &self.agent.settings;
        Room {
            messages: settings.max_messages.unwrap_or(MOST_MESSAGES),
            tokens: settings.max_prompt_tokens.min(MOST_TOKENS),
        }
    }

    /// Puts what was said so far into the session, on disk. Nested tasks leave their answer only.
    pub(super) fn keep(&mut self, frame: &mut Frame<'_>) {
        if self.depth == 0 {
            self.keep_said(frame, Synced::Nothing);
            let quote = |text: &str| self.summary(text);
            let messages = compact(frame.said(), self.room(), &mut |older| quote(&extract(older)));
            self.save(messages, Sessions::save_soon);
        }
    }

    /// The same at the end, with a summary by a model if one is needed and can be had.
    pub(super) fn keep_for_good(&mut self, frame: &mut Frame<'_>, can_ask: bool) {
        self.keep_said(frame, Synced::Content);
        let said = frame.said();
        let (before, room) = (said.len(), self.room());
        let messages = compact(said, room, &mut |older| match can_ask {
            true => self.summary_of(older),
            false => self.summary(&extract(older)),
        });
        if messages.len() < before {
            self.approver.tell(&Event::Compacted { messages: before - messages.len() + 1 });
        }
        self.session.under_way = None;
        self.save(messages, Sessions::save);
    }

    /// What was said, as it was said, whatever becomes a summary.
    fn keep_said(&mut self, frame: &mut Frame<'_>, synced: Synced) {
        let fresh = std::mem::take(&mut frame.fresh);
        if let Err(error) = self.agent.sessions.add_said(self.session.id, &[], &fresh, synced) {
            let text = format!("not all that was said is kept: {error}");
            if !self.warnings.contains(&text) {
                self.warn(text);
            }
        }
    }

    fn save(&mut self, messages: Vec<Message>, save: Save) {
        self.session.messages = messages;
        self.session.updated = (self.agent.now)();
        if let Err(error) = save(self.agent.sessions, self.session) {
            let text = format!("what was said is not kept: {error}");
            if !self.warnings.contains(&text) {
                self.warn(text);
            }
        }
    }

    fn summary(&self, text: &str) -> String {
        in_summary(self.session, &self.quote, text)
    }

    /// A summary by a model, else of what was said.
    fn summary_of(&mut self, older: &[Message]) -> String {
        let most = usize::try_from(self.agent.settings.max_prompt_tokens).unwrap_or(usize::MAX);
        let text = transcript(older, TRANSCRIPT_CAP.min(most.saturating_mul(2)));
        let asked = self.ask(Task::Summary, &summarising(&text, &self.quote), false);
        let text = match asked {
            Ok(reply) if !reply.text.trim().is_empty() => {
                cut_middle(reply.text.trim(), SUMMARY_CAP)
            }
            _ => extract(older),
        };
        self.summary(&text)
    }

    /// Makes the frame's prompt fit well, if it is near what it may have.
    pub(super) fn fit(&mut self, frame: &mut Frame<'_>, tokens: u64, most: u64) {
        let (near, left) = NEAR;
        if tokens > most.saturating_mul(near) / 100 {
            self.shrink(frame, most.saturating_mul(left) / 100);
        }
    }

    /// Makes the frame's prompt as short as this.
    pub(super) fn shrink(&mut self, frame: &mut Frame<'_>, tokens: u64) {
        let (mut history, mut task) =
            (std::mem::take(&mut frame.history), std::mem::take(&mut frame.tail));
        let rest = frame.request(true, 0).estimated_input() + llm::estimated(&frame.told);
        let left = tokens.saturating_sub(rest);
        task.retain(|message| !frame.told.contains(message));
        let gone = compact::shrink(&mut history, &mut task, left, &mut |older| match left {
            ..ROOM_TO_ASK => self.summary(&extract(older)),
            _ => self.summary_of(older),
        });
        // Right behind the goal, as nothing that was said before it.
        let behind = 1.min(task.len());
        task.splice(behind..behind, frame.told.iter().cloned());
        (frame.history, frame.tail) = (history, task);
        if gone > 0 {
            self.approver.tell(&Event::Compacted { messages: gone });
        }
    }

    /// Asks a model. Text of the answer comes back masked and capped.
    pub(super) fn ask(
        &mut self,
        task: Task,
        request: &Request,
        is_shown: bool,
    ) -> Result<Reply, Trouble> {
        self.go_on()?;
        let (approver, cancelled) = (&mut *self.approver, self.agent.cancelled);
        let mut show = |delta: Delta| {
            if cancelled.load(std::sync::atomic::Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            match &delta {
                _ if !is_shown => {}
                Delta::Text(text) => approver.tell(&Event::Text(text)),
                Delta::Restart => approver.tell(&Event::Restart),
                Delta::ToolCall { .. } | Delta::Waiting => {}
            }
            ControlFlow::Continue(())
        };
        let answered = self.agent.brain.ask(task, request, Some(&mut show));
        let costs = match &answered {
            Ok(thought) => thought.costs(),
            Err(error) => error.lost.clone(),
        };
        self.spend(task, &costs);
        let thought = match answered {
            Ok(thought) => thought,
            Err(_) if self.is_cancelled_now() => return Err(End::Cancelled.into()),
            Err(error) => {
                let (message, hint) = (error.message, error.hint);
                return Err(match error.kind {
                    BrainErrorKind::OverBudget => End::Budget { message, hint }.into(),
                    BrainErrorKind::Malformed { raw } => {
                        Trouble::Malformed { raw: clean(&raw, TEXT_CAP), message }
                    }
                    BrainErrorKind::TooLong => Trouble::TooLong(message),
                    _ => End::Brain { message, hint }.into(),
                });
            }
        };
        let mut reply = thought.reply;
        if reply.stop == StopReason::Cancelled || self.is_cancelled_now() {
            return Err(End::Cancelled.into());
        }
        reply.text = clean(&reply.text, TEXT_CAP);
        Ok(reply)
    }
}

impl Run<'_, '_> {
    /// What a model was asked for, into what was spent and the trail.
    pub(super) fn spend(&mut self, task: Task, costs: &[Cost]) {
        for cost in costs {
            self.allowance.spend(cost);
            self.note(EntryKind::Thought {
                task: task.name().to_owned(),
                model: cost.model.clone(),
                input_tokens: cost.usage.input,
                output_tokens: cost.usage.output,
                usd_micros: cost.usd_micros,
            });
        }
    }
}

/// A summary is as safe as what it was made of.
pub(super) fn in_summary(session: &Session, quote: &Quote, text: &str) -> String {
    match session.is_tainted {
        true => quote.wrap("older messages of this conversation", text),
        false => text.to_owned(),
    }
}

/// A request for a summary of a conversation.
pub(super) fn summarising(text: &str, quote: &Quote) -> Request {
    let system = format!(
        "You summarise a conversation between a user and an agent, for the agent to go on from. \
         Keep goals, decisions, names of files, results and what is still open; at most 400 \
         words; no greeting. {}",
        quote.rule()
    );
    let messages = vec![Message::System(system), Message::User(quote.wrap("conversation", text))];
    Request { messages, max_tokens: 1_000, ..Request::default() }
}
