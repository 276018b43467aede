//! Becoming the program: the last process of the three.

use std::{io, os::unix::process::CommandExt, path::Path, process::Command};

use super::{
    access, filter,
    places::Places,
    privileges,
    request::{Failure, Request, number},
    sys,
};

/// Shuts this process in and makes it the program. Returns only if that cannot be done, or if there
/// is no program to become.
pub fn become_program(request: &Request, places: &Places, others: u64) -> Result<(), Failure> {
    sys::start_session().map_err(Failure::step("starting a session"))?;
    sys::plain_signals();
    access::restrict(places, request.narrow, request.network)?;
    privileges::limit(request, others)?;
    privileges::renounce()?;
    filter::apply(request.network, request.narrow)?;
    let Some((program, arguments)) = request.argv.split_first() else {
        return Ok(());
    };
    let folder = Path::new(&request.folder);
    let unusable = |cause: io::Error| Failure::Folder(request.folder.clone(), number(&cause));
    // Here, and not in the shell of whoever asked: mounts may have changed what the path leads to.
    std::fs::read_dir(folder).map_err(unusable)?;
    let cause = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(&request.environment)
        .current_dir(folder)
        .exec();
    Err(match cause.kind() {
        io::ErrorKind::NotFound => Failure::Missing(program.clone()),
        _ => Failure::Start(program.clone(), number(&cause)),
    })
}
