//! A chunk as one value of a table: all that a search reads of it, so that a store is asked once for it.
//!
//! First a version, then what is known of it as JSON, its text, and its vector as git carries it. What
//! a table says is looked at like anything that was written elsewhere. Pure.

use std::borrow::Cow;

use elophanto_index::{apart::Row, store::tables::Encoded};
use serde::{Deserialize, Serialize};

use super::publication::{kind_of, lesson_of, lesson_text, made_of, made_text};

const VERSION: u8 = 1;
/// Bytes of a number.
const NUMBER: usize = 4;

/// What is known of a chunk beside its text and its vector.
#[derive(Serialize, Deserialize)]
struct Known<'k> {
    repository: Cow<'k, str>,
    path: Cow<'k, str>,
    kind: Cow<'k, str>,
    title: Cow<'k, str>,
    titled: bool,
    headings: Cow<'k, [String]>,
    scope: Cow<'k, str>,
    tags: Cow<'k, [String]>,
    lines: (u32, u32),
    changed: Option<i64>,
    made_from: Option<String>,
    lesson: Option<String>,
    /// How many words to look for it has.
    words: u32,
}

/// A chunk as one value; `terms` are the words to look for.
pub(super) fn pack(row: &Row, terms: &str) -> Vec<u8> {
    let known = Known {
        repository: row.repository.as_str().into(),
        path: row.path.as_str().into(),
        kind: row.kind.name().into(),
        title: row.title.as_str().into(),
        titled: row.titled,
        headings: row.headings.as_slice().into(),
        scope: row.scope.as_str().into(),
        tags: row.tags.as_slice().into(),
        lines: (number(row.lines.0), number(row.lines.1)),
        changed: row.changed,
        made_from: row.made_from.as_ref().map(made_text),
        lesson: row.lesson.as_ref().map(lesson_text),
        words: number(terms.split_ascii_whitespace().count()),
    };
    let known = serde_json::to_vec(&known).unwrap_or_default();
    let vector = row.vector.as_ref().map_or(0, |vector| NUMBER + vector.codes.len());
    let mut bytes = Vec::with_capacity(1 + 2 * NUMBER + known.len() + row.text.len() + vector);
    bytes.push(VERSION);
    for part in [known.as_slice(), row.text.as_bytes()] {
        bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    if let Some(Encoded { scale, codes }) = &row.vector {
        bytes.extend_from_slice(&scale.to_le_bytes());
        bytes.extend(codes.iter().map(|code| code.cast_unsigned()));
    }
    bytes
}

/// A chunk and how many words it has, of one value; `None` for what is none of ours.
pub(super) fn unpack(bytes: &[u8]) -> Option<(Row, usize)> {
    let (&VERSION, mut rest) = bytes.split_first()? else { return None };
    let known: Known = serde_json::from_slice(part(&mut rest)?).ok()?;
    let text = std::str::from_utf8(part(&mut rest)?).ok()?.to_owned();
    let vector = match rest.split_first_chunk::<NUMBER>() {
        Some((scale, codes)) => {
            let scale = f32::from_le_bytes(*scale);
            let codes = codes.iter().map(|code| code.cast_signed()).collect();
            scale.is_finite().then_some(Encoded { scale, codes })
        }
        None => None,
    };
    let lesson = match known.lesson {
        Some(said) => Some(lesson_of(&said, &text)?),
        None => None,
    };
    let row = Row {
        repository: known.repository.into_owned(),
        path: known.path.into_owned(),
        kind: kind_of(&known.kind)?,
        title: known.title.into_owned(),
        titled: known.titled,
        headings: known.headings.into_owned(),
        scope: known.scope.parse().ok()?,
        tags: known.tags.into_owned(),
        lines: (known.lines.0 as usize, known.lines.1 as usize),
        text,
        changed: known.changed,
        made_from: known.made_from.as_deref().and_then(made_of),
        lesson,
        vector,
    };
    Some((row, known.words as usize))
}

/// A count as it is packed: what somebody else wrote is added up without running over.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The next part, which begins with its length.
fn part<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, after) = rest.split_first_chunk::<NUMBER>()?;
    let (part, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = after;
    Some(part)
}

#[cfg(test)]
mod tests {
    use elophanto_index::{Kind, store::segment::MadeFrom};
    use elophanto_text::markdown::Scope;

    use super::*;

    #[test]
    fn a_chunk_comes_back_as_it_was() {
        let row = Row {
            repository: "acme/sea".to_owned(),
            path: "src/\"sea\".rs".to_owned(),
            kind: Kind::Summary,
            title: "T".to_owned(),
            titled: true,
            headings: vec!["One \"two\"".to_owned()],
            scope: Scope::User,
            tags: vec!["rust".to_owned()],
            lines: (1, 9),
            text: "Otters sleep.\0\nKelp – grows.".to_owned(),
            changed: Some(-7),
            made_from: Some(MadeFrom { blob: "ab".to_owned(), lines: (1, 9), is_part: true }),
            lesson: None,
            vector: Some(Encoded { scale: 0.5, codes: vec![-127, 0, 3] }),
        };
        let bare = Row { vector: None, changed: None, made_from: None, ..row.clone() };
        for row in [row, bare] {
            let bytes = pack(&row, "otter sleep kelp");
            assert_eq!(unpack(&bytes), Some((row.clone(), 3)));
            for cut in 0..bytes.len() - row.vector.map_or(0, |it| it.codes.len() + NUMBER) {
                assert_eq!(unpack(&bytes[..cut]), None, "{cut}");
            }
        }
    }
}
