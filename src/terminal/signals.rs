//! Ctrl-C, and the end of the terminal: it ends the run that goes on, in order; a second one ends this program.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    flag,
};

/// Exit code of what a signal ended, less the number of the signal.
const INTERRUPTED: i32 = 128;

/// From now on Ctrl-C and its like set the flag; where it is set already, they end this program.
///
/// # Errors
/// When the system takes no handler.
pub fn end_at_signals(cancelled: &Arc<AtomicBool>) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
        if signal == SIGHUP && is_ignored(signal) {
            continue;
        }
        // Handlers run in the order in which they were registered.
        let code = INTERRUPTED + signal;
        flag::register_conditional_shutdown(signal, code, Arc::clone(cancelled))?;
        flag::register(signal, Arc::clone(cancelled))?;
    }
    Ok(())
}

/// Whether whoever started this program had it ignore the signal, as `nohup` does.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: all zeros are a value of this plain structure, and with no new action the call only
    // fills in the old one, which outlives it.
    let mut old: libc::sigaction = unsafe { std::mem::zeroed() };
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut old) };
    asked == 0 && old.sa_sigaction == libc::SIG_IGN
}
