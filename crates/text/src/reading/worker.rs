//! Running the parsers of others: on a thread of their own with a large stack, for a limited time,
//! and without a word should they panic.
//!
//! A thread cannot be stopped from outside. One whose time is over is left to end by itself, its
//! result unused; while too many such threads run, nothing new is begun.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use super::ReadError;

/// Parsers call themselves for what is nested. Only what is used of it takes memory.
const STACK: usize = 64 << 20;

/// Most threads that may be left running after their time.
const MOST_OVERDUE: usize = 4;

static OVERDUE: AtomicUsize = AtomicUsize::new(0);

/// What `work` gives within `limit`.
///
/// # Errors
/// [`ReadError::Timeout`], [`ReadError::Unparsable`] if it panics, [`ReadError::Busy`] if too many
/// earlier ones still run or the system gives no thread.
pub(super) fn run<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ReadError> {
    if OVERDUE.load(Ordering::SeqCst) >= MOST_OVERDUE {
        return Err(ReadError::Busy);
    }
    let (sender, receiver) = mpsc::channel();
    // 0 while it runs, 1 once it has ended, 2 once it is overdue.
    let state = Arc::new(AtomicUsize::new(0));
    let of_thread = Arc::clone(&state);
    let quiet = move || {
        let _silence = Silence::new();
        let result = catch_unwind(AssertUnwindSafe(work));
        let _ = sender.send(result.map_err(|_| ReadError::Unparsable));
        if of_thread.swap(1, Ordering::SeqCst) == 2 {
            OVERDUE.fetch_sub(1, Ordering::SeqCst);
        }
    };
    thread::Builder::new()
        .name("reading".to_owned())
        .stack_size(STACK)
        .spawn(quiet)
        .map_err(|_| ReadError::Busy)?;
    match receiver.recv_timeout(limit) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(ReadError::Unparsable),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            OVERDUE.fetch_add(1, Ordering::SeqCst);
            if state.compare_exchange(0, 2, Ordering::SeqCst, Ordering::SeqCst).is_err() {
                // It ended between the two lines above.
                OVERDUE.fetch_sub(1, Ordering::SeqCst);
            }
            Err(ReadError::Timeout { limit })
        }
    }
}

/// As [`catch_unwind`] for work that is already on a silent thread.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;

/// While any of these lives, a panic on a thread that holds one prints nothing; all other threads
/// keep the program's hook. The first one sets a hook that asks the thread and otherwise calls the
/// program's; the last one puts the program's back. A hook that someone sets in between is lost.
struct Silence;

struct Silenced {
    threads: usize,
    before: Option<Arc<Hook>>,
}

static SILENCED: Mutex<Silenced> = Mutex::new(Silenced { threads: 0, before: None });

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

impl Silence {
    fn new() -> Self {
        SILENT.set(true);
        let mut silenced = SILENCED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        silenced.threads += 1;
        if silenced.threads == 1 {
            let before = Arc::new(take_hook());
            let other = Arc::clone(&before);
            set_hook(Box::new(move |info| {
                if !SILENT.try_with(Cell::get).unwrap_or(false) {
                    other(info);
                }
            }));
            silenced.before = Some(before);
        }
        Self
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        SILENT.set(false);
        let mut silenced = SILENCED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        silenced.threads = silenced.threads.saturating_sub(1);
        if silenced.threads == 0
            && let Some(before) = silenced.before.take()
        {
            // Ours, which holds the other handle on what was before.
            drop(take_hook());
            match Arc::try_unwrap(before) {
                Ok(before) => set_hook(before),
                Err(shared) => set_hook(Box::new(move |info| shared(info))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_panics_and_delays() {
        let second = Duration::from_secs(5);
        assert_eq!(run(second, || 7), Ok(7));
        assert_eq!(run(second, || -> u8 { panic!("never shown") }), Err(ReadError::Unparsable));
        let limit = Duration::from_millis(20);
        let (go, wait) = mpsc::channel::<()>();
        let late = run(limit, move || wait.recv().is_ok());
        assert_eq!(late, Err(ReadError::Timeout { limit }));
        drop(go);
    }
}
