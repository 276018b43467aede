//! What the user cares about: `interests`.

use super::*;
use crate::{
    interest::{
        EngagementKind,
        PreferenceKind::{self, Dislike, Like},
        Valence,
    },
    learn::{
        interests::{Interests, Stated, discard_made, retract, state},
        record::EngagementRecord,
        undo::{delete, undo},
    },
};
use elophanto_repo::journal::Place;

/// Scores in hundredths, by slug.
fn scores(store: &EntityStore, user: &str, seconds: i64) -> Vec<(String, i64)> {
    let snapshot = store.read(at(seconds));
    let interests = Interests::read(store.record_store, at(seconds));
    let scores = interests.scores(user, &snapshot, &Meaning::builtin(), at(seconds));
    let rounded = |score: f64| (score * 100.0).round() as i64;
    scores.into_iter().map(|(slug, interest)| (slug, rounded(interest.score))).collect()
}

#[test]
fn a_like_stands_until_it_is_taken_back() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let store = store(&record_store);
    let mut snapshot = EntitySnapshot::default();
    let mut say = |wish: PreferenceKind, topic: &str, seconds| {
        state(&store, &mut snapshot, USER, topic, wish, at(seconds)).unwrap()
    };
    let noted = |slug: &str| Stated::Noted(Some(slug.to_owned()));
    assert_eq!(say(Like, "Otters", 0), noted("otters"));
    assert_eq!(say(Like, "  oTTERS", 1), Stated::Known);
    assert_eq!(say(Dislike, "Spiders", 2), Stated::Noted(None), "a dislike makes no entity");
    assert!(retract(&record_store, USER, "otters", Like, at(3)).unwrap());
    for (topic, wish) in [("otters", Like), ("otters", Dislike), ("bears", Like)] {
        assert!(!retract(&record_store, USER, topic, wish, at(4)).unwrap(), "{topic} {wish:?}");
    }
    assert!(Interests::read(&record_store, at(4)).standing(USER).len() == 1);
    let nothing = [("otters".to_owned(), 0)];
    assert_eq!(scores(&store, USER, 4), nothing, "what was taken back counts no more");
    assert_eq!(say(Like, "otters", 5), noted("otters"));
    assert_eq!(say(Dislike, "Otters", 6), noted("otters"), "what was said last counts");
    assert_eq!(scores(&store, USER, 7), [("otters".to_owned(), -80)]);
    assert_eq!(say(Like, "otters", 7), noted("otters"));
    assert_eq!(scores(&store, USER, 8), [("otters".to_owned(), 80)]);
    assert_eq!(scores(&store, "another", 7), []);
    assert_eq!(store.read(at(8)).entities.len(), 1);
}

#[test]
fn a_page_goes_with_the_like_that_made_it_if_nothing_else_touched_it() {
    for (what, goes) in [
        ("nothing", true),
        ("a fact", false),
        ("a hand", false),
        ("another user", false),
        ("a fact that was taken back", false),
        ("a like that stands", false),
        ("a page that was there", false),
    ] {
        let rig = Rig::new();
        let record_store = rig.record_store();
        let store = store(&record_store);
        let mut snapshot = EntitySnapshot::default();
        if what == "a page that was there" {
            entity(&store, &mut snapshot, "Tea", &[]);
        }
        state(&store, &mut snapshot, USER, "Tea", Like, at(9)).unwrap();
        match what {
            "a fact" | "a fact that was taken back" => {
                entity(&store, &mut snapshot, "Tea", &[("Tea is a drink.", "s")]);
            }
            "a hand" => {
                let path = rig.root().join(store.path("tea").as_path());
                let text = std::fs::read_to_string(&path).unwrap();
                std::fs::write(path, format!("{text}\nMine.\n")).unwrap();
            }
            "another user" => {
                state(&store, &mut snapshot, "01OTHER", "tea", Dislike, at(10)).unwrap();
            }
            _ => {}
        }
        if what == "a fact that was taken back" {
            let (log, meaning) = (Log::read(&record_store, at(11)), Meaning::builtin());
            undo(&store, &mut snapshot, &log, "s", &meaning, at(11)).unwrap().unwrap();
        }
        if what != "a like that stands" {
            assert!(retract(&record_store, USER, "tea", Like, at(12)).unwrap());
        }
        let gone = discard_made(&store, USER, "tea", at(12)).unwrap();
        assert_eq!(gone.is_some(), goes, "{what}");
        assert_eq!(store.read(at(12)).entities.by_slug("tea").is_none(), goes, "{what}");
    }
}

#[test]
fn likes_cover_what_resembles_their_topic_and_nothing_deleted() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let store = store(&record_store);
    let mut snapshot = EntitySnapshot::default();
    entity(&store, &mut snapshot, "Gaggia Classic", &[("A home espresso machine.", "s")]);
    entity(&store, &mut snapshot, "Tokio", &[("A runtime for asynchronous Rust programs.", "s")]);
    let gone = entity(&store, &mut snapshot, "Bambino", &[("An espresso machine.", "s")]);
    state(&store, &mut snapshot, USER, "espresso machines", Like, at(0)).unwrap();
    let act = |slug: &str, kind, valence, id: &str| {
        EngagementRecord::new(USER, slug, kind, valence, id, at(0))
    };
    let acts = [
        act("tokio", EngagementKind::Search, Valence::Positive, "one"),
        // The same act, told twice, counts once.
        act("tokio", EngagementKind::Search, Valence::Positive, "one"),
        act("tokio", EngagementKind::Mention, Valence::Neutral, "two"),
        act("nowhere", EngagementKind::Search, Valence::Positive, "three"),
        act(&gone, EngagementKind::Search, Valence::Positive, "four"),
    ];
    record_store.write(Place::Local, &acts).unwrap();
    let all = |names: &[(&str, i64)]| -> Vec<(String, i64)> {
        names.iter().map(|(slug, score)| ((*slug).to_owned(), *score)).collect()
    };
    let with = [("bambino", 140), ("espresso-machines", 80), ("gaggia-classic", 80), ("tokio", 60)];
    assert_eq!(scores(&store, USER, 0), all(&with));
    delete(&store, &mut snapshot, &gone, at(1)).unwrap();
    assert_eq!(scores(&store, USER, 1), all(&with[1..]));
    retract(&record_store, USER, "espresso machines", Like, at(2)).unwrap();
    assert_eq!(scores(&store, USER, 2), all(&[("espresso-machines", 0), ("tokio", 60)]));
}
