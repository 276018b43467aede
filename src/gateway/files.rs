//! What the gateway of a user writes down, in a folder that is theirs alone: where it runs, its token,
//! its socket, its lock, its log.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use axum::http::Method;

use crate::listening::{
    life, own,
    running::{Files, Running},
    token::Secret,
};
use elophanto_app::{Environment, Error, Result, gateway::FOLDER};
use elophanto_base::{
    lock::{self, Lock},
    platform,
    regular::if_there,
};

/// How long it may take to say what it serves.
const ASKING: Duration = Duration::from_secs(1);
const NAME: &str = "gateway";
const SOCKET: &str = "gateway.sock";
/// Bytes of a token.
const MOST_TOKEN: usize = 1024;
/// How long a gateway that was told to end may take.
const ENDING: Duration = Duration::from_secs(15);

/// Files of the gateway of a user.
pub struct GatewayFiles {
    /// Those that every server has.
    pub server: Files,
    pub folder: PathBuf,
    /// Where the user's own programs reach it.
    pub socket: PathBuf,
    token: PathBuf,
    /// Held while one serves.
    serving: PathBuf,
}

/// The right to serve, which one process has at a time.
pub enum Right {
    Ours(Lock),
    /// A gateway of this user serves already: which.
    Taken(Error),
}

/// A gateway that serves a repository.
pub struct Reached {
    pub socket: PathBuf,
    pub pid: u32,
    /// What it calls the repository.
    pub name: String,
}

impl GatewayFiles {
    /// # Errors
    /// When the user has no home.
    pub fn of(environment: &Environment) -> Result<Self> {
        let folder = Files::folder(FOLDER, environment)?;
        Ok(Self {
            server: Files::of(&folder, NAME).with_socket(folder.join(SOCKET)),
            socket: folder.join(SOCKET),
            token: folder.join("token"),
            serving: folder.join("serving.lock"),
            folder,
        })
    }

    /// The gateway that runs, if it answers.
    pub fn running(&self) -> Option<Running> {
        life::running(&self.server)
    }

    /// The gateway that runs, if it serves the repository at `root`.
    pub fn reach(&self, root: &Path) -> Option<Reached> {
        let running = self.running()?;
        let said = own::ask(&self.socket, Method::GET, "/health", ASKING).ok()?.1;
        let root = root.to_string_lossy();
        let served = said["repositories"].as_array()?.iter().find(|it| it["root"] == *root)?;
        let name = served["name"].as_str()?.to_owned();
        Some(Reached { socket: self.socket.clone(), pid: running.pid, name })
    }

    /// The process of a gateway that serves and does not answer.
    pub fn silent(&self) -> Option<u32> {
        let held = self.folder.is_dir()
            && matches!(lock::try_for(&self.serving, Duration::ZERO), Ok(None));
        held.then(|| self.server.read().map(|running| running.pid)).flatten()
    }

    /// Makes the folder, for nobody else to look into.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn prepare(&self) -> Result<()> {
        let private = || {
            fs::create_dir_all(&self.folder)?;
            platform::set_rights_at(&self.folder, platform::PRIVATE_FOLDER)
        };
        private().map_err(|cause| self.server.unwritable(&cause))
    }

    /// The right to serve, where nobody has it.
    ///
    /// # Errors
    /// When one that has it does not answer, or nothing can be written.
    pub fn take(&self) -> Result<Right> {
        let unwritable = |cause| self.server.unwritable(&cause);
        if let Some(lock) = lock::try_for(&self.serving, Duration::ZERO).map_err(unwritable)? {
            return Ok(Right::Ours(lock));
        }
        let already = |running: &Running| {
            let error = Error::new(format_args!(
                "a gateway of yours runs already: process {}, at {}, for `{}`",
                running.pid, running.address, running.root
            ));
            let hint = "`elophanto gateway stop` ends it; one gateway serves several repositories: \
                        gateway.repositories";
            Right::Taken(error.hint(hint))
        };
        if let Some(running) = self.running() {
            return Ok(already(&running));
        }
        // It begins, or ends.
        match lock::try_for(&self.serving, ENDING).map_err(unwritable)? {
            Some(lock) => Ok(Right::Ours(lock)),
            None => match self.running() {
                Some(running) => Ok(already(&running)),
                None => Err(Error::new("a gateway of yours is there, and does not answer")
                    .hint(format!("whoever has `{}` open is it", self.serving.display()))),
            },
        }
    }

    /// Waits until nobody serves any more.
    ///
    /// # Errors
    /// When it takes too long.
    pub fn wait_until_ended(&self) -> Result<()> {
        match lock::try_for(&self.serving, ENDING) {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(Error::new("the gateway does not end")
                .hint(format!("whoever has `{}` open is it", self.serving.display()))),
            Err(cause) => Err(self.server.unwritable(&cause)),
        }
    }

    /// The socket of a gateway that has ended; the caller still holds the right to serve.
    pub fn remove_socket(&self) {
        let _ = fs::remove_file(&self.socket);
    }

    /// The token that the user had made, if they had.
    ///
    /// # Errors
    /// When it cannot be read, or no client could send it.
    pub fn token(&self) -> Result<Option<String>> {
        let read = if_there(fs::read(&self.token));
        let read = read.map_err(|cause| unreadable(&self.token, &cause.to_string()))?;
        let Some(bytes) = read else { return Ok(None) };
        let text = String::from_utf8(bytes).unwrap_or_default();
        let token = text.trim();
        match Secret::new(token) {
            Some(_) if token.len() <= MOST_TOKEN => Ok(Some(token.to_owned())),
            _ => Err(unreadable(&self.token, "it is empty, or holds what no header can")),
        }
    }

    /// Keeps a token for every start from now on; only the user may read it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_token(&self, token: &str) -> Result<()> {
        let written = elophanto_index::store::write_whole(&self.token, token.as_bytes());
        written.map_err(|cause| self.server.unwritable(&cause))
    }
}

fn unreadable(path: &Path, cause: &str) -> Error {
    Error::new(format_args!("the token in `{}` is of no use: {cause}", path.display()))
        .hint("`elophanto gateway token rotate` makes another one")
}
