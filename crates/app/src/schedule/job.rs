//! What a job is, and which jobs there can be (pure).

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Shortest interval.
pub const MIN_EVERY: Duration = Duration::from_mins(1);
/// Longest interval: 30 days.
pub const MAX_EVERY: Duration = Duration::from_hours(30 * 24);
/// Most bytes of a name.
pub const MAX_NAME: usize = 40;
/// Most arguments of a command.
pub const MAX_ARGUMENTS: usize = 64;
/// Most bytes of all arguments together.
pub const MAX_COMMAND_BYTES: usize = 8 << 10;
/// Most bytes of a path: systemd's limit is that of the kernel, 4,095.
pub const MAX_PATH_BYTES: usize = 4_000;

/// A command of this program that runs in a repository, again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// `[a-z0-9][a-z0-9_-]{0,39}`. Several repositories may use the same one.
    pub name: String,
    /// Time between two runs: 1 minute to 30 days, in whole seconds.
    pub every: Duration,
    /// Arguments of the program, at least one, without control characters.
    pub command: Vec<String>,
    /// Root of the repository: absolute, UTF-8, without `..`, doubled or trailing slashes.
    pub folder: PathBuf,
    /// The program: as `folder`, and without quotes and backslashes, which systemd refuses.
    pub program: PathBuf,
}

/// Why there can be no such job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// An empty or long name, or one with other characters than units and crontab lines take.
    #[error(
        "{name:?} is no name of a job: expected 1 to {MAX_NAME} of a-z, 0-9, `-` and `_`, the first \
         one a letter or digit"
    )]
    Name {
        /// As it was given.
        name: String,
    },
    /// An interval that is too short, too long, or has a fraction of a second.
    #[error(
        "a job runs every 1 minute to 30 days, in whole seconds, not every {}s",
        every.as_secs_f64()
    )]
    Every {
        /// As it was given.
        every: Duration,
    },
    /// There is no command at all.
    #[error("a job needs a command")]
    Empty,
    /// An argument holds a line feed, a NUL or another control character. Counts from 1.
    #[error("argument {number} of the command holds a control character")]
    Argument {
        /// Which argument, from 1.
        number: usize,
    },
    /// A command with more arguments, or longer ones, than jobs have.
    #[error("a command has at most {MAX_ARGUMENTS} arguments of {MAX_COMMAND_BYTES} bytes in all")]
    TooLong,
    /// Unit files and crontab lines are UTF-8.
    #[error("`{}` is not UTF-8", path.display())]
    NotUtf8 {
        /// The program or folder.
        path: PathBuf,
    },
    /// A program or folder whose path is not absolute, not in its plain form, or too long.
    #[error(
        "`{}` is no absolute path in its plain form (no `..`, `.`, doubled or trailing slash, \
         control character; at most {MAX_PATH_BYTES} bytes)",
        path.display()
    )]
    Path {
        /// The program or folder.
        path: PathBuf,
    },
    /// Systemd starts no program whose path holds a quote or a backslash, nor `/`.
    #[error("`{}` holds a quote or a backslash, and systemd starts no such program", path.display())]
    Program {
        /// The program or folder.
        path: PathBuf,
    },
    /// Cron knows only intervals that divide an hour or a day, and whole days.
    #[error(
        "cron cannot say every {}; the nearest that it can are {} and {}",
        spell(*every), spell(*below), spell(*above)
    )]
    CronInterval {
        /// As it was given.
        every: Duration,
        /// The next shorter one.
        below: Duration,
        /// The next longer one.
        above: Duration,
    },
    /// Some implementations of cron silently cut what is longer.
    #[error("the job takes {bytes} bytes in a crontab, where {cap} are sure to be read")]
    CronTooLong {
        /// Bytes of its line.
        bytes: usize,
        /// Bytes that every cron reads.
        cap: usize,
    },
}

impl Job {
    /// Whether there can be such a job.
    ///
    /// # Errors
    /// Says what is wrong first.
    pub fn check(&self) -> Result<(), JobError> {
        if !is_name(&self.name) {
            return Err(JobError::Name { name: self.name.chars().take(80).collect() });
        }
        let in_range = (MIN_EVERY..=MAX_EVERY).contains(&self.every);
        if !in_range || self.every.subsec_nanos() != 0 {
            return Err(JobError::Every { every: self.every });
        }
        if self.command.is_empty() {
            return Err(JobError::Empty);
        }
        let bytes: usize = self.command.iter().map(String::len).sum();
        if self.command.len() > MAX_ARGUMENTS || bytes > MAX_COMMAND_BYTES {
            return Err(JobError::TooLong);
        }
        if let Some(at) = self.command.iter().position(|word| word.contains(char::is_control)) {
            return Err(JobError::Argument { number: at + 1 });
        }
        check_path(&self.folder)?;
        checked_program(&self.program).map(drop)
    }

    /// The arguments that the job gives to the program: those of the command, behind the
    /// subcommand that keeps runs from piling up.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &str> {
        let before = ["schedule", "run", self.name.as_str(), "--"];
        before.into_iter().chain(self.command.iter().map(String::as_str))
    }

    /// The job that runs this program with these arguments; `None` if they are no job's, or those
    /// of a job that cannot be.
    pub(super) fn from_words(words: &[String], folder: &str, every: Duration) -> Option<Self> {
        let [program, schedule, run, name, dashes, command @ ..] = words else {
            return None;
        };
        let job = Self {
            name: name.clone(),
            every,
            command: command.to_vec(),
            folder: PathBuf::from(folder),
            program: PathBuf::from(program),
        };
        let is_ours = [schedule, run, dashes] == ["schedule", "run", "--"];
        (is_ours && job.check().is_ok()).then_some(job)
    }

    /// Whether both are the job of that name of the same repository.
    pub(super) fn is(&self, name: &str, folder: &Path) -> bool {
        self.name == name && self.folder == folder
    }
}

/// Whether jobs can be called that.
pub(super) fn is_name(name: &str) -> bool {
    let is_inner = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    name.len() <= MAX_NAME
        && name.bytes().all(is_inner)
        && name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
}

/// The program as text, if systemd can start it.
pub(super) fn checked_program(path: &Path) -> Result<&str, JobError> {
    let program = check_path(path)?;
    if program.contains(['"', '\'', '\\']) || program == "/" {
        return Err(JobError::Program { path: path.to_owned() });
    }
    Ok(program)
}

/// The path as text, if it can be written into unit files and crontabs and read back the same.
pub(super) fn check_path(path: &Path) -> Result<&str, JobError> {
    let not_utf8 = || JobError::NotUtf8 { path: path.to_owned() };
    let text = path.to_str().ok_or_else(not_utf8)?;
    let inner = text.strip_prefix('/').unwrap_or_default();
    let is_plain = text == "/"
        || !inner.is_empty() && inner.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if !is_plain || text.contains(char::is_control) || text.len() > MAX_PATH_BYTES {
        return Err(JobError::Path { path: path.to_owned() });
    }
    Ok(text)
}

/// Whether a word means itself to systemd, to a shell and to cron alike.
pub(super) fn is_plain(word: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_./=:,+@-".contains(&byte);
    !word.is_empty() && word.bytes().all(is_safe)
}

/// Whole seconds in the largest unit that leaves no rest: `90s`, `10m`, `6h`, `2d`.
fn spell(every: Duration) -> String {
    let seconds = every.as_secs();
    let units = [("d", 86_400), ("h", 3_600), ("m", 60)];
    let fitting = units.into_iter().find(|(_, size)| seconds.is_multiple_of(*size));
    let (unit, size) = fitting.unwrap_or(("s", 1));
    format!("{}{unit}", seconds / size)
}
