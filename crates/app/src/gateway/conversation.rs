//! A conversation of one person about one repository: what waits, what runs, what is asked. Its runs
//! are made one after the other by a worker, a thread that ends when there is nothing to do.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    Channel, Gateway, Identity, Served, events,
    ledger::{Ended, Ledger, Open, Record, Settled},
    message::{
        ApprovalOf, ApprovalRequest, ApprovalResponse, Happening, Response, Told, Tone, Word,
    },
    worker,
};
use crate::{
    Error,
    agent::{
        Mode, Outcome,
        chat::{Carried, ChatCommand},
    },
};
use elophanto_base::counted::counted;

/// Messages that wait for their turn.
const MOST_QUEUED: usize = 20;
/// After this time whoever has not answered is reminded.
const REMINDER: Duration = Duration::from_secs(5 * 60);
/// How often whoever waits looks at the clock.
const LOOKS: Duration = Duration::from_secs(1);

pub struct Conversation {
    pub person: String,
    pub served: Served,
    session: Mutex<Uuid>,
    /// What the last worker had in memory.
    carried: Mutex<Option<Carried>>,
    state: Mutex<State>,
    bell: Condvar,
}

struct State {
    ledger: Ledger,
    /// What is to be done besides messages, in the order in which it came.
    work: VecDeque<Work>,
    running: Option<Running>,
    has_worker: bool,
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
struct Running {
    /// Of the message or line.
    id: Uuid,
    goal: String,
    /// Set to end it.
    cancelled: Arc<AtomicBool>,
    is_stopped: bool,
}

/// How a conversation stands.
pub struct Standing {
    pub running: Option<String>,
    pub queued: usize,
    pub approvals: usize,
    pub mode: Option<Mode>,
}

/// What became of a message that came in.
pub enum Taken {
    /// It is on disk, and its turn comes.
    New,
    /// It was taken before, and is not done with.
    Known,
    /// It was taken before, and this came of it; nothing where that is not kept any more.
    Over(Option<Box<Ended>>),
}

impl Conversation {
    /// `ledger` says which session it is, or none yet.
    pub fn new(person: String, served: Served, mut ledger: Ledger) -> Result<Self, Error> {
        let session = match ledger.kept.session {
            Some(session) => session,
            None => {
                let session = Uuid::new_v4();
                let (at, root) = (Timestamp::now(), served.root.clone());
                ledger.note(&Record::Opened { person: person.clone(), root, session, at })?;
                session
            }
        };
        let state = State { ledger, work: VecDeque::new(), running: None, has_worker: false };
        Ok(Self {
            person,
            served,
            session: Mutex::new(session),
            carried: Mutex::default(),
            state: Mutex::new(state),
            bell: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn session(&self) -> Uuid {
        *self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on in another session.
    pub fn set_session(&self, session: Uuid) -> Result<(), Error> {
        let (person, root) = (self.person.clone(), self.served.root.clone());
        self.state().ledger.note(&Record::Opened {
            person,
            root,
            session,
            at: Timestamp::now(),
        })?;
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = session;
        Ok(())
    }

    pub fn standing(&self) -> Standing {
        let state = self.state();
        let running = state.running.as_ref().map(|running| running.goal.clone());
        let queued = state.ledger.kept.queued();
        let (approvals, mode) = (state.ledger.kept.pending().count(), state.ledger.kept.mode);
        Standing { running, queued, approvals, mode }
    }

    /// What waits for an answer, the oldest first, and whether its run was cut off.
    pub fn pending(&self) -> Vec<ApprovalRequest> {
        let state = self.state();
        let running = state.running.as_ref().map(|running| running.id);
        let of = |(id, open): &(Uuid, Open)| {
            let waiting = open.asked.iter().filter(|(_, settled)| settled.is_none());
            let is_interrupted = running != Some(*id);
            let told = |(request, _): &(ApprovalRequest, Option<Settled>)| ApprovalRequest {
                is_interrupted,
                ..request.clone()
            };
            waiting.map(told).collect::<Vec<_>>()
        };
        state.ledger.kept.open.iter().flat_map(of).collect()
    }

    /// Ends what was cut off and waits for an answer longer than it may.
    pub fn expire(&self, gateway: &Gateway) {
        let now = Timestamp::now();
        let mut over = Vec::new();
        {
            let mut state = self.state();
            let running = state.running.as_ref().map(|running| running.id);
            let is_late = |(id, open): &&(Uuid, Open)| {
                let mut asked = open.asked.iter();
                running != Some(*id)
                    && asked.any(|(request, settled)| settled.is_none() && request.expires <= now)
            };
            let late: Vec<_> = state.ledger.kept.open.iter().filter(is_late).cloned().collect();
            for (id, open) in late {
                let waiting = open.asked.iter().filter(|(_, settled)| settled.is_none());
                for (request, _) in waiting {
                    self.settle_in(gateway, &mut state, request.request_id, Settled::Expired);
                }
                let reason = "nobody answered in time what it asked".to_owned();
                let complete = events::without_run(&open.content, events::CUT_OFF, reason);
                over.extend(note_end(&mut state, id, Ended::without_answer(complete)));
            }
        }
        over.iter().for_each(|(id, ended)| self.tell_end(gateway, *id, ended));
    }

    /// When it was used last.
    pub fn last(&self) -> Option<Timestamp> {
        self.state().ledger.kept.last
    }

    /// Whether a message of this id came in before.
    pub fn knows(&self, id: Uuid) -> bool {
        self.state().ledger.kept.knows(id)
    }

    pub fn narrow(&self, mode: Mode) -> Result<(), Error> {
        self.state().ledger.note(&Record::Narrowed { mode: super::mode::name(mode) })
    }

    /// Takes a message: on disk once this returns.
    ///
    /// # Errors
    /// When too many wait, or it cannot be written down.
    pub fn take(
        self: &Arc<Self>,
        gateway: &Arc<Gateway>,
        id: Uuid,
        content: &str,
        who: &Identity,
    ) -> Result<Taken, Error> {
        let mut state = self.state();
        let kept = &state.ledger.kept;
        if let Some(ended) = kept.ended.get(&id) {
            return Ok(Taken::Over(Some(Box::new(ended.clone()))));
        }
        if let Some((_, open)) = kept.open.iter().find(|(own, _)| *own == id) {
            if open.content != content {
                return Err(Error::new("another message was sent with this id")
                    .hint("each message has an id of its own"));
            }
            let is_running = state.running.as_ref().is_some_and(|running| running.id == id);
            let is_its = |work: &Work| matches!(work, Work::Message(own) if *own == id);
            // One that could not begin, as the disk was full, is tried again.
            if !open.has_begun && !is_running && !state.work.iter().any(is_its) {
                self.put(gateway, state, Work::Message(id));
            } else if !state.work.is_empty() {
                self.employ(gateway, &mut state);
            }
            return Ok(Taken::Known);
        }
        if kept.done.contains(&id) {
            return Ok(Taken::Over(None));
        }
        let queued = kept.queued();
        if queued >= MOST_QUEUED {
            return Err(Error::new(format_args!("{} wait already", counted(queued, "message")))
                .hint("send it again when one of them is done; `/stop` ends what goes on"));
        }
        let (content, user) = (content.to_owned(), who.user.clone());
        let (channel, at) = (who.channel, Timestamp::now());
        state.ledger.note(&Record::Taken { id, content, channel, user, at })?;
        self.put(gateway, state, Work::Message(id));
        Ok(Taken::New)
    }

    /// Has the worker do something once it comes to it.
    ///
    /// # Errors
    /// When a run goes on, it was taken before, or too much waits.
    pub fn when_idle(
        self: &Arc<Self>,
        gateway: &Arc<Gateway>,
        id: Uuid,
        work: Work,
    ) -> Result<(), Error> {
        let mut state = self.state();
        if state.running.is_some() {
            return Err(Error::new("a run goes on").hint("`/stop` ends it"));
        }
        if state.ledger.kept.knows(id) {
            return Err(Error::new("this was taken before: it is not done again"));
        }
        if state.work.len() >= MOST_QUEUED {
            return Err(Error::new("too much waits already").hint("send it again in a while"));
        }
        state.ledger.note(&Record::Done { ids: vec![id] })?;
        self.put(gateway, state, work);
        Ok(())
    }

    /// Begins again what was taken and not begun, after the gateway was started; says what was cut off.
    pub fn begin_again(self: &Arc<Self>, gateway: &Arc<Gateway>) {
        let mut state = self.state();
        let open = state.ledger.kept.open.clone();
        let now = Timestamp::now();
        for (id, open) in open {
            if !open.has_begun {
                state.work.push_back(Work::Message(id));
                continue;
            }
            let waits = |asked: &(ApprovalRequest, Option<Settled>)| asked.1.is_none();
            let answered = open.asked.iter().find(|(it, _)| Some(it.request_id) == open.goes_on);
            if let Some((request, Some(settled))) = answered {
                let (request, settled) = (Box::new(request.clone()), settled.clone());
                state.work.push_back(Work::GoOn { message: id, request, settled });
            } else if !open.asked.iter().any(|it| waits(it) && it.0.expires > now) {
                let reason = match open.asked.iter().any(waits) {
                    true => "nobody answered in time what it asked",
                    false => {
                        "the gateway was ended while it went on: what it has done by then is in \
                         its trail; send a message to go on"
                    }
                };
                let complete =
                    events::without_run(&open.content, events::CUT_OFF, reason.to_owned());
                // One that cannot be written down is found again the next time.
                let _ = note_end(&mut state, id, Ended::without_answer(complete));
            }
            // Otherwise it goes on once what it waits for is answered.
        }
        if !state.work.is_empty() {
            self.employ(gateway, &mut state);
        }
    }

    fn put(self: &Arc<Self>, gateway: &Arc<Gateway>, mut state: MutexGuard<'_, State>, work: Work) {
        state.work.push_back(work);
        self.employ(gateway, &mut state);
        self.bell.notify_all();
    }

    /// Makes sure that there is a worker.
    fn employ(self: &Arc<Self>, gateway: &Arc<Gateway>, state: &mut State) {
        if state.has_worker {
            return;
        }
        let (gateway, own) = (Arc::clone(gateway), Arc::clone(self));
        let begun = std::thread::Builder::new()
            .name("conversation".to_owned())
            .stack_size(8 << 20)
            .spawn(move || worker::work(&gateway, &own));
        // Without a thread what was taken waits for the next message, or the next start.
        state.has_worker = begun.is_ok();
    }

    /// What is to be done next; `None` when nothing came for so long, and the worker ends.
    pub fn next(&self, idle: Duration, is_ending: &AtomicBool) -> Option<Work> {
        let begun = Instant::now();
        let mut state = self.state();
        loop {
            if is_ending.load(Ordering::Relaxed) {
                state.has_worker = false;
                return None;
            }
            if let Some(work) = state.work.pop_front() {
                return Some(work);
            }
            let Some(left) = idle.checked_sub(begun.elapsed()).filter(|left| !left.is_zero())
            else {
                state.has_worker = false;
                return None;
            };
            let waited = self.bell.wait_timeout(state, left.min(LOOKS));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What a worker leaves for the next one.
    pub fn carried(&self) -> MutexGuard<'_, Option<Carried>> {
        self.carried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether whoever sent a message is the user of this machine.
    pub fn is_of_this_machine(&self, id: Uuid) -> bool {
        let open = self.state().ledger.kept.find(id).map(|open| open.channel);
        open == Some(Channel::Cli)
    }

    /// A message could not begin: it waits for the next worker, and there is none any more.
    pub fn put_back(&self, id: Uuid) {
        let mut state = self.state();
        state.work.push_front(Work::Message(id));
        state.has_worker = false;
    }

    /// The worker cannot go on: what is left waits for another one.
    pub fn dismiss(&self) {
        self.state().has_worker = false;
    }

    /// Whether there is something to do and nobody who does it.
    pub fn reemploy(self: &Arc<Self>, gateway: &Arc<Gateway>) {
        let mut state = self.state();
        if !state.work.is_empty() {
            self.employ(gateway, &mut state);
        }
    }

    /// The run of a message begins: its text, or nothing where it was dropped meanwhile.
    pub fn begin(&self, id: Uuid, cancelled: &Arc<AtomicBool>) -> Result<Option<String>, Error> {
        let mut state = self.state();
        let Some(open) = state.ledger.kept.find(id) else { return Ok(None) };
        let goal = open.content.clone();
        if !open.has_begun || open.goes_on.is_some() {
            state.ledger.note(&Record::Begun { id, at: Timestamp::now() })?;
        }
        let cancelled = Arc::clone(cancelled);
        state.running = Some(Running { id, goal: goal.clone(), cancelled, is_stopped: false });
        Ok(Some(goal))
    }

    /// A line of a shell begins.
    pub fn occupy(&self, id: Uuid, line: &str, cancelled: &Arc<AtomicBool>) {
        let (goal, cancelled) = (line.to_owned(), Arc::clone(cancelled));
        self.state().running = Some(Running { id, goal, cancelled, is_stopped: false });
    }

    /// And ends; or what ran had to be given up, whose id is told.
    pub fn release(&self) -> Option<Uuid> {
        self.state().running.take().map(|running| running.id)
    }

    /// Whether the run that goes on was stopped before it could hear of it.
    pub fn is_stopped(&self) -> bool {
        self.state().running.as_ref().is_some_and(|running| running.is_stopped)
    }

    /// A message is done with: written down, and told to everybody whom it concerns.
    pub fn end(&self, gateway: &Gateway, id: Uuid, mut ended: Ended) {
        if gateway.is_ending() && ended.complete.outcome == Outcome::Cancelled.name() {
            ended.complete.outcome = events::CUT_OFF.to_owned();
            ended.complete.reason = "the gateway was ended".to_owned();
        }
        {
            let mut state = self.state();
            state.running = None;
            let is_waiting = state
                .ledger
                .kept
                .find(id)
                .is_some_and(|open| open.asked.iter().any(|it| it.1.is_none()));
            if gateway.is_ending() && is_waiting {
                // It goes on after the next start, once that is answered.
                return;
            }
            let record = Record::Ended { id, ended: Box::new(ended.clone()) };
            if let Err(error) = state.ledger.note(&record) {
                let text = format!("what came of it cannot be written down: {}", error.message());
                gateway.tell(self, &events::notice(text, Tone::Warning));
            }
        }
        self.tell_end(gateway, id, &ended);
    }

    fn tell_end(&self, gateway: &Gateway, id: Uuid, ended: &Ended) {
        gateway.tell(self, &answer_of(id, ended));
        gateway.tell_person(self, &of_end(ended), |_| true);
    }

    /// Ends the run that goes on, and with `all` what waits behind it: whether there was a run, how many
    /// messages were dropped, how many still wait.
    pub fn stop(&self, gateway: &Gateway, all: bool) -> (bool, usize, usize) {
        let mut state = self.state();
        let is_idle = state.running.is_none();
        if let Some(running) = &mut state.running {
            running.is_stopped = true;
            running.cancelled.store(true, Ordering::Relaxed);
        }
        let running = state.running.as_ref().map(|running| running.id);
        // A run that was cut off, and waits for its answer or its turn, ends where none goes on.
        let is_over = |(id, open): &&(Uuid, Open)| match open.has_begun {
            true => running != Some(*id) && (all || is_idle),
            false => all,
        };
        let over: Vec<_> = state.ledger.kept.open.iter().filter(is_over).cloned().collect();
        let mut ended = Vec::new();
        let (mut had_run, mut dropped) = (!is_idle, 0);
        for (id, open) in over {
            let waiting = open.asked.iter().filter(|(_, settled)| settled.is_none());
            for (request, _) in waiting {
                self.settle_in(gateway, &mut state, request.request_id, Settled::Stopped);
            }
            let outcome = Outcome::Cancelled.name();
            let complete = events::without_run(&open.content, outcome, "stopped".to_owned());
            ended.extend(note_end(&mut state, id, Ended::without_answer(complete)));
            had_run |= open.has_begun;
            dropped += usize::from(!open.has_begun);
        }
        let is_ended = |id: &Uuid| ended.iter().any(|(own, _)| own == id);
        state.work.retain(|work| match work {
            Work::Message(id) | Work::GoOn { message: id, .. } => !is_ended(id),
            _ => true,
        });
        let left = state.ledger.kept.queued();
        self.bell.notify_all();
        drop(state);
        ended.iter().for_each(|(id, ended)| self.tell_end(gateway, *id, ended));
        (had_run, dropped, left)
    }

    /// The gateway ends: so does the run that goes on.
    pub fn cancel(&self) {
        if let Some(running) = &mut self.state().running {
            running.is_stopped = true;
            running.cancelled.store(true, Ordering::Relaxed);
        }
        self.bell.notify_all();
    }

    /// Whether nobody works here.
    pub fn is_still(&self) -> bool {
        !self.state().has_worker
    }

    /// Asks for an approval, and waits as long as it takes. It is on disk before anybody sees it.
    pub fn ask(&self, gateway: &Gateway, message: Uuid, request: ApprovalRequest) -> Settled {
        let id = request.request_id;
        {
            let mut state = self.state();
            let record = Record::Asked { id: message, request: Box::new(request.clone()) };
            if let Err(error) = state.ledger.note(&record) {
                drop(state);
                let text = format!("an approval cannot be written down: {}", error.message());
                gateway.tell(self, &events::notice(text, Tone::Warning));
                return Settled::Stopped;
            }
        }
        gateway.tell_person(self, &Told::ApprovalRequest(Box::new(request.clone())), |who| {
            who.scopes.approve
        });
        // By the clock of the wall and, should that be set back, by one that only goes forward.
        let (begun, most) = (Instant::now(), gateway.options.approval_expires);
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
            if Timestamp::now() >= request.expires || begun.elapsed() >= most {
                self.settle_in(gateway, &mut state, id, Settled::Expired);
                return Settled::Expired;
            }
            if !is_reminded && begun.elapsed() >= REMINDER {
                is_reminded = true;
                let text = format!("this still waits for an answer: {}", named(&request));
                gateway
                    .tell_person(self, &events::notice(text, Tone::Note), |who| who.scopes.approve);
            }
            let waited = self.bell.wait_timeout(state, LOOKS);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
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
    ) -> Result<bool, Error> {
        let mut state = self.state();
        let asked = state.ledger.kept.open.iter().flat_map(|(_, open)| &open.asked);
        let found = asked.clone().find(|(own, _)| own.request_id == response.request_id).cloned();
        let Some((request, settled)) = found else { return Ok(false) };
        if let Some(settled) = settled {
            return Err(Error::new(format_args!("it is answered already: {}", settled.word())));
        }
        if request.digest != response.digest {
            return Err(Error::new("the digest is not that of what was shown")
                .hint("repeat the digest of the request that is answered"));
        }
        check(&request, response, who)?;
        let Some((message, _)) = state.ledger.kept.waiting(response.request_id) else {
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
        self.tell_settled(gateway, response.request_id, &settled);
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
    fn settle_in(
        &self,
        gateway: &Gateway,
        state: &mut State,
        request: Uuid,
        settled: Settled,
    ) -> bool {
        if state.ledger.kept.waiting(request).is_none() {
            return false;
        }
        let at = Timestamp::now();
        let record = Record::Settled { request, settled: settled.clone(), at, goes_on: false };
        // What cannot be written down is asked for again after the next start: still no yes.
        if state.ledger.note(&record).is_ok() {
            self.tell_settled(gateway, request, &settled);
        }
        true
    }

    fn tell_settled(&self, gateway: &Gateway, request_id: Uuid, settled: &Settled) {
        let channel = match settled {
            Settled::Answered { channel, .. } => Some(*channel),
            _ => None,
        };
        let answer = settled.word().to_owned();
        let happening = Happening::ApprovalSettled { request_id, answer, channel };
        gateway.tell_person(self, &Told::Event(Box::new(happening)), |_| true);
    }
}

/// Notes that a message is done with; nothing where that cannot be written down.
fn note_end(state: &mut State, id: Uuid, ended: Ended) -> Option<(Uuid, Ended)> {
    let record = Record::Ended { id, ended: Box::new(ended.clone()) };
    state.ledger.note(&record).is_ok().then_some((id, ended))
}

/// The answer to a message that is done with.
pub fn answer_of(id: Uuid, ended: &Ended) -> Told {
    Told::Response(Response {
        content: ended.answer.clone(),
        done: true,
        reply_to: Some(id),
        sources: ended.sources.clone(),
    })
}

/// That a message is done with.
pub fn of_end(ended: &Ended) -> Told {
    Told::Event(Box::new(Happening::TaskComplete(ended.complete.clone())))
}

/// What waits, on one line.
fn named(request: &ApprovalRequest) -> String {
    match &request.what {
        ApprovalOf::Call { tool, shown, .. } => {
            format!("{tool}: {}", elophanto_base::one_line::one_line(shown, 200))
        }
        ApprovalOf::Question { question, .. } => elophanto_base::one_line::one_line(question, 200),
    }
}

/// Whether this may be answered to it, by them.
fn check(
    request: &ApprovalRequest,
    response: &ApprovalResponse,
    who: &Identity,
) -> Result<(), Error> {
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
