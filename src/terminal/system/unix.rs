//! As Unix has it.

use std::{
    fs::File,
    io,
    os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd},
};

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Winsize, tcgetattr, tcgetwinsize, tcsetattr,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// Columns of the terminals that standard output and standard error are; 0 where that is not said.
pub fn columns() -> [usize; 2] {
    let of = |size: rustix::io::Result<Winsize>| size.map_or(0, |size| usize::from(size.ws_col));
    [of(tcgetwinsize(io::stdout())), of(tcgetwinsize(io::stderr()))]
}

/// Takes what the terminal has of lines that nobody has read yet, at most about so many bytes; the last line is
/// perhaps not whole. Nothing where standard input is no terminal.
pub fn waiting(most: usize) -> Vec<u8> {
    use rustix::{io::read, stdio::stdin};

    let mut bytes = Vec::new();
    let Ok(before) = tcgetattr(stdin()) else { return bytes };
    let mut now = before.clone();
    // Whole lines or not, and no more than there is.
    now.local_modes.remove(LocalModes::ICANON);
    now.special_codes[SpecialCodeIndex::VMIN] = 0;
    now.special_codes[SpecialCodeIndex::VTIME] = 0;
    if tcsetattr(stdin(), OptionalActions::Now, &now).is_err() {
        return bytes;
    }
    let mut part = [0_u8; 4096];
    while bytes.len() < most {
        match read(stdin(), &mut part) {
            Ok(read @ 1..) => bytes.extend_from_slice(&part[..read]),
            _ => break,
        }
    }
    let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    bytes
}

/// Takes over an open descriptor by its number, which is none of the three streams; or says why it is none that
/// was left open for us.
///
/// # Errors
/// When it cannot be kept from the programs that we start.
pub fn claim(number: i32) -> io::Result<Result<File, &'static str>> {
    // SAFETY: this asks for flags by number; no memory is involved.
    let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
    if flags == -1 {
        return Ok(Err("is not open"));
    }
    if flags & libc::FD_CLOEXEC != 0 {
        return Ok(Err("was not left open for us, or is named twice"));
    }
    // SAFETY: the descriptor is open, and nobody else in this program owns it: what is to be
    // closed on exec cannot have come to us through one, and all that we open is. The flag that
    // is set next has a second claim refused above.
    let owned = unsafe { OwnedFd::from_raw_fd(number) };
    // SAFETY: this sets a flag by number; no memory is involved.
    if unsafe { libc::fcntl(owned.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(Ok(owned.into()))
}

/// Another handle of standard input, without a buffer.
///
/// # Errors
/// When it is closed.
pub fn stdin() -> io::Result<File> {
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// Another handle of standard output, without a buffer or a lock.
///
/// # Errors
/// When it is closed.
pub fn stdout() -> io::Result<File> {
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

/// Whether an error says that there is no terminal.
pub fn is_no_terminal(cause: &io::Error) -> bool {
    cause.raw_os_error() == Some(libc::ENXIO)
}

/// Ctrl-C at a prompt waits until the terminal echoes again: the prompt sends it to us while the
/// terminal is still as it needs it.
pub struct HeldInterrupt {
    before: libc::sigset_t,
}

impl HeldInterrupt {
    pub fn hold() -> Self {
        // SAFETY: an empty set of signals is valid, whatever stands in it is written by the calls
        // below; both sets outlive them. Only the mask of this thread changes.
        unsafe {
            let (mut held, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigemptyset(&raw mut held);
            libc::sigaddset(&raw mut held, libc::SIGINT);
            libc::sigemptyset(&raw mut before);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const held, &raw mut before);
            Self { before }
        }
    }
}

impl Drop for HeldInterrupt {
    fn drop(&mut self) {
        // SAFETY: the set is the one that was in force before; nothing is written.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut());
        }
    }
}

/// Signals that end the run that goes on.
pub fn ending() -> impl Iterator<Item = i32> {
    let all = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter();
    all.filter(|&signal| signal != SIGHUP || !is_ignored(signal))
}

/// Whether whoever started this program had it ignore the signal, as `nohup` does.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: all zeros are a value of this plain structure, and with no new action the call only
    // fills in the old one, which outlives it.
    let mut old: libc::sigaction = unsafe { std::mem::zeroed() };
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut old) };
    asked == 0 && old.sa_sigaction == libc::SIG_IGN
}
