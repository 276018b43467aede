//! Servers of the Model Context Protocol that the user added, as tools.
//!
//! Owns starting such a server as a child with the environment it was granted and no other, or asking
//! one at the address that the user gave and nowhere else, turning what it offers into tools under names and levels of our own, calling them within limits
//! of time and size, and ending the server with all it has started. It believes nothing that a
//! server says of itself: not how harmless a tool is, nor that it is the one it was. It refuses to
//! know who may add a server, who approves a call, and where settings and tokens come from.

mod answer;
mod child;
mod entry;
mod http;
mod meter;
mod offer;
mod server;
mod session;
mod tool;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
    time::Duration,
};

pub use entry::{At, Entry, EntryError, USUAL_ENVIRONMENT, is_installed};
pub use http::Credentials;
pub use offer::{MAX_DESCRIPTION, MAX_SCHEMA_BYTES, MAX_TOOLS};

use crate::Tool;
use elophanto_base::process::Environment;
use server::Server;

/// What all servers are started with.
#[derive(Clone)]
pub struct Surroundings<'a> {
    /// The environment of which each server gets what its entry names. `PATH` is where programs
    /// are looked for, whether a server gets it or not.
    pub environment: &'a Environment,
    /// The folder they run in.
    pub folder: &'a Path,
    /// Names of tools that no server may take: those built in.
    pub taken: &'a BTreeSet<String>,
    /// What opens servers at addresses, by their names.
    pub credentials: &'a BTreeMap<String, Arc<dyn Credentials>>,
    /// Time for a server to start and say what it offers.
    pub patience: Duration,
}

/// Servers that run. All of them end, with what they have started, when this is dropped; their
/// tools then answer with an error.
pub struct Servers {
    servers: Vec<Arc<Server>>,
    /// `None` only while it is being dropped.
    runtime: Option<tokio::runtime::Runtime>,
}

/// What came of starting servers.
pub struct Started {
    pub servers: Servers,
    /// In the order of the entries, and within one sorted by the server's own names.
    pub tools: Vec<Box<dyn Tool>>,
    /// For each server that runs a hash of all it offers: whoever keeps it sees when a server
    /// offers something else than what the user once looked at.
    pub offers: BTreeMap<String, String>,
    /// Servers that do not run and tools that are left out, and why. Safe to show.
    pub problems: Vec<String>,
    /// Servers that say that the user has to sign in; each is a problem too.
    pub want_sign_in: BTreeSet<String>,
}

impl Servers {
    /// Starts all servers at once and asks each for its tools. One that fails costs a problem and
    /// not the others. May be called, used and dropped in any thread, in that of another runtime
    /// too.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        entries: &[Entry],
        surroundings: &Surroundings,
    ) -> Result<Started, std::io::Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("servers")
            .enable_all()
            .build()?;
        let mut names = BTreeSet::new();
        let mut problems = Vec::new();
        let mut sound = Vec::new();
        for entry in entries {
            match entry.check() {
                Err(cause) => problems.push(cause.to_string()),
                Ok(()) if !names.insert(entry.name.as_str()) => {
                    problems.push(format!("there are two servers named `{}`", entry.name));
                }
                Ok(()) => sound.push(entry),
            }
        }
        let handle = runtime.handle();
        let opened: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = sound
                .iter()
                .map(|entry| scope.spawn(move || server::start(entry, surroundings, handle)))
                .collect();
            threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        let mut started = Started {
            servers: Self { servers: Vec::new(), runtime: Some(runtime) },
            tools: Vec::new(),
            offers: BTreeMap::new(),
            problems,
            want_sign_in: BTreeSet::new(),
        };
        let mut taken = surroundings.taken.clone();
        for (entry, opened) in sound.iter().zip(opened) {
            match opened {
                Ok(Ok((server, offered))) => {
                    started.offers.insert(entry.name.clone(), offer::fingerprint(&offered.tools));
                    let tools = offer::tools(entry, offered, &mut taken, &mut started.problems);
                    started.tools.extend(
                        tools.into_iter().map(|tool| tool::boxed(Arc::clone(&server), tool)),
                    );
                    started.servers.servers.push(server);
                }
                Ok(Err(server::Failure { why, wants_sign_in })) => {
                    started.problems.push(format!("server `{}`: {why}", entry.name));
                    if wants_sign_in {
                        started.want_sign_in.insert(entry.name.clone());
                    }
                }
                Err(_) => {
                    started.problems.push(format!("server `{}` cannot be started", entry.name))
                }
            }
        }
        Ok(started)
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        std::thread::scope(|scope| {
            for server in &self.servers {
                scope.spawn(|| server.end());
            }
        });
        if let Some(runtime) = self.runtime.take() {
            // Waiting would panic in a thread of another runtime.
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests;
