//! The gate all requests to one endpoint pass: closed for all while a server asks one to wait.

use std::{sync::Mutex, time::Duration};

use tokio::time::Instant;

#[derive(Debug, Default)]
pub(super) struct Gate(Mutex<Option<Instant>>);

impl Gate {
    /// Nobody passes for `wait` from now. Never opens earlier than already said.
    pub fn close_for(&self, wait: Duration) {
        let Some(until) = Instant::now().checked_add(wait) else { return };
        let mut gate = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *gate = (*gate).max(Some(until));
    }

    /// How long until it opens.
    pub fn left(&self) -> Option<Duration> {
        let gate = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let left = (*gate)?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }
}
