//! Starting a program that goes on when we end.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

use super::ProcessError;
use crate::{platform, regular::open_or_make, whole::PRIVATE};

/// A program that goes on when this is dropped.
#[derive(Debug)]
pub struct Detached(Child);

/// Starts `argv` in a folder and in a process group of its own, with the environment that we have.
/// It reads `input`; what it says goes to `log`, which begins anew, or nowhere.
///
/// # Errors
/// When it cannot be started, or the log not be written.
pub fn detach(
    argv: &[String],
    folder: &Path,
    input: Stdio,
    log: Option<&Path>,
) -> Result<Detached, ProcessError> {
    let (program, arguments) = argv.split_first().ok_or(ProcessError::Empty)?;
    let failed = |cause| ProcessError::Start { program: program.clone(), source: cause };
    let (said, warned) = match log {
        None => (Stdio::null(), Stdio::null()),
        Some(log) => {
            let log = open_or_make(log, PRIVATE).map_err(failed)?;
            log.set_len(0).map_err(failed)?;
            (log.try_clone().map_err(failed)?.into(), log.into())
        }
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(input).stdout(said).stderr(warned);
    // What ends the terminal's group does not end it.
    platform::own_group(&mut command).spawn().map(Detached).map_err(failed)
}

impl Detached {
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Leaves it alone, but for taking note of its end, so that nothing of it remains in a
    /// process that goes on for longer.
    pub fn leave(mut self) {
        std::thread::spawn(move || self.0.wait());
    }

    /// Ends it.
    pub fn stop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Asks it, and what it started, to end; waits for nothing.
    pub fn ask_group_to_end(&mut self) {
        if let Ok(Some(_)) = self.0.try_wait() {
            return;
        }
        platform::end_group(self.0.id(), false);
    }

    /// Whether it has ended already.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}
