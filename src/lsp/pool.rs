//! Threads on which questions are answered.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use crossbeam_channel::{Sender, unbounded};

type Job = Box<dyn FnOnce() + Send>;

/// Some threads that do what they are handed, in order.
#[derive(Clone)]
pub struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    pub fn new(name: &str, threads: usize) -> Self {
        let (jobs, waiting) = unbounded::<Job>();
        for _ in 0..threads {
            let waiting = waiting.clone();
            // A fault of one job ends no other; it has said so itself.
            let one = |job: Job| drop(catch_unwind(AssertUnwindSafe(job)));
            let work = move || waiting.iter().for_each(one);
            // Where there is no room for a thread, those that are there do more.
            let _ = thread::Builder::new().name(name.to_owned()).spawn(work);
        }
        Self { jobs }
    }

    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        let _ = self.jobs.send(Box::new(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_one_job_ends_no_other() {
        let pool = Pool::new("test", 1);
        let (sender, done) = unbounded();
        pool.run(|| panic!("a fault on purpose"));
        pool.run(move || sender.send(7).expect("somebody waits"));
        assert_eq!(done.recv_timeout(std::time::Duration::from_secs(30)), Ok(7));
    }
}
