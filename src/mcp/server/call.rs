//! A call that is under way, as the operation sees it: whether anybody still waits, how long the
//! answer may be, and how to say how far it has come.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use elophanto_base::mutex::lock;

/// At most ten notices of progress a second.
const PAUSE: Duration = Duration::from_millis(100);

/// A call that is under way.
#[derive(Debug)]
pub struct Call {
    pub(super) token: CancellationToken,
    pub(super) max_tokens: usize,
    pub(super) client: Option<String>,
    pub(super) progress: Option<Arc<Progress>>,
}

/// How far a call has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub done: usize,
    pub all: usize,
    pub message: String,
}

/// Tells of one step of a call, which may have several one after the other.
#[derive(Debug, Clone)]
pub struct Follower {
    progress: Arc<Progress>,
    /// How far the steps before it were told to be.
    before: usize,
}

/// Where steps go, and the last one that went there.
#[derive(Debug)]
pub struct Progress {
    steps: mpsc::Sender<Step>,
    last: Mutex<Option<(usize, Instant)>>,
}

impl Call {
    /// A call that nobody cancels and to whose progress nobody listens: for calling operations
    /// without a client.
    pub fn alone(max_tokens: usize) -> Self {
        Self { token: CancellationToken::new(), max_tokens, client: None, progress: None }
    }

    /// Whether nobody waits for the answer any more: the client cancelled or went away, or the time
    /// is over. Cheap; long operations ask it between steps and return anything.
    pub fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Whether the client asked to be told how far the call is.
    pub fn is_followed(&self) -> bool {
        self.progress.is_some()
    }

    /// Whom to tell how far one step of the call is, if the client asked to be told.
    pub fn follower(&self) -> Option<Follower> {
        let progress = Arc::clone(self.progress.as_ref()?);
        let before = lock(&progress.last).map_or(0, |(done, _)| done);
        Some(Follower { progress, before })
    }

    /// How many tokens the answer may have; what is longer is cut by the server.
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// The name that the client gave itself, without control characters, at most 100 characters.
    pub fn client(&self) -> Option<&str> {
        self.client.as_deref()
    }
}

impl Follower {
    /// Tells the client how far this step is, after those before it. Never waits: what comes too soon
    /// after what was told last (ten a second), or is no further than it, is left out.
    pub fn tell(&self, done: usize, all: usize, message: &str) {
        let mut last = lock(&self.progress.last);
        let (now, done) = (Instant::now(), self.before + done);
        if last.is_some_and(|(before, at)| done <= before || now.duration_since(at) < PAUSE) {
            return;
        }
        let message = message.chars().take(500).collect();
        let step = Step { done, all: self.before + all, message };
        if self.progress.steps.try_send(step).is_ok() {
            *last = Some((done, now));
        }
    }
}

impl Progress {
    /// The sending end, and the end that whoever tells the client reads from.
    pub fn channel() -> (Self, mpsc::Receiver<Step>) {
        let (steps, receiver) = mpsc::channel(4);
        (Self { steps, last: Mutex::new(None) }, receiver)
    }
}
