//! The walk: everything below a folder, ignored or not, by its stat.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, Metadata},
    io,
    path::Path,
};

use super::{
    CheckpointError, MOST_ENTRIES, MOST_IGNORED_BYTES, MOST_IGNORED_ENTRIES, Result,
    look::is_gone,
    name::Name,
    state::{Opaque, State},
};

/// What the walk says of a path.
#[derive(Debug)]
pub(super) enum Found {
    /// Something other than a folder, to be read.
    Unread(Metadata),
    /// A folder, or something that is not looked into.
    Known(State),
}

impl Found {
    /// Bytes of a file.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Unread(metadata) if metadata.is_file() => metadata.len(),
            _ => 0,
        }
    }
}

/// Which ignored files and folders there are, and what becomes of each.
pub(super) struct Ignored<'r> {
    /// The topmost ones.
    pub(super) tops: BTreeSet<Name>,
    pub(super) treatment: &'r dyn Fn(&Name) -> Treatment,
}

/// Whether a folder that holds `.git` is another repository, which is not looked into. Where it is
/// not, `.git` is an entry of the folder like any other, but is not entered.
pub(super) type Nested<'n> = &'n (dyn Fn(&Name) -> bool + Sync);

/// What becomes of an ignored file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Treatment {
    /// It is taken at any size.
    Whole,
    /// It is taken within the caps.
    Capped,
    /// It is known to be over them.
    TooMuch,
}

/// Everything below a folder (itself left out), sorted by path. Of what is ignored, trees are
/// taken in the order of their paths as long as they stay within the caps.
///
/// # Errors
/// When there is more than [`MOST_ENTRIES`], or the folder itself cannot be listed.
pub(super) fn walk(
    root: &Path,
    start: &Name,
    ignored: &Ignored,
    nested: Nested,
) -> Result<Vec<(Name, Found)>> {
    let mut walker = Walker { root, ignored, nested, found: Vec::new(), left: CAPS };
    let path = root.join(start.as_path());
    let names = list(&path).map_err(CheckpointError::io(&path, "read"))?;
    // Only an ignored tree has a budget that it may exceed.
    let _ = walker.folder(start, names, None)?;
    walker.found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(walker.found)
}

const CAPS: Budget = Budget { entries: MOST_IGNORED_ENTRIES, bytes: MOST_IGNORED_BYTES };

#[derive(Clone, Copy)]
struct Budget {
    entries: usize,
    bytes: u64,
}

struct Walker<'w> {
    root: &'w Path,
    ignored: &'w Ignored<'w>,
    nested: Nested<'w>,
    found: Vec<(Name, Found)>,
    /// What may still be taken of ignored files.
    left: Budget,
}

type One = (Found, Option<Vec<OsString>>, u64);

/// An ignored tree is larger than what may be taken of it.
struct Exceeded;

impl Walker<'_> {
    /// Takes the entries of a folder and of all below it. Inside of an ignored tree `budget` is
    /// what is left for it.
    fn folder(
        &mut self,
        top: &Name,
        names: Vec<OsString>,
        mut budget: Option<&mut Budget>,
    ) -> Result<Result<(), Exceeded>> {
        let mut waiting = vec![(top.clone(), names)];
        while let Some((folder, names)) = waiting.pop() {
            for entry in names {
                let name = folder.entry(&entry);
                if folder.as_bytes().is_empty() && entry == ".git" {
                    continue;
                }
                if budget.is_none() && self.ignored.tops.contains(&name) {
                    match (self.ignored.treatment)(&name) {
                        Treatment::Whole => {}
                        Treatment::Capped => {
                            self.ignored_tree(&name)?;
                            continue;
                        }
                        Treatment::TooMuch => {
                            self.leave_out(name);
                            continue;
                        }
                    }
                }
                let Some((found, below, bytes)) = self.one(&name)? else { continue };
                if let Some(budget) = &mut budget {
                    if budget.entries == 0 || budget.bytes < bytes {
                        return Ok(Err(Exceeded));
                    }
                    budget.entries -= 1;
                    budget.bytes -= bytes;
                }
                if self.found.len() >= MOST_ENTRIES {
                    return Err(CheckpointError::TooMany { limit: MOST_ENTRIES });
                }
                self.found.push((name.clone(), found));
                if let Some(below) = below.filter(|_| entry != ".git") {
                    waiting.push((name, below));
                }
            }
        }
        Ok(Ok(()))
    }

    /// Takes an ignored file or folder as a whole, or notes that it is left out.
    fn ignored_tree(&mut self, top: &Name) -> Result<()> {
        let Some((found, below, bytes)) = self.one(top)? else { return Ok(()) };
        let before = self.found.len();
        let mut budget = self.left;
        let fits = if budget.entries == 0 || budget.bytes < bytes {
            Err(Exceeded)
        } else {
            budget.entries -= 1;
            budget.bytes -= bytes;
            self.found.push((top.clone(), found));
            match below {
                Some(below) => self.folder(top, below, Some(&mut budget))?,
                None => Ok(()),
            }
        };
        match fits {
            Ok(()) => self.left = budget,
            Err(Exceeded) => {
                self.found.truncate(before);
                self.leave_out(top.clone());
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, top: Name) {
        self.found.push((top, Found::Known(State::Opaque(Opaque::TooMuch))));
    }

    /// One entry, the names in it if it is a folder to enter, and its bytes if it is a file.
    fn one(&self, name: &Name) -> Result<Option<One>> {
        let path = self.root.join(name.as_path());
        let known = |opaque| Some((Found::Known(State::Opaque(opaque)), None, 0));
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(cause) if is_gone(&cause) => return Ok(None),
            Err(_) => return Ok(known(Opaque::Unreadable)),
        };
        if !metadata.is_dir() {
            let bytes = if metadata.is_file() { metadata.len() } else { 0 };
            return Ok(Some((Found::Unread(metadata), None, bytes)));
        }
        Ok(match list(&path) {
            Ok(names) if names.iter().any(|name| name == ".git") && (self.nested)(name) => {
                known(Opaque::Nested)
            }
            Ok(names) => Some((Found::Known(State::folder(&metadata)), Some(names), 0)),
            Err(cause) if is_gone(&cause) => None,
            Err(_) => known(Opaque::Unreadable),
        })
    }
}

fn list(path: &Path) -> io::Result<Vec<OsString>> {
    // In order, as the caps would otherwise cut differently each time.
    let mut names =
        fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
}
