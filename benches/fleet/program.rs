//! The program as a user has it who has nothing else: its own home, no repository around it.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use elophanto_app::{Environment, Workspace, reporter::Silent};
use tempfile::TempDir;

/// Nothing of this machine is asked, and nothing outlives what is measured.
const SETTINGS: &str = "index.background: false\n\
    knowledge.embedding_provider: builtin\n\
    llm.providers.ollama.base_url: http://127.0.0.1:2\n";

pub struct Program {
    path: PathBuf,
    home: TempDir,
    /// The keys of a store.
    variables: BTreeMap<String, String>,
}

/// What a process took.
pub struct Ran {
    pub time: Duration,
    pub most_bytes: u64,
    /// Not so where a search found nothing.
    pub is_done: bool,
}

impl Program {
    pub fn new(path: &Path, variables: BTreeMap<String, String>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/elophanto");
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(folder.join("config.yaml"), SETTINGS).unwrap();
        // It runs in another folder.
        Self { path: fs::canonicalize(path).unwrap(), home, variables }
    }

    fn all_variables(&self) -> BTreeMap<String, String> {
        let mut all = self.variables.clone();
        all.insert("HOME".to_owned(), self.home.path().display().to_string());
        all.insert("PATH".to_owned(), std::env::var("PATH").unwrap_or_default());
        all.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
        all
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(self.home.path()).env_clear();
        command.envs(self.all_variables()).stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// Runs the program to its end.
    #[expect(clippy::zombie_processes, reason = "waited for with `wait4`, which tells the memory")]
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let start = Instant::now();
        let child = self.command(arguments).spawn().unwrap();
        let mut status = 0;
        // SAFETY: an all-zero `rusage` is a valid value of this plain C struct, and the pointers
        // are valid for the duration of the call. The child is waited for only here.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            let ended = libc::wait4(child.id().cast_signed(), &mut status, 0, &mut usage);
            assert_eq!(ended, child.id().cast_signed());
            usage
        };
        let time = start.elapsed();
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) <= 1, "{arguments:?} failed");
        let most_bytes = u64::try_from(usage.ru_maxrss).unwrap_or_default() * 1_024;
        Ran { time, most_bytes, is_done: libc::WEXITSTATUS(status) == 0 }
    }

    /// Removes what was kept of stores.
    pub fn forget(&self) {
        let _ = fs::remove_dir_all(self.home.path().join(".cache"));
    }

    /// What the program would work with, for this process.
    pub fn workspace(&self, flags: &[(&str, &str)]) -> Workspace {
        let flags = flags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let environment = Environment::of_variables(self.all_variables());
        Workspace::anywhere(self.home.path(), environment, flags.collect(), &Silent).unwrap()
    }
}
