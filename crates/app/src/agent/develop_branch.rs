//! The branch of a plugin, made by plumbing: what the user has checked out and staged stays as it is.

use std::{
    collections::BTreeSet,
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

use elophanto_agent::{
    develop::{Branch, Branching, Ended},
    plugins::LEFT_OUT,
};
use elophanto_base::{
    beneath::{Folder, Kind},
    platform::is_executable,
};
use elophanto_repo::{CommitId, Git, GitError};

/// Below it lie the branches, each with the name of its plugin.
const BRANCHES: &str = "elophanto/develop";
const PATIENCE: Duration = Duration::from_secs(60);
/// Files of one commit, entries that are looked at for them, and bytes of a file.
const MOST_FILES: usize = 1_000;
const MOST_ENTRIES: usize = 10_000;
const MOST_BYTES: u64 = 4 << 20;

/// Branches of one repository.
pub struct Plumbing {
    git: Git,
}

impl Plumbing {
    pub fn new(git: &Git) -> Self {
        Self { git: git.clone().with_timeout(PATIENCE) }
    }

    /// A branch that is checked out would seem to lose its files.
    fn refuse_checked_out(&self, branch: &str) -> Result<(), String> {
        match self.git.checked_out_in(branch).map_err(told)? {
            None => Ok(()),
            Some(place) => Err(format!("the branch {branch} is checked out in {place}")),
        }
    }

    fn head(&self) -> Result<CommitId, String> {
        self.git.resolve("HEAD").map_err(|cause| match cause {
            GitError::UnknownRevision(_) => {
                "there is no commit yet that a branch could begin at".to_owned()
            }
            cause => told(cause),
        })
    }

    /// What a temporary index is told, so that it holds these paths as they are now.
    fn changes(&self, parent: &CommitId, paths: &[PathBuf]) -> Result<Vec<u8>, String> {
        let digits = parent.to_string().len();
        let mut found = BTreeSet::new();
        for path in paths {
            files_of(self.git.root(), path, &mut found)?;
        }
        let mut input = Vec::new();
        for gone in self.listed(parent, paths)?.difference(&found) {
            let line = format!("0 {}\t{}\0", "0".repeat(digits), gone.display());
            input.extend_from_slice(line.as_bytes());
        }
        for path in &found {
            let (bytes, mode) = read(self.git.root(), path)?;
            let said = self.git.run_with(&["hash-object", "-w", "--stdin"], &bytes);
            let object = text(&said.map_err(told)?);
            input.extend_from_slice(format!("{mode} {object} 0\t{}\0", path.display()).as_bytes());
        }
        Ok(input)
    }

    /// Files that a commit holds at and below these paths.
    fn listed(&self, commit: &CommitId, paths: &[PathBuf]) -> Result<BTreeSet<PathBuf>, String> {
        let commit = commit.to_string();
        let asked = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", &commit];
        let said = self.git.run(&asked).map_err(told)?;
        let names = said.split(|&byte| byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
        Ok(names
            .map(PathBuf::from)
            .filter(|name| paths.iter().any(|path| name.starts_with(path)))
            .collect())
    }
}

impl Branching for Plumbing {
    fn begin(&self, plugin: &str) -> Result<Branch, String> {
        let name = format!("{BRANCHES}/{plugin}");
        if !self.git.has_identity().map_err(told)? {
            return Err("git does not know in whose name to commit: user.name and user.email are \
                        not set"
                .to_owned());
        }
        let head = self.head()?;
        self.refuse_checked_out(&name)?;
        let tip = self.git.branch_tip(&name).map_err(told)?;
        // What is merged already goes on from where the user is.
        let is_new = match &tip {
            None => true,
            Some(tip) => *tip != head && self.git.is_part_of(tip, &head).map_err(told)?,
        };
        if is_new {
            self.git.move_branch(&name, tip.as_ref(), &head, "develop: begin").map_err(told)?;
        }
        Ok(Branch { name })
    }

    fn commit(
        &self,
        branch: &Branch,
        paths: &[PathBuf],
        message: &str,
    ) -> Result<Option<String>, String> {
        self.refuse_checked_out(&branch.name)?;
        let gone = || format!("the branch {} is gone", branch.name);
        let parent = self.git.branch_tip(&branch.name).map_err(told)?.ok_or_else(gone)?;
        let folder = tempfile::tempdir_in(self.git.git_dir())
            .map_err(|cause| format!("no temporary index: {cause}"))?;
        let aside = self.git.clone().with_index(folder.path().join("index"));
        let parent_id = parent.to_string();
        aside.run(&["read-tree", &parent_id]).map_err(told)?;
        let input = self.changes(&parent, paths)?;
        let update = ["update-index", "-z", "--add", "--replace", "--index-info"];
        if !input.is_empty() {
            aside.run_with(&update, &input).map_err(told)?;
        }
        let tree = text(&aside.run(&["write-tree"]).map_err(told)?);
        let of_parent = format!("{parent_id}^{{tree}}");
        if tree == text(&self.git.run(&["rev-parse", &of_parent]).map_err(told)?) {
            return Ok(None);
        }
        let made = ["commit-tree", &tree, "-p", &parent_id];
        let said = self.git.run_with(&made, message.as_bytes()).map_err(told)?;
        let commit: CommitId = text(&said).parse().map_err(|_| "git named no commit".to_owned())?;
        let why = format!("develop: {message}");
        self.git.move_branch(&branch.name, Some(&parent), &commit, &why).map_err(told)?;
        Ok(Some(commit.to_string()))
    }

    fn finish(&self, branch: &Branch, _ended: Ended) -> Result<(), String> {
        let Some(tip) = self.git.branch_tip(&branch.name).map_err(told)? else { return Ok(()) };
        if !self.git.is_part_of(&tip, &self.head()?).map_err(told)? {
            return Ok(());
        }
        self.refuse_checked_out(&branch.name)?;
        self.git.remove_branch(&branch.name, &tip).map_err(told)
    }
}

/// All files at and below a path of the work tree. What is neither file nor folder is refused.
fn files_of(root: &Path, path: &Path, found: &mut BTreeSet<PathBuf>) -> Result<(), String> {
    let failed =
        |path: &Path, cause: &dyn std::fmt::Display| format!("`{}`: {cause}", path.display());
    let root = Folder::open(root).map_err(|cause| failed(path, &cause))?;
    let (mut waiting, mut seen) = (vec![path.to_owned()], 0);
    while let Some(path) = waiting.pop() {
        seen += 1;
        if seen > MOST_ENTRIES || found.len() > MOST_FILES {
            return Err(failed(&path, &"too many files for one commit"));
        }
        let Some(kind) = root.kind(&path).map_err(|cause| failed(&path, &cause))? else {
            continue;
        };
        if kind == Kind::File {
            found.insert(path);
        } else if kind == Kind::Folder {
            for entry in root.entries(&path).map_err(|cause| failed(&path, &cause))? {
                let (name, _) = entry.map_err(|cause| failed(&path, &cause))?;
                let Some(name) = name.to_str() else {
                    return Err(failed(&path, &"holds a name that is no text"));
                };
                if !LEFT_OUT.contains(&name) {
                    waiting.push(path.join(name));
                }
            }
        } else {
            return Err(failed(&path, &"neither a file nor a folder"));
        }
    }
    Ok(())
}

/// A file's bytes as they are, and the mode that git gives it.
fn read(root: &Path, path: &Path) -> Result<(Vec<u8>, &'static str), String> {
    let failed = |cause: &dyn std::fmt::Display| format!("`{}`: {cause}", path.display());
    let opened = Folder::open(root).and_then(|root| root.read(path));
    let (file, data) = opened.map_err(|cause| failed(&cause))?;
    if data.len() > MOST_BYTES {
        return Err(failed(&format!("no file of at most {MOST_BYTES} bytes")));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(|cause| failed(&cause))?;
    Ok((bytes, if is_executable(&data) { "100755" } else { "100644" }))
}

fn text(said: &[u8]) -> String {
    String::from_utf8_lossy(said.trim_ascii()).into_owned()
}

fn told(cause: GitError) -> String {
    cause.to_string()
}
