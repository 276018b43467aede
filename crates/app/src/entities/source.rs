//! What a fact was found in: what the source is called, and the passage that says it.

use schemars::JsonSchema;
use serde::Serialize;

use super::{find, of};
use crate::learning::now;
use elophanto_knowledge::learn::{
    entity_store::{EntitySnapshot, EntityStore},
    kept::{self, passage},
    log::Log,
    record::SourceRecord,
};

/// Lines that are shown before and behind a passage.
const AROUND: usize = 2;

/// Where a fact was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FoundIn {
    /// The fact as this source says it, in Markdown.
    pub fact: String,
    /// An address, or the path of a file.
    pub source: String,
    /// Of what was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// As the page names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it was published, as it says itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// When it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_at: Option<String>,
    /// BLAKE3 of its text then, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_hash: Option<String>,
    /// The sentences that say so, with the lines around them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage: Option<Marked>,
    /// Why there is no passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<&'static str>,
}

/// A passage with what stands around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Marked {
    /// First and last line in the text that was read, from 1.
    pub lines: [usize; 2],
    /// First character, and the one behind the last, from 0.
    pub characters: [usize; 2],
    pub text: String,
    pub before: Vec<String>,
    pub behind: Vec<String>,
}

/// Why a fact has no source to show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSource {
    /// There is no such entity.
    #[error("nothing is known of `{0}`")]
    Unknown(String),
    /// The entity has no fact of that id.
    #[error("it has no fact `{0}`")]
    NoFact(String),
    /// The user wrote the line, or an older version that kept no source.
    #[error("nobody said where it is from")]
    Unnamed,
}

/// What a fact was found in, once for each of its sources; `fact` is its id, or its number as `entity`
/// lists it.
///
/// # Errors
/// [`NoSource`].
pub fn found_in(
    store: &EntityStore,
    snapshot: &EntitySnapshot,
    name: &str,
    fact: &str,
) -> Result<Vec<FoundIn>, NoSource> {
    let entity = find(snapshot, name).ok_or_else(|| NoSource::Unknown(name.to_owned()))?;
    let known = of(store, entity);
    let number = fact.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let by_number = number.and_then(|number| known.facts.get(number));
    let by_id = || known.facts.iter().find(|known| known.id == fact.trim_start_matches("f:"));
    let chosen = by_id().or(by_number).ok_or_else(|| NoSource::NoFact(fact.to_owned()))?;
    let its = entity.facts.iter().find(|fact| {
        fact.line.number == chosen.line && store.path(&fact.slug).to_text() == chosen.path
    });
    let log = Log::read(store.record_store, now());
    let sources = its.map(|fact| fact.sources()).unwrap_or_default();
    if sources.is_empty() {
        return Err(NoSource::Unnamed);
    }
    let shown = sources.into_iter().map(|(source, line)| {
        let search = line.search.as_deref().unwrap_or_default();
        let record = log.sources.get(&SourceRecord::id_of(search, source));
        let text = record.and_then(|record| kept::text(store.record_store, &log, record));
        let passage = text.as_deref().and_then(|text| marked(text, &line.text));
        let missing = match (&text, &passage) {
            (None, _) => Some("its text is not kept here (`learn.keep`)"),
            (Some(_), None) => Some("no sentence of it says so in these words"),
            (Some(_), Some(_)) => None,
        };
        FoundIn {
            fact: line.text.clone(),
            source: source.to_owned(),
            title: record.and_then(|record| record.title.clone()),
            author: record.and_then(|record| record.byline.author.clone()),
            published: record.and_then(|record| record.byline.published.clone()),
            read_at: record.map(|record| format!("{:.0}", record.at)),
            text_hash: record.map(|record| record.text_hash.clone()),
            passage,
            missing,
        }
    });
    Ok(shown.collect())
}

fn marked(text: &str, fact: &str) -> Option<Marked> {
    let found = passage(text, fact)?;
    let lines: Vec<&str> = text.lines().collect();
    let (first, last) = found.lines;
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let before = lines.get(first.saturating_sub(1 + AROUND)..first.saturating_sub(1));
    let behind = lines.get(last..lines.len().min(last + AROUND));
    Some(Marked {
        lines: [first, last],
        characters: [found.characters.0, found.characters.1],
        text: found.text,
        before: owned(before.unwrap_or_default()),
        behind: owned(behind.unwrap_or_default()),
    })
}
