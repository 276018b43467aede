//! As a system has it where nobody tells who is at the other end of a socket: there is none.

use std::{convert::Infallible, io, path::Path};

use axum::serve::Listener;
use elophanto_base::platform::not_here;
use tokio::io::DuplexStream;

const SOCKET: &str = "a socket of the user's own";

pub type Stream = DuplexStream;

pub struct Own(Infallible);

impl Own {
    pub fn bind(_: &Path) -> io::Result<Self> {
        Err(not_here(SOCKET))
    }
}

impl Listener for Own {
    type Io = Stream;
    type Addr = Infallible;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.0 {}
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        match self.0 {}
    }
}

pub async fn connect(_: &Path) -> io::Result<Stream> {
    Err(not_here(SOCKET))
}

/// It has no name for them.
pub fn own_name() -> String {
    "user".to_owned()
}
