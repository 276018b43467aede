//! What is known of things: entities with their facts and where each comes from.

mod history;
mod source;
mod undone;

use schemars::JsonSchema;
use serde::Serialize;

pub use history::{Happened, history};
pub use source::{FoundIn, NoSource, found_in};
pub use undone::{Undone, undone};

use crate::{
    Result,
    learning::{Learning, now},
    workspace::Workspace,
};
use elophanto_knowledge::learn::{
    entity_store::{EntitySnapshot, EntityStore},
    otherwise::{disagreements, reader_of},
    undo,
};
use elophanto_text::entity::{Entity, Fact, Line};

/// An entity of the list, as programs get it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Listed<'a> {
    /// In the list, from 1: what commands take in place of the name.
    #[schemars(extend("detail" = 1))]
    pub number: usize,
    /// The slug: the name of its page without the ending.
    #[schemars(extend("detail" = 2))]
    pub entity: &'a str,
    /// As its page has it.
    pub name: &'a str,
    /// Of its page, relative to the root.
    #[schemars(extend("detail" = 2))]
    pub path: String,
    /// How many lines of facts its page has.
    pub facts: usize,
}

/// An entity, as programs get it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Known<'a> {
    /// The slug: the name of its page without the ending.
    #[schemars(extend("detail" = 2))]
    pub entity: &'a str,
    /// As its page has it.
    pub name: &'a str,
    /// Of its page, relative to the root.
    #[schemars(extend("detail" = 4))]
    pub path: String,
    /// Other names of it.
    #[schemars(extend("detail" = 3))]
    pub aliases: &'a [String],
    /// Of its page.
    #[schemars(extend("detail" = 3))]
    pub tags: &'a [String],
    /// When its page was made, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 1))]
    pub created: Option<String>,
    /// In the order in which they were found out, those that say otherwise of the same together.
    pub facts: Vec<KnownFact<'a>>,
    /// Lines that people wrote on its page.
    #[schemars(extend("detail" = 4))]
    pub notes: Vec<KnownNote<'a>>,
}

/// A fact of an entity, as programs get it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KnownFact<'a> {
    /// Names it across changes of its page.
    #[schemars(extend("detail" = 1))]
    pub id: &'a str,
    /// In Markdown, on one line.
    pub text: &'a str,
    /// Of the page, relative to the root.
    #[schemars(extend("detail" = 2))]
    pub path: String,
    /// Of the page, from 1.
    #[schemars(extend("detail" = 2))]
    pub line: usize,
    /// An address, or the path of a file.
    #[schemars(extend("detail" = 5))]
    pub source: Option<&'a str>,
    /// The id of the search that found it.
    #[schemars(extend("detail" = 1))]
    pub search: Option<&'a str>,
    /// The id of what the user said that told it.
    #[schemars(extend("detail" = 1))]
    pub message: Option<&'a str>,
    /// When it was found out, in RFC 3339.
    #[schemars(extend("detail" = 1))]
    pub learned_at: Option<String>,
    /// The day that the source gives itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 5))]
    pub published: Option<String>,
    /// The user's note that says otherwise.
    #[schemars(extend("detail" = 6))]
    pub against: Option<&'a str>,
    /// Further sources that say the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("detail" = 4))]
    pub also: Vec<AlsoSaid<'a>>,
    /// Ids of the facts that give another value, the newest first. They stand together with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("detail" = 6))]
    pub otherwise: Vec<&'a str>,
    /// A person changed what it says; its source never said so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("detail" = 4))]
    pub edited: bool,
    /// Facts that are shown together have one.
    #[serde(skip)]
    pub group: Option<usize>,
}

/// Another source of a fact.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AlsoSaid<'a> {
    /// An address, or the path of a file.
    pub source: &'a str,
    /// When it was found there, in RFC 3339.
    pub learned_at: Option<String>,
    /// The day that the source gives itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

impl AlsoSaid<'_> {
    /// As of which day it says so: that which it gives itself, else the one on which it was found.
    pub fn day(&self) -> Option<&str> {
        as_of(self.published.as_deref(), self.learned_at.as_deref())
    }
}

impl KnownFact<'_> {
    /// How many sources say so, where it is more than one.
    pub fn sources(&self) -> Option<usize> {
        let count = self.also.len() + usize::from(self.source.is_some());
        (count > 1).then_some(count)
    }

    /// As of which day it is said: that of its source, else the one on which it was found out.
    pub fn day(&self) -> Option<&str> {
        as_of(self.published.as_deref(), self.learned_at.as_deref())
    }
}

/// The day that a source gives itself, else that of a time.
fn as_of<'t>(published: Option<&'t str>, learned_at: Option<&'t str>) -> Option<&'t str> {
    published.or_else(|| learned_at?.get(..10))
}

impl<'a> Known<'a> {
    /// The facts, those that say otherwise of the same in one group, the newest first.
    pub fn groups(&self) -> impl Iterator<Item = &[KnownFact<'a>]> {
        self.facts.chunk_by(|one, next| one.group.is_some() && one.group == next.group)
    }
}

/// A line that a person wrote on the page of an entity.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KnownNote<'a> {
    /// In Markdown, on one line.
    pub text: &'a str,
    /// Of the page, relative to the root.
    pub path: String,
    /// Of the page, from 1.
    pub line: usize,
}

/// Entities of the list, or all that is known of one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Told<'a> {
    /// An entity of the list.
    Listed(Listed<'a>),
    /// All that is known of one.
    Known(Known<'a>),
}

/// What is told of entities.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ToldEntities<'a> {
    /// In the order of the list.
    pub entities: Vec<Told<'a>>,
    /// how many are left out
    pub more: usize,
}

/// All that is known of the entity of a name; without one, at most `limit` entities of the list.
pub fn told<'a>(
    store: &EntityStore,
    snapshot: &'a EntitySnapshot,
    name: Option<&str>,
    limit: usize,
) -> ToldEntities<'a> {
    if let Some(name) = name {
        let known = find(snapshot, name).map(|entity| Told::Known(of(store, entity)));
        return ToldEntities { entities: known.into_iter().collect(), more: 0 };
    }
    let mut all = list(store, snapshot);
    let more = all.len().saturating_sub(limit);
    all.truncate(limit);
    ToldEntities { entities: all.into_iter().map(Told::Listed).collect(), more }
}

/// All entities, those with most facts first.
pub fn list<'a>(store: &EntityStore, snapshot: &'a EntitySnapshot) -> Vec<Listed<'a>> {
    let listed = |(number, entity): (usize, &'a Entity)| Listed {
        number,
        entity: &entity.slug,
        name: &entity.title,
        path: store.path(&entity.slug).to_text(),
        facts: entity.facts.len(),
    };
    (1..).zip(in_order(snapshot)).map(listed).collect()
}

/// One entity with all that is known of it.
pub fn of<'a>(store: &EntityStore, entity: &'a Entity) -> Known<'a> {
    let path = |slug: &str| store.path(slug).to_text();
    Known {
        entity: &entity.slug,
        name: &entity.title,
        path: path(&entity.slug),
        aliases: &entity.aliases,
        tags: &entity.tags,
        created: entity.created.map(|at| format!("{at:.0}")),
        facts: facts(store, entity),
        notes: entity
            .notes
            .iter()
            .map(|note| KnownNote { text: &note.text, path: path(&note.slug), line: note.number })
            .collect(),
    }
}

/// Facts in the order in which they were found out, but that what says otherwise of the same stands
/// together.
fn facts<'a>(store: &EntityStore, entity: &'a Entity) -> Vec<KnownFact<'a>> {
    let groups = disagreements(entity);
    let mut shown = Vec::with_capacity(entity.facts.len());
    for place in 0..entity.facts.len() {
        match groups.iter().find(|group| group.contains(&place)) {
            None => shown.push((place, [].as_slice())),
            Some(group) if group.iter().min() == Some(&place) => {
                shown.extend(group.iter().map(|place| (*place, group.as_slice())));
            }
            Some(_) => {}
        }
    }
    let read = reader_of(entity);
    let said = |place: usize| entity.facts.get(place).map(|fact| read(&fact.line.text));
    let known = |(place, group): (usize, &[usize])| {
        let fact = entity.facts.get(place)?;
        let own = (!group.is_empty()).then(|| said(place)).flatten();
        // Of a group, two may agree: `about 200` and `203`, and not `300`.
        let differs = |other: &&usize| {
            own.as_ref().zip(said(**other)).is_some_and(|(own, other)| own.is_otherwise(&other))
        };
        let others = group.iter().filter(|other| **other != place).filter(differs);
        Some(KnownFact {
            group: group.first().copied(),
            otherwise: others
                .filter_map(|other| Some(entity.facts.get(*other)?.line.id.as_str()))
                .collect(),
            ..one(store, fact)
        })
    };
    shown.into_iter().filter_map(known).collect()
}

fn one<'a>(store: &EntityStore, fact: &'a Fact) -> KnownFact<'a> {
    let time = |line: &Line| line.at.map(|at| format!("{at:.0}"));
    let day = |line: &Line| line.published.map(|day| day.to_string());
    let sources = fact.sources();
    let source = fact.line.source.as_deref();
    let also = sources.iter().filter(|(other, _)| Some(*other) != source);
    KnownFact {
        id: &fact.line.id,
        text: &fact.line.text,
        path: store.path(&fact.slug).to_text(),
        line: fact.line.number,
        source,
        search: fact.line.search.as_deref(),
        message: fact.line.message.as_deref(),
        learned_at: time(&fact.line),
        published: day(&fact.line),
        against: fact.line.against.as_deref(),
        also: also
            .map(|(source, line)| AlsoSaid { source, learned_at: time(line), published: day(line) })
            .collect(),
        otherwise: Vec::new(),
        edited: fact.line.is_edited,
        group: None,
    }
}

/// Removes an entity with all that is known of it; what people wrote on its page stays.
///
/// # Errors
/// When that cannot be written down.
pub fn delete(workspace: &Workspace, snapshot: &mut EntitySnapshot, entity: &Entity) -> Result<()> {
    let learning = Learning::open(workspace)?;
    learning.acted();
    undo::delete(&learning.store(), snapshot, &entity.slug, now())?;
    Ok(())
}

/// In the order of the list: what most is known of comes first.
fn in_order(snapshot: &EntitySnapshot) -> Vec<&Entity> {
    let mut all: Vec<&Entity> = snapshot.entities.iter().collect();
    all.sort_by(|a, b| b.facts.len().cmp(&a.facts.len()).then_with(|| a.identity.cmp(&b.identity)));
    all
}

/// The entity of this name, alias or slug, else of this number of the list.
pub fn find<'a>(snapshot: &'a EntitySnapshot, name: &str) -> Option<&'a Entity> {
    let by_number = || {
        let number: usize = name.parse().ok()?;
        in_order(snapshot).get(number.checked_sub(1)?).copied()
    };
    // A name that is a number is a name first.
    by_name(snapshot, name).or_else(by_number)
}

/// The entity of this name, or of the page of this name.
pub fn by_name<'a>(snapshot: &'a EntitySnapshot, name: &str) -> Option<&'a Entity> {
    let by_slug =
        || snapshot.pages.contains_key(name).then(|| snapshot.entities.by_slug(name)).flatten();
    snapshot.entities.find(name).or_else(by_slug)
}

/// The name that is spelt most like this one, if one is near.
pub fn nearest<'a>(snapshot: &'a EntitySnapshot, name: &str) -> Option<&'a str> {
    const ENOUGH: f64 = 0.7;
    let wanted = elophanto_text::entity::identity(name);
    let names = snapshot.entities.iter().map(|entity| entity.title.as_str());
    let scored = names
        .map(|name| (strsim::jaro_winkler(&wanted, &elophanto_text::entity::identity(name)), name));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))?;
    (best.0 >= ENOUGH).then_some(best.1)
}
