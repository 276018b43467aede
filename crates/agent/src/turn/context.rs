//! A conversation between two runs: how much of a prompt it takes, and making it short.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{
    budget::Allowance,
    compact::{HEADING, SUMMARY_CAP, transcript},
    frame::{TRANSCRIPT_CAP, in_summary, summarising},
    offer::offer,
    renew,
};
use crate::{
    Brain, BrainError, Gathered, Session, Sessions, SessionsError, Spent, Toolbox, clean::clean,
    permissions::Mode, prompt, quote::Quote,
};
use elophanto_base::whole::Synced;
use elophanto_models::llm::{Message, Task, estimated};

/// What a prompt holds, in estimated tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextUse {
    /// Who the agent is, conventions, instructions, skills.
    pub instructions: u64,
    /// Schemas of the tools that a task begins with.
    pub tools: u64,
    /// Notes, facts, lessons that bear on the last goal.
    pub known: u64,
    /// What was said.
    pub conversation: u64,
}

impl ContextUse {
    pub fn total(&self) -> u64 {
        self.instructions + self.tools + self.known + self.conversation
    }
}

/// A conversation that was made shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactedSession {
    /// That are now one.
    pub messages: usize,
    /// Estimated, of the conversation before and after.
    pub tokens: (u64, u64),
    /// What the model that summarised it cost.
    pub spent: Spent,
}

/// Why a conversation is as long as it was.
#[derive(Debug, thiserror::Error)]
pub enum CompactError {
    #[error("nothing was said that could be summarised")]
    Nothing,
    #[error("the model gave no summary")]
    Empty,
    /// In estimated tokens.
    #[error("a summary takes {summary} tokens, no less than the {now} of what was said")]
    NoShorter { summary: u64, now: u64 },
    #[error(transparent)]
    Brain(#[from] BrainError),
    #[error(transparent)]
    Session(#[from] SessionsError),
}

/// What the next request of a session would hold.
pub fn context_use(
    session: &Session,
    gathered: &Gathered,
    tools: &Toolbox,
    mode: Mode,
) -> ContextUse {
    let quote = Quote::new();
    let system = Message::System(prompt::system(gathered, &quote, mode, true));
    let known = prompt::known(gathered, &quote).map(Message::User);
    ContextUse {
        instructions: estimated(&[system]),
        tools: offer(tools.specs().collect(), &BTreeSet::new()).tokens(),
        known: known.map_or(0, |known| estimated(&[known])),
        conversation: estimated(&session.messages),
    }
}

/// Puts a summary by a model in the place of all messages of a session; what was said stays beside it.
/// `most`: tokens of a prompt.
///
/// # Errors
/// When there is none; the session is then as it was.
pub fn compact_session(
    session: &mut Session,
    sessions: &Sessions,
    brain: &dyn Brain,
    most: u64,
    now: Timestamp,
) -> Result<CompactedSession, CompactError> {
    let _lock = sessions.lock(session.id)?;
    renew(session, sessions)?;
    if session.messages.len() < 2 {
        return Err(CompactError::Nothing);
    }
    let (quote, before) = (Quote::new(), estimated(&session.messages));
    let cap = TRANSCRIPT_CAP.min(usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(2));
    let request = summarising(&transcript(&session.messages, cap), &quote);
    let thought = brain.ask(Task::Summary, &request, None)?;
    let text = clean(thought.reply.text.trim(), SUMMARY_CAP);
    if text.is_empty() {
        return Err(CompactError::Empty);
    }
    let mut allowance = Allowance::new(0);
    thought.costs().iter().for_each(|cost| allowance.spend(cost));
    let text = in_summary(session, &quote, &text);
    let mut shorter = session.clone();
    shorter.messages = vec![Message::User(format!("{HEADING}\n{text}"))];
    shorter.updated = now;
    let after = estimated(&shorter.messages);
    if after >= before {
        return Err(CompactError::NoShorter { summary: after, now: before });
    }
    sessions.add_said(session.id, &session.messages, &[], Synced::Content)?;
    sessions.save(&mut shorter)?;
    let messages = std::mem::replace(session, shorter).messages.len();
    Ok(CompactedSession { messages, tokens: (before, after), spent: allowance.spent })
}
