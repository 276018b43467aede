//! The gateway of a user, served until it is told to end.

use std::{
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{
    entrance::{self, Hall, MOST_BODY},
    files::{GatewayFiles, Right},
    keeping,
    place::place,
    socket::Pace,
    taken,
    visitors::Visitors,
};
use crate::{
    listening::{
        connections::{self, Tcp},
        guard::{Guard, Guarded},
        life::told_to_end,
        names::host_of,
        own::{Own, own_name},
        running::Running,
        token::{Key, new_token},
    },
    mcp::{
        knowledge_tools, operations,
        server::{Server, routes},
    },
    page::Library,
};
use elophanto_app::{
    Environment, Error, Reporter, Result,
    channels::{Bots, ChannelOptions, ChannelSettings, Channels, Here},
    fleet::Reader,
    gateway::{Gateway, GatewayOptions, Served},
};

/// Sockets at once.
const SOCKETS: usize = 1_100;
/// Open files that so many sockets, connections and runs may need.
#[cfg(unix)]
const OPEN_FILES: libc::rlim_t = 8_192;
/// How long runs may take to be written down at the end.
const END: Duration = Duration::from_secs(5);

/// What is served, and on whose behalf.
pub struct Serving {
    /// At least one; the first is also served over MCP.
    pub repositories: Vec<Served>,
    /// What else was to be, and is not there: in words.
    pub missing: Vec<String>,
    pub environment: Environment,
    pub reporter: Arc<dyn Reporter + Send + Sync>,
    pub address: SocketAddr,
    pub allowed_hosts: Vec<String>,
    /// Requests of all programs together; 0: as many as they like.
    pub requests_per_minute: u32,
    pub approval_expires: Duration,
    pub same_person: Vec<Vec<String>>,
    pub channels: ChannelSettings,
    /// Repositories elsewhere that pages may ask.
    pub fleet: Option<Reader>,
    /// Whoever talks at the terminal of this process.
    pub here: Option<Here>,
}

/// Loads beside what every question of a fleet reads; says so if the store does not answer.
fn look_at(fleet: Reader, reporter: Arc<dyn Reporter + Send + Sync>) -> Result<()> {
    let look = move || {
        if let Err(cause) = fleet.warm() {
            let reporter: &dyn Reporter = &*reporter;
            let (address, cause) = (fleet.address(), cause.message().to_owned());
            reporter.warn(format_args!("the fleet of `{address}` does not answer yet: {cause}"));
        }
    };
    thread::Builder::new().name("fleet".to_owned()).spawn(look)?;
    Ok(())
}

/// Serves until the process is told to end; `begun` is called once it listens. Not where another gateway
/// of the user serves, which is what comes back then.
///
/// # Errors
/// When the port is taken, or what is kept cannot be read.
pub fn serve(
    serving: Serving,
    begun: &mut dyn FnMut(&Running) -> Result<()>,
) -> Result<Option<Error>> {
    let Serving { repositories, environment, reporter, address, .. } = serving;
    let first = repositories.first().ok_or_else(|| Error::bug("no repository is served"))?.clone();
    let files = Arc::new(GatewayFiles::of(&environment)?);
    files.prepare()?;
    let _serving = match files.take()? {
        Right::Ours(lock) => lock,
        Right::Taken(by) => return Ok(Some(by)),
    };
    let token = match files.token()? {
        Some(token) => token,
        None if address.ip().is_loopback() => new_token().map_err(Error::new)?,
        None => return Err(without_token(address)),
    };
    let key = Key::new(&token).ok_or_else(|| Error::new("the token holds what no header can"))?;
    allow_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let inside = runtime.enter();
    let listener = listen(address)?;
    let address = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let tcp = Tcp(tokio::net::TcpListener::from_std(listener)?);
    // From here on whatever ends this, also a step that fails, leaves nothing behind.
    let mut opened = Opened { files: Arc::clone(&files), gateway: None };
    let socket = &files.socket;
    let own = Own::bind(socket).map_err(|cause| unreachable_socket(socket, &cause))?;
    let running = Running {
        pid: std::process::id(),
        address: address.to_string(),
        token,
        root: first.root.to_string_lossy().into_owned(),
        socket: Some(socket.clone()),
    };
    let list = |it: &Served| json!({ "name": it.name, "root": it.root.to_string_lossy() });
    let health = json!({
        "root": running.root, "pid": running.pid, "address": running.address,
        "repositories": repositories.iter().map(list).collect::<Vec<_>>(),
        "missing": serving.missing,
    });
    let place = place(&files.folder)?;
    let fleet = serving.fleet.clone();
    let bots = Bots::new(&files.folder, serving.channels.clone(), environment.clone());
    let library = Library {
        bots: Some(bots),
        fleet: serving.fleet,
        ..Library::new(&repositories, environment.clone())
    };
    let (gateway, problems) = Gateway::open(GatewayOptions {
        repositories: repositories.clone(),
        folder: files.folder.clone(),
        approval_expires: serving.approval_expires,
        same_person: serving.same_person,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        tools: Box::new(knowledge_tools),
    })?;
    opened.gateway = Some(Arc::clone(&gateway));
    problems.iter().for_each(|problem| (&*reporter as &dyn Reporter).warn(problem));
    let operations = operations(first.base.clone(), Arc::clone(&reporter));
    let (server, handle) = Server::new(operations, env!("CARGO_PKG_VERSION"), health);
    let mut hosts = serving.allowed_hosts;
    hosts.extend(host_of(address.ip()));
    let guard = Guard::new(Guarded {
        key: Arc::new(key),
        callers: Vec::new(),
        hosts,
        origins: Vec::new(),
        requests_per_minute: serving.requests_per_minute,
        most_bytes: MOST_BODY,
    });
    let closing = CancellationToken::new();
    let (kept, written) = (Arc::clone(&files), running.clone());
    let hall = Arc::new(Hall {
        gateway: Arc::clone(&gateway),
        guard: Arc::new(guard),
        visitors: Mutex::new(Visitors::default()),
        sockets: Arc::new(Semaphore::new(SOCKETS)),
        closing: closing.clone(),
        user: own_name(),
        port: address.port(),
        pace: Pace::default(),
        library: Arc::new(library),
        place,
        keep: Box::new(move |token| {
            kept.write_token(token)?;
            kept.server.write(&Running { token: token.to_owned(), ..written.clone() })
        }),
    });
    files.server.write(&running)?;
    begun(&running)?;
    if let Some(fleet) = fleet {
        look_at(fleet, Arc::clone(&reporter))?;
    }
    // Whoever writes there is told what comes of what waits.
    let options = ChannelOptions {
        gateway: Arc::clone(&gateway),
        folder: files.folder.clone(),
        settings: serving.channels,
        environment: environment.clone(),
        reporter: Arc::clone(&reporter),
    };
    let channels = Channels::open(&options, serving.here);
    gateway.begin()?;
    channels.begin()?;
    for (number, served) in repositories.into_iter().enumerate() {
        let handle = (number == 0).then(|| handle.clone());
        keeping::follow(served, handle, Arc::clone(&reporter))?;
    }
    let jobs = keeping::run_jobs(&environment, reporter)?;
    drop(inside);
    runtime.block_on(async {
        let ending = CancellationToken::new();
        let told = ending.clone();
        tokio::spawn(async move {
            told_to_end().await;
            told.cancel();
        });
        let over_tcp = entrance::over_tcp(&hall, routes(&server, &closing));
        let over_socket = entrance::over_socket(&hall, routes(&server, &closing));
        tokio::join!(
            connections::accept(tcp, over_tcp, SOCKETS, &closing, ending.cancelled()),
            connections::accept(own, over_socket, SOCKETS, &closing, ending.cancelled()),
        );
    });
    // Jobs and conversations end at the same time; nobody on a channel says anything more.
    let jobs = jobs.ending();
    drop(channels);
    drop(opened);
    drop(jobs);
    // An operation that is still at work is nobody's any more.
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(None)
}

/// What is there of a gateway outside of its process, and what goes on in it. Dropping it takes the
/// first away and ends the second.
struct Opened {
    files: Arc<GatewayFiles>,
    gateway: Option<Arc<Gateway>>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.files.server.remove(std::process::id());
        self.gateway.iter().for_each(|gateway| gateway.end(END));
        self.files.remove_socket();
    }
}

/// Never at another port: whoever looks for it there must not meet somebody else.
fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).map_err(|cause| {
        let error = Error::new(format_args!("cannot listen at {address}: {cause}"));
        if cause.kind() != std::io::ErrorKind::AddrInUse {
            return error.hint("give an address of this machine: gateway.host, or --host");
        }
        let who = match taken::listener(address.port()) {
            Some((pid, name)) => {
                format!(
                    "`{}`, process {pid}, listens there",
                    elophanto_base::visible::escape_control_line(&name)
                )
            }
            None => "another program listens there, which is not yours to look at".to_owned(),
        };
        error.hint(format!("{who}: end it, or choose another port: gateway.port, or --port"))
    })
}

fn without_token(address: SocketAddr) -> Error {
    Error::new(format_args!("{} is not this machine alone, and no token is set", address.ip()))
        .hint("`elophanto gateway token rotate` sets one")
        .hint("what is said there can be read on the way: put TLS (wss) in front")
}

fn unreachable_socket(path: &std::path::Path, cause: &std::io::Error) -> Error {
    Error::new(format_args!("cannot listen at `{}`: {cause}", path.display()))
        .hint("a path of at most 107 bytes is needed: XDG_STATE_HOME may name a shorter folder")
}

/// As far as the system lets us: usually 1,024 are open at once, and no more.
#[cfg(unix)]
fn allow_open_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls only read or write the structure, which outlives them. That they fail is no
    // matter: fewer sockets fit then.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 && limit.rlim_cur < OPEN_FILES
        {
            limit.rlim_cur = OPEN_FILES.min(limit.rlim_max);
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}

/// Who has no such limit needs none raised.
#[cfg(not(unix))]
fn allow_open_files() {}
