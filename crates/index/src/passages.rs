//! What is embedded of the chunks of a snapshot, as its segments hold them.

use super::{Context, Part, Snapshot, note::Note};
use crate::store::{Malformed, matrix::Key};
use elophanto_repo::NotePath;

/// What is embedded of a chunk, and where it stands.
pub struct Passage {
    pub path: NotePath,
    pub line: usize,
    pub text: String,
    /// Its key with the present model.
    pub key: Key,
}

/// The passages of all current chunks.
///
/// # Errors
/// [`Malformed`] if the view is damaged.
pub fn passages(context: &Context, snapshot: &Snapshot) -> Result<Vec<Passage>, Malformed> {
    let mut all = Vec::new();
    for part in &snapshot.parts {
        all.extend(passages_of(context, part, |_| true)?);
    }
    Ok(all)
}

/// The passages of those current documents of a part that are chosen by number.
pub(super) fn passages_of(
    context: &Context,
    part: &Part,
    choose: impl Fn(usize) -> bool,
) -> Result<Vec<Passage>, Malformed> {
    let mut passages = Vec::new();
    for number in part.live.ones().filter(|&number| choose(number)) {
        let fingerprint = context.embedder.fingerprint();
        let Note { record, chunks, passages: texts, keys, .. } =
            Note::of_segment(&part.loaded.segment, number, fingerprint)?;
        let found = chunks.iter().zip(texts).zip(keys);
        passages.extend(found.map(|((chunk, text), key)| Passage {
            path: record.path.clone(),
            line: chunk.lines.0,
            text,
            key,
        }));
    }
    Ok(passages)
}
