//! The door for editors: the Language Server Protocol over standard streams, for Markdown, and read-only
//! for source files.
//!
//! Owns the protocol: texts that are open, how positions are counted, what is asked and cancelled, and
//! how each answer is called there. What is found is `elophanto_app::editor`'s. It writes nothing but on
//! a command of our own that somebody chose; edits are made by the editor.

mod actions;
mod asked;
mod awaited;
mod capabilities;
mod client;
mod commands;
mod completion;
mod diagnostics;
mod dispatch;
mod folders;
mod hover;
mod lenses;
mod looking;
mod navigation;
mod pool;
mod positions;
mod rename;
mod server;
mod stdio;
mod symbols;
mod texts;
mod tokens;
mod uris;

use std::{path::PathBuf, sync::atomic::Ordering};

use lsp_server::Connection;

use elophanto_app::{Environment, Error, Result};
use server::Server;

/// Serves an editor until it goes; whether it took its leave as it should.
///
/// `folder` is where files are looked for if the editor names no folder of its own.
pub fn serve(connection: Connection, folder: PathBuf, environment: Environment) -> bool {
    Server::new(connection, folder, environment).run()
}

/// The same over standard streams. Nothing else may write to standard output meanwhile.
///
/// # Errors
/// When no thread can be started, or nothing that came in was a message of the protocol.
pub fn serve_stdio(folder: PathBuf, environment: Environment) -> Result<bool> {
    share_memory();
    let (connection, is_spoken) = stdio::connection()?;
    let sender = connection.sender.clone();
    let is_done = serve(connection, folder, environment);
    stdio::flush(&sender);
    match is_spoken.load(Ordering::Relaxed) {
        true => Ok(is_done),
        false => {
            Err(Error::new("no message of the Language Server Protocol came in on standard input")
                .hint("your editor starts this: `elophanto editor install` sets that up"))
        }
    }
}

/// Pools of memory that glibc gives out to all threads. With one for each thread, a server that runs all
/// day keeps what reading all notes took in every one of them.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MOST_POOLS: libc::c_int = 2;

fn share_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call changes a number of the allocator under its own lock. That it fails is no matter.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, MOST_POOLS);
    }
}
