//! A place that is a folder: its objects are files, and no link beneath it is followed, for whoever may
//! write there would say what is read, and removed, elsewhere.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use elophanto_base::{
    beneath::{Folder, Kind},
    platform::{group, owner, rights},
};
use url::Url;

use super::{Address, Listed, Listing, StoreError};
use elophanto_base::regular::if_there;

/// No object of ours lies deeper.
const DEPTH: usize = 4;

/// The root of a place.
#[derive(Debug, Clone)]
pub(super) struct Local(PathBuf);

impl Local {
    /// `None` for an address of a store.
    pub(super) fn of(address: &Address) -> Option<Self> {
        let url = Url::parse(address.as_str()).ok().filter(|_| address.is_folder())?;
        url.to_file_path().ok().map(Self)
    }

    /// Why nothing of a folder is there for now: what is mounted there is not, or does not answer. `None`
    /// for one that is there, and for an address of a store.
    pub(super) fn gone(address: &Address) -> Option<String> {
        let local = Self::of(address)?;
        let holds_anything = || -> io::Result<bool> {
            let Some(root) = local.open()? else { return Ok(false) };
            Ok(root.entries(Path::new(""))?.next().transpose()?.is_some())
        };
        match holds_anything() {
            Ok(true) => None,
            Ok(false) => Some("the folder is not there, or holds nothing".to_owned()),
            Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => None,
            Err(cause) => Some(cause.to_string()),
        }
    }

    /// The regular files below a folder. Half a file that is being written is none yet. What cannot be
    /// listed below it keeps nobody from the rest.
    pub(super) fn list(&self, folder: &str) -> Result<Listing, StoreError> {
        let failed = |cause| self.failed(folder, cause);
        let mut listing = Listing::default();
        let Some(root) = self.open().map_err(failed)? else { return Ok(listing) };
        let mut open = vec![folder.to_owned()];
        while let Some(inner) = open.pop() {
            let entries = match root.entries(Path::new(&inner)) {
                Ok(entries) => entries,
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => continue,
                Err(cause) if inner == folder => return Err(failed(cause)),
                Err(cause) => {
                    listing.odd.push((inner, cause.to_string()));
                    continue;
                }
            };
            for entry in entries {
                let (name, kind) = entry.map_err(failed)?;
                let folder = &inner;
                let shown = format!("{folder}/{}", name.to_string_lossy());
                // As an object of a store could be called.
                let plain = name.into_string().ok().map(|name| format!("{folder}/{name}"));
                let plain = plain
                    .filter(|name| object_store::path::Path::from(name.as_str()).as_ref() == name);
                match (plain, kind) {
                    (Some(name), Kind::Folder) if name.matches('/').count() < DEPTH => {
                        open.push(name)
                    }
                    (Some(name), Kind::File) => match root.stat(Path::new(&name)) {
                        Ok(Some(stat)) => listing.found.push(Listed { name, bytes: stat.size }),
                        Ok(None) => {}
                        Err(cause) => listing.odd.push((name, cause.to_string())),
                    },
                    (None, Kind::File) if is_half(&shown) => {}
                    (_, Kind::Link) => listing.odd.push((shown, "it is a link".to_owned())),
                    _ => listing.odd.push((shown, "its name is none of an object".to_owned())),
                }
            }
        }
        listing.found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    /// The bytes of a file, `None` where there is none; one more than `most` if there are more.
    pub(super) fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let read = || -> io::Result<Option<Vec<u8>>> {
            let Some(root) = self.open()? else { return Ok(None) };
            let mut bytes = Vec::new();
            let (file, _) = root.read(Path::new(name))?;
            file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
            Ok(Some(bytes))
        };
        match read() {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            other => other.map_err(|cause| self.failed(name, cause)),
        }
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&self, name: &str) -> Result<(), StoreError> {
        let remove = || match self.open()? {
            Some(root) => root.remove(Path::new(name)),
            None => Ok(()),
        };
        if_there(remove()).map(drop).map_err(|cause| self.failed(name, cause))
    }

    /// Removes the folders right below one that hold nothing, and have the owner and the rights of that
    /// one: who gave somebody a folder of their own keeps it.
    pub(super) fn sweep(&self, folder: &str) {
        let whose = |path: &Path| {
            let found = fs::symlink_metadata(path).ok()?;
            Some((owner(&found)?, group(&found)?, rights(&found)))
        };
        let Ok(Some(root)) = self.open() else { return };
        let Ok(entries) = root.entries(Path::new(folder)) else { return };
        let Some(own) = whose(&self.0.join(folder)) else { return };
        for (name, _) in entries.flatten().filter(|(_, kind)| *kind == Kind::Folder) {
            let inner = Path::new(folder).join(name);
            if whose(&self.0.join(&inner)) == Some(own) {
                // One that holds something stays, and what stays does no harm.
                let _ = root.remove_folder(&inner);
            }
        }
    }

    /// Makes sure that no link leads a new file out of the place. A folder that is swept away as it is made
    /// leads nowhere: who creates the file makes it again, and once a file is in it, it stays.
    pub(super) fn make_way(&self, name: &str) -> Result<(), StoreError> {
        let make = || match self.open()? {
            Some(root) => root.making(Path::new(name)).map(drop),
            None => Ok(()),
        };
        if_there(make()).map(drop).map_err(|cause| self.failed(name, cause))
    }

    fn open(&self) -> io::Result<Option<Folder>> {
        if_there(Folder::open(&self.0))
    }

    fn failed(&self, name: &str, cause: io::Error) -> StoreError {
        StoreError::Disk { path: self.0.join(name), cause }
    }
}

/// Whether a file is one that is being written, as `object_store` names it.
fn is_half(name: &str) -> bool {
    let number = name.rsplit_once('#').map(|(_, number)| number);
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}
