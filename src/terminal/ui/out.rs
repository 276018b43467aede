//! Where data goes.

use std::io::{self, Write};

pub(super) enum Out {
    Stdout(io::BufWriter<io::Stdout>),
    /// With all that is said, where stdout is for something else.
    Stderr,
    /// Nowhere, for whoever does something on behalf of somebody else.
    Nowhere,
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Stderr => io::stderr().write(bytes),
            Self::Nowhere => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Stderr | Self::Nowhere => Ok(()),
        }
    }
}
