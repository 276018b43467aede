//! Runs the jobs that neither systemd nor cron has, for as long as a gateway lives: each when its time
//! has come, one after the other in a repository. One whose time came while no gateway lived is run
//! once.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    path::PathBuf,
    process::Stdio,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

use jiff::Timestamp;

use super::{
    Job, Jobs,
    jobs::last_line,
    kept::{self, Kept},
};
use crate::Reporter;
use elophanto_base::{
    lock,
    process::{self, Detached},
    regular,
};

/// How often is looked whether something is due.
const LOOK: Duration = Duration::from_secs(1);
/// How often is looked whether what was told to end has.
const LOOK_AT_END: Duration = Duration::from_millis(20);
/// How long jobs may take to end.
const END: Duration = Duration::from_secs(5);
/// Bytes that are read of why a job could not begin.
const MOST_WORDS: u64 = 64 * 1024;

/// A job that goes on.
struct AtWork {
    child: Detached,
    job: Job,
    since: Timestamp,
}

/// What is known of the jobs while a gateway lives.
struct Keeper<'k> {
    jobs: &'k Jobs,
    reporter: &'k dyn Reporter,
    /// When each is next.
    times: Vec<(Kept, Timestamp)>,
    /// By the repository.
    at_work: BTreeMap<PathBuf, AtWork>,
    /// Jobs that failed the last time, and what was said of it.
    failed: Vec<(Job, String)>,
    /// What was said of the file of jobs.
    said: String,
}

impl Jobs {
    /// Runs what is due until the other end of `ended` is gone; what is at work then is told to end.
    /// Lowers the priority of this thread, and of what it starts.
    pub fn keep(&self, ended: &Receiver<Infallible>, reporter: &dyn Reporter) {
        process::be_nice();
        let mut keeper = Keeper {
            jobs: self,
            reporter,
            times: Vec::new(),
            at_work: BTreeMap::new(),
            failed: Vec::new(),
            said: String::new(),
        };
        loop {
            keeper.look_after();
            keeper.start_due();
            if !matches!(ended.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout)) {
                break;
            }
        }
        keeper.end();
    }
}

impl Keeper<'_> {
    /// Lets go of what has ended; what failed is said.
    fn look_after(&mut self) {
        let has_ended = |work: &mut AtWork| work.child.has_ended();
        let all = std::mem::take(&mut self.at_work);
        for (folder, mut work) in all {
            if !has_ended(&mut work) {
                self.at_work.insert(folder, work);
                continue;
            }
            let words = self.jobs.words(&work.job);
            let run = self
                .jobs
                .last(&work.job)
                .filter(|run| run.at.parse::<Timestamp>().is_ok_and(|at| at >= work.since));
            let fault = match run {
                Some(run) => run.has_failed().then_some(run.said),
                // It could not even begin.
                None => {
                    let said = regular::open(&words)
                        .and_then(|file| regular::read_capped(file, MOST_WORDS));
                    let said = said.ok().flatten().filter(|said| !said.is_empty());
                    Some(said.map_or_else(|| "it says nothing".to_owned(), |it| last_line(&it)))
                }
            };
            let _ = std::fs::remove_file(words);
            match fault {
                Some(fault) => self.fail(work.job, fault),
                None => self.failed.retain(|(job, _)| *job != work.job),
            }
        }
    }

    /// A job failed: said, once until it goes well again or fails otherwise.
    fn fail(&mut self, job: Job, fault: String) {
        let known = self.failed.iter().position(|(known, _)| *known == job);
        let known = known.map(|at| self.failed.swap_remove(at).1);
        if known.as_ref() != Some(&fault) {
            let (name, folder) = (&job.name, job.folder.display());
            self.reporter.warn(format_args!("the job `{name}` of `{folder}` failed: {fault}"));
        }
        self.failed.push((job, fault));
    }

    /// Starts what is due where nothing is at work.
    fn start_due(&mut self) {
        let all = match kept::read(&self.jobs.kept()) {
            Ok(all) => all,
            Err(error) => {
                let said = error.to_string();
                if said != self.said {
                    self.reporter.warn(&said);
                    self.said = said;
                }
                return;
            }
        };
        self.said.clear();
        let now = Timestamp::now();
        let time = |kept: Kept| {
            let known = self.times.iter().find(|(known, _)| *known == kept).map(|(_, next)| *next);
            let next = known.unwrap_or_else(|| {
                let last = self.jobs.last(&kept.job).and_then(|run| run.at.parse().ok());
                after(last.unwrap_or(kept.since).max(kept.since), kept.job.every)
            });
            // A clock that was set back puts nothing off for longer than its time.
            let next = next.min(after(now, kept.job.every));
            (kept, next)
        };
        let mut times: Vec<_> = all.into_iter().map(time).collect();
        // The longest overdue first: one that takes longer than its interval keeps no other waiting for ever.
        times.sort_by_key(|(_, next)| *next);
        times.retain_mut(|(kept, next)| {
            if *next > now || self.at_work.contains_key(&kept.job.folder) {
                return true;
            }
            let is_free = self.start(&kept.job, now);
            *next = after(now, kept.job.every);
            // Where one of a gateway that is gone goes on, it may be this: its log says when it ran.
            is_free
        });
        self.times = times;
    }

    /// Starts a job; `false` where another goes on in its repository.
    fn start(&mut self, job: &Job, now: Timestamp) -> bool {
        let turn = match lock::try_for(&self.jobs.turn(&job.folder), Duration::ZERO) {
            Ok(Some(turn)) => turn.into_file(),
            Ok(None) => return false,
            Err(cause) => {
                self.fail(job.clone(), cause.to_string());
                return true;
            }
        };
        let program = job.program.to_string_lossy().into_owned();
        let words: Vec<_> =
            [program].into_iter().chain(job.arguments().map(str::to_owned)).collect();
        let said = self.jobs.words(job);
        // What comes of it is in the log of the job. It holds the lock as what it reads, whatever
        // becomes of us.
        match process::detach(&words, &job.folder, Stdio::from(turn), Some(&said)) {
            Ok(child) => {
                let work = AtWork { child, job: job.clone(), since: now };
                self.at_work.insert(job.folder.clone(), work);
            }
            Err(cause) => self.fail(job.clone(), cause.to_string()),
        }
        true
    }

    /// Tells all to end, and waits for them for a while. One that goes on holds its repository.
    fn end(&mut self) {
        self.at_work.values_mut().for_each(|work| work.child.ask_group_to_end());
        let begun = Instant::now();
        while begun.elapsed() < END {
            self.at_work.retain(|_, work| !work.child.has_ended());
            if self.at_work.is_empty() {
                return;
            }
            std::thread::sleep(LOOK_AT_END);
        }
        for AtWork { child, job, .. } in self.at_work.values() {
            self.reporter.warn(format_args!(
                "the job `{}` of `{}`, process {}, was told to end and goes on",
                job.name,
                job.folder.display(),
                child.id()
            ));
        }
    }
}

fn after(moment: Timestamp, every: Duration) -> Timestamp {
    moment.checked_add(every).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
#[path = "keeper_tests.rs"]
mod tests;
