//! A temporary repository, what is in it, and random changes of it.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, Permissions},
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
    process::Command,
};

use elophanto_agent::checkpoint::{CheckpointError, Checkpoints, How, Undo, Undone};
use elophanto_repo::{Git, locate};
use fastrand::Rng;

/// What lies at a path: kind and mode, content or target.
pub type Manifest = BTreeMap<PathBuf, (String, Vec<u8>)>;

pub struct Repo {
    _folder: Option<tempfile::TempDir>,
    pub root: PathBuf,
}

impl Repo {
    pub fn new(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("repo");
        fs::create_dir(&root).unwrap();
        let repo = Self { _folder: Some(folder), root };
        let mut arguments = vec!["init", "--quiet", "--initial-branch=main"];
        arguments.extend(options);
        repo.git(&arguments);
        repo
    }

    pub fn at(root: &Path) -> Self {
        Self { _folder: None, root: root.to_owned() }
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.git_bytes(arguments);
        String::from_utf8_lossy(&output).trim_end().to_owned()
    }

    pub fn git_bytes(&self, arguments: &[&str]) -> Vec<u8> {
        let (ok, output) = self.try_git(arguments);
        assert!(ok, "git {arguments:?}: {}", String::from_utf8_lossy(&output));
        output
    }

    pub fn try_git(&self, arguments: &[&str]) -> (bool, Vec<u8>) {
        let output = Command::new("git")
            .current_dir(&self.root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .args([
                "-c",
                "user.name=T",
                "-c",
                "user.email=t@example.org",
                "-c",
                "core.autocrlf=false",
            ])
            .args(arguments)
            .output()
            .unwrap();
        let said = if output.status.success() { output.stdout } else { output.stderr };
        (output.status.success(), said)
    }

    pub fn commit_all(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    /// With the checkpoints of this repository.
    pub fn with<T>(&self, work: impl FnOnce(Checkpoints) -> T) -> T {
        let repository = locate(&self.root).unwrap();
        let folder = repository.local_dir().join("runs");
        let git = Git::of(&repository).unwrap();
        // Some of those that random steps change.
        let holds_key = |path: &Path| path.extension().is_some_and(|it| it == "log" || it == "key");
        work(Checkpoints::new(&git, &folder, holds_key))
    }

    pub fn undo(&self, run: &str, how: How) -> Result<Undone, CheckpointError> {
        self.undo_as(run, &id(), how)
    }

    pub fn undo_as(&self, run: &str, as_run: &str, how: How) -> Result<Undone, CheckpointError> {
        self.with(|at| at.undo(&Undo { run, as_run, how, accepts_interrupted: true }))
    }

    pub fn path(&self, name: &[u8]) -> PathBuf {
        self.root.join(OsStr::from_bytes(name))
    }

    pub fn write(&self, name: &str, content: &str) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.root.join(name)).ok()
    }

    /// Everything but `.git`.
    pub fn manifest(&self) -> Manifest {
        let mut manifest = Manifest::new();
        let mut waiting = vec![self.root.clone()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path == self.root.join(".git") {
                    continue;
                }
                let found = fs::symlink_metadata(&path).unwrap();
                let name = path.strip_prefix(&self.root).unwrap().to_owned();
                let mode = found.mode();
                let content = if found.is_symlink() {
                    fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
                } else if found.is_file() {
                    fs::read(&path).unwrap()
                } else {
                    Vec::new()
                };
                if found.is_dir() {
                    waiting.push(path);
                }
                manifest.insert(name, (format!("{mode:o}"), content));
            }
        }
        manifest
    }

    /// What git says: staged entries, branches and tags, stash, HEAD.
    pub fn state(&self) -> [Vec<u8>; 4] {
        let refs = self.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
        let refs: Vec<_> = refs.lines().filter(|l| !l.starts_with("refs/elophanto/")).collect();
        [
            self.git_bytes(&["ls-files", "--stage", "-z"]),
            refs.join("\n").into_bytes(),
            self.git_bytes(&["stash", "list"]),
            fs::read(self.git_dir().join("HEAD")).unwrap(),
        ]
    }

    pub fn git_dir(&self) -> PathBuf {
        self.root.join(self.git(&["rev-parse", "--git-dir"]))
    }

    pub fn status(&self) -> Vec<u8> {
        self.git_bytes(&["status", "--porcelain=v2", "-z", "--untracked-files=all"])
    }
}

/// A new id of a run.
pub fn id() -> String {
    ulid::Ulid::new().to_string()
}

/// Paths that two manifests do not share.
pub fn differing(a: &Manifest, b: &Manifest) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        a.keys().chain(b.keys()).filter(|path| a.get(*path) != b.get(*path)).cloned().collect();
    paths.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    paths.dedup();
    paths
}

/// Names that are hard on whoever handles them as text.
pub const NAMES: &[&[u8]] = &[
    b"a.txt",
    b"A.txt",
    b"-rf",
    b"with\nnewline",
    b"tab\t\"quote\\",
    b"\xff\xfe",
    b":(glob)*",
    "\u{fc}n\u{ef}".as_bytes(),
    b"d1",
    b"d1/x",
    b"d1-x",
    b"d1/d2",
    b"d1/d2/y",
    b"d1/d2/\xffz",
    b"d3/deep/er/file",
    b"d3/deep",
    b"ignored/one",
    b"ignored/two/three",
    b"ignored",
    b"x.log",
    b"d1/y.log",
    b".hidden/file",
];

/// One random change; returns the paths that have to be announced for it.
#[derive(Debug, Clone)]
pub struct Step {
    pub paths: Vec<&'static [u8]>,
    pub kind: u8,
    pub number: u64,
}

pub fn step(random: &mut Rng) -> Step {
    let mut name = || NAMES[random.usize(..NAMES.len())];
    let paths = vec![name(), name()];
    Step { paths, kind: random.u8(..12), number: random.u64(..) }
}

impl Step {
    /// Whether a link lies above one of its paths: file tools refuse such.
    pub fn passes_a_link(&self, repo: &Repo) -> bool {
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
        self.paths.iter().any(|name| {
            let path = repo.path(name);
            path.ancestors().skip(1).take_while(|above| *above != repo.root).any(is_link)
        })
    }

    /// Whether one of its paths lies in the other.
    pub fn is_nested(&self) -> bool {
        let [a, b] = self.paths[..] else { return true };
        let (a, b) = (Path::new(OsStr::from_bytes(a)), Path::new(OsStr::from_bytes(b)));
        a.starts_with(b) || b.starts_with(a)
    }

    pub fn act(&self, repo: &Repo) {
        let path = repo.path(self.paths[0]);
        let content =
            format!("content {}\r\n", self.number % 7).repeat(1 + self.number as usize % 5);
        match self.kind {
            0 | 1 => {
                make_way(repo, &path);
                fs::write(&path, content).unwrap();
            }
            2 => {
                make_way(repo, &path);
                fs::write(&path, [0xff, 0, b'\r', self.number as u8]).unwrap();
            }
            3 => {
                if let Ok(mut bytes) = fs::read(&path) {
                    bytes.extend_from_slice(content.as_bytes());
                    fs::write(&path, bytes).unwrap();
                }
            }
            4 | 5 => remove(&path),
            6 => {
                make_way(repo, &path);
                fs::create_dir_all(path.join("empty")).unwrap();
            }
            7 | 8 => {
                if let Ok(found) = fs::symlink_metadata(&path)
                    && !found.is_symlink()
                {
                    let modes = if found.is_dir() {
                        [0o700, 0o755, 0o555, 0o1777]
                    } else {
                        [0o600, 0o644, 0o755, 0o4555]
                    };
                    let mode = modes[self.number as usize % 4];
                    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
                }
            }
            9 => {
                make_way(repo, &path);
                let targets = ["nowhere", "d1", "/etc/passwd", ".", "\u{fc}n\u{ef}"];
                symlink(targets[self.number as usize % targets.len()], &path).unwrap();
            }
            10 if !self.is_nested() && fs::symlink_metadata(&path).is_ok() => {
                let to = repo.path(self.paths[1]);
                make_way(repo, &to);
                if fs::symlink_metadata(&path).is_ok() {
                    fs::rename(&path, &to).unwrap();
                }
            }
            _ => {
                // From a file to a folder, or the reverse.
                let was_folder = fs::symlink_metadata(&path).is_ok_and(|it| it.is_dir());
                make_way(repo, &path);
                if was_folder {
                    fs::write(&path, content).unwrap();
                } else {
                    fs::create_dir(&path).unwrap();
                    fs::write(path.join("inside"), content).unwrap();
                }
            }
        }
    }
}

/// Makes real folders of all above, and nothing at the path.
fn make_way(repo: &Repo, path: &Path) {
    let above: Vec<_> = path.ancestors().skip(1).take_while(|above| *above != repo.root).collect();
    for folder in above.into_iter().rev() {
        if !fs::symlink_metadata(folder).is_ok_and(|it| it.is_dir()) {
            remove(folder);
            fs::create_dir(folder).unwrap();
        }
    }
    remove(path);
}

pub fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

/// Files, folders and links, partly committed, staged, ignored.
pub fn furnish(repo: &Repo, random: &mut Rng) {
    repo.write(".gitignore", "ignored/\n*.log\n");
    repo.write(".gitattributes", "*.txt text eol=crlf\n*.md filter=loud\n");
    repo.git(&["config", "filter.loud.clean", "tr a-z A-Z"]);
    repo.write("user/notes.md", "mine\n");
    repo.write("user/other", "mine too\n");
    for _ in 0..random.usize(3..15) {
        step(random).act(repo);
    }
    if random.u8(..8) > 0 {
        let _ = repo.try_git(&["add", "-A"]);
        repo.git(&["commit", "--quiet", "--allow-empty", "-m", "first"]);
        if random.bool() {
            repo.git(&["tag", "v1"]);
        }
        if random.u8(..6) == 0 {
            repo.git(&["checkout", "--quiet", "--detach"]);
        }
    }
    for _ in 0..random.usize(..6) {
        step(random).act(repo);
    }
    // Staged.
    let _ = repo.try_git(&["add", "-A"]);
    for _ in 0..random.usize(..6) {
        step(random).act(repo);
    }
}
