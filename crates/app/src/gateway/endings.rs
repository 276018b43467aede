//! How messages of a conversation come to their end: their runs are over, stopped, or never begun.

use std::sync::atomic::Ordering;

use uuid::Uuid;

use super::{
    Gateway,
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
        for (id, ended) in &ended {
            self.tell_end(gateway, *id, ended);
        }
        (had_run, dropped, left)
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
    })
}

/// That a message is done with.
pub fn of_end(ended: &Ended) -> Told {
    Told::Event(Box::new(Happening::TaskComplete(ended.complete.clone())))
}
