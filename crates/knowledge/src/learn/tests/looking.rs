//! Where it is looked, how often, and telling what was found: `sources`, `deepen`, `tell`.

use std::{collections::BTreeMap, path::PathBuf};

use jiff::tz::TimeZone;

use super::*;
use crate::{
    enrich::{Candidate, Mode},
    interest::{EngagementKind, Valence},
    learn::{
        deepen::{Deepened, candidates, deepen},
        entity_store::Written,
        interests::Interests,
        pipeline::{Discovered, Told},
        record::{EngagementRecord, Trigger},
        sources::{Files, Program},
        tell::{acted, tell},
    },
    notify::{FileSink, Outlet, Quiet},
};
use elophanto_base::process::Environment;
use elophanto_repo::journal::Place;

fn shell(script: &str) -> Program {
    let argv = ["sh", "-c", script, "sh"].map(str::to_owned).to_vec();
    let path = std::env::var("PATH").unwrap_or_default();
    let environment = Environment::from([("PATH".to_owned(), path)]);
    Program { argv, environment, folder: None }
}

#[test]
fn a_program_prints_findings_or_a_text() {
    // What it does; then title, address and text of each finding.
    type Row = (Option<&'static str>, Option<&'static str>, &'static str);
    let cases: [(&str, &[Row]); 9] = [
        ("printf 'Otters swim.'", &[(None, None, "Otters swim.")]),
        (
            r#"printf '{"text":"a","url":"u","title":"t","more":[1]}'"#,
            &[(Some("t"), Some("u"), "a")],
        ),
        (
            r#"printf '{"content":"a","link":"u"}\n\n{"snippet":"b","source":"v"}\r\n'"#,
            &[(None, Some("u"), "a"), (None, Some("v"), "b")],
        ),
        // One line that is no finding makes all of it a text.
        (r#"printf '{"text":"a"}\nnothing'"#, &[(None, None, "{\"text\":\"a\"}\nnothing")]),
        (r#"printf '{"title":"t"}'"#, &[(None, None, "{\"title\":\"t\"}")]),
        (
            r#"printf '<html><head><title>T</title></head><body><p>Otters swim.</p></body></html>'"#,
            &[(Some("T"), None, "Otters swim.")],
        ),
        ("true", &[]),
        // The query is one argument, whatever is in it.
        (r#"printf '%s' "$#:$1""#, &[(None, None, "1:$(id) --help; 'x'")]),
        (r"printf '\377\376\001'", &[]),
    ];
    for (script, expected) in cases {
        let found = shell(script).find("$(id) --help; 'x'").unwrap();
        let rows: Vec<(Option<&str>, Option<&str>, &str)> = found
            .iter()
            .map(|it| (it.title.as_deref(), it.url.as_deref(), it.text.trim_end()))
            .collect();
        assert_eq!(rows, expected, "{script}");
    }
    let many = shell(r#"for n in $(seq 200); do echo '{"text":"a"}'; done"#).find("q").unwrap();
    assert_eq!(many.len(), 50);
    // What begins as an option does is none.
    let found = shell(r#"printf '%s' "$*""#).find("--config=/tmp/x").unwrap();
    assert_eq!(found[0].text.trim_end(), "-- --config=/tmp/x");
    for (script, expected) in [
        ("echo 'no key' >&2; exit 3", "`sh` failed (exit 3): no key"),
        ("kill -9 $$", "`sh` failed (signal 9): it said nothing"),
    ] {
        assert_eq!(shell(script).find("q").unwrap_err().to_string(), expected);
    }
}

#[test]
fn files_are_found_by_most_of_the_words() {
    let rig = Rig::new();
    rig.write("docs/otters.md", "# Otters\n\nSea otters hold hands while they sleep.\n");
    rig.write("docs/sea.txt", "The sea is deep, and otters are in it: otters, otters, otters.\n");
    rig.write("docs/tax.md", "The form is due by the end of May, by the sea.\n");
    rig.write("docs/otters.rs", "// Sea otters sleep.\n");
    rig.write("docs/own/otters.md", "Sea otters sleep.\n");
    rig.write("docs/empty.md", "");
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("far.md"), "Sea otters sleep far away.\n").unwrap();
    let secret = rig.root().join("docs/link.md");
    std::os::unix::fs::symlink(outside.path().join("far.md"), secret).unwrap();
    let files = |folders: &[PathBuf]| Files {
        root: rig.root().to_owned(),
        folders: folders.to_vec(),
        except: vec!["docs/own".into()],
    };
    let found = |folders: &[PathBuf], query: &str| -> Vec<String> {
        let found = files(folders).find(query).unwrap();
        found.into_iter().map(|finding| finding.url.unwrap()).collect()
    };
    let docs = [PathBuf::from("docs")];
    assert_eq!(found(&docs, "Where do SEA otters sleep?"), ["docs/otters.md"]);
    assert_eq!(found(&docs, "sea otters"), ["docs/sea.txt", "docs/otters.md"]);
    assert!(found(&docs, "walrus").is_empty() && found(&["nowhere".into()], "otters").is_empty());
    // Where a file outside lies is nobody's business.
    assert_eq!(found(&[outside.path().to_owned()], "sea otters"), ["file:far.md"]);
}

fn interest(store: &EntityStore, seconds: i64) -> (EntitySnapshot, Log, Vec<Candidate>) {
    let (snapshot, log) = (store.read(at(seconds)), log_of(store.record_store, seconds));
    let interests = Interests::read(store.record_store, at(seconds));
    let scores = interests.scores(USER, &snapshot, &Meaning::builtin(), at(seconds));
    let candidates = candidates(&snapshot, &log, &interests, &scores, USER);
    (snapshot, log, candidates)
}

#[test]
fn what_is_most_worth_it_is_looked_for_within_the_pace() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let store = store(&record_store);
    let mut snapshot = EntitySnapshot::default();
    let slugs = ["Otter", "Heron", "Badger"]
        .map(|name| entity(&store, &mut snapshot, name, &[("It lives by the river.", "s")]));
    let act = |slug: &str, kind, valence, seconds| {
        EngagementRecord::new(USER, slug, kind, valence, "x", at(seconds))
    };
    let notified = EngagementKind::ReactionNotificationNegative;
    record_store
        .write(
            Place::Local,
            &[
                act(&slugs[0], EngagementKind::LearnCommand, Valence::Positive, 0),
                act(&slugs[1], EngagementKind::Search, Valence::Positive, 0),
                act(&slugs[2], EngagementKind::LearnCommand, Valence::Positive, 0),
                // No more of the badger, please.
                act(&slugs[2], notified, Valence::Negative, 1),
            ],
        )
        .unwrap();
    let go = |sources: &[Box<dyn Source>], hourly, seconds| {
        let (snapshot, _, candidates) = interest(&store, seconds);
        let now = || at(seconds);
        deepen(&record_store, &snapshot, &candidates, sources, hourly, USER, &now).unwrap()
    };
    let good = [fixed("s", Some(&["Otters swim."]))];
    let names: Vec<String> =
        interest(&store, 2).2.into_iter().map(|candidate| candidate.slug).collect();
    assert_eq!(names, ["heron", "otter"]);
    assert!(matches!(go(&good, 0, 5), Deepened::Later(_)), "switched off");
    // Three searches for the otter, and one is left for the heron.
    let Deepened::Searched { name, mode, made } = go(&good, 4, 10) else { panic!() };
    assert_eq!((name.as_str(), mode, made.len()), ("Otter", Mode::Broad, 3));
    let Deepened::Searched { name, made, .. } = go(&good, 4, 20) else { panic!() };
    assert_eq!((name.as_str(), made.len()), ("Heron", 1));
    assert!(matches!(go(&good, 4, 30), Deepened::Later(_)), "used up");
    let log = log_of(&record_store, 40);
    assert_eq!(log.searches.len(), 4);
    assert!(log.searches.values().all(|search| {
        search.trigger() == Trigger::Enrichment && search.entity.is_some() && !search.queued
    }));
    // A source that fails is left alone for a while, and its search is not written down.
    let bad = [fixed("s", None)];
    let Deepened::Searched { made, .. } = go(&bad, 4, 4_000) else { panic!() };
    assert_eq!(made.len(), 1);
    assert!(matches!(go(&good, 4, 4_010), Deepened::Later(_)), "it rests");
    assert_eq!(log_of(&record_store, 4_020).searches.len(), 4);
    // A pace that cannot be read is begun anew.
    rig.write(".elophanto/cache/enrich.json", "{\"searches\": 7");
    assert!(matches!(go(&good, 4, 4_030), Deepened::Searched { .. }));
}

#[test]
fn nobody_is_told_at_night_and_nothing_is_lost() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let missing = FileSink::new(rig.root().join("nowhere/messages"));
    let outlets = [Outlet::Sink(Box::new(missing)), Outlet::Terminal];
    let discovered = |name: &str, text: &str| Discovered {
        is_aside: false,
        slug: name.to_lowercase(),
        name: name.to_owned(),
        is_new: true,
        facts: vec![Told {
            written: Written { id: "1".to_owned(), text: text.to_owned() },
            novel: true,
            against: None,
        }],
        known: 1,
        image: None,
        prompt: None,
    };
    // The tests begin at noon.
    let night = Quiet::parse("11:00-13:00", TimeZone::UTC).unwrap();
    let found = [discovered("Otter", "Otters swim."), discovered("Heron", "Herons fish.")];
    let told = tell(&record_store, &found, &outlets, &night, USER, at(0)).unwrap();
    assert_eq!((told.sent, told.waiting, told.printed.len()), (0, 2, 0));
    assert_eq!(told.next, Some(at(3_600)));
    // One outlet fails; the other is told all the same, and it is written down.
    let told = tell(&record_store, &[], &outlets, &Quiet::none(), USER, at(10)).unwrap();
    assert!(told.sent > 0 && told.printed.len() == told.sent && told.failed.len() == told.sent);
    let mut sent = told.sent;
    for hour in 1..10 {
        acted(&record_store, at(hour * 3_600 - 10)).unwrap();
        sent += tell(&record_store, &[], &outlets, &Quiet::none(), USER, at(hour * 3_600))
            .unwrap()
            .sent;
    }
    let told: BTreeMap<String, usize> = Interests::read(&record_store, at(90_000))
        .notifications
        .values()
        .map(|record| (record.entity_id.clone(), record.facts))
        .collect();
    assert_eq!(told, BTreeMap::from([("heron".to_owned(), 1), ("otter".to_owned(), 1)]));
    assert_eq!(sent, 2);
    // What cannot be read is begun anew.
    rig.write(".elophanto/cache/notify.json", "[]");
    let told =
        tell(&record_store, &found[..1], &outlets, &Quiet::none(), USER, at(99_000)).unwrap();
    assert_eq!((told.sent, told.waiting), (1, 0));
}
