//! What the user's own notes say, sentence by sentence.

use crate::summary::prose;
use elophanto_index::{Kind, Snapshot, store::Malformed};
use elophanto_text::markdown::Scope;

/// Sentences that are kept.
const MOST: usize = 20_000;

/// A sentence and the note that it stands in.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub path: String,
    pub text: String,
}

/// The sentences of all notes of the user.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn said(snapshot: &Snapshot) -> Result<Vec<Said>, Malformed> {
    let mut all = Vec::new();
    for part in snapshot.parts.iter().filter(|part| part.kind == Kind::Note) {
        let segment = &part.loaded.segment;
        for number in part.live.ones() {
            let view = segment.document(number)?;
            if view.scope != Scope::User {
                continue;
            }
            let path = view.path.to_text();
            for text in prose(segment.text(&view)?) {
                if all.len() >= MOST {
                    return Ok(all);
                }
                all.push(Said { path: path.clone(), text });
            }
        }
    }
    Ok(all)
}
