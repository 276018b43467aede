//! Waiting for asynchronous work from ordinary code.

use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime};

/// Connections live here between calls: a runtime per call would open them anew each time, and one
/// per thread would leave those of a sleeping thread unattended. One thread tends them all.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("network")
        .enable_all()
        .build()
        .expect("the system gives no thread for the network")
});

/// Runs `future` to its end on this thread. Timers and connections are tended by one thread for the
/// whole program, started at the first call.
///
/// # Panics
/// Inside asynchronous code (`spawn_blocking` is fine), and when the system gives no thread.
pub fn block_on<F: Future>(future: F) -> F::Output {
    RUNTIME.block_on(future)
}
