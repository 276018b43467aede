//! What was asked for, and what came of it.

use std::{cell::LazyCell, collections::BTreeMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    learning::{Learning, now},
    workspace::Workspace,
};
use elophanto_base::counted::counted;
use elophanto_knowledge::learn::{
    entity_store::EntitySnapshot,
    log::Log,
    record::{Prompt, Status},
};
use elophanto_repo::Git;
use elophanto_text::entity::Line;

/// What was asked for, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Prompted {
    /// In the list, from 1.
    pub number: usize,
    /// Of the record of the journal.
    pub id: String,
    /// What was asked for, in the user's words.
    pub prompt: String,
    /// `active` or `completed`.
    pub status: &'static str,
    /// Searches that were not made yet.
    pub searches_remaining: usize,
    /// When it was asked for, in RFC 3339.
    pub created_at: String,
    /// The address in git's settings if it was asked here, else the id of the clone.
    pub user: String,
    /// In the order in which they are made.
    pub searches: Vec<Searched>,
    /// That facts were found about.
    pub entities: Vec<FoundEntity>,
    /// Whether nothing of it is still to come.
    #[serde(skip)]
    pub is_done: bool,
}

/// A search that was made for it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Searched {
    /// Of the record of the journal.
    pub id: String,
    /// What the web was searched for.
    pub query: String,
    /// What it came of: `user_message`, `learn_command` or `enrichment`.
    pub trigger: String,
    /// Addresses that it found.
    pub urls: Vec<String>,
    /// Whether it waits to be made.
    pub queued: bool,
    /// Whether what it found was read.
    pub extracted: bool,
}

/// An entity that facts were found about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FoundEntity {
    /// The slug: the name of its page without the ending.
    #[schemars(extend("detail" = 1))]
    pub entity: String,
    /// As its page has it.
    pub name: String,
    /// found out by this
    pub facts: usize,
    /// known before, and said by this too
    #[serde(skip_serializing_if = "is_none")]
    #[schemars(extend("detail" = 1))]
    pub confirmed: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// What was asked for, or one of it, in the order in which it was asked.
pub fn prompts(workspace: &Workspace, only: Option<&str>) -> Vec<Prompted> {
    let learning = Learning::look(workspace);
    let log = Log::read(&learning.record_store, now());
    let snapshot = learning.store().read(now());
    // Whoever works in this clone is known to git, others by the id of theirs.
    let address = LazyCell::new(|| address(workspace));
    let who = |id: &str| {
        let known = if !id.is_empty() && learning.user == id { address.clone() } else { None };
        known.unwrap_or_else(|| id.to_owned())
    };
    let prompted = |(number, prompt): (usize, &Prompt)| {
        let searches = log.searches_of(&prompt.id);
        let is_its = |line: &Line| {
            let search = line.search.as_deref();
            searches.iter().any(|own| Some(own.id.as_str()) == search)
        };
        let found = found_by(&snapshot, is_its);
        let searched = |search: &elophanto_knowledge::learn::record::Search| Searched {
            id: search.id.clone(),
            query: search.query.clone(),
            trigger: search.trigger.clone(),
            urls: search.urls.clone(),
            queued: search.queued,
            extracted: log.extractions.contains_key(&search.id),
        };
        Prompted {
            number,
            id: prompt.id.clone(),
            prompt: prompt.prompt_text.clone(),
            status: match prompt.status {
                Status::Active => "active",
                Status::Completed => "completed",
            },
            searches_remaining: prompt.searches_remaining,
            created_at: format!("{:.0}", prompt.created_at),
            user: who(&prompt.user),
            searches: searches.iter().map(|search| searched(search)).collect(),
            entities: entities(&snapshot, &found),
            is_done: log.is_done(prompt),
        }
    };
    let all = (1..).zip(log.in_order());
    all.filter(|(_, prompt)| only.is_none_or(|id| id == prompt.id)).map(prompted).collect()
}

/// The address of whoever works in this clone, as git has it.
fn address(workspace: &Workspace) -> Option<String> {
    let git = Git::of(&workspace.repository)?;
    let output = git.run(&["config", "--get", "user.email"]).ok()?;
    let address = String::from_utf8_lossy(&output).trim().to_owned();
    (!address.is_empty()).then_some(address)
}

/// How many facts that count each entity has that began with a line like this, and how many that such a
/// line only says too, by slug.
pub(super) fn found_by(
    snapshot: &EntitySnapshot,
    is_wanted: impl Fn(&Line) -> bool,
) -> BTreeMap<String, (usize, usize)> {
    let mut found = BTreeMap::new();
    for entity in snapshot.entities.iter() {
        let (mut began, mut confirmed) = (0, 0);
        for fact in &entity.facts {
            if is_wanted(&fact.line) {
                began += 1;
            } else if fact.also.iter().any(|(_, line)| is_wanted(line)) {
                confirmed += 1;
            }
        }
        if began + confirmed > 0 {
            found.insert(entity.slug.clone(), (began, confirmed));
        }
    }
    found
}

pub(super) fn entities(
    snapshot: &EntitySnapshot,
    found: &BTreeMap<String, (usize, usize)>,
) -> Vec<FoundEntity> {
    let mut wires: Vec<FoundEntity> = found
        .iter()
        .filter_map(|(slug, &(facts, confirmed))| {
            let entity = snapshot.entities.by_slug(slug)?;
            let (slug, name) = (entity.slug.clone(), entity.title.clone());
            Some(FoundEntity { entity: slug, name, facts, confirmed })
        })
        .collect();
    let said = |found: &FoundEntity| found.facts + found.confirmed;
    wires.sort_by(|a, b| said(b).cmp(&said(a)).then_with(|| a.name.cmp(&b.name)));
    wires
}

impl FoundEntity {
    /// What was found about it, in figures: `2 facts, 1 confirmed`.
    pub fn counted(&self) -> String {
        let facts = (self.facts > 0).then(|| counted(self.facts, "fact"));
        let confirmed = (self.confirmed > 0).then(|| match self.facts {
            0 => format!("{} confirmed", counted(self.confirmed, "fact")),
            _ => format!("{} confirmed", self.confirmed),
        });
        facts.into_iter().chain(confirmed).collect::<Vec<_>>().join(", ")
    }
}
