//! Watching: file system events are hints, the content decides.
//!
//! Events are gathered until it is quiet for a moment, then one refresh reconciles everything.
//! A refresh writes only below `.git` and `.elophanto`, whose events are dropped, so it never
//! wakes itself.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

use elophanto_base::platform;
use notify::{RecursiveMode, Watcher};

/// Quiet time that ends a burst of events.
const DEBOUNCE: Duration = Duration::from_millis(300);
/// A burst that never ends is reconciled this often all the same.
const LONGEST_BURST: Duration = Duration::from_secs(5);
/// How often [`follow`] sees to it that the root is the one that is watched.
const LOOKS: Duration = Duration::from_secs(5);

/// Why to refresh now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// Files below the roots changed.
    Changed,
    /// Events may have been lost.
    Rescan,
    /// Nothing happened, and the interval is over.
    Interval,
}

/// The watcher cannot run.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch `{}`: {cause}", path.display())]
pub struct WatchError {
    path: PathBuf,
    cause: notify::Error,
}

/// How events arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The kernel tells.
    Native,
    /// The kernel has no room for more watches: files are compared every few seconds.
    Polling,
}

/// A root that is watched: what happens from now on is not missed.
pub struct Watch {
    /// Dropped, it ends the events.
    _watcher: Box<dyn Watcher>,
    events: Receiver<Wake>,
    method: Method,
}

impl Watch {
    /// Begins to watch the root. Whoever wants to know all of it begins before they look at the
    /// files for the first time.
    ///
    /// # Errors
    /// [`WatchError`] if neither the kernel nor polling can watch the root.
    pub fn begin(root: &Path) -> Result<Self, WatchError> {
        let (sender, events) = mpsc::channel();
        let handler = {
            let root = root.to_owned();
            move |event: notify::Result<notify::Event>| {
                let hint = match event {
                    Ok(event) if event.need_rescan() => Some(Wake::Rescan),
                    Ok(event) => is_ours_to_see(&event, &root).then_some(Wake::Changed),
                    Err(_) => Some(Wake::Rescan),
                };
                if let Some(hint) = hint {
                    // The receiver is gone only when watching has ended.
                    let _ = sender.send(hint);
                }
            }
        };
        let (watcher, method) = start(root, handler)?;
        Ok(Self { _watcher: watcher, events, method })
    }

    /// How events arrive.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// Calls `refresh` whenever something below the root may have changed since the beginning,
    /// and every `interval` if there is one, until `refresh` returns `false`.
    pub fn run(self, interval: Option<Duration>, mut refresh: impl FnMut(Wake) -> bool) {
        while let Some(wake) = next(&self.events, interval) {
            if !refresh(wake) {
                break;
            }
        }
    }
}

/// Calls `changed` at the beginning and whenever something may have changed, for as long as the
/// process lives. A folder that takes the place of the root is watched in its turn; one that cannot
/// be watched is tried again.
pub fn follow(root: &Path, changed: &mut dyn FnMut()) {
    follow_or_tell(root, changed, &mut |_| {});
}

/// The same; each time that the root cannot be watched, `unwatched` is told why.
pub fn follow_or_tell(root: &Path, changed: &mut dyn FnMut(), unwatched: &mut dyn FnMut(&str)) {
    follow_while(root, &|| true, changed, unwatched);
}

/// The same for as long as somebody wants it, which is asked every few seconds.
pub fn follow_while(
    root: &Path,
    is_wanted: &dyn Fn() -> bool,
    changed: &mut dyn FnMut(),
    unwatched: &mut dyn FnMut(&str),
) {
    while is_wanted() {
        let folder = identity(root);
        let watch = match folder {
            Some(_) => Watch::begin(root).map_err(|cause| cause.to_string()),
            None => Err(format!("`{}` is not there", root.display())),
        };
        match watch {
            Ok(watch) => {
                changed();
                watch.run(Some(LOOKS), |wake| {
                    let goes_on = is_wanted() && identity(root) == folder;
                    if goes_on && wake != Wake::Interval {
                        changed();
                    }
                    goes_on
                });
            }
            Err(why) => {
                unwatched(&why);
                std::thread::sleep(LOOKS);
            }
        }
    }
}

/// Which folder a path leads to.
fn identity(root: &Path) -> Option<(u64, u64)> {
    platform::identity(&std::fs::metadata(root).ok()?)
}

/// Waits for a burst of events to end; `None` when no event can come any more.
fn next(events: &Receiver<Wake>, interval: Option<Duration>) -> Option<Wake> {
    let first = match interval {
        Some(interval) => match events.recv_timeout(interval) {
            Ok(wake) => wake,
            Err(RecvTimeoutError::Timeout) => return Some(Wake::Interval),
            Err(RecvTimeoutError::Disconnected) => return None,
        },
        None => events.recv().ok()?,
    };
    let burst = Instant::now();
    let mut wake = first;
    while burst.elapsed() < LONGEST_BURST {
        match events.recv_timeout(DEBOUNCE) {
            Ok(Wake::Rescan) => wake = Wake::Rescan,
            Ok(_) => {}
            Err(_) => break,
        }
    }
    Some(wake)
}

fn start(
    root: &Path,
    handler: impl Fn(notify::Result<notify::Event>) + Clone + Send + 'static,
) -> Result<(Box<dyn Watcher>, Method), WatchError> {
    let failed = |cause| WatchError { path: root.to_owned(), cause };
    let native = notify::recommended_watcher(handler.clone()).and_then(|mut watcher| {
        watcher.watch(root, RecursiveMode::Recursive)?;
        Ok(watcher)
    });
    match native {
        Ok(watcher) => Ok((Box::new(watcher), Method::Native)),
        Err(_) => {
            let settings = notify::Config::default().with_poll_interval(Duration::from_secs(3));
            let mut watcher = notify::PollWatcher::new(handler, settings).map_err(failed)?;
            watcher.watch(root, RecursiveMode::Recursive).map_err(failed)?;
            Ok((Box::new(watcher), Method::Polling))
        }
    }
}

/// Reading a file is no change, and what git and we write is nobody's note.
fn is_ours_to_see(event: &notify::Event, root: &Path) -> bool {
    if event.kind.is_access() {
        return false;
    }
    event.paths.iter().any(|path| {
        let below = path.strip_prefix(root).unwrap_or(path);
        let first = below.components().next().map(|component| component.as_os_str().to_owned());
        !first.is_some_and(|name| name == ".git" || name == ".elophanto")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, CreateKind, Event, EventKind};

    fn check(kind: EventKind, path: &str, expected: bool) {
        let event = Event::new(kind).add_path(PathBuf::from(path));
        assert_eq!(is_ours_to_see(&event, Path::new("/r")), expected, "{path}");
    }

    #[test]
    fn own_writes_and_reads_are_no_news() {
        check(EventKind::Create(CreateKind::File), "/r/a.md", true);
        check(EventKind::Create(CreateKind::File), "/r/.git/elophanto/view/manifest", false);
        check(EventKind::Create(CreateKind::File), "/r/.elophanto/index/x.lance", false);
        check(EventKind::Access(AccessKind::Any), "/r/a.md", false);
    }

    #[test]
    fn nobody_who_wants_it_no_more_keeps_it_alive() {
        let folder = tempfile::tempdir().unwrap();
        let (is_wanted, changes) = (std::cell::Cell::new(true), std::cell::Cell::new(0));
        let mut changed = || {
            changes.set(changes.get() + 1);
            is_wanted.set(false);
            std::fs::write(folder.path().join("a.md"), "x").unwrap();
        };
        follow_while(folder.path(), &|| is_wanted.get(), &mut changed, &mut |why| panic!("{why}"));
        assert_eq!(changes.get(), 1);
    }

    #[test]
    fn a_burst_is_one_wake() {
        let (sender, events) = mpsc::channel();
        for wake in [Wake::Changed, Wake::Rescan, Wake::Changed] {
            sender.send(wake).unwrap();
        }
        drop(sender);
        assert_eq!(next(&events, None), Some(Wake::Rescan));
        assert_eq!(next(&events, None), None);
    }
}
