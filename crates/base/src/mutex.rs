//! What threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits for what is shared, whether or not a thread panicked while it held it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_locks_nobody_out() {
        let shared = Mutex::new(1);
        let panics = || {
            let _held = lock(&shared);
            panic!("while it is held");
        };
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert_eq!(*lock(&shared), 1);
    }
}
