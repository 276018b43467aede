//! The entities that count, made of all pages and the retirements.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{
    front::Front,
    line::{Kind, Line, is_possible},
    merged::settle,
    name::{identity, normalise},
    page::Page,
    retired::{Reason, Retired},
};

/// All entities, of which none is merged into another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entities {
    entities: BTreeMap<String, Entity>,
    /// Every page that counts, and the entity it belongs to.
    pages: BTreeMap<String, String>,
    /// Entities by the identities of their names.
    names: BTreeMap<String, String>,
    /// Pages that lead to others, and where to, be it there or not.
    merged: BTreeSet<String>,
}

/// Something that is known of, on one page or, since pages were merged, on several.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// Of the page at the end of its chain.
    pub slug: String,
    /// The name it is shown under.
    pub title: String,
    /// Of the title.
    pub identity: String,
    /// Other names, by their identities, none of which is that of the title.
    pub aliases: Vec<String>,
    /// By their identities, each once.
    pub tags: Vec<String>,
    /// The earliest of its pages.
    pub created: Option<Timestamp>,
    /// The oldest first.
    pub facts: Vec<Fact>,
    /// By page and line.
    pub notes: Vec<PlacedNote>,
    /// Slugs of its pages, itself included.
    pub pages: Vec<String>,
}

/// Something that is known, however often it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// The page of `line`.
    pub slug: String,
    /// The oldest line that says so.
    pub line: Line,
    /// Further lines that say the same, with the slugs of their pages. Whoever retires the fact
    /// retires them too.
    pub also: Vec<(String, Line)>,
}

impl Fact {
    /// All lines that say so, the oldest first.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        std::iter::once(&self.line).chain(self.also.iter().map(|(_, line)| line))
    }

    /// The sources that say so, each once, with the line of each, the oldest first.
    pub fn sources(&self) -> Vec<(&str, &Line)> {
        let mut seen = BTreeSet::new();
        let of = self.lines().filter_map(|line| Some((line.source.as_deref()?, line)));
        of.filter(|(source, _)| seen.insert(*source)).collect()
    }

    /// When somebody said so last, as far as that is known.
    pub fn newest(&self) -> Option<Timestamp> {
        self.lines().filter_map(Line::said).max()
    }
}

/// What a person says of an entity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlacedNote {
    /// The page it stands on.
    pub slug: String,
    /// The 1-based line it begins on.
    pub number: usize,
    /// On one line, without bullet and comments.
    pub text: String,
}

impl Entities {
    /// Reads pages, given with their slugs.
    ///
    /// A page whose titles were all deleted is gone with all it says, and so is one that says
    /// nothing since they were undone. Of several `merged-into` lines of a page the oldest counts
    /// that leads to another page.
    pub fn of(pages: impl IntoIterator<Item = (String, Page)>, retired: &Retired) -> Self {
        let pages: BTreeMap<String, Page> = pages
            .into_iter()
            .filter(|(slug, page)| !is_deleted(slug, page, retired))
            .map(|(slug, mut page)| {
                let counts = |line: &Line| !retired.holds(&line.hash);
                let facts = || page.lines.iter().filter(|line| line.kind == Kind::Fact);
                let is_known = facts().any(counts);
                page.lines.retain(|line| counts(line) || is_known && is_name_again(line, retired));
                (slug, page)
            })
            .filter(|(slug, page)| !is_taken_back(slug, page, retired))
            .collect();
        let merged = merged(&pages);
        let targets = pages.iter().map(|(slug, page)| (slug.as_str(), target(slug, page, &pages)));
        let ends = settle(&targets.collect());
        let mut groups: BTreeMap<&str, Vec<(&str, &Page)>> = BTreeMap::new();
        for (slug, page) in &pages {
            let end = ends.get(slug.as_str()).copied().unwrap_or(slug);
            groups.entry(end).or_default().push((slug, page));
        }
        let entities: BTreeMap<String, Entity> = groups
            .into_iter()
            .map(|(slug, pages)| (slug.to_owned(), entity(slug, &pages)))
            .collect();
        let names = names(&entities);
        let owned = |(slug, end): (&&str, &&str)| ((*slug).to_owned(), (*end).to_owned());
        Self { pages: ends.iter().map(owned).collect(), names, entities, merged }
    }

    /// Takes in one page that was changed or is new, the retirements being those of before; `false`
    /// if that has to do with a merge, so that all pages have to be read together.
    pub fn take(&mut self, slug: &str, page: &Page, retired: &Retired) -> bool {
        let leads = page.lines.iter().any(|line| line.kind == Kind::MergedInto);
        if leads || self.merged.contains(slug) {
            return false;
        }
        let mut is_named = false;
        let counts = !is_deleted(slug, page, retired) && {
            let mut page = page.clone();
            page.lines.retain(|line| !retired.holds(&line.hash));
            let counts = !is_taken_back(slug, &page, retired);
            if counts {
                let new = entity(slug, &[(slug, &page)]);
                // Names of all are gone through again only where one was taken away.
                is_named = match self.entities.get(slug) {
                    Some(old) => old.identity == new.identity && old.aliases == new.aliases,
                    None => {
                        self.call(&new);
                        true
                    }
                };
                self.entities.insert(slug.to_owned(), new);
                self.pages.insert(slug.to_owned(), slug.to_owned());
            }
            counts
        };
        if !counts {
            is_named = self.entities.remove(slug).is_none();
            self.pages.remove(slug);
        }
        if !is_named {
            self.names = names(&self.entities);
        }
        true
    }

    /// Calls a new entity by its names where they are free or those of another that comes after it.
    fn call(&mut self, new: &Entity) {
        let titled = |slug: &String, name: &String| {
            self.entities.get(slug).is_some_and(|entity| entity.identity == *name)
        };
        let aliases = new.aliases.iter().map(|alias| (identity(alias), false));
        let own = std::iter::once((new.identity.clone(), true)).chain(aliases);
        for (name, is_title) in own.filter(|(name, _)| !name.is_empty()) {
            let comes_first =
                self.names.get(&name).is_none_or(|other| match (is_title, titled(other, &name)) {
                    (true, false) => true,
                    (false, true) => false,
                    _ => new.slug < *other,
                });
            if comes_first {
                self.names.insert(name, new.slug.clone());
            }
        }
    }

    /// By their slugs.
    pub fn iter(&self) -> impl Iterator<Item = &Entity> {
        self.entities.values()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entities.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// The entity of this name, by title before alias, then by the least slug.
    pub fn find(&self, name: &str) -> Option<&Entity> {
        self.entities.get(self.names.get(&identity(name))?)
    }

    /// The entity that a page belongs to.
    pub fn by_slug(&self, slug: &str) -> Option<&Entity> {
        self.entities.get(self.canonical(slug))
    }

    /// The slug of the entity that a page belongs to; of a page that does not count, its own.
    pub fn canonical<'a>(&'a self, slug: &'a str) -> &'a str {
        self.pages.get(slug).map_or(slug, String::as_str)
    }
}

/// Whether a title was deleted and none is left. The title need not be on the page any more, for
/// another branch may add lines to a page that was emptied.
fn is_deleted(slug: &str, page: &Page, retired: &Retired) -> bool {
    let titles = || page.lines.iter().filter(|line| line.kind == Kind::Title);
    let deleted = |line: &Line| {
        retired.standing(&line.hash).iter().any(|retirement| retirement.reason == Reason::Deleted)
    };
    let counts = titles().any(|line| !retired.holds(&line.hash));
    !counts && (retired.has_deleted_title(slug) || titles().any(deleted))
}

/// Whether a name went only because nothing was left to be named, when a search was undone. Another
/// branch may have learned more by then.
fn is_name_again(line: &Line, retired: &Retired) -> bool {
    let undone = |reason: &Reason| matches!(reason, Reason::Undone(_));
    matches!(line.kind, Kind::Title | Kind::Created)
        && retired.standing(&line.hash).iter().all(|retirement| undone(&retirement.reason))
}

/// Whether a page says nothing any more since what made it was undone; the lines that no longer
/// count are gone from it.
fn is_taken_back(slug: &str, page: &Page, retired: &Retired) -> bool {
    let Front { title, aliases, tags } = &page.front;
    let is_ours = title.as_deref().is_none_or(|title| title == slug);
    let is_plain = is_ours && aliases.is_empty() && tags.is_empty();
    page.lines.is_empty() && page.notes.is_empty() && is_plain && retired.has_undone_title(slug)
}

/// Slugs that have to do with merges.
fn merged(pages: &BTreeMap<String, Page>) -> BTreeSet<String> {
    let leading = pages.iter().flat_map(|(slug, page)| {
        let lines = page.lines.iter().filter(|line| line.kind == Kind::MergedInto);
        lines.flat_map(move |line| [slug.clone(), line.text.clone()])
    });
    leading.collect()
}

/// Where a page leads.
fn target<'a>(slug: &str, page: &Page, pages: &'a BTreeMap<String, Page>) -> Option<&'a str> {
    let merges = page.lines.iter().filter(|line| line.kind == Kind::MergedInto);
    let known = merges.filter_map(|line| Some((line, pages.get_key_value(&line.text)?.0)));
    let oldest = known.filter(|(_, to)| *to != slug).min_by_key(|(line, _)| line.age());
    oldest.map(|(_, to)| to.as_str())
}

fn entity(slug: &str, pages: &[(&str, &Page)]) -> Entity {
    let own = pages.iter().find(|(page, _)| *page == slug).map(|(_, page)| *page);
    let title = own.and_then(|page| title(slug, page)).unwrap_or_else(|| slug.to_owned());
    let all = |kind| {
        let lines = pages.iter().flat_map(|(slug, page)| page.lines.iter().map(|l| (*slug, l)));
        let mut lines: Vec<(&str, &Line)> = lines.filter(|(_, line)| line.kind == kind).collect();
        lines.sort_by_key(|(slug, line)| (line.age(), *slug));
        lines
    };
    let (titles, aliases, tags) = (all(Kind::Title), all(Kind::Alias), all(Kind::Tag));
    let texts = |lines: &[(&str, &Line)]| {
        lines.iter().map(|(_, line)| line.text.clone()).collect::<Vec<_>>()
    };
    let fronts = || pages.iter().map(|(slug, page)| (*slug, &page.front));
    let shown = fronts().filter_map(|(slug, front)| front.title.clone().filter(|t| t != slug));
    let more = fronts().flat_map(|(_, front)| front.aliases.clone());
    let names = texts(&titles).into_iter().chain(texts(&aliases)).chain(shown).chain(more);
    let mut aliases = once(names);
    let own_identity = identity(&title);
    aliases.remove(&own_identity);
    let tags = once(texts(&tags).into_iter().chain(fronts().flat_map(|(_, f)| f.tags.clone())));
    let created =
        all(Kind::Created).iter().filter_map(|(_, line)| line.text.parse().ok()).collect();
    let created: Vec<Timestamp> = created;
    let notes = pages.iter().flat_map(|(slug, page)| {
        let placed = |note: &super::Note| PlacedNote {
            slug: (*slug).to_owned(),
            number: note.number,
            text: note.text.clone(),
        };
        page.notes.iter().map(placed)
    });
    Entity {
        slug: slug.to_owned(),
        title,
        identity: own_identity,
        aliases: aliases.into_values().collect(),
        tags: tags.into_values().collect(),
        created: created.into_iter().filter(|at| is_possible(*at)).min(),
        facts: facts(&all(Kind::Fact)),
        notes: notes.collect(),
        pages: pages.iter().map(|(slug, _)| (*slug).to_owned()).collect(),
    }
}

/// What a person calls it, else its oldest title.
fn title(slug: &str, page: &Page) -> Option<String> {
    let titles = page.lines.iter().filter(|line| line.kind == Kind::Title);
    let written = page.front.title.clone().filter(|title| title != slug);
    written.or_else(|| Some(titles.min_by_key(|line| line.age())?.text.clone()))
}

/// Names by their identities. Of two spellings the lesser one, which all branches agree on.
fn once(names: impl Iterator<Item = String>) -> BTreeMap<String, String> {
    let mut once: BTreeMap<String, String> = BTreeMap::new();
    for name in names {
        let known = once.entry(identity(&name)).or_insert_with(|| name.clone());
        if name < *known {
            *known = name;
        }
    }
    once.remove("");
    once
}

/// Lines, the oldest first, as facts.
fn facts(lines: &[(&str, &Line)]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (slug, line) in lines {
        let said = normalise(&line.text);
        let (slug, line) = ((*slug).to_owned(), (*line).clone());
        match places.get(&said).and_then(|place| facts.get_mut(*place)) {
            Some(fact) => fact.also.push((slug, line)),
            None => {
                places.insert(said, facts.len());
                facts.push(Fact { slug, line, also: Vec::new() });
            }
        }
    }
    facts
}

fn names(entities: &BTreeMap<String, Entity>) -> BTreeMap<String, String> {
    #[cfg(test)]
    NAMED.with(|named| named.set(named.get() + 1));
    let titles = entities.values().map(|entity| (entity.identity.clone(), &entity.slug));
    let aliases = entities
        .values()
        .flat_map(|entity| entity.aliases.iter().map(|alias| (identity(alias), &entity.slug)));
    let mut names = BTreeMap::new();
    for (name, slug) in titles.chain(aliases).filter(|(name, _)| !name.is_empty()) {
        names.entry(name).or_insert_with(|| slug.clone());
    }
    names
}

/// Lines that a page says first: of all facts that say the same, the oldest.
pub(super) fn first_lines<'a>(
    lines: impl Iterator<Item = &'a Line>,
) -> BTreeSet<super::line::LineHash> {
    let mut facts: Vec<&Line> = lines.filter(|line| line.kind == Kind::Fact).collect();
    facts.sort_by_key(|line| line.age());
    let mut said = BTreeSet::new();
    facts.retain(|line| said.insert(normalise(&line.text)));
    facts.into_iter().map(|line| line.hash).collect()
}

#[cfg(test)]
thread_local! {
    /// How often the names of all entities were gone through.
    static NAMED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::entity::{NewLine, append, new_page};

    #[test]
    fn new_pages_are_taken_in_one_by_one() {
        let now = Timestamp::UNIX_EPOCH;
        let retired = Retired::default();
        let mut entities = Entities::of([], &retired);
        let mut pages: Vec<(String, Page)> = Vec::new();
        let before = NAMED.with(std::cell::Cell::get);
        // Some have a title that others have as an alias, on slugs before and behind theirs.
        for number in 0..60_usize {
            let title = format!("Thing {}", number % 40);
            let slug = format!("{}-thing-{number}", if number % 2 == 0 { "a" } else { "z" });
            let alias = NewLine::alias(&title, &format!("Thing {}", (number * 7) % 40), now);
            let text = new_page(&slug, &title, now);
            let text = append(&text, &alias.into_iter().collect::<Vec<_>>());
            let page = Page::parse(&text);
            assert!(entities.take(&slug, &page, &retired));
            pages.push((slug, page));
        }
        assert_eq!(NAMED.with(std::cell::Cell::get), before);
        assert_eq!(entities, Entities::of(pages, &retired));
    }
}
