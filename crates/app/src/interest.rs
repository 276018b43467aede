//! What the user cares about: likes and dislikes, reactions, and what they show.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Error, Result, entities,
    learning::{Learning, now},
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_base::{secrets, visible::escape_control_line};
use elophanto_knowledge::{
    interest::{Answered, Interest, PreferenceKind, Valence, react as kind_of},
    learn::{
        entity_store::folder,
        interests::{Stated, discard_made, retract, state},
        meaning::text_of,
        plan::Topic,
        record::{ANSWER, AnswerRecord, EngagementRecord},
    },
};
use elophanto_repo::{Git, NotePath, journal::Place};
use uuid::Uuid;

/// Acts that are told one by one.
const MOST_ACTS: usize = 50;

/// What to note.
#[derive(Debug, Clone, Copy)]
pub struct PreferenceRequest<'a> {
    /// As the user names it.
    pub topic: &'a str,
    /// Like or dislike.
    pub preference: PreferenceKind,
    /// The user no longer says so.
    pub takes_back: bool,
}

/// A like or dislike, as programs get it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NotedPreference {
    /// As it is kept.
    pub topic: String,
    /// Like or dislike.
    pub preference: PreferenceKind,
    /// Whether anything changed.
    pub changed: bool,
    /// The slug of the entity that the topic names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// The page of the entity, relative to the root: the one that is there, or that went with the like.
    #[serde(skip)]
    pub page: Option<NotePath>,
}

/// Notes that the user likes or dislikes a topic, or takes that back. A like makes an entity of the
/// topic, which goes with it if nothing else has touched it.
///
/// # Errors
/// When the topic is none or holds a secret, or the preference cannot be written down.
pub fn note_preference(
    workspace: &Workspace,
    wanted: &PreferenceRequest,
    reporter: &dyn Reporter,
) -> Result<NotedPreference> {
    let (topic, preference) = (topic(wanted.topic)?, wanted.preference);
    let learning = Learning::open(workspace)?;
    learning.acted();
    let (store, user) = (learning.store(), learning.user.as_str());
    if wanted.takes_back {
        let changed = retract(&learning.record_store, user, &topic, preference, now())?;
        let page = if changed { discard_made(&store, user, &topic, now())? } else { None };
        return Ok(NotedPreference { topic, preference, changed, entity: None, page });
    }
    let mut snapshot = store.read(now());
    let is_first = learning.interests().preferences.is_empty();
    let stated = state(&store, &mut snapshot, user, &topic, preference, now())?;
    let (changed, entity) = match stated {
        Stated::Noted(entity) => (true, entity),
        Stated::Known => (false, None),
    };
    if changed && is_first && workspace.config.journal.share && is_shared(workspace) {
        reporter.note(
            "others work in this repository: git carries what you like, under a random id; \
             `journal.share: false` keeps it on this machine",
        );
    }
    let page = entity.as_ref().map(|slug| store.path(slug));
    Ok(NotedPreference { topic, preference, changed, entity, page })
}

/// Whether more than one person wrote here within a year.
fn is_shared(workspace: &Workspace) -> bool {
    let git = Git::of(&workspace.repository);
    git.and_then(|git| git.authors_since("1.year").ok()).is_some_and(|authors| authors > 1)
}

fn topic(text: &str) -> Result<String> {
    if !secrets::scan(text).is_empty() {
        return Err(Error::new("the topic holds what looks like a secret")
            .hint("leave it out: what you like is written down"));
    }
    let topic = Topic::new(text).map_err(|cause| {
        Error::new(cause).hint("give a few words, such as `elophanto like \"espresso machines\"`")
    })?;
    Ok(topic.as_str().to_owned())
}

/// How much the user cares about an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The slug of the entity.
    pub entity: String,
    /// As its page has it.
    pub name: String,
    /// Facts that are known of it.
    pub facts: usize,
    /// How much, and what that is made of.
    pub interest: Interest,
}

/// What the user cares about most, by what they did. What cannot be read of it is told.
pub fn interests(workspace: &Workspace, most: usize, reporter: &dyn Reporter) -> Vec<Ranked> {
    let learning = Learning::look(workspace);
    let snapshot = learning.snapshot(reporter);
    let acts = learning.interests();
    acts.problems.iter().for_each(|problem| reporter.warn(escape_control_line(problem)));
    let scores = acts.scores(&learning.user, &snapshot, &learning.meaning(), now());
    let ranked = |(slug, interest): (String, Interest)| {
        let entity = snapshot.entities.by_slug(&slug)?;
        let (slug, name) = (entity.slug.clone(), entity.title.clone());
        Some(Ranked { entity: slug, name, facts: entity.facts.len(), interest })
    };
    let mut all: Vec<Ranked> = scores.into_iter().filter_map(ranked).collect();
    all.sort_by(|a, b| {
        b.interest.score.total_cmp(&a.interest.score).then_with(|| a.name.cmp(&b.name))
    });
    all.truncate(most);
    all
}

/// Something the user did that shows how much they care.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// When they did it.
    pub at: Timestamp,
    /// In words, such as `search`.
    pub what: String,
    /// What it counts when it is new; negative for what speaks against it.
    pub counts: f64,
}

/// How much the user cares about an entity, and what shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// `None` if they had nothing to do with it.
    pub interest: Option<Interest>,
    /// The newest first, as many as are told.
    pub acts: Vec<Act>,
    /// What they said of it themselves, and stand by.
    pub preference: Option<PreferenceKind>,
}

/// Why the user cares about the entity of this name; the name as it is written, and its slug.
///
/// # Errors
/// When nothing is called so.
pub fn why_by_name(
    workspace: &Workspace,
    name: &str,
    reporter: &dyn Reporter,
) -> Result<(String, String, Why)> {
    let snapshot = Learning::look(workspace).snapshot(reporter);
    let found = entities::find(&snapshot, name).ok_or_else(|| {
        let name = escape_control_line(name);
        let error = Error::new(format_args!("nothing is known of `{name}`"));
        match entities::nearest(&snapshot, &name) {
            Some(near) => error.hint(format!("did you mean `{}`?", escape_control_line(near))),
            None => error.hint("`elophanto interests` lists what you care about"),
        }
    })?;
    Ok((found.title.clone(), found.slug.clone(), why(workspace, &found.slug)))
}

/// Why the user cares about an entity.
pub fn why(workspace: &Workspace, slug: &str) -> Why {
    let learning = Learning::look(workspace);
    let snapshot = learning.store().read(now());
    let known = learning.interests();
    let scores = known.scores(&learning.user, &snapshot, &learning.meaning(), now());
    let is_of = |name: &Option<String>| {
        name.as_deref().is_some_and(|name| snapshot.entities.canonical(name) == slug)
    };
    let own = known.engagements.iter().filter(|act| act.user == learning.user);
    let mut acts: Vec<Act> = own
        .filter(|act| is_of(&act.entity_id))
        .map(|act| {
            let valence = act.engagement_type.valence().unwrap_or(act.valence);
            let counts = f64::from(act.strength) * valence.sign();
            let what = act.engagement_type.word().replace('_', " ");
            Act { at: act.created_at, what, counts }
        })
        .collect();
    acts.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.what.cmp(&b.what)));
    acts.truncate(MOST_ACTS);
    let standing = known.standing(&learning.user);
    let preference = standing.iter().rev().find(|it| is_of(&it.entity_id));
    Why {
        interest: scores.get(slug).copied(),
        acts,
        preference: preference.map(|it| it.preference_type),
    }
}

/// A reaction, as programs get it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reacted<'a> {
    /// The id of what the user reacted to.
    pub id: &'a str,
    /// `+` or `-`.
    pub reaction: &'static str,
    /// The slugs of the entities that the notification or answer was about.
    pub entities: Vec<String>,
    /// What it was.
    #[serde(skip)]
    pub to: Answered,
}

/// Notes a reaction to a notification or an answer, or takes it back: then it counts nothing any more.
/// `None` if nothing has this id.
///
/// # Errors
/// When that cannot be written down.
pub fn react<'a>(
    workspace: &Workspace,
    id: &'a str,
    positive: bool,
    takes_back: bool,
) -> Result<Option<Reacted<'a>>> {
    let learning = Learning::open(workspace)?;
    learning.acted();
    let interests = learning.interests();
    let (entities, to) = match (interests.notifications.get(id), interests.answers.get(id)) {
        (Some(told), _) => (vec![told.entity_id.clone()], Answered::Notification),
        (None, Some(answer)) => (answer.entities.clone(), Answered::Answer),
        (None, None) => return Ok(None),
    };
    let kind = kind_of(to, positive);
    let valence = kind.valence().unwrap_or(Valence::Neutral);
    let reaction = if positive { "+" } else { "-" };
    let source = format!("{id}{reaction}");
    let act = |slug: &String| {
        let act = EngagementRecord::new(&learning.user, slug, kind, valence, &source, now());
        // The same act again, of another strength: that takes the place of what was said before.
        let strength = if takes_back { 0.0 } else { act.strength };
        EngagementRecord { source_message_id: Some(id.to_owned()), strength, ..act }
    };
    let acts: Vec<EngagementRecord> = entities.iter().map(act).collect();
    learning.record_store.write(Place::Local, &acts)?;
    Ok(Some(Reacted { id, reaction, entities, to }))
}

/// The user did something: what is found out for them is told at once again.
pub fn acted(workspace: &Workspace) {
    Learning::look(workspace).acted();
}

/// Entities that an answer is about which names no source.
const MOST_NAMED: usize = 3;
/// Bytes of an answer that say what it is about.
const MOST_GIST: usize = 600;

/// Notes what an answer of the agent is about, to be reacted to by the id of the message that it answers:
/// entities by its sources; else those that it names; else the one nearest to it. It stays on this machine.
///
/// # Errors
/// When it cannot be written down.
pub fn answered<'s>(
    workspace: &Workspace,
    message: Uuid,
    question: &str,
    answer: &str,
    sources: impl Iterator<Item = &'s str>,
) -> Result<()> {
    if answer.trim().is_empty() {
        return Ok(());
    }
    let learning = Learning::open(workspace)?;
    let snapshot = learning.store().read(now());
    if snapshot.entities.iter().next().is_none() {
        return Ok(());
    }
    let pages = folder(&workspace.config.knowledge.write_root);
    let of_page = |path: &str| {
        let path = std::path::Path::new(path);
        let slug = path.strip_prefix(&pages).ok()?.file_stem()?.to_str()?;
        snapshot.entities.by_slug(slug).map(|entity| entity.slug.clone())
    };
    let mut entities: Vec<String> = sources.filter_map(of_page).collect();
    let end = answer.floor_char_boundary(MOST_GIST);
    let gist = format!("{question}\n{}", &answer[..end]);
    if entities.is_empty() {
        let words = spaced(&gist);
        let is_named = |title: &str| {
            let title = spaced(title);
            title.len() > 4 && words.contains(&title)
        };
        let named = snapshot.entities.iter().filter(|entity| is_named(&entity.title));
        entities.extend(named.take(MOST_NAMED).map(|entity| entity.slug.clone()));
    }
    if entities.is_empty() {
        let meaning = learning.meaning();
        let near = |entity: &elophanto_text::entity::Entity| {
            let facts = entity.facts.iter().map(|fact| fact.line.text.as_str());
            let text = text_of(&entity.title, facts);
            Some((meaning.answered(&gist, std::iter::once(text.as_str())), entity.slug.clone()))
        };
        let nearest = snapshot.entities.iter().filter_map(near).max_by(|a, b| a.0.total_cmp(&b.0));
        entities.extend(nearest.filter(|(like, _)| *like >= meaning.near.covers).map(|it| it.1));
    }
    entities.sort();
    entities.dedup();
    let record = AnswerRecord {
        kind: ANSWER.to_owned(),
        id: message.to_string(),
        at: now(),
        user: learning.user.clone(),
        question: secrets::mask(question).0.into_owned(),
        entities,
    };
    learning.record_store.write(Place::Local, &[&record])?;
    Ok(())
}

/// Words in lower case between single spaces, one before and one behind.
fn spaced(text: &str) -> String {
    let plain: String =
        text.chars().map(|char| if char.is_alphanumeric() { char } else { ' ' }).collect();
    let words: Vec<String> = plain.split_whitespace().map(str::to_lowercase).collect();
    format!(" {} ", words.join(" "))
}
