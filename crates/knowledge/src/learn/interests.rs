//! What the user cares about, as the journal has it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rayon::prelude::*;

use super::{
    LearnError,
    entity_store::{EntitySnapshot, EntityStore},
    meaning::{Meaning, text_of},
    record::{
        ANSWER, AnswerRecord, ENGAGEMENT, EngagementRecord, NOTIFICATION, NotificationRecord,
        PREFERENCE, PreferenceRecord,
    },
};
use crate::interest::{
    Engagement, EngagementKind, EntityVector, Interest, Preference, PreferenceKind, scores,
    with_preferences,
};
use elophanto_models::Role;
use elophanto_repo::{
    NotePath,
    journal::{Place, fold},
    record_store::RecordStore,
};
use elophanto_text::entity::{identity, new_page};

/// Acts and likes, and what the user was told.
#[derive(Debug, Default)]
pub struct Interests {
    pub engagements: Vec<EngagementRecord>,
    /// By id, taken-back ones too.
    pub preferences: BTreeMap<String, PreferenceRecord>,
    pub notifications: BTreeMap<String, NotificationRecord>,
    pub answers: BTreeMap<String, AnswerRecord>,
    /// What of the journal cannot be read.
    pub problems: Vec<String>,
}

impl Interests {
    /// Reads the journal.
    pub fn read(record_store: &RecordStore, now: Timestamp) -> Self {
        let kinds = [ENGAGEMENT, PREFERENCE, NOTIFICATION, ANSWER];
        let reading = record_store.journal.read(&kinds);
        let mut interests = Self { problems: reading.problems(), ..Self::default() };
        for record in fold(reading.records, now).into_values().filter(|record| !record.retired) {
            let id = record.id.clone();
            // A record of another shape is of a newer version: it stays as it is.
            match record.kind.as_str() {
                ENGAGEMENT => interests.engagements.extend(record.parse().ok()),
                PREFERENCE => {
                    interests.preferences.extend(record.parse().ok().map(|parsed| (id, parsed)));
                }
                NOTIFICATION => {
                    interests.notifications.extend(record.parse().ok().map(|parsed| (id, parsed)));
                }
                ANSWER => interests.answers.extend(record.parse().ok().map(|parsed| (id, parsed))),
                _ => {}
            }
        }
        interests
    }

    /// Preferences of a user that stand, oldest first.
    pub fn standing(&self, user: &str) -> Vec<&PreferenceRecord> {
        let stands =
            |preference: &&PreferenceRecord| !preference.retracted && preference.user == user;
        let mut standing: Vec<&PreferenceRecord> =
            self.preferences.values().filter(stands).collect();
        standing.sort_by(|a, b| a.created_at.cmp(&b.created_at).then_with(|| a.id.cmp(&b.id)));
        standing
    }

    /// How much the user cares about each entity, by slug.
    pub fn scores(
        &self,
        user: &str,
        snapshot: &EntitySnapshot,
        meaning: &Meaning,
        now: Timestamp,
    ) -> BTreeMap<String, Interest> {
        let engagements: Vec<Engagement> =
            self.engagements.par_iter().map(EngagementRecord::engagement).collect();
        let canonical = |slug| snapshot.entities.canonical(slug);
        let of_acts = scores(&engagements, user, now, &canonical);
        let preferences: Vec<Preference> = self
            .standing(user)
            .into_iter()
            .map(|record| Preference {
                id: record.id.clone(),
                topic: record.topic.clone(),
                entity: record.entity_id.as_deref().map(|slug| canonical(slug).to_owned()),
                kind: record.preference_type,
                at: record.created_at,
                vector: meaning.vector(&record.topic, Role::Query).unwrap_or_default(),
            })
            .collect();
        let vectors: Vec<(&str, Vec<f32>)> = if preferences.is_empty() {
            Vec::new()
        } else {
            let vector = |entity: &elophanto_text::entity::Entity| {
                let facts = entity.facts.iter().map(|fact| fact.line.text.as_str());
                meaning.vector(&text_of(&entity.title, facts), Role::Document)
            };
            let entities = snapshot.entities.iter();
            entities.filter_map(|entity| Some((entity.slug.as_str(), vector(entity)?))).collect()
        };
        let vectors: Vec<EntityVector> =
            vectors.iter().map(|(slug, vector)| EntityVector { slug, vector }).collect();
        let mut all = with_preferences(of_acts, &preferences, &vectors, meaning.near.covers, now);
        // What was deleted interests nobody.
        all.retain(|slug, _| snapshot.entities.by_slug(slug).is_some());
        all
    }
}

/// What came of a like or dislike.
#[derive(Debug, PartialEq)]
pub enum Stated {
    /// It is new, or stands again; the slug of the entity that was made or found.
    Noted(Option<String>),
    /// It stood already.
    Known,
}

/// Notes that a user likes or dislikes a topic. A like makes an entity of it.
///
/// # Errors
/// When it cannot be written down.
pub fn state(
    store: &EntityStore,
    snapshot: &mut EntitySnapshot,
    user: &str,
    topic: &str,
    wish: PreferenceKind,
    now: Timestamp,
) -> Result<Stated, LearnError> {
    let record_store = store.record_store;
    let interests = Interests::read(record_store, now);
    // Whoever changes their mind no longer says what they said before.
    let turned = retract(record_store, user, topic, wish.opposite(), now)?;
    let known = interests.preferences.get(&preference_id(user, topic, wish));
    if !turned && known.is_some_and(|known| !known.retracted) {
        return Ok(Stated::Known);
    }
    let entity = match wish {
        PreferenceKind::Like => Some(match snapshot.entities.find(topic) {
            Some(known) => known.slug.clone(),
            None => store.create(snapshot, topic, now)?,
        }),
        PreferenceKind::Dislike => snapshot.entities.find(topic).map(|known| known.slug.clone()),
    };
    let record = PreferenceRecord {
        kind: PREFERENCE.to_owned(),
        id: preference_id(user, topic, wish),
        at: now,
        user: user.to_owned(),
        topic: topic.to_owned(),
        preference_type: wish,
        entity_id: entity.clone(),
        created_at: now,
        retracted: false,
    };
    record_store.write(record_store.place(false), &[&record])?;
    // The act itself: it counts through the preference for as long as that stands.
    let act = match wish {
        PreferenceKind::Like => EngagementKind::LikeCommand,
        PreferenceKind::Dislike => EngagementKind::DislikeCommand,
    };
    let slug = entity.clone().unwrap_or_default();
    let engagement = EngagementRecord {
        preference_id: Some(record.id.clone()),
        entity_id: entity.clone(),
        ..EngagementRecord::new(
            user,
            &slug,
            act,
            wish.valence(),
            &format!("{}{now}", record.id),
            now,
        )
    };
    record_store.write(Place::Local, &[&engagement])?;
    Ok(Stated::Noted(entity))
}

/// Takes a like or dislike back; says whether there was one.
///
/// # Errors
/// When it cannot be written down.
pub fn retract(
    record_store: &RecordStore,
    user: &str,
    topic: &str,
    wish: PreferenceKind,
    now: Timestamp,
) -> Result<bool, LearnError> {
    let interests = Interests::read(record_store, now);
    let Some(known) = interests.preferences.get(&preference_id(user, topic, wish)) else {
        return Ok(false);
    };
    if known.retracted {
        return Ok(false);
    }
    let record = PreferenceRecord { at: now, retracted: true, ..known.clone() };
    record_store.write(record_store.place(false), &[&record])?;
    Ok(true)
}

/// Removes the page that a like made of a topic, where the like was taken back and nothing else has touched the
/// page: no fact, no hand, no commit, no other wish. Says which it was.
///
/// # Errors
/// When git cannot be asked, or the lock of the pages cannot be had.
pub fn discard_made(
    store: &EntityStore,
    user: &str,
    topic: &str,
    now: Timestamp,
) -> Result<Option<NotePath>, LearnError> {
    let interests = Interests::read(store.record_store, now);
    let like = interests.preferences.get(&preference_id(user, topic, PreferenceKind::Like));
    let Some(like) = like.filter(|like| like.retracted) else { return Ok(None) };
    let snapshot = store.read(now);
    let entity = like.entity_id.as_deref().and_then(|slug| snapshot.entities.by_slug(slug));
    let Some(entity) = entity.filter(|it| it.pages.len() == 1 && it.facts.is_empty()) else {
        return Ok(None);
    };
    let slug = entity.slug.as_str();
    let is_its = |known: &PreferenceRecord| {
        let of = known.entity_id.as_deref();
        !known.retracted && of.is_some_and(|of| snapshot.entities.canonical(of) == slug)
    };
    let is_wanted = interests.preferences.values().any(is_its)
        || snapshot.retirements.iter().any(|line| line.line.slug == slug);
    let made = new_page(slug, &like.topic, like.created_at);
    let is_gone = !is_wanted && store.discard(slug, &made)?;
    Ok(is_gone.then(|| store.path(slug)))
}

/// The same for the same wish: stating it again changes the record that is there.
fn preference_id(user: &str, topic: &str, wish: PreferenceKind) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [user, &identity(topic), wish.word()] {
        hasher.update(part.as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
