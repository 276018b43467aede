use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::*;

const KINDS: [EngagementKind; 11] = [
    EngagementKind::LearnCommand,
    EngagementKind::LikeCommand,
    EngagementKind::DislikeCommand,
    EngagementKind::Statement,
    EngagementKind::Search,
    EngagementKind::FollowUp,
    EngagementKind::ReactionNotificationPositive,
    EngagementKind::ReactionNotificationNegative,
    EngagementKind::ReactionAnswerPositive,
    EngagementKind::ReactionAnswerNegative,
    EngagementKind::Mention,
];

fn now() -> Timestamp {
    "2026-11-22T12:00:00Z".parse().unwrap()
}

fn days_ago(days: f64) -> Timestamp {
    now() - SignedDuration::from_secs((days * 86_400.0) as i64)
}

/// An act of full strength; a statement is a positive one.
fn act_on(entity: &str, kind: EngagementKind, at: Timestamp) -> Engagement {
    Engagement {
        user: "ann".to_owned(),
        entity: Some(entity.to_owned()),
        preference: None,
        kind,
        valence: kind.valence().unwrap_or(Valence::Positive),
        strength: kind.strength(),
        at,
    }
}

fn act(kind: EngagementKind, days: f64) -> Engagement {
    act_on("otter", kind, days_ago(days))
}

fn all(engagements: &[Engagement]) -> BTreeMap<String, Interest> {
    scores(engagements, "ann", now(), &|slug| slug)
}

/// The score of the only entity.
fn score(engagements: &[Engagement]) -> f64 {
    all(engagements).values().map(|interest| interest.score).sum()
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}

#[test]
fn kinds_and_what_they_count() {
    #[track_caller]
    fn check(word: &str, strength: f32, expected: f64) {
        let kind = KINDS.into_iter().find(|kind| kind.word() == word).unwrap();
        assert_eq!((kind.word(), kind.strength()), (word, strength));
        let quoted = format!("\"{word}\"");
        assert_eq!(serde_json::to_string(&kind).unwrap(), quoted);
        assert_eq!(serde_json::from_str::<EngagementKind>(&quoted).unwrap(), kind);
        near(score(&[act(kind, 0.0)]), expected);
    }
    check("learn_command", 1.0, 1.0);
    check("like_command", 0.8, 0.8);
    check("dislike_command", 0.8, -0.8);
    check("statement", 0.7, 0.7);
    check("search", 0.6, 0.6);
    check("follow_up", 0.5, 0.5);
    check("reaction_notification_positive", 0.5, 0.5);
    check("reaction_notification_negative", 0.8, -0.8);
    check("reaction_answer_positive", 0.3, 0.3);
    check("reaction_answer_negative", 0.3, -0.3);
    check("mention", 0.2, 0.0);
    assert!(serde_json::from_str::<EngagementKind>("\"LearnCommand\"").is_err());
    for (to, name) in [(Answered::Notification, "notification"), (Answered::Answer, "answer")] {
        assert_eq!(react(to, true).word(), format!("reaction_{name}_positive"));
        assert_eq!(react(to, false).word(), format!("reaction_{name}_negative"));
    }
}

#[test]
fn valence_counts_only_where_the_kind_leaves_it_open() {
    let with = |kind, valence| score(&[Engagement { valence, ..act(kind, 0.0) }]);
    near(with(EngagementKind::Statement, Valence::Negative), -0.7);
    near(with(EngagementKind::Statement, Valence::Neutral), 0.0);
    near(with(EngagementKind::LikeCommand, Valence::Negative), 0.8);
    near(with(EngagementKind::Mention, Valence::Positive), 0.0);
}

#[test]
fn strengths_from_outside_are_capped() {
    for (strength, expected) in [
        (f32::NAN, 0.6),
        (f32::INFINITY, 0.6),
        (1e30, 0.6),
        (0.25, 0.25),
        (-0.0, 0.0),
        (-5.0, 0.0),
        (f32::NEG_INFINITY, 0.0),
    ] {
        let act = Engagement { strength, ..act(EngagementKind::Search, 0.0) };
        near(score(&[act]), expected);
    }
}

#[test]
fn wrong_clocks_cannot_dominate() {
    let at = |text: &str| {
        let at: Timestamp = text.parse().unwrap();
        all(&[Engagement { at, ..act(EngagementKind::LearnCommand, 0.0) }])["otter"]
    };
    for future in ["2026-11-22T18:00:00Z", "2026-12-22T12:00:00Z", "9999-12-30T00:00:00Z"] {
        let found = at(future);
        assert_eq!((found.score, found.last), (1.0, now()), "{future}");
        assert_eq!(found.trend, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }
    let past = at("-000001-01-01T00:00:00Z");
    assert_eq!((past.score, past.trend), (0.0, [0.0; WEEKS]));
    let (first, last) = (Timestamp::MIN, Timestamp::MAX);
    for (at, now) in [(first, last), (last, first), (first, first), (last, last)] {
        let act = Engagement { at, ..act(EngagementKind::LearnCommand, 0.0) };
        let found = scores(&[act], "ann", now, &|slug| slug)["otter"].score;
        assert!((0.0..=1.0).contains(&found));
    }
}

#[test]
fn trend_tells_past_scores() {
    let found = all(&[act(EngagementKind::LearnCommand, 16.0)])["otter"];
    let expected =
        [0.0, 0.0, 0.0, 0.0, 0.0, (-2.0 / 30.0_f64).exp2(), (-9.0 / 30.0_f64).exp2(), 0.0];
    for (found, expected) in found.trend.iter().zip(expected).take(7) {
        near(*found, expected);
    }
    assert_eq!(found.trend[7], found.score);
    near(found.score, (-16.0 / 30.0_f64).exp2());
    // The end of a week belongs to it.
    let found = all(&[act(EngagementKind::LearnCommand, 7.0)])["otter"];
    near(found.trend[6], 1.0);
    // Long ago: known in all weeks.
    let found = all(&[act(EngagementKind::LearnCommand, 79.0)])["otter"];
    near(found.trend[0], 0.5);
    assert_eq!(found.last, days_ago(79.0));
}

#[test]
fn entities_users_and_merges() {
    let mut acts = vec![
        act(EngagementKind::Search, 0.0),
        Engagement { user: "bob".to_owned(), ..act(EngagementKind::Search, 0.0) },
        Engagement { entity: None, ..act(EngagementKind::Search, 0.0) },
        act_on("sea-otter", EngagementKind::LearnCommand, now()),
        act_on("beaver", EngagementKind::Mention, days_ago(3.0)),
    ];
    acts[0].strength = 0.5;
    let merged = BTreeMap::from([("sea-otter".to_owned(), "otter".to_owned())]);
    let found = scores(&acts, "ann", now(), &|slug| merged.get(slug).map_or(slug, String::as_str));
    assert_eq!(found.keys().collect::<Vec<_>>(), ["beaver", "otter"]);
    near(found["otter"].score, 1.5);
    assert_eq!((found["beaver"].score, found["beaver"].last), (0.0, days_ago(3.0)));
    assert!(scores(&acts, "", now(), &|slug| slug).is_empty());
}

fn preference(id: &str, kind: PreferenceKind, days: f64, vector: &[f32]) -> Preference {
    Preference {
        id: id.to_owned(),
        topic: id.to_owned(),
        entity: None,
        kind,
        at: days_ago(days),
        vector: vector.to_vec(),
    }
}

#[test]
fn preferences_count_for_what_resembles_them() {
    use PreferenceKind::{Dislike, Like};
    let entities = [
        EntityVector { slug: "otter", vector: &[1.0, 0.0] },
        EntityVector { slug: "beaver", vector: &[0.8, 0.6] },
        EntityVector { slug: "kettle", vector: &[0.0, 1.0] },
        EntityVector { slug: "short", vector: &[1.0] },
        EntityVector { slug: "empty", vector: &[] },
        EntityVector { slug: "nan", vector: &[f32::NAN, 0.0] },
    ];
    let check = |preferences: &[Preference], expected: &[(&str, f64)]| {
        let before = all(&[act(EngagementKind::FollowUp, 0.0)]);
        let found = with_preferences(before, preferences, &entities, 0.75, now());
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        for (name, expected) in expected {
            near(found[*name].score, *expected);
            assert_eq!(found[*name].trend[7], found[*name].score);
        }
    };
    let animals = || preference("animals", Like, 0.0, &[1.0, 0.0]);
    check(&[], &[("otter", 0.5)]);
    check(&[animals()], &[("beaver", 0.8), ("otter", 1.3)]);
    check(&[animals(), animals()], &[("beaver", 0.8), ("otter", 1.3)]);
    let old = preference("old", Dislike, 30.0, &[1.0, 0.0]);
    check(&[animals(), old], &[("beaver", 0.4), ("otter", 0.9)]);
    // The entity that was made of the topic counts once, with a vector or without.
    let made = |vector: &[f32]| Preference {
        entity: Some("otter".to_owned()),
        ..preference("otters", Like, 0.0, vector)
    };
    check(&[made(&[])], &[("otter", 1.3)]);
    check(&[made(&[1.0, 0.0])], &[("beaver", 0.8), ("otter", 1.3)]);
    // The act that stated a preference counts through it alone.
    let stated = Engagement {
        preference: Some("otters".to_owned()),
        ..act(EngagementKind::LikeCommand, 0.0)
    };
    assert_eq!(score(&[stated]), 0.0);
}

#[test]
fn of_many_preferences_the_newest_count() {
    let many: Vec<Preference> = (0..=MAX_PREFERENCES)
        .map(|n| preference(&n.to_string(), PreferenceKind::Like, n as f64 / 1e4, &[1.0]))
        .collect();
    let entities = [EntityVector { slug: "a", vector: &[1.0] }];
    let sum = |preferences: &[Preference]| {
        with_preferences(BTreeMap::new(), preferences, &entities, 0.5, now())["a"].score
    };
    assert_eq!(sum(&many), sum(&many[..MAX_PREFERENCES]));
    assert_eq!(EngagementKind::DislikeCommand.strength(), PREFERENCE_STRENGTH);
}

#[test]
fn questions_that_go_on() {
    #[track_caller]
    fn check(text: &str, minutes: i64, vector: &[f32], expected: bool) {
        let previous = Asked { text: "What do otters eat?", at: now(), vector: &[1.0, 0.0] };
        let at = now() + SignedDuration::from_mins(minutes);
        let found = is_follow_up(&previous, &Asked { text, at, vector }, 0.6);
        assert_eq!(found, expected, "{text}");
    }
    let like = &[0.8, 0.6];
    check("And when do they eat it?", 2, like, true);
    check("And when do they eat it?", 10, like, true);
    check("And when do they eat it?", 11, like, false);
    check("And when do they eat it?", -1, like, false);
    check("How do kettles work?", 2, &[0.0, 1.0], false);
    check("  what do OTTERS eat\n", 2, &[1.0, 0.0], false);
    check("And then?", 2, &[1.0], false);
    check("And then?", 2, &[f32::NAN, 1.0], false);
    let only_marks = |a, b| {
        let (a, b) = (
            Asked { text: a, at: now(), vector: &[1.0] },
            Asked { text: b, at: now(), vector: &[1.0] },
        );
        is_follow_up(&a, &b, 0.5)
    };
    assert!(!only_marks("??", "??") && only_marks("??", "🦦"));
}

#[test]
fn sparks() {
    #[track_caller]
    fn check(values: &[f64], blocks: &str, ascii: &str) {
        assert_eq!(spark(values, Signs::Blocks), blocks);
        assert_eq!(spark(values, Signs::Ascii), ascii);
    }
    check(&[], "", "");
    check(&[0.0, 0.0], "▁▁", "__");
    check(&[2.0, 2.0], "██", "##");
    check(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], "▁▂▃▄▅▆▇█", "_..--==#");
    check(&[-1.0, 0.0, 1.0], "▁▅█", "_-#");
    check(&[-1.0, -1.0], "▁▁", "__");
    check(&[f64::NAN, 1.0, f64::INFINITY, f64::NEG_INFINITY], "▁██▁", "_##_");
    check(&[f64::MAX, f64::MIN], "█▁", "#_");
    assert_eq!(spark(&[1.0; 1_000], Signs::Ascii).len(), MAX_SPARK);
}

prop_compose! {
    fn any_act()(
        kind in prop::sample::select(&KINDS[..]),
        entity in 0..4_u8,
        positive in any::<bool>(),
        strength in 0.0..1.0_f32,
        seconds in -1_000_000..20_000_000_i64,
    ) -> Engagement {
        let at = now() - SignedDuration::from_secs(seconds);
        let valence = if positive { Valence::Positive } else { Valence::Negative };
        Engagement { valence, strength, ..act_on(&entity.to_string(), kind, at) }
    }
}

proptest! {
    #[test]
    fn order_does_not_matter_and_parts_add_up(
        acts in prop::collection::vec(any_act(), 0..40),
        cut in 0..40_usize,
        seed in any::<u64>(),
    ) {
        let whole = all(&acts);
        let mut shuffled = acts.clone();
        shuffled.sort_by_key(|act| (act.at.as_second() as u64).wrapping_mul(seed | 1));
        prop_assert_eq!(&all(&shuffled), &whole);
        let (one, two) = acts.split_at(cut.min(acts.len()));
        let (one, two) = (all(one), all(two));
        for (slug, interest) in &whole {
            let part = |part: &BTreeMap<String, Interest>| part.get(slug).map_or(0.0, |it| it.score);
            prop_assert_eq!(part(&one) + part(&two), interest.score);
            prop_assert_eq!(interest.trend[WEEKS - 1], interest.score);
        }
    }

    #[test]
    fn scores_grow_with_strength_and_halve(mut act in any_act(), seconds in 0..5_000_000_i64) {
        act.at = now() - SignedDuration::from_secs(seconds);
        let (whole, full) = (score(std::slice::from_ref(&act)), act.kind.strength());
        act.strength = act.strength.min(full);
        let half = Engagement { strength: act.strength / 2.0, ..act.clone() };
        prop_assert!((score(&[half]) * 2.0 - whole).abs() < 1e-9);
        act.at -= SignedDuration::from_hours(30 * 24);
        prop_assert!((score(&[act]) * 2.0 - whole).abs() < 1e-9);
        prop_assert!(whole.abs() <= f64::from(full));
    }
}
