//! What a page itself is about: what its title, its infobox or its first heading names, or what was
//! asked for where it has none of them.

use super::fold::fold;
use super::name::{Rejection, structural, tidy};
use super::page::{Kind, Page};
use super::shape;
use super::subject::Names;
use super::words;

/// What parts a title from the name of its site, or from what more it says.
const TITLE_MARKS: &[char] = &['|', '–', '—', ':', '·'];

/// The thing of a page.
#[derive(Debug, Clone)]
pub(super) struct Thing {
    pub(super) entity: usize,
    /// As the page calls it.
    pub(super) name: String,
}

/// What a page is about, if it is something that has a name.
pub(super) fn of(page: &Page, topic: &str, title: Option<&str>, names: &Names) -> Option<Thing> {
    called(page, topic, title)
        .into_iter()
        .find_map(|name| names.whole(&name).map(|entity| Thing { entity, name }))
}

/// What a page that lists properties is about, though no sentence of it says so: its title, where that
/// is what was asked for or is written as names are.
pub(super) fn of_properties(page: &Page, topic: &str, title: Option<&str>) -> Option<String> {
    const LEAST: usize = 2;
    let listed = page.rows.iter().filter(|row| row.cells.len() == 2 && row.lists_properties());
    if listed.count() < LEAST {
        return None;
    }
    let asked = fold(topic);
    called(page, topic, title).into_iter().find(|name| {
        let key = fold(name);
        let words: Vec<&str> = key.split(' ').collect();
        let is_asked = format!(" {asked} ").contains(&format!(" {key} "));
        let is_name = shape::is_proper(name)
            && words.iter().all(|word| !words::is_generic(word) && !words::is_starter(word))
            && (words.len() > 1 || shape::is_shaped(name));
        structural(name).is_ok() && (is_asked && !words::is_generic(&key) || is_name)
    })
}

/// The day that a page has for its title, as minutes do.
pub(super) fn date(page: &Page, title: Option<&str>) -> Option<String> {
    let heading = page.blocks.iter().find(|block| matches!(block.kind, Kind::Heading(1)));
    let mut titles = title.into_iter().chain(heading.map(|block| block.text.as_str()));
    let is_date = |title: &&str| structural(title) == Err(Rejection::Date);
    titles.find(is_date).map(str::to_owned)
}

/// The names that a page gives to what it is about, the surest first.
pub(super) fn called(page: &Page, topic: &str, title: Option<&str>) -> Vec<String> {
    let heading = page.blocks.iter().find(|block| matches!(block.kind, Kind::Heading(1)));
    let titles = title.into_iter().chain(page.title.as_deref());
    let titles = titles.chain(heading.map(|block| block.text.as_str()));
    // A date names nothing, nor does `Home`.
    let says = |title: &&str| {
        let name = tidy(title.split(TITLE_MARKS).next().unwrap_or_default());
        structural(&name).is_ok() && !words::is_generic(&name.to_lowercase())
    };
    let titles: Vec<&str> = titles.filter(says).collect();
    // A page that has a title is about what that says, whatever was asked for.
    let titles = if titles.is_empty() { vec![topic] } else { titles };
    let part = |title: &str, marks: &[char]| title.split(marks).next().map(tidy);
    let mut all: Vec<String> = Vec::new();
    for title in titles {
        let short = part(title, TITLE_MARKS);
        let bare = part(title, &['(']);
        let whole = (!title.contains('(')).then(|| tidy(title));
        all.extend(whole.into_iter().chain(bare).chain(short).chain([tidy(title)]));
    }
    let named = page.rows.iter().filter(|row| row.section.is_none() || !row.is_item);
    let named = named.filter_map(|row| match row.cells.as_slice() {
        [key, value] if fold(key) == "name" && row.lists_properties() => Some(tidy(value)),
        _ => None,
    });
    all.extend(named.take(1));
    all.retain(|name| !name.is_empty());
    all.dedup();
    all
}
