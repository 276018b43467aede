//! What a process gives up before it becomes the program.

use super::{
    request::{Failure, Request},
    sys,
};

/// Open files of one process.
const OPEN_FILES: u64 = 8_192;

/// Sets the limits of the kernel. `others` is how many processes of this user count as well.
pub fn limit(request: &Request, others: u64) -> Result<(), Failure> {
    let processes = request.processes.saturating_add(others);
    for (resource, most) in [
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_FSIZE, request.file_bytes),
        // Not the size of the address space, of which many programs reserve far more than they use.
        (libc::RLIMIT_DATA, request.memory_bytes),
        (libc::RLIMIT_NPROC, processes),
        (libc::RLIMIT_NOFILE, OPEN_FILES),
        (libc::RLIMIT_MEMLOCK, 64 * 1024),
        (libc::RLIMIT_MSGQUEUE, 0),
    ] {
        sys::limit(resource, most).map_err(Failure::step("setting limits"))?;
    }
    Ok(())
}

/// Gives up all capabilities for good, also those that user 0 would get back with a new program.
pub fn renounce() -> Result<(), Failure> {
    const LAST: libc::c_ulong = 63;
    // Each bit and the one that locks it: user 0 is nobody special, no capability is ambient.
    const NO_ROOT: libc::c_ulong = 0b1100_1111;
    sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1).map_err(Failure::step("giving up new privileges"))?;
    // These need a capability: who lacks it has nothing to lose.
    for capability in 0..=LAST {
        if sys::prctl(libc::PR_CAPBSET_DROP, capability).is_err() {
            break;
        }
    }
    let _ = sys::prctl(libc::PR_SET_SECUREBITS, NO_ROOT);
    sys::drop_capabilities().map_err(Failure::step("giving up capabilities"))
}

/// Keeps other processes of this user from looking into this one.
pub fn close_to_others() -> Result<(), Failure> {
    sys::prctl(libc::PR_SET_DUMPABLE, 0).map_err(Failure::step("closing the helper to others"))
}
