//! Writing to git: contents, the index, commits. Only files of ours come here.
//!
//! Everything goes by plumbing (`hash-object`, `update-index --index-info`, `commit-tree`), which
//! runs no hook and no filter and never looks at what the user has edited.

use std::{collections::BTreeSet, ffi::OsString, path::Path};

use super::{super::NotePath, CommitId, Git, GitError, ObjectId};

/// A change of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Staged {
    Put {
        path: NotePath,
        object: ObjectId,
    },
    /// Takes all stages of the path out.
    Remove {
        path: NotePath,
    },
}

/// What is staged of a file, against a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedFile {
    pub path: NotePath,
    /// Its content in the commit; `None` if it is new, or was no regular file.
    pub old: Option<ObjectId>,
    /// Its staged content; `None` if it is gone, or is no regular file.
    pub new: Option<ObjectId>,
}

impl Git {
    /// Files of which another content is staged than this commit holds.
    ///
    /// # Errors
    /// When git cannot compare them.
    pub fn staged_against(&self, commit: &CommitId) -> Result<Vec<StagedFile>, GitError> {
        let commit = commit.to_string();
        let arguments = [
            "diff-index",
            "--cached",
            "--ita-invisible-in-index",
            "--raw",
            "-z",
            "--no-renames",
            "--no-abbrev",
            &commit,
            "--",
        ];
        let output = self.run(&arguments)?;
        let odd = || GitError::Odd("a line of what is staged".to_owned());
        let mut parts = output.split(|&byte| byte == 0);
        let mut files = Vec::new();
        // `:mode mode id id status`, and the path.
        while let (Some([b':', line @ ..]), Some(path)) = (parts.next(), parts.next()) {
            let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
            let [old_mode, new_mode, old, new, _] = fields[..] else { return Err(odd()) };
            let content = |mode: &[u8], id: &[u8]| match mode {
                [b'1', b'0', b'0', ..] => ObjectId::from_hex(id).map(Some).ok_or_else(odd),
                _ => Ok(None),
            };
            files.push(StagedFile {
                path: NotePath::new(path),
                old: content(old_mode, old)?,
                new: content(new_mode, new)?,
            });
        }
        Ok(files)
    }

    /// Files below these folders (relative to the root) that the work tree has otherwise than they are staged,
    /// or that were touched since.
    ///
    /// # Errors
    /// When git cannot compare them.
    pub fn changed_below(&self, folders: &[&Path]) -> Result<Vec<NotePath>, GitError> {
        let mut arguments: Vec<OsString> =
            ["diff-files", "--name-only", "-z", "--"].map(Into::into).into();
        for folder in folders {
            let mut pattern = OsString::from(":(top,literal)");
            pattern.push(folder);
            arguments.push(pattern);
        }
        let output = self.run(&arguments)?;
        let paths = output.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(NotePath::new).collect())
    }

    /// Whether this git directory is that of this work tree. A `.git` file or link that leads to
    /// the `.git` of another work tree lets us read; what would be written there is not ours.
    ///
    /// # Errors
    /// [`GitError::Foreign`] if it is another's.
    pub fn check_own(&self) -> Result<(), GitError> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let git_dir = real(&self.git_dir);
        let is_natural = git_dir.file_name().is_some_and(|name| name == ".git");
        if is_natural && git_dir.parent() != Some(&real(&self.root)) {
            return Err(GitError::Foreign(git_dir));
        }
        Ok(())
    }

    /// Stores contents as they are; returns their ids in order.
    ///
    /// # Errors
    /// When the object store cannot be written.
    pub fn write_contents(&self, contents: &[Vec<u8>]) -> Result<Vec<ObjectId>, GitError> {
        self.check_own()?;
        match self.write_by_library(contents) {
            Ok(ids) => Ok(ids),
            Err(_) => contents.iter().map(|content| self.write_by_program(content)).collect(),
        }
    }

    fn write_by_library(&self, contents: &[Vec<u8>]) -> Result<Vec<ObjectId>, GitError> {
        let repository = git2::Repository::open_bare(&self.git_dir)?;
        let ids = contents.iter().map(|content| {
            let oid = repository.blob(content)?;
            ObjectId::from_bytes(oid.as_bytes())
                .ok_or_else(|| GitError::Odd("the id of a blob".to_owned()))
        });
        ids.collect()
    }

    fn write_by_program(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        let output = self.run_with(&["hash-object", "--no-filters", "-w", "--stdin"], content)?;
        ObjectId::from_hex(output.trim_ascii())
            .ok_or_else(|| GitError::Odd("the id of a blob".to_owned()))
    }

    /// Changes the index, all at once or not at all.
    ///
    /// # Errors
    /// When another process holds the index, or it cannot be written; [`GitError::Occupied`].
    pub fn stage(&self, changes: &[Staged]) -> Result<(), GitError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.check_own()?;
        self.check_folders(changes)?;
        let mut input = Vec::new();
        for change in changes {
            match change {
                Staged::Put { path, object } => {
                    input.extend_from_slice(format!("100644 {object} 0\t").as_bytes());
                    input.extend_from_slice(path.as_bytes());
                }
                Staged::Remove { path } => {
                    // The id is not looked at, but must have the right length: any of 40 will do
                    // where ids are shorter than 64 digits.
                    let zeros = "0".repeat(self.id_digits());
                    input.extend_from_slice(format!("0 {zeros}\t").as_bytes());
                    input.extend_from_slice(path.as_bytes());
                }
            }
            input.push(0);
        }
        let unseen = self.not_checked_out(changes)?;
        self.run_with(&["update-index", "-z", "--add", "--index-info"], &input)?;
        if !unseen.is_empty() {
            self.run_with(&["update-index", "-z", "--skip-worktree", "--stdin"], &unseen)?;
        }
        Ok(())
    }

    /// Whether all that is put lies in folders of this repository: `--index-info` takes out what is in the way of
    /// a path, be it a submodule.
    fn check_folders(&self, changes: &[Staged]) -> Result<(), GitError> {
        let put = changes.iter().filter_map(|change| match change {
            Staged::Put { path, .. } => Some(path.as_path()),
            Staged::Remove { .. } => None,
        });
        let folders = put.flat_map(|path| path.ancestors().skip(1));
        let folders: BTreeSet<&Path> =
            folders.filter(|folder| !folder.as_os_str().is_empty()).collect();
        let is_other =
            |folder: &&&Path| self.root.join(folder).join(".git").symlink_metadata().is_ok();
        if let Some(folder) = folders.iter().find(is_other) {
            return Err(GitError::Occupied(folder.to_path_buf()));
        }
        // Without a pattern all is listed.
        if folders.is_empty() {
            return Ok(());
        }
        let mut arguments: Vec<OsString> = ["ls-files", "-z", "--"].map(Into::into).into();
        arguments.extend(folders.into_iter().map(entry_alone));
        let listed = self.run(&arguments)?;
        match listed.split(|&byte| byte == 0).find(|path| !path.is_empty()) {
            Some(path) => Err(GitError::Occupied(NotePath::new(path).as_path().to_owned())),
            None => Ok(()),
        }
    }

    /// Tells git how files of ours lie in the work tree that were staged by plumbing: else it takes them for
    /// changed until somebody asks for the status, and refuses `git merge --abort`.
    ///
    /// # Errors
    /// When one of the places holds no file that is staged, or another process holds the index.
    pub fn refresh(&self, places: &[&Path]) -> Result<(), GitError> {
        if places.is_empty() {
            return Ok(());
        }
        let mut arguments: Vec<OsString> = ["add", "--refresh", "--"].map(Into::into).into();
        for place in places {
            let mut pattern = OsString::from(":(top,literal)");
            pattern.push(place);
            arguments.push(pattern);
        }
        self.run(&arguments).map(drop)
    }

    /// Those of the changed files, each with a NUL behind it, that a sparse work tree leaves out: without
    /// their mark git would take them for deleted.
    fn not_checked_out(&self, changes: &[Staged]) -> Result<Vec<u8>, GitError> {
        let mut unseen = Vec::new();
        if !self.git_dir.join("info/sparse-checkout").exists() {
            return Ok(unseen);
        }
        let mut arguments: Vec<OsString> = ["ls-files", "-t", "-z", "--"].map(Into::into).into();
        for change in changes {
            if let Staged::Put { path, .. } = change {
                let mut pattern = OsString::from(":(top,literal)");
                pattern.push(path.as_path());
                arguments.push(pattern);
            }
        }
        for line in self.run(&arguments)?.split(|&byte| byte == 0) {
            if let [b'S', b' ', path @ ..] = line {
                unseen.extend_from_slice(path);
                unseen.push(0);
            }
        }
        Ok(unseen)
    }

    /// Hexadecimal digits of an id in this repository.
    fn id_digits(&self) -> usize {
        let long = self
            .run(&["rev-parse", "--show-object-format"])
            .is_ok_and(|format| format.trim_ascii() == b"sha256");
        if long { 64 } else { 40 }
    }

    /// Whether git knows in whose name a commit is made here.
    ///
    /// # Errors
    /// When git cannot be run.
    pub fn has_identity(&self) -> Result<bool, GitError> {
        for name in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            match self.run(&["var", name]) {
                Ok(_) => {}
                Err(GitError::Failed { .. }) => return Ok(false),
                Err(cause) => return Err(cause),
            }
        }
        Ok(true)
    }

    /// Commits these changes on top of HEAD, and nothing else: what the user has staged stays
    /// staged. Runs no hook. Returns the new commit.
    ///
    /// # Errors
    /// When HEAD has moved meanwhile, nobody is named as the committer, or git cannot write. Then
    /// there is no commit; the changes may be staged.
    pub fn commit_only(
        &self,
        head: Option<&CommitId>,
        changes: &[Staged],
        message: &str,
    ) -> Result<CommitId, GitError> {
        let folder = tempfile::tempdir_in(&self.git_dir)
            .map_err(|cause| GitError::Odd(format!("no temporary index: {cause}")))?;
        let aside = self.clone().with_index(folder.path().join("index"));
        if let Some(head) = head {
            aside.run(&["read-tree", head.to_string().as_str()])?;
        }
        aside.stage(changes)?;
        let tree = text(&aside.run(&["write-tree"])?);
        let parent = head.map(|head| vec!["-p".to_owned(), head.to_string()]).unwrap_or_default();
        let mut arguments = vec!["commit-tree".to_owned(), tree];
        arguments.extend(parent);
        let commit = text(&self.run_with(&arguments, message.as_bytes())?);
        // First, as another process may hold the index.
        self.stage(changes)?;
        // Only if HEAD is still what the commit was built on.
        let before = head.map_or_else(|| "0".repeat(commit.len()), CommitId::to_string);
        let subject = format!("commit: {}", message.lines().next().unwrap_or_default());
        self.run(&["update-ref", "-m", &subject, "HEAD", &commit, &before])?;
        commit.parse()
    }
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output.trim_ascii()).into_owned()
}

/// The pattern of an entry of this name, and not of what lies below a folder of this name, as a pattern without
/// any escape would be.
fn entry_alone(path: &Path) -> OsString {
    let mut pattern = b":(top,glob)".to_vec();
    let bytes = path.as_os_str().as_encoded_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if b"*?[\\".contains(byte) || at + 1 == bytes.len() {
            pattern.push(b'\\');
        }
        pattern.push(*byte);
    }
    NotePath::new(pattern).as_path().into()
}
