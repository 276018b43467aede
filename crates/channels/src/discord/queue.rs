//! What has come and is not done with: numbered in its order, each once.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

use super::inbound::Event;
use crate::{ChannelError, Inbound, Place, Result};
use elophanto_base::mutex::lock;

/// Keys of what came that are remembered.
const MOST_SEEN: usize = 5_000;

/// Shared by the thread that hears and whoever asks what came.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Inbound>,
    /// The largest number so far: about the largest id.
    last: i64,
    seen: VecDeque<String>,
    is_seen: BTreeSet<String>,
    homes: Vec<Place>,
    /// What went wrong lately.
    trouble: Option<ChannelError>,
    /// Nothing comes any more.
    ended: Option<ChannelError>,
    is_over: bool,
}

impl Queue {
    /// Everything up to `after` is done with.
    pub fn is_done(&self, after: Option<i64>) {
        let Some(after) = after else { return };
        let mut state = lock(&self.state);
        state.waiting.retain(|inbound| inbound.number > after);
        state.last = state.last.max(after);
    }

    /// What waits; waits for something itself while nothing does.
    pub fn wait(&self, patience: Duration) -> Result<Vec<Inbound>> {
        let state = lock(&self.state);
        let is_idle = |state: &mut State| {
            state.waiting.is_empty() && state.trouble.is_none() && state.ended.is_none()
        };
        let waited = self.bell.wait_timeout_while(state, patience, is_idle);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &state.ended {
            _ if !state.waiting.is_empty() => Ok(state.waiting.iter().cloned().collect()),
            Some(ended) => Err(ended.clone()),
            None => state.trouble.take().map_or(Ok(Vec::new()), Err),
        }
    }

    /// Something came. Numbers are made of ids, which the platform's clock makes: the largest that is done
    /// with says up to when.
    pub fn put(&self, event: Event) {
        let mut state = lock(&self.state);
        if let Some(key) = event.key {
            if !state.is_seen.insert(key.clone()) {
                return;
            }
            state.seen.push_back(key);
            if state.seen.len() > MOST_SEEN
                && let Some(oldest) = state.seen.pop_front()
            {
                state.is_seen.remove(&oldest);
            }
        }
        let Event { id, sender, place, is_private, what, .. } = event;
        let number = id.max(state.last.saturating_add(1));
        state.last = number;
        state.waiting.push_back(Inbound { number, sender, place, is_private, what });
        self.bell.notify_all();
    }

    /// The largest number so far; 0 where nothing ever came.
    pub fn last(&self) -> i64 {
        lock(&self.state).last
    }

    pub fn watch(&self, homes: &[Place]) {
        homes.clone_into(&mut lock(&self.state).homes);
    }

    pub fn homes(&self) -> Vec<Place> {
        lock(&self.state).homes.clone()
    }

    pub fn is_troubled(&self, trouble: ChannelError) {
        lock(&self.state).trouble = Some(trouble);
        self.bell.notify_all();
    }

    pub fn is_well(&self) {
        lock(&self.state).trouble = None;
    }

    pub fn end(&self, why: ChannelError) {
        lock(&self.state).ended = Some(why);
        self.bell.notify_all();
    }

    /// Nobody asks any more.
    pub fn close(&self) {
        lock(&self.state).is_over = true;
    }

    pub fn is_over(&self) -> bool {
        lock(&self.state).is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::What;

    fn event(key: &str, id: i64) -> Event {
        Event {
            key: (!key.is_empty()).then(|| key.to_owned()),
            id,
            sender: None,
            place: Place { chat: String::new(), thread: None },
            is_private: true,
            what: What::Other,
        }
    }

    #[test]
    fn each_once_in_order() {
        let queue = Queue::default();
        let numbers = || -> Vec<i64> {
            queue.wait(Duration::ZERO).unwrap().iter().map(|it| it.number).collect()
        };
        queue.is_done(Some(100));
        assert!(numbers().is_empty());
        // Something about an old message, the same again, one that overtook another.
        for (key, id) in [("", 40), ("m300", 300), ("m300", 300), ("m250", 250), ("", 40)] {
            queue.put(event(key, id));
        }
        assert_eq!(numbers(), [101, 300, 301, 302]);
        assert_eq!(numbers().len(), 4);
        queue.is_done(Some(300));
        assert_eq!(numbers(), [301, 302]);
        assert_eq!(queue.last(), 302);
        queue.end(ChannelError::Token(String::new()));
        // What waits is still handed over.
        assert_eq!(numbers().len(), 2);
        queue.is_done(Some(302));
        assert!(queue.wait(Duration::ZERO).is_err());
    }

    #[test]
    fn trouble_is_told_once() {
        let queue = Queue::default();
        queue.is_troubled(ChannelError::Later { reason: String::new(), wait: None });
        assert!(queue.wait(Duration::ZERO).is_err());
        assert!(queue.wait(Duration::ZERO).is_ok());
    }
}
