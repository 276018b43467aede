//! A program of the user that reads each message as JSON.

use std::path::{Path, PathBuf};

use super::{MAX_OUTPUT, SINK_PATIENCE, Sink, SinkError, encode};
use crate::notify::Message;
use elophanto_base::{
    one_line::one_line,
    process::{Environment, Output, run_in},
};

/// Characters shown of what a program says when it fails.
const MAX_SAID: usize = 200;

/// A program and its arguments, run once per message. Only settings that the user trusts may name
/// one.
#[derive(Debug, Clone)]
pub struct CommandSink {
    argv: Vec<String>,
    environment: Environment,
    /// Where it runs, if not where the user is.
    folder: Option<PathBuf>,
}

impl CommandSink {
    /// Runs nothing yet.
    pub fn new(argv: Vec<String>, environment: Environment, folder: Option<PathBuf>) -> Self {
        Self { argv, environment, folder }
    }
}

impl Sink for CommandSink {
    fn send(&self, message: &Message) -> Result<(), SinkError> {
        call(self.folder.as_deref(), &self.argv, &encode(message)?, &self.environment)
    }
}

/// Runs a program that has to succeed.
pub(super) fn call(
    folder: Option<&Path>,
    argv: &[String],
    stdin: &[u8],
    environment: &Environment,
) -> Result<(), SinkError> {
    let output = run_in(folder, argv, stdin, environment, SINK_PATIENCE, MAX_OUTPUT)?;
    if output.is_success() {
        return Ok(());
    }
    let Output { code, signal, stderr, .. } = output;
    let status = match (code, signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "ended".to_owned(),
    };
    let said = match one_line(&String::from_utf8_lossy(&stderr), MAX_SAID) {
        said if said.is_empty() => "it said nothing".to_owned(),
        said => said,
    };
    let program = argv.first().cloned().unwrap_or_default();
    Err(SinkError::Failed { program, status, said })
}
