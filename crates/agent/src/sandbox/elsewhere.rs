//! Systems without a sandbox of ours.

use super::{Attend, Ended, Helper, Kind, Policy, Program, SandboxError};

const WHY: &str = "it needs Linux with Landlock";

pub fn probe(_: &Helper) -> Kind {
    Kind::Absent(WHY.to_owned())
}

#[derive(Debug)]
pub struct Standby(std::convert::Infallible);

impl Standby {
    pub fn start(_: &Helper) -> Result<Self, SandboxError> {
        Err(SandboxError::Absent(WHY.to_owned()))
    }

    pub fn is_waiting(&mut self) -> bool {
        match self.0 {}
    }
}

pub fn run(
    standby: Standby,
    _: &Policy,
    _: &Program<'_>,
    _: Attend<'_>,
) -> Result<Ended, SandboxError> {
    match standby.0 {}
}

pub fn searched(path: &str, _: &std::path::Path, _: &[std::path::PathBuf]) -> String {
    path.to_owned()
}

pub fn enter_and_exec(_: &[u8]) -> SandboxError {
    SandboxError::Absent(WHY.to_owned())
}
