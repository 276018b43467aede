//! Whole files in, whole files out.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use super::*;

mod files;
mod hooks;
mod round_trip;
mod session;

const PROGRAM: &str = "/usr/bin/elophanto";

/// Files in memory below `/p` (the project), `/h` (home) and `/h/.config`.
#[derive(Debug, Default)]
struct Disk(RefCell<BTreeMap<PathBuf, String>>);

impl Disk {
    fn with(path: &Path, text: &str) -> Self {
        let disk = Self::default();
        disk.0.borrow_mut().insert(path.to_owned(), text.to_owned());
        disk
    }

    fn read(&self, path: &Path) -> io::Result<Option<String>> {
        Ok(self.0.borrow().get(path).cloned())
    }

    fn apply(&self, changes: Vec<Change>) {
        let mut files = self.0.borrow_mut();
        for change in changes {
            assert_eq!(files.get(&change.path), change.before.as_ref());
            match change.after {
                Some(text) => files.insert(change.path, text),
                None => files.remove(&change.path),
            };
        }
    }

    fn install(&self, client: Client, scope: Scope) -> Result<Vec<Change>, ClientError> {
        install(client, scope, &places(), PROGRAM, &|path| self.read(path))
    }

    fn remove(&self, client: Client, scope: Scope) -> Result<Vec<Change>, ClientError> {
        remove(client, scope, &places(), &|path| self.read(path))
    }

    fn hooks(&self, scope: Scope) -> Result<Vec<Change>, ClientError> {
        super::hooks(scope, &places(), PROGRAM, &|path| self.read(path))
    }
}

fn places() -> Places<'static> {
    Places { project: Path::new("/p"), home: Path::new("/h"), config_home: Path::new("/h/.config") }
}

/// The file that lists servers, as it is after an installation over `before`.
fn installed(client: Client, scope: Scope, before: Option<&str>) -> String {
    let (paths, _) = super::places::servers(client, scope, &places());
    let path = paths.last().unwrap();
    let disk = before.map_or_else(Disk::default, |text| Disk::with(path, text));
    disk.apply(disk.install(client, scope).unwrap());
    disk.read(path).unwrap().unwrap()
}
