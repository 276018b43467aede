//! The helper: it reads the request, starts the rest, and is the last to leave.
//!
//! It stays outside of the sandbox, out of the program's reach. When the caller closes the socket
//! or is gone, it ends everything.

use std::{
    io::{self, Seek, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
};

use super::{
    first::{self, First},
    placeholders::Placeholders,
    places::Places,
    privileges, program,
    request::{Failure, Reply, Request},
    sys::{self, Fork},
    tree,
};
use crate::sandbox::SandboxError;

/// Pause between two looks at how many processes there are and what they hold.
pub const LOOK: i32 = 25;
/// The same where that means looking at all processes of the machine, and the kernel counts too.
const RARE_LOOK: i32 = 100;

/// See [`crate::sandbox::enter_and_exec`].
pub fn enter_and_exec(request: &[u8]) -> SandboxError {
    let control = match io::stdin().as_fd().try_clone_to_owned() {
        Ok(control) => UnixStream::from(control),
        Err(cause) => return SandboxError::Lost(format!("standard input: {cause}")),
    };
    match keep(request, &control) {
        Ok(Some(reply)) => say(&control, &reply),
        Ok(None) => {}
        Err(failure) => {
            say(&control, &Reply::Failed(failure.clone()));
            return failure.into();
        }
    }
    sys::exit(0)
}

/// Tells the caller the outcome. If nobody listens, nobody needs to know.
pub fn say(control: &UnixStream, reply: &Reply) {
    if let Ok(mut line) = serde_json::to_vec(reply) {
        line.push(b'\n');
        let _ = (&mut &*control).write_all(&line);
    }
}

/// The outcome, unless somebody else has told it.
fn keep(request: &[u8], control: &UnixStream) -> Result<Option<Reply>, Failure> {
    let end = request.iter().position(|byte| *byte == b'\n').unwrap_or(request.len());
    let (request, stdin) = request.split_at(end);
    let request: Request =
        serde_json::from_slice(request).map_err(|cause| Failure::Request(cause.to_string()))?;
    sys::set_umask(0o022);
    sys::notice_children();
    give_stdin(stdin.get(1..).unwrap_or_default())
        .and_then(|()| sys::close_on_exec())
        .map_err(Failure::step("passing input on"))?;
    let places = Places::of(&request)?;
    if request.narrow {
        keep_narrow(&request, &places, control).map(Some)
    } else {
        keep_full(&request, &places, control).map(|()| None)
    }
}

fn give_stdin(bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return sys::become_stdin(&std::fs::File::open("/dev/null")?);
    }
    let mut file = sys::memory_file()?;
    file.write_all(bytes)?;
    file.rewind()?;
    sys::become_stdin(&file)
}

fn keep_full(request: &Request, places: &Places, control: &UnixStream) -> Result<(), Failure> {
    let placed = Placeholders::put(&places.missing)?;
    let (lifeline, end_of_ours) = io::pipe().map_err(Failure::step("making a pipe"))?;
    let pid = match fork_apart(request.network)? {
        (Fork::Child, mapped) => {
            drop(end_of_ours);
            first::be_first(&First { request, places, control, lifeline, mapped })
        }
        (Fork::Parent(pid), _) => pid,
    };
    drop(lifeline);
    privileges::close_to_others()?;
    let watched = Watched { program: pid, group: None, closes: control.as_fd(), pause: RARE_LOOK };
    let ended = watch(&watched, || None);
    // The first process takes everything in its namespace with it, and is reaped after that.
    sys::kill(pid);
    let _ = sys::reap(pid);
    drop(placed);
    ended.map(|_| ())
}

type Mapped = Option<(libc::uid_t, libc::gid_t)>;

/// Forks into namespaces of its own: with a user namespace, or, where there are none, by the
/// rights of the administrator.
fn fork_apart(network: bool) -> Result<(Fork, Mapped), Failure> {
    let network = if network { 0 } else { libc::CLONE_NEWNET };
    let spaces = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | network;
    let user_and_group = sys::user_and_group();
    match sys::fork(spaces | libc::CLONE_NEWUSER) {
        Ok(fork) => Ok((fork, Some(user_and_group))),
        Err(cause) => match sys::fork(spaces) {
            Ok(fork) => Ok((fork, None)),
            Err(_) => Err(Failure::NotFull(format!("no user namespaces: {cause}"))),
        },
    }
}

fn keep_narrow(request: &Request, places: &Places, control: &UnixStream) -> Result<Reply, Failure> {
    sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1)
        .map_err(Failure::step("taking in orphaned processes"))?;
    let (user, _) = sys::user_and_group();
    // The kernel does not count the processes of user 0.
    let (others, pause) =
        if user == 0 { (0, LOOK) } else { (tree::threads_of_user(user), RARE_LOOK) };
    let pid = match sys::fork(0).map_err(Failure::step("starting the program"))? {
        Fork::Child => be_program(request, places, others, control),
        Fork::Parent(pid) => pid,
    };
    privileges::close_to_others()?;
    say(control, &Reply::Started(pid));
    let watched = Watched { program: pid, group: Some(pid), closes: control.as_fd(), pause };
    let ended = watch(&watched, || tree::excess(&tree::group(pid), request));
    // Its orphans are ours.
    while let Ok(Some(orphan)) = wait_for_any() {
        let _ = sys::reap(orphan);
    }
    ended
}

/// Becomes the program, or says why not and ends.
pub fn be_program(request: &Request, places: &Places, others: u64, control: &UnixStream) -> ! {
    let reply = match program::become_program(request, places, others) {
        Ok(()) => Reply::Entered,
        Err(failure) => Reply::Failed(failure),
    };
    say(control, &reply);
    sys::exit(1)
}

/// The next child that ends; an error when there are no children left.
fn wait_for_any() -> io::Result<Option<libc::pid_t>> {
    loop {
        if let Some(pid) = sys::ended_child()? {
            return Ok(Some(pid));
        }
        std::thread::sleep(std::time::Duration::from_micros(500));
    }
}

/// A child, and what closes when nobody wants it any more.
pub struct Watched<'a> {
    pub program: libc::pid_t,
    /// The process group that ends with it.
    pub group: Option<libc::pid_t>,
    pub closes: BorrowedFd<'a>,
    /// Milliseconds between two looks at what there is of it.
    pub pause: i32,
}

/// Waits until the program has ended, nobody wants it any more, or there is too much of it. Takes
/// in orphans meanwhile.
pub fn watch(watched: &Watched<'_>, excess: impl Fn() -> Option<Reply>) -> Result<Reply, Failure> {
    let watched_to_the_end = watch_until(watched, excess);
    // Before the program is reaped: until then nobody else can have its number.
    if let Some(leader) = watched.group {
        sys::kill_group(leader);
        // It may not have made its group yet.
        sys::kill(watched.program);
    }
    match watched_to_the_end.map_err(Failure::step("waiting for the program"))? {
        Some(reply) => Ok(reply),
        None => sys::reap(watched.program)
            .map(|end| Reply::Ended { code: end.code(), signal: end.signal() })
            .map_err(Failure::step("waiting for the program")),
    }
}

/// What is too much, or nothing if the program has ended.
fn watch_until(
    watched: &Watched<'_>,
    excess: impl Fn() -> Option<Reply>,
) -> io::Result<Option<Reply>> {
    let ended = sys::children_ended()?;
    loop {
        // Before the first wait: it may have ended before its end was watched for.
        while let Some(child) = sys::ended_child()? {
            if child == watched.program {
                return Ok(None);
            }
            sys::reap(child)?;
        }
        let files = [(Some(ended.as_fd()), libc::POLLIN), (Some(watched.closes), 0)];
        let [child, wanted] = sys::poll(files, watched.pause)?;
        if wanted.closed {
            return Ok(Some(Reply::Ended { code: None, signal: Some(libc::SIGKILL) }));
        }
        if child.readable {
            let _ = io::Read::read(&mut &ended, &mut [0; 1024]);
        } else if let Some(reply) = excess() {
            return Ok(Some(reply));
        }
    }
}
