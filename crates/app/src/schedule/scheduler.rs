//! Putting jobs in and taking them out: the shell around the pure parts.

use std::{
    fmt,
    fs::File,
    io,
    path::{Path, PathBuf},
    process::Output,
};

use jiff::Timestamp;

use super::{
    ScheduleError,
    calls::{self, Call, Crontab},
    crontab,
    job::{Job, JobError, check_path, is_name},
    kept::{self, Kept},
    systemd::{service_unit, timer_unit, unit_name},
    units::{self, Units},
};
use elophanto_base::{aside, named, platform, regular::open_or_make, whole::PRIVATE};

named! {
    /// Who runs jobs.
    pub enum Backend, name {
        /// The user's own systemd, which runs while the user is logged in, or always if they linger.
        Systemd = "systemd",
        /// The user's crontab.
        Cron = "cron",
        /// The user's gateway, while it lives.
        Gateway = "gateway",
    }
}

/// Where something of ours, or named like it, was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A unit file of systemd.
    Unit {
        /// Where it lies.
        path: PathBuf,
    },
    /// A line of the crontab, counted from 1.
    Crontab {
        /// From 1.
        line: usize,
    },
    /// The file of the jobs that the gateway runs.
    File {
        /// Where it lies.
        path: PathBuf,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit { path } | Self::File { path } => write!(f, "`{}`", path.display()),
            Self::Crontab { line } => write!(f, "the line below line {line} of the crontab"),
        }
    }
}

/// A job, and who runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Who runs it.
    pub backend: Backend,
    /// What is run, and how often.
    pub job: Job,
}

/// All jobs of the user, those of other repositories too.
#[derive(Debug, Default)]
pub struct Listing {
    /// systemd's by the name of the unit, then cron's in the order of their lines, then the gateway's.
    pub jobs: Vec<Installed>,
    /// What is named like one of ours but does not read so.
    pub unclear: Vec<Place>,
    /// Why the crontab could not be read, where there is a cron.
    pub unread: Option<ScheduleError>,
}

/// How a job is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Adding {
    /// It takes the place of another one of the same name and folder, and of a file of the gateway's jobs
    /// that is not as we wrote it.
    pub replace: bool,
    /// The gateway is to run it, whoever else could.
    pub by_gateway: bool,
}

named! {
    /// What [`Scheduler::add`] did.
    pub enum Outcome, said {
        /// There was none of that name.
        Added = "added",
        /// Another job of that name was there.
        Replaced = "replaced",
        /// The very same job was there.
        AlreadyThere = "was there already",
    }
}

/// What [`Scheduler::add`] did, and who runs the job now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// What was done.
    pub outcome: Outcome,
    /// Who runs the job now.
    pub backend: Backend,
    /// Where the file of the gateway's jobs is now that was not as we wrote it.
    pub aside: Option<PathBuf>,
}

/// Access to the user's systemd and crontab, and to the jobs that the gateway runs.
pub struct Scheduler<'a> {
    /// Folder of the user's unit files: `~/.config/systemd/user`.
    pub units: PathBuf,
    /// File that is locked while something is changed, in a folder of the user's own.
    pub lock: PathBuf,
    /// File of the jobs that the gateway runs, in a folder of the user's own.
    pub kept: PathBuf,
    /// Runs a program and waits for it.
    pub run: &'a dyn Fn(&Call) -> io::Result<Output>,
}

impl Scheduler<'_> {
    /// All jobs there are.
    ///
    /// # Errors
    /// When the folder of unit files cannot be read. A crontab that cannot is told in the answer.
    pub fn list(&self) -> Result<Listing, ScheduleError> {
        let mut listing = Listing::default();
        for unit in units::names(&self.units)? {
            match units::read(&self.units, &unit).map(|units| units.job()) {
                Ok(Some(job)) if unit_name(&job.name, &job.folder) == unit => {
                    listing.jobs.push(Installed { backend: Backend::Systemd, job });
                }
                // One bad file must not hide the others.
                _ => listing.unclear.push(Place::Unit { path: units::timer(&self.units, &unit) }),
            }
        }
        match Crontab::read(self.run) {
            Crontab::Text(text) => {
                for entry in crontab::entries(&text) {
                    match entry.job {
                        Some(job) => {
                            listing.jobs.push(Installed { backend: Backend::Cron, job });
                        }
                        None => listing.unclear.push(Place::Crontab { line: entry.line }),
                    }
                }
            }
            Crontab::Absent => {}
            Crontab::Unread(cause) => listing.unread = Some(cause),
        }
        match kept::read(&self.kept) {
            Ok(kept) => listing.jobs.extend(
                kept.into_iter()
                    .map(|Kept { job, .. }| Installed { backend: Backend::Gateway, job }),
            ),
            Err(_) => listing.unclear.push(Place::File { path: self.kept.clone() }),
        }
        Ok(listing)
    }

    /// Puts a job in. One that is there already is started again if it was not running.
    ///
    /// # Errors
    /// When another one is in its place, or a step failed; everything is then as it was.
    pub fn add(&self, job: &Job, how: Adding) -> Result<Added, ScheduleError> {
        job.check()?;
        let _lock = self.locked()?;
        let unit = unit_name(&job.name, &job.folder);
        let before = units::read(&self.units, &unit)?;
        let crontab = Crontab::read(self.run);
        let lines = lines(&crontab, &job.name, &job.folder)?;
        let failed = |cause| ScheduleError::Io { path: self.kept.clone(), source: cause };
        // A timer that cannot be read is a job too, one that differs.
        let in_units = before.timer.as_ref().map(|_| before.job());
        let (kept, is_unclear) = match kept::read(&self.kept) {
            Err(ScheduleError::Unclear(_)) if how.replace => (Vec::new(), true),
            kept => (kept?, false),
        };
        let in_kept = kept.iter().map(|kept| &kept.job).find(|it| it.is(&job.name, &job.folder));
        let is_other = |there: &Option<Job>| there.as_ref() != Some(job);
        let has_timer = in_units.is_some() || !lines.is_empty();
        let differs = in_units.as_ref().is_some_and(is_other)
            || lines.iter().any(|there| there != job)
            || in_kept.is_some_and(|there| there != job)
            || how.by_gateway && has_timer;
        if differs && !how.replace {
            let (name, folder) = (job.name.clone(), job.folder.clone());
            return Err(ScheduleError::Taken { name, folder });
        }
        let is_there = has_timer || in_kept.is_some();
        let outcome = match (is_there, differs) {
            (_, true) => Outcome::Replaced,
            (true, false) => Outcome::AlreadyThere,
            (false, false) => Outcome::Added,
        };
        let backend = match how.by_gateway {
            true => Backend::Gateway,
            false => choose(calls::probe(self.run), &crontab)?,
        };
        if outcome == Outcome::AlreadyThere {
            // It stays where it is; at most systemd had not been told.
            let there = match (in_units, in_kept) {
                (Some(_), _) => Backend::Systemd,
                (None, Some(_)) => Backend::Gateway,
                (None, None) => Backend::Cron,
            };
            if (there, backend) == (Backend::Systemd, Backend::Systemd) {
                calls::enable(self.run, &timer(&unit), false)?;
            }
            let aside = is_unclear.then(|| aside::rename(&self.kept)).transpose();
            return Ok(Added { outcome, backend: there, aside: aside.map_err(failed)? });
        }
        let aside = is_unclear.then(|| aside::keep(&self.kept)).transpose().map_err(failed)?;
        let mut others = kept::without(&kept, (&job.name, &job.folder));
        let done = match (backend, &crontab) {
            // Kept first, so that at no time nobody runs it.
            (Backend::Gateway, crontab) => {
                others.push(Kept { job: job.clone(), since: Timestamp::now() });
                kept::write(&self.kept, &others)
                    .and_then(|()| self.remove_units(&unit, &before))
                    .and_then(|()| match crontab {
                        Crontab::Text(text) if !lines.is_empty() => {
                            let new = crontab::without(text, &job.name, &job.folder);
                            calls::install(self.run, new)
                        }
                        _ => Ok(()),
                    })
            }
            (Backend::Cron, Crontab::Text(text)) => {
                let new = crontab::with(text, job)?;
                self.remove_units(&unit, &before).and_then(|()| calls::install(self.run, new))
            }
            // Systemd first, so that at no time nobody runs the job.
            (_, Crontab::Text(text)) if !lines.is_empty() => {
                let new = crontab::without(text, &job.name, &job.folder);
                self.put_units(job, &before).and_then(|()| calls::install(self.run, new))
            }
            _ => self.put_units(job, &before),
        };
        let done = done.and_then(|()| match backend {
            Backend::Systemd | Backend::Cron if in_kept.is_some() || is_unclear => {
                kept::write(&self.kept, &others).map_err(|cause| match &crontab {
                    // Its line would stay beside what is brought back below.
                    Crontab::Text(text) if backend == Backend::Cron || !lines.is_empty() => {
                        undone(cause, calls::install(self.run, text.clone()))
                    }
                    _ => cause,
                })
            }
            _ => Ok(()),
        });
        match done {
            Ok(()) => Ok(Added { outcome, backend, aside }),
            Err(cause) => {
                let cause = self.undo(&unit, &before, cause);
                let is_back = match &aside {
                    Some(aside) => aside::put_back(&self.kept, aside).map_err(failed),
                    None => kept::write(&self.kept, &kept),
                };
                Err(undone(cause, is_back))
            }
        }
    }

    /// Takes a job out, wherever it is; returns whether there was one.
    ///
    /// # Errors
    /// When a step failed; what it was to remove is still there.
    pub fn remove(&self, name: &str, folder: &Path) -> Result<bool, ScheduleError> {
        if !is_name(name) {
            return Err(JobError::Name { name: name.chars().take(80).collect() }.into());
        }
        check_path(folder)?;
        let _lock = self.locked()?;
        let unit = unit_name(name, folder);
        let before = units::read(&self.units, &unit)?;
        let crontab = Crontab::read(self.run);
        let lines = lines(&crontab, name, folder)?;
        let kept = kept::read(&self.kept)?;
        let others = kept::without(&kept, (name, folder));
        self.remove_units(&unit, &before)?;
        let was_kept = others.len() < kept.len();
        if was_kept {
            kept::write(&self.kept, &others)?;
        }
        match crontab {
            Crontab::Text(text) if !lines.is_empty() => {
                calls::install(self.run, crontab::without(&text, name, folder))?;
            }
            Crontab::Unread(cause) if before.is_empty() && !was_kept => return Err(cause),
            _ => {}
        }
        Ok(!before.is_empty() || !lines.is_empty() || was_kept)
    }

    /// Writes both files and starts the timer.
    fn put_units(&self, job: &Job, before: &Units) -> Result<(), ScheduleError> {
        let unit = unit_name(&job.name, &job.folder);
        let new = Units {
            service: Some(service_unit(job)?.into_bytes()),
            timer: Some(timer_unit(job)?.into_bytes()),
        };
        units::write(&self.units, &unit, &new)?;
        calls::enable(self.run, &timer(&unit), before.timer.is_some())
    }

    /// Stops the timer and removes both files.
    fn remove_units(&self, unit: &str, before: &Units) -> Result<(), ScheduleError> {
        if before.is_empty() {
            return Ok(());
        }
        if before.timer.is_some() {
            calls::disable(self.run, &timer(unit))?;
        }
        units::write(&self.units, unit, &Units::default())?;
        // It was stopped and its files are gone: all that systemd could still do is remember it.
        let _ = calls::reload(self.run);
        Ok(())
    }

    /// Brings the files back that were there before something failed. What systemd says to that is
    /// of no use: most often it is systemd that failed.
    fn undo(&self, unit: &str, before: &Units, cause: ScheduleError) -> ScheduleError {
        if before.timer.is_none() {
            // While its file is there, since systemd needs it to know what to forget.
            let _ = calls::disable(self.run, &timer(unit));
        }
        if let Err(then) = units::write(&self.units, unit, before) {
            return undone(cause, Err(then));
        }
        let _ = match before.timer {
            Some(_) => calls::enable(self.run, &timer(unit), true),
            None => calls::reload(self.run),
        };
        cause
    }

    /// Held until it is dropped; the kernel releases it if we are killed.
    pub(super) fn locked(&self) -> Result<File, ScheduleError> {
        let lock = || {
            if let Some(folder) = self.lock.parent() {
                platform::make_folders(folder, platform::PRIVATE_FOLDER)?;
            }
            let file = open_or_make(&self.lock, PRIVATE)?;
            file.lock()?;
            Ok(file)
        };
        lock().map_err(|cause| ScheduleError::Io { path: self.lock.clone(), source: cause })
    }
}

/// The timer of a unit.
fn timer(unit: &str) -> String {
    format!("{unit}.timer")
}

/// Why something failed, and what came of bringing back what had been there.
fn undone(cause: ScheduleError, then: Result<(), ScheduleError>) -> ScheduleError {
    match then {
        Ok(()) => cause,
        Err(then) => ScheduleError::Undone { source: Box::new(cause), then: Box::new(then) },
    }
}

/// Systemd if it answers, else cron; the gateway where neither is there.
fn choose(systemd: Result<(), ScheduleError>, crontab: &Crontab) -> Result<Backend, ScheduleError> {
    match (systemd, crontab) {
        (Ok(()), _) => Ok(Backend::Systemd),
        (Err(_), Crontab::Text(_)) => Ok(Backend::Cron),
        (Err(_), Crontab::Absent) => Ok(Backend::Gateway),
        (Err(systemd), Crontab::Unread(cron)) => {
            Err(ScheduleError::Neither { systemd: systemd.to_string(), cron: cron.to_string() })
        }
    }
}

/// The jobs of that name and folder in the crontab: more than one if lines were copied.
fn lines(crontab: &Crontab, name: &str, folder: &Path) -> Result<Vec<Job>, ScheduleError> {
    let Crontab::Text(text) = crontab else { return Ok(Vec::new()) };
    let entries = crontab::entries(text).into_iter();
    entries
        .filter(|entry| entry.name == name && entry.folder == folder)
        .map(|entry| {
            let place = Place::Crontab { line: entry.line };
            entry.job.ok_or(ScheduleError::Unclear(place))
        })
        .collect()
}

#[cfg(test)]
#[path = "scheduler_tests.rs"]
mod tests;
