//! Programs that the agent runs, in their sandbox.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    thread::{Builder, JoinHandle},
    time::Duration,
};

use tempfile::TempDir;
use walkdir::{DirEntry, WalkDir};

use super::{
    super::super::{env, workspace::Workspace},
    state_folder,
};
use elophanto_agent::{
    fence::{self, Ended, Helper, Kind, Limits, Policy, Standby, Stopped},
    git_guard::{GitView, Shown},
    plugins::{RunEnded, RunRequest},
    tools::{OutOfReach, ShellOutcome, ShellRequest},
};
use elophanto_app::config::AgentConfig;
use elophanto_base::process;
use elophanto_repo::inner_marks;

/// This very program, however it was started and whatever became of its file since.
const OWN: &str = "/proc/self/exe";
/// Shells, best first.
const SHELLS: [&str; 2] = ["/bin/bash", "/usr/bin/bash"];
/// Files and folders of a work tree that are looked at for keys.
const MOST_ENTRIES: usize = 200_000;
const PLAIN_SHELL: &str = "/bin/sh";
/// What git says where its settings are not to be read.
const NO_CONFIG: &[u8] = b"/config': Permission denied";
/// What the system says where nothing can be written.
const READ_ONLY: &[u8] = b"Read-only file system";
/// The folder of elophanto in a work tree, besides that of notes.
const OWN_FOLDER: &str = ".elophanto";

/// Whether a line of a shell, run in a folder, changes nothing.
pub type OnlyReads = Arc<dyn Fn(&str, &Path) -> bool + Send + Sync>;

/// What is run in the sandbox, and with what.
pub struct Fencing {
    root: PathBuf,
    home: PathBuf,
    protected: Vec<PathBuf>,
    git: GitView,
    /// Folders that other programs of ours write to, those above others first.
    shared: Vec<PathBuf>,
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
    /// Other repositories in it, and where one could be put, if that was looked for: an undo does
    /// not reach into them.
    repositories: Option<Vec<PathBuf>>,
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
        Self {
            git: GitView::of(&workspace.repository, state_folder().ok().as_deref()),
            shared: shared(&repository.root, &workspace.config.knowledge.write_root),
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
            None if *self.kind() == Kind::Narrow
                && !ended.is_success()
                && says(&ended.stderr, NO_CONFIG) =>
            {
                Some(
                    "the repository's settings hold credentials, and a narrow sandbox cannot show \
                     them without: the git tools work, and a credential helper would keep them \
                     elsewhere"
                        .to_owned(),
                )
            }
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
        (ready.keys, ready.repositories) = (None, None);
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

    /// The same of other repositories in the work tree, and of where one could be put: absolute.
    pub fn knows_repositories(&self, paths: Vec<PathBuf>) {
        self.ready().repositories = Some(paths);
    }

    /// What was found out about the work tree is out of date.
    pub fn forget(&self) {
        let mut ready = self.ready();
        (ready.keys, ready.repositories) = (None, None);
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

    /// Folders of other repositories in the work tree.
    fn repositories(&self) -> Vec<PathBuf> {
        let marks = inner_marks(&self.root);
        marks.iter().filter_map(|mark| Some(self.root.join(mark.parent()?))).collect()
    }

    fn run(&self, wanted: &Wanted, is_cancelled: &dyn Fn() -> bool) -> Result<Ended, String> {
        let Ready { standby, keys, repositories, temporary } = std::mem::take(&mut *self.ready());
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
        environment.extend(self.git.variables());
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
        read.extend(self.git.read(&self.root));
        read.extend(wanted.read.iter().cloned());
        let repositories = repositories.unwrap_or_else(|| self.repositories());
        let covered = self
            .git
            .covered(&repositories)
            .map_err(|cause| format!("no temporary file: {cause}"))?;
        let (protected, write) = if wanted.only_reads {
            (vec![self.root.clone()], Vec::new())
        } else {
            let protected = self.protected.iter().cloned().chain(repositories).collect();
            (protected, absolute(&self.settings.writable))
        };
        let mut hidden = keys.unwrap_or_else(|| self.keys());
        hidden.extend(self.git.hidden());
        let policy = Policy {
            root: self.root.clone(),
            protected,
            write,
            read,
            hidden,
            covered: covered
                .iter()
                .map(|Shown { path, with }| (path.clone(), with.path().to_owned()))
                .collect(),
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
        let own: Vec<&PathBuf> =
            self.shared.iter().filter(|_| !wanted.only_reads).filter(|it| makes(it)).collect();
        let standby = standby.and_then(|mut standby| standby.is_waiting().then_some(standby));
        let ended = standby
            .map_or_else(|| helper.start(), Ok)
            .and_then(|standby| standby.run(&policy, &program, is_cancelled))
            .map_err(|cause| cause.to_string());
        for folder in own.into_iter().rev() {
            // Unless there is something in it by now.
            let _ = fs::remove_dir(folder);
        }
        // What the program left there goes with the folder.
        if is_fresh(temporary.path()) {
            self.ready().temporary = Some(temporary);
        }
        ended
    }
}

/// The folder of elophanto, and that of notes with those around it.
fn shared(root: &Path, write_root: &Path) -> Vec<PathBuf> {
    let notes = root.join(write_root.strip_prefix(".").unwrap_or(write_root));
    let above = notes.ancestors().take_while(|folder| *folder != root && folder.starts_with(root));
    let mut shared: Vec<PathBuf> = above.map(Path::to_owned).collect();
    shared.push(root.join(OWN_FOLDER));
    shared.reverse();
    shared
}

/// Whether a folder was not there, and now is.
fn makes(folder: &Path) -> bool {
    fs::create_dir(folder).is_ok()
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
