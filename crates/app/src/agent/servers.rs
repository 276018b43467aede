//! `mcp-servers.json` beside the user's own settings: which servers of others there are, what may
//! be started, and what each offered when the user looked at it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, Metadata},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::{Environment, Error, Result};
use elophanto_agent::{
    mcp_client::{self, At, Credentials, Entry, Started, Surroundings},
    permissions::Level,
};
use elophanto_base::{platform, regular::unwaiting, visible::escape_control_line};
use elophanto_index::store::lock;
use elophanto_net::remote::Realm;
use url::Url;

const FILE: &str = "mcp-servers.json";
const LOCK: &str = "mcp-servers.lock";
const VERSION: u32 = 1;
/// Bytes of the file.
const MOST_FILE: u64 = 1 << 20;
/// Servers in it.
const MOST_SERVERS: usize = 50;
/// Time for a server to start and say what it offers.
const START: Duration = Duration::from_secs(10);

/// A server as it is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Empty for one that runs already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Where one that runs already is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether that may be on a private network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Where the token for it is: `env:NAME` or `vault:NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether the vault holds what it granted when the user signed in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed_in: bool,
    /// Names of the variables it gets.
    #[serde(default)]
    pub environment: Vec<String>,
    /// Levels by the server's own names of its tools.
    #[serde(default)]
    pub levels: BTreeMap<String, String>,
    /// Hash of the command and the variables that the user agreed to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreed: Option<String>,
    /// Hash of what it offered then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offers: Option<String>,
}

impl Kept {
    /// What can be started or asked: trusted only if this very command or address was agreed to.
    ///
    /// # Errors
    /// When a level or an address is none.
    pub fn entry(&self, name: &str) -> Result<Entry> {
        let at = match &self.url {
            None => {
                At::Program { command: self.command.clone(), environment: self.environment.clone() }
            }
            Some(url) => {
                At::Address { url: address(url)?, realm: self.realm(), key: self.key.clone() }
            }
        };
        let mut entry = Entry::at(name, at);
        for (tool, word) in &self.levels {
            entry.levels.insert(tool.clone(), level(word)?);
        }
        entry.trusted = self.agreed.as_ref().is_some_and(|agreed| *agreed == entry.fingerprint());
        Ok(entry)
    }
}

impl Kept {
    /// Which hosts the user agreed to.
    pub fn realm(&self) -> Realm {
        if self.private { Realm::Private } else { Realm::Public }
    }
}

/// An address as it was written.
///
/// # Errors
/// When it is none.
pub fn address(text: &str) -> Result<Url> {
    Url::parse(text).map_err(|cause| {
        Error::new(format_args!("`{}` is no address: {cause}", escape_control_line(text)))
            .hint("such as https://mcp.example.org/mcp")
    })
}

/// A level by its word.
///
/// # Errors
/// When there is no such level.
pub fn level(word: &str) -> Result<Level> {
    Level::named(word).ok_or_else(|| {
        Error::new(format_args!("there is no level `{}`", word.escape_default()))
            .hint("levels are safe, moderate, destructive and critical")
    })
}

#[derive(Serialize, Deserialize)]
struct ServersFile {
    version: u32,
    servers: BTreeMap<String, Kept>,
}

/// All servers by name; none where there is no file.
///
/// # Errors
/// When the file cannot be understood, or others than the user may write it.
pub fn read(environment: &Environment) -> Result<BTreeMap<String, Kept>> {
    match folder(environment) {
        Some(folder) => read_in(&folder),
        None => Ok(BTreeMap::new()),
    }
}

/// The same for a run in a repository, which must not hold the file: its servers would be those of
/// whoever writes there.
///
/// # Errors
/// As [`read`], and when the file lies in the repository.
pub(crate) fn read_for(root: &Path, environment: &Environment) -> Result<BTreeMap<String, Kept>> {
    let servers = read(environment)?;
    let file = folder(environment).map(|folder| folder.join(FILE));
    let place = file.and_then(|file| file.canonicalize().ok());
    if !servers.is_empty() && place.is_some_and(|place| place.starts_with(root)) {
        return Err(Error::new(format_args!("`{FILE}` lies in the repository itself"))
            .hint("keep your settings outside of it"));
    }
    Ok(servers)
}

/// Changes what is kept, one writer at a time: all of it or nothing.
///
/// # Errors
/// As [`read`], and when the file cannot be written, or there would be too many servers.
pub fn change<T>(
    environment: &Environment,
    edit: impl FnOnce(&mut BTreeMap<String, Kept>) -> Result<T>,
) -> Result<T> {
    let folder = folder(environment).ok_or_else(|| {
        Error::new("there is no folder for your settings")
            .hint("set HOME, or XDG_CONFIG_HOME to a folder")
    })?;
    platform::make_folders(&folder, platform::PRIVATE_FOLDER)?;
    let _lock = lock::wait(&folder.join(LOCK))?;
    let mut servers = read_in(&folder)?;
    let before = servers.clone();
    let done = edit(&mut servers)?;
    if servers.len() > MOST_SERVERS {
        return Err(Error::new(format_args!("there are {MOST_SERVERS} servers already"))
            .hint("`elophanto agent mcp remove NAME` makes room"));
    }
    if servers != before {
        write(&folder, servers)?;
    }
    Ok(done)
}

/// Runs `work` while no other process changes servers or renews what they granted.
///
/// # Errors
/// When the lock cannot be had.
pub fn alone<T>(environment: &Environment, work: impl FnOnce() -> T) -> io::Result<T> {
    let Some(folder) = folder(environment) else { return Ok(work()) };
    let _lock = lock::wait(&folder.join(LOCK))?;
    Ok(work())
}

/// Starts servers as a run does: programs with the variables they are granted, in the user's home. A
/// repository must not lie where a program looks for its parts.
///
/// # Errors
/// When the system gives no thread.
pub fn start(
    entries: &[Entry],
    taken: &BTreeSet<String>,
    credentials: &BTreeMap<String, Arc<dyn Credentials>>,
    environment: &Environment,
) -> Result<Started> {
    let names = entries.iter().flat_map(|entry| match &entry.at {
        At::Program { environment, .. } => environment.as_slice(),
        At::Address { .. } => &[],
    });
    let granted = environment.granted(names.map(String::as_str));
    let home = environment.home().unwrap_or_else(|| PathBuf::from("/"));
    let folder: &Path = if home.is_dir() { &home } else { Path::new("/") };
    let surroundings =
        Surroundings { environment: &granted, folder, taken, credentials, patience: START };
    Ok(mcp_client::Servers::start(entries, &surroundings)?)
}

fn folder(environment: &Environment) -> Option<PathBuf> {
    Some(environment.config_home()?.join("elophanto"))
}

fn read_in(folder: &Path) -> Result<BTreeMap<String, Kept>> {
    let path = folder.join(FILE);
    let unread = |why: &dyn std::fmt::Display| {
        Error::new(format_args!("`{}` cannot be read: {why}", path.display()))
    };
    let file = match unwaiting().read(true).open(&path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(cause) => return Err(unread(&cause)),
        Ok(file) => file,
    };
    let stat = file.metadata().map_err(|cause| unread(&cause))?;
    let is_shared = |stat: &Metadata| platform::others_may_write(stat);
    if is_shared(&stat) || fs::metadata(folder).is_ok_and(|stat| is_shared(&stat)) {
        return Err(unread(&"others may write it").hint("take that right from them: chmod go-w"));
    }
    if !stat.is_file() || stat.len() > MOST_FILE {
        return Err(unread(&"it is no file of a few lines"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_FILE).read_to_end(&mut bytes).map_err(|cause| unread(&cause))?;
    let mend = "mend it by hand, or move it away and add the servers again";
    let form: ServersFile =
        serde_json::from_slice(&bytes).map_err(|cause| unread(&cause).hint(mend))?;
    if form.version != VERSION {
        return Err(unread(&format_args!("it is of version {}", form.version)).hint(mend));
    }
    Ok(form.servers)
}

fn write(folder: &Path, servers: BTreeMap<String, Kept>) -> Result<()> {
    let path = folder.join(FILE);
    // A link of the user's own stays one.
    let path = path.canonicalize().unwrap_or(path);
    let mut bytes = serde_json::to_vec_pretty(&ServersFile { version: VERSION, servers })
        .map_err(Error::new)?;
    bytes.push(b'\n');
    let beside = path.parent().unwrap_or(folder);
    // Nobody but the user may read or write a temporary file, nor what becomes of it.
    let mut file = tempfile::NamedTempFile::new_in(beside)?;
    file.write_all(&bytes)?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|failed| failed.error)?;
    fs::File::open(beside)?.sync_all()?;
    Ok(())
}
