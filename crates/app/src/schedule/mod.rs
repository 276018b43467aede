//! Commands of this program that run by themselves: a timer of systemd, a line of the crontab, or an
//! entry of a file that the user's gateway goes by.
//!
//! Owns what such a job is, how it is written for each of the three, how it is read back, putting it
//! in, taking it out, and running it; and the gateway as a service of systemd. It refuses to know what a command does; [`Scheduler`] is told by
//! [`Jobs`] where the user's folders lie and how a program is started. `job`, `systemd` and `crontab`
//! are pure; `units`, `kept`, `calls` and `scheduler` touch the disk and ask systemd and cron.
//!
//! Nothing is remembered elsewhere: what is scheduled can be read off the unit files, the
//! crontab and that file. Files and lines that are not ours are never changed.

mod calls;
mod crontab;
mod job;
mod jobs;
mod keeper;
mod kept;
mod process;
mod scheduler;
mod service;
mod systemd;
mod units;

use std::{io, path::PathBuf, time::Duration};

pub use calls::Call;
pub use crontab::crontab_entry;
pub use job::{
    Job, JobError, MAX_ARGUMENTS, MAX_COMMAND_BYTES, MAX_EVERY, MAX_NAME, MAX_PATH_BYTES, MIN_EVERY,
};
pub use jobs::{Jobs, Run};
pub use kept::kept_entry;
pub use scheduler::{Added, Adding, Backend, Installed, Listing, Outcome, Place, Scheduler};
pub use service::GatewayUnit;
pub use systemd::{service_unit, timer_unit, unit_name};

/// Most bytes of a crontab, and of a unit file of ours.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// Most entries of the folder of unit files that are looked at.
pub(crate) const MAX_ENTRIES: usize = 10_000;

/// How often a subcommand runs unless something else is asked for; `None` where there is no
/// telling.
pub(crate) fn default_every(subcommand: &str) -> Option<Duration> {
    match subcommand {
        "index" => Some(Duration::from_hours(6)),
        "scan" | "enrich" => Some(Duration::from_mins(10)),
        "clean" => Some(Duration::from_hours(24)),
        _ => None,
    }
}

/// Jobs could not be read or changed. When one was to be added, everything is as it was after any
/// of these but [`ScheduleError::Undone`].
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message says what each field is")]
pub enum ScheduleError {
    /// It is no job that could be scheduled, or not with what there is.
    #[error("{0}")]
    Job(#[from] JobError),
    /// Systemd is not there for the user, and whether cron is cannot be told.
    #[error("neither systemd ({systemd}) nor cron ({cron}) runs jobs of this user here")]
    Neither { systemd: String, cron: String },
    /// Systemd is not there for the user: the line by which cron starts the gateway, where there is one.
    #[error("systemd starts nothing of this user here: {cause}")]
    NoSystemd { cause: String, line: Option<String> },
    /// The repository has another job of that name.
    #[error("`{}` has a job `{name}` already, which differs", folder.display())]
    Taken { name: String, folder: PathBuf },
    /// A place that by its name is ours says something that we did not write.
    #[error("{0} is named like one of ours and is not as we wrote it")]
    Unclear(Place),
    /// A link, a folder, a device where a file of ours belongs.
    #[error("`{}` is no plain {expected}", path.display())]
    Odd { path: PathBuf, expected: &'static str },
    /// There is more of it than is read.
    #[error("{what} holds more than {cap} {unit}")]
    TooMuch { what: String, cap: usize, unit: &'static str },
    /// A program could not be run.
    #[error("`{call}` could not be run: {source}")]
    NotRun { call: String, source: io::Error },
    /// A program ran and failed. What it said is cut, and comes from outside.
    #[error("`{call}` failed: {said}")]
    Failed { call: String, said: String },
    /// Something failed half-way, and so did bringing back what had been there.
    #[error("{source}; nor could what was there before be brought back: {then}")]
    Undone { source: Box<ScheduleError>, then: Box<ScheduleError> },
    #[error("`{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

#[cfg(test)]
mod tests;
