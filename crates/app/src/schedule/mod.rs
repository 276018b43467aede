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
pub enum ScheduleError {
    /// It is no job that could be scheduled, or not with what there is.
    #[error("{0}")]
    Job(#[from] JobError),
    /// Systemd is not there for the user, and whether cron is cannot be told.
    #[error("neither systemd ({systemd}) nor cron ({cron}) runs jobs of this user here")]
    Neither {
        /// Why systemd does not.
        systemd: String,
        /// Why cron does not.
        cron: String,
    },
    /// Systemd is not there for the user: the line by which cron starts the gateway, where there is one.
    #[error("systemd starts nothing of this user here: {cause}")]
    NoSystemd {
        /// Why.
        cause: String,
        /// The line for a crontab.
        line: Option<String>,
    },
    /// The repository has another job of that name.
    #[error("`{}` has a job `{name}` already, which differs", folder.display())]
    Taken {
        /// Its name.
        name: String,
        /// The repository.
        folder: PathBuf,
    },
    /// A place that by its name is ours says something that we did not write.
    #[error("{0} is named like one of ours and is not as we wrote it")]
    Unclear(Place),
    /// A link, a folder, a device where a file of ours belongs.
    #[error("`{}` is no plain {expected}", path.display())]
    Odd {
        /// What lies there.
        path: PathBuf,
        /// What belongs there.
        expected: &'static str,
    },
    /// There is more of it than is read.
    #[error("{what} holds more than {cap} {unit}")]
    TooMuch {
        /// What is read.
        what: String,
        /// How much of it is read.
        cap: usize,
        /// What of it is counted.
        unit: &'static str,
    },
    /// A program could not be run.
    #[error("`{call}` could not be run: {source}")]
    NotRun {
        /// The program and its arguments.
        call: String,
        /// Why.
        source: io::Error,
    },
    /// A program ran and failed. What it said is cut, and comes from outside.
    #[error("`{call}` failed: {said}")]
    Failed {
        /// The program and its arguments.
        call: String,
        /// What it said.
        said: String,
    },
    /// Something failed half-way, and so did bringing back what had been there.
    #[error("{source}; nor could what was there before be brought back: {then}")]
    Undone {
        /// Why.
        source: Box<ScheduleError>,
        /// Why not.
        then: Box<ScheduleError>,
    },
    /// A unit file, or the folder of them.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// What lies there.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

#[cfg(test)]
mod tests;
