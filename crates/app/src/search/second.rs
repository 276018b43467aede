//! Whether a search has a slower model look at its hits again, and for how long.

use std::time::Duration;

use crate::{config::SecondLook as Setting, workspace::Workspace};
use elophanto_index::search::SecondLook;
use elophanto_models::{Pace, bert::Bert};

/// What whoever waits for the hits has to spare.
const MOMENT: Duration = Duration::from_millis(150);
/// The same of an answer, which is decided by what is read: sixty statements take a third of a second.
const ANSWER: Duration = Duration::from_millis(500);

/// Who reads single statements; `None` where the settings want no second look.
/// It keeps no vectors: statements are no passages of an index.
pub(super) fn reader(workspace: &Workspace) -> Option<SecondLook<'static>> {
    let budget = match workspace.config.search.second_look {
        Setting::Always => None,
        Setting::Auto => Some(ANSWER),
        Setting::Never => return None,
    };
    Some(SecondLook { embedder: Bert::minilm(), vectors: None, budget })
}

/// The second look of a search; `None` where the settings want none, nobody waits, or the vectors
/// are of a slow model anyway.
pub fn look(is_awaited: bool, workspace: &Workspace) -> Option<SecondLook<'_>> {
    let budget = match workspace.config.search.second_look {
        Setting::Always => None,
        Setting::Auto if is_awaited => Some(MOMENT),
        Setting::Auto | Setting::Never => return None,
    };
    (workspace.models.active().pace() == Pace::Instant).then(|| SecondLook {
        embedder: Bert::minilm(),
        vectors: Some(workspace.repository.vectors_dir()),
        budget,
    })
}
