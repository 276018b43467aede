//! What is kept of a knowledge base from one page to the next.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, Once,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rustc_hash::FxHashMap;

use super::{Alike, Catalogue, Health, Note, alike};
use crate::{
    Error, Result,
    workspace::{KnowledgeBase, Workspace},
};
use elophanto_base::mutex::lock;
use elophanto_index::{Options, watch::follow_while};
use elophanto_repo::{CommitId, Git, head};

/// How long a look at what changed waits for another process that writes the view.
const PATIENCE: Duration = Duration::from_millis(50);
/// Where nothing tells of changes, they are looked for after this time.
const OLD: Duration = Duration::from_secs(2);
/// How long what is right and wrong is taken for that without being looked at.
const EXAMINED: Duration = Duration::from_secs(15);

/// Notes of which is kept what resembles them.
const MOST_ALIKE: usize = 1_000;

/// What resembles notes, by catalogue, number of the note and content.
type AlikeKept = FxHashMap<(u64, usize, String), Arc<Vec<Alike>>>;

/// What is kept of one knowledge base. Shared between threads.
pub struct ReadingCache {
    /// By which it is opened.
    pub base: KnowledgeBase,
    kept: Mutex<Option<Kept>>,
    /// Held by whoever makes the next catalogue.
    making: Mutex<()>,
    watching: Once,
    is_watched: AtomicBool,
    is_made_beside: AtomicBool,
    health: Mutex<Option<(u64, Instant, Arc<Health>)>>,
    alike: Mutex<AlikeKept>,
    is_examined: AtomicBool,
}

struct Kept {
    catalogue: Arc<Catalogue>,
    looked: Instant,
}

impl ReadingCache {
    /// Reads nothing yet.
    pub fn new(base: KnowledgeBase) -> Arc<Self> {
        Arc::new(Self {
            base,
            kept: Mutex::default(),
            making: Mutex::default(),
            watching: Once::new(),
            is_watched: AtomicBool::new(false),
            is_made_beside: AtomicBool::new(false),
            health: Mutex::default(),
            alike: Mutex::default(),
            is_examined: AtomicBool::new(false),
        })
    }

    /// The knowledge base as it is now; `flags` are settings for this call.
    ///
    /// # Errors
    /// When there is none any more, or a setting is unusable.
    pub fn open(&self, flags: Vec<(String, String)>) -> Result<Workspace> {
        self.base.open(flags)
    }

    /// The notes as they were a moment ago: what changes meanwhile is read beside. The first time they
    /// are read now, and watched from then on.
    ///
    /// # Errors
    /// When the knowledge base cannot be read.
    pub fn catalogue(self: &Arc<Self>, workspace: &Workspace) -> Result<Arc<Catalogue>> {
        let known = lock(&self.kept).as_ref().map(|it| (Arc::clone(&it.catalogue), it.looked));
        let Some((catalogue, looked)) = known else {
            self.watching.call_once(|| self.watch());
            return self.make(workspace, true);
        };
        let is_watched = self.is_watched.load(Ordering::Relaxed);
        let has_moved = || head_of(workspace) != catalogue.snapshot.history.head;
        if catalogue.stale > 0 || (!is_watched && looked.elapsed() > OLD) || has_moved() {
            self.make_beside();
        }
        Ok(catalogue)
    }

    /// Reads the notes beside, unless that was done before.
    pub fn warm(self: &Arc<Self>) {
        if self.number() == 0 {
            let cache = Arc::clone(self);
            let warming = move || {
                // Whoever asks for the notes next is told what is wrong.
                let _ = cache.open(Vec::new()).and_then(|it| cache.catalogue(&it).map(drop));
            };
            let _ = std::thread::Builder::new().name("notes".to_owned()).spawn(warming);
        }
    }

    /// Counts how often notes have changed; 0 before anybody looked.
    pub fn number(&self) -> u64 {
        lock(&self.kept).as_ref().map_or(0, |it| it.catalogue.number)
    }

    /// Reads what this process itself has just changed.
    ///
    /// # Errors
    /// When the knowledge base cannot be read.
    pub fn look_again(&self, workspace: &Workspace) -> Result<Arc<Catalogue>> {
        self.make(workspace, false)
    }

    /// What is right and wrong, as it was found last; it is looked at anew beside whenever notes have
    /// changed, or that was a while ago. `None` while it is looked at for the first time.
    pub fn health(self: &Arc<Self>) -> Option<Arc<Health>> {
        let number = self.number();
        let known = lock(&self.health).clone();
        // Besides notes, jobs and commits change what is found.
        let is_old =
            known.as_ref().is_none_or(|(of, at, _)| *of != number || at.elapsed() > EXAMINED);
        if is_old && !self.is_examined.swap(true, Ordering::Relaxed) {
            let cache = Arc::clone(self);
            let examining = move || {
                if let Ok(found) = cache.open(Vec::new()).and_then(|it| Health::of(&it)) {
                    *lock(&cache.health) = Some((number, Instant::now(), Arc::new(found)));
                }
                cache.is_examined.store(false, Ordering::Relaxed);
            };
            let thread = std::thread::Builder::new().name("doctor".to_owned());
            if thread.spawn(examining).is_err() {
                self.is_examined.store(false, Ordering::Relaxed);
            }
        }
        known.map(|(_, _, health)| health)
    }

    /// What resembles a note, found once as long as no note changes.
    ///
    /// # Errors
    /// Those of searching.
    pub fn alike(
        &self,
        workspace: &Workspace,
        catalogue: &Catalogue,
        note: &Note,
    ) -> Result<Arc<Vec<Alike>>> {
        let key = (catalogue.number, note.number, note.hash.clone());
        if let Some(known) = lock(&self.alike).get(&key) {
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(alike(workspace, catalogue, note)?);
        let mut all = lock(&self.alike);
        // What was found among other notes is asked for no more.
        all.retain(|(number, ..), _| *number == key.0);
        if all.len() >= MOST_ALIKE {
            all.clear();
        }
        all.insert(key, Arc::clone(&found));
        Ok(found)
    }

    fn make(&self, workspace: &Workspace, is_first: bool) -> Result<Arc<Catalogue>> {
        let _making = lock(&self.making);
        let known = lock(&self.kept).as_ref().map(|it| Arc::clone(&it.catalogue));
        if let Some(known) = known.as_ref().filter(|_| is_first) {
            // Another one has just made it.
            return Ok(Arc::clone(known));
        }
        let options = Options { full: false, patience: Some(PATIENCE), progress: &|_, _| {} };
        // A fault of ours is told to who asks; whoever reads beside goes on.
        let make = || Catalogue::make(workspace, options, known.as_ref());
        let made = catch_unwind(AssertUnwindSafe(make));
        let catalogue = made.map_err(|_| Error::bug("notes could not be read"))??;
        *lock(&self.kept) =
            Some(Kept { catalogue: Arc::clone(&catalogue), looked: Instant::now() });
        give_back();
        Ok(catalogue)
    }

    /// The same on a thread of its own, unless one is at it.
    fn make_beside(self: &Arc<Self>) {
        if self.is_made_beside.swap(true, Ordering::Relaxed) {
            return;
        }
        let cache = Arc::clone(self);
        let making = move || {
            // What cannot be read now is read the next time.
            let _ = cache.open(Vec::new()).and_then(|workspace| cache.make(&workspace, false));
            cache.is_made_beside.store(false, Ordering::Relaxed);
        };
        let thread = std::thread::Builder::new().name("notes".to_owned());
        if thread.spawn(making).is_err() {
            self.is_made_beside.store(false, Ordering::Relaxed);
        }
    }

    /// Follows changes from now on, for as long as somebody has the cache.
    fn watch(self: &Arc<Self>) {
        let (cache, folder) = (Arc::downgrade(self), self.base.folder.clone());
        let watching = move || {
            let mut changed = || {
                if let Some(cache) = cache.upgrade() {
                    cache.is_watched.store(true, Ordering::Relaxed);
                    let _ = cache.open(Vec::new()).and_then(|it| cache.make(&it, false));
                }
            };
            let is_wanted = || cache.strong_count() > 0;
            follow_while(&folder, &is_wanted, &mut changed, &mut |_| {});
        };
        // Where there is no thread for it, notes are looked at from time to time.
        let _ = std::thread::Builder::new().name("page".to_owned()).spawn(watching);
    }
}

/// Memory that reading all notes took, and that nobody uses any more, goes back to the system: glibc
/// keeps it for each thread.
fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it touches nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

fn head_of(workspace: &Workspace) -> Option<CommitId> {
    head(&Git::of(&workspace.repository)?).ok().flatten()
}
