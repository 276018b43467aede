//! Approvals of a conversation: asked for, answered once whoever comes first, settled everywhere, and
//! never a yes because nobody answered.

use std::{
    sync::{Arc, PoisonError, atomic::Ordering},
    time::Duration,
};

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    Channel, Gateway, Identity,
    conversation::{Conversation, LOOKS},
    endings::note_end,
    events,
    ledger::{Ended, Open, Record, Settled},
    message::{ApprovalOf, ApprovalRequest, ApprovalResponse, Happening, Told, Tone, Word},
    state::{State, Work},
};
use crate::{Error, Result};
use elophanto_base::{mutex::lock, platform::uptime};

/// After this time whoever has not answered is reminded.
const REMINDER: Duration = Duration::from_secs(5 * 60);

impl State {
    /// What waits for an answer of a person, the oldest first, and whether its run was cut off.
    pub(super) fn pending(&self, gateway: &Gateway, person: &str) -> Vec<ApprovalRequest> {
        let running = self.running.as_ref().map(|running| running.id);
        let of = |(id, open): &(Uuid, Open)| {
            let is_interrupted = running != Some(*id);
            let told =
                |request: &ApprovalRequest| ApprovalRequest { is_interrupted, ..request.clone() };
            open.waiting().map(told).collect::<Vec<_>>()
        };
        let is_theirs = |(_, open): &&(Uuid, Open)| gateway.person_of(open.sender()) == person;
        self.ledger.kept.open.iter().filter(is_theirs).flat_map(of).collect()
    }
}

impl Conversation {
    /// Ends what was cut off and waits for an answer longer than it may.
    pub fn expire(&self, gateway: &Gateway) {
        let now = Timestamp::now();
        let mut over = Vec::new();
        {
            let mut state = self.state();
            let running = state.running.as_ref().map(|running| running.id);
            let is_late = |(id, open): &&(Uuid, Open)| {
                running != Some(*id) && open.waiting().any(|request| request.expires <= now)
            };
            let late: Vec<_> = state.ledger.kept.open.iter().filter(is_late).cloned().collect();
            for (id, open) in late {
                for request in open.waiting() {
                    self.settle_in(gateway, &mut state, request.request_id, Settled::Expired);
                }
                let reason = "nobody answered in time what it asked".to_owned();
                let complete = events::without_run(&open.content, events::CUT_OFF, reason);
                over.extend(note_end(&mut state, id, Ended::without_answer(complete)));
            }
        }
        let told = over.iter().filter(|(id, ended)| self.tell_end(gateway, *id, ended));
        self.told(told.map(|(id, _)| *id).collect());
    }

    /// Asks for an approval, and waits as long as it takes. It is on disk before anybody sees it.
    pub fn ask(&self, gateway: &Gateway, message: Uuid, request: ApprovalRequest) -> Settled {
        let id = request.request_id;
        if let Some(channel) = self.nobody_may_answer(gateway, message) {
            let text = format!(
                "{} is not done: you may write here, but not approve anything; the user of this \
                 machine can let you, with `elophanto channel approve`",
                named(&request)
            );
            gateway.tell(self, &events::notice(text, Tone::Warning));
            let text = Some("whoever asked for it may approve nothing".to_owned());
            return Settled::Answered { word: Word::No, text, channel };
        }
        {
            let mut state = self.state();
            let record = Record::Asked { id: message, request: Box::new(request.clone()) };
            if let Err(error) = state.ledger.note(&record) {
                drop(state);
                let text = format!("an approval cannot be written down: {}", error.message());
                gateway.tell(self, &events::notice(text, Tone::Warning));
                return Settled::Stopped;
            }
            // Before anybody can settle it.
            let told = Told::ApprovalRequest(Box::new(request.clone()));
            gateway.tell_person(self, None, &told, |who| who.scopes.approve);
        }
        // By the clock of the wall and, should that be set back, by one that only goes forward, and goes
        // on while the machine sleeps.
        let (begun, most) = (uptime(), gateway.options.approval_expires);
        let waited = || uptime().saturating_sub(begun);
        let mut is_reminded = false;
        let mut state = self.state();
        loop {
            let asked = state.ledger.kept.find(message).map(|open| &open.asked);
            let own = asked.and_then(|all| all.iter().find(|(own, _)| own.request_id == id));
            if let Some((_, Some(settled))) = own {
                return settled.clone();
            }
            let is_cancelled = gateway.is_ending()
                || state.running.as_ref().is_none_or(|running| {
                    running.is_stopped || running.cancelled.load(Ordering::Relaxed)
                });
            if is_cancelled {
                if !gateway.is_ending() {
                    self.settle_in(gateway, &mut state, id, Settled::Stopped);
                }
                return Settled::Stopped;
            }
            if Timestamp::now() >= request.expires || waited() >= most {
                self.settle_in(gateway, &mut state, id, Settled::Expired);
                return Settled::Expired;
            }
            if !is_reminded && waited() >= REMINDER {
                is_reminded = true;
                let text = format!("this still waits for an answer: {}", named(&request));
                gateway.tell_person(self, None, &events::notice(text, Tone::Note), |who| {
                    who.scopes.approve
                });
            }
            let waited = self.bell.wait_timeout(state, LOOKS);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The channel of a message whose sender may not approve what its run asks, on any channel: to wait
    /// would keep everybody else from the repository. At this machine somebody may always come.
    fn nobody_may_answer(&self, gateway: &Gateway, message: Uuid) -> Option<Channel> {
        let mut state = self.state();
        let open = state.ledger.kept.find(message)?;
        let (channel, person) = (open.channel, gateway.person_of(open.sender()));
        drop(state);
        let may = |client: &Arc<super::Connected>| {
            client.identity.scopes.approve && client.person == person
        };
        let none = !lock(&gateway.clients).iter().any(may);
        let remote = matches!(channel, Channel::Telegram | Channel::Discord | Channel::Slack);
        (remote && none).then_some(channel)
    }

    /// Answers an approval: once, whoever comes first. `false`: there is none of this id here.
    ///
    /// # Errors
    /// When it is answered already, or the answer is none to it.
    pub fn answer(
        self: &Arc<Self>,
        gateway: &Arc<Gateway>,
        response: &ApprovalResponse,
        who: &Identity,
    ) -> Result<bool> {
        let mut state = self.state();
        // Whoever sent the message, as the settings join people now.
        let person = gateway.person(who);
        let is_theirs = |(_, open): &&(Uuid, Open)| gateway.person_of(open.sender()) == person;
        let theirs = state.ledger.kept.open.iter().filter(is_theirs);
        let mut asked = theirs.flat_map(|(_, open)| &open.asked);
        let found = asked.find(|(own, _)| own.request_id == response.request_id).cloned();
        let Some((request, settled)) = found else { return Ok(false) };
        if let Some(settled) = settled {
            return Err(Error::new(format_args!("it is answered already: {}", settled.word())));
        }
        if request.digest != response.digest {
            return Err(Error::new("the digest is not that of what was shown")
                .hint("repeat the digest of the request that is answered"));
        }
        check(&request, response, who)?;
        let Some(message) = state.ledger.kept.waiting(response.request_id) else {
            return Ok(false);
        };
        let is_late = Timestamp::now() >= request.expires;
        let settled = match is_late {
            true => Settled::Expired,
            false => Settled::Answered {
                word: response.answer,
                text: response.text.clone(),
                channel: who.channel,
            },
        };
        let waits = state.running.as_ref().is_some_and(|running| running.id == message);
        if is_late && !waits {
            drop(state);
            self.expire(gateway);
            return Err(Error::new("it has expired, and counts as denied"));
        }
        let record = Record::Settled {
            request: response.request_id,
            settled: settled.clone(),
            at: Timestamp::now(),
            goes_on: !waits,
        };
        state.ledger.note(&record)?;
        let sender = state.ledger.kept.find(message).map(|open| open.sender());
        self.tell_settled(gateway, response.request_id, &settled, sender.as_deref());
        if waits {
            self.bell.notify_all();
        } else {
            // Nobody waits any more: the run was cut off.
            let work = Work::GoOn { message, request: Box::new(request), settled };
            self.put(gateway, state, work);
        }
        if is_late {
            return Err(Error::new("it has expired, and counts as denied"));
        }
        Ok(true)
    }

    /// Settles without an answer; `false` where it was settled before.
    pub(super) fn settle_in(
        &self,
        gateway: &Gateway,
        state: &mut State,
        request: Uuid,
        settled: Settled,
    ) -> bool {
        let Some(message) = state.ledger.kept.waiting(request) else { return false };
        let sender = state.ledger.kept.find(message).map(|open| open.sender());
        let at = Timestamp::now();
        let record = Record::Settled { request, settled: settled.clone(), at, goes_on: false };
        // What cannot be written down is asked for again after the next start: still no yes.
        if state.ledger.note(&record).is_ok() {
            self.tell_settled(gateway, request, &settled, sender.as_deref());
        }
        true
    }

    fn tell_settled(
        &self,
        gateway: &Gateway,
        request_id: Uuid,
        settled: &Settled,
        sender: Option<&str>,
    ) {
        let channel = match settled {
            Settled::Answered { channel, .. } => Some(*channel),
            _ => None,
        };
        let answer = settled.word().to_owned();
        let happening = Happening::ApprovalSettled { request_id, answer, channel };
        gateway.tell_person(self, sender, &Told::Event(Box::new(happening)), |_| true);
    }
}

/// What waits, on one line.
pub(super) fn named(request: &ApprovalRequest) -> String {
    match &request.what {
        ApprovalOf::Call { tool, shown, .. } => {
            format!("{tool}: {}", elophanto_base::one_line::one_line(shown, 200))
        }
        ApprovalOf::Question { question, .. } => elophanto_base::one_line::one_line(question, 200),
    }
}

/// Whether this may be answered to it, by them.
fn check(request: &ApprovalRequest, response: &ApprovalResponse, who: &Identity) -> Result<()> {
    match &request.what {
        ApprovalOf::Call { can_be_kept, can_be_edits, can_be_rule, .. } => {
            let may = match response.answer {
                Word::Once | Word::No => true,
                Word::Session => *can_be_kept,
                Word::Edits => *can_be_edits,
                Word::Rule => *can_be_rule,
            };
            if !may {
                return Err(
                    Error::new("such a call is asked for each time").hint("answer once or no")
                );
            }
            if response.answer == Word::Rule && !who.scopes.admin {
                return Err(Error::new("a rule widens what runs without asking: no channel does")
                    .hint("answer once or session; rules are made on this machine"));
            }
            Ok(())
        }
        ApprovalOf::Question { .. } => match (&response.text, response.answer) {
            (Some(_), _) | (None, Word::No) => Ok(()),
            (None, _) => Err(Error::new("a question is answered by text")
                .hint("put the answer in `text`, or answer no")),
        },
    }
}
