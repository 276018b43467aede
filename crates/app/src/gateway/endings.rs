//! How messages of a conversation come to their end: their runs are over, stopped, or never begun.

use std::sync::atomic::Ordering;

use uuid::Uuid;

use super::{
    Channel, Gateway,
    conversation::Conversation,
    events,
    ledger::{Ended, Open, Record, Settled},
    message::{Happening, Response, Told, Tone},
    state::{State, Work},
};
use crate::agent::Outcome;

impl Conversation {
    /// A message is done with: written down, and told to everybody whom it concerns.
    pub fn end(&self, gateway: &Gateway, id: Uuid, mut ended: Ended) {
        if gateway.is_ending() && ended.complete.outcome == Outcome::Cancelled.name() {
            ended.complete.outcome = events::CUT_OFF.to_owned();
            ended.complete.reason = "the gateway was ended".to_owned();
        }
        {
            let mut state = self.state();
            state.running = None;
            let open = state.ledger.kept.find(id);
            ended.is_scheduled = open.as_ref().is_some_and(|open| open.scheduled.is_some());
            let is_waiting = open.is_some_and(|open| open.waiting().next().is_some());
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
        if self.tell_end(gateway, id, &ended) && ended.is_scheduled {
            self.told(vec![id]);
        }
    }

    /// Whether the person was there to be told.
    pub(super) fn tell_end(&self, gateway: &Gateway, id: Uuid, ended: &Ended) -> bool {
        gateway.tell(self, &answer_of(id, ended));
        gateway.tell_person(self, None, &of_end(ended), |_| true)
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
        // A run that was cut off, and waits for its answer or its turn, ends where none goes on; so does
        // what would begin now, were it not for another conversation.
        let at_turn = state.at_turn;
        let is_over = |(id, open): &&(Uuid, Open)| match open.has_begun {
            true => running != Some(*id) && (all || is_idle),
            false => all || at_turn == Some(*id),
        };
        let over: Vec<_> = state.ledger.kept.open.iter().filter(is_over).cloned().collect();
        let had_run = !is_idle || over.iter().any(|(_, open)| open.has_begun);
        let dropped = over.iter().filter(|(_, open)| !open.has_begun).count();
        let ended = self.end_those(gateway, &mut state, over, "stopped");
        let left = state.ledger.kept.queued();
        drop(state);
        for (id, ended) in &ended {
            self.tell_end(gateway, *id, ended);
        }
        (had_run, dropped, left)
    }

    /// Ends what people sent who are out now, and what they want at intervals.
    pub(super) fn let_go(&self, gateway: &Gateway, is_out: &dyn Fn(Channel, &str) -> bool) {
        let mut state = self.state();
        let is_theirs = |(_, open): &&(Uuid, Open)| is_out(open.channel, &open.user);
        let timed = state.ledger.kept.timed.iter().filter(|it| is_out(it.channel, &it.user));
        for id in timed.map(|it| it.id).collect::<Vec<_>>() {
            // What cannot be written down now is the next time that it is looked.
            let _ = state.ledger.note(&Record::Unscheduled { id });
        }
        let mut over: Vec<_> = state.ledger.kept.open.iter().filter(is_theirs).cloned().collect();
        if let Some(running) = &mut state.running
            && let Some(at) = over.iter().position(|(id, _)| *id == running.id)
        {
            running.is_stopped = true;
            running.cancelled.store(true, Ordering::Relaxed);
            over.remove(at);
            self.bell.notify_all();
        }
        if !over.is_empty() {
            self.end_those(gateway, &mut state, over, "whoever sent it was left out");
        }
    }

    /// Ends messages whose runs do not go on now.
    pub(super) fn end_those(
        &self,
        gateway: &Gateway,
        state: &mut State,
        over: Vec<(Uuid, Open)>,
        reason: &str,
    ) -> Vec<(Uuid, Ended)> {
        let mut ended = Vec::new();
        for (id, open) in over {
            for request in open.waiting() {
                self.settle_in(gateway, state, request.request_id, Settled::Stopped);
            }
            let outcome = Outcome::Cancelled.name();
            let complete = events::without_run(&open.content, outcome, reason.to_owned());
            ended.extend(note_end(state, id, Ended::without_answer(complete)));
        }
        let is_ended = |id: &Uuid| ended.iter().any(|(own, _)| own == id);
        state.work.retain(|work| match work {
            Work::Message(id) | Work::GoOn { message: id, .. } => !is_ended(id),
            _ => true,
        });
        self.bell.notify_all();
        ended
    }
}

/// Notes that a message is done with; nothing where that cannot be written down.
pub(super) fn note_end(state: &mut State, id: Uuid, ended: Ended) -> Option<(Uuid, Ended)> {
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
        scheduled: ended.is_scheduled.then(|| ended.complete.goal.clone()),
    })
}

/// That a message is done with.
pub fn of_end(ended: &Ended) -> Told {
    Told::Event(Box::new(Happening::TaskComplete(ended.complete.clone())))
}
