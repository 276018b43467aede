//! A reader: one question, a context and a budget of its own. It asks its model by itself, on a thread
//! of its own; calls of tools are made by the run that it belongs to.

use std::{
    ops::ControlFlow,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{Sender, channel},
    },
};

use super::compact;
use crate::{
    Brain, BrainErrorKind, Cost, ReaderEnd,
    clean::{clean, cut_middle},
    prompt::NOTE,
};
use elophanto_models::llm::{
    Delta, Message, Request, StopReason, Task, ToolCall, ToolChoice, Tools, estimated,
};

/// Calls of one reply that are made.
const MOST_CALLS: usize = 4;
/// Tokens of the answer that a reader is asked for when its budget ends.
const LAST_TOKENS: u32 = 1_000;
/// Bytes that stay of a tool's result at least when there is hardly any room.
const LEAST_RESULT: u64 = 200;
const LAST_WORDS: &str = "Your budget ends here. Answer now, without tools, from what you have read, \
                          and say what you did not get to.";
const NOT_MADE: &str = "not made: at most four calls in one reply";

/// What one reader is to find out, and what it may use for that.
pub(super) struct Errand {
    pub(super) question: String,
    pub(super) system: String,
    pub(super) tools: Tools,
    /// Replies of the model.
    pub(super) steps: u32,
    /// Of all prompts and answers together.
    pub(super) tokens: u64,
    /// Of one prompt.
    pub(super) prompt: u64,
    /// Of one answer.
    pub(super) answer: u32,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) end: ReaderEnd,
    /// Its answer, or why there is none.
    pub(super) text: String,
    pub(super) steps: u32,
    pub(super) tokens: u64,
}

/// What a reader says to its run.
pub(super) enum ToRun {
    /// A model was asked: what that cost.
    Asked(Vec<Cost>),
    /// A call to be made; the text for the model and whether it failed, or nothing where all ends.
    Call(ToolCall, Sender<Option<(String, bool)>>),
}

/// Works on a question to its end.
pub(super) fn read(
    errand: &Errand,
    brain: &dyn Brain,
    cancelled: &AtomicBool,
    run: &dyn Fn(ToRun),
) -> Told {
    let question = Message::User(errand.question.replace(NOTE, "(loop)"));
    let mut reader =
        Reader { errand, brain, cancelled, run, messages: vec![question], told: (0, 0) };
    let (end, text) = reader.work();
    let (steps, tokens) = reader.told;
    Told { end, text, steps, tokens }
}

struct Reader<'r> {
    errand: &'r Errand,
    brain: &'r dyn Brain,
    cancelled: &'r AtomicBool,
    run: &'r dyn Fn(ToRun),
    messages: Vec<Message>,
    /// Steps and tokens that were used.
    told: (u32, u64),
}

/// What a reply leads to.
enum Next {
    Calls(String, Vec<ToolCall>),
    End(ReaderEnd, String),
}

impl Reader<'_> {
    fn work(&mut self) -> (ReaderEnd, String) {
        loop {
            self.fit(self.errand.prompt);
            let input = self.request(false).estimated_input();
            let answer = u64::from(self.errand.answer);
            // After this reply there must be room for the last words, which read all of it again.
            let needed = 2 * input + answer + u64::from(LAST_TOKENS);
            let is_last = self.told.0 + 1 >= self.errand.steps || needed > self.left();
            if is_last {
                return self.last_words();
            }
            match self.ask(false) {
                Next::End(end, text) => return (end, text),
                Next::Calls(text, calls) => {
                    if let Some(end) = self.call(text, calls) {
                        return end;
                    }
                }
            }
        }
    }

    fn left(&self) -> u64 {
        self.errand.tokens.saturating_sub(self.told.1)
    }

    /// What can be said from what was read.
    fn last_words(&mut self) -> (ReaderEnd, String) {
        let room = self.left().saturating_sub(u64::from(LAST_TOKENS));
        let words = Message::User(format!("{NOTE} {LAST_WORDS}"));
        let of_words = estimated(std::slice::from_ref(&words));
        self.fit(room.min(self.errand.prompt).saturating_sub(of_words));
        self.messages.push(words);
        if self.request(true).estimated_input() > room {
            let text = "its budget was used up before it could answer".to_owned();
            return (ReaderEnd::Partly, text);
        }
        match self.ask(true) {
            Next::End(ReaderEnd::Answered, text) => (ReaderEnd::Partly, text),
            Next::End(end, text) => (end, text),
            Next::Calls(..) => {
                (ReaderEnd::Partly, "it gave no answer before its budget was used up".to_owned())
            }
        }
    }

    /// Cuts results until the prompt has so many tokens, the question and the last words aside.
    fn fit(&mut self, tokens: u64) {
        let input = self.request(false).estimated_input();
        let Some(over) = input.checked_sub(tokens).filter(|over| *over > 0) else { return };
        let is_result = |message: &&Message| matches!(message, Message::Tool { .. });
        let results = self.messages.iter().filter(is_result);
        let size = |message: &Message| match message {
            Message::Tool { text, .. } => text.len() as u64,
            _ => 0,
        };
        let (count, bytes) =
            results.fold((0, 0), |(count, bytes), it| (count + 1, bytes + size(it)));
        // Four bytes a token at most, and some for the marks of cuts.
        let room = bytes.saturating_sub(4 * over + 60 * count);
        let each = (room / u64::max(count, 1)).max(LEAST_RESULT);
        let each = usize::try_from(each).unwrap_or(usize::MAX);
        for message in &mut self.messages {
            if let Message::Tool { text, .. } = message {
                *text = cut_middle(text, each);
            }
        }
        let rest = self.request(false).estimated_input() - estimated(&self.messages);
        let mut messages = std::mem::take(&mut self.messages);
        let left = tokens.saturating_sub(rest);
        compact::shrink(&mut Vec::new(), &mut messages, left, &mut compact::extract);
        self.messages = messages;
    }

    fn request(&self, is_last: bool) -> Request {
        let mut messages = vec![Message::System(self.errand.system.clone())];
        messages.extend_from_slice(&self.messages);
        Request {
            messages,
            tools: self.errand.tools.clone(),
            tool_choice: if is_last { ToolChoice::None } else { ToolChoice::Auto },
            max_tokens: if is_last { LAST_TOKENS } else { self.errand.answer },
            is_continued: !is_last,
            ..Request::default()
        }
    }

    fn ask(&mut self, is_last: bool) -> Next {
        let request = self.request(is_last);
        let cancelled = |_: Delta| match self.cancelled.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let asked = self.brain.ask(Task::Planning, &request, Some(&mut { cancelled }));
        let is_cancelled = self.cancelled.load(Ordering::Relaxed);
        self.told.0 += 1;
        let costs = match &asked {
            Ok(thought) => thought.costs(),
            Err(error) => error.lost.clone(),
        };
        let tokens = |cost: &Cost| cost.usage.input.saturating_add(cost.usage.output);
        self.told.1 += costs.iter().map(tokens).sum::<u64>();
        (self.run)(ToRun::Asked(costs));
        let reply = match asked {
            Ok(thought) => thought.reply,
            Err(_) if is_cancelled => return Next::End(ReaderEnd::Cancelled, "cancelled".into()),
            Err(error) => {
                let end = match error.kind {
                    BrainErrorKind::OverBudget => ReaderEnd::Partly,
                    _ => ReaderEnd::Failed,
                };
                return Next::End(end, error.message);
            }
        };
        match reply.stop {
            _ if is_cancelled => Next::End(ReaderEnd::Cancelled, "cancelled".to_owned()),
            StopReason::Cancelled => Next::End(ReaderEnd::Cancelled, "cancelled".to_owned()),
            StopReason::Refused => Next::End(ReaderEnd::Failed, "the model refused".to_owned()),
            _ if !reply.tool_calls.is_empty() => Next::Calls(reply.text, reply.tool_calls),
            _ if reply.text.trim().is_empty() => {
                Next::End(ReaderEnd::Failed, "the model gave an empty answer".to_owned())
            }
            StopReason::Length => Next::End(ReaderEnd::Partly, reply.text),
            _ => Next::End(ReaderEnd::Answered, reply.text),
        }
    }

    /// Has calls made by the run; the end, if there is to be one.
    fn call(&mut self, text: String, calls: Vec<ToolCall>) -> Option<(ReaderEnd, String)> {
        let step = self.told.0;
        let named = calls.into_iter().enumerate().map(|(number, call)| {
            // Models repeat theirs, or give none.
            super::step::as_kept(&ToolCall { id: format!("{step}_{number}"), ..call })
        });
        let calls: Vec<ToolCall> = named.collect();
        let text = clean(&text, super::frame::TEXT_CAP);
        self.messages.push(Message::Assistant { text, tool_calls: calls.clone() });
        for (number, call) in calls.into_iter().enumerate() {
            let (id, name) = (call.id.clone(), call.name.clone());
            let made = match number {
                ..MOST_CALLS => {
                    let (sender, made) = channel();
                    (self.run)(ToRun::Call(call, sender));
                    made.recv().ok().flatten()
                }
                _ => Some((NOT_MADE.to_owned(), true)),
            };
            let Some((text, failed)) = made else {
                return Some((ReaderEnd::Cancelled, "the run ended".to_owned()));
            };
            self.messages.push(Message::Tool { id, name, text, failed });
        }
        None
    }
}
