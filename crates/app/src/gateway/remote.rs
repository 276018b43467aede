//! The people of a conversation as whoever approves: asked over the gateway, wherever they are.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    Gateway,
    conversation::Conversation,
    digest::digest,
    events,
    ledger::Settled,
    message::{ApprovalOf, ApprovalRequest, Word},
};
use crate::agent::{Answer, Approval, Approver, Event};

/// The people of a conversation, wherever they are.
pub struct Remote<'c> {
    pub gateway: &'c Arc<Gateway>,
    pub conversation: &'c Conversation,
    pub cancelled: &'c Arc<AtomicBool>,
    pub message: Uuid,
    pub goal: &'c str,
    pub run: String,
    /// Approved before this run began; taken by the first such call.
    pub granted: Option<(String, Answer)>,
}

impl Remote<'_> {
    fn request(&self, digest: String, what: ApprovalOf) -> ApprovalRequest {
        let (asked, most) = (Timestamp::now(), self.gateway.options.approval_expires);
        ApprovalRequest {
            request_id: Uuid::new_v4(),
            digest,
            asked,
            expires: asked.checked_add(most).unwrap_or(Timestamp::MAX),
            run: self.run.clone(),
            repository: self.conversation.served.name.clone(),
            is_interrupted: false,
            what,
        }
    }
}

impl Approver for Remote<'_> {
    fn approve(&mut self, request: &Approval) -> Answer {
        let what = events::asked(request);
        let digest = digest(&what);
        if let Some((_, answer)) = self.granted.take_if(|(of, _)| *of == digest) {
            return answer;
        }
        let asked = self.request(digest, what);
        match self.conversation.ask(self.gateway, self.message, asked) {
            Settled::Answered { word, text, .. } => answer(word, text),
            Settled::Expired => Answer::No(Some("nobody answered in time".to_owned())),
            Settled::Stopped => Answer::Nobody,
        }
    }

    fn ask(&mut self, question: &str, options: &[String]) -> Option<String> {
        let what =
            ApprovalOf::Question { question: question.to_owned(), options: options.to_owned() };
        let asked = self.request(digest(&what), what);
        match self.conversation.ask(self.gateway, self.message, asked) {
            Settled::Answered { text, .. } => text,
            Settled::Expired | Settled::Stopped => None,
        }
    }

    fn tell(&mut self, event: &Event<'_>) {
        if let Event::Begun { run, .. } = event {
            self.run = run.to_string();
        }
        // A run that begins forgets that it was to end.
        if self.conversation.is_stopped() || self.gateway.is_ending() {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        if let Some(told) = events::told(event, self.goal, self.message) {
            self.gateway.tell(self.conversation, &told);
        }
    }
}

/// What an answer is to the agent.
pub fn answer(word: Word, text: Option<String>) -> Answer {
    match word {
        Word::Once => Answer::Once,
        Word::Session => Answer::Session,
        Word::Edits => Answer::Edits,
        Word::Rule => Answer::Rule,
        Word::No => Answer::No(text),
    }
}
