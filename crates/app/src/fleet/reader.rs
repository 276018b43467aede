//! A fleet that is asked again and again.
//!
//! Owns the view that is asked, and when it is looked at anew: the tables of a view never change. Where
//! the store does not answer, the last view goes on, and that is said.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::Rights;
use crate::Error;
use elophanto_tables::fleet::{Fleet, FleetError, View};

/// For so long a view is taken for what is there.
const FRESH: Duration = Duration::from_secs(5);

/// Asks on behalf of somebody. Cloning is cheap.
#[derive(Clone)]
pub struct Reader {
    shared: Arc<Shared>,
    pub(super) rights: Rights,
    /// Only these repositories: whole names, or their ends; all if empty.
    pub(super) repositories: Vec<String>,
}

struct Shared {
    fleet: Fleet,
    last: Mutex<Option<(Instant, View)>>,
}

/// A view, and why it may be behind.
pub(super) struct Looked {
    pub view: View,
    pub stale: Option<FleetError>,
}

impl Reader {
    pub fn new(fleet: Fleet) -> Self {
        let shared = Arc::new(Shared { fleet, last: Mutex::new(None) });
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

    /// Loads what every question reads.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn warm(&self) -> Result<(), Error> {
        let Looked { view, .. } = self.look(None)?;
        for table in view.tables() {
            table.warm()?;
        }
        Ok(())
    }

    /// The view of now, or of a moment in seconds since 1970.
    pub(super) fn look(&self, at: Option<i64>) -> Result<Looked, Error> {
        let Shared { fleet, last } = &*self.shared;
        if at.is_some() {
            return Ok(Looked { view: fleet.view(at)?, stale: None });
        }
        let before = last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((when, view)) = &before
            && when.elapsed() < FRESH
        {
            return Ok(Looked { view: view.clone(), stale: None });
        }
        let (view, stale) = match (fleet.view(None), before) {
            (Ok(view), _) => (view, None),
            (Err(cause), Some((_, view))) if cause.is_passing() => (view, Some(cause)),
            (Err(cause), _) => return Err(cause.into()),
        };
        *last.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), view.clone()));
        Ok(Looked { view, stale })
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("rights", &self.rights).finish_non_exhaustive()
    }
}
