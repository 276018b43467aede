//! What the caller and the helper say to each other.

use std::{collections::BTreeMap, ffi::OsString, io, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::sandbox::{Policy, SandboxError, Stopped};

/// One line of JSON; what follows it is what the program reads. Paths are bytes, not text.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    pub narrow: bool,
    pub root: OsString,
    pub protected: Vec<OsString>,
    pub write: Vec<OsString>,
    pub read: Vec<OsString>,
    pub hidden: Vec<OsString>,
    pub covered: Vec<(OsString, OsString)>,
    pub temporary: OsString,
    pub network: bool,
    pub home: OsString,
    pub memory_bytes: u64,
    pub processes: u64,
    pub file_bytes: u64,
    /// The program and its arguments; empty to build the sandbox and run nothing in it.
    pub argv: Vec<String>,
    pub environment: BTreeMap<String, String>,
    pub folder: OsString,
}

impl Request {
    /// A request to build the sandbox of `policy`, without a program.
    pub fn new(policy: &Policy, narrow: bool) -> Self {
        let list = |paths: &[PathBuf]| paths.iter().map(|path| path.into()).collect();
        Self {
            narrow,
            root: (&policy.root).into(),
            protected: list(&policy.protected),
            write: list(&policy.write),
            read: list(&policy.read),
            hidden: list(&policy.hidden),
            covered: policy.covered.iter().map(|(path, with)| (path.into(), with.into())).collect(),
            temporary: (&policy.temporary).into(),
            network: policy.network,
            home: (&policy.home).into(),
            memory_bytes: policy.limits.memory_bytes,
            processes: policy.limits.processes,
            file_bytes: policy.limits.file_bytes,
            argv: Vec::new(),
            environment: BTreeMap::new(),
            folder: OsString::from("/"),
        }
    }
}

/// One line of JSON. After `Started` there is one more.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// In the narrow sandbox: the process group that is everything there is of the program.
    Started(i32),
    /// The sandbox was built; there was no program to run.
    Entered,
    Ended {
        code: Option<i32>,
        signal: Option<i32>,
    },
    OutOfMemory,
    OutOfProcesses,
    Failed(Failure),
}

impl Reply {
    /// The reason of a reply that says why a program was stopped.
    pub fn stopped(&self) -> Option<Stopped> {
        match self {
            Self::OutOfMemory => Some(Stopped::Memory),
            Self::OutOfProcesses => Some(Stopped::Processes),
            _ => None,
        }
    }
}

/// Why the helper could not do it. Numbers are those of the system's errors.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Failure {
    Request(String),
    Absent(String),
    NotFull(String),
    Path(OsString, i32),
    Folder(OsString, i32),
    TooManyEntries(OsString),
    Missing(String),
    Start(String, i32),
    System(String, i32),
}

impl Failure {
    /// A step of building the sandbox that the kernel refused.
    pub fn step(step: &str) -> impl FnOnce(io::Error) -> Self + '_ {
        move |cause| Self::System(step.to_owned(), number(&cause))
    }

    /// A path that something could not be done with.
    pub fn path(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |cause| Self::Path(path.into(), number(&cause))
    }
}

impl From<Failure> for SandboxError {
    fn from(failure: Failure) -> Self {
        let cause = io::Error::from_raw_os_error;
        match failure {
            Failure::Request(why) => Self::Lost(why),
            Failure::Absent(why) => Self::Absent(why),
            Failure::NotFull(why) => Self::NotFull(why),
            Failure::Path(path, error) => Self::Path { path: path.into(), source: cause(error) },
            Failure::Folder(path, error) => {
                Self::Folder { path: path.into(), source: cause(error) }
            }
            Failure::TooManyEntries(path) => Self::TooManyEntries(path.into()),
            Failure::Missing(program) => Self::Missing(program),
            Failure::Start(program, error) => Self::Start { program, source: cause(error) },
            Failure::System(step, error) => Self::System { step, source: cause(error) },
        }
    }
}

/// The system's number of an error; that of an input error where it has none.
pub fn number(cause: &io::Error) -> i32 {
    cause.raw_os_error().unwrap_or(libc::EINVAL)
}
