//! Systems without a sandbox of ours.

use std::{collections::BTreeMap, path::Path};

use super::{Ended, FenceError, Helper, Kind, Policy};

const WHY: &str = "it needs Linux with Landlock";

pub fn probe(_: &Helper) -> Kind {
    Kind::Absent(WHY.to_owned())
}

pub fn run(
    _: &Helper,
    _: &Policy,
    _: &[String],
    _: &[u8],
    _: &BTreeMap<String, String>,
    _: &Path,
    _: &dyn Fn() -> bool,
) -> Result<Ended, FenceError> {
    Err(FenceError::Absent(WHY.to_owned()))
}

pub fn enter_and_exec(_: &[u8]) -> FenceError {
    FenceError::Absent(WHY.to_owned())
}
