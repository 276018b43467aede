//! Where sessions lie: a file for each, written whole or not at all, readable by its owner only.

mod form;
mod said;
#[cfg(test)]
mod tests;

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use uuid::Uuid;

pub use said::Said;

use super::Session;
use elophanto_base::{
    lock, platform,
    regular::{self, if_there},
    whole::{PRIVATE, Synced, write_whole},
};

/// Bytes of a session's file.
const FILE_CAP: u64 = 16 * 1024 * 1024;
/// A list of runs takes the lock for a moment to see whether anybody holds it.
const PATIENCE: Duration = Duration::from_millis(100);
/// Ids that an ambiguous beginning is answered with.
const SHOWN: usize = 5;

#[derive(Debug, thiserror::Error)]
pub enum SessionsError {
    #[error("`{0}` is no id of a session")]
    BadId(String),
    #[error("there is no session {0}")]
    Missing(Uuid),
    #[error("there is no session whose id begins with `{0}`, and none of that name")]
    NoneBegins(String),
    #[error("there is no session `{0}`")]
    NoneNamed(String),
    #[error("`{prefix}` fits several sessions, such as {}", shown.join(", "))]
    Ambiguous { prefix: String, shown: Vec<String> },
    /// Another run, in this process or another one.
    #[error("a run is going on in session {0}")]
    Busy(Uuid),
    #[error("`{}` is damaged: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
    #[error("`{}` was written by a newer version", path.display())]
    Newer { path: PathBuf },
    #[error("`{}` cannot be {action}: {source}", path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
}

/// All sessions of a folder.
#[derive(Debug, Clone)]
pub struct Sessions {
    folder: PathBuf,
}

/// What a folder of sessions holds.
#[derive(Debug)]
pub struct Listing {
    /// The one that was used last comes first.
    pub sessions: Vec<Session>,
    /// Files that are no sessions any more. They are left as they are.
    pub problems: Vec<SessionsError>,
}

/// Held while a run is in a session. The kernel lets go of it however the process ends.
#[derive(Debug)]
pub struct SessionLock {
    _file: File,
}

impl Sessions {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The id that a text names: a UUID in its usual form, so never a path.
    ///
    /// # Errors
    /// [`SessionsError::BadId`].
    pub fn id(text: &str) -> Result<Uuid, SessionsError> {
        let shown = || elophanto_base::one_line::one_line(text, 60);
        let id = Uuid::try_parse(text).map_err(|_| SessionsError::BadId(shown()))?;
        let is_plain = id.hyphenated().to_string() == text;
        if is_plain { Ok(id) } else { Err(SessionsError::BadId(shown())) }
    }

    /// The id of a session that is there, by its beginning, or by the name that the user gave it.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn find(&self, text: &str) -> Result<Uuid, SessionsError> {
        if let Ok(id) = Self::id(text) {
            return Ok(id);
        }
        let wanted = text.to_ascii_lowercase();
        let is_plain = wanted.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        let shown = || elophanto_base::one_line::one_line(text, 60);
        if wanted.trim().is_empty() {
            return Err(SessionsError::BadId(shown()));
        }
        let mut ids = self.ids()?;
        ids.retain(|id| is_plain && id.to_string().starts_with(&wanted));
        if ids.is_empty() {
            ids = self.named(text.trim())?;
        }
        match ids.as_slice() {
            [] if is_plain => Err(SessionsError::NoneBegins(shown())),
            [] => Err(SessionsError::NoneNamed(shown())),
            [id] => Ok(*id),
            several => {
                let ids = several.iter().take(SHOWN).map(Uuid::to_string).collect();
                Err(SessionsError::Ambiguous { prefix: shown(), shown: ids })
            }
        }
    }

    /// Sessions of a name, in whatever case it is written, the newest first.
    fn named(&self, name: &str) -> Result<Vec<Uuid>, SessionsError> {
        let (name, listed) = (name.to_lowercase(), self.list()?.sessions);
        let is_it = |session: &&Session| {
            session.name.as_ref().is_some_and(|own| own.to_lowercase() == name)
        };
        Ok(listed.iter().filter(is_it).map(|session| session.id).collect())
    }

    /// # Errors
    /// When there is none, or what is there cannot be understood.
    pub fn load(&self, id: Uuid) -> Result<Session, SessionsError> {
        let path = self.path(id);
        let failed =
            |cause| SessionsError::Io { path: path.clone(), action: "read", source: cause };
        let damaged = |reason| SessionsError::Damaged { path: path.clone(), reason };
        let over = || damaged(format!("over the cap of {FILE_CAP} bytes"));
        let read = regular::open(&path).and_then(|file| regular::read_capped(file, FILE_CAP));
        let read = if_there(read).map_err(failed)?.ok_or(SessionsError::Missing(id))?;
        let bytes = read.ok_or_else(over)?;
        let session = match form::decode(&bytes) {
            Ok(session) => session,
            Err(form::Fault::Newer) => return Err(SessionsError::Newer { path }),
            Err(form::Fault::Damaged(reason)) => return Err(damaged(reason)),
        };
        if session.id != id {
            return Err(damaged(format!("it says that it is session {}", session.id)));
        }
        Ok(session)
    }

    /// Replaces the file of a session as a whole and counts its revision up. Once this returns, it
    /// is on disk.
    ///
    /// # Errors
    /// When it cannot be written; the old file is then still there.
    pub fn save(&self, session: &mut Session) -> Result<(), SessionsError> {
        self.write(session, Synced::Content)
    }

    /// The same without waiting for the disk, for the middle of a run: it outlives the process, but
    /// perhaps not the machine.
    pub(super) fn save_soon(&self, session: &mut Session) -> Result<(), SessionsError> {
        self.write(session, Synced::Nothing)
    }

    fn write(&self, session: &mut Session, synced: Synced) -> Result<(), SessionsError> {
        let path = self.path(session.id);
        session.revision = session.revision.saturating_add(1);
        let bytes = form::encode(session);
        let written = self.make_folder().and_then(|()| write_whole(&path, &bytes, PRIVATE, synced));
        written.map_err(|cause| {
            session.revision = session.revision.saturating_sub(1);
            SessionsError::Io { path, action: "written", source: cause }
        })
    }

    /// Keeps everybody else from running in a session.
    ///
    /// # Errors
    /// [`SessionsError::Busy`] if somebody is.
    pub fn lock(&self, id: Uuid) -> Result<SessionLock, SessionsError> {
        let path = self.folder.join(format!(".{}.lock", id.hyphenated()));
        let failed =
            |cause| SessionsError::Io { path: path.clone(), action: "locked", source: cause };
        self.make_folder().map_err(failed)?;
        let file = regular::open_or_make(&path, PRIVATE).map_err(failed)?;
        let is_taken = lock::take_within(&file, PATIENCE).map_err(failed)?;
        if is_taken { Ok(SessionLock { _file: file }) } else { Err(SessionsError::Busy(id)) }
    }

    /// Whether a run is going on in a session.
    pub fn is_busy(&self, id: Uuid) -> bool {
        // Without a session there is no lock, and none is made.
        self.path(id).exists() && matches!(self.lock(id), Err(SessionsError::Busy(_)))
    }

    /// All sessions that can be read, and what cannot. No folder is no session.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Listing, SessionsError> {
        let mut listing = Listing { sessions: Vec::new(), problems: Vec::new() };
        for id in self.ids()? {
            match self.load(id) {
                Ok(session) => listing.sessions.push(session),
                // Somebody has removed it meanwhile.
                Err(SessionsError::Missing(_)) => {}
                Err(problem) => listing.problems.push(problem),
            }
        }
        listing.sessions.sort_by(|one, two| (two.updated, one.id).cmp(&(one.updated, two.id)));
        Ok(listing)
    }

    /// Removes a session for good.
    ///
    /// # Errors
    /// When there is none, or a run is going on in it.
    pub fn remove(&self, id: Uuid) -> Result<(), SessionsError> {
        let path = self.path(id);
        if !path.try_exists().unwrap_or(true) {
            return Err(SessionsError::Missing(id));
        }
        let lock = self.lock(id)?;
        self.remove_held(id, lock)
    }

    /// The same by whoever holds its lock.
    ///
    /// # Errors
    /// When it is not there, or cannot be removed.
    pub fn remove_held(&self, id: Uuid, _lock: SessionLock) -> Result<(), SessionsError> {
        let path = self.path(id);
        // The lock file stays: whoever waits for it must not hold another one than whoever comes.
        // What was said goes first: whatever is left has a session that lists it.
        self.remove_said(id)?;
        let removed = if_there(fs::remove_file(&path));
        let failed = |cause| SessionsError::Io { path, action: "removed", source: cause };
        removed.map_err(failed)?.ok_or(SessionsError::Missing(id))
    }

    fn ids(&self) -> Result<Vec<Uuid>, SessionsError> {
        let failed =
            |cause| SessionsError::Io { path: self.folder.clone(), action: "read", source: cause };
        ids_in(&self.folder, ".json", |stem| Self::id(stem).ok()).map_err(failed)
    }

    fn path(&self, id: Uuid) -> PathBuf {
        self.folder.join(format!("{}.json", id.hyphenated()))
    }

    fn make_folder(&self) -> io::Result<()> {
        platform::make_folders(&self.folder, platform::PRIVATE_FOLDER)
    }
}

/// The ids that files of a folder are named by, before this ending; none of a folder that is not there.
pub(super) fn ids_in<T: Ord>(
    folder: &Path,
    ending: &str,
    id: impl Fn(&str) -> Option<T>,
) -> io::Result<Vec<T>> {
    let mut ids = Vec::new();
    for entry in if_there(fs::read_dir(folder))?.into_iter().flatten() {
        let name = entry?.file_name();
        ids.extend(name.to_str().and_then(|name| id(name.strip_suffix(ending)?)));
    }
    ids.sort_unstable();
    Ok(ids)
}
