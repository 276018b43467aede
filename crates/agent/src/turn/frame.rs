//! One task's conversation, and asking a model about it.

use std::{cell::RefCell, ops::ControlFlow};

use super::{
    Run,
    compact::{self, compact, extract},
    loops::Loops,
    plan::Plan,
};
use crate::{
    BrainErrorKind, End, Event, MAX_MESSAGES, Session, Sessions, SessionsError, Spec, Toolbox,
    clean::{clean, cut_middle},
    prompt::{self, NOTE},
    trail::EntryKind,
};
use elophanto_models::llm::{self, Delta, Message, Reply, Request, StopReason, Task};

/// Bytes of an older message, and of an older result.
const HISTORY_CAPS: (usize, usize) = (8 * 1024, 2 * 1024);
/// Bytes of a model's text that are kept.
const TEXT_CAP: usize = 64 * 1024;

type Save = fn(&Sessions, &mut Session) -> Result<(), SessionsError>;

/// One task: the run's own, or one nested in it.
pub(super) struct Frame<'t> {
    pub(super) goal: String,
    pub(super) tools: &'t Toolbox,
    /// What was offered last, and the state of the toolbox then.
    offered: RefCell<(u64, llm::Tools)>,
    system: String,
    known: Option<String>,
    /// Of the session, before this goal.
    history: Vec<Message>,
    /// The goal and what came of it.
    tail: Vec<Message>,
    pub(super) plan: Plan,
    pub(super) loops: Loops,
    /// Calls that were made.
    pub(super) calls: u32,
    /// Whether the model was told to do what it said.
    pub(super) is_reminded: bool,
    /// Answers in a row that could not be used.
    pub(super) misses: u32,
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
        let tools = if with_tools { self.offered() } else { llm::Tools::default() };
        Request { messages, tools, max_tokens, ..Request::default() }
    }

    /// A tool that was made meanwhile is offered too.
    fn offered(&self) -> llm::Tools {
        let (mut offered, version) = (self.offered.borrow_mut(), self.tools.version());
        if offered.0 != version || offered.1.is_empty() {
            *offered = (version, self.tools.specs().map(tool).collect::<Vec<_>>().into());
        }
        offered.1.clone()
    }

    fn said(&self) -> Vec<Message> {
        let is_note = |message: &&Message| match message {
            Message::User(text) => !text.starts_with(NOTE),
            _ => true,
        };
        self.history.iter().chain(&self.tail).filter(is_note).cloned().collect()
    }
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
        Frame {
            goal: goal.to_owned(),
            tools,
            offered: RefCell::default(),
            system: prompt::system(&gathered, &self.quote, settings.mode, settings.is_attended),
            known: prompt::known(&gathered, &self.quote),
            history: history.into_iter().map(shortened).collect(),
            // The mark of the loop is the loop's alone.
            tail: vec![Message::User(goal.replace(NOTE, "(loop)"))],
            plan: Plan::default(),
            loops: Loops::default(),
            calls: 0,
            is_reminded: false,
            misses: 0,
        }
    }

    /// Puts what was said so far into the session, on disk. Nested tasks leave their answer only.
    pub(super) fn keep(&mut self, frame: &Frame<'_>) {
        if self.depth == 0 {
            let quote = |text: &str| self.summary(text);
            let messages = compact(frame.said(), MAX_MESSAGES, &mut |older| quote(&extract(older)));
            self.save(messages, Sessions::save_soon);
        }
    }

    /// The same at the end, with a summary by a model if one is needed and can be had.
    pub(super) fn keep_for_good(&mut self, frame: &Frame<'_>, can_ask: bool) {
        let said = frame.said();
        let before = said.len();
        let mut asked = |older: &[Message]| {
            let text = extract(older);
            let summary = can_ask.then(|| self.summarised(&text)).flatten();
            self.summary(&summary.unwrap_or(text))
        };
        let messages = compact(said, MAX_MESSAGES, &mut asked);
        if messages.len() < before {
            self.approver.tell(&Event::Compacted { messages: before - messages.len() + 1 });
        }
        self.save(messages, Sessions::save);
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

    /// A summary is as safe as what it was made of.
    fn summary(&self, text: &str) -> String {
        match self.session.is_tainted {
            true => self.quote.wrap("older messages of this conversation", text),
            false => text.to_owned(),
        }
    }

    fn summarised(&mut self, text: &str) -> Option<String> {
        let system = format!(
            "You summarise a conversation between a user and an agent, for the agent to go on from. \
             Keep goals, decisions, names of files, results and what is still open; at most 300 \
             words; no greeting. {}",
            self.quote.rule()
        );
        let quoted = self.quote.wrap("conversation", text);
        let messages = vec![Message::System(system), Message::User(quoted)];
        let request = Request { messages, max_tokens: 800, ..Request::default() };
        let reply = self.ask(Task::Summary, &request, false).ok()?;
        let text = reply.text.trim();
        (!text.is_empty()).then(|| cut_middle(text, 6_000))
    }

    /// Makes the frame's prompt fit, if it must be made so.
    pub(super) fn shrink(&mut self, frame: &mut Frame<'_>, tokens: u64) {
        let mut tail = std::mem::take(&mut frame.tail);
        let rest = frame.request(true, 0).estimated_input();
        let left = tokens.saturating_sub(rest);
        let quote = |text: &str| self.summary(text);
        let gone = compact::shrink(&mut tail, 1, left, &mut |older| quote(&extract(older)));
        frame.tail = tail;
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
        self.allowance.spend(&thought);
        self.note(EntryKind::Thought {
            task: task.name().to_owned(),
            model: thought.model,
            input_tokens: thought.reply.usage.input,
            output_tokens: thought.reply.usage.output,
            usd_micros: thought.usd_micros,
        });
        let mut reply = thought.reply;
        if reply.stop == StopReason::Cancelled || self.is_cancelled_now() {
            return Err(End::Cancelled.into());
        }
        reply.text = clean(&reply.text, TEXT_CAP);
        Ok(reply)
    }
}

fn tool(spec: Spec) -> llm::Tool {
    llm::Tool { name: spec.name, description: spec.description, parameters: spec.input }
}

fn shortened(message: Message) -> Message {
    let (text_cap, result_cap) = HISTORY_CAPS;
    match message {
        Message::System(text) => Message::System(cut_middle(&text, text_cap)),
        Message::User(text) => Message::User(cut_middle(&text, text_cap)),
        Message::Assistant { text, tool_calls } => {
            Message::Assistant { text: cut_middle(&text, text_cap), tool_calls }
        }
        Message::Tool { id, name, text, failed } => {
            Message::Tool { id, name, text: cut_middle(&text, result_cap), failed }
        }
    }
}
