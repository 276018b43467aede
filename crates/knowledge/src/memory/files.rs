//! Folders and files as they are on disk: listing, reading, making a folder.
//!
//! Nothing here follows a link: neither the folder of all lessons nor the one that holds it (both
//! bear our names, and a commit can bring a link under either), nor a repository's, nor a file.
//! What lies above is the caller's to vouch for.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ulid::Ulid;

use super::{FOLDER, MemoryError, Read, append, is_repo_name, names, parse_file, read, repo_name};
use elophanto_base::{
    beneath::{Folder, Kind, Refusal, above_ours, refusal},
    jsonl::{self, JsonlError},
};
use elophanto_repo::Repository;

/// How much is listed, and from which size on a file takes no further records.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    pub files: usize,
    pub full_bytes: u64,
}

/// The files of all repositories' lessons. Holds none open.
///
/// `<folder>/<repo>/<ulid>.jsonl` are ours, as is what was moved to
/// `<folder>/archive/<repo>/<ulid>.jsonl`; `<folder>/<repo>.jsonl` is written by other programs, and
/// only read.
#[derive(Debug, Clone)]
pub struct Files {
    pub(super) folder: PathBuf,
    pub(super) lock: PathBuf,
    pub(super) limits: Limits,
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
    pub unreadable: Vec<MemoryError>,
}

impl Files {
    /// The folder of all lessons (`.elophanto/memory`), and the file whose lock all writers take,
    /// which git must not see. What lies above the folder that holds `folder` must be there.
    pub fn new(folder: PathBuf, lock: PathBuf) -> Self {
        Self { folder, lock, limits: Limits { files: 100_000, full_bytes: 256 * 1024 } }
    }

    /// Where they lie: a folder for each repository.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Those that git carries with a repository.
    pub fn of_repository(repository: &Repository) -> Self {
        let lock = repository.local_dir().join("memory.lock");
        Self::new(repository.root.join(FOLDER), lock)
    }

    /// All files, at most 100,000. A folder that does not exist is empty; what does not bear a name
    /// of ours is passed over.
    pub fn list(&self) -> Listing {
        let mut listing = self.list_unsorted();
        listing.files.sort_unstable();
        listing
    }

    /// The same in no order: what is asked for every question sorts for itself.
    pub(super) fn list_unsorted(&self) -> Listing {
        let mut listing = Listing::default();
        if let Err(error) = self.list_all(&mut listing) {
            listing.unreadable.push(error);
        }
        listing
    }

    /// What a file holds. One that has vanished is empty.
    ///
    /// # Errors
    /// When it cannot be read, is a link, or has more than 64 MiB. Damage inside is no error.
    pub fn read(&self, found: &Found) -> Result<Read, MemoryError> {
        let Some(root) = self.root()? else { return Ok(Read::default()) };
        Ok(parse_file(&bytes(&root, &found.path)?, &found.repo))
    }

    /// What all files are reached from; `None` if it is not there.
    pub(super) fn root(&self) -> Result<Option<Folder>, MemoryError> {
        match Folder::open(above_ours(&self.folder)) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some).map_err(failed(&self.folder, "read")),
        }
    }

    /// Keeps everybody from writing for as long as the result lives.
    ///
    /// # Errors
    /// When the lock cannot be taken.
    pub fn hold(&self) -> Result<jsonl::Lock, MemoryError> {
        if let Some(folder) = self.lock.parent() {
            fs::create_dir_all(folder).map_err(failed(folder, "made"))?;
        }
        Ok(jsonl::lock(&self.lock)?)
    }

    pub(super) fn archive_folder(&self) -> PathBuf {
        self.folder.join(repo_name::ARCHIVE)
    }

    fn list_all(&self, listing: &mut Listing) -> Result<(), MemoryError> {
        let Some(root) = &self.root()? else { return Ok(()) };
        for (name, kind) in entries(root, &self.folder, self.limits.files)? {
            let path = self.folder.join(&name);
            let single = name.strip_suffix(names::SUFFIX).filter(|stem| is_stem(stem));
            match single {
                _ if kind == Kind::Folder && name == repo_name::ARCHIVE => {}
                _ if kind == Kind::Folder && is_repo_name(&name) => {
                    self.list_repo(root, path, &name, false, listing)?;
                }
                Some(stem) if kind == Kind::File => {
                    let repo = repo_name(None, stem);
                    self.add(Found { path, repo, is_archived: false }, listing)?;
                }
                Some(_) if kind != Kind::Folder => {
                    listing.unreadable.push(JsonlError::NotAFile(path).into());
                }
                _ if kind == Kind::Link && is_repo_name(&name) => {
                    listing.unreadable.push(MemoryError::NotAFolder(path));
                }
                _ => {}
            }
        }
        self.list_archive(root, listing)
    }

    fn list_archive(&self, root: &Folder, listing: &mut Listing) -> Result<(), MemoryError> {
        let archive = self.archive_folder();
        for (name, kind) in entries(root, &archive, self.limits.files)? {
            let path = archive.join(&name);
            if kind == Kind::Folder && is_repo_name(&name) {
                self.list_repo(root, path, &name, true, listing)?;
            } else if kind == Kind::Link && is_repo_name(&name) {
                listing.unreadable.push(MemoryError::NotAFolder(path));
            }
        }
        Ok(())
    }

    fn list_repo(
        &self,
        root: &Folder,
        folder: PathBuf,
        repo: &str,
        is_archived: bool,
        listing: &mut Listing,
    ) -> Result<(), MemoryError> {
        let files = match repo_files(root, &folder, self.limits.files) {
            Ok(files) => files,
            // One folder that cannot be read hides no other.
            Err(error @ MemoryError::TooManyFiles { .. }) => return Err(error),
            Err(error) => {
                listing.unreadable.push(error);
                return Ok(());
            }
        };
        // The newest first, as long as there is room.
        for (id, is_file) in files.into_iter().rev() {
            let path = folder.join(names::file_name(id));
            if is_file {
                self.add(Found { path, repo: repo.to_owned(), is_archived }, listing)?;
            } else {
                listing.unreadable.push(JsonlError::NotAFile(path).into());
            }
        }
        Ok(())
    }

    fn add(&self, found: Found, listing: &mut Listing) -> Result<(), MemoryError> {
        let max = self.limits.files;
        if listing.files.len() + listing.unreadable.len() >= max {
            return Err(MemoryError::TooManyFiles { folder: self.folder.clone(), max });
        }
        listing.files.push(found);
        Ok(())
    }
}

/// What bears the name of a file of ours in the folder of a repository, and whether it is a file.
/// By id.
pub(super) fn repo_files(
    root: &Folder,
    folder: &Path,
    max: usize,
) -> Result<Vec<(Ulid, bool)>, MemoryError> {
    let entries = entries(root, folder, max)?;
    let ids = entries
        .iter()
        .filter_map(|(name, kind)| Some((names::file_id(name)?, *kind == Kind::File)));
    Ok(ids.collect())
}

/// The text of a file; none if there is no such file.
pub(super) fn bytes(root: &Folder, path: &Path) -> Result<Vec<u8>, MemoryError> {
    Ok(jsonl::bytes_beneath(root, path, &read::caps())?)
}

/// Makes the folder of a repository and those above it that bear our names. On return the disk
/// keeps their names, whoever made them: a process that was to see to that may have been killed.
pub(super) fn make_folders(root: &Folder, folders: &[&Path]) -> Result<(), MemoryError> {
    for folder in folders {
        root.make(folder).map_err(failed(folder, "made"))?;
        if let Some(above) = folder.parent() {
            append::sync_folder(root, above)?;
        }
    }
    Ok(())
}

/// What went wrong at a path: what is no folder of its own is named.
pub(super) fn failed(path: &Path, action: &'static str) -> impl Fn(io::Error) -> MemoryError {
    move |cause| match refusal(&cause) {
        Some(Refusal::Link(at) | Refusal::NotAFolder(at)) => {
            let at = path.ancestors().find(|above| above.ends_with(at)).unwrap_or(path);
            MemoryError::NotAFolder(at.to_owned())
        }
        _ => MemoryError::Io { path: path.to_owned(), action, cause },
    }
}

/// By name. Empty if there is no such folder, or no longer; names that are no text are passed over.
fn entries(root: &Folder, folder: &Path, max: usize) -> Result<Vec<(String, Kind)>, MemoryError> {
    let listed = failed(folder, "listed");
    let mut found = Vec::new();
    let entries = match root.entries(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries.map_err(&listed)?,
    };
    for entry in entries {
        let (name, kind) = entry.map_err(&listed)?;
        let Ok(name) = name.into_string() else { continue };
        found.push((name, kind));
        // Some are none of ours; more of those is no folder of lessons.
        if found.len() > max.saturating_mul(4) {
            return Err(MemoryError::TooManyFiles { folder: folder.to_owned(), max });
        }
    }
    found.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found)
}

fn is_stem(stem: &str) -> bool {
    !stem.is_empty() && !stem.starts_with('.')
}
