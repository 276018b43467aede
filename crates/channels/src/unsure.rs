//! Posts of which nobody knows whether they came through: each carries a mark that stays the same until that
//! is known.

use std::{
    collections::BTreeMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use super::{ChannelError, Result};
use elophanto_base::mutex::lock;

/// Posts that are remembered.
const MOST: usize = 1_000;
/// Characters of a mark, which is as long as Discord takes.
const MARK: usize = 25;

/// After this time the same words are said anew, not again.
pub const LASTS: Duration = Duration::from_secs(15 * 60);

/// Marks and when they were made, by what was to be said and where.
#[derive(Default)]
pub struct Unsure(Mutex<BTreeMap<String, (String, Instant)>>);

impl Unsure {
    /// Posts under a mark; with it, whether a post that carries it may be there already.
    pub fn post<T>(&self, what: String, post: impl FnOnce(&str, bool) -> Result<T>) -> Result<T> {
        let (mark, is_again) = {
            let mut marks = lock(&self.0);
            marks.retain(|_, (_, since)| since.elapsed() < LASTS);
            if marks.len() > MOST {
                marks.clear();
            }
            let mark = || uuid::Uuid::new_v4().simple().to_string()[..MARK].to_owned();
            let is_again = marks.contains_key(&what);
            let new = || (mark(), Instant::now());
            (marks.entry(what.clone()).or_insert_with(new).0.clone(), is_again)
        };
        let said = post(&mark, is_again);
        if !matches!(said, Err(ChannelError::Later { .. })) {
            lock(&self.0).remove(&what);
        }
        said
    }
}
