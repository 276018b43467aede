use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::*;

fn now() -> Timestamp {
    "2026-11-22T12:00:00Z".parse().unwrap()
}

fn hours_ago(hours: i64) -> Timestamp {
    now() - SignedDuration::from_hours(hours)
}

#[test]
fn priorities() {
    #[track_caller]
    fn check(interest: f64, facts: usize, hours: Option<i64>, expected: Option<f64>) {
        let found = priority(interest, facts, hours.map(hours_ago), now());
        let rounded = found.map(|found| (found * 1e6).round() / 1e6);
        assert_eq!(rounded, expected);
    }
    check(1.0, 0, None, Some(2.0));
    check(1.0, 0, Some(100), Some(2.0));
    check(1.0, 0, Some(1), Some(0.1));
    check(1.0, 1, None, Some(3.0));
    check(2.0, 4, None, Some(1.5));
    check(1.0, 1, Some(0), Some(0.1));
    check(1.0, 1, Some(23), Some(0.1));
    check(1.0, 1, Some(-20), Some(0.1));
    check(1.0, 1, Some(24), Some(0.142857));
    check(1.0, 1, Some(7 * 24), Some(1.0));
    check(1.0, 1, Some(14 * 24), Some(2.0));
    check(1.0, 1, Some(365 * 24), Some(3.0));
    check(0.0, 1, None, None);
    check(-0.5, 1, None, None);
    check(f64::NAN, 1, None, None);
    check(f64::INFINITY, 1, None, None);
    for wrong in [Timestamp::MIN, Timestamp::MAX] {
        assert_eq!(priority(1.0, 1, Some(wrong), now()), Some(3.0));
    }
}

#[test]
fn the_best_is_picked_whatever_the_order() {
    let candidate = |slug: &str, interest, facts, hours: Option<i64>| Candidate {
        slug: slug.to_owned(),
        interest,
        facts,
        last_enriched: hours.map(hours_ago),
        fruitless: 0,
    };
    let check = |mut candidates: Vec<Candidate>, expected: Option<&str>| {
        for _ in 0..candidates.len().max(1) {
            assert_eq!(pick(&candidates, now()).map(|it| it.slug.as_str()), expected);
            if !candidates.is_empty() {
                candidates.rotate_left(1);
            }
        }
    };
    check(vec![], None);
    check(vec![candidate("a", -1.0, 0, None), candidate("b", 0.0, 0, None)], None);
    check(vec![candidate("a", 1.0, 1, None), candidate("b", 1.1, 1, None)], Some("b"));
    check(vec![candidate("a", 1.0, 2, None), candidate("b", 2.0, 4, None)], Some("b"));
    let longer_ago = [candidate("a", 1.0, 1, Some(600)), candidate("b", 1.0, 1, Some(900))];
    check(longer_ago.to_vec(), Some("b"));
    let same = ["c", "a", "b"].map(|slug| candidate(slug, 1.0, 1, None));
    check(same.to_vec(), Some("a"));
}

#[test]
fn what_nothing_is_found_of_waits_longer_each_time() {
    let candidate = |slug: &str, interest, hours, fruitless| Candidate {
        slug: slug.to_owned(),
        interest,
        facts: 1,
        last_enriched: Some(hours_ago(hours)),
        fruitless,
    };
    let days = |fruitless| {
        let until = candidate("a", 1.0, 0, fruitless).waits_until(now());
        until.map(|until| until.duration_since(now()).as_hours() / 24)
    };
    // In a round there are three.
    assert_eq!([0, 2].map(days), [None, None]);
    assert_eq!([3, 5, 6, 9, 12, 21, 24, 300].map(days), [1, 1, 2, 4, 8, 64, 64, 64].map(Some));
    // Others get their turn meanwhile, though the user cares less about them.
    let check = |all: &[Candidate], expected: Option<&str>| {
        assert_eq!(pick(all, now()).map(|it| it.slug.as_str()), expected);
    };
    let never = Candidate { last_enriched: None, ..candidate("b", 0.1, 0, 0) };
    check(&[candidate("a", 9.0, 1, 3), never.clone()], Some("b"));
    check(&[candidate("a", 9.0, 25, 3), never], Some("a"));
    check(&[candidate("a", 9.0, 25, 6)], None);
}

#[test]
fn modes() {
    let since = hours_ago(100);
    let check = |facts, last, expected| assert_eq!(mode(facts, last, now()), expected);
    check(0, None, Mode::Broad);
    check(4, Some(since), Mode::Broad);
    check(5, None, Mode::Gaps);
    check(15, Some(since), Mode::Gaps);
    check(16, Some(since), Mode::News { since });
    check(16, None, Mode::News { since: hours_ago(30 * 24) });
    check(16, Some(Timestamp::MAX), Mode::News { since: hours_ago(30 * 24) });
    check(16, Some(hours_ago(-5)), Mode::News { since: now() });
    let first = Timestamp::MIN;
    assert_eq!(mode(99, None, first), Mode::News { since: first });
}

#[test]
fn words_of_searches() {
    #[track_caller]
    fn check(name: &str, aliases: &[&str], facts: &[&str], mode: Mode, expected: &[&str]) {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(queries(name, &owned(aliases), &owned(facts), mode, now()), expected);
    }
    let kef = "KEF LS50";
    check(
        kef,
        &[],
        &[],
        Mode::Broad,
        &["what is KEF LS50", "KEF LS50 overview and key facts", "KEF LS50 price and cost"],
    );
    check(
        kef,
        &["kef", "LS50 Meta"],
        &["It costs $1,600."],
        Mode::Broad,
        &["what is KEF LS50", "KEF LS50 overview and key facts", "KEF LS50 LS50 Meta"],
    );
    // Of the ten attributes, the four that are missing; this week begins with the third of them.
    let known = [
        "It sells for 1,600 €.",
        "KEF designed it in Maidstone.",
        "The Studio was its PREDECESSOR.",
        "Praised by Stereophile; licensed drivers.",
        "It is used on desks and it supports USB.",
    ];
    let week = now().as_second().div_euclid(7 * 86_400);
    let missing = ["release date and versions", "alternatives compared", "problems and limits"];
    let start = usize::try_from(week.rem_euclid(3)).unwrap();
    let expected: Vec<String> =
        (0..3).map(|n| format!("{kef} {}", missing[(start + n) % 3])).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check(kef, &[], &known, Mode::Gaps, &expected);
    let everything =
        ["price release maker alternative use problem history licence requires review"];
    check(kef, &[], &everything, Mode::Gaps, &["KEF LS50 details and lesser known facts"]);
    check(
        kef,
        &[],
        &[],
        Mode::News { since: hours_ago(24) },
        &["KEF LS50 news November 2026", "KEF LS50 changes November 2026"],
    );
    check(
        kef,
        &[],
        &[],
        Mode::News { since: hours_ago(60 * 24) },
        &[
            "KEF LS50 news November 2026",
            "KEF LS50 changes November 2026",
            "what is new in KEF LS50 since September 2026",
        ],
    );
    check(" \u{202e}\n", &["x"], &[], Mode::Broad, &[]);
    check(
        "a\r\n\u{1b}b",
        &[],
        &["$"],
        Mode::Broad,
        &["what is a b", "a b overview and key facts", "a b release date and versions"],
    );
}

/// A pace without a past.
fn pace_of(searches_per_hour: u32) -> Pace {
    Pace { searches_per_hour, state: PaceState::default() }
}

#[test]
fn failures_double_the_pause() {
    let mut pace = pace_of(10);
    let mut at = now();
    for minutes in [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360] {
        assert_eq!(pace.allow(at), Ok(()));
        pace.failed(at);
        let until = at + SignedDuration::from_mins(minutes);
        let almost = until - SignedDuration::from_millis(1);
        assert_eq!(pace.allow(almost), Err(Wait::Failing { until }), "{minutes}");
        at = until;
    }
    pace.failed(at);
    pace.succeeded();
    assert_eq!(pace.allow(at), Ok(()));
    pace.state = serde_json::from_str(r#"{"failures":4294967295}"#).unwrap();
    pace.failed(at);
    let until = at + LONGEST_PAUSE;
    assert_eq!(pace.allow(at), Err(Wait::Failing { until }));
}

#[test]
fn an_hour_has_so_many_searches() {
    let mut pace = pace_of(2);
    let minute = |minutes| now() + SignedDuration::from_mins(minutes);
    assert_eq!(pace.allow(minute(0)), Ok(()));
    assert_eq!(pace.allow(minute(10)), Ok(()));
    assert_eq!(pace.allow(minute(59)), Err(Wait::UsedUp { until: minute(60) }));
    assert_eq!(pace.allow(minute(60)), Ok(()));
    assert_eq!(pace.allow(minute(61)), Err(Wait::UsedUp { until: minute(70) }));
    let kept = serde_json::to_string(&pace.state).unwrap();
    assert_eq!(serde_json::from_str::<PaceState>(&kept).unwrap(), pace.state);
    assert_eq!(serde_json::from_str::<PaceState>("{}").unwrap(), PaceState::default());
    assert_eq!(pace_of(0).allow(now()), Err(Wait::Off));
    assert_eq!(
        Wait::UsedUp { until: now() }.to_string(),
        "the searches of this hour are used up until 2026-11-22T12:00:00Z"
    );
}

#[test]
fn a_clock_that_was_put_back_costs_an_hour_at_most() {
    let mut pace = pace_of(1);
    assert_eq!(pace.allow(Timestamp::MAX), Ok(()));
    pace.failed(Timestamp::MAX);
    let until = now() + SignedDuration::from_hours(1);
    assert_eq!(pace.allow(now()), Err(Wait::UsedUp { until }));
    assert_eq!(pace.allow(until), Ok(()));
}

proptest! {
    #[test]
    fn queries_are_few_short_and_different(
        name in any::<String>(),
        aliases in prop::collection::vec(any::<String>(), 0..4),
        facts in prop::collection::vec(any::<String>(), 0..20),
        second in Timestamp::MIN.as_second()..Timestamp::MAX.as_second(),
    ) {
        let now = Timestamp::from_second(second).unwrap();
        for mode in [Mode::Broad, Mode::Gaps, mode(99, None, now)] {
            let found = queries(&name, &aliases, &facts, mode, now);
            prop_assert!(found.len() <= MAX_QUERIES);
            for query in &found {
                prop_assert!(query.chars().count() <= MAX_QUERY_CHARS);
                prop_assert!(!query.contains(['\n', '\r', '\0']));
                prop_assert_eq!(found.iter().filter(|other| *other == query).count(), 1);
            }
            prop_assert_eq!(queries(&name, &aliases, &facts, mode, now), found);
        }
    }

    #[test]
    fn never_more_than_allowed_in_any_hour(
        per_hour in 1_u32..6,
        steps in prop::collection::vec((0_i64..2_000, 0..4_u8), 0..60),
    ) {
        let (mut pace, mut now) = (pace_of(per_hour), now());
        let mut made: Vec<Timestamp> = Vec::new();
        for (seconds, what) in steps {
            now += SignedDuration::from_secs(seconds);
            match what {
                0 => pace.failed(now),
                1 => pace.succeeded(),
                _ => match pace.allow(now) {
                    Ok(()) => made.push(now),
                    Err(Wait::Off) => prop_assert!(false),
                    Err(Wait::UsedUp { until } | Wait::Failing { until }) => {
                        prop_assert!(until > now && until.duration_since(now) <= LONGEST_PAUSE);
                    }
                },
            }
        }
        for start in &made {
            let within = made.iter().filter(|at| *at >= start && at.duration_since(*start) < HOUR);
            prop_assert!(within.count() <= per_hour as usize);
        }
    }
}

const HOUR: SignedDuration = SignedDuration::from_hours(1);
