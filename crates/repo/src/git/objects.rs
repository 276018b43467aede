//! Files as git holds them: of a commit or staged, each with the id of its content.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Mutex,
};

use super::{super::NotePath, CommitId, Git, GitError, ObjectId};
use elophanto_base::mutex::lock;

/// A version of the files that is not the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// What the next commit would hold.
    Staged,
    Commit(CommitId),
}

/// A regular file of a [`Version`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub path: NotePath,
    pub object: ObjectId,
    /// Whether it may be run, as git sees it.
    pub executable: bool,
}

/// Bytes of the name of a revision.
const MOST_REVISION: usize = 4_096;

/// The ids of an empty file, short and long.
const EMPTY: [&str; 2] = [
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];
/// The ids of an empty folder, which git knows everywhere.
const EMPTY_TREES: [&str; 2] = [
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

const EXECUTABLE: i32 = 0o100_755;
const REGULAR: i32 = 0o100_644;
/// Written by old versions of git.
const GROUP_WRITABLE: i32 = 0o100_664;

/// Whether a mode is that of a regular file, and whether it may be run. Links and submodules are
/// neither.
fn regular(mode: i32) -> Option<bool> {
    match mode {
        EXECUTABLE => Some(true),
        REGULAR | GROUP_WRITABLE => Some(false),
        _ => None,
    }
}

impl Git {
    /// All regular files of a version below these folders, sorted by path; `.` is everything.
    /// A file that is staged in conflict is left out.
    ///
    /// # Errors
    /// When neither libgit2 nor the git program can list them.
    pub fn list(&self, version: &Version, folders: &[&Path]) -> Result<Vec<Stored>, GitError> {
        let listed = match version {
            Version::Staged => self.staged_by_library(),
            Version::Commit(commit) => self.committed_by_library(commit, folders),
        };
        let mut files = match listed {
            Ok(files) => files,
            Err(_) => self.list_by_program(version)?,
        };
        files.retain(|file| folders.iter().any(|folder| is_below(&file.path, folder)));
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    fn staged_by_library(&self) -> Result<Vec<Stored>, git2::Error> {
        let file = self.index_file.clone().unwrap_or_else(|| self.git_dir.join("index"));
        if !file.exists() {
            return Ok(Vec::new());
        }
        let index = git2::Index::open(&file)?;
        let stage = |entry: &git2::IndexEntry| (entry.flags >> 12) & 3;
        let intended = git2::IndexEntryExtendedFlag::INTENT_TO_ADD.bits();
        let entries = index.iter().filter(|entry| stage(entry) == 0);
        Ok(entries
            .filter(|entry| entry.flags_extended & intended == 0)
            .filter_map(|entry| {
                Some(Stored {
                    executable: regular(entry.mode as i32)?,
                    object: id_of(entry.id)?,
                    path: NotePath::new(entry.path),
                })
            })
            .collect())
    }

    fn committed_by_library(
        &self,
        commit: &CommitId,
        folders: &[&Path],
    ) -> Result<Vec<Stored>, git2::Error> {
        let repository = git2::Repository::open_bare(&self.git_dir)?;
        let oid = git2::Oid::from_bytes(commit.as_bytes())?;
        let tree = repository.find_commit(oid)?.tree()?;
        let mut files = Vec::new();
        let folders: Vec<&[u8]> =
            folders.iter().map(|folder| folder.as_os_str().as_encoded_bytes()).collect();
        // Folders that lead to none of those asked for are not opened.
        let leads = |path: &[u8]| {
            folders.iter().any(|&folder| {
                folder == b"." || starts_with(path, folder) || starts_with(folder, path)
            })
        };
        tree.walk(git2::TreeWalkMode::PreOrder, |above, entry| {
            // The library hands out the folder as text; names that are no text come by the
            // program.
            let path = [above.as_bytes(), entry.name_bytes()].concat();
            match entry.kind() {
                Some(git2::ObjectType::Tree) if !leads(&path) => git2::TreeWalkResult::Skip,
                Some(git2::ObjectType::Blob) => {
                    if let Some(executable) = regular(entry.filemode()) {
                        let Some(object) = id_of(entry.id()) else {
                            return git2::TreeWalkResult::Ok;
                        };
                        files.push(Stored { path: NotePath::new(path), object, executable });
                    }
                    git2::TreeWalkResult::Ok
                }
                _ => git2::TreeWalkResult::Ok,
            }
        })?;
        Ok(files)
    }

    fn list_by_program(&self, version: &Version) -> Result<Vec<Stored>, GitError> {
        let output = match version {
            Version::Staged => self.run(&["ls-files", "-z", "--stage", "--full-name"])?,
            Version::Commit(commit) => {
                self.run(&["ls-tree", "-r", "-z", "--full-tree", &commit.to_string()])?
            }
        };
        let odd = || GitError::Odd("a list of files".to_owned());
        let mut files = Vec::new();
        for line in output.split(|&byte| byte == 0).filter(|line| !line.is_empty()) {
            // `mode id stage\tpath` or `mode kind id\tpath`.
            let tab = line.iter().position(|&byte| byte == b'\t').ok_or_else(odd)?;
            let (fields, path) = (&line[..tab], &line[tab + 1..]);
            let fields: Vec<&[u8]> = fields.split(|&byte| byte == b' ').collect();
            let [mode, second, third] = fields[..] else { return Err(odd()) };
            let mode = std::str::from_utf8(mode).ok().and_then(|m| i32::from_str_radix(m, 8).ok());
            let Some(executable) = regular(mode.ok_or_else(odd)?) else { continue };
            let id = match version {
                Version::Staged if third != b"0" => continue,
                Version::Staged => second,
                Version::Commit(_) => third,
            };
            let object = ObjectId::from_hex(id).ok_or_else(odd)?;
            files.push(Stored { path: NotePath::new(path), object, executable });
        }
        if *version == Version::Staged {
            self.drop_intended(&mut files)?;
        }
        Ok(files)
    }

    /// Takes out the files of `git add --intent-to-add`: git lists them as empty ones, and no commit would hold
    /// them.
    fn drop_intended(&self, files: &mut Vec<Stored>) -> Result<(), GitError> {
        let empty = |file: &Stored| EMPTY.contains(&&*file.object.to_string());
        let Some(id) = files.iter().find(|file| empty(file)).map(|file| file.object) else {
            return Ok(());
        };
        let tree = if id.as_bytes().len() == 20 { EMPTY_TREES[0] } else { EMPTY_TREES[1] };
        let arguments = [
            "diff-index",
            "--cached",
            "--ita-invisible-in-index",
            "--name-only",
            "-z",
            "--no-renames",
            tree,
            "--",
        ];
        let output = self.run(&arguments)?;
        let staged: HashSet<&[u8]> = output.split(|&byte| byte == 0).collect();
        files.retain(|file| !empty(file) || staged.contains(file.path.as_bytes()));
        Ok(())
    }

    /// The commit that a revision names: a branch, tag, id, `HEAD~3`, ...
    ///
    /// # Errors
    /// [`GitError::UnknownRevision`] when there is none.
    pub fn resolve(&self, revision: &str) -> Result<CommitId, GitError> {
        // No program can be given one of these.
        if revision.contains('\0') || revision.len() > MOST_REVISION {
            return Err(GitError::UnknownRevision(revision.to_owned()));
        }
        let by_library = git2::Repository::open_bare(&self.git_dir).and_then(|repository| {
            let commit = repository.revparse_single(revision)?.peel_to_commit()?;
            Ok(commit.id())
        });
        if let Ok(oid) = by_library {
            return id_of(oid).ok_or_else(|| GitError::UnknownRevision(revision.to_owned()));
        }
        let wanted = format!("{revision}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", wanted.as_str()];
        let output = match self.run(&arguments) {
            Ok(output) => output,
            Err(GitError::Failed { .. }) => {
                return Err(GitError::UnknownRevision(revision.to_owned()));
            }
            Err(cause) => return Err(cause),
        };
        let text = String::from_utf8_lossy(&output);
        text.trim().parse().map_err(|_| GitError::UnknownRevision(revision.to_owned()))
    }

    /// The newest commit of HEAD's history that is not younger than `seconds` since 1970.
    ///
    /// # Errors
    /// When git cannot walk the history.
    pub fn commit_before(&self, seconds: i64) -> Result<Option<CommitId>, GitError> {
        let before = format!("--before={seconds}");
        let output = self.run(&["rev-list", "-1", before.as_str(), "HEAD"])?;
        Ok(String::from_utf8_lossy(&output).trim().parse().ok())
    }

    /// When a commit was made, in seconds since 1970.
    ///
    /// # Errors
    /// When git does not know the commit.
    pub fn commit_time(&self, commit: &CommitId) -> Result<i64, GitError> {
        let by_library = || {
            let repository = git2::Repository::open_bare(&self.git_dir)?;
            Ok(repository.find_commit(git2::Oid::from_bytes(commit.as_bytes())?)?.time().seconds())
        };
        by_library().or_else(|_: git2::Error| {
            let id = commit.to_string();
            let output = self.run(&["log", "-1", "--no-ext-diff", "--format=%ct", &*id, "--"])?;
            let text = String::from_utf8_lossy(&output);
            text.trim().parse().map_err(|_| GitError::Odd("the time of a commit".to_owned()))
        })
    }

    /// Who made a commit, if this clone holds it; no program is started for it.
    pub fn author(&self, commit: &CommitId) -> Option<String> {
        let repository = git2::Repository::open_bare(&self.git_dir).ok()?;
        let id = git2::Oid::from_bytes(commit.as_bytes()).ok()?;
        Some(String::from_utf8_lossy(repository.find_commit(id).ok()?.author().name_bytes()).into())
    }

    /// What a commit holds at these paths; `None` where it holds no file.
    ///
    /// # Errors
    /// When git cannot read the commit.
    pub fn contents_at(
        &self,
        commit: &CommitId,
        paths: &[&NotePath],
    ) -> Result<Vec<Option<ObjectId>>, GitError> {
        let by_library = || {
            let repository = git2::Repository::open_bare(&self.git_dir)?;
            let tree = repository.find_commit(git2::Oid::from_bytes(commit.as_bytes())?)?.tree()?;
            let content = |path: &&NotePath| match tree.get_path(path.as_path()) {
                Ok(entry) => Ok(id_of(entry.id())),
                Err(cause) if cause.code() == git2::ErrorCode::NotFound => Ok(None),
                Err(cause) => Err(cause),
            };
            paths.iter().map(content).collect::<Result<Vec<_>, _>>()
        };
        by_library().or_else(|_: git2::Error| {
            let files = self.list_by_program(&Version::Commit(*commit))?;
            let find = |path: &&NotePath| {
                let file = files.iter().find(|file| file.path == **path)?;
                Some(file.object)
            };
            Ok(paths.iter().map(find).collect())
        })
    }

    /// Bytes of all files below a folder as a commit holds them.
    ///
    /// # Errors
    /// When neither libgit2 nor the git program can read the commit.
    pub fn bytes_at(&self, commit: &CommitId, folder: &str) -> Result<u64, GitError> {
        let by_library = || {
            let repository = git2::Repository::open_bare(&self.git_dir)?;
            let store = repository.odb()?;
            let commit = repository.find_commit(git2::Oid::from_bytes(commit.as_bytes())?)?;
            let found = match commit.tree()?.get_path(Path::new(folder)) {
                Ok(entry) => entry.to_object(&repository)?.into_tree().ok(),
                Err(cause) if cause.code() == git2::ErrorCode::NotFound => None,
                Err(cause) => return Err(cause),
            };
            let mut bytes = 0;
            if let Some(tree) = found {
                tree.walk(git2::TreeWalkMode::PreOrder, |_, entry| {
                    if entry.kind() == Some(git2::ObjectType::Blob) {
                        bytes += store.read_header(entry.id()).map_or(0, |(size, _)| size as u64);
                    }
                    git2::TreeWalkResult::Ok
                })?;
            }
            Ok(bytes)
        };
        by_library().or_else(|_: git2::Error| {
            let commit = commit.to_string();
            let output =
                self.run(&["ls-tree", "-r", "-l", "--full-tree", &commit, "--", folder])?;
            let text = String::from_utf8_lossy(&output);
            let size = |line: &str| line.split_whitespace().nth(3)?.parse::<u64>().ok();
            Ok(text.lines().filter_map(size).sum())
        })
    }

    /// A reader of contents.
    pub fn objects(&self) -> Objects {
        let library = git2::Repository::open_bare(&self.git_dir).ok().map(Mutex::new);
        Objects { library, git: self.clone() }
    }
}

/// Reads contents by their ids; may be shared by threads.
pub struct Objects {
    library: Option<Mutex<git2::Repository>>,
    git: Git,
}

/// Why a content could not be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    #[error("git does not hold its content here (a partial clone or a damaged repository)")]
    Missing,
    #[error("{size} bytes, over the limit of {limit} (knowledge.max_file_bytes)")]
    TooLarge { size: u64, limit: u64 },
    #[error("git did not hand over all of it: {0}")]
    Cut(String),
}

/// A content up to this size is taken as a whole, in bytes.
const MOST_WHOLE: u64 = 1 << 20;

impl Objects {
    /// The contents of these ids, in order.
    pub fn read(&self, ids: &[&ObjectId], limit: u64) -> Vec<Result<Vec<u8>, Unread>> {
        let mut read: Vec<Option<Result<Vec<u8>, Unread>>> = vec![None; ids.len()];
        if let Some(library) = &self.library {
            let repository = lock(library);
            if let Ok(odb) = repository.odb() {
                for (id, read) in ids.iter().zip(&mut read) {
                    *read = read_by_library(&odb, id, limit);
                }
            }
        }
        let missing: Vec<usize> = (0..ids.len()).filter(|&index| read[index].is_none()).collect();
        if !missing.is_empty() {
            let wanted: Vec<&ObjectId> = missing.iter().map(|&index| ids[index]).collect();
            let found = self.read_by_program(&wanted, limit);
            for (index, content) in missing.into_iter().zip(found) {
                read[index] = Some(content);
            }
        }
        read.into_iter().map(|content| content.unwrap_or(Err(Unread::Missing))).collect()
    }

    /// Hands a content of any size to `take`, piece by piece.
    ///
    /// # Errors
    /// [`Unread`]; what was handed over before stands.
    pub fn pieces(&self, id: &ObjectId, take: &mut dyn FnMut(&[u8])) -> Result<(), Unread> {
        match self.read(&[id], MOST_WHOLE).pop() {
            Some(Ok(content)) => {
                take(&content);
                Ok(())
            }
            Some(Err(Unread::TooLarge { .. })) => {
                let id = id.to_string();
                let take = &mut |piece: &[u8]| {
                    take(piece);
                    true
                };
                let streamed = self.git.stream(&["cat-file", "blob", &id], &[], take);
                streamed.map_err(|cause| Unread::Cut(cause.to_string()))
            }
            Some(Err(cause)) => Err(cause),
            None => Err(Unread::Missing),
        }
    }

    fn read_by_program(&self, ids: &[&ObjectId], limit: u64) -> Vec<Result<Vec<u8>, Unread>> {
        let mut found: HashMap<String, Result<Vec<u8>, Unread>> = HashMap::new();
        // Sizes first: a content beyond the limit is not even asked for.
        let request = |ids: &[&ObjectId]| {
            ids.iter().flat_map(|id| format!("{id}\n").into_bytes()).collect::<Vec<u8>>()
        };
        let sizes = self.git.run_with(&["cat-file", "--batch-check"], &request(ids));
        let mut wanted = Vec::new();
        for (id, line) in ids.iter().zip(sizes.unwrap_or_default().split(|&b| b == b'\n')) {
            let line = String::from_utf8_lossy(line);
            let mut fields = line.split(' ').skip(1);
            let (kind, size) = (fields.next(), fields.next().and_then(|size| size.parse().ok()));
            match (kind, size) {
                (Some("blob"), Some(size)) if size <= limit => wanted.push(*id),
                (Some("blob"), Some(size)) => {
                    found.insert(id.to_string(), Err(Unread::TooLarge { size, limit }));
                }
                _ => {}
            }
        }
        if !wanted.is_empty()
            && let Ok(output) = self.git.run_with(&["cat-file", "--batch"], &request(&wanted))
        {
            let mut rest: &[u8] = &output;
            while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
                let head = String::from_utf8_lossy(&rest[..end]).into_owned();
                let mut fields = head.split(' ');
                let (id, size) = (fields.next(), fields.nth(1).and_then(|s| s.parse().ok()));
                let (Some(id), Some(size)) = (id, size) else { break };
                let size: usize = size;
                let Some(content) = rest.get(end + 1..end + 1 + size) else { break };
                found.insert(id.to_owned(), Ok(content.to_vec()));
                rest = rest.get(end + 2 + size..).unwrap_or_default();
            }
        }
        let get = |id: &&ObjectId| found.get(&id.to_string()).cloned();
        ids.iter().map(|id| get(id).unwrap_or(Err(Unread::Missing))).collect()
    }
}

fn id_of(oid: git2::Oid) -> Option<ObjectId> {
    ObjectId::from_bytes(oid.as_bytes())
}

/// `None` where the library cannot say.
fn read_by_library(odb: &git2::Odb, id: &ObjectId, limit: u64) -> Option<Result<Vec<u8>, Unread>> {
    let oid = git2::Oid::from_bytes(id.as_bytes()).ok()?;
    let (size, kind) = odb.read_header(oid).ok()?;
    if kind != git2::ObjectType::Blob {
        return None;
    }
    if size as u64 > limit {
        return Some(Err(Unread::TooLarge { size: size as u64, limit }));
    }
    odb.read(oid).ok().map(|object| Ok(object.data().to_vec()))
}

/// Whether a path lies in a folder; everything lies in `.`.
fn is_below(path: &NotePath, folder: &Path) -> bool {
    folder == Path::new(".") || path.as_path().starts_with(folder)
}

fn starts_with(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_hold_what_is_below_them() {
        for (path, folder, below) in [
            ("docs/a.md", "docs", true),
            ("docs/a.md", ".", true),
            ("docs2/a.md", "docs", false),
            ("docs", "docs", true),
            ("a.md", "docs", false),
        ] {
            assert_eq!(is_below(&path.into(), Path::new(folder)), below, "{path} {folder}");
        }
    }
}
