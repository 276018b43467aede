//! Taking a run back. An undo is a run of its own, so that it can be undone, and survives a crash
//! as any run does.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map},
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{
    CheckpointError, Checkpoints, How, Left, MOST_FILE_BYTES, Result, Undo, Undone, WhyLeft,
    look::{self, leads_through_folders},
    moves,
    name::Name,
    plan::{Decided, Earlier, Restore, plan, removals, touched},
    private::Private,
    record::Net,
    run::Run,
    seal,
    state::{Digest, Opaque, State},
};
use elophanto_base::{beneath::Folder, platform};
use elophanto_repo::{ObjectId, PutAside, move_aside};

/// Contents that are fetched from git at once, in bytes.
const BATCH_BYTES: u64 = 32 * 1024 * 1024;
const BATCH_COUNT: usize = 1_000;

/// What makes a folder a repository.
const GIT: &str = ".git";

pub(super) fn undo(at: Checkpoints, wanted: &Undo, lock: super::lock::Lock) -> Result<Undone> {
    let (root, run) = (at.git.root(), wanted.run);
    let sealed = seal::read_record(&at, run)?;
    let is_interrupted = sealed.head.as_ref().is_some_and(|head| head.is_interrupted);
    if sealed.root != Name::from(root) {
        let root = sealed.root.to_path();
        return Err(CheckpointError::OtherWorkTree { run: run.to_owned(), root });
    }
    if sealed.changes.iter().any(|net| net.is_unsure) && !wanted.accepts_interrupted {
        return Err(CheckpointError::Interrupted { run: run.to_owned() });
    }
    // What made a folder a repository is put aside as it is: whoever worked there has it still.
    let (planted, changes): (Vec<Net>, Vec<Net>) = sealed
        .changes
        .into_iter()
        .partition(|net| is_git(&net.path) && net.was.is_absent() && !net.left.is_absent());
    let planted: BTreeSet<Name> = planted
        .into_iter()
        .map(|net| net.path)
        .filter(|path| fs::symlink_metadata(root.join(path.as_path())).is_ok())
        .collect();
    let mut states = BTreeMap::new();
    for net in &changes {
        for name in [net.path.clone()].into_iter().chain(net.path.above()) {
            if let btree_map::Entry::Vacant(unseen) = states.entry(name) {
                let is_ours = planted.contains(&unseen.key().entry(GIT.as_ref()));
                let state = look(root, unseen.key(), is_ours)?;
                unseen.insert(state);
            }
        }
    }
    let now = |name: &Name| states.get(name).cloned().unwrap_or(State::Absent);
    let entries = |name: &Name| {
        let listed = Folder::open(root).and_then(|top| top.entries(name.as_path()));
        let listed = listed.into_iter().flatten().flatten().map(|(one, _)| name.entry(&one));
        listed.filter(|entry| !planted.contains(entry)).collect()
    };
    let Decided { restore, left, used } = plan(&changes, &earlier(&at, run)?, now, entries);
    let back = moves::plan(at.git, &sealed.moves)?;
    let mut left: Vec<Left> =
        left.into_iter().map(|(path, why)| Left { path: path.to_path(), why }).collect();
    left.extend(back.left.iter().cloned());
    if wanted.how == How::All && !left.is_empty() {
        return Err(CheckpointError::Conflicts { left });
    }
    let uncovered = seal::shown(&sealed.uncovered);
    let used = used.iter().map(Name::to_path).collect();
    let mut done = Undone { left, used, uncovered, is_interrupted, ..Undone::default() };
    if restore.is_empty() && back.is_empty() && planted.is_empty() {
        lock.release();
        return Ok(done);
    }
    let marks = planted.iter().map(Name::to_path);
    for PutAside { mark, to } in move_aside(root, marks, &at.aside_folder(wanted.as_run)) {
        to.map_err(CheckpointError::io(&root.join(&mark), "removed"))?;
        done.removed.push(mark);
    }
    let mut own = Run::begin(at, wanted.as_run, Some(run.to_owned()), lock)?;
    let new = stage(&at, run, &restore, own.folder())?;
    let names: Vec<Name> = restore.iter().map(|one| one.path.clone()).collect();
    own.before_exactly(&names)?;
    apply(root, &restore, &new)?;
    own.after()?;
    done.commits_undone = moves::apply(&at, &mut own, &back)?;
    for one in &restore {
        let path = one.path.to_path();
        if one.was.is_absent() { done.removed.push(path) } else { done.restored.push(path) }
    }
    done.removed.sort();
    done.run = Some(own.finish()?.run);
    Ok(done)
}

fn is_git(path: &Name) -> bool {
    path.as_path().file_name().is_some_and(|name| name == GIT)
}

/// What there is at a path. A folder that only the run made a repository is looked at as a folder.
fn look(root: &Path, name: &Name, is_ours: bool) -> Result<State> {
    match look::look(root, name)? {
        State::Opaque(Opaque::Nested) if is_ours => {
            let path = root.join(name.as_path());
            let found = fs::symlink_metadata(&path).map_err(CheckpointError::io(&path, "read"))?;
            Ok(State::folder(&found))
        }
        state => Ok(state),
    }
}

/// What interrupted undos of this run left at which path, and what was there before them.
fn earlier(at: &Checkpoints, run: &str) -> Result<Earlier> {
    let mut earlier = Earlier::new();
    for head in at.heads()? {
        if head.is_interrupted && head.undoes.as_deref() == Some(run) {
            for Net { path, was, left, .. } in seal::read_record(at, &head.run)?.changes {
                earlier.entry(path).or_default().push((was, left));
            }
        }
    }
    Ok(earlier)
}

/// The new files, beside the work tree, so that a rename is all that is missing.
fn stage(
    at: &Checkpoints,
    run: &str,
    restore: &[Restore],
    folder: &Path,
) -> Result<BTreeMap<Name, PathBuf>> {
    let mut staged = BTreeMap::new();
    let mut files: Vec<(&Name, u32, u64, Digest)> = Vec::new();
    for one in restore {
        match &one.was {
            // Only its mode has changed.
            State::File { digest, .. } if one.now.digest() == Some(*digest) => {}
            State::File { mode, size, digest } => files.push((&one.path, *mode, *size, *digest)),
            State::Link { target } => {
                let path = folder.join(format!("new-{}", staged.len()));
                platform::symlink(target.as_path(), &path)
                    .map_err(CheckpointError::io(&path, "made"))?;
                staged.insert(one.path.clone(), path);
            }
            _ => {}
        }
    }
    let held = if files.is_empty() { BTreeMap::new() } else { seal::contents(at, run)? };
    let (files, keys): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|(_, _, _, digest)| held.contains_key(digest));
    let missing = |name: &Name| {
        let reason = format!("the content of `{}` is missing", name.as_path().display());
        CheckpointError::damaged(run, reason)
    };
    let mut write = |name: &Name, mode: u32, content: &[u8]| {
        let path = folder.join(format!("new-{}", staged.len()));
        write_new(&path, content, mode).map_err(CheckpointError::io(&path, "written"))?;
        staged.insert(name.clone(), path);
        Ok::<_, CheckpointError>(())
    };
    let private = Private::of(at, run);
    for (name, mode, _, digest) in &keys {
        write(name, *mode, &private.read(digest).ok_or_else(|| missing(name))?)?;
    }
    let objects = at.git.objects();
    let mut rest = &files[..];
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |(_, _, size, _): &&(&Name, u32, u64, Digest)| {
            bytes += size;
            bytes <= BATCH_BYTES
        };
        let count = rest.iter().take(BATCH_COUNT).take_while(fits).count().max(1);
        let (batch, more) = rest.split_at(count);
        rest = more;
        let id = |(name, _, _, digest): &(&Name, u32, u64, Digest)| -> Result<&ObjectId, _> {
            held.get(digest).ok_or_else(|| missing(name))
        };
        let ids = batch.iter().map(id).collect::<Result<Vec<_>, _>>()?;
        for ((name, mode, _, digest), content) in
            batch.iter().zip(objects.read(&ids, MOST_FILE_BYTES))
        {
            let content = content.map_err(|_| missing(name))?;
            if Digest::of(&content) != *digest {
                return Err(missing(name));
            }
            write(name, *mode, &content)?;
        }
    }
    Ok(staged)
}

fn write_new(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(content)?;
    platform::set_rights(&file, mode)?;
    file.sync_all()
}

/// Every step leaves each path as it was, as it is to be, or empty.
fn apply(root: &Path, restore: &[Restore], new: &BTreeMap<Name, PathBuf>) -> Result<()> {
    let top = Folder::open(root).map_err(CheckpointError::io(root, "read"))?;
    let failed = |name: &Name, action| CheckpointError::io(&root.join(name.as_path()), action);
    let mut closed = Vec::new();
    for folder in touched(restore) {
        // A folder that is there; one to be made is open to us anyway.
        if let Ok(Some(found)) = top.stat(folder.as_path())
            && found.is_folder()
            && found.mode & 0o300 != 0o300
        {
            set_mode(&top, &folder, found.mode | 0o700)?;
            closed.push((folder, found.mode));
        }
    }
    for one in removals(restore) {
        still(root, one)?;
        let path = one.path.as_path();
        let removed = if one.now.is_folder() { top.remove_folder(path) } else { top.remove(path) };
        removed.map_err(failed(&one.path, "removed"))?;
    }
    for one in restore {
        let path = one.path.as_path();
        if !one.was.is_absent() && !leads_through_folders(root, &one.path) {
            return Err(CheckpointError::Outside(root.join(path)));
        }
        let is_new = !one.now.is_folder();
        if is_new && one.was.is_folder() == one.now.is_folder() && !one.was.is_absent() {
            still(root, one)?;
        }
        match &one.was {
            State::Folder { .. } if is_new => {
                top.make_new(path).map_err(failed(&one.path, "made"))?;
                set_mode(&top, &one.path, 0o700)?;
            }
            State::File { mode, .. } => match new.get(&one.path) {
                Some(staged) => put(&top, staged, path).map_err(failed(&one.path, "written"))?,
                None => set_mode(&top, &one.path, *mode)?,
            },
            State::Link { .. } => {
                if let Some(staged) = new.get(&one.path) {
                    put(&top, staged, path).map_err(failed(&one.path, "written"))?;
                }
            }
            _ => {}
        }
    }
    for (folder, mode) in closed {
        // It may be a link again by now: what that leads to has rights of its own.
        if top.stat(folder.as_path()).is_ok_and(|found| found.is_some_and(|it| it.is_folder())) {
            set_mode(&top, &folder, mode)?;
        }
    }
    for one in restore.iter().rev() {
        if let State::Folder { mode } = one.was {
            set_mode(&top, &one.path, mode)?;
        }
    }
    for folder in touched(restore) {
        // One that was removed is told by the folder above it.
        let _ = top.at(folder.as_path()).and_then(|folder| folder.sync());
    }
    Ok(())
}

/// Refuses to go on where somebody has been at work meanwhile; what they did is kept.
fn still(root: &Path, one: &Restore) -> Result<()> {
    let now = look(root, &one.path, false)?;
    if now == one.now || (now.is_folder() && one.now.is_folder()) {
        return Ok(());
    }
    let left = vec![Left::new(one.path.to_path(), WhyLeft::ChangedSince)];
    Err(CheckpointError::Conflicts { left })
}

/// Renames; where the work tree is of another file system than its git directory, copies beside
/// and renames there.
fn put(top: &Folder, staged: &Path, path: &Path) -> io::Result<()> {
    match top.take(staged, path) {
        Err(cause) if cause.kind() == io::ErrorKind::CrossesDevices && staged.is_symlink() => {
            if top.exists(path) {
                top.remove(path)?;
            }
            top.make_link(&fs::read_link(staged)?, path)
        }
        Err(cause) if cause.kind() == io::ErrorKind::CrossesDevices => {
            let (folder, name) = top.holding(path)?;
            let (mut file, beside) = folder.temporary()?;
            let mut from = File::open(staged)?;
            let copied = io::copy(&mut from, &mut file)
                .and_then(|_| file.set_permissions(from.metadata()?.permissions()))
                .and_then(|()| file.sync_all())
                .and_then(|()| folder.rename(&beside, Path::new(&name)));
            copied.inspect_err(|_| drop(folder.remove(&beside)))
        }
        taken => taken,
    }
}

fn set_mode(top: &Folder, name: &Name, mode: u32) -> Result<()> {
    let path = name.as_path();
    top.set_mode(path, mode).map_err(CheckpointError::io(&top.path().join(path), "written"))
}

impl Left {
    pub(super) fn new(path: impl Into<PathBuf>, why: WhyLeft) -> Self {
        Self { path: path.into(), why }
    }
}
