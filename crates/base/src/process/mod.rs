//! Running programs that the user has named.
//!
//! Owns that a program starts with the environment it is given and no other, reads what it is
//! given, says at most so much, and has ended, with all it has started, when its time is over. It
//! refuses to know which programs there are, who may name one, and what they say.

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

mod callers;
mod detach;
mod pipes;
#[cfg(test)]
mod tests;

pub use crate::platform::{ask_to_end, be_nice};
pub use callers::callers;
pub use detach::{Detached, detach};

use crate::platform;

/// The whole environment of a program. It inherits nothing: what holds a secret is handed on only
/// if somebody writes it in here.
pub type Environment = BTreeMap<String, String>;

/// Arguments of a program, itself included.
pub const MAX_ARGUMENTS: usize = 1_000;
/// Bytes of all of them.
pub const MAX_ARGUMENT_BYTES: usize = 128 * 1024;

/// How long a program has to tidy up when it is told to end.
const GRACE: Duration = Duration::from_millis(200);
/// The longest pause between two looks at whether a program has ended.
const LOOK: Duration = Duration::from_millis(10);

/// How a program ended and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    /// The number of that signal.
    pub signal: Option<i32>,
    /// What it said, at most as much as was asked for.
    pub stdout: Vec<u8>,
    /// What it said about its work, with the same limit.
    pub stderr: Vec<u8>,
    /// It said more than is kept.
    pub cut: bool,
}

impl Output {
    /// Whether it says that all went well.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }
}

/// Why there is no output. Arguments are not shown: they may be long and private.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// No program is named.
    #[error("the command is empty")]
    Empty,
    /// More than [`MAX_ARGUMENTS`] or [`MAX_ARGUMENT_BYTES`].
    #[error("the command `{program}` has too many or too long arguments")]
    TooLarge { program: String },
    /// It is not installed, or `PATH` does not lead to it.
    #[error("there is no program `{program}`")]
    Missing { program: String },
    /// It may not be run, is no program, or an argument holds a NUL.
    #[error("`{program}` cannot be run: {source}")]
    Start { program: String, source: io::Error },
    /// It and what it had started have been ended.
    #[error("`{program}` did not end within {} s", .limit.as_secs_f32())]
    TooSlow { program: String, limit: Duration },
    /// The system does not say.
    #[error("how `{program}` ended cannot be told: {source}")]
    Lost { program: String, source: io::Error },
}

/// Runs `argv` to its end: the program, looked for in the `PATH` of `environment` unless it holds a
/// slash, and its arguments, which no shell sees. It reads `stdin`.
///
/// A program has ended when it and everything that holds its output have. What it says beyond
/// `max_output` bytes on either stream is read and forgotten. When `patience` is over, the program
/// and its process group are told to end, and killed a fifth of a second later.
///
/// # Errors
/// When it cannot be started or takes too long. That it ended badly is no error here: see
/// [`Output::is_success`].
pub fn run(
    argv: &[String],
    stdin: &[u8],
    environment: &Environment,
    patience: Duration,
    max_output: usize,
) -> Result<Output, ProcessError> {
    run_in(None, argv, stdin, environment, patience, max_output)
}

/// The same in a folder, if one is given; paths in the arguments are relative to it.
///
/// # Errors
/// Those of [`run`].
pub fn run_in(
    folder: Option<&Path>,
    argv: &[String],
    stdin: &[u8],
    environment: &Environment,
    patience: Duration,
    max_output: usize,
) -> Result<Output, ProcessError> {
    let (program, arguments) = argv.split_first().ok_or(ProcessError::Empty)?;
    if program.is_empty() {
        return Err(ProcessError::Empty);
    }
    let named = || program.clone();
    if argv.len() > MAX_ARGUMENTS
        || argv.iter().map(String::len).sum::<usize>() > MAX_ARGUMENT_BYTES
    {
        return Err(ProcessError::TooLarge { program: named() });
    }
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    // A group of its own, so that what it has started ends with it.
    platform::own_group(&mut command);
    let deadline = Instant::now().checked_add(patience);
    let mut child = command.spawn().map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => ProcessError::Missing { program: named() },
        _ => ProcessError::Start { program: named(), source: cause },
    })?;
    let said = pipes::attend(&mut child, stdin, max_output)
        // The child is waited for only after its pipes are closed: until then its number, which is
        // that of its group, cannot be given to another.
        .collect(deadline)
        .and_then(|said| Some((said, wait(&mut child, deadline).transpose()?)));
    let Some((said, status)) = said else {
        stop(&mut child);
        return Err(ProcessError::TooSlow { program: named(), limit: patience });
    };
    let status = status.map_err(|cause| ProcessError::Lost { program: named(), source: cause })?;
    let [stdout, stderr] = said;
    Ok(Output {
        code: status.code(),
        signal: platform::ended_by(status),
        cut: stdout.cut || stderr.cut,
        stdout: stdout.bytes,
        stderr: stderr.bytes,
    })
}

/// Waits for a child whose pipes are closed; `None` when it takes too long.
fn wait(child: &mut Child, deadline: Option<Instant>) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK);
    }
}

/// Ends a child that has not been waited for, and its group.
fn stop(child: &mut Child) {
    platform::end_group(child.id(), false);
    std::thread::sleep(GRACE);
    platform::end_group(child.id(), true);
    let _ = child.kill();
    let _ = child.wait();
}
