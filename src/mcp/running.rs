//! The HTTP server of a repository: where it is written down, and whether it answers.

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use url::Url;

use elophanto_app::{Environment, Error};
use elophanto_net::http::{Auth, Client, Endpoint, Patience, block_on};

/// A server that was started.
#[derive(Debug, Serialize, Deserialize)]
pub struct Running {
    pub pid: u32,
    pub address: String,
    pub token: String,
    pub root: String,
}

impl Running {
    pub fn url(&self) -> String {
        format!("{}/mcp", self.base())
    }

    /// A server that listens at all addresses is reached by that of this machine.
    fn base(&self) -> String {
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
        let Ok(base) = Url::parse(&self.base()) else { return false };
        let auth = Auth::Bearer(self.token.clone().into());
        let patience =
            Patience { connect: limit, request: limit, idle: limit, total: limit, attempts: 1 };
        let Ok(client) = Client::new(Endpoint::new(base, auth), patience) else { return false };
        let asked = async { tokio::time::timeout(limit, client.get("/health")).await };
        let Ok(Ok(reply)) = block_on(asked) else { return false };
        reply.json["root"] == self.root.as_str() && reply.json["pid"] == self.pid
    }
}

/// Files of the server of one repository, in the user's own folder.
pub struct Files {
    running: PathBuf,
    pub lock: PathBuf,
    pub log: PathBuf,
}

impl Files {
    pub fn of(root: &Path, environment: &Environment) -> Result<Self, Error> {
        let folder = environment
            .state_folder()
            .ok_or_else(|| Error::new("there is no home folder").hint("set HOME"))?
            .join("mcp");
        let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        let file = |ending: &str| folder.join(format!("{}.{ending}", &hash[..16]));
        Ok(Self { running: file("json"), lock: file("lock"), log: file("log") })
    }

    pub fn read(&self) -> Option<Running> {
        serde_json::from_slice(&fs::read(&self.running).ok()?).ok()
    }

    /// Only the user may read it, as every file that is written whole: it holds the token.
    pub fn write(&self, running: &Running) -> Result<(), Error> {
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

    /// Unless another server has taken its place.
    pub fn remove(&self, running: &Running) {
        if self.read().is_some_and(|now| now.pid == running.pid) {
            let _ = fs::remove_file(&self.running);
        }
    }
}
