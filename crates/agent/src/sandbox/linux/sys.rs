//! Calls to the kernel that the standard library lacks, each with a safe face.

use std::{
    fs::File,
    io,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, RawFd},
};

/// What a process sees of a fork.
pub enum Fork {
    Child,
    Parent(libc::pid_t),
}

/// Turns the -1 of a system call into the error it stands for.
pub fn checked(result: libc::c_long) -> io::Result<libc::c_long> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Makes a copy of this process, in new namespaces if `namespaces` names some.
pub fn fork(namespaces: libc::c_int) -> io::Result<Fork> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    // SAFETY: without a stack and without shared memory this is a fork. The helper has one thread,
    // so that no lock of another can be held in the copy.
    let pid = checked(unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) })?;
    Ok(match libc::pid_t::try_from(pid) {
        Ok(0) => Fork::Child,
        Ok(pid) => Fork::Parent(pid),
        Err(_) => return Err(io::ErrorKind::InvalidData.into()),
    })
}

/// Ends this process at once: no destructors, no buffers.
pub fn exit(code: i32) -> ! {
    // SAFETY: takes no pointer and does not come back.
    unsafe { libc::_exit(code) }
}

/// How a child has ended.
pub struct Reaped {
    status: libc::c_int,
}

impl Reaped {
    /// The exit code, unless a signal ended it.
    pub fn code(&self) -> Option<i32> {
        libc::WIFEXITED(self.status).then(|| libc::WEXITSTATUS(self.status))
    }

    /// The signal that ended it.
    pub fn signal(&self) -> Option<i32> {
        libc::WIFSIGNALED(self.status).then(|| libc::WTERMSIG(self.status))
    }
}

/// Which child has ended, if one has. It stays to be reaped: its number, and that of its group, is
/// not given to another until then.
pub fn ended_child() -> io::Result<Option<libc::pid_t>> {
    // SAFETY: all bytes zero are a valid value, and it outlives the call. The number is set when
    // the call succeeds, to 0 if no child has ended.
    unsafe {
        let mut about = std::mem::zeroed::<libc::siginfo_t>();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        checked(libc::waitid(libc::P_ALL, 0, &raw mut about, flags).into())?;
        let pid = about.si_pid();
        Ok((pid > 0).then_some(pid))
    }
}

/// Takes in a child that has ended.
pub fn reap(pid: libc::pid_t) -> io::Result<Reaped> {
    let mut status = 0;
    // SAFETY: `status` lives longer than the call.
    checked(unsafe { libc::waitpid(pid, &raw mut status, 0) }.into())?;
    Ok(Reaped { status })
}

/// Kills a child that has not been reaped; that it has ended is no matter.
pub fn kill(pid: libc::pid_t) {
    if pid > 1 {
        // SAFETY: takes no pointer. The number is that of one process, never a group's.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
}

/// Kills all processes of a group in one step, whose leader has not been reaped.
pub fn kill_group(leader: libc::pid_t) {
    // The negative of 1 would mean every process there is.
    if leader > 1 {
        // SAFETY: takes no pointer.
        unsafe { libc::kill(-leader, libc::SIGKILL) };
    }
}

/// Blocks `SIGCHLD` and gives a file that can be read when a child has ended.
pub fn children_ended() -> io::Result<File> {
    // SAFETY: the set is initialised by `sigemptyset` before it is read, and outlives the calls;
    // the new descriptor belongs to nobody else.
    unsafe {
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        checked(libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()).into())?;
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        let descriptor = libc::signalfd(-1, &raw const set, flags);
        checked(descriptor.into())?;
        Ok(File::from_raw_fd(descriptor))
    }
}

/// Undoes what the caller may have passed on: that nobody wants to know of children that ended.
pub fn notice_children() {
    // SAFETY: the default action runs no code of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Gives every signal its default meaning and blocks none, as a program expects at its start.
pub fn plain_signals() {
    // SAFETY: the set is initialised before it is read; default actions run no code of ours.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut set = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

/// What happened to a descriptor.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    pub readable: bool,
    /// The other side is gone.
    pub closed: bool,
}

/// Waits until something happens to one of `files`, at most `milliseconds`; places without a file
/// are passed over. An interruption counts as nothing having happened.
pub fn poll<const N: usize>(
    files: [(Option<BorrowedFd<'_>>, libc::c_short); N],
    milliseconds: i32,
) -> io::Result<[Seen; N]> {
    let mut polled = files.map(|(file, events)| libc::pollfd {
        fd: file.map_or(-1, |file| file.as_raw_fd()),
        events,
        revents: 0,
    });
    // SAFETY: the array has N entries and outlives the call.
    let result = unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, milliseconds) };
    match checked(result.into()) {
        Err(cause) if cause.kind() == io::ErrorKind::Interrupted => Ok([Seen::default(); N]),
        Err(cause) => Err(cause),
        Ok(_) => Ok(polled.map(|one| Seen {
            readable: one.revents & libc::POLLIN != 0,
            closed: one.revents & (libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) != 0,
        })),
    }
}

/// Makes reads of a file return at once.
pub fn set_nonblocking(file: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: takes no pointer; the descriptor is open.
    unsafe {
        let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
        checked(flags.into())?;
        checked(libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK).into())?;
    }
    Ok(())
}

/// A file in memory without a name.
pub fn memory_file() -> io::Result<File> {
    // SAFETY: the name is a constant C string; the new descriptor belongs to nobody else.
    unsafe {
        let descriptor = libc::memfd_create(c"stdin".as_ptr(), libc::MFD_CLOEXEC);
        checked(descriptor.into())?;
        Ok(File::from_raw_fd(descriptor))
    }
}

/// Makes `file` the standard input of this process.
pub fn become_stdin(file: &File) -> io::Result<()> {
    // SAFETY: takes no pointer. What was descriptor 0 is replaced in one step.
    checked(unsafe { libc::dup2(file.as_raw_fd(), 0) }.into())?;
    Ok(())
}

/// Closes every descriptor from 3 on when this process becomes another program.
pub fn close_on_exec() -> io::Result<()> {
    const FROM: RawFd = 3;
    // SAFETY: takes no pointer, and closes nothing that somebody here holds.
    checked(unsafe {
        libc::syscall(libc::SYS_close_range, FROM, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    })?;
    Ok(())
}

/// Sets one of the attributes of this process that take a number.
pub fn prctl(option: libc::c_int, value: libc::c_ulong) -> io::Result<()> {
    let none: libc::c_ulong = 0;
    // SAFETY: only called with options that take numbers, and no pointer.
    checked(unsafe { libc::prctl(option, value, none, none, none) }.into())?;
    Ok(())
}

/// Starts a session, and with it a process group, without a terminal.
pub fn start_session() -> io::Result<()> {
    // SAFETY: takes no pointer.
    checked(unsafe { libc::setsid() }.into())?;
    Ok(())
}

/// Sets which permissions new files never have.
pub fn set_umask(mask: libc::mode_t) {
    // SAFETY: takes no pointer, cannot fail.
    unsafe { libc::umask(mask) };
}

/// The effective user and group of this process.
pub fn user_and_group() -> (libc::uid_t, libc::gid_t) {
    // SAFETY: take nothing, cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

#[cfg(not(target_env = "musl"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(target_env = "musl")]
type Resource = libc::c_int;

/// Sets a limit, both as it counts and as it can be raised to; never above what it is.
pub fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure outlives both calls.
    unsafe {
        checked(libc::getrlimit(resource, &raw mut now).into())?;
        let most = now.rlim_max.min(most);
        now = libc::rlimit { rlim_cur: most, rlim_max: most };
        checked(libc::setrlimit(resource, &raw const now).into())?;
    }
    Ok(())
}

/// Locks a file for this process; an error when another holds it.
pub fn lock(file: &File, operation: libc::c_int) -> io::Result<()> {
    // SAFETY: takes no pointer; the descriptor is open.
    checked(unsafe { libc::flock(file.as_raw_fd(), operation | libc::LOCK_NB) }.into())?;
    Ok(())
}

/// Gives up every capability, now and for programs that this one becomes.
pub fn drop_capabilities() -> io::Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let header: [u32; 2] = [VERSION_3, 0];
    let none = [0u32; 6];
    // SAFETY: header and sets have the sizes that version 3 asks for and outlive the call.
    checked(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) })?;
    Ok(())
}
