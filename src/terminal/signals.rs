//! Ctrl-C, and the end of the terminal: it ends the run that goes on, in order; a second one ends this program.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

use signal_hook::flag;

use super::system::ending;

/// Exit code of what a signal ended, less the number of the signal.
const INTERRUPTED: i32 = 128;

/// From now on Ctrl-C and its like set the flag; where it is set already, they end this program.
///
/// # Errors
/// When the system takes no handler.
pub fn end_at_signals(cancelled: &Arc<AtomicBool>) -> io::Result<()> {
    for signal in ending() {
        // Handlers run in the order in which they were registered.
        let code = INTERRUPTED + signal;
        flag::register_conditional_shutdown(signal, code, Arc::clone(cancelled))?;
        flag::register(signal, Arc::clone(cancelled))?;
    }
    Ok(())
}
