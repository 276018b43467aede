//! Putting our block into the hooks folder, and taking it out.
//!
//! Every file is written whole and renamed into place. A user's hook that has to be moved gets its
//! second name before ours takes the first, so that whenever we are stopped, git still finds a
//! hook that runs the user's; the next `install` or `uninstall` finishes the work.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use super::{
    HookError, HookName,
    folder::{self, Folder, Place},
    plan::{self, Found, Present, Refusal, Saved, Standing, State, Step},
    script::SAVED_SUFFIX,
};
use elophanto_base::{
    beneath::TEMPORARY,
    platform::{is_executable, is_one, rights},
    regular::{careful, if_there, read_text},
    whole::{PRIVATE, Synced, write_whole},
};
use elophanto_index::store::lock;
use elophanto_repo::Repository;

/// A larger file is no script that anybody wrote.
const MOST_BYTES: u64 = 1024 * 1024;
const MODE: u32 = 0o755;
/// Digits of the number of folders that were made.
const MOST_DIGITS: u64 = 20;

elophanto_base::named! {
    /// What was done with a hook.
    pub enum Change, name {
        /// It was not there.
        Installed = "installed",
        /// Another version of ours was there.
        Updated = "updated",
        /// It is as it would be written.
        Unchanged = "unchanged",
        /// It is gone.
        Removed = "removed",
    }
}

/// What was done, and where.
#[derive(Debug)]
pub struct Installation {
    /// Where they lie.
    pub folder: Folder,
    /// Every hook that is installed, or was until now.
    pub changes: Vec<(HookName, Change, Standing)>,
}

/// How the hooks stand.
#[derive(Debug)]
pub struct Status {
    /// Where they lie, or would.
    pub folder: Folder,
    /// Each hook that we have something to do in.
    pub hooks: Vec<(HookName, Standing)>,
}

impl Status {
    /// Whether every hook of the default is installed as it should be.
    pub fn is_complete(&self) -> bool {
        self.folder.place != Place::Outside
            && self
                .hooks
                .iter()
                .filter(|(name, _)| name.is_default())
                .all(|(_, standing)| standing.state == State::Installed)
    }
}

/// Installs the default hooks, with `eager` all of them, and takes out those not asked for.
/// `program` is what they run.
///
/// # Errors
/// See [`HookError`].
pub fn install(
    repository: &Repository,
    program: &Path,
    eager: bool,
) -> Result<Installation, HookError> {
    let folder = folder::effective(repository)?;
    if folder.place == Place::Outside {
        return Err(HookError::Outside { folder: folder.path });
    }
    let _lock = locked(repository)?;
    let plans = planned(&folder, |name, present| {
        if eager || name.is_default() {
            plan::install(name, present, program)
        } else {
            plan::uninstall(present)
        }
    })?;
    make(repository, &folder.path)?;
    let changes = carry_out(&folder, plans)?;
    Ok(Installation { folder, changes })
}

/// Takes out every hook of ours, from the folder that git uses and from the one in the git
/// directory, should git use another by now.
///
/// # Errors
/// See [`HookError`].
pub fn uninstall(repository: &Repository) -> Result<Vec<Installation>, HookError> {
    let mut folders = vec![folder::effective(repository)?, folder::own(repository)?];
    folders.dedup();
    folders.retain(|folder| folder.place != Place::Outside);
    let _lock = locked(repository)?;
    let plans = folders
        .iter()
        .map(|folder| planned(folder, |_, present| plan::uninstall(present)))
        .collect::<Result<Vec<_>, _>>()?;
    let mut done = Vec::new();
    for (folder, plans) in folders.into_iter().zip(plans) {
        let changes = carry_out(&folder, plans)?;
        unmake(repository, &folder.path)?;
        done.push(Installation { folder, changes });
    }
    Ok(done)
}

/// Looks, and changes nothing.
///
/// # Errors
/// See [`HookError`].
pub fn status(repository: &Repository) -> Result<Status, HookError> {
    let folder = folder::effective(repository)?;
    let hooks = planned(&folder, plan::standing)?;
    let hooks = hooks.into_iter().map(|(name, _, standing)| (name, standing)).collect();
    Ok(Status { folder, hooks })
}

/// One hook with what is there and what to do.
type Plan = (HookName, Present, Step);

/// Each hook with what is there, and what follows from that.
fn planned<T>(
    folder: &Folder,
    plan: impl Fn(HookName, &Present) -> Result<T, Refusal>,
) -> Result<Vec<(HookName, Present, T)>, HookError> {
    HookName::ALL
        .into_iter()
        .map(|name| {
            let present = look(&folder.path, name)?;
            let step = plan(name, &present);
            let step = step.map_err(|refusal| refused(&folder.path, name, refusal))?;
            Ok((name, present, step))
        })
        .collect()
}

fn carry_out(
    folder: &Folder,
    plans: Vec<Plan>,
) -> Result<Vec<(HookName, Change, Standing)>, HookError> {
    sweep(&folder.path);
    let mut changes = Vec::new();
    let standing = |name, present: &Present| {
        plan::standing(name, present).map_err(|refusal| refused(&folder.path, name, refusal))
    };
    for (name, before, step) in plans {
        take(&folder.path, name, &before, &step)?;
        let was = standing(name, &before)?;
        let is = standing(name, &look(&folder.path, name)?)?;
        let change = match (was.state, is.state, step) {
            (State::Missing, State::Missing, _) => continue,
            (_, _, Step::Keep) => Change::Unchanged,
            (State::Missing, ..) => Change::Installed,
            (_, State::Missing, _) => Change::Removed,
            _ => Change::Updated,
        };
        changes.push((name, change, is));
    }
    // What was renamed should outlive a power cut; where a folder cannot be synced, it may not.
    if let Ok(handle) = File::open(&folder.path) {
        let _ = handle.sync_all();
    }
    Ok(changes)
}

fn take(folder: &Path, name: HookName, before: &Present, step: &Step) -> Result<(), HookError> {
    let path = folder.join(name.as_str());
    let saved = saved_path(folder, name);
    let broken = |cause| HookError::Io { path: path.clone(), source: cause };
    let put = |bytes: &[u8], mode| write_whole(&path, bytes, mode, Synced::Content);
    match step {
        Step::Keep => Ok(()),
        Step::Edit(bytes) => fs::metadata(&path).and_then(|kind| put(bytes, rights(&kind))),
        Step::Put(bytes) => put(bytes, MODE),
        Step::MoveAside(bytes) => {
            // Where a file cannot have two names, git finds no hook for a moment.
            let second = match before.saved {
                Saved::Same => Ok(()),
                _ => fs::hard_link(&path, &saved).or_else(|_| fs::rename(&path, &saved)),
            };
            second.and_then(|()| put(bytes, MODE))
        }
        Step::MoveBack => fs::rename(&saved, &path),
        Step::Remove => fs::remove_file(&path),
        Step::RemoveSaved => fs::remove_file(&saved),
    }
    .map_err(broken)
}

/// What lies at the hook's path, and beside it.
fn look(folder: &Path, name: HookName) -> Result<Present, HookError> {
    let path = folder.join(name.as_str());
    let here = kind(&path)?;
    let beside = kind(&saved_path(folder, name))?;
    let saved = match (&here, &beside) {
        (_, None) => Saved::Nothing,
        (Some(here), Some(beside)) if is_one(here, beside) => Saved::Same,
        _ => Saved::Other,
    };
    let found = match here {
        None => Found::Nothing,
        Some(kind) if kind.is_symlink() || kind.is_file() && kind.len() > MOST_BYTES => {
            Found::Opaque
        }
        Some(kind) if kind.is_file() => {
            let bytes = read(&path).map_err(|cause| HookError::Io { path, source: cause })?;
            Found::File { bytes, executable: is_executable(&kind) }
        }
        Some(_) => return Err(HookError::Odd { path }),
    };
    Ok(Present { found, saved })
}

/// Of the path itself, not of what it leads to.
fn kind(path: &Path) -> Result<Option<fs::Metadata>, HookError> {
    if_there(fs::symlink_metadata(path))
        .map_err(|cause| HookError::Io { path: path.to_owned(), source: cause })
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    // What was a file a moment ago may be a link or a pipe by now.
    let file = careful().read(true).open(path)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Removes what we left when we were stopped while writing. We hold the lock, so nobody writes.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes the folder, after noting how many of the folders above it are made with it.
fn make(repository: &Repository, folder: &Path) -> Result<(), HookError> {
    let missing = folder.ancestors().take_while(|above| !above.exists()).count();
    if missing == 0 {
        return Ok(());
    }
    let note = made_note(repository, folder);
    let made = || {
        fs::create_dir_all(note.parent().unwrap_or(folder))?;
        write_whole(&note, missing.to_string().as_bytes(), PRIVATE, Synced::Nothing)?;
        fs::create_dir_all(folder)
    };
    made().map_err(|cause| HookError::Io { path: folder.to_owned(), source: cause })
}

/// Removes the folders that [`make`] made, as far as they are empty.
fn unmake(repository: &Repository, folder: &Path) -> Result<(), HookError> {
    let note = made_note(repository, folder);
    let Ok(count) = read_text(&note, MOST_DIGITS) else { return Ok(()) };
    let count = count.trim().parse().unwrap_or(0);
    // One that is not empty ends it: the folders above hold at least that one.
    let _ = folder.ancestors().take(count).try_for_each(fs::remove_dir);
    fs::remove_file(&note).map_err(|cause| HookError::Io { path: note, source: cause })
}

/// Where it is noted that we made a folder. Should it be lost, an empty folder stays behind.
fn made_note(repository: &Repository, folder: &Path) -> PathBuf {
    let digest = blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex();
    repository.local_dir().join("hooks").join(format!("made-{}", &digest[..16]))
}

fn locked(repository: &Repository) -> Result<lock::Lock, HookError> {
    let path = repository.local_dir().join("hooks").join("lock");
    lock::wait(&path).map_err(|cause| HookError::Io { path, source: cause })
}

fn saved_path(folder: &Path, name: HookName) -> PathBuf {
    folder.join(format!("{}{SAVED_SUFFIX}", name.as_str()))
}

fn refused(folder: &Path, name: HookName, refusal: Refusal) -> HookError {
    let path = folder.join(name.as_str());
    let saved = saved_path(folder, name);
    match refusal {
        Refusal::Block(cause) => HookError::Block { path, source: cause },
        Refusal::NotRun => HookError::NotRun { path },
        Refusal::Edited => HookError::Edited { path, saved },
        Refusal::InTheWay => HookError::InTheWay { path, saved },
    }
}
