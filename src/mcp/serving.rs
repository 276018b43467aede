//! The server of a repository over its life: served here, started in the background unless it runs,
//! asked whether it runs, ended.

use std::{
    net::{IpAddr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    operations,
    running::{Files, Running},
    server::{Http, Server, new_token, serve_http, serve_stdio},
    watching::tell_of_changes,
};
use elophanto_app::{Error, Reporter, workspace::KnowledgeBase};
use elophanto_base::{process, visible::escape_control_line};
use elophanto_index::store::lock;

/// Where it listens if nothing else is said.
pub const ADDRESS: &str = "127.0.0.1:7397";
/// At this machine, where the system finds room.
const ANYWHERE: &str = "127.0.0.1:0";
/// How long a server may take to answer for the first time.
const START: Duration = Duration::from_secs(10);
/// How long a check of a running one may take.
const CHECK: Duration = Duration::from_millis(500);
/// How long a server may take to end.
const END: Duration = Duration::from_secs(10);
/// How often is looked whether it has begun or ended.
const LOOKS: Duration = Duration::from_millis(20);

/// What is served, and on whose behalf.
pub struct Served {
    pub base: KnowledgeBase,
    /// The root of the knowledge base, or the current folder where there is none.
    pub root: PathBuf,
    /// Whether there is one, in which changes of notes are told.
    pub is_somewhere: bool,
    pub reporter: Arc<dyn Reporter + Send + Sync>,
}

/// How it is served over HTTP.
pub struct OverHttp {
    pub address: SocketAddr,
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    pub requests_per_minute: u32,
}

/// Serves until the client goes or the process is told to end: over standard input and output, or over
/// HTTP, where `begun` is called once it listens.
///
/// # Errors
/// When nothing can be served.
pub fn serve(
    served: Served,
    http: Option<OverHttp>,
    begun: &mut dyn FnMut(&Running) -> Result<(), Error>,
) -> Result<(), Error> {
    let Served { base, root, is_somewhere, reporter } = served;
    let listening = http.map(|http| Ok::<_, Error>((listen(http.address)?, http))).transpose()?;
    let files = Files::of(&root, &base.environment);
    let health = serde_json::json!({ "root": root.to_string_lossy(), "pid": std::process::id() });
    let operations = operations(base.clone(), reporter);
    let (server, handle) = Server::new(operations, env!("CARGO_PKG_VERSION"), health);
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
            };
            files.write(&running)?;
            begun(&running)?;
            let mut allowed_hosts = http.allowed_hosts;
            // No name that somebody else could point here.
            match address.ip() {
                ip if ip.is_unspecified() => {}
                IpAddr::V4(ip) => allowed_hosts.push(ip.to_string()),
                IpAddr::V6(ip) => allowed_hosts.push(format!("[{ip}]")),
            }
            let http = Http {
                listener,
                token,
                allowed_hosts,
                allowed_origins: http.allowed_origins,
                requests_per_minute: http.requests_per_minute,
            };
            let ended = runtime.block_on(serve_http(server, http, told_to_end()));
            files.remove(&running);
            ended
        }
        None => runtime.block_on(serve_stdio(server)),
    };
    // An operation that is still at work is nobody's any more.
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended.map_err(Error::new)
}

fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
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

/// When the process is told to end.
async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut ended), Ok(mut interrupted)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = ended.recv() => {}
        _ = interrupted.recv() => {}
    }
}

/// The server of this repository, if it answers.
pub fn running(files: &Files) -> Option<Running> {
    files.read().filter(|running| running.is_well(CHECK))
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
    program: &dyn Fn(&str) -> Result<Vec<String>, Error>,
) -> Result<(Running, bool), Error> {
    // Of several that want one, the first starts it and the others find it.
    let _lock = lock::wait(&files.lock).map_err(|cause| files.unwritable(&cause))?;
    if let Some(running) = running(files) {
        return Ok((running, false));
    }
    let start = |address: &str| start(&program(address)?, root, files);
    let started = match address {
        Some(address) => start(&address.to_string()),
        // Another program, or the server of another repository, may be at the usual place.
        None => start(ADDRESS).or_else(|_| start(ANYWHERE)),
    };
    Ok((started?, true))
}

/// Starts a server in the background and waits until it answers.
fn start(program: &[String], root: &Path, files: &Files) -> Result<Running, Error> {
    let mut started =
        process::detach(program, root, Stdio::null(), Some(&files.log)).map_err(Error::new)?;
    let begun = Instant::now();
    while begun.elapsed() < START {
        let running = files.read().filter(|running| running.pid == started.id());
        if let Some(running) = running.filter(|running| running.is_well(CHECK)) {
            return Ok(running);
        }
        if started.has_ended() {
            break;
        }
        std::thread::sleep(LOOKS);
    }
    // One that nobody finds must not stay.
    started.stop();
    if let Some(running) = files.read().filter(|running| running.pid == started.id()) {
        files.remove(&running);
    }
    let said = std::fs::read_to_string(&files.log).unwrap_or_default();
    let last = said.lines().find(|line| line.starts_with("error")).unwrap_or("it says nothing");
    Err(Error::new(format_args!("the server does not start: {}", escape_control_line(last)))
        .hint(format!("its words are in `{}`", files.log.display())))
}

/// Ends the server of this repository: the one that ran, if one did.
///
/// # Errors
/// When it does not end.
pub fn stop(files: &Files) -> Result<Option<Running>, Error> {
    // Who makes sure of one meanwhile starts it after this.
    let _lock = lock::wait(&files.lock).map_err(|cause| files.unwritable(&cause))?;
    // It answers with its own number, so the number is nobody else's by now.
    let Some(running) = running(files) else { return Ok(None) };
    process::ask_to_end(running.pid)?;
    let begun = Instant::now();
    while running.is_well(CHECK) {
        if begun.elapsed() > END {
            return Err(Error::new(format_args!("the server {} does not end", running.pid))
                .hint("end it by hand: kill -9 with this number"));
        }
        std::thread::sleep(LOOKS);
    }
    files.remove(&running);
    Ok(Some(running))
}
