//! How many operations run and wait, and for how long. Operations block, so they run on threads of
//! their own.

use std::{sync::Arc, time::Duration};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How much the server does at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Operations that run at once.
    pub running: usize,
    /// Operations that wait for one of those to end.
    pub waiting: usize,
    /// How long an operation may wait, and again how long it may run.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { running: 4, waiting: 256, time: Duration::from_secs(120) }
    }
}

/// Why an operation gave no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    #[error("the server is busy: {0} calls wait already; try again in a moment")]
    Busy(usize),
    #[error("the call took longer than {0} seconds and was given up; ask for less")]
    TooLong(u64),
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the operation failed unexpectedly; this is a fault of the server")]
    Panicked,
}

/// Lets so many operations run at once.
#[derive(Debug, Clone)]
pub struct Gate {
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    limits: Limits,
}

impl Gate {
    pub fn new(limits: Limits) -> Self {
        let running = Arc::new(Semaphore::new(limits.running));
        Self { running, waiting: Arc::new(Semaphore::new(limits.waiting)), limits }
    }

    /// Runs `work` on a thread that may block. `token` is cancelled when the time is over or this
    /// future is dropped; work that does not heed it keeps its place until it ends.
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn run<T: Send + 'static>(
        &self,
        token: CancellationToken,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Denied> {
        let _guard = token.clone().drop_guard();
        let place = tokio::select! {
            biased;
            () = token.cancelled() => return Err(Denied::Cancelled),
            place = self.place() => place?,
        };
        let task = tokio::task::spawn_blocking(move || {
            let _place = place;
            work()
        });
        tokio::select! {
            biased;
            result = task => result.map_err(|_| Denied::Panicked),
            () = token.cancelled() => Err(Denied::Cancelled),
            () = tokio::time::sleep(self.limits.time) => Err(Denied::TooLong(self.limits.time.as_secs())),
        }
    }

    async fn place(&self) -> Result<tokio::sync::OwnedSemaphorePermit, Denied> {
        if let Ok(place) = Arc::clone(&self.running).try_acquire_owned() {
            return Ok(place);
        }
        let busy = Denied::Busy(self.limits.waiting);
        let _waiting = self.waiting.try_acquire().map_err(|_| busy)?;
        let place = Arc::clone(&self.running).acquire_owned();
        match tokio::time::timeout(self.limits.time, place).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(busy),
        }
    }
}
