//! Entities and facts from a text, and what a message says of its writer's likes.
//!
//! Owns which names a text may bring in, which of its sentences are facts about whom, and what a
//! language model is asked about a text and believed. It is pure and always finds the same in the
//! same text, and would rather find less than something that is not so. It refuses to know where
//! texts come from, where entities are kept, who answers a prompt, and how near a name is to a
//! topic in meaning.

mod about;
pub mod accept;
mod aside;
mod boxes;
mod candidates;
mod changelog;
mod clause;
mod facts;
mod fold;
mod foreign;
mod furniture;
mod indented;
mod meeting;
mod message;
mod minutes;
pub mod name;
mod page;
mod pod;
pub mod prompts;
mod restructured;
mod shape;
mod short;
mod subject;
#[cfg(test)]
mod tests;
mod thing;
mod token;
mod wiki;
mod words;

use std::collections::{BTreeMap, HashMap, HashSet};

pub use about::About;
pub use facts::FACT_WORDS;
pub use message::{Leaning, MAX_LEANINGS, Valence, statements};
pub(crate) use short::is_part_of;

use subject::{Class, Names};

/// Whether a word in lower case is a verb as it stands in a statement about one thing.
pub(crate) fn is_verb(word: &str) -> bool {
    words::is_finite(word, false)
}

/// Bytes of a document that are read; what follows is left out.
pub const MAX_DOCUMENT_BYTES: usize = 1 << 20;
/// Most entities of one document.
pub const MAX_ENTITIES: usize = 200;
/// Most facts of one entity from one document.
pub const MAX_FACTS: usize = 60;

/// A text to learn from: Markdown, plain text or a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Document<'a> {
    /// The first [`MAX_DOCUMENT_BYTES`] of it are read.
    pub text: &'a str,
    /// What the page or file is called where it came from.
    pub title: Option<&'a str>,
}

/// An entity that there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// As the knowledge base spells it.
    pub name: String,
    /// Other names under which texts may tell of it.
    pub aliases: Vec<String>,
}

/// Whether a text may bring in entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Known entities and new ones.
    Full,
    /// The same of a text that the user gave for what was asked: it is about that, unless it is about
    /// something else that it names.
    Given,
    /// Facts about known entities and nothing else.
    KnownOnly,
}

/// What a text has to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extraction {
    /// In the order in which the text first states something of them; at most [`MAX_ENTITIES`].
    pub entities: Vec<Found>,
    /// Facts beyond [`MAX_FACTS`] of their entity, which are left out.
    pub left_out: usize,
}

/// An entity that a text states something of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// As the text spells it; of a known entity, the name it has.
    pub name: String,
    /// Other names that the text itself gives. Of a known entity: those it has.
    pub aliases: Vec<String>,
    /// At least one, at most [`MAX_FACTS`], in the order of the text, each once.
    pub facts: Vec<Statement>,
    /// Index of the known entity that this is.
    pub known: Option<usize>,
}

/// A sentence that states something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// On one line, without markup. A pronoun it began with has given way to the name.
    pub text: String,
    /// 1-based line of the document on which the sentence begins.
    pub line: usize,
}

/// The languages that [`extract`] reads, in words.
pub const LANGUAGES: &str = "English, German, French and Spanish";

/// Whether a document is in a language that [`extract`] does not read.
pub fn is_unread(document: &Document<'_>) -> bool {
    let text = document.text;
    foreign::is_unread(&page::read(&text[..text.floor_char_boundary(MAX_DOCUMENT_BYTES)]))
}

/// What a document states, without a language model. Costs time linear in the text, but for
/// paragraphs, which are capped.
pub fn extract(document: &Document<'_>, topic: &str, known: &[Known], mode: Mode) -> Extraction {
    let parts = match mode {
        Mode::Given => {
            let end = document.text.floor_char_boundary(MAX_DOCUMENT_BYTES);
            meeting::several(&document.text[..end])
        }
        Mode::Full | Mode::KnownOnly => Vec::new(),
    };
    let of_part = |(before, text): &(usize, String)| {
        let mut told = of_one(&Document { text, title: document.title }, topic, known, mode);
        let facts = told.entities.iter_mut().flat_map(|entity| &mut entity.facts);
        facts.for_each(|fact| fact.line += before);
        told
    };
    let mut told = parts.iter().map(of_part);
    match told.next() {
        Some(first) => told.fold(first, joined),
        None => of_one(document, topic, known, mode),
    }
}

/// What two parts of a text tell.
fn joined(mut told: Extraction, next: Extraction) -> Extraction {
    told.left_out += next.left_out;
    for entity in next.entities {
        match told.entities.iter().position(|it| it.name == entity.name) {
            Some(at) => {
                let own = &mut told.entities[at];
                let room = MAX_FACTS.saturating_sub(own.facts.len());
                told.left_out += entity.facts.len().saturating_sub(room);
                own.facts.extend(entity.facts.into_iter().take(room));
            }
            None if told.entities.len() < MAX_ENTITIES => told.entities.push(entity),
            None => told.left_out += entity.facts.len(),
        }
    }
    told
}

fn of_one(document: &Document<'_>, topic: &str, known: &[Known], mode: Mode) -> Extraction {
    let text = document.text;
    let mut page = page::read_for(&text[..text.floor_char_boundary(MAX_DOCUMENT_BYTES)], topic);
    page.is_given = mode == Mode::Given;
    // A new entity can only come out of the candidates, and there are none when there may be none.
    let grammar = foreign::grammar(&page);
    let new = match (mode, grammar) {
        (Mode::Full | Mode::Given, None) => candidates::candidates(&page, document.title, topic),
        (Mode::Full | Mode::Given, Some(grammar)) => {
            foreign::candidates(&page, grammar, topic, document.title)
        }
        (Mode::KnownOnly, _) => Vec::new(),
    };
    let mut names = Names::default();
    let spoken = short::names(&page, topic, document.title, known);
    spoken.iter().for_each(|(entity, name)| names.add(*entity, name, Class::Known));
    for (entity, known) in known.iter().enumerate() {
        names.add_number(entity, &known.name);
    }
    // A candidate that is known under this name is no other thing.
    let mut called: HashMap<String, usize> = HashMap::new();
    for (entity, name) in spoken.iter().filter(|_| !new.is_empty()) {
        called.entry(fold::fold(name)).or_insert(*entity);
    }
    // The `Council`s of what was asked for are that, and its initials.
    if mode == Mode::Given {
        let asked = fold::fold(topic);
        let own = new.iter().position(|candidate| fold::fold(&candidate.name) == asked);
        let same = new.iter().filter(|candidate| short::is_short_for(&candidate.name, topic));
        for (entity, candidate) in
            own.into_iter().flat_map(|own| same.clone().map(move |it| (own, it)))
        {
            called.entry(fold::fold(&candidate.name)).or_insert(known.len() + entity);
        }
    }
    let entity_of = |number: usize, candidate: &candidates::Candidate| {
        called.get(&fold::fold(&candidate.name)).copied().unwrap_or(known.len() + number)
    };
    for (number, candidate) in new.iter().enumerate() {
        let entity = entity_of(number, candidate);
        names.add(entity, &candidate.name, candidate.class);
        let others = candidate.aliases.iter().chain(&candidate.short);
        others.for_each(|name| names.add(entity, name, Class::NewProper));
    }
    for (number, candidate) in new.iter().enumerate() {
        names.add_number(entity_of(number, candidate), &candidate.name);
    }
    let mut thing = thing::of(&page, topic, document.title, &names);
    if let Some(thing) = thing.as_ref().filter(|it| grammar.is_none() && it.is_common(&page)) {
        names.add_in_lower_case(thing.entity, &thing.name);
    }
    let minutes = minutes::read(&page);
    // What was so at one meeting need not be at the next.
    let is_of_meeting = minutes.is_some() || meeting::is_of_meeting(&page, document.title);
    if let Some(thing) = thing.as_mut().filter(|_| is_of_meeting)
        && let Some(date) = meeting::date(&page, document.title)
        && !thing.name.contains(&date)
    {
        thing.name = format!("{}, {date}", thing.name);
    }
    let (mut facts, is_of_person) = match grammar {
        Some(grammar) => (foreign::collect(&page, grammar, thing.as_ref(), &names), false),
        None => facts::collect(&page, thing.as_ref(), &names),
    };
    if let Some(thing) = thing.as_ref().filter(|thing| thing.is_sure) {
        for fact in &mut facts {
            thing.place(fact, minutes.is_some());
            thing.write_out(fact, &names);
        }
    }
    if let Some(thing) = thing.as_ref().filter(|thing| thing.is_sure && page.is_given) {
        // What the text does not say what it is, or a noun alone stands for, is a part of what the text was
        // given for.
        let is_part = |entity: usize, said: &str| {
            let candidate = entity.checked_sub(known.len()).and_then(|number| new.get(number));
            candidate.is_some_and(|it| {
                let is_one = !it.name.contains(' ') && !shape::is_shaped(&it.name);
                let rest = said.strip_prefix("The ").and_then(|said| said.strip_prefix(&it.name));
                let next = rest.and_then(|rest| rest.split(' ').nth(1)).unwrap_or_default();
                let is_noun = it.name.starts_with(char::is_lowercase) || is_one && is_verb(next);
                !it.is_defined || is_noun
            })
        };
        // A sentence may have a dash of its own.
        let is_label = |entity: usize, label: &str| {
            let candidate = entity.checked_sub(known.len()).and_then(|number| new.get(number));
            candidate.is_none_or(|it| {
                [&it.name, &thing.name].iter().any(|name| {
                    let rest = label.strip_prefix(name.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
                })
            })
        };
        let parts_of_page = facts::parts(&page, thing);
        // On a page about somebody what does not name them is about others.
        if is_of_person {
            let last = thing.name.rsplit(' ').next().unwrap_or_default();
            facts.retain(|(entity, fact)| {
                *entity == thing.entity
                    || token::tokens(&fact.text)
                        .iter()
                        .any(|it| it.text.trim_end_matches("'s") == last)
                    || !is_part(*entity, &fact.text)
            });
        }
        for (entity, statement) in &mut facts {
            let parts = statement.text.split_once(" – ");
            let parts = parts.filter(|(label, _)| is_label(*entity, label));
            let (label, said) = parts.unwrap_or(("", &statement.text));
            // It stands under the thing's name already; of a meeting, its part is told too.
            let is_own = label == thing.name;
            if is_own && !is_of_meeting {
                *entity = thing.entity;
                continue;
            }
            let is_named = !is_own && !label.is_empty() && !said.starts_with(label);
            let whole = if is_named { &statement.text } else { said };
            if is_own || *entity != thing.entity && is_part(*entity, whole) {
                *entity = thing.entity;
                statement.text = match is_named {
                    true => format!("{}, {}", thing.name, statement.text),
                    false => {
                        let above =
                            page.blocks.iter().take_while(|it| page.line_of(it) <= statement.line);
                        let at = above.count().checked_sub(1);
                        let part = at.and_then(|at| parts_of_page.get(at)?.as_deref());
                        facts::named_below(thing, part, said)
                    }
                };
            }
        }
    }
    if let Some(minutes) = minutes {
        if let Some(thing) = thing.as_ref().filter(|thing| thing.is_sure) {
            minutes.without_noted(thing, &mut facts);
        }
        let told = minutes.facts(thing.as_ref(), &facts);
        facts.extend(told);
    }
    if let Some(thing) = thing.as_ref().filter(|thing| thing.is_sure) {
        changelog::tell(&page, thing, &mut facts);
    }
    gather(facts, known, &new)
}

fn gather(
    facts: Vec<(usize, Statement)>,
    known: &[Known],
    new: &[candidates::Candidate],
) -> Extraction {
    let mut order: Vec<usize> = Vec::new();
    let mut told: BTreeMap<usize, (HashSet<String>, Vec<Statement>)> = BTreeMap::new();
    let mut left_out = 0;
    for (entity, statement) in facts {
        if !told.contains_key(&entity) {
            if order.len() == MAX_ENTITIES {
                continue;
            }
            order.push(entity);
        }
        let (seen, list) = told.entry(entity).or_default();
        match seen.insert(fold::fold(&statement.text)) {
            true if list.len() < MAX_FACTS => list.push(statement),
            is_new => left_out += usize::from(is_new),
        }
    }
    let entities = order.into_iter().filter_map(|entity| {
        let (_, facts) = told.remove(&entity)?;
        let (name, aliases, known) = match known.get(entity) {
            Some(it) => (it.name.clone(), it.aliases.clone(), Some(entity)),
            None => {
                let it = new.get(entity - known.len())?;
                (it.name.clone(), it.aliases.clone(), None)
            }
        };
        Some(Found { name, aliases, facts, known })
    });
    Extraction { entities: entities.collect(), left_out }
}
