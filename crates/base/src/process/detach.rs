//! Starting a program that goes on when we end.

use std::{
    fs::OpenOptions,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    process::{Child, Command, Stdio},
};

use super::ProcessError;
use crate::platform;

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
            let log = OpenOptions::new()
                .create(true)
                .write(true)
                .truncate(true)
                .mode(0o600)
                .custom_flags(libc::O_NOFOLLOW)
                .open(log)
                .map_err(failed)?;
            (log.try_clone().map_err(failed)?.into(), log.into())
        }
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(input).stdout(said).stderr(warned);
    // What ends the terminal's group does not end it.
    platform::own_group(&mut command).spawn().map(Detached).map_err(failed)
}

/// Lowers the priority of this thread, and of those that it starts, as far as it goes.
pub fn be_nice() {
    const LOWEST: libc::c_int = 19;
    // SAFETY: hands over numbers only. That it fails is no matter.
    unsafe { libc::nice(LOWEST) };
}

/// Asks a process of the same user to end.
///
/// # Errors
/// When there is none of this number, or it is somebody else's.
pub fn ask_to_end(process: u32) -> std::io::Result<()> {
    // 0 and what is negative stand for groups.
    let Some(process) = libc::pid_t::try_from(process).ok().filter(|process| *process > 0) else {
        return Err(std::io::ErrorKind::InvalidInput.into());
    };
    // SAFETY: hands over numbers only.
    match unsafe { libc::kill(process, libc::SIGTERM) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
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
