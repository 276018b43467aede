//! Where the paths of a request really are, before anything is changed.

use std::{
    collections::{BTreeSet, VecDeque},
    ffi::OsString,
    fs, io,
    os::unix::ffi::OsStrExt,
    path::{Component, Path, PathBuf},
};

use super::request::{Failure, Request};
use elophanto_base::mount_placeholder::is_placeholder;

/// Links that one path may lead through.
const MAX_LINKS: usize = 40;

/// Canonical paths of a request. What is protected lies in something writable; the rest of the
/// system is not written anyway.
#[derive(Debug)]
pub struct Places {
    pub root: PathBuf,
    /// Folders that are written: the root, temporary files, what the user named.
    pub writable: Vec<PathBuf>,
    /// Protected files and folders that exist.
    pub protected: BTreeSet<PathBuf>,
    /// The first part that is not there of protected paths that do not exist.
    pub missing: BTreeSet<PathBuf>,
    /// Links on the way to something protected: they must not be replaced either.
    pub links: BTreeSet<PathBuf>,
    /// Existing files and folders that are not read.
    pub hidden: BTreeSet<PathBuf>,
    /// Existing files that others stand for.
    pub covered: Vec<(PathBuf, PathBuf)>,
    pub read: Vec<PathBuf>,
    pub temporary: PathBuf,
    pub home: PathBuf,
}

impl Places {
    /// Looks all paths of a request up.
    pub fn of(request: &Request) -> Result<Self, Failure> {
        let existing = |path: &OsString| {
            let path = Path::new(path);
            path.canonicalize().map_err(Failure::path(path))
        };
        let root = existing(&request.root)?;
        let temporary = existing(&request.temporary)?;
        let mut writable = vec![root.clone(), temporary.clone()];
        for path in &request.write {
            writable.push(existing(path)?);
        }
        let mut links = BTreeSet::new();
        let (mut protected, mut missing) = (BTreeSet::new(), BTreeSet::new());
        for path in &request.protected {
            match find(Path::new(path), &mut links).map_err(Failure::path(Path::new(path)))? {
                Found::There(path) => protected.insert(path),
                Found::Missing(path) => missing.insert(path),
            };
        }
        writable.retain(|path| !protected.iter().any(|held| path.starts_with(held)));
        writable.sort();
        writable.dedup();
        // What lies in something protected is protected with it; a mount of its own could only
        // loosen that.
        let outermost: Vec<PathBuf> = protected.iter().cloned().collect();
        for set in [&mut protected, &mut missing, &mut links] {
            set.retain(|path| is_below_any(path, &writable) && !is_below_any(path, &outermost));
        }
        let present = |path: &OsString| Path::new(path).canonicalize().ok();
        let hidden = request.hidden.iter().filter_map(present).chain(system_keys());
        // Hiding a folder around the work tree cannot mean the work tree.
        let holds_work = |path: &PathBuf| writable.iter().any(|held| held.starts_with(path));
        let mut hidden: BTreeSet<PathBuf> = hidden.filter(|path| !holds_work(path)).collect();
        let stands = |(path, with): &(OsString, OsString)| Some((present(path)?, with.into()));
        let mut covered: Vec<(PathBuf, PathBuf)> =
            request.covered.iter().filter_map(stands).collect();
        if request.narrow {
            // Only a mount could show something else there.
            hidden.extend(covered.drain(..).map(|(path, _)| path));
        }
        let home = present(&request.home).unwrap_or_else(|| PathBuf::from(&request.home));
        let read = request.read.iter().filter_map(present).collect();
        Ok(Self {
            root,
            writable,
            protected,
            missing,
            links,
            hidden,
            covered,
            read,
            temporary,
            home,
        })
    }

    /// Everything in writable folders that is not to be written.
    pub fn unwritable(&self) -> BTreeSet<PathBuf> {
        self.protected.iter().chain(&self.missing).chain(&self.links).cloned().collect()
    }
}

/// Whether a path lies below one of these folders.
pub fn is_below_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path != folder && path.starts_with(folder))
}

/// Key material of the system that only its administrator can read, who may be us.
fn system_keys() -> impl Iterator<Item = PathBuf> {
    const KEYS: &[&str] = &[
        "/etc/shadow",
        "/etc/shadow-",
        "/etc/gshadow",
        "/etc/gshadow-",
        "/etc/ssl/private",
        "/etc/ssh",
        "/etc/krb5.keytab",
        "/etc/wireguard",
        "/etc/NetworkManager/system-connections",
    ];
    let (user, _) = super::sys::user_and_group();
    KEYS.iter().filter(move |_| user == 0).filter_map(|path| Path::new(path).canonicalize().ok())
}

enum Found {
    There(PathBuf),
    Missing(PathBuf),
}

/// Follows a path part by part, noting the links in it.
fn find(path: &Path, links: &mut BTreeSet<PathBuf>) -> io::Result<Found> {
    let mut rest: VecDeque<OsString> = parts(path);
    let mut at = PathBuf::from("/");
    let mut followed = 0;
    while let Some(part) = rest.pop_front() {
        if part.as_bytes() == b".." {
            at.pop();
            continue;
        }
        let next = at.join(&part);
        match fs::symlink_metadata(&next) {
            Ok(data) if data.is_symlink() => {
                followed += 1;
                if followed > MAX_LINKS {
                    return Err(io::Error::from_raw_os_error(libc::ELOOP));
                }
                let target = fs::read_link(&next)?;
                links.insert(next);
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                for part in parts(&target).into_iter().rev() {
                    rest.push_front(part);
                }
            }
            // Of another program, or left behind: it may go, and has to be held by us as well.
            Ok(_) if is_placeholder(&next) => return Ok(Found::Missing(next)),
            Ok(_) => at = next,
            // A file where a folder would have to be: it must stay what it is.
            Err(cause) if cause.kind() == io::ErrorKind::NotADirectory => {
                return Ok(Found::There(at));
            }
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                return Ok(Found::Missing(next));
            }
            // Where we may not look the program may not either.
            Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(Found::There(at));
            }
            Err(cause) => return Err(cause),
        }
    }
    Ok(Found::There(at))
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        })
        .collect()
}
