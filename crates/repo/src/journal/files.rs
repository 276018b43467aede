//! Files of records as they are on disk: listing them, reading their bytes, making a folder.
//!
//! Nothing here follows a link: neither the folder of all files nor the one that holds it (both
//! bear our names, and a commit can bring a link under either), nor a folder in it, nor a file.
//! What lies above is the caller's to vouch for.

use std::{
    io,
    path::{Path, PathBuf},
};

use ulid::Ulid;

use super::{JournalError, Limits, names};
use elophanto_base::regular::if_there;
use elophanto_base::{
    beneath::{Folder, Kind, Refusal, above_ours, refusal},
    jsonl::{self, JsonlError},
};

/// A folder of ours in whose folders lie files of records, `<ulid>.jsonl`. Holds none open.
#[derive(Debug, Clone)]
pub struct RecordFolder {
    folder: PathBuf,
    pub(super) lock: PathBuf,
    limits: Limits,
}

/// So many files with a name that is no id are told.
const MOST_MISNAMED: usize = 10;

/// What a folder holds. What could not be listed is said beside the rest.
#[derive(Debug, Default)]
pub struct Listing {
    pub files: Vec<PathBuf>,
    pub unreadable: Vec<JournalError>,
    /// Files whose name is no id: they are told, a few of them, and take up no room.
    misnamed: usize,
}

impl RecordFolder {
    /// The folder, and the file whose lock all writers take, which git must not see. What lies
    /// above the folder that holds `folder` must be there.
    pub fn new(folder: PathBuf, lock: PathBuf, limits: Limits) -> Self {
        Self { folder, lock, limits }
    }

    /// With other limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// How much is listed, read and written.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What everything is reached from; `None` if it is not there.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn root(&self) -> Result<Option<Folder>, JournalError> {
        if_there(Folder::open(above_ours(&self.folder))).map_err(failed(&self.folder, "read"))
    }

    /// What lies in a folder, by name. Empty if there is no such folder, or no longer; names that
    /// are no text are passed over.
    ///
    /// # Errors
    /// When it cannot be listed, or holds far more than files of ours.
    pub fn entries(&self, folder: &Path) -> Result<Vec<(String, Kind)>, JournalError> {
        let listed = failed(folder, "listed");
        let (max, mut found) = (self.limits.files, Vec::new());
        let Some(root) = self.root()? else { return Ok(found) };
        let Some(entries) = if_there(root.entries(folder)).map_err(&listed)? else {
            return Ok(found);
        };
        for entry in entries {
            let (name, kind) = entry.map_err(&listed)?;
            let Ok(name) = name.into_string() else { continue };
            found.push((name, kind));
            // Some are none of ours; more of those is no folder of records.
            if found.len() > max.saturating_mul(4) {
                return Err(JournalError::TooManyFiles { folder: folder.to_owned(), max });
            }
        }
        found.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(found)
    }

    /// Adds the files of some folders to a listing, the newest of each first, as long as there is
    /// room. One folder that cannot be read hides no other.
    pub fn list(&self, folders: impl IntoIterator<Item = PathBuf>, listing: &mut Listing) {
        for folder in folders {
            if let Err(error) = self.list_folder(&folder, listing) {
                let is_full = matches!(error, JournalError::TooManyFiles { .. });
                listing.unreadable.push(error);
                if is_full {
                    break;
                }
            }
        }
    }

    fn list_folder(&self, folder: &Path, listing: &mut Listing) -> Result<(), JournalError> {
        for (name, kind) in self.entries(folder)?.into_iter().rev() {
            if names::file_id(&name).is_some() {
                self.add(folder.join(name), kind, listing)?;
            } else if names::is_misnamed(&name) {
                listing.misnamed += 1;
                if listing.misnamed <= MOST_MISNAMED {
                    listing.unreadable.push(JournalError::NoId(folder.join(name)));
                }
            }
        }
        Ok(())
    }

    /// Adds what bears the name of a file of records to a listing.
    ///
    /// # Errors
    /// When there is no room.
    pub fn add(
        &self,
        path: PathBuf,
        kind: Kind,
        listing: &mut Listing,
    ) -> Result<(), JournalError> {
        let max = self.limits.files;
        let told = listing.misnamed.min(MOST_MISNAMED);
        if listing.files.len() + listing.unreadable.len() - told >= max {
            return Err(JournalError::TooManyFiles { folder: self.folder.clone(), max });
        }
        if kind == Kind::File {
            listing.files.push(path);
        } else {
            listing.unreadable.push(JsonlError::NotAFile(path).into());
        }
        Ok(())
    }

    /// The text of a file; none if there is no such file.
    ///
    /// # Errors
    /// When it cannot be read, is a link, or is over the cap.
    pub fn bytes(&self, root: &Folder, path: &Path) -> Result<Vec<u8>, JournalError> {
        Ok(jsonl::bytes_beneath(root, path, &self.limits.file)?)
    }

    /// Makes a folder in this one, and those above it that bear our names. On return the disk keeps
    /// their names, whoever made them: a process that was to see to that may have been killed.
    ///
    /// # Errors
    /// When the disk failed, or a link or a file is in the way.
    pub fn make(&self, folder: &Path) -> Result<(), JournalError> {
        let holder = self.folder.parent().filter(|holder| *holder != Path::new(""));
        let made = failed(holder.unwrap_or(&self.folder), "made");
        let root = Folder::open(above_ours(&self.folder)).map_err(made)?;
        let mut folders: Vec<_> =
            folder.ancestors().take_while(|above| *above != self.folder).collect();
        folders.extend([Some(self.folder.as_path()), holder].into_iter().flatten());
        for folder in folders.into_iter().rev() {
            root.make(folder).map_err(failed(folder, "made"))?;
            sync(&root, folder.parent().unwrap_or(Path::new("")))?;
        }
        Ok(())
    }
}

/// The id of a file of records.
pub(super) fn id_of(path: &Path) -> Option<Ulid> {
    names::file_id(path.file_name()?.to_str()?)
}

/// Has the disk keep the names of a folder's files.
///
/// # Errors
/// When the disk failed.
pub fn sync(root: &Folder, folder: &Path) -> Result<(), JournalError> {
    root.at(folder).and_then(|folder| folder.sync()).map_err(failed(folder, "synced"))
}

/// What went wrong at a path: what is no folder of its own is named.
pub fn failed(path: &Path, action: &'static str) -> impl Fn(io::Error) -> JournalError {
    move |cause| match refusal(&cause) {
        Some(Refusal::Link(at) | Refusal::NotAFolder(at)) => {
            let at = path.ancestors().find(|above| above.ends_with(at)).unwrap_or(path);
            JournalError::NotAFolder(at.to_owned())
        }
        _ => JournalError::Io { path: path.to_owned(), action, source: cause },
    }
}
