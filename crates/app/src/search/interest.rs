//! Noting what is searched for, where the user allows it: on this machine, below the git directory.

use jiff::{SignedDuration, Timestamp};

use crate::{
    Result,
    learning::{Learning, now},
    workspace::Workspace,
};
use elophanto_index::{Kind, search::Answer};
use elophanto_knowledge::{
    interest::{Asked, EngagementKind, FOLLOW_UP_WITHIN, Valence, is_follow_up},
    learn::{
        record::{EngagementRecord, SEARCH, Search, Trigger},
        run::queued,
    },
};
use elophanto_models::Role;
use elophanto_repo::journal::Place;
use elophanto_text::entity::identity;

/// Hits that tell what a search was about.
const MOST_HITS: usize = 3;

/// Notes a search and what it shows of the user's interests.
///
/// # Errors
/// When it cannot be written down.
pub fn note(query: &str, answer: &Answer, workspace: &Workspace) -> Result<()> {
    let learning = Learning::open(workspace)?;
    let at = now();
    let previous = last(&learning, at);
    let search =
        Search { queued: false, ..queued(query, Trigger::UserMessage, &learning.user, at) };
    let meaning = learning.meaning();
    let vector = |text: &str| meaning.vector(text, Role::Query).unwrap_or_default();
    let goes_on = previous.is_some_and(|previous| {
        let (before, after) = (vector(&previous.query), vector(query));
        let one = Asked { text: &previous.query, at: previous.timestamp, vector: &before };
        let other = Asked { text: query, at, vector: &after };
        is_follow_up(&one, &other, meaning.near.follow_up)
    });
    let kind = if goes_on { EngagementKind::FollowUp } else { EngagementKind::Search };
    let asked = format!(" {} ", words(query));
    let acts: Vec<EngagementRecord> = answer
        .hits
        .iter()
        .take(MOST_HITS)
        .filter(|hit| hit.kind == Kind::Fact && names(&asked, &hit.title))
        .filter_map(|hit| hit.path.as_path().file_stem()?.to_str())
        .map(|slug| {
            let source = search.id.as_str();
            EngagementRecord::new(&learning.user, slug, kind, Valence::Positive, source, at)
        })
        .collect();
    learning.record_store.write(Place::Local, &[&search])?;
    learning.record_store.write(Place::Local, &acts)?;
    Ok(())
}

/// Whether a question, as [`words`] gives it, names something: in whole words, for `C` is in most.
fn names(asked: &str, title: &str) -> bool {
    let title = words(title);
    !title.is_empty() && asked.contains(&format!(" {title} "))
}

/// The words of a text in the form in which names are compared. A sign that ends a word stays, for
/// `C++` is not `C`.
fn words(text: &str) -> String {
    let text = identity(text);
    let is_edge = |char: char| matches!(char, '.' | ',' | ';' | ':' | '?' | '!' | '"' | '(' | ')');
    let words = text.split_whitespace().map(|word| word.trim_matches(is_edge));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The search before, if it may be one that this one goes on with.
fn last(learning: &Learning, at: Timestamp) -> Option<Search> {
    let since = at.checked_sub(FOLLOW_UP_WITHIN).unwrap_or(Timestamp::MIN);
    let reading = learning.record_store.journal.read(&[SEARCH]);
    let recent = reading.records.into_iter().filter(|record| {
        record.at >= since && record.at.duration_since(at) <= SignedDuration::ZERO
    });
    let searches = recent.filter_map(|record| record.parse::<Search>().ok());
    let own = searches.filter(|search| {
        search.user == learning.user && search.trigger() == Trigger::UserMessage && !search.queued
    });
    own.max_by(|a, b| a.timestamp.cmp(&b.timestamp).then_with(|| a.id.cmp(&b.id)))
}
