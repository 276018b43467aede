//! As Unix has it.

use std::{
    ffi::CStr,
    fs,
    io::{self, ErrorKind},
    os::unix::fs::PermissionsExt,
    path::Path,
    time::Duration,
};

use axum::serve::Listener;
use elophanto_base::regular::if_there;
use tokio::net::{UnixListener, UnixStream, unix::SocketAddr};

/// How long to wait when the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);

/// A connection to a program of this user.
pub type Stream = UnixStream;

/// Connections of this user's programs.
pub struct Own(UnixListener);

impl Own {
    /// Listens at a path in a folder of the user's own, in place of a socket that nobody listens at any
    /// more: the caller holds the lock of whoever does.
    ///
    /// # Errors
    /// When the path is taken by something else, is too long, or cannot be written.
    pub fn bind(path: &Path) -> io::Result<Self> {
        if_there(fs::remove_file(path))?;
        let listener = UnixListener::bind(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        Ok(Self(listener))
    }
}

impl Listener for Own {
    type Io = UnixStream;
    type Addr = SocketAddr;

    /// Only connections of this user: who reached the path otherwise is hung up on.
    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            match self.0.accept().await {
                Ok((stream, address)) if is_own(&stream) => return (stream, address),
                Ok(_) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

/// Whether whoever is at the other end is this user.
fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == own_id())
}

/// The number of this user.
fn own_id() -> u32 {
    // SAFETY: takes nothing, cannot fail.
    unsafe { libc::geteuid() }
}

/// Connects to a socket at which this user listens.
///
/// # Errors
/// When nobody listens there, or somebody else does.
pub async fn connect(path: &Path) -> io::Result<Stream> {
    let stream = UnixStream::connect(path).await?;
    match is_own(&stream) {
        true => Ok(stream),
        false => Err(io::Error::new(ErrorKind::PermissionDenied, "another user listens there")),
    }
}

/// What the system calls this user; their number where it has no name for them.
pub fn own_name() -> String {
    let id = own_id();
    // SAFETY: the answer is null or points to what the system keeps until it is asked again; it is
    // copied at once, while no other thread of ours asks.
    let name = unsafe {
        libc::getpwuid(id).as_ref().map(|entry| CStr::from_ptr(entry.pw_name).to_owned())
    };
    name.and_then(|name| name.into_string().ok()).unwrap_or_else(|| id.to_string())
}
