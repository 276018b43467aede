//! Where calls to Lance and to object stores run.
//!
//! Owns one runtime for the whole program, so that connections live on between calls, in threads whose
//! panics are errors like any other: Lance may panic on what is damaged.

use std::{
    sync::{LazyLock, mpsc},
    time::Duration,
};

use tokio::runtime::{Builder, Runtime};

use crate::WORKER_THREAD;

/// Threads that work on what was read.
const LEAST: usize = 2;
const MOST: usize = 8;

/// The thread's name tells the program's panic hook that a panic is dealt with here.
static RUNTIME: LazyLock<Option<Runtime>> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    let workers = std::thread::available_parallelism().map_or(LEAST, usize::from);
    builder
        .worker_threads(workers.clamp(LEAST, MOST))
        .thread_name(WORKER_THREAD)
        .enable_all()
        .build()
        .ok()
});

/// Why a call has no result of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The system gives no threads.
    NoThreads,
    Panicked,
    TooSlow(Duration),
}

/// Runs a call to its end, or for so long.
pub(crate) fn run<T: Send + 'static>(
    limit: Duration,
    call: impl Future<Output = T> + Send + 'static,
) -> Result<T, Stopped> {
    let runtime = RUNTIME.as_ref().ok_or(Stopped::NoThreads)?;
    let (sender, receiver) = mpsc::channel();
    runtime.spawn(async move {
        // Somebody always listens: see below.
        let _ = sender.send(tokio::time::timeout(limit, call).await);
    });
    match receiver.recv() {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => Err(Stopped::TooSlow(limit)),
        // A task that unwinds drops its sender.
        Err(mpsc::RecvError) => Err(Stopped::Panicked),
    }
}
