//! The jobs of the user where they lie: which there can be, what their last runs did, and running
//! one.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{Job, Listing, ScheduleError, Scheduler, default_every, process, unit_name};
use crate::{Error, Result, environment::Environment};
use elophanto_base::{
    jsonl::{self, Caps, Log},
    platform,
};
use elophanto_index::store::lock;
use elophanto_repo::locate;

/// `systemctl` and `crontab` may take this long.
const PATIENCE: Duration = Duration::from_secs(10);
/// A longer log is put aside, in bytes.
const MOST_LOG: u64 = 1024 * 1024;
/// Of what a run says, its last line is kept, of this many bytes.
const MOST_LINE: usize = 400;

impl Job {
    /// A job of the repository around a folder; it runs as often as its subcommand usually does, if
    /// that is not said.
    ///
    /// # Errors
    /// When there is no telling how often, or no repository.
    pub fn around(
        folder: &Path,
        name: &str,
        every: Option<Duration>,
        command: &[String],
        program: PathBuf,
    ) -> Result<Self> {
        let subcommand = command.first().map(String::as_str).unwrap_or_default();
        let every = every.or_else(|| default_every(subcommand)).ok_or_else(|| {
            Error::new("how often is not said").hint("add `--every`, such as `--every 6h`")
        })?;
        let (name, command, folder) = (name.to_owned(), command.to_vec(), locate(folder)?.root);
        Ok(Self { name, every, command, folder, program })
    }
}

/// What a run did, as the log has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    /// When it began, in RFC 3339.
    pub at: String,
    /// Of the job.
    #[serde(default)]
    pub name: String,
    /// Elophanto's arguments.
    #[serde(default)]
    pub command: Vec<String>,
    /// `None` if it was ended by a signal.
    pub exit: Option<i32>,
    /// How long it took.
    #[serde(default)]
    pub seconds: f64,
    /// The error that it told, else the last line that it said, cut.
    pub said: String,
}

impl Run {
    /// Whether it failed; that nothing was found is no failure.
    pub fn has_failed(&self) -> bool {
        matches!(self.exit, None | Some(2))
    }
}

/// Where the jobs of the user lie.
pub struct Jobs {
    units: PathBuf,
    state: PathBuf,
}

impl Jobs {
    /// Those of the user whose environment it is.
    ///
    /// # Errors
    /// When the user has no home.
    pub fn of(environment: &Environment) -> Result<Self> {
        let units = environment.config_home().map(|folder| folder.join("systemd/user"));
        match (units, environment.state_folder()) {
            (Some(units), Some(state)) => Ok(Self { units, state: state.join("schedule") }),
            _ => Err(Error::new("where your settings lie is not known").hint("set HOME")),
        }
    }

    /// What puts jobs in and takes them out.
    pub fn scheduler(&self) -> Scheduler<'static> {
        Scheduler {
            units: self.units.clone(),
            lock: self.state.join("lock"),
            kept: self.kept(),
            run: &|call| process::call(call, PATIENCE),
        }
    }

    /// The jobs of a repository, or of all.
    ///
    /// # Errors
    /// When the folder of unit files cannot be read.
    pub fn list(&self, root: Option<&Path>) -> Result<Listing, ScheduleError> {
        let mut listing = self.scheduler().list()?;
        listing.jobs.retain(|installed| root.is_none_or(|root| installed.job.folder == root));
        Ok(listing)
    }

    /// What the last run of a job did.
    pub fn last(&self, job: &Job) -> Option<Run> {
        let log = self.log(&unit_name(&job.name, &job.folder));
        jsonl::read::<Run>(&log, &Caps::default()).ok()?.into_records().last()
    }

    /// Runs the command of a job, unless its last run still goes on, and writes one line about it, also
    /// where it is told to end, which sets `ended`: the line is written once it has ended.
    ///
    /// # Errors
    /// When there can be no such job, it cannot be started, or the line not be written.
    pub fn run(&self, job: &Job, ended: &AtomicBool) -> Result<Run> {
        job.check().map_err(ScheduleError::from)?;
        let unit = unit_name(&job.name, &job.folder);
        fs::create_dir_all(&self.state)?;
        let held = lock::try_for(&self.state.join(format!("{unit}.lock")), Duration::ZERO)?;
        let start = Instant::now();
        let (exit, said) = match &held {
            None => (Some(0), "the last run still goes on".to_owned()),
            Some(_) => {
                let output = process::finish(&job.program, &job.command, ended)?;
                let text = if output.status.success() || output.stderr.is_empty() {
                    output.stdout
                } else {
                    output.stderr
                };
                let said = match platform::ended_by(output.status) {
                    Some(signal) => format!("ended by signal {signal}"),
                    None => last_line(&text),
                };
                (output.status.code(), said)
            }
        };
        let run = Run {
            at: jiff::Timestamp::now().to_string(),
            name: job.name.clone(),
            command: job.command.clone(),
            exit,
            seconds: (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
            said,
        };
        let log = self.log(&unit);
        if fs::metadata(&log).is_ok_and(|file| file.len() > MOST_LOG) {
            fs::rename(&log, log.with_extension("old"))?;
        }
        Log::new(log).append(&run).map_err(Error::new)?;
        Ok(run)
    }

    /// The jobs that the gateway runs.
    pub(super) fn kept(&self) -> PathBuf {
        self.state.join("gateway.json")
    }

    /// Held by the job that the gateway runs in a repository, for as long as it goes on: the gateway that
    /// started it may be gone. No job can have this name.
    pub(super) fn turn(&self, folder: &Path) -> PathBuf {
        self.state.join(format!("{}.lock", unit_name("_", folder)))
    }

    /// Where a job that the gateway runs says why it cannot begin.
    pub(super) fn words(&self, job: &Job) -> PathBuf {
        self.state.join(format!("{}.err", unit_name(&job.name, &job.folder)))
    }

    fn log(&self, unit: &str) -> PathBuf {
        self.state.join(format!("{unit}.jsonl"))
    }
}

/// The line that says most: the error, else the last one that says anything.
pub(super) fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let error = text.lines().find(|line| line.starts_with("error: "));
    let last = || text.lines().map(str::trim).rfind(|line| !line.is_empty());
    let line = error.or_else(last).unwrap_or("done");
    line[..line.floor_char_boundary(MOST_LINE)].to_owned()
}
