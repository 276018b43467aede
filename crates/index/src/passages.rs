//! What is embedded of the chunks of a snapshot, cut again from the text that its segments hold.

use super::{Context, Part, Snapshot};
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
    let chunker = context.cutter_of(part.kind);
    let segment = &part.loaded.segment;
    let mut passages = Vec::new();
    for number in part.live.ones().filter(|&number| choose(number)) {
        let document = segment.document(number)?;
        let text = segment.text(&document)?.to_owned();
        let path = document.path.clone();
        let Some(chunker) = &chunker else { break };
        let Ok(note) = chunker.cut(&path, document.blob, text, None) else { continue };
        let found = note.chunks.iter().zip(note.passages).zip(note.keys);
        passages.extend(found.map(|((chunk, text), key)| Passage {
            path: path.clone(),
            line: chunk.lines.0,
            text,
            key,
        }));
    }
    Ok(passages)
}
