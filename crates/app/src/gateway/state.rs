//! What a conversation has in memory of what it does: work, the run that goes on, what it waits for.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::AtomicBool},
};

use uuid::Uuid;

use super::{
    Identity,
    approvals::named,
    ledger::{Ledger, Settled},
    message::ApprovalRequest,
};
use crate::agent::{Mode, chat::ChatCommand};

pub(super) struct State {
    pub(super) ledger: Ledger,
    /// What is to be done besides messages, in the order in which it came.
    pub(super) work: VecDeque<Work>,
    pub(super) running: Option<Running>,
    /// The message whose turn comes when a run of another conversation has ended.
    pub(super) at_turn: Option<Uuid>,
    /// What the worker took last, from when it took it until it asks for more.
    pub(super) in_hand: Option<Uuid>,
    pub(super) has_worker: bool,
}

impl Work {
    /// Of the message that it is, or that is answered.
    pub fn id(&self) -> Uuid {
        match self {
            Self::Message(id)
            | Self::GoOn { message: id, .. }
            | Self::Command { reply_to: id, .. }
            | Self::Shell { reply_to: id, .. } => *id,
        }
    }
}

impl State {
    pub(super) fn of(ledger: Ledger) -> Self {
        Self {
            ledger,
            work: VecDeque::new(),
            running: None,
            at_turn: None,
            in_hand: None,
            has_worker: false,
        }
    }

    pub(super) fn standing(&self) -> Standing {
        let running = self.running.as_ref().map(|running| running.goal.clone());
        let queued = self.ledger.kept.queued();
        let waiting = self.ledger.kept.pending().map(named).collect();
        let (at_turn, mode) = (self.at_turn.is_some(), self.ledger.kept.mode);
        Standing { running, at_turn, queued, waiting, mode }
    }
}

/// Something for the worker.
pub enum Work {
    Message(Uuid),
    /// A run that was cut off while it waited for this answer.
    GoOn {
        message: Uuid,
        request: Box<ApprovalRequest>,
        settled: Settled,
    },
    Command {
        command: ChatCommand,
        reply_to: Uuid,
        who: Identity,
    },
    /// A line of the user's own for the shell.
    Shell {
        line: String,
        reply_to: Uuid,
    },
}

/// The run, or the line of a shell, that goes on.
pub(super) struct Running {
    /// Of the message or line.
    pub(super) id: Uuid,
    pub(super) goal: String,
    /// Set to end it.
    pub(super) cancelled: Arc<AtomicBool>,
    pub(super) is_stopped: bool,
}

/// How a conversation stands.
pub struct Standing {
    /// The goal of the run that goes on.
    pub running: Option<String>,
    /// Whether a message waits for the end of a run of another conversation.
    pub at_turn: bool,
    /// Messages that wait for their turn.
    pub queued: usize,
    /// What waits for an answer, in words.
    pub waiting: Vec<String>,
    /// What runs without asking, where it was narrowed.
    pub mode: Option<Mode>,
}
