//! A sealed temporary git repository, and the program run in it.
//!
//! Nothing of the machine shows: no configuration, no identity, no terminal, a fixed time zone.

use std::{
    ffi::OsStr,
    fmt, fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Mutex,
};

use elophanto_app::init::{attribute_lines, managed_block::upsert};
use elophanto_models::{Embedder, bert::Bert};
use serde_json::Value;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_elophanto");

/// The user's settings unless a test has its own: nobody listens at port 2.
const NO_OLLAMA: &str = "llm.providers.ollama.base_url: http://127.0.0.1:2\n";
/// What every test has in the user's settings: no process outlives a test.
const NO_BACKGROUND: &str = "index.background: false\n";
/// What a test has there that is about the built-in model.
const BUILTIN: &str = "knowledge.minilm_chunks: 0\n";

/// What differs between two runs of the same thing, and what it is shown as.
pub const FILTERS: &[(&str, &str)] = &[
    // What clap puts at the end of an empty line.
    (r"(?m) +$", ""),
    (r"\d+\.\d\d seconds", "[SECONDS] seconds"),
    (r#""seconds":[0-9.e-]+"#, r#""seconds":"[SECONDS]""#),
    (r"[0-9a-z]{26}-[0-9a-f]{32}\.lance", "[TABLE].lance"),
    (r"\b[0-9a-f]{64}\b", "[DIGEST]"),
    (r"\b[0-9a-f]{40}\b", "[BLOB]"),
    (r"\b[0-9a-f]{10}\b", "[COMMIT]"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[TIME]"),
    (r"(/[^\s/`]+)*/\.tmp[A-Za-z0-9]{6}", "[TEMP]"),
];

/// Compares a whole output with an inline snapshot, through [`FILTERS`].
macro_rules! snapshot {
    ($output:expr, @$expected:literal) => {
        insta::with_settings!({ filters => crate::env::FILTERS.to_vec() }, {
            insta::assert_snapshot!($output, @$expected)
        })
    };
}
pub(crate) use snapshot;

/// A temporary folder with a repository `repo` and an empty home in it.
pub struct TestEnv {
    folder: tempfile::TempDir,
    root: PathBuf,
    own: Mutex<Own>,
}

/// The user's own settings.
#[derive(Default)]
struct Own {
    /// As the test wrote them.
    text: String,
    /// Whether `auto` takes the built-in model.
    builtin: bool,
}

/// What a finished program said.
#[derive(Debug, Clone)]
pub struct Output {
    /// Exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl TestEnv {
    /// An empty repository on branch `main`.
    pub fn new() -> Self {
        let env = Self::plain();
        env.git(&["init", "--quiet", "--initial-branch=main"]);
        env
    }

    /// A folder without git.
    pub fn plain() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("repo");
        fs::create_dir(&root).unwrap();
        let env = Self { folder, root, own: Mutex::default() };
        env.write_settings(NO_OLLAMA);
        env
    }

    /// An empty repository with these notes in it.
    pub fn with(notes: &[(&str, &str)]) -> Self {
        let env = Self::new();
        for (path, text) in notes {
            env.write(path, text);
        }
        env
    }

    /// Where nothing else is said, the built-in model embeds: for tests about it, or whose
    /// snapshots show what it finds. Everybody else has the model that users have.
    pub fn builtin(self) -> Self {
        let text = {
            let mut own = self.own.lock().unwrap();
            own.builtin = true;
            own.text.clone()
        };
        self.write_settings(&text);
        self
    }

    /// Makes this the user's own settings; without it, they only keep an Ollama of this machine
    /// out of the tests.
    pub fn write_settings(&self, text: &str) {
        let mut own = self.own.lock().unwrap();
        text.clone_into(&mut own.text);
        let folder = self.folder.path().join("home/.config/elophanto");
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        let model = if own.builtin { BUILTIN } else { "" };
        let text = format!("{NO_BACKGROUND}{model}{text}");
        fs::write(folder.join("config.yaml"), text).unwrap();
    }

    /// Top of the repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that holds the repository, for what must lie outside of it.
    pub fn outside(&self) -> &Path {
        self.root.parent().unwrap()
    }

    /// A path in the repository.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    /// Changes the last vectors in each file of each view, and removes all that were kept beside them.
    pub fn damage_vectors(&self) {
        self.remove(".git/elophanto/vectors");
        let mut folders = vec![self.path(".git/elophanto")];
        let mut damaged = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "vec") {
                    let mut bytes = fs::read(&path).unwrap();
                    bytes.iter_mut().rev().take(40).for_each(|byte| *byte ^= 0x11);
                    fs::write(&path, bytes).unwrap();
                    damaged += 1;
                }
            }
        }
        assert!(damaged > 0);
    }

    /// Folder of the view, which the model of the settings decides.
    pub fn view(&self) -> PathBuf {
        let settings = fs::read_to_string(self.path(".elophanto/config.yaml")).unwrap_or_default();
        if !settings.contains("embedding_provider: minilm") {
            return self.path(".git/elophanto/view");
        }
        let model = blake3::hash(Bert::minilm().fingerprint().as_str().as_bytes()).to_hex();
        self.path(format!(".git/elophanto/view-{}", &model[..16]))
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Writes the lines for git that `init`, `learn` and `hook install` put there, so that they have
    /// nothing to write or to say.
    pub fn write_attributes(&self) {
        let block = upsert(b"", &attribute_lines("knowledge")).unwrap().unwrap();
        self.write(".gitattributes", block);
    }

    /// The bytes of a file.
    pub fn read(&self, path: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(path)).unwrap()
    }

    /// Removes a file or a whole folder.
    pub fn remove(&self, path: impl AsRef<Path>) {
        let path = self.path(path);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }

    /// Renames a file or folder.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) {
        let to = self.path(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(self.path(from), to).unwrap();
    }

    /// A program that sees nothing of this machine, started in the repository.
    pub fn sealed(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(found(program.as_ref()));
        command
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path().join("home"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_AUTHOR_NAME", "A")
            .env("GIT_AUTHOR_EMAIL", "a@example.org")
            .env("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z")
            .env("GIT_COMMITTER_NAME", "A")
            .env("GIT_COMMITTER_EMAIL", "a@example.org")
            .env("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z")
            // Hits do not depend on how busy the machine is.
            .env("ELOPHANTO_SEARCH_SECOND_LOOK", "never")
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .stdin(Stdio::null());
        command
    }

    /// The program under test, sealed, not started yet.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.sealed(PROGRAM);
        command.args(args);
        command
    }

    /// Runs git and returns its stdout. A failure of git fails the test.
    pub fn git(&self, args: &[&str]) -> String {
        let output = finish(self.sealed("git").args(args));
        assert!(output.code == Some(0), "git {args:?}\n{output}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits everything there is.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    /// Runs the program.
    pub fn run(&self, args: &[&str]) -> Output {
        finish(&mut self.command(args))
    }

    /// Runs the program in another folder, relative to the repository.
    pub fn run_in(&self, folder: impl AsRef<Path>, args: &[&str]) -> Output {
        finish(self.command(args).current_dir(self.path(folder)))
    }

    /// Runs the program with something to read.
    pub fn run_with(&self, args: &[&str], stdin: &[u8]) -> Output {
        let mut command = self.command(args);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        // The program may end without reading all of it.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        child.wait_with_output().unwrap().into()
    }

    /// Runs the program and expects success.
    pub fn ok(&self, args: &[&str]) -> Output {
        let output = self.run(args);
        assert!(output.code == Some(0), "{args:?}\n{output}");
        output
    }

    /// Starts the program beside the test, both outputs piped.
    pub fn spawn(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs the program, expects no failure, and reads stdout as JSON Lines.
    pub fn json(&self, args: &[&str]) -> Vec<Value> {
        let output = self.run(args);
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
        output.json()
    }

    /// The summary of `index --json` with more arguments.
    pub fn index(&self, args: &[&str]) -> Value {
        let lines = self.json(&[&["index", "--json"], args].concat());
        lines.last().cloned().unwrap()
    }

    /// Paths of the hits, best first.
    pub fn hits(&self, args: &[&str]) -> Vec<String> {
        let lines = self.json(&[&["search", "--json"], args].concat());
        lines.iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect()
    }

    /// Names of the tables below `.elophanto/index`, sorted.
    pub fn tables(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(".elophanto/index")) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".lance")).collect();
        names.sort();
        names
    }

    /// Tables that git does not track.
    pub fn pending(&self) -> Vec<String> {
        let tracked = self.git(&["ls-files", "-z", "--", ".elophanto/index"]);
        let mut names = self.tables();
        names.retain(|name| !tracked.contains(name.as_str()));
        names
    }

    /// Every file outside `.git` with its content, sorted by path; a link with its target.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        gather(&self.root, &self.root, &mut files);
        files.sort();
        files
    }
}

impl Output {
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Stdout as JSON Lines. A line that is no JSON fails the test.
    pub fn json(&self) -> Vec<Value> {
        let text = std::str::from_utf8(&self.stdout).unwrap();
        let parse = |line: &str| match serde_json::from_str(line) {
            Ok(value) => value,
            Err(cause) => panic!("not JSON ({cause}): {line}\n{self}"),
        };
        text.lines().map(parse).collect()
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => writeln!(f, "exit: {code}")?,
            None => writeln!(f, "exit: by a signal")?,
        }
        write!(f, "--- stdout\n{}--- stderr\n{}", self.stdout(), self.stderr())
    }
}

impl From<std::process::Output> for Output {
    fn from(output: std::process::Output) -> Self {
        let std::process::Output { status, stdout, stderr } = output;
        Self { code: status.code(), stdout, stderr }
    }
}

/// Where a program is that is called by its name. The standard library forks for a name if the command
/// has a `PATH` of its own, which copies the page tables of all of this process.
fn found(program: &OsStr) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_name = !program.as_encoded_bytes().contains(&b'/');
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(program));
    places.find(|place| is_name && place.is_file()).unwrap_or_else(|| program.into())
}

/// Runs a prepared program to its end.
pub fn finish(command: &mut Command) -> Output {
    command.output().unwrap().into()
}

fn gather(folder: &Path, root: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap();
        let below = path.strip_prefix(root).unwrap().to_owned();
        if kind.is_symlink() {
            files
                .push((below, fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()));
        } else if kind.is_file() {
            files.push((below, fs::read(&path).unwrap()));
        } else if kind.is_dir() && below != Path::new(".git") {
            gather(&path, root, files);
        }
    }
}
