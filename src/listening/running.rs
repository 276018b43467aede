//! A server that was started: where it is written down, and whether it answers.

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use axum::http::Method;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::own;
use elophanto_app::{Environment, Error, Result};
use elophanto_net::http::{Auth, Client, Endpoint, Patience, block_on};

/// A server that was started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Running {
    pub pid: u32,
    pub address: String,
    pub token: String,
    pub root: String,
    /// Where the user's own programs reach it: whoever else listens at the address learns no token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
}

impl Running {
    pub fn url(&self) -> String {
        format!("{}/mcp", self.base())
    }

    /// A server that listens at all addresses is reached by that of this machine.
    pub fn base(&self) -> String {
        let address = match self.address.parse::<SocketAddr>() {
            Ok(address) if address.ip().is_unspecified() => match address.ip() {
                IpAddr::V4(_) => (Ipv4Addr::LOCALHOST, address.port()).into(),
                IpAddr::V6(_) => (Ipv6Addr::LOCALHOST, address.port()).into(),
            },
            Ok(address) => address,
            Err(_) => return format!("http://{}", self.address),
        };
        format!("http://{address}")
    }

    /// Whether it answers within `limit`, and is the one that was written down.
    pub fn is_well(&self, limit: Duration) -> bool {
        let said = match &self.socket {
            Some(socket) => own::ask(socket, Method::GET, "/health", limit).ok().map(|it| it.1),
            None => self.said_over_tcp(limit),
        };
        said.is_some_and(|said| said["root"] == self.root.as_str() && said["pid"] == self.pid)
    }

    fn said_over_tcp(&self, limit: Duration) -> Option<Value> {
        let base = Url::parse(&self.base()).ok()?;
        let auth = Auth::Bearer(self.token.clone().into());
        let patience =
            Patience { connect: limit, request: limit, idle: limit, total: limit, attempts: 1 };
        let client = Client::new(Endpoint::new(base, auth), patience).ok()?;
        let asked = async { tokio::time::timeout(limit, client.get("/health")).await };
        Some(block_on(asked).ok()?.ok()?.json)
    }
}

/// Files of one server, in the user's own folder.
pub struct Files {
    running: PathBuf,
    /// Held by whoever starts or ends it.
    pub lock: PathBuf,
    pub log: PathBuf,
    /// Where the server is reached by the user's own programs, if it always is there.
    socket: Option<PathBuf>,
}

impl Files {
    /// Those called so in a folder of the user's.
    pub fn of(folder: &Path, name: &str) -> Self {
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        Self { running: file("json"), lock: file("lock"), log: file("log"), socket: None }
    }

    /// The same of a server that always is at a socket of the user's own.
    pub fn with_socket(self, socket: PathBuf) -> Self {
        Self { socket: Some(socket), ..self }
    }

    /// The folder of all servers of a kind.
    ///
    /// # Errors
    /// When the user has no home.
    pub fn folder(kind: &str, environment: &Environment) -> Result<PathBuf> {
        let folder = environment.state_folder();
        let folder =
            folder.ok_or_else(|| Error::new("there is no home folder").hint("set HOME"))?;
        Ok(folder.join(kind))
    }

    pub fn read(&self) -> Option<Running> {
        serde_json::from_slice(&fs::read(&self.running).ok()?).ok()
    }

    /// The server at the socket, as far as it says itself what is not to be read of it: without its token.
    pub fn at_socket(&self, limit: Duration) -> Option<Running> {
        let socket = self.socket.as_ref()?;
        let said = own::ask(socket, Method::GET, "/health", limit).ok()?.1;
        let text = |key: &str| said[key].as_str().map(str::to_owned);
        Some(Running {
            pid: said["pid"].as_u64()?.try_into().ok()?,
            address: text("address")?,
            token: String::new(),
            root: text("root")?,
            socket: Some(socket.clone()),
        })
    }

    /// Only the user may read it, as every file that is written whole: it holds the token.
    pub fn write(&self, running: &Running) -> Result<()> {
        let text = serde_json::to_string(running).map_err(Error::new)?;
        let written = elophanto_index::store::write_whole(&self.running, text.as_bytes());
        written.map_err(|cause| self.unwritable(&cause))
    }

    /// The failure to write one of them.
    pub fn unwritable(&self, cause: &io::Error) -> Error {
        let folder = self.running.parent().unwrap_or(&self.running);
        Error::new(format_args!("`{}` cannot be written to: {cause}", folder.display()))
            .hint("servers of the user are written down there; it must be a folder of yours")
    }

    /// Forgets the server of this process, unless another one has taken its place; what cannot be read
    /// stands for none.
    pub fn remove(&self, pid: u32) {
        if self.read().is_none_or(|now| now.pid == pid) {
            let _ = fs::remove_file(&self.running);
        }
    }
}
