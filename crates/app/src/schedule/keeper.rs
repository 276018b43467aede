//! Runs the jobs that neither systemd nor cron has, for as long as a gateway lives: each when its time
//! has come, one after the other in a repository. One whose time came while no gateway lived is run
//! once.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    path::PathBuf,
    process::Stdio,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::Duration,
};

use jiff::Timestamp;

use super::{
    Jobs,
    kept::{self, Kept},
};
use crate::Reporter;
use elophanto_base::process::{self, Detached};

/// How often is looked whether something is due.
const LOOK: Duration = Duration::from_secs(1);

impl Jobs {
    /// Runs what is due until the other end of `ended` is gone; what is at work then is told to end.
    /// Lowers the priority of this thread, and of what it starts.
    pub fn keep(&self, ended: &Receiver<Infallible>, reporter: &dyn Reporter) {
        process::be_nice();
        let mut said = String::new();
        let mut times: Vec<(Kept, Timestamp)> = Vec::new();
        let mut at_work: BTreeMap<PathBuf, Detached> = BTreeMap::new();
        loop {
            at_work.retain(|_, child| !child.has_ended());
            match kept::read(&self.kept()) {
                Ok(all) => self.start_due(all, &mut times, &mut at_work, reporter),
                Err(error) if error.to_string() != said => {
                    said = error.to_string();
                    reporter.warn(&said);
                }
                Err(_) => {}
            }
            if !matches!(ended.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout)) {
                break;
            }
        }
        at_work.values_mut().for_each(Detached::end_group);
    }

    /// Starts what is due where nothing is at work; `times` says when each is next.
    fn start_due(
        &self,
        all: Vec<Kept>,
        times: &mut Vec<(Kept, Timestamp)>,
        at_work: &mut BTreeMap<PathBuf, Detached>,
        reporter: &dyn Reporter,
    ) {
        let now = Timestamp::now();
        let time = |kept: Kept| {
            let known = times.iter().find(|(known, _)| *known == kept).map(|(_, next)| *next);
            let next = known.unwrap_or_else(|| {
                let last = self.last(&kept.job).and_then(|run| run.at.parse().ok());
                after(last.unwrap_or(kept.since).max(kept.since), kept.job.every)
            });
            // A clock that was set back puts nothing off for longer than its time.
            let next = next.min(after(now, kept.job.every));
            (kept, next)
        };
        *times = all.into_iter().map(time).collect();
        // The longest overdue first: one that takes longer than its interval keeps no other waiting for ever.
        times.sort_by_key(|(_, next)| *next);
        for (Kept { job, .. }, next) in times {
            if *next > now || at_work.contains_key(&job.folder) {
                continue;
            }
            *next = after(now, job.every);
            let program = job.program.to_string_lossy().into_owned();
            let words: Vec<_> =
                [program].into_iter().chain(job.arguments().map(str::to_owned)).collect();
            // What comes of it is in the log of the job.
            match process::detach(&words, &job.folder, Stdio::null(), None) {
                Ok(child) => drop(at_work.insert(job.folder.clone(), child)),
                Err(cause) => reporter.warn(format_args!("the job `{}`: {cause}", job.name)),
            }
        }
    }
}

fn after(moment: Timestamp, every: Duration) -> Timestamp {
    moment.checked_add(every).unwrap_or(Timestamp::MAX)
}
