//! Taking back what was learnt: all that a search or a prompt brought, or a whole entity.

use jiff::Timestamp;

use super::{
    LearnError,
    log::Log,
    record::RetiredLine,
    shelf::{Shelf, Shelves},
};
use crate::entity::{Kind, Line, Reason};

/// What was taken back.
#[derive(Debug, Default, PartialEq)]
pub struct Undone {
    pub facts: usize,
    /// Names of entities of which nothing is left.
    pub entities: Vec<String>,
}

/// Takes back every fact that a search, or the searches of a prompt, brought; whatever has been
/// merged since. Entities that they made and of which nothing else is known go too. `None` if there
/// is no such search, prompt or message.
///
/// # Errors
/// When it cannot be written down.
pub fn undo(
    shelves: &Shelves,
    shelf: &mut Shelf,
    log: &Log,
    id: &str,
    now: Timestamp,
) -> Result<Option<Undone>, LearnError> {
    let searches: Vec<String> = match log.prompts.get(id) {
        Some(prompt) => {
            log.searches_of(&prompt.id).iter().map(|search| search.id.clone()).collect()
        }
        None => vec![id.to_owned()],
    };
    let is_known = log.prompts.contains_key(id)
        || log.searches.contains_key(id)
        || log.messages.contains_key(id);
    let is_its = |line: &Line| {
        let named = |given: &Option<String>| {
            given.as_deref().is_some_and(|given| searches.iter().any(|search| search == given))
        };
        line.kind == Kind::Fact && (named(&line.search) || named(&line.message))
    };
    let lines: Vec<(String, Line)> = counting(shelf).filter(|(_, line)| is_its(line)).collect();
    if lines.is_empty() && !is_known {
        return Ok(None);
    }
    let reason = Reason::Undone(id.to_owned());
    let touched: Vec<String> = lines.iter().map(|(slug, _)| slug.clone()).collect();
    let done = shelves.retire(shelf, &lines, &reason, now)?;
    let mut undone = Undone { facts: done.len(), entities: Vec::new() };
    for slug in touched {
        let Some(entity) = shelf.entities.by_slug(&slug) else { continue };
        let is_liked = |line: &Line| line.kind == Kind::MergedInto;
        let is_alone = entity.pages.len() == 1
            && entity.facts.is_empty()
            && entity.notes.is_empty()
            && !counting_of(shelf, &slug).any(|line| is_liked(&line));
        // One that a like or another search made stays.
        let made_by_it = log.facts.values().filter(|fact| fact.entity == slug).all(|fact| {
            fact.source_search_log_id.as_ref().is_some_and(|search| searches.contains(search))
        });
        if is_alone && made_by_it {
            undone.entities.push(entity.title.clone());
            let lines: Vec<(String, Line)> =
                counting_of(shelf, &slug).map(|line| (slug.clone(), line)).collect();
            shelves.retire(shelf, &lines, &reason, now)?;
        }
    }
    Ok(Some(undone))
}

/// Deletes an entity with all that is known of it; the lines that people wrote stay on their pages.
/// It does not come back by itself.
///
/// # Errors
/// When it cannot be written down.
pub fn delete(
    shelves: &Shelves,
    shelf: &mut Shelf,
    slug: &str,
    now: Timestamp,
) -> Result<Vec<RetiredLine>, LearnError> {
    let pages = shelf.entities.by_slug(slug).map(|entity| entity.pages.clone());
    let lines: Vec<(String, Line)> = pages
        .unwrap_or_default()
        .into_iter()
        .flat_map(|page| {
            let lines: Vec<Line> = counting_of(shelf, &page).collect();
            lines.into_iter().map(move |line| (page.clone(), line))
        })
        .collect();
    shelves.retire(shelf, &lines, &Reason::Deleted, now)
}

/// All lines that count, with the slugs of their pages.
fn counting(shelf: &Shelf) -> impl Iterator<Item = (String, Line)> + '_ {
    shelf
        .sheets
        .keys()
        .flat_map(move |slug| counting_of(shelf, slug).map(move |line| (slug.clone(), line)))
}

fn counting_of<'a>(shelf: &'a Shelf, slug: &str) -> impl Iterator<Item = Line> + 'a {
    let sheet = shelf.sheets.get(slug);
    let lines = sheet.into_iter().flat_map(|sheet| &sheet.page.lines);
    lines.filter(|line| !shelf.retired.holds(&line.hash)).cloned()
}
