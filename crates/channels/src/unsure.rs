//! Posts of which nobody knows whether they came through: each carries a mark that stays the same until that
//! is known.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::ChannelError;

/// Posts that are remembered.
const MOST: usize = 1_000;
/// Characters of a mark, which is as long as Discord takes.
const MARK: usize = 25;

/// Marks, by what was to be said and where.
#[derive(Default)]
pub struct Unsure(Mutex<BTreeMap<String, String>>);

impl Unsure {
    fn marks(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Posts under a mark; with it, whether a post that carries it may be there already.
    pub fn post<T>(
        &self,
        what: String,
        post: impl FnOnce(&str, bool) -> Result<T, ChannelError>,
    ) -> Result<T, ChannelError> {
        let (mark, is_again) = {
            let mut marks = self.marks();
            if marks.len() > MOST {
                marks.clear();
            }
            let new = || uuid::Uuid::new_v4().simple().to_string()[..MARK].to_owned();
            let is_again = marks.contains_key(&what);
            (marks.entry(what.clone()).or_insert_with(new).clone(), is_again)
        };
        let said = post(&mark, is_again);
        if !matches!(said, Err(ChannelError::Later { .. })) {
            self.marks().remove(&what);
        }
        said
    }
}
