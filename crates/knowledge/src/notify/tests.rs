use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use proptest::prelude::*;

use super::*;

fn now() -> Timestamp {
    "2026-11-22T12:00:00Z".parse().unwrap()
}

fn after(seconds: i64) -> Timestamp {
    now() + SignedDuration::from_secs(seconds)
}

fn discovery(name: &str, is_new: bool, known_facts: usize, facts: &[(&str, bool)]) -> Discovery {
    Discovery {
        entity: name.to_lowercase().replace(' ', "-"),
        name: name.to_owned(),
        is_new,
        facts: facts
            .iter()
            .map(|(text, novel)| Fact { text: (*text).to_owned(), novel: *novel })
            .collect(),
        known_facts,
        image: None,
    }
}

/// All texts that are due at once.
fn told(discoveries: &[Discovery]) -> Vec<String> {
    let mut queue = Queue::default();
    for discovery in discoveries {
        queue.push(discovery).unwrap();
    }
    let due = due(queue, State::default(), now(), &Quiet::none());
    due.messages.iter().map(Message::text).collect()
}

#[test]
fn words() {
    #[track_caller]
    fn check(discoveries: &[Discovery], expected: &[&str]) {
        assert_eq!(told(discoveries), expected);
    }
    let facts = [("It costs $1,600.", true), ("It has\r\na MAT\u{202e} driver.", false)];
    check(
        &[discovery("KEF LS50", false, 9, &facts)],
        &["I just learned some new stuff about KEF LS50...\n\
           - It costs $1,600.\n- It has a MAT driver."],
    );
    check(
        &[discovery("KEF LS50", true, 2, &facts)],
        &["I just discovered KEF LS50 and learned 2 facts about it\n\
           - It costs $1,600.\n- It has a MAT driver."],
    );
    // Much is known: only what is new in kind, unless all of it is new.
    check(
        &[discovery("KEF LS50", false, 16, &facts)],
        &["I just learned some new stuff about KEF LS50...\n- It costs $1,600."],
    );
    check(&[discovery("KEF LS50", false, 16, &facts[1..])], &[]);
    check(
        &[discovery("KEF LS50", true, 40, &facts[1..])],
        &["I just discovered KEF LS50 and learned 1 fact about it\n- It has a MAT driver."],
    );
    check(&[discovery("a", false, 1, &[(" \u{200b}\n", true)]), discovery("b", true, 0, &[])], &[]);
    // One message per entity, in the order of their first facts.
    check(
        &[
            discovery("a", true, 1, &[("one", true)]),
            discovery("b", false, 1, &[("two", true)]),
            discovery("A", false, 2, &[("ONE", true), ("three", true)]),
        ],
        &[
            "I just discovered A and learned 2 facts about it\n- one\n- three",
            "I just learned some new stuff about b...\n- two",
        ],
    );
    check(
        &[discovery("\u{1b}\n", false, 1, &[("x", true)])],
        &["I just learned some new stuff about ...\n- x"],
    );
}

#[test]
fn long_lists_are_cut_and_counted() {
    let many: Vec<String> = (0..200).map(|n| format!("fact {n}")).collect();
    let facts: Vec<(&str, bool)> = many.iter().map(|fact| (&**fact, true)).collect();
    let text = told(&[discovery("a", true, 200, &facts)]).remove(0);
    assert!(text.starts_with("I just discovered a and learned 200 facts about it\n- fact 0\n"));
    assert!(text.ends_with("- fact 14\nand 185 more"));
    let text = told(&[discovery("a", false, 1, &facts[..15])]).remove(0);
    assert!(text.ends_with("- fact 14"));
    let text = told(&[discovery("a", false, 1, &[(&"é".repeat(5_000), true)])]).remove(0);
    assert!(text.ends_with(&format!("\n- {}", "é".repeat(MAX_FACT_CHARS))));
}

#[test]
fn pictures() {
    #[track_caller]
    fn check(address: &str, expected: Option<&str>) {
        let mut seen = discovery("a", false, 1, &[("x", true)]);
        seen.image = Some(address.to_owned());
        let text = told(&[seen]).remove(0);
        assert_eq!(text.strip_prefix("I just learned some new stuff about a...\n- x\n"), expected);
    }
    check("https://a.test/b.png?c=1", Some("https://a.test/b.png?c=1"));
    check("http://a.test/\u{202e}\n b", Some("http://a.test/%E2%80%AE%20b"));
    check("javascript:alert(1)", None);
    check("file:///etc/passwd", None);
    check("https://user:secret@a.test/", None);
    check("b.png", None);
    check(&format!("https://a.test/{}", "x".repeat(3_000)), None);
}

#[test]
fn pauses_double_until_the_user_acts() {
    let one = |n: i64| discovery("a", false, 1, &[(&n.to_string(), true)]);
    let (mut state, mut at) = (State::default(), 0);
    for (n, pause) in [60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600].into_iter().enumerate() {
        let mut queue = Queue::default();
        queue.push(&one(n as i64)).unwrap();
        let sent = due(queue, state, after(at), &Quiet::none());
        assert_eq!((sent.messages.len(), sent.next), (1, None));
        // Meant for later: nothing, until the pause is over.
        let mut queue = sent.queue;
        queue.push(&one(-1)).unwrap();
        let waiting = due(queue.clone(), sent.state, after(at + pause - 1), &Quiet::none());
        assert_eq!((waiting.messages.len(), waiting.next), (0, Some(after(at + pause))));
        assert_eq!((waiting.queue, waiting.state), (queue, sent.state));
        state = sent.state;
        at += pause;
    }
    let mut queue = Queue::default();
    queue.push(&one(1)).unwrap();
    let count = |state| due(queue.clone(), state, after(at - 100), &Quiet::none()).messages.len();
    assert_eq!(count(state), 0);
    let with_act = |seconds| {
        let mut state = state;
        state.acted(after(seconds), after(at - 100));
        state
    };
    assert_eq!(count(with_act(at - 101)), 1);
    // Before the last message; a year off; the same act again.
    assert_eq!(count(with_act(at - 3_600)), 0);
    state.acted(Timestamp::MAX, after(at - 100));
    assert_eq!(count(state), 0);
    state.acted(after(at - 101), after(at - 100));
    let sent = due(queue.clone(), state, after(at - 100), &Quiet::none());
    state = sent.state;
    state.acted(after(at - 101), after(at - 99));
    assert_eq!(due(queue.clone(), state, after(at - 99), &Quiet::none()).messages.len(), 0);
    assert_eq!(
        due(queue.clone(), state, after(at - 99), &Quiet::none()).next,
        Some(after(at - 40))
    );
}

#[test]
fn a_clock_that_was_put_back_costs_one_pause() {
    let mut queue = Queue::default();
    queue.push(&discovery("a", false, 1, &[("x", true)])).unwrap();
    let sent = due(queue.clone(), State::default(), Timestamp::MAX, &Quiet::none());
    let waiting = due(queue, sent.state, now(), &Quiet::none());
    assert_eq!((waiting.messages.len(), waiting.next), (0, Some(after(60))));
    let sent = due(waiting.queue, waiting.state, after(60), &Quiet::none());
    assert_eq!(sent.messages.len(), 1);
}

#[test]
fn batches_and_the_size_of_the_queue() {
    let mut queue = Queue::default();
    for n in 0..MAX_WAITING {
        queue.push(&discovery(&n.to_string(), true, 1, &[("x", true)])).unwrap();
    }
    let before = queue.clone();
    assert_eq!(queue.push(&discovery("new", true, 1, &[("x", true)])), Err(QueueFull));
    assert_eq!(queue, before);
    queue.push(&discovery("1", true, 1, &[("y", true)])).unwrap();
    let sent = due(queue, State::default(), now(), &Quiet::none());
    assert_eq!((sent.messages.len(), sent.queue.len()), (MAX_BATCH, MAX_WAITING - MAX_BATCH));
    assert_eq!((&*sent.messages[1].name, sent.next), ("1", Some(after(60))));
    assert!(!sent.queue.is_empty());
}

#[test]
fn what_is_kept_is_read_back_and_cleaned() {
    let mut queue = Queue::default();
    queue.push(&discovery("a", true, 1, &[("x", true)])).unwrap();
    let kept = serde_json::to_string(&queue).unwrap();
    assert_eq!(serde_json::from_str::<Queue>(&kept).unwrap(), queue);
    let sent = due(queue, State::default(), now(), &Quiet::none());
    let kept = serde_json::to_string(&sent.state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&kept).unwrap(), sent.state);
    assert_eq!(serde_json::from_str::<State>("{}").unwrap(), State::default());
    let hostile = r#"{"waiting":[{"entity":"e","name":"a\u001b[2J","is_new":false,
        "facts":["b\nc"],"more":18446744073709551615,"image":"file:///x"}]}"#;
    let sent = due(serde_json::from_str(hostile).unwrap(), sent.state, after(60), &Quiet::none());
    let expected =
        "I just learned some new stuff about a[2J...\n- b c\nand 18446744073709551615 more";
    assert_eq!(sent.messages[0].text(), expected);
}

#[test]
fn quiet_hours() {
    /// `at` and `expected` in local time of Berlin, with an offset where it matters.
    #[track_caller]
    fn check(hours: &str, at: &str, expected: Option<&str>) {
        let quiet =
            Quiet::parse(hours, TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()).unwrap();
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        assert_eq!(quiet.until(time(at)), expected.map(time), "{hours} {at}");
    }
    let night = "22:00-07:00";
    check(night, "2026-11-22T21:59:59+01", None);
    check(night, "2026-11-22T22:00+01", Some("2026-11-23T07:00+01"));
    check(night, "2026-11-23T06:59:59+01", Some("2026-11-23T07:00+01"));
    check(night, "2026-11-23T07:00+01", None);
    check(" 9:30 – 12:00 ", "2026-11-22T10:00+01", Some("2026-11-22T12:00+01"));
    check("09:30-12:00", "2026-11-22T12:00+01", None);
    check("22:00-24:00", "2026-11-22T23:00+01", Some("2026-11-23T00:00+01"));
    check("", "2026-11-22T23:00+01", None);
    // Clocks go forward from 2 to 3 and back from 3 to 2.
    check("01:00-02:30", "2026-03-29T01:30+01", Some("2026-03-29T03:30+02"));
    check("01:00-02:30", "2026-10-25T02:15+02", Some("2026-10-25T02:30+02"));
    check("01:00-02:30", "2026-10-25T02:15+01", Some("2026-10-25T02:30+01"));
    let never = Quiet::parse(night, TimeZone::UTC).unwrap();
    assert!(never.until(Timestamp::MAX).is_some() && never.until(Timestamp::MIN).is_some());
    for wrong in ["22", "22-7", "22:00", "25:00-07:00", "22:60-07:00", "a:b-c:d", "22:00-07:00-8"] {
        let error = Quiet::parse(wrong, TimeZone::UTC).unwrap_err();
        assert_eq!(error, QuietError::Form(wrong.to_owned()));
    }
    assert_eq!(Quiet::parse("7:00-07:00", TimeZone::UTC), Err(QuietError::Whole));
}

#[test]
fn quiet_hours_hold_messages_back() {
    let quiet = Quiet::parse("22:00-07:00", TimeZone::UTC).unwrap();
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let mut queue = Queue::default();
    queue.push(&discovery("a", false, 1, &[("x", true)])).unwrap();
    let evening = at("2026-11-22T21:59:30Z");
    let sent = due(queue.clone(), State::default(), evening, &quiet);
    assert_eq!(sent.messages.len(), 1);
    // The pause ends at night.
    let waiting = due(queue.clone(), sent.state, evening, &quiet);
    assert_eq!(waiting.next, Some(at("2026-11-23T07:00:00Z")));
    let mut acted = sent.state;
    acted.acted(at("2026-11-22T22:10:00Z"), at("2026-11-22T22:10:00Z"));
    let waiting = due(queue, acted, at("2026-11-22T22:10:00Z"), &quiet);
    assert_eq!((waiting.messages.len(), waiting.next), (0, Some(at("2026-11-23T07:00:00Z"))));
    assert_eq!(due(waiting.queue, acted, at("2026-11-23T07:00:00Z"), &quiet).messages.len(), 1);
}

#[derive(Debug, Clone)]
enum Step {
    Discover { entity: u8, facts: u8 },
    Act,
    Ask,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<(i64, Step)>> {
    let step = prop_oneof![
        (0..20_u8, 1..30_u8).prop_map(|(entity, facts)| Step::Discover { entity, facts }),
        Just(Step::Act),
        Just(Step::Ask),
        Just(Step::Restart),
    ];
    prop::collection::vec((0_i64..5_000, step), 0..60)
}

proptest! {
    #[test]
    fn nothing_is_lost_doubled_or_sent_too_early(steps in steps(), at_night in any::<bool>()) {
        let quiet = if at_night { "22:00-07:00" } else { "" };
        let quiet = Quiet::parse(quiet, TimeZone::UTC).unwrap();
        let (mut queue, mut state, mut now) = (Queue::default(), State::default(), now());
        let mut added: BTreeMap<String, usize> = BTreeMap::new();
        let mut told: BTreeMap<String, usize> = BTreeMap::new();
        let mut listed: Vec<String> = Vec::new();
        let (mut last, mut acted, mut number) = (None::<Timestamp>, false, 0);
        let mut all: Vec<(i64, Step)> = steps;
        all.extend((0..40).map(|_| (90_000, Step::Ask)));
        for (seconds, step) in all {
            now += SignedDuration::from_secs(seconds);
            match step {
                Step::Discover { entity, facts } => {
                    let name = entity.to_string();
                    let texts: Vec<String> = (0..facts).map(|n| format!("{number}-{n}")).collect();
                    number += 1;
                    let facts: Vec<(&str, bool)> = texts.iter().map(|it| (&**it, true)).collect();
                    queue.push(&discovery(&name, false, 99, &facts)).unwrap();
                    *added.entry(name).or_default() += facts.len();
                }
                Step::Act => {
                    state.acted(now, now);
                    acted = true;
                }
                Step::Restart => {
                    queue = serde_json::from_str(&serde_json::to_string(&queue).unwrap()).unwrap();
                    state = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
                }
                Step::Ask => {
                    let found = due(queue, state, now, &quiet);
                    prop_assert_eq!(found.next.is_none(), found.queue.is_empty());
                    prop_assert!(found.next.is_none_or(|next| next > now && quiet.until(next).is_none()));
                    if !found.messages.is_empty() {
                        prop_assert!(quiet.until(now).is_none());
                        prop_assert!(found.messages.len() <= MAX_BATCH);
                        let since = last.map(|last| now.duration_since(last));
                        prop_assert!(acted || since.is_none_or(|since| since >= FIRST_PAUSE));
                        (last, acted) = (Some(now), false);
                    } else if !found.queue.is_empty() {
                        let late = found.next.is_some_and(|next| {
                            next.duration_since(now) > SignedDuration::from_hours(10)
                        });
                        prop_assert!(!late);
                    }
                    for message in found.messages {
                        prop_assert!(message.facts.len() <= MAX_SHOWN_FACTS);
                        *told.entry(message.entity).or_default() += message.facts.len() + message.more;
                        listed.extend(message.facts);
                    }
                    (queue, state) = (found.queue, found.state);
                }
            }
        }
        prop_assert!(queue.is_empty());
        prop_assert_eq!(told, added);
        let count = listed.len();
        listed.sort();
        listed.dedup();
        prop_assert_eq!(listed.len(), count);
    }
}
