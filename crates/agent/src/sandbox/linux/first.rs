//! The first process of the namespaces: it arranges the mounts, starts the program, takes in its
//! orphans, and tells how it ended. With it everything in the namespaces ends.

use std::{fs, io, os::fd::AsFd, os::unix::net::UnixStream, path::Path};

use super::{
    keeper::{self, Watched},
    mounts,
    places::Places,
    privileges,
    request::{Failure, Reply, Request},
    sys::{self, Fork},
    tree,
};

/// What this process was given.
pub struct First<'a> {
    pub request: &'a Request,
    pub places: &'a Places,
    pub control: &'a UnixStream,
    /// Closes when the keeper is gone.
    pub lifeline: io::PipeReader,
    /// The user and group outside, if there is a user namespace.
    pub mapped: Option<(libc::uid_t, libc::gid_t)>,
}

/// Does all of it, and ends the process.
pub fn be_first(first: &First<'_>) -> ! {
    let reply = watch_program(first).unwrap_or_else(Reply::Failed);
    keeper::say(first.control, &reply);
    sys::exit(0)
}

fn watch_program(first: &First<'_>) -> Result<Reply, Failure> {
    sys::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL.unsigned_abs().into())
        .map_err(Failure::step("tying the program to its keeper"))?;
    if let Some(mapped) = first.mapped {
        map(mapped).map_err(|cause| Failure::NotFull(format!("mapping users: {cause}")))?;
    }
    let Places { root, writable, read, home, .. } = first.places;
    let mut needed: Vec<&Path> = vec![root, home, Path::new(&first.request.folder)];
    needed.extend(writable.iter().chain(read).map(std::path::PathBuf::as_path));
    mounts::arrange(first.places, &needed, first.request.memory_bytes, first.mapped.is_some())
        .map_err(not_full)?;
    privileges::close_to_others()?;
    let program = match sys::fork(0).map_err(Failure::step("starting the program"))? {
        Fork::Child => keeper::be_program(first.request, first.places, 1, first.control),
        Fork::Parent(pid) => pid,
    };
    privileges::renounce()?;
    let watched =
        Watched { program, group: None, closes: first.lifeline.as_fd(), pause: keeper::LOOK };
    keeper::watch(&watched, || tree::excess(&tree::all_but_first(), first.request))
}

/// That a mount is refused is what a system without full sandboxes does; a path that cannot be
/// used is not.
fn not_full(failure: Failure) -> Failure {
    match failure {
        Failure::System(step, error) => {
            Failure::NotFull(format!("{step}: {}", io::Error::from_raw_os_error(error)))
        }
        other => other,
    }
}

/// Makes the user and the group the same inside as outside.
fn map((user, group): (libc::uid_t, libc::gid_t)) -> io::Result<()> {
    // A group may only be mapped by who cannot change groups any more.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}
