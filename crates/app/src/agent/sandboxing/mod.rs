//! Programs that the agent runs, in their sandbox.

mod ready;
mod run;

use std::{
    collections::HashMap,
    ffi::OsString,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
    thread::JoinHandle,
    time::Duration,
};

use super::{rights::Rights, state_folder};
use crate::{Environment, Workspace, config::AgentConfig};
use elophanto_agent::{
    git_guard::GitView,
    permissions::{Protected, only_reads},
    plugins::{RunEnded, RunRequest},
    sandbox::{self, Attend, Helper, Kind, Standby, Stopped},
    tools::{ShellOutcome, ShellRequest},
};
use ready::Ready;

/// This very program, however it was started and whatever became of its file since.
const OWN: &str = "/proc/self/exe";
/// Why nothing is shut in without one.
pub const NO_PROGRAM: &str = "no program is named that would do it";
/// Shells, best first.
const SHELLS: [&str; 2] = ["/bin/bash", "/usr/bin/bash"];
const PLAIN_SHELL: &str = "/bin/sh";
/// What git says where its settings are not to be read.
const NO_CONFIG: &[u8] = b"/config': Permission denied";
/// What the system says where nothing can be written.
const READ_ONLY: &[u8] = b"Read-only file system";
/// The folder of elophanto in a work tree, besides that of notes.
const OWN_FOLDER: &str = ".elophanto";

/// What is run in the sandbox, and with what.
pub struct Fencing {
    root: PathBuf,
    home: PathBuf,
    /// What is never written.
    paths: Vec<PathBuf>,
    protected: Arc<Protected>,
    git: GitView,
    /// Folders that other programs of ours write to, those above others first.
    shared: Vec<PathBuf>,
    settings: AgentConfig,
    environment: Environment,
    /// Shuts others in.
    program: Option<String>,
    helper: OnceLock<(Helper, Kind)>,
    ready: Mutex<Ready>,
    /// Starts the helper of the next program.
    next: Mutex<Option<JoinHandle<Option<Standby>>>>,
    /// By its path relative to the root, whether a file or folder holds keys.
    judged: Mutex<HashMap<OsString, bool>>,
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
    /// What is protected is never written, and keys in the work tree are never read.
    pub fn new(workspace: &Workspace, rights: &Rights) -> Self {
        let (repository, environment) = (&workspace.repository, workspace.environment.clone());
        Self {
            git: GitView::of(repository, state_folder(&environment).ok().as_deref()),
            shared: shared(&repository.root, &workspace.config.knowledge.write_root),
            root: repository.root.clone(),
            home: rights.home.clone(),
            paths: rights.paths.clone(),
            protected: Arc::clone(&rights.protected),
            settings: workspace.config.agent.clone(),
            program: environment.program().map(itself),
            environment,
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
        !network
            && self.is_there()
            && only_reads(line, folder, &self.root, &self.home, &self.protected)
    }

    fn helper(&self) -> &(Helper, Kind) {
        self.helper.get_or_init(|| match &self.program {
            Some(program) => Helper::best([program, "agent", "fenced"].map(str::to_owned).into()),
            None => (Helper::new(Vec::new()), Kind::Absent(NO_PROGRAM.to_owned())),
        })
    }

    /// Runs a line of a shell; `attend` is told what it says. Where there is no sandbox it is told
    /// nothing before the end.
    ///
    /// # Errors
    /// In words, when it cannot be started.
    pub fn shell(
        &self,
        request: &ShellRequest,
        attend: Attend<'_>,
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
        let ended = self.run(&wanted, attend)?;
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
                Some(format!("the sandbox is a narrow one here: {}", sandbox::NARROW))
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
        let ended = self.run(&wanted, &mut |_, _| match (request.is_cancelled)() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })?;
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
        if self.is_there() { &self.paths } else { &[] }
    }
}

/// How a program is started: this very one by what runs, not by its file.
fn itself(program: &Path) -> String {
    let is_own = fs::read_link(OWN).is_ok_and(|own| own == program);
    if is_own { OWN.to_owned() } else { program.to_string_lossy().into_owned() }
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

/// Whether some of this is these words.
fn says(said: &[u8], words: &[u8]) -> bool {
    said.windows(words.len()).any(|window| window == words)
}
