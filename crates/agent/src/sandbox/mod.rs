//! Running a program in a sandbox.
//!
//! Owns what a program may write, read, reach and use up while it runs, that this is enforced by
//! the kernel and not by the program's good will, and that nothing it started is left when it has
//! ended. It refuses to know who wants the program to run, whether that was approved, and what its
//! output means.
//!
//! The program is started by a *helper*: this very binary, called with arguments that the caller
//! names, which takes a request from standard input, gives up its rights and then becomes the
//! program ([`enter_and_exec`]). There are two strengths, see [`Kind`]. Linux only; elsewhere
//! [`probe`] says so.

use std::{
    collections::BTreeMap,
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

mod policy;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

pub use policy::{Limits, Policy, environment};
pub use system::searched;

/// Arguments of a program, itself included.
pub const MAX_ARGUMENTS: usize = 10_000;
/// Bytes of all of them, and of all variables of its environment.
pub const MAX_ARGUMENT_BYTES: usize = 1024 * 1024;
/// Bytes that a program can be given to read.
pub const MAX_STDIN: usize = 64 * 1024 * 1024;
/// A program that says this many times what is kept of its output is ended.
pub const FLOOD: usize = 10;

/// What a program cannot do in a narrow sandbox, for people and models.
pub const NARROW: &str = "nothing can be created, renamed or removed directly in a folder that \
    holds a protected path, which the top folder of the work tree is: existing files there can be \
    changed in place, and existing folders below it freely; permissions, owners and attributes of \
    files cannot be changed; no process can leave its process group";

/// How well programs can be shut in here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Namespaces, Landlock and seccomp: protected paths are read-only mounts, processes are
    /// invisible to the program, and the kernel ends all of them with the first.
    Full,
    /// Landlock and seccomp alone, where namespaces are not to be had. See [`NARROW`].
    Narrow,
    /// Not at all. Why, for people.
    Absent(String),
}

/// How the helper is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helper {
    /// Path and arguments of a program that gives all of its standard input to
    /// [`enter_and_exec`] before it starts a thread, such as `/proc/self/exe` and a hidden
    /// subcommand.
    pub argv: Vec<String>,
    /// Do without namespaces, as where [`probe`] says [`Kind::Narrow`].
    pub narrow: bool,
}

impl Helper {
    /// A helper for the full sandbox.
    pub fn new(argv: Vec<String>) -> Self {
        Self { argv, narrow: false }
    }

    /// The best that this system can do with this helper, and what that is.
    pub fn best(argv: Vec<String>) -> (Self, Kind) {
        let helper = Self::new(argv);
        let kind = probe(&helper);
        (Self { narrow: kind == Kind::Narrow, ..helper }, kind)
    }

    /// Starts it ahead of time.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(&self) -> Result<Standby, SandboxError> {
        system::Standby::start(self).map(Standby)
    }
}

/// Why a program was ended before it ended itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It took longer than `Limits::time`.
    Time,
    /// The caller wanted it.
    Cancelled,
    /// It said more than [`FLOOD`] times what is kept.
    Output,
    /// All its processes together held more than `Limits::memory_bytes`.
    Memory,
    /// It had more than `Limits::processes` processes.
    Processes,
}

/// How a program ended and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// `None` if a signal ended it or it was stopped.
    pub code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// What it said, at most `Limits::output_bytes`.
    pub stdout: Vec<u8>,
    /// What it said about its work, with the same limit.
    pub stderr: Vec<u8>,
    /// It said more than is kept.
    pub cut: bool,
    /// Why it was ended early, if it was.
    pub why: Option<Stopped>,
}

impl Ended {
    /// Whether the program says that all went well.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }
}

/// Why there is no outcome. But for [`SandboxError::Lost`] the program has not run at all.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// No sandbox on this system.
    #[error("programs cannot be run in a sandbox here: {0}")]
    Absent(String),
    /// No namespaces: a narrow helper may still do.
    #[error(
        "the full sandbox cannot be had here: {0}; use the narrow one, or allow user namespaces"
    )]
    NotFull(String),
    /// The list of arguments, or of the helper's, is empty.
    #[error("the command is empty")]
    Empty,
    /// More than [`MAX_ARGUMENTS`], [`MAX_ARGUMENT_BYTES`] or [`MAX_STDIN`].
    #[error("the command or its input is too large: pass it in a file")]
    TooLarge,
    /// A path of the policy is not absolute.
    #[error("`{}` is not an absolute path", .0.display())]
    Relative(PathBuf),
    /// A path of the policy cannot be used.
    #[error("`{}` cannot be made part of a sandbox: {source}", path.display())]
    Path { path: PathBuf, source: io::Error },
    /// The folder to run in is not there or no folder.
    #[error("cannot run in `{}`: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    /// A folder that has to be gone through entry by entry has too many.
    #[error("`{}` has too many entries for a sandbox: move them into a folder below it", .0.display())]
    TooManyEntries(PathBuf),
    /// `PATH` does not lead to it.
    #[error("there is no program `{0}` that may be run in the sandbox")]
    Missing(String),
    /// It is no program, or may not be run.
    #[error("`{program}` cannot be run: {source}")]
    Start { program: String, source: io::Error },
    /// The helper cannot be started.
    #[error("`{program}`, which is to prepare the sandbox, cannot be started: {source}")]
    Helper { program: String, source: io::Error },
    /// The helper ended without saying how the program did, or said what makes no sense. Should
    /// somebody have killed it, the program was ended with it.
    #[error("the helper that prepares the sandbox failed: {0}")]
    Lost(String),
    /// The kernel refused a step of building the sandbox.
    #[error("the sandbox cannot be built, at `{step}`: {source}")]
    System { step: String, source: io::Error },
}

/// Told about fifty times a second what a program has said since (stdout, stderr), which may be
/// nothing; answers whether it may go on.
pub type Attend<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>;

/// How well programs can be shut in here, found out by doing it once, without a program.
pub fn probe(helper: &Helper) -> Kind {
    system::probe(helper)
}

/// A helper that was started ahead of time, so that a program need not wait for it. It waits for
/// what it is to do; dropped, it ends.
#[derive(Debug)]
pub struct Standby(system::Standby);

impl Standby {
    /// Whether it is still there.
    pub fn is_waiting(&mut self) -> bool {
        self.0.is_waiting()
    }

    /// Runs a program to its end in a sandbox.
    ///
    /// It has ended when its first process has: what that one started is killed then.
    /// `is_cancelled` is asked about fifty times a second.
    ///
    /// # Errors
    /// When there is no outcome, nearly always because the program did not run. That it ended badly
    /// is no error: see [`Ended::is_success`].
    pub fn run(
        self,
        policy: &Policy,
        program: &Program<'_>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Ended, SandboxError> {
        self.run_attended(policy, program, &mut |_, _| match is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    }

    /// The same, with what the program says as it says it.
    ///
    /// # Errors
    /// Those of [`Standby::run`].
    pub fn run_attended(
        self,
        policy: &Policy,
        program: &Program<'_>,
        attend: Attend<'_>,
    ) -> Result<Ended, SandboxError> {
        system::run(self.0, policy, program, attend)
    }
}

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct Program<'p> {
    /// The program, looked for in the `PATH` of `environment` unless it holds a slash, and its
    /// arguments, which no shell sees.
    pub argv: &'p [String],
    /// What it reads.
    pub stdin: &'p [u8],
    /// All of its environment.
    pub environment: &'p BTreeMap<String, String>,
    /// Where it starts.
    pub folder: &'p Path,
}

/// Starts the helper and has it run a program at once: see [`Standby::run`].
///
/// # Errors
/// Those of [`Helper::start`] and [`Standby::run`].
pub fn run(
    helper: &Helper,
    policy: &Policy,
    program: &Program<'_>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Ended, SandboxError> {
    helper.start()?.run(policy, program, is_cancelled)
}

/// The helper's whole work: `request` is all that was on standard input, which is a socket to the
/// process that called [`run`] or [`probe`]. To be called before any thread is started. Does not
/// return when it could do its work; the process is then over.
pub fn enter_and_exec(request: &[u8]) -> SandboxError {
    system::enter_and_exec(request)
}
