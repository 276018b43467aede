//! Prompts and their searches: `run`, `log` and `responses`.

use std::time::Duration;

use super::*;
use crate::learn::{
    record::{EXTRACTION, Extraction, MESSAGE, Message, Search, Status, Trigger},
    responses,
    run::{ask_for, make, make_queued, queued},
};
use elophanto_repo::journal::Place;

fn queries(log: &Log) -> Vec<String> {
    log.queued().into_iter().map(|search| search.query.clone()).collect()
}

/// How many findings of a search were kept.
fn brought(record_store: &RecordStore, search: &Search) -> usize {
    let hash = search.response_hash.as_deref();
    hash.map_or(0, |hash| responses::load(record_store, hash).unwrap().len())
}

#[test]
fn a_prompt_waits_with_its_searches_until_they_are_made() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let secret = concat!("AKIA", "Q3EGZ7NTV5KLM2HP");
    let wanted = ["otters".to_owned(), format!("otters {secret}"), "otters now".to_owned()];
    let (prompt, searches) =
        ask_for(&record_store, "otters", &wanted, Trigger::LearnCommand, USER, at(0)).unwrap();
    let log = log_of(&record_store, 10);
    let waiting = queries(&log);
    assert_eq!((waiting[0].as_str(), waiting[2].as_str()), ("otters", "otters now"));
    assert!(!waiting[1].contains(secret), "{waiting:?}");
    assert!(log.unprocessed().is_empty(), "what was not searched has nothing to process");
    assert_eq!(log.searches_of(&prompt.id).len(), 3);
    assert!(!log.is_done(&prompt));

    let sources = [fixed("a", Some(&["Otters swim."])), fixed("b", None)];
    let made = make_queued(&record_store, &sources, &|| at(20)).unwrap();
    assert_eq!(made.len(), 3);
    assert!(
        made.iter()
            .all(|made| brought(&record_store, &made.search) == 1 && made.failed[0].0 == "b")
    );
    let log = log_of(&record_store, 30);
    assert!(queries(&log).is_empty());
    let ids: Vec<&str> = searches.iter().map(|search| search.id.as_str()).collect();
    let work = log.unprocessed();
    assert_eq!(work.iter().map(crate::learn::log::Work::id).collect::<Vec<_>>(), ids);
    let prompt = &log.prompts[&prompt.id];
    assert_eq!((prompt.status, prompt.searches_remaining), (Status::Completed, 0));
    assert!(!log.is_done(prompt), "nothing is extracted yet");

    for id in ids {
        let done = Extraction {
            kind: EXTRACTION.to_owned(),
            id: id.to_owned(),
            at: at(40),
            model: "extractive".to_owned(),
            entities_created: 0,
            facts_added: 0,
        };
        record_store.write(log.place(id), &[&done]).unwrap();
    }
    let log = log_of(&record_store, 50);
    assert!(log.unprocessed().is_empty() && log.is_done(&log.prompts[&prompt.id]));
}

#[test]
fn a_search_waits_on_only_if_every_source_fails() {
    // Each source: what it brings, `None` for a failure. Then: findings, failures, waits on.
    type Texts = Option<&'static [&'static str]>;
    type Case<'a> = (&'a [Texts], (usize, usize, bool));
    let cases: [Case; 6] = [
        (&[None, None], (0, 2, true)),
        (&[None, Some(&["Otters."])], (1, 1, false)),
        (&[None, Some(&[])], (0, 1, false)),
        (&[Some(&[])], (0, 0, false)),
        (&[Some(&["A.", "B."]), Some(&["C."])], (3, 0, false)),
        (&[], (0, 0, false)),
    ];
    for (texts, expected) in cases {
        let rig = Rig::new();
        let record_store = rig.record_store();
        let sources: Vec<Box<dyn Source>> = texts.iter().map(|texts| fixed("s", *texts)).collect();
        let search = queued("otters", Trigger::UserMessage, USER, at(0));
        record_store.write(Place::Local, &[&search]).unwrap();
        // A clock that was put back must not lose the record.
        let made = make(&record_store, Place::Local, &search, &sources, &|| false, &|| at(-1_000))
            .unwrap();
        let found = brought(&record_store, &made.search);
        assert_eq!((found, made.failed.len(), made.search.queued), expected, "{texts:?}");
        let log = log_of(&record_store, 10);
        assert_eq!(log.searches[&search.id], made.search);
        assert_eq!(log.queued().len(), usize::from(expected.2), "{texts:?}");
    }
}

#[test]
fn searches_stop_at_the_first_that_fails_and_go_on_from_there() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let wanted = ["one".to_owned(), "two".to_owned()];
    let (prompt, _) =
        ask_for(&record_store, "numbers", &wanted, Trigger::LearnCommand, USER, at(0)).unwrap();
    let made = make_queued(&record_store, &[fixed("s", None)], &|| at(5)).unwrap();
    assert_eq!(made.len(), 1);
    assert_eq!(queries(&log_of(&record_store, 10)), ["one", "two"]);
    let sources = [fixed("s", Some(&[]))];
    assert_eq!(make_queued(&record_store, &sources, &|| at(20)).unwrap().len(), 2);
    assert_eq!(log_of(&record_store, 30).prompts[&prompt.id].status, Status::Completed);
}

/// What a cloned journal has queued, or heard, is nobody's wish here.
#[test]
fn what_others_queued_or_said_is_not_made() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let other = "01BX5ZZKBKACTAV9WEVGEMMVRZ";
    let wanted = ["--config=/tmp/x".to_owned()];
    ask_for(&record_store, "x", &wanted, Trigger::LearnCommand, other, at(0)).unwrap();
    let heard = |user: &str| Message {
        kind: MESSAGE.to_owned(),
        id: format!("m-{user}"),
        at: at(0),
        user: user.to_owned(),
        text: "Otters are made of gold.".to_owned(),
    };
    record_store.write(Place::Shared, &[heard(other), heard(USER)]).unwrap();
    let found = Search {
        queued: false,
        response_hash: Some("0".repeat(64)),
        ..queued("gold", Trigger::UserMessage, other, at(1))
    };
    record_store.write(Place::Shared, &[&found]).unwrap();
    let log = log_of(&record_store, 10);
    assert_eq!(queries(&log), [""; 0]);
    let waiting: Vec<String> = log.unprocessed().iter().map(|it| it.id().to_owned()).collect();
    assert_eq!(waiting, [format!("m-{USER}")]);
    let sources = [fixed("s", Some(&["Otters swim."]))];
    assert!(make_queued(&record_store, &sources, &|| at(20)).unwrap().is_empty());
}

#[test]
fn records_that_cannot_be_read_are_told_and_the_others_count() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    ask_for(&record_store, "otters", &["otters".to_owned()], Trigger::LearnCommand, USER, at(0))
        .unwrap();
    let header = r#""id":"01JZZZZZZZZZZZZZZZZZZZZZZZ","at":"2026-11-01T12:00:00Z""#;
    // A search of another shape, of an unknown trigger, and no JSON at all.
    let lines = format!(
        "{{\"kind\":\"search\",{header},\"timestamp\":7}}\n{{\"kind\":\"search\",\n{{\"kind\":\"search\",\
         \"id\":\"strange\",\"at\":\"2026-11-01T12:00:00Z\",\"timestamp\":\"2026-11-01T12:00:00Z\",\
         \"query\":\"q\",\"trigger\":\"god_mode\",\"response_hash\":\"../../../etc/passwd\"}}\n"
    );
    rig.write(".elophanto/journal/2026-11/01jzzzzzzzzzzzzzzzzzzzzzzz.jsonl", lines);
    let log = log_of(&record_store, 10);
    assert_eq!(log.problems.len(), 1, "{:?}", log.problems);
    assert_eq!((log.prompts.len(), log.searches.len()), (1, 2));
    let strange: &Search = &log.searches["strange"];
    assert_eq!(strange.trigger(), Trigger::Enrichment);
    assert!(responses::load(&record_store, strange.response_hash.as_deref().unwrap()).is_none());
}

#[test]
fn a_response_is_what_it_was_or_nothing() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let finding = Finding { text: "Otters swim.".to_owned(), ..Finding::default() };
    let hash = responses::keep(&record_store, std::slice::from_ref(&finding)).unwrap();
    assert_eq!(responses::load(&record_store, &hash).unwrap(), [finding]);
    let folder = ".elophanto/cache/responses";
    let zeros = "0".repeat(64);
    rig.write(&format!("{folder}/{zeros}.json"), "[]");
    rig.write("outside.json", "[]");
    let link = rig.root().join(format!("{folder}/{}.json", blake3::hash(b"[]").to_hex()));
    std::os::unix::fs::symlink(rig.root().join("outside.json"), &link).unwrap();
    for wrong in
        ["", "../../outside", &hash[1..], &zeros, &"z".repeat(64), &blake3::hash(b"[]").to_hex()]
    {
        assert!(responses::load(&record_store, wrong).is_none(), "{wrong:?}");
    }
    std::fs::write(rig.root().join(format!("{folder}/{hash}.json")), "[]").unwrap();
    assert!(responses::load(&record_store, &hash).is_none(), "changed since");
}

#[test]
fn no_secret_is_kept() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let key = concat!("AKIA", "Q3EGZ7NTV5KLM2HP");
    let said = || Some(format!("https://host/{key}"));
    let text = format!("The token is {key}.");
    let finding = Finding { title: said(), url: said(), text, image: said(), ..Finding::default() };
    let hash = responses::keep(&record_store, &[finding]).unwrap();
    let kept = rig.root().join(format!(".elophanto/cache/responses/{hash}.json"));
    let kept = std::fs::read_to_string(kept).unwrap();
    assert!(!kept.contains(key) && kept.contains("The token is "), "{kept}");
    assert_eq!(responses::load(&record_store, &hash).unwrap().len(), 1);
}

#[test]
fn responses_go_when_they_are_old_and_nobody_needs_them() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let keep = |text: &str| {
        let finding = Finding { text: text.to_owned(), ..Finding::default() };
        responses::keep(&record_store, &[finding]).unwrap()
    };
    let (needed, old) = (keep("needed"), keep("old"));
    rig.write(".elophanto/cache/responses/.tmp123", "left over");
    let is_needed = |name: &str| name == needed;
    let day = Duration::from_secs(86_400);
    let count = |age, dry| responses::tidy(&record_store, age, &is_needed, dry).unwrap().0;
    assert_eq!(count(day, true), 1, "what a killed run left goes at any age");
    assert_eq!(count(day, false), 1);
    assert_eq!((count(day, false), count(Duration::ZERO, true)), (0, 1));
    assert_eq!(count(Duration::ZERO, false), 1);
    assert!(
        responses::load(&record_store, &needed).is_some()
            && responses::load(&record_store, &old).is_none()
    );
}
