//! Threads on which questions are answered.

use std::thread;

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
            let work = move || waiting.iter().for_each(|job| job());
            // Where there is no room for a thread, those that are there do more.
            let _ = thread::Builder::new().name(name.to_owned()).spawn(work);
        }
        Self { jobs }
    }

    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        let _ = self.jobs.send(Box::new(job));
    }
}
