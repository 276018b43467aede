//! What a gateway does beside conversations while it lives: the index of each repository follows the
//! notes, and jobs that neither systemd nor cron has are run.

use std::{
    convert::Infallible,
    sync::{Arc, mpsc},
    thread::JoinHandle,
};

use crate::mcp::{server::Handle, watching};
use elophanto_app::{Environment, Error, Reporter, gateway::Served, index, schedule::Jobs};

/// Jobs that are run. Dropping it ends what is at work.
pub struct Keeping {
    ended: Option<mpsc::Sender<Infallible>>,
    jobs: Option<JoinHandle<()>>,
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
) -> Result<Keeping, Error> {
    let jobs = Jobs::of(environment)?;
    let (ended, is_over) = mpsc::channel();
    let keep = move || jobs.keep(&is_over, &*reporter);
    let thread = std::thread::Builder::new().name("jobs".to_owned()).spawn(keep)?;
    Ok(Keeping { ended: Some(ended), jobs: Some(thread) })
}

/// Follows the notes of a repository for as long as the process lives; `handle` is told of changes too.
///
/// # Errors
/// When there is no room for another thread.
pub fn follow(
    served: Served,
    handle: Option<Handle>,
    reporter: Arc<dyn Reporter + Send + Sync>,
) -> Result<(), Error> {
    let follow = move || {
        let mut said = String::new();
        let mut keep_up = || {
            let done = served.base.open(Vec::new()).and_then(|it| index::keep_up(&it));
            if let Err(error) = done
                && error.message() != said
            {
                error.message().clone_into(&mut said);
                (&*reporter as &dyn Reporter).warn(format_args!("{}: {said}", served.name));
            }
        };
        let mut tell = handle.as_ref().map(|handle| watching::telling(&served.base, handle));
        elophanto_index::watch::follow(&served.root, &mut || {
            keep_up();
            tell.iter_mut().for_each(|tell| tell());
        });
    };
    std::thread::Builder::new().name("watch".to_owned()).spawn(follow)?;
    Ok(())
}
