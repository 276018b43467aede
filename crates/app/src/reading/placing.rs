//! Files that are placed in a folder all at once: an export is there whole, or not at all.

use std::{
    ffi::OsString,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use elophanto_base::{beneath::Folder, visible::escape_control_line};
use elophanto_repo::is_git_name;

use crate::{Error, Result};

/// Where to write instead.
const ELSEWHERE: &str = "name a folder that is new or empty, such as ../site";
/// Begins the name under which files are written until all of them are there.
const HIDDEN: &str = ".elophanto-export-";

/// A file to be written.
pub struct NewFile {
    /// Below the folder, with `/` between names.
    pub path: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// A folder for files that a program makes: new or empty, and filled whole or not at all.
pub struct NewFolder<'f> {
    folder: &'f Path,
    /// The folder around it, and its name there.
    around: Folder,
    name: OsString,
    is_there: bool,
}

impl<'f> NewFolder<'f> {
    /// # Errors
    /// When the folder is a link, holds anything, belongs to git (`git` is the repository's own folder of
    /// it), or cannot be made.
    pub fn free(folder: &'f Path, git: Option<&Path>) -> Result<Self> {
        let unwritable = unwritable(folder);
        let shown = escape_control_line(&folder.display().to_string());
        let whole = std::path::absolute(folder).map_err(&unwritable)?;
        let (Some(parent), Some(name)) = (whole.parent(), whole.file_name()) else {
            return Err(Error::new(format_args!("`{shown}` names no folder")).hint(ELSEWHERE));
        };
        if std::fs::symlink_metadata(&whole).is_ok_and(|found| found.is_symlink()) {
            return Err(Error::new(format_args!("`{shown}` is a link"))
                .hint("name the folder that it leads to, or one that is new"));
        }
        // Before anything is made.
        let mut known = parent;
        let canonical = loop {
            match (known.canonicalize(), known.parent()) {
                (Ok(canonical), _) => break canonical,
                (Err(_), Some(above)) => known = above,
                (Err(cause), None) => return Err(unwritable(cause)),
            }
        };
        let is_git = |path: &Path| path.components().any(|part| is_git_name(part.as_os_str()));
        let is_within =
            git.and_then(|it| it.canonicalize().ok()).is_some_and(|git| canonical.starts_with(git));
        if is_git(&canonical) || is_git(&whole) || is_within {
            return Err(
                Error::new(format_args!("`{shown}` lies in a folder of git")).hint(ELSEWHERE)
            );
        }
        let is_there = match std::fs::read_dir(&whole) {
            Ok(entries) => {
                // What every file system of this kind holds says nothing.
                let names = entries.flatten().map(|entry| entry.file_name());
                let mut names = names.filter(|name| name != "lost+found");
                if let Some(name) = names.next() {
                    let error = Error::new(format_args!("`{shown}` is not empty")).hint(ELSEWHERE);
                    let name = name.to_string_lossy();
                    return Err(match name.starts_with(HIDDEN) {
                        true => error.hint(format!(
                            "`{name}` in it is left of an export that was ended: remove it"
                        )),
                        false => error,
                    });
                }
                true
            }
            Err(cause) if cause.kind() == ErrorKind::NotFound => false,
            Err(cause) => return Err(unwritable(cause)),
        };
        std::fs::create_dir_all(parent).map_err(&unwritable)?;
        let around = Folder::open(parent).map_err(&unwritable)?;
        Ok(Self { folder, around, name: name.to_owned(), is_there })
    }

    /// Writes all of it under a name that nobody looks for, from which it then takes its place: there
    /// is all of it, or nothing. Bytes that were written.
    ///
    /// # Errors
    /// When something cannot be made or written; what was written of it is taken away.
    pub fn write(&self, files: impl Iterator<Item = Result<NewFile>>) -> Result<usize> {
        let unwritable = unwritable(self.folder);
        let name = Path::new(&self.name);
        // Never one that another export, or anybody, has.
        let hidden = PathBuf::from(format!("{HIDDEN}{}", uuid::Uuid::new_v4().simple()));
        // Beside a folder that is there nobody may be allowed to write, nor to rename it where something
        // is mounted.
        let around = match self.is_there {
            true => &self.around.at(name).map_err(&unwritable)?,
            false => &self.around,
        };
        let moved = || match self.is_there {
            false => around.rename(&hidden, name),
            true => unpack(around, &hidden),
        };
        around.make_new(&hidden).map_err(&unwritable)?;
        let written = written(around, &hidden, files, &unwritable)
            .and_then(|bytes| moved().map(|()| bytes).map_err(&unwritable));
        if written.is_err() {
            // What remains of it says nothing, and is in the way of the next attempt.
            let _ = around.remove_all(&hidden);
        }
        written
    }
}

fn written(
    around: &Folder,
    hidden: &Path,
    files: impl Iterator<Item = Result<NewFile>>,
    unwritable: &impl Fn(std::io::Error) -> Error,
) -> Result<usize> {
    let top = around.at(hidden).map_err(unwritable)?;
    let mut bytes = 0;
    for file in files {
        let file = file?;
        top.write_new(Path::new(&file.path), &file.bytes).map_err(unwritable)?;
        bytes += file.bytes.len();
    }
    Ok(bytes)
}

/// Puts what lies in a folder beside it; what leads to everything else comes last. Where that ends half
/// way, all of it is taken away again.
fn unpack(around: &Folder, hidden: &Path) -> std::io::Result<()> {
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in around.entries(hidden)? {
        names.push(entry?.0.into());
    }
    names.sort_by_key(|name| name.as_os_str() == "index.html");
    let nowhere = |done: &[PathBuf]| done.iter().for_each(|name| drop(around.remove_all(name)));
    for (number, name) in names.iter().enumerate() {
        around
            .rename_new(&hidden.join(name), around, name)
            .inspect_err(|_| nowhere(&names[..number]))?;
    }
    around.remove_folder(hidden)
}

fn unwritable(folder: &Path) -> impl Fn(std::io::Error) -> Error {
    let shown = escape_control_line(&folder.display().to_string());
    move |cause| {
        let error = Error::new(format_args!("`{shown}` cannot be written: {cause}"));
        match cause.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                error.hint("make room, or name a folder where there is more")
            }
            _ => error.hint(ELSEWHERE),
        }
    }
}
