//! The files of lessons on disk: listing and reading them. How such files are reached, made and
//! written is the journal's ([`RecordFolder`]).

use std::path::{Path, PathBuf};

use super::{
    FOLDER, MemoryError, Read, is_repo_name, lessons::repo_below, parse_file, repo_name::ARCHIVE,
};
use elophanto_base::{beneath::Kind, jsonl};
use elophanto_repo::{
    Repository,
    journal::{self, JournalError, Limits, RecordFolder},
};

/// Bytes from which on a file takes no further records.
const FULL_BYTES: u64 = 256 * 1024;

/// The files of all repositories' lessons. Holds none open.
///
/// `<folder>/<repo>/<ulid>.jsonl` are ours, as is what was moved to
/// `<folder>/archive/<repo>/<ulid>.jsonl`; `<folder>/<repo>.jsonl` is written by other programs, and
/// only read.
#[derive(Debug, Clone)]
pub struct Files {
    pub(super) records: RecordFolder,
}

/// A file of lessons.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    pub path: PathBuf,
    /// The repository of its folder, or of its name.
    pub repo: String,
    pub is_archived: bool,
}

/// What there is. What could not be listed is said beside the rest.
#[derive(Debug, Default)]
pub struct Listing {
    /// By path.
    pub files: Vec<Found>,
    pub unreadable: Vec<JournalError>,
}

impl Files {
    /// The folder of all lessons (`.elophanto/memory`), and the file whose lock all writers take,
    /// which git must not see. What lies above the folder that holds `folder` must be there.
    pub fn new(folder: PathBuf, lock: PathBuf) -> Self {
        let limits = Limits { full_bytes: FULL_BYTES, ..Limits::default() };
        Self { records: RecordFolder::new(folder, lock, limits) }
    }

    /// Where they lie: a folder for each repository.
    pub fn folder(&self) -> &Path {
        self.records.path()
    }

    /// Those that git carries with a repository.
    pub fn of_repository(repository: &Repository) -> Self {
        let lock = repository.local_dir().join("memory.lock");
        Self::new(repository.root.join(FOLDER), lock)
    }

    /// All files, at most 100,000. A folder that does not exist is empty; what does not bear a name
    /// of ours is passed over, and named if it might be taken for a file of lessons.
    pub fn list(&self) -> Listing {
        let mut listing = self.list_unsorted();
        listing.files.sort_unstable();
        listing.unreadable.sort_by_key(ToString::to_string);
        listing
    }

    /// The same in no order: what is asked for every question sorts for itself.
    pub(super) fn list_unsorted(&self) -> Listing {
        let mut listing = journal::Listing::default();
        if let Err(error) = self.list_all(&mut listing) {
            listing.unreadable.push(error);
        }
        let found = |path: PathBuf| {
            let below = path.strip_prefix(self.folder()).unwrap_or(&path);
            Found { repo: repo_below(below), is_archived: below.starts_with(ARCHIVE), path }
        };
        let files = listing.files.into_iter().map(found).collect();
        Listing { files, unreadable: listing.unreadable }
    }

    /// What a file holds. One that has vanished is empty.
    ///
    /// # Errors
    /// When it cannot be read, is a link, or has more than 64 MiB. Damage inside is no error.
    pub fn read(&self, found: &Found) -> Result<Read, MemoryError> {
        let Some(root) = self.records.root()? else { return Ok(Read::default()) };
        Ok(parse_file(&self.records.bytes(&root, &found.path)?, &found.repo))
    }

    /// Keeps everybody from writing for as long as the result lives.
    ///
    /// # Errors
    /// When the lock cannot be taken.
    pub fn hold(&self) -> Result<jsonl::Lock, MemoryError> {
        Ok(self.records.hold()?)
    }

    pub(super) fn archive_folder(&self) -> PathBuf {
        self.folder().join(ARCHIVE)
    }

    fn list_all(&self, listing: &mut journal::Listing) -> Result<(), JournalError> {
        let mut repos = Vec::new();
        for (name, kind) in self.records.entries(self.folder())? {
            let path = self.folder().join(&name);
            if kind != Kind::Folder && is_single(&name) {
                self.records.add(path, kind, listing)?;
            } else if is_repo(&name, kind) {
                repos.push(path);
            }
        }
        let archive = self.archive_folder();
        match self.records.entries(&archive) {
            Ok(found) => {
                let found = found.into_iter().filter(|(name, kind)| is_repo(name, *kind));
                repos.extend(found.map(|(name, _)| archive.join(name)));
            }
            Err(error) => listing.unreadable.push(error),
        }
        self.records.list(repos, listing);
        Ok(())
    }
}

/// Whether this is the folder of a repository, or a link in its place, which is refused.
fn is_repo(name: &str, kind: Kind) -> bool {
    matches!(kind, Kind::Folder | Kind::Link) && is_repo_name(name)
}

/// Whether another program may keep the lessons of a repository in a file of this name.
fn is_single(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(|stem| !stem.is_empty() && !stem.starts_with('.'))
}
