//! A fleet that is asked again and again.
//!
//! Owns the view that is asked, and when it is looked at anew: the tables of a view never change. Where
//! the store does not answer, the last view goes on, and that is said. It owns too what a server spends on
//! second looks, which take many times as long as all else of a question.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::Rights;
use crate::Result;
use elophanto_tables::fleet::{Fleet, Head, View};

/// For so long a view is taken for what is there.
const FRESH: Duration = Duration::from_secs(5);
/// After a second look nobody gets one for so many times as long as it took: one who asks alone always
/// does, and of many no one waits for those of others.
const REST: u32 = 4;

/// Asks on behalf of somebody. Cloning is cheap.
#[derive(Clone)]
pub struct Reader {
    shared: Arc<Shared>,
    pub(super) rights: Rights,
    /// Only these repositories: whole names, or their ends; all if empty.
    pub(crate) repositories: Vec<String>,
}

struct Shared {
    fleet: Fleet,
    last: Mutex<Option<Last>>,
    /// When there may be a second look again.
    rested: Mutex<Instant>,
}

/// The last view, and when it was looked at, or somebody began to.
struct Last {
    when: Instant,
    view: View,
    /// Why it may be behind.
    stale: Option<String>,
}

/// A view, and why it may be behind.
pub(super) struct Looked {
    pub view: View,
    pub stale: Option<String>,
}

impl Reader {
    pub fn new(fleet: Fleet) -> Self {
        let (last, rested) = (Mutex::new(None), Mutex::new(Instant::now()));
        let shared = Arc::new(Shared { fleet, last, rested });
        Self { shared, rights: Rights::default(), repositories: Vec::new() }
    }

    /// The same for somebody who may find less.
    pub fn with(&self, rights: Rights) -> Self {
        Self { rights, ..self.clone() }
    }

    /// The same for these repositories alone: whole names, or their ends; all if there are none.
    pub fn among(self, repositories: Vec<String>) -> Self {
        Self { repositories, ..self }
    }

    pub fn address(&self) -> String {
        self.shared.fleet.address().to_string()
    }

    /// The states of the repositories that may be found, by name.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn heads(&self) -> Result<Vec<Head>> {
        let mut heads = self.look(None)?.view.heads().to_vec();
        heads.retain(|head| self.rights.allows(&head.repository));
        Ok(heads)
    }

    /// Names that may be found by these readers and are published there by nobody: mistyped, or not yet.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn in_vain<'r>(readers: impl Iterator<Item = &'r Self>) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        for reader in readers {
            let view = reader.look(None)?.view;
            let published = view.heads().iter().map(|head| head.repository.as_str());
            names.extend(reader.rights.in_vain(published));
        }
        Ok(names)
    }

    /// Loads what every question reads.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn warm(&self) -> Result<()> {
        let Looked { view, .. } = self.look(None)?;
        for table in view.tables() {
            table.warm()?;
        }
        Ok(())
    }

    /// Ranks with a second look, if there may be one now, for at most `longest`; `rank` is told.
    pub(super) fn spend<T>(&self, longest: Duration, rank: impl FnOnce(bool) -> T) -> T {
        let rested = || self.shared.rested.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let may = {
            let mut rested = rested();
            let may = *rested <= now;
            if may {
                // Whoever comes meanwhile goes without.
                *rested = now + longest * (1 + REST);
            }
            may
        };
        let ranked = rank(may);
        if may {
            *rested() = Instant::now() + now.elapsed().min(longest) * REST;
        }
        ranked
    }

    /// The view of now, or of a moment in seconds since 1970.
    pub(super) fn look(&self, at: Option<i64>) -> Result<Looked> {
        let Shared { fleet, last, .. } = &*self.shared;
        if at.is_some() {
            return Ok(Looked { view: fleet.view(at)?, stale: None });
        }
        let mut held = last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match &mut *held {
            Some(Last { when, view, stale }) if when.elapsed() < FRESH => {
                return Ok(Looked { view: view.clone(), stale: stale.clone() });
            }
            // Whoever asks meanwhile is answered of the last view.
            Some(Last { when, view, .. }) => {
                *when = Instant::now();
                view.clone()
            }
            // Whoever asks meanwhile waits for the first one.
            None => {
                let view = fleet.view(None)?;
                *held = Some(Last { when: Instant::now(), view: view.clone(), stale: None });
                return Ok(Looked { view, stale: None });
            }
        };
        drop(held);
        let (view, stale) = match fleet.view_after(&before) {
            Ok(view) => (view, None),
            Err(cause) if cause.is_passing() => (before, Some(cause.to_string())),
            Err(cause) => {
                // Whoever asks next is told as well.
                *last.lock().unwrap_or_else(PoisonError::into_inner) = None;
                return Err(cause.into());
            }
        };
        let now = Last { when: Instant::now(), view: view.clone(), stale: stale.clone() };
        *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        Ok(Looked { view, stale })
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("rights", &self.rights).finish_non_exhaustive()
    }
}
