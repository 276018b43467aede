//! The journal, what agents remember and the texts of sources, at a commit: what was written down since the last one goes
//! along.
//!
//! A file of either that git tracks is never written to again, so a file is staged as it is and the
//! next record begins a new one. Lines that were added to one all the same, as by a program that wrote
//! while a commit was being made, go along with the next commit.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::{Along, CommitError, secrets};
use elophanto_base::{
    beneath::{self, Folder},
    jsonl,
    secrets::AllowList,
};
use elophanto_knowledge::{
    learn::kept,
    memory::{FOLDER, Files},
};
use elophanto_repo::{
    Git, NotePath, Repository, Staged, Stored, Version, head, read_note,
    record_store::{RecordStore, SHARED},
};

/// Largest file, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What is to go along.
#[derive(Default)]
pub struct Pending {
    /// Files that are staged now.
    pub changes: Vec<Staged>,
    /// Files that an earlier attempt staged, in no commit yet.
    pub staged: Vec<Staged>,
    /// Their lines.
    pub records: usize,
    /// What the user should know.
    pub notices: Vec<String>,
    /// Nobody adds to the files before they are staged.
    _locks: Vec<jsonl::Lock>,
}

impl Pending {
    /// Stages them, and keeps in mind what is in no commit yet, should this one be given up.
    ///
    /// # Errors
    /// When git's index cannot be written.
    pub fn stage(&self, repository: &Repository, git: &Git) -> Result<(), CommitError> {
        git.stage(&self.changes)?;
        if let Some(along) = Along::of(repository) {
            along.remember(self.staged.iter().chain(&self.changes));
        }
        Ok(())
    }
}

/// The files of the journal and of what agents remember that git does not hold yet. Whoever stages them drops the result only
/// then.
///
/// # Errors
/// When git cannot be read or its object store not be written.
pub fn pending(
    repository: &Repository,
    git: &Git,
    allowed: &AllowList,
) -> Result<Pending, CommitError> {
    let record_store = RecordStore::new(repository, true);
    let memories = Files::of_repository(repository);
    let mut pending = Pending::default();
    let texts = texts(repository);
    let is_empty =
        (record_store.journal.shared_files().is_empty(), own_files(&memories).is_empty());
    if is_empty == (true, true) && texts.is_empty() {
        return Ok(pending);
    }
    if !is_empty.0 {
        pending._locks.push(record_store.journal.hold()?);
    }
    if !is_empty.1 {
        pending._locks.push(memories.hold()?);
    }
    let staged = git.list(&Version::Staged, &folders())?;
    let committed: FxHashSet<NotePath> = match head(git)? {
        Some(head) => git.list(&Version::Commit(head), &folders())?,
        None => Vec::new(),
    }
    .into_iter()
    .map(|file| file.path)
    .collect();
    let known: FxHashSet<&NotePath> = staged.iter().map(|file| &file.path).collect();
    let records = record_store.journal.shared_files().into_iter().chain(own_files(&memories));
    let paths = records
        .chain(texts)
        .map(|file| NotePath::from(file.strip_prefix(&repository.root).unwrap_or(&file)));
    let mut paths: Vec<NotePath> =
        paths.filter(|path| !known.contains(path) && !committed.contains(path)).collect();
    // What the user keeps out of git stays out.
    let ignored = git.ignored(&paths.iter().collect::<Vec<_>>()).unwrap_or_default();
    paths.retain(|path| !ignored.contains(path));
    let new = paths.into_iter().filter_map(|path| {
        // One that cannot be read now goes along the next time.
        let (content, _) = read_note(&repository.root, &path, MOST_BYTES).ok()?;
        let is_text = path.as_path().starts_with(kept::FOLDER);
        let records = if is_text { 0 } else { lines(&content) };
        Some(Grown { path, content, records })
    });
    for Grown { path, content, records } in new.chain(grown(repository, git, &staged)) {
        let Some(object) = git.write_contents(&[content])?.pop() else { continue };
        let stays = match secrets::in_content(&git.objects(), &object, allowed) {
            Ok(found) => found.first().map(|finding| {
                format!("line {} looks like a secret ({})", finding.line, finding.kind)
            }),
            Err(cause) => Some(cause),
        };
        if let Some(why) = stays {
            // The user has not written it, and can hardly mend it in the middle of a commit.
            pending.notices.push(format!("`{}` stays behind: {why}", path.to_text()));
            continue;
        }
        pending.records += records;
        pending.changes.push(Staged::Put { path, object });
    }
    let is_new = |path: &NotePath| !committed.contains(path) && is_own(path.as_path());
    let earlier = staged.into_iter().filter(|file| is_new(&file.path));
    pending.staged =
        earlier.map(|file| Staged::Put { path: file.path, object: file.object }).collect();
    Ok(pending)
}

/// Where records and texts of sources lie.
pub(crate) fn folders() -> [&'static Path; 3] {
    [SHARED, FOLDER, kept::FOLDER].map(Path::new)
}

/// A file of records with more than git holds of it.
pub(crate) struct Grown {
    pub path: NotePath,
    content: Vec<u8>,
    /// How many git does not hold.
    pub records: usize,
}

/// Files of records that git tracks and to which lines were added since they were `staged`.
pub(crate) fn grown(repository: &Repository, git: &Git, staged: &[Stored]) -> Vec<Grown> {
    // Where git cannot compare them, the next commit does.
    let changed = git.changed_below(&folders()).unwrap_or_default();
    let changed: FxHashSet<NotePath> = changed.into_iter().collect();
    let is_record =
        |path: &NotePath| is_own(path.as_path()) && !path.as_path().starts_with(kept::FOLDER);
    let grown = |file: &Stored| {
        let (content, _) = read_note(&repository.root, &file.path, MOST_BYTES).ok()?;
        let before = git.objects().read(&[&file.object], MOST_BYTES).pop()?.ok()?;
        let records = lines(content.strip_prefix(&before[..])?);
        (records > 0).then(|| Grown { path: file.path.clone(), content, records })
    };
    let files = staged.iter().filter(|file| changed.contains(&file.path) && is_record(&file.path));
    files.filter_map(grown).collect()
}

fn lines(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// Whether we write a file, and no other program.
fn is_own(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    path.starts_with(SHARED)
        || path.starts_with(kept::FOLDER)
        || stem.is_some_and(|stem| ulid::Ulid::from_string(stem).is_ok())
}

/// The texts of sources that git is to carry.
fn texts(repository: &Repository) -> Vec<PathBuf> {
    let entries =
        Folder::open(&repository.root).and_then(|root| root.entries(Path::new(kept::FOLDER)));
    let files =
        entries.into_iter().flatten().flatten().filter(|(_, kind)| *kind == beneath::Kind::File);
    files.map(|(name, _)| repository.root.join(kept::FOLDER).join(name)).collect()
}

/// The files of lessons that we write.
fn own_files(memories: &Files) -> Vec<PathBuf> {
    let files = memories.list().files.into_iter();
    files.map(|file| file.path).filter(|path| is_own(path)).collect()
}
