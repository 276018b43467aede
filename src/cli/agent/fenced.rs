//! `elophanto agent fenced`: a program of the agent on its way into the sandbox.

use std::io::Read;

use crate::cli::{CliError, Outcome, Result};
use elophanto_agent::sandbox::enter_and_exec;

/// Bytes of a request: the program's input is part of it.
const MOST_REQUEST: u64 = 128 * 1024 * 1024;

/// Becomes the program that standard input names, in its sandbox
#[derive(clap::Args, Debug)]
pub struct FencedArgs {}

/// # Errors
/// Always: where all goes well, this process is another program.
pub fn run(_: &FencedArgs) -> Result<Outcome> {
    let mut request = Vec::new();
    std::io::stdin().lock().take(MOST_REQUEST).read_to_end(&mut request)?;
    Err(CliError::new(enter_and_exec(&request)))
}
