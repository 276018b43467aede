//! The git program, run so that a repository cannot use it to run code.
//!
//! Which repository is meant is said outright (`GIT_DIR`, `GIT_WORK_TREE`), so that neither a
//! caller's environment nor a bare repository lying about can point git elsewhere. Only
//! subcommands that run no filter and no text conversion may be asked for.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, sync_channel},
    },
    time::{Duration, Instant},
};

use super::super::Repository;
use elophanto_base::platform;

/// Git could not answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("cannot run git: {0}")]
    NoProgram(#[source] std::io::Error),
    #[error("`git {command}` failed: {said}")]
    Failed { command: String, said: String, code: Option<i32> },
    #[error("`git {command}` gave no answer within {} s", .limit.as_secs())]
    TooSlow { command: String, limit: Duration },
    #[error("git gave an answer that cannot be read: {0}")]
    Odd(String),
    #[error("there is no git repository here")]
    NoRepository,
    #[error("`.git` here leads to `{}`, which belongs to another work tree", .0.display())]
    Foreign(PathBuf),
    /// A submodule, a repository within this one, or a file, where a folder of this repository would be.
    #[error("`{}` is no folder of this repository", .0.display())]
    Occupied(PathBuf),
    #[error("`{0}` names no commit")]
    UnknownRevision(String),
    #[error("{0}")]
    Library(#[from] git2::Error),
}

/// How long git may take to answer, unless told otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long git may take to end when it is asked to.
const GRACE: Duration = Duration::from_millis(300);
/// Most that is kept of what git says on stderr, in bytes.
const MOST_SAID: u64 = 4 * 1024;
/// Bytes taken from git at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// Variables by which a caller (a hook of another repository) would point git elsewhere: those of
/// `git rev-parse --local-env-vars`.
const LOCAL_VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Variables that hold keys by custom: git, and what it may start, need none of them.
const KEY_VARIABLES: &[&str] = &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"];

/// Settings that win over those of the repository: each names a program git would run, or lets a
/// repository be found where none was meant.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("safe.bareRepository", "explicit"),
    ("protocol.ext.allow", "never"),
    ("log.showSignature", "false"),
    ("commit.gpgSign", "false"),
    // People and models read the names, and what is parsed comes with `-z`.
    ("core.quotePath", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// Options that certain subcommands always get: attributes of the repository choose the programs
/// that these would run, so that no setting can switch them off.
const FORCED: &[(&[&str], &[&str])] = &[
    (
        &["log", "show", "diff", "diff-tree", "diff-index", "diff-files"],
        &["--no-ext-diff", "--no-textconv"],
    ),
    (&["blame", "annotate"], &["--no-textconv"]),
];

/// Subcommands that compare files with the index, if only because they write it: git runs the
/// filters that attributes name on a file whose time alone does not prove it unchanged.
const COMPARING: &[&str] = &[
    "add", "checkout-index", "commit", "diff", "diff-files", "diff-index", "hash-object", "mv",
    "read-tree", "rm", "stash", "status", "update-index", "worktree", "write-tree",
];

/// Most filters that a repository may define.
const MOST_FILTERS: usize = 256;

/// One repository, as the git program is asked about it.
#[derive(Debug, Clone)]
pub struct Git {
    pub(super) root: PathBuf,
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    /// The index to use instead of the repository's own.
    pub(super) index_file: Option<PathBuf>,
    timeout: Duration,
    /// No answer is waited for after this.
    deadline: Option<Instant>,
    /// Open in each git that is given nothing to read, until it ends.
    held: Option<Arc<File>>,
}

/// Where programs are looked for, without folders of the work tree, which whoever wrote it has
/// filled; `None` if there is none of these.
fn path_outside(root: &Path) -> Option<OsString> {
    let path = std::env::var_os("PATH")?;
    let is_outside = |folder: &PathBuf| {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        folder.is_absolute() && !folder.starts_with(root) && !real.starts_with(root)
    };
    let all: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let outside: Vec<&PathBuf> = all.iter().filter(|folder| is_outside(folder)).collect();
    (outside.len() < all.len()).then(|| std::env::join_paths(outside).unwrap_or_default())
}

/// Variables that name other files of settings than those that libgit2 reads.
const SETTINGS_VARIABLES: &[&str] =
    &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/// Whether git reads other settings of the user or the system than libgit2 does.
pub(crate) fn has_other_settings() -> bool {
    SETTINGS_VARIABLES.iter().any(|name| std::env::var_os(name).is_some())
}

/// The git directory that git itself takes for a work tree, by the environment of the caller as it is: `None`
/// where it refuses all of them, or is not there. It reads no setting of a repository that it refuses.
pub(crate) fn git_dir_by_git(root: &Path) -> Option<PathBuf> {
    let mut command = Command::new("git");
    for name in KEY_VARIABLES {
        command.env_remove(name);
    }
    if let Some(path) = path_outside(root) {
        command.env("PATH", path);
    }
    command.args(["rev-parse", "--absolute-git-dir"]).current_dir(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = platform::own_group(&mut command).spawn().ok()?;
    let said = child.stdout.take()?;
    let status = wait(&mut child, Instant::now() + TIMEOUT)?;
    let mut path = Vec::new();
    said.take(MOST_SAID).read_to_end(&mut path).ok().filter(|_| status.success())?;
    Some(platform::path(path.strip_suffix(b"\n")?).to_owned())
}

impl Git {
    /// Git for this repository; `None` in a folder without git.
    pub fn of(repository: &Repository) -> Option<Self> {
        let git_dir = repository.git_dir.clone()?;
        Some(Self {
            root: repository.root.clone(),
            common_dir: repository.common_dir.clone().unwrap_or_else(|| git_dir.clone()),
            git_dir,
            index_file: None,
            timeout: TIMEOUT,
            deadline: None,
            held: None,
        })
    }

    /// The same with another index file (that of a running commit).
    pub fn with_index(self, index_file: PathBuf) -> Self {
        Self { index_file: Some(index_file), ..self }
    }

    /// The same with another time limit per call.
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The same with a file that each git has open until it ends: a lock on it outlives a kill of this
    /// program as long as git goes on.
    pub fn holding(self, file: File) -> Self {
        Self { held: Some(Arc::new(file)), ..self }
    }

    /// The same with a moment after which git is neither asked nor waited for.
    pub fn until(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Stdout of `git ARGUMENTS`.
    ///
    /// # Errors
    /// [`GitError`] when git cannot be run, fails, or takes too long.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Vec<u8>, GitError> {
        self.run_with(arguments, &[])
    }

    /// Stdout of `git ARGUMENTS` with something to read.
    ///
    /// # Errors
    /// Those of [`Git::run`].
    pub fn run_with<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        input: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        let mut output = Vec::new();
        let mut take = |bytes: &[u8]| {
            output.extend_from_slice(bytes);
            true
        };
        self.stream(arguments, input, &mut take)?;
        Ok(output)
    }

    /// Hands stdout of `git ARGUMENTS` to `take`, piece by piece, until that says `false` (then
    /// git is stopped, which is no failure).
    ///
    /// # Errors
    /// Those of [`Git::run`]; what was handed over before an error stands.
    pub fn stream<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        input: &[u8],
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), GitError> {
        let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
        let named = || arguments.iter().map(|a| a.to_string_lossy()).collect::<Vec<_>>().join(" ");
        // The index against a commit: no file of the work tree is opened; or without any filter.
        let reads_no_file = matches!(&arguments[..], [first, second, ..]
            if *first == "diff-index" && *second == "--cached"
                || *first == "hash-object" && *second == "--no-filters");
        let filters = match arguments.first() {
            Some(first) if COMPARING.iter().any(|name| first == name) && !reads_no_file => {
                self.filters()?
            }
            _ => Vec::new(),
        };
        let limit = match self.deadline {
            Some(deadline) => self.timeout.min(deadline.saturating_duration_since(Instant::now())),
            None => self.timeout,
        };
        let too_slow = || GitError::TooSlow { command: named(), limit };
        if limit.is_zero() {
            return Err(too_slow());
        }
        let deadline = Instant::now() + limit;
        let command = &mut self.command(&arguments, &filters);
        if let Some(file) = self.held.as_ref().filter(|_| input.is_empty()) {
            command.stdin(file.try_clone().map_err(GitError::NoProgram)?);
        }
        let mut child = command.spawn().map_err(GitError::NoProgram)?;
        let taken = std::thread::scope(|scope| {
            // Each pipe has a thread of its own, so that a full one cannot stop git.
            if let Some(mut pipe) = child.stdin.take() {
                // Git may end without reading all of it; its exit code then says why.
                scope.spawn(move || pipe.write_all(input));
            }
            let errors = child.stderr.take();
            let said = scope.spawn(move || {
                let mut said = Vec::new();
                if let Some(mut pipe) = errors {
                    let _ = pipe.by_ref().take(MOST_SAID).read_to_end(&mut said);
                    let _ = std::io::copy(&mut pipe, &mut std::io::sink());
                }
                String::from_utf8_lossy(&said).trim().replace('\n', "; ")
            });
            let (sender, receiver) = sync_channel::<Vec<u8>>(16);
            if let Some(mut pipe) = child.stdout.take() {
                scope.spawn(move || {
                    loop {
                        let mut piece = vec![0; CHUNK_BYTES];
                        match pipe.read(&mut piece) {
                            Ok(0) | Err(_) => break,
                            Ok(count) => piece.truncate(count),
                        }
                        if sender.send(piece).is_err() {
                            break;
                        }
                    }
                });
            } else {
                drop(sender);
            }
            let ended = loop {
                match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                    Ok(piece) if take(&piece) => {}
                    Ok(_) => break Ended::Stopped,
                    Err(RecvTimeoutError::Disconnected) => break Ended::AtEnd,
                    Err(RecvTimeoutError::Timeout) => break Ended::TooSlow,
                }
            };
            drop(receiver);
            let deadline = if matches!(ended, Ended::AtEnd) {
                deadline
            } else {
                stop(&child);
                Instant::now() + GRACE
            };
            let status = wait(&mut child, deadline);
            (ended, status, said.join().unwrap_or_default())
        });
        match taken {
            (Ended::Stopped, ..) => Ok(()),
            (Ended::AtEnd, Some(status), _) if status.success() => Ok(()),
            (Ended::AtEnd, Some(status), said) => {
                let said = if said.is_empty() { status.to_string() } else { said };
                Err(GitError::Failed { command: named(), said, code: status.code() })
            }
            (Ended::TooSlow, ..) | (_, None, _) => Err(too_slow()),
        }
    }

    /// Whether git has files here that a program of the settings would filter. None is run: contents
    /// are as git holds them.
    ///
    /// # Errors
    /// When git cannot say.
    pub fn has_filtered_files(&self) -> Result<bool, GitError> {
        let drivers = self.filters()?;
        if drivers.is_empty() {
            return Ok(false);
        }
        let wanted = drivers.iter().map(|driver| driver.strip_prefix("filter.").unwrap_or(driver));
        let mut asked = vec!["ls-files".to_owned(), "-z".to_owned(), "--".to_owned()];
        asked.extend(wanted.map(|name| format!(":(top,attr:filter={name})")));
        match self.run(&asked) {
            Ok(found) => Ok(!found.is_empty()),
            // Some names cannot be asked for.
            Err(GitError::Failed { .. }) => Ok(true),
            Err(cause) => Err(cause),
        }
    }

    /// The settings that name programs to filter files with. Their names are the repository's
    /// choice, so they have to be asked for before they can be overridden.
    fn filters(&self) -> Result<Vec<String>, GitError> {
        let asked = [
            "config",
            "-z",
            "--name-only",
            "--get-regexp",
            r"^filter\..*\.(clean|smudge|process)$",
        ];
        let listed = match self.run(&asked) {
            Ok(listed) => listed,
            // There is none.
            Err(GitError::Failed { .. }) => return Ok(Vec::new()),
            Err(cause) => return Err(cause),
        };
        let mut names = Vec::new();
        for name in listed.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
            let name = std::str::from_utf8(name).map_err(|_| odd_filter())?;
            let (driver, _) = name.rsplit_once('.').ok_or_else(odd_filter)?;
            names.push(driver.to_owned());
        }
        names.sort();
        names.dedup();
        if names.len() > MOST_FILTERS {
            return Err(GitError::Odd(format!("more than {MOST_FILTERS} filters")));
        }
        Ok(names)
    }

    fn command(&self, arguments: &[&OsStr], filters: &[String]) -> Command {
        let mut command = Command::new("git");
        for name in LOCAL_VARIABLES.iter().chain(KEY_VARIABLES) {
            command.env_remove(name);
        }
        if let Some(path) = path_outside(&self.root) {
            command.env("PATH", path);
        }
        if let Some((subcommand, rest)) = arguments.split_first() {
            let named = |names: &[&str]| names.iter().any(|name| subcommand == name);
            let forced = FORCED.iter().filter(|(names, _)| named(names));
            command.arg(subcommand).args(forced.flat_map(|(_, options)| *options)).args(rest);
        }
        command
            .current_dir(&self.root)
            .env("GIT_DIR", &self.git_dir)
            .env("GIT_WORK_TREE", &self.root)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            // An older git does not know the line above. Nothing here talks to another repository,
            // and each way of doing so is a way to run a program.
            .env("GIT_ALLOW_PROTOCOL", "none")
            // What is filed under the id of a blob must be that blob.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_EDITOR", ":")
            .env("GIT_PAGER", "cat")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_LITERAL_PATHSPECS", "0")
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_COUNT", (SETTINGS.len() + filters.len() * 2).to_string());
        // An empty `process` stands before `clean` and `smudge`, and is no filter.
        let empty = filters.iter().map(|driver| (format!("{driver}.process"), ""));
        let optional = filters.iter().map(|driver| (format!("{driver}.required"), "false"));
        let fixed = SETTINGS.iter().map(|(key, value)| ((*key).to_owned(), *value));
        for (number, (key, value)) in fixed.chain(empty).chain(optional).enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{number}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        if let Some(file) = &self.index_file {
            command.env("GIT_INDEX_FILE", file);
        }
        // A group of its own, so that what git has started ends with it.
        platform::own_group(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The git directory of this work tree.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The git directory that all work trees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Top of the work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

fn odd_filter() -> GitError {
    GitError::Odd("the name of a filter".to_owned())
}

enum Ended {
    AtEnd,
    Stopped,
    TooSlow,
}

/// Asks git, and whatever it has started, to end: told so it removes its lock files, killed it
/// would leave them behind.
fn stop(child: &Child) {
    platform::end_group(child.id(), false);
}

/// Waits for the end of a child whose pipes are closed; one that will not end is killed.
fn wait(child: &mut Child, deadline: Instant) -> Option<std::process::ExitStatus> {
    let mut pause = Duration::from_micros(200);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            Ok(None) => {
                stop(child);
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            Err(_) => return None,
        }
    }
}
