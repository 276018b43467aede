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
use crate::{
    Result,
    reporter::{Reporter, Silent},
};
use elophanto_tables::fleet::{Fleet, Head, View};

/// For so long a view is taken for what is there.
const FRESH: Duration = Duration::from_secs(5);
/// After a second look nobody gets one for so many times as long as it took: one who asks alone always
/// does, and of many no one waits for those of others. Nor does anybody look for so long at a store that did
/// not answer.
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

/// The last view, and until when nobody looks for a newer one.
struct Last {
    until: Instant,
    view: View,
    /// Why it may be behind.
    stale: Option<String>,
}

impl Reader {
    /// Asks this fleet, all of its repositories.
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

    /// Where the fleet is, without a secret.
    pub fn address(&self) -> String {
        self.shared.fleet.address().to_string()
    }

    /// The states of the repositories that may be found, by name; that they may be old is told.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn heads(&self, reporter: &dyn Reporter) -> Result<Vec<Head>> {
        let mut heads = self.look(None, reporter)?.heads().to_vec();
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
            let view = reader.look(None, &Silent)?;
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
        for table in self.look(None, &Silent)?.tables() {
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

    /// The view of now, or of a moment in seconds since 1970; that it may be old is told.
    pub(super) fn look(&self, at: Option<i64>, reporter: &dyn Reporter) -> Result<View> {
        let (view, stale) = match at {
            Some(_) => (self.shared.fleet.view(at)?, None),
            None => self.newest()?,
        };
        if let Some(cause) = stale {
            reporter.warn(format_args!("what is found is of an older state, for {cause}"));
        }
        Ok(view)
    }

    /// The newest view that is known, and why it may be behind.
    fn newest(&self) -> Result<(View, Option<String>)> {
        let Shared { fleet, last, .. } = &*self.shared;
        let began = Instant::now();
        let mut held = last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match &mut *held {
            Some(Last { until, view, stale }) if began < *until => {
                return Ok((view.clone(), stale.clone()));
            }
            // Whoever asks meanwhile is answered of the last view.
            Some(Last { until, view, .. }) => {
                *until = began + FRESH;
                view.clone()
            }
            // Whoever asks meanwhile waits for the first one.
            None => {
                let view = fleet.view(None)?;
                let until = Instant::now() + FRESH;
                *held = Some(Last { until, view: view.clone(), stale: None });
                return Ok((view, None));
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
        // Who asks a store that does not answer waits long: most are answered without.
        let wait = if stale.is_some() { began.elapsed() * REST } else { FRESH };
        let until = Instant::now() + wait.max(FRESH);
        let now = Last { until, view: view.clone(), stale: stale.clone() };
        *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        Ok((view, stale))
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("rights", &self.rights).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs};

    use elophanto_net::fake_store::{FakeStore, Fault};
    use elophanto_tables::store::{Address, Keys};

    use super::*;
    use crate::reporter::Heard;

    fn reader(address: &str, variables: &BTreeMap<String, String>) -> Reader {
        let address = Address::parse(address).unwrap();
        let keys = Keys::of(|name| variables.get(name).cloned());
        let fleet = Fleet::open(address, keys, None).unwrap();
        fleet.declare(Vec::new()).unwrap();
        Reader::new(fleet)
    }

    /// Looks as one who comes later; what was told.
    fn later(reader: &Reader) -> Result<Vec<String>> {
        let mut last = reader.shared.last.lock().unwrap();
        if let Some(last) = &mut *last {
            last.until = Instant::now();
        }
        drop(last);
        now(reader)
    }

    fn now(reader: &Reader) -> Result<Vec<String>> {
        let heard = Heard::default();
        reader.heads(&heard)?;
        Ok(heard.all())
    }

    /// Away, and back again; whoever asks meanwhile is told, and is not made to wait.
    fn comes_and_goes(reader: &Reader, away: impl FnOnce(), back: impl FnOnce()) {
        let none: [String; 0] = [];
        assert_eq!(later(reader).unwrap(), none);
        away();
        assert_eq!(now(reader).unwrap(), none);
        for told in [later(reader), now(reader)] {
            let told = told.unwrap().concat();
            assert!(told.contains("older state") && told.contains("cannot be reached"), "{told}");
        }
        back();
        assert_eq!(later(reader).unwrap(), none);
    }

    #[test]
    fn what_was_known_last_goes_on_and_that_is_told() {
        let store = FakeStore::new();
        let of_store = reader("s3://bucket/kb", &store.variables());
        let cut = || store.faults(|_| Some(Fault::Cut));
        comes_and_goes(&of_store, cut, || store.no_faults());
        let folder = tempfile::tempdir().unwrap();
        let (kb, moved) = (folder.path().join("kb"), folder.path().join("moved"));
        let of_folder = reader(&format!("file://{}", kb.display()), &BTreeMap::new());
        let move_to = |from, to| move || fs::rename(from, to).unwrap();
        comes_and_goes(&of_folder, move_to(&kb, &moved), move_to(&moved, &kb));
        // What is refused, and what is no knowledge base any more, does not pass.
        store.faults(|_| Some(Fault::Status(403, "AccessDenied")));
        later(&of_store).unwrap_err();
        now(&of_store).unwrap_err();
        fs::rename(kb.join("kb.json"), kb.join("other.json")).unwrap();
        later(&of_folder).unwrap_err();
    }

    /// Each question would wait, else, for as long as is tried again.
    #[test]
    fn a_store_that_does_not_answer_is_left_alone_for_a_while() {
        let store = FakeStore::new();
        let reader = reader("s3://bucket/kb", &store.variables());
        later(&reader).unwrap();
        store.faults(|_| Some(Fault::Cut));
        let began = Instant::now();
        later(&reader).unwrap();
        let took = began.elapsed();
        let until = reader.shared.last.lock().unwrap().as_ref().unwrap().until;
        assert!(until >= began + took * REST, "{took:?}");
    }
}
