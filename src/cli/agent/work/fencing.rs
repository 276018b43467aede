//! Programs that the agent runs, in their sandbox.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs,
    io::{self, Write},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    thread::{Builder, JoinHandle},
    time::Duration,
};

use tempfile::TempDir;
use walkdir::{DirEntry, WalkDir};

use super::super::super::{env, workspace::Workspace};
use crate::{
    config::AgentConfig,
    fence::{self, Ended, Helper, Kind, Limits, Policy, Standby, Stopped},
    permissions::{KEY_DRIVER, key_attributes},
    plugins::{RunEnded, RunRequest},
    process,
    tools::{OutOfReach, ShellOutcome, ShellRequest},
};

/// This very program, however it was started and whatever became of its file since.
const OWN: &str = "/proc/self/exe";
/// Shells, best first.
const SHELLS: [&str; 2] = ["/bin/bash", "/usr/bin/bash"];
/// Files and folders of a work tree that are looked at for keys.
const MOST_ENTRIES: usize = 200_000;
const PLAIN_SHELL: &str = "/bin/sh";
/// What the system says where nothing can be written.
const READ_ONLY: &[u8] = b"Read-only file system";
/// The folder of elophanto in a work tree.
const OWN_FOLDER: &str = ".elophanto";
/// The file of attributes, in the folder of what is local to this machine.
const ATTRIBUTES: &str = "attributes";

/// Whether a line of a shell, run in a folder, changes nothing.
pub type OnlyReads = Arc<dyn Fn(&str, &Path) -> bool + Send + Sync>;

/// What is run in the sandbox, and with what.
pub struct Fencing {
    root: PathBuf,
    home: PathBuf,
    protected: Vec<PathBuf>,
    /// Folders of git outside of the work tree, as a linked one has: read, never written.
    git: Vec<PathBuf>,
    /// What runs at work keep of files: no program reads it.
    runs: PathBuf,
    /// What git is told of files that hold keys.
    attributes: PathBuf,
    is_key: OutOfReach,
    only_reads: OnlyReads,
    settings: AgentConfig,
    helper: OnceLock<(Helper, Kind)>,
    ready: Mutex<Ready>,
    /// Starts the helper of the next program.
    next: Mutex<Option<JoinHandle<Option<Standby>>>>,
    /// By its path relative to the root, whether a file or folder holds keys.
    judged: Mutex<HashMap<OsString, bool>>,
}

/// What was made ready for the next program while something else was done.
#[derive(Default)]
struct Ready {
    standby: Option<Standby>,
    /// What holds keys in the work tree, if all of it has just been looked at.
    keys: Option<Vec<PathBuf>>,
    /// Other repositories in it: an undo does not reach into them.
    nested: Vec<PathBuf>,
    /// An empty folder for temporary files.
    temporary: Option<TempDir>,
}

/// One program.
struct Wanted<'w> {
    argv: Vec<String>,
    folder: &'w Path,
    stdin: &'w [u8],
    network: bool,
    time: Duration,
    max_output: usize,
    /// More that it reads.
    read: Vec<PathBuf>,
    /// It writes temporary files at most.
    only_reads: bool,
}

impl Fencing {
    /// `protected` is never written; what `is_key` holds of the work tree is never read. What
    /// `only_reads` holds of runs where the whole work tree is protected.
    pub fn new(
        workspace: &Workspace,
        home: &Path,
        protected: Vec<PathBuf>,
        is_key: OutOfReach,
        only_reads: OnlyReads,
    ) -> Self {
        let repository = &workspace.repository;
        let git = [&repository.git_dir, &repository.common_dir].into_iter().flatten();
        let git = git.filter(|folder| !folder.starts_with(&repository.root)).cloned();
        Self {
            git: git.collect(),
            runs: repository.runs_dir(),
            attributes: repository.local_dir().join(ATTRIBUTES),
            root: repository.root.clone(),
            home: home.to_owned(),
            protected,
            is_key,
            only_reads,
            settings: workspace.config.agent.clone(),
            helper: OnceLock::new(),
            ready: Mutex::default(),
            next: Mutex::default(),
            judged: Mutex::default(),
        }
    }

    /// How well programs are shut in here; tried once.
    pub fn kind(&self) -> &Kind {
        &self.helper().1
    }

    /// Whether programs are shut in at all.
    pub fn is_there(&self) -> bool {
        !matches!(self.kind(), Kind::Absent(_))
    }

    /// Whether a line is run so that it cannot change anything: no checkpoint is needed for it.
    pub fn holds_still(&self, line: &str, folder: &Path, network: bool) -> bool {
        !network && self.is_there() && (self.only_reads)(line, folder)
    }

    fn helper(&self) -> &(Helper, Kind) {
        self.helper.get_or_init(|| {
            let argv = [OWN, "agent", "fenced"].map(str::to_owned);
            Helper::best(argv.into())
        })
    }

    /// Runs a line of a shell.
    ///
    /// # Errors
    /// In words, when it cannot be started.
    pub fn shell(
        &self,
        request: &ShellRequest,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<ShellOutcome, String> {
        if request.network && !self.settings.network {
            return Err(
                "commands may not use the network: the user's own setting `agent.network` \
                        allows it"
                    .to_owned(),
            );
        }
        let shell = SHELLS.into_iter().find(|shell| Path::new(shell).exists());
        let mut argv: Vec<String> = match shell {
            Some(bash) => [bash, "--noprofile", "--norc", "-c"].map(str::to_owned).into(),
            None => [PLAIN_SHELL, "-c"].map(str::to_owned).into(),
        };
        argv.push(request.line.clone());
        let wanted = Wanted {
            argv,
            folder: &request.folder,
            stdin: &[],
            network: request.network,
            time: request.timeout,
            max_output: request.max_output,
            read: Vec::new(),
            only_reads: self.holds_still(&request.line, &request.folder, request.network),
        };
        let ended = self.run(&wanted, is_cancelled)?;
        let note = match ended.why {
            Some(Stopped::Output) => Some("stopped: it said far too much".to_owned()),
            Some(Stopped::Memory) => Some("stopped: it took too much memory".to_owned()),
            Some(Stopped::Processes) => Some("stopped: it started too many processes".to_owned()),
            Some(Stopped::Time | Stopped::Cancelled) => None,
            None if *self.kind() == Kind::Narrow && !ended.is_success() => {
                Some(format!("the sandbox is a narrow one here: {}", fence::NARROW))
            }
            None if !ended.is_success() && says(&ended.stderr, READ_ONLY) => {
                Some("what is protected, and other repositories inside, no command changes".into())
            }
            None => None,
        };
        Ok(ShellOutcome {
            code: ended.code,
            // How much is missing is not counted, only that it is.
            stdout_missing: u64::from(ended.cut),
            stderr_missing: 0,
            stdout: ended.stdout,
            stderr: ended.stderr,
            timed_out: ended.why == Some(Stopped::Time),
            cancelled: ended.why == Some(Stopped::Cancelled),
            note,
        })
    }

    /// Runs a file of a plugin.
    ///
    /// # Errors
    /// In words, when it cannot be started.
    pub fn plugin(&self, request: &RunRequest<'_>) -> Result<RunEnded, String> {
        let wanted = Wanted {
            argv: request.argv.clone(),
            folder: &request.folder,
            stdin: request.stdin,
            network: request.network,
            time: request.time,
            max_output: request.max_output,
            read: vec![request.code.clone()],
            only_reads: false,
        };
        let ended = self.run(&wanted, request.is_cancelled)?;
        let stopped = ended.why.map(|why| match why {
            Stopped::Time => format!("it took longer than {} s", request.time.as_secs()),
            Stopped::Cancelled => "the user ended the run".to_owned(),
            Stopped::Output => "it said far too much".to_owned(),
            Stopped::Memory => "it took too much memory".to_owned(),
            Stopped::Processes => "it started too many processes".to_owned(),
        });
        Ok(RunEnded {
            code: ended.code,
            stdout: ended.stdout,
            stderr: ended.stderr,
            cut: ended.cut,
            stopped,
        })
    }

    /// What no program that is shut in can change.
    pub fn protected(&self) -> &[PathBuf] {
        if self.is_there() { &self.protected } else { &[] }
    }

    /// To be called before there is time to pass until the next program runs: its helper is
    /// started meanwhile.
    pub fn get_ready(&self) {
        let (helper, kind) = self.helper();
        let mut ready = self.ready();
        (ready.keys, ready.nested) = (None, Vec::new());
        let next = self.next().take().and_then(|next| next.join().ok().flatten());
        let mut standby = ready.standby.take().or(next);
        if !standby.as_mut().is_some_and(Standby::is_waiting) && !matches!(kind, Kind::Absent(_)) {
            // Whoever runs the program is told why there is none.
            standby = helper.start().ok();
        }
        ready.standby = standby;
    }

    /// To be called when a program has ended and the model is about to be asked: where one was
    /// run, there will be others, and their helper can start while the model thinks.
    pub fn expects_another(&self) {
        let Some((helper, kind)) = self.helper.get() else { return };
        let mut next = self.next();
        if !matches!(kind, Kind::Absent(_)) && self.ready().standby.is_none() && next.is_none() {
            let helper = helper.clone();
            let start = move || helper.start().ok();
            *next = Builder::new().name("standby".to_owned()).spawn(start).ok();
        }
    }

    /// To be called at the end of a run: nothing is left waiting.
    pub fn rests(&self) {
        drop(self.next().take().map(JoinHandle::join));
        self.ready().standby = None;
    }

    /// To be called right before the next program runs, by whoever has just looked at all files and
    /// folders of the work tree: their paths relative to the root.
    pub fn knows<'p>(&self, paths: impl Iterator<Item = &'p Path>) {
        let keys = self.keys_among(paths);
        self.ready().keys = Some(keys);
    }

    fn ready(&self) -> MutexGuard<'_, Ready> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> MutexGuard<'_, Option<JoinHandle<Option<Standby>>>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Variables that keep git from showing what was committed of files that hold keys. Best
    /// effort, as where nothing can be written: what a program says is looked through as well.
    fn for_git(&self) -> impl Iterator<Item = (String, String)> {
        let text = key_attributes();
        if fs::read(&self.attributes).ok().as_deref() != Some(text.as_bytes())
            && let Some(folder) = self.attributes.parent()
        {
            let write = || {
                fs::create_dir_all(folder)?;
                let mut file = tempfile::NamedTempFile::new_in(folder)?;
                file.write_all(text.as_bytes())?;
                file.persist(&self.attributes).map_err(|failed| failed.error)
            };
            let _: io::Result<fs::File> = write();
        }
        let file = self.attributes.to_string_lossy().into_owned();
        let settings = [
            ("core.attributesFile".to_owned(), file),
            // For patches of the history, and for those of the work tree, which a program of the
            // user's may make.
            (format!("diff.{KEY_DRIVER}.binary"), "true".to_owned()),
            (format!("diff.{KEY_DRIVER}.command"), "true".to_owned()),
        ];
        let count = ("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string());
        let settings = settings.into_iter().enumerate().flat_map(|(number, (key, value))| {
            [
                (format!("GIT_CONFIG_KEY_{number}"), key),
                (format!("GIT_CONFIG_VALUE_{number}"), value),
            ]
        });
        std::iter::once(count).chain(settings)
    }

    /// The same of other repositories in the work tree.
    pub fn knows_nested<'p>(&self, paths: impl Iterator<Item = &'p Path>) {
        self.ready().nested = paths.map(|path| self.root.join(path)).collect();
    }

    /// What was found out about the work tree is out of date.
    pub fn forget(&self) {
        let mut ready = self.ready();
        (ready.keys, ready.nested) = (None, Vec::new());
    }

    /// Those of these paths that hold keys. Of each it is found out once: it depends on nothing but
    /// the path.
    fn keys_among<'p>(&self, paths: impl Iterator<Item = &'p Path>) -> Vec<PathBuf> {
        let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        let mut keys = Vec::new();
        for path in paths {
            let is_key = judged.get(path.as_os_str()).copied().unwrap_or_else(|| {
                let is_key = (self.is_key)(&self.root.join(path));
                judged.insert(path.into(), is_key);
                is_key
            });
            if is_key {
                keys.push(self.root.join(path));
            }
        }
        keys
    }

    /// What holds keys in the work tree.
    fn keys(&self) -> Vec<PathBuf> {
        let walk = WalkDir::new(&self.root).into_iter();
        let walk = walk.filter_entry(|entry| entry.file_name() != ".git");
        let entries = walk.take(MOST_ENTRIES).filter_map(Result::ok);
        let paths: Vec<PathBuf> = entries.map(DirEntry::into_path).collect();
        self.keys_among(paths.iter().filter_map(|path| path.strip_prefix(&self.root).ok()))
    }

    fn run(&self, wanted: &Wanted, is_cancelled: &dyn Fn() -> bool) -> Result<Ended, String> {
        let Ready { standby, keys, nested, temporary } = std::mem::take(&mut *self.ready());
        let temporary = match temporary.filter(|folder| is_fresh(folder.path())) {
            Some(folder) => folder,
            None => tempfile::Builder::new()
                .prefix("elophanto-")
                .permissions(fs::Permissions::from_mode(0o700))
                .tempdir()
                .map_err(|cause| format!("no temporary folder: {cause}"))?,
        };
        let variables = env::harmless();
        let path = variables.get("PATH").map_or("/usr/local/bin:/usr/bin:/bin", String::as_str);
        let language = variables.get("LANG").map(String::as_str);
        let mut environment = fence::environment(path, &self.home, temporary.path(), language);
        environment.extend(self.for_git());
        let (helper, kind) = self.helper();
        if matches!(kind, Kind::Absent(_)) {
            return unfenced(wanted, &environment);
        }
        let with_home = |path: &PathBuf| match path.strip_prefix("~") {
            Ok(below) => self.home.join(below),
            Err(_) => path.clone(),
        };
        let absolute = |paths: &[PathBuf]| -> Vec<PathBuf> {
            paths.iter().map(with_home).filter(|path| path.is_absolute()).collect()
        };
        let mut read = absolute(&self.settings.readable);
        read.extend(self.git.iter().chain(&wanted.read).cloned());
        let (protected, write) = if wanted.only_reads {
            (vec![self.root.clone()], Vec::new())
        } else {
            let protected = self.protected.iter().cloned().chain(nested).collect();
            (protected, absolute(&self.settings.writable))
        };
        let mut hidden = keys.unwrap_or_else(|| self.keys());
        hidden.push(self.runs.clone());
        let policy = Policy {
            root: self.root.clone(),
            protected,
            write,
            read,
            hidden,
            temporary: temporary.path().to_owned(),
            network: wanted.network,
            home: self.home.clone(),
            limits: Limits {
                time: wanted.time,
                output_bytes: wanted.max_output,
                memory_bytes: self.settings.tool_memory,
                ..Limits::default()
            },
        };
        let (argv, folder) = (&wanted.argv, wanted.folder);
        let program =
            fence::Program { argv, stdin: wanted.stdin, environment: &environment, folder };
        // Others may write there meanwhile: no folder that stands in for it may be in their way.
        let own = self.root.join(OWN_FOLDER);
        let made = !wanted.only_reads && fs::create_dir(&own).is_ok();
        let standby = standby.and_then(|mut standby| standby.is_waiting().then_some(standby));
        let ended = standby
            .map_or_else(|| helper.start(), Ok)
            .and_then(|standby| standby.run(&policy, &program, is_cancelled))
            .map_err(|cause| cause.to_string());
        if made {
            // Unless there is something in it by now.
            let _ = fs::remove_dir(&own);
        }
        // What the program left there goes with the folder.
        if is_fresh(temporary.path()) {
            self.ready().temporary = Some(temporary);
        }
        ended
    }
}

/// Whether some of this is these words.
fn says(said: &[u8], words: &[u8]) -> bool {
    said.windows(words.len()).any(|window| window == words)
}

/// Whether a temporary folder is as when it was made: empty, and the user's alone.
fn is_fresh(folder: &Path) -> bool {
    let is_own = |found: fs::Metadata| found.is_dir() && found.mode() & 0o7777 == 0o700;
    fs::symlink_metadata(folder).is_ok_and(is_own)
        && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Where the kernel has no fence and somebody approved all the same.
fn unfenced(wanted: &Wanted, environment: &process::Environment) -> Result<Ended, String> {
    let folder = wanted.folder.to_string_lossy().into_owned();
    let enter = ["/bin/sh", "-c", "cd -- \"$1\" && shift && exec \"$@\"", "sh"].map(str::to_owned);
    let argv: Vec<String> =
        enter.into_iter().chain([folder]).chain(wanted.argv.iter().cloned()).collect();
    let (time, most) = (wanted.time, wanted.max_output);
    match process::run(&argv, wanted.stdin, environment, time, most) {
        Ok(process::Output { code, signal, stdout, stderr, cut }) => {
            Ok(Ended { code, signal, stdout, stderr, cut, why: None })
        }
        Err(process::ProcessError::TooSlow { .. }) => Ok(Ended {
            code: None,
            signal: None,
            stdout: Vec::new(),
            stderr: Vec::new(),
            cut: false,
            why: Some(Stopped::Time),
        }),
        Err(cause) => Err(cause.to_string()),
    }
}
