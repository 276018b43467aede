//! The door for editors in which one talks with agents: the Agent Client Protocol over standard streams.
//!
//! Owns the protocol, version 1: conversations that are open and their folders, what of a run is an update
//! of which kind, how approvals are asked for, and what each error is called there. A conversation is
//! `elophanto_app::agent::chat`'s; what may run is decided where it is for every door. Nothing here writes
//! a file, and no setting is changed over the wire.

mod calls;
mod commands;
mod conversation;
mod diffs;
mod editor;
mod listing;
mod modes;
mod prompt;
mod replay;
mod server;
mod stdio;
mod telling;
mod turn;

use std::{sync::Arc, time::Duration};

use agent_client_protocol::{Error as Refusal, ErrorCode};

use elophanto_app::{Environment, Error, Result};
use server::Server;

/// How long runs that were ended may take to be written down, once the editor has gone.
const MOST_ENDING: Duration = Duration::from_secs(20);

/// Serves an editor over standard streams until it goes. What still runs then is ended and kept. Nothing
/// else may write to standard output meanwhile.
///
/// # Errors
/// When no thread can be started, or nobody spoke the protocol.
pub fn serve_stdio(environment: Environment) -> Result<()> {
    let streams = stdio::streams()?;
    let server = Arc::new(Server::new(environment));
    // One that goes in the middle of something has gone all the same.
    let _ = futures::executor::block_on(server::serve(&server, streams.lines));
    server.end(MOST_ENDING);
    streams.written.wait();
    match server.is_spoken() {
        true => Ok(()),
        false => {
            Err(Error::new("no client of the Agent Client Protocol said hello on standard input")
                .hint("your editor starts this: editors/README.md says what to write where"))
        }
    }
}

/// Why something is not done, and what to do about it.
fn refusal(code: ErrorCode, error: &Error) -> Refusal {
    let message = match error.hints() {
        [] => error.message().to_owned(),
        hints => format!("{} ({})", error.message(), hints.join("; ")),
    };
    Refusal::new(code, message)
}
