//! What a gateway does beside conversations while it lives: the index of each repository follows the
//! notes, and jobs that neither systemd nor cron has are run.

use std::{
    cell::RefCell,
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    thread::JoinHandle,
};

use crate::mcp::{server::Handle, watching};
use elophanto_app::{Environment, Reporter, Result, gateway::Served, index, schedule::Jobs};
use elophanto_index::watch;

/// Jobs that are run. Dropping it ends what is at work, and waits for that.
pub struct Keeping {
    ended: Option<mpsc::Sender<Infallible>>,
    jobs: Option<JoinHandle<()>>,
}

impl Keeping {
    /// What is at work is told to end.
    pub fn ending(mut self) -> Self {
        drop(self.ended.take());
        self
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        drop(self.ended.take());
        let _ = self.jobs.take().map(JoinHandle::join);
    }
}

/// Runs jobs of the user.
///
/// # Errors
/// When the user has no home, or there is no room for another thread.
pub fn run_jobs(
    environment: &Environment,
    reporter: Arc<dyn Reporter + Send + Sync>,
) -> Result<Keeping> {
    let jobs = Jobs::of(environment)?;
    let (ended, is_over) = mpsc::channel();
    let keep = move || jobs.keep(&is_over, &*reporter);
    let thread = std::thread::Builder::new().name("jobs".to_owned()).spawn(keep)?;
    Ok(Keeping { ended: Some(ended), jobs: Some(thread) })
}

/// What is wrong with a repository that is followed: said once, and again where it was well meanwhile.
struct Faults {
    reporter: Arc<dyn Reporter + Send + Sync>,
    name: String,
    said: RefCell<String>,
}

impl Faults {
    fn are(&self, fault: &str) {
        if self.said.replace(fault.to_owned()) != fault {
            (&*self.reporter as &dyn Reporter).warn(format_args!("{}: {fault}", self.name));
        }
    }

    fn are_over(&self) {
        self.said.borrow_mut().clear();
    }
}

/// Follows the notes of a repository for as long as the process lives; `handle` is told of changes too.
///
/// # Errors
/// When there is no room for another thread.
pub fn follow(
    served: Served,
    handle: Option<Handle>,
    reporter: Arc<dyn Reporter + Send + Sync>,
) -> Result<()> {
    let follow = move || {
        let Served { name, root, base } = &served;
        let faults = Faults { reporter, name: name.clone(), said: RefCell::default() };
        let mut tell = handle.as_ref().map(|handle| watching::telling(base, handle));
        let mut changed = || {
            match base.open(Vec::new()).and_then(|it| index::keep_up(&it)) {
                Ok(_) => faults.are_over(),
                Err(error) => faults.are(error.message()),
            }
            tell.iter_mut().for_each(|tell| tell());
        };
        // One change that cannot be followed is no end of following.
        let mut follow_one = || {
            if catch_unwind(AssertUnwindSafe(&mut changed)).is_err() {
                faults
                    .are("its index did not follow a change: this is a fault of elophanto itself");
            }
        };
        let mut unwatched = |why: &str| faults.are(&format!("it is not followed: {why}"));
        watch::follow_or_tell(root, &mut follow_one, &mut unwatched);
    };
    std::thread::Builder::new().name("watch".to_owned()).spawn(follow)?;
    Ok(())
}
