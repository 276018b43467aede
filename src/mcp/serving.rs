//! The server of a repository: served here until it is told to end, or made sure of.

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::json;

use super::{
    operations,
    server::{Http, Server, serve_http, serve_stdio},
    watching::tell_of_changes,
};
use crate::{
    listening::{
        life::{self, told_to_end},
        names::host_of,
        running::{Files, Running},
        token::{Secret, new_token},
    },
    wire::servers::McpServerWire,
};
use elophanto_app::{Environment, Error, Reporter, Result, workspace::KnowledgeBase};

/// Where it listens if nothing else is said.
pub const ADDRESS: &str = "127.0.0.1:7397";
/// At this machine, where the system finds room.
const ANYWHERE: &str = "127.0.0.1:0";
/// The folder of what is written down of servers.
const FOLDER: &str = "mcp";

/// What is served, and on whose behalf.
pub struct Served {
    /// The knowledge base.
    pub base: KnowledgeBase,
    /// What is served over HTTP to callers who have tokens of their own, by the hashes of these.
    pub callers: Vec<(blake3::Hash, KnowledgeBase)>,
    /// The root of the knowledge base, or the current folder where there is none.
    pub root: PathBuf,
    /// Whether there is one, in which changes of notes are told.
    pub is_somewhere: bool,
    /// Told what goes wrong.
    pub reporter: Arc<dyn Reporter + Send + Sync>,
}

/// How it is served over HTTP.
pub struct OverHttp {
    /// Where it listens; port 0 is one that is free.
    pub address: SocketAddr,
    /// See [`Http::allowed_hosts`].
    pub allowed_hosts: Vec<String>,
    /// See [`Http::allowed_origins`].
    pub allowed_origins: Vec<String>,
    /// See [`Http::requests_per_minute`].
    pub requests_per_minute: u32,
}

/// A server, as `--json` prints it.
pub fn wire(running: &Running, started: bool) -> McpServerWire {
    McpServerWire {
        url: running.url(),
        pid: running.pid,
        running: true,
        started,
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// Serves until the client goes or the process is told to end: over standard input and output, or over
/// HTTP, where `begun` is called once it listens.
///
/// # Errors
/// When nothing can be served.
pub fn serve(
    served: Served,
    http: Option<OverHttp>,
    begun: &mut dyn FnMut(&Running) -> Result<()>,
) -> Result<()> {
    let Served { base, callers, root, is_somewhere, reporter } = served;
    let listening = http.map(|http| Ok::<_, Error>((listen(http.address)?, http))).transpose()?;
    let files = files(&root, &base.environment);
    let health = json!({ "root": root.to_string_lossy(), "pid": std::process::id() });
    let own = operations(base.clone(), Arc::clone(&reporter));
    let (server, handle) = Server::new(own, env!("CARGO_PKG_VERSION"), health);
    let callers = callers.into_iter().map(|(token, base)| {
        (Secret::of_hash(token), server.beside(operations(base, Arc::clone(&reporter))))
    });
    let callers = callers.collect();
    if is_somewhere {
        let watched = root.clone();
        let tell = move || tell_of_changes(&watched, &base, &handle);
        std::thread::Builder::new().name("watch".to_owned()).spawn(tell)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = match listening {
        Some((listener, http)) => {
            let files = files?;
            let token = new_token().map_err(Error::new)?;
            let address = listener.local_addr()?;
            let running = Running {
                pid: std::process::id(),
                address: address.to_string(),
                token: token.clone(),
                root: root.to_string_lossy().into_owned(),
                socket: None,
            };
            files.write(&running)?;
            begun(&running)?;
            let mut allowed_hosts = http.allowed_hosts;
            allowed_hosts.extend(host_of(address.ip()));
            let http = Http {
                listener,
                token,
                callers,
                allowed_hosts,
                allowed_origins: http.allowed_origins,
                requests_per_minute: http.requests_per_minute,
            };
            let ended = runtime.block_on(serve_http(server, http, told_to_end()));
            files.remove(running.pid);
            ended
        }
        None => runtime.block_on(serve_stdio(server)),
    };
    // An operation that is still at work is nobody's any more.
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended.map_err(Error::new)
}

/// Where the server of a repository is written down, in the user's own folder.
///
/// # Errors
/// When the user has no home.
pub fn files(root: &Path, environment: &Environment) -> Result<Files> {
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    Ok(Files::of(&Files::folder(FOLDER, environment)?, &hash[..16]))
}

/// Makes sure that a server of this repository runs, at this address or the usual one; `program` are
/// the words that start one at an address. The server, and whether it was started.
///
/// # Errors
/// When none can be started.
pub fn ensure(
    root: &Path,
    files: &Files,
    address: Option<SocketAddr>,
    program: &dyn Fn(&str) -> Result<Vec<String>>,
) -> Result<(Running, bool)> {
    let programs = match address {
        Some(address) => vec![program(&address.to_string())?],
        // Another program, or the server of another repository, may be at the usual place.
        None => vec![program(ADDRESS)?, program(ANYWHERE)?],
    };
    life::ensure(root, files, &programs)
}

fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).map_err(|cause| {
        let error = Error::new(format_args!("cannot listen at {address}: {cause}"));
        match cause.kind() {
            std::io::ErrorKind::AddrInUse => {
                error.hint("another program is there; give another one: --http 127.0.0.1:0")
            }
            _ => error.hint("give an address of this machine, such as --http 127.0.0.1:7397"),
        }
    })
}
