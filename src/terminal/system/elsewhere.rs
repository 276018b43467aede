//! As a system has it of which nothing but the standard library is known.

use std::{fs::File, io};

use elophanto_base::platform::not_here;
use signal_hook::consts::{SIGINT, SIGTERM};

/// Nobody says.
pub fn columns() -> [usize; 2] {
    [0; 2]
}

/// What waits there is read by whoever reads next.
pub fn waiting(_: usize) -> Vec<u8> {
    Vec::new()
}

pub fn claim(_: i32) -> io::Result<Result<File, &'static str>> {
    Ok(Err("is not to be had: descriptors are not handed on, on this system"))
}

pub fn stdin() -> io::Result<File> {
    Err(not_here("a handle of standard input"))
}

pub fn stdout() -> io::Result<File> {
    Err(not_here("a handle of standard output"))
}

pub fn is_no_terminal(_: &io::Error) -> bool {
    false
}

/// Ctrl-C at a prompt ends the program.
pub struct HeldInterrupt;

impl HeldInterrupt {
    pub fn hold() -> Self {
        Self
    }
}

pub fn ending() -> impl Iterator<Item = i32> {
    [SIGINT, SIGTERM].into_iter()
}
