//! A conversation of one person about one repository: what waits, what runs, what is asked. Its runs
//! are made one after the other by a worker, a thread that ends when there is nothing to do.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    Channel, Gateway, Identity, Served,
    endings::note_end,
    events,
    ledger::{Ended, Ledger, Open, Record},
    state::{Running, Standing, State, Work},
    worker,
};
use crate::{
    Error, Result,
    agent::{Mode, chat::Carried},
};
use elophanto_base::{counted::counted, mutex::lock};

/// Messages that wait for their turn.
const MOST_QUEUED: usize = 20;
/// How often whoever waits looks at the clock.
pub(super) const LOOKS: Duration = Duration::from_secs(1);

pub struct Conversation {
    pub person: String,
    pub served: Served,
    session: Mutex<Uuid>,
    /// What the last worker had in memory.
    carried: Mutex<Option<Carried>>,
    state: Mutex<State>,
    pub(super) bell: Condvar,
    /// What was wrong when it was opened, and nobody was told yet.
    notices: Mutex<Vec<String>>,
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
    pub fn new(person: String, served: Served, mut ledger: Ledger) -> Result<Self> {
        let session = match ledger.kept.session {
            Some(session) => session,
            None => {
                let session = Uuid::new_v4();
                let (at, root) = (Timestamp::now(), served.root.clone());
                ledger.note(&Record::Opened { person: person.clone(), root, session, at })?;
                session
            }
        };
        let state = State::of(ledger);
        Ok(Self {
            person,
            served,
            session: Mutex::new(session),
            carried: Mutex::default(),
            state: Mutex::new(state),
            bell: Condvar::new(),
            notices: Mutex::default(),
        })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub fn session(&self) -> Uuid {
        *lock(&self.session)
    }

    /// Goes on in another session.
    pub fn set_session(&self, session: Uuid) -> Result<()> {
        let (person, root) = (self.person.clone(), self.served.root.clone());
        self.state().ledger.note(&Record::Opened {
            person,
            root,
            session,
            at: Timestamp::now(),
        })?;
        *lock(&self.session) = session;
        Ok(())
    }

    pub fn standing(&self) -> Standing {
        self.state().standing()
    }

    /// What was wrong with what was kept of it, for the next who comes in.
    pub fn notice(&self, problem: &str) {
        lock(&self.notices).push(problem.to_owned());
    }

    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.notices))
    }

    /// What was cut off, or done unasked, and nobody was told of.
    pub fn untold(&self) -> Vec<(Uuid, Ended)> {
        self.state().ledger.kept.untold()
    }

    /// Ends that somebody has been told of by now.
    pub fn told(&self, ids: Vec<Uuid>) {
        if !ids.is_empty() {
            // What cannot be written down is told again.
            let _ = self.state().ledger.note(&Record::Told { ids });
        }
    }

    /// Whether a message waits for its turn, or goes on.
    pub fn is_open(&self, id: Uuid) -> bool {
        self.state().ledger.kept.find(id).is_some()
    }

    /// When it was used last.
    pub fn last(&self) -> Option<Timestamp> {
        self.state().ledger.kept.last
    }

    /// Whether a message of this id came in before.
    pub fn knows(&self, id: Uuid) -> bool {
        self.state().ledger.kept.knows(id)
    }

    pub fn narrow(&self, mode: Mode) -> Result<()> {
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
        attachments: Vec<Uuid>,
        who: &Identity,
    ) -> Result<Taken> {
        let mut state = self.state();
        let kept = &state.ledger.kept;
        if let Some(ended) = kept.ended.get(&id) {
            if ended.complete.goal != content {
                return Err(another_content());
            }
            return Ok(Taken::Over(Some(Box::new(ended.clone()))));
        }
        if let Some((_, open)) = kept.open.iter().find(|(own, _)| *own == id) {
            if open.content != content {
                return Err(another_content());
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
        let is_waiting = |open: &Open| !open.has_begun && open.scheduled.is_none();
        let queued = kept.open.iter().filter(|(_, open)| is_waiting(open)).count();
        if queued >= MOST_QUEUED {
            return Err(Error::new(format_args!("{} wait already", counted(queued, "message")))
                .hint("send it again when one of them is done; `/stop` ends what goes on"));
        }
        let (content, user) = (content.to_owned(), who.user.clone());
        let (channel, at) = (who.channel, Timestamp::now());
        let scheduled = None;
        let record = Record::Taken { id, content, attachments, channel, user, at, scheduled };
        state.ledger.note(&record)?;
        self.put(gateway, state, Work::Message(id));
        Ok(Taken::New)
    }

    /// Has the worker do something once it comes to it.
    ///
    /// # Errors
    /// When a run goes on, it was taken before, or too much waits.
    pub fn when_idle(self: &Arc<Self>, gateway: &Arc<Gateway>, id: Uuid, work: Work) -> Result<()> {
        let mut state = self.state();
        if state.running.is_some() {
            return Err(Error::new("a run goes on").hint("`/stop` ends it"));
        }
        if state.at_turn.is_some() {
            let text = "a message waits here until a run of another conversation has ended";
            return Err(Error::new(text).hint("`/stop` drops it"));
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
            let answered = open.asked.iter().find(|(it, _)| Some(it.request_id) == open.goes_on);
            if let Some((request, Some(settled))) = answered {
                let (request, settled) = (Box::new(request.clone()), settled.clone());
                state.work.push_back(Work::GoOn { message: id, request, settled });
            } else if !open.waiting().any(|it| it.expires > now) {
                let reason = match open.waiting().next().is_some() {
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

    pub(super) fn put(
        self: &Arc<Self>,
        gateway: &Arc<Gateway>,
        mut state: MutexGuard<'_, State>,
        work: Work,
    ) {
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
        state.in_hand = None;
        loop {
            if is_ending.load(Ordering::Relaxed) {
                state.has_worker = false;
                return None;
            }
            if let Some(work) = state.work.pop_front() {
                state.in_hand = Some(work.id());
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
        lock(&self.carried)
    }

    /// Whether whoever sent a message is the user of this machine.
    pub fn is_of_this_machine(&self, id: Uuid) -> bool {
        let open = self.state().ledger.kept.find(id).map(|open| open.channel);
        open.is_some_and(Channel::is_of_this_machine)
    }

    /// A message could not begin: it waits for the next worker, and there is none any more.
    pub fn put_back(&self, work: Work) {
        let mut state = self.state();
        state.work.push_front(work);
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

    /// The run of a message begins: its text and files, or nothing where it was dropped meanwhile.
    pub fn begin(
        &self,
        id: Uuid,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Option<(String, Vec<Uuid>)>> {
        let mut state = self.state();
        let Some(open) = state.ledger.kept.find(id) else { return Ok(None) };
        let (goal, attachments) = (open.content.clone(), open.attachments.clone());
        if !open.has_begun || open.goes_on.is_some() {
            state.ledger.note(&Record::Begun { id, at: Timestamp::now() })?;
        }
        let cancelled = Arc::clone(cancelled);
        state.running = Some(Running { id, goal: goal.clone(), cancelled, is_stopped: false });
        Ok(Some((goal, attachments)))
    }

    /// A line of a shell begins.
    pub fn occupy(&self, id: Uuid, line: &str, cancelled: &Arc<AtomicBool>) {
        let (goal, cancelled) = (line.to_owned(), Arc::clone(cancelled));
        self.state().running = Some(Running { id, goal, cancelled, is_stopped: false });
    }

    /// And ends.
    pub fn release(&self) {
        self.state().running = None;
    }

    /// A message waits for its turn in the repository, or does not any more.
    pub fn wait_for_turn(&self, message: Option<Uuid>) {
        self.state().at_turn = message;
    }

    /// What the worker was at had to be given up: its id, if it had come to any.
    pub fn give_up(&self) -> Option<Uuid> {
        let mut state = self.state();
        (state.running, state.at_turn) = (None, None);
        state.in_hand.take()
    }

    /// Whether the run that goes on was stopped before it could hear of it.
    pub fn is_stopped(&self) -> bool {
        self.state().running.as_ref().is_some_and(|running| running.is_stopped)
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
}

fn another_content() -> Error {
    Error::new("another message was sent with this id").hint("each message has an id of its own")
}
