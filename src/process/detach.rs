//! Starting a program that goes on when we end.

use std::{
    fs::OpenOptions,
    os::unix::{fs::OpenOptionsExt, process::CommandExt},
    path::Path,
    process::{Child, Command, Stdio},
};

use super::ProcessError;

/// A program that goes on when this is dropped.
#[derive(Debug)]
pub struct Detached(Child);

/// Starts `argv` in a folder and in a process group of its own, with the environment that we have.
/// It reads nothing; what it says goes to `log`, which begins anew.
///
/// # Errors
/// When it cannot be started, or the log not be written.
pub fn detach(argv: &[String], folder: &Path, log: &Path) -> Result<Detached, ProcessError> {
    let (program, arguments) = argv.split_first().ok_or(ProcessError::Empty)?;
    let failed = |cause| ProcessError::Start { program: program.clone(), cause };
    let log = OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(log)
        .map_err(failed)?;
    let child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone().map_err(failed)?)
        .stderr(log)
        // What ends the terminal's group does not end it.
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    Ok(Detached(child))
}

impl Detached {
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Ends it.
    pub fn stop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Whether it has ended already.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}
