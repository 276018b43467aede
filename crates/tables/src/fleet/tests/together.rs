//! Several who fold at once, models that change, and stores that fail.

use super::*;

#[test]
fn a_repository_that_changes_its_model_is_held_once() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    deposit(&fleet, &publication("r", 1, &["otters sleep"]));
    deposit(&fleet, &publication("s", 1, &["crabs walk"]));
    fleet.fold(false).unwrap();
    let other = Publication { model: "other".to_owned(), ..publication("r", 2, &["otters dive"]) };
    deposit(&fleet, &other);
    fleet.fold(false).unwrap();
    let held = held(&fleet);
    assert_eq!(held["r"], (2, vec!["otters dive".to_owned()]));
    assert_eq!(held["s"], (1, vec!["crabs walk".to_owned()]));
    assert_eq!(fleet.view(None).unwrap().tables().count(), 2);
}

#[test]
fn what_comes_back_to_a_table_is_not_taken_for_what_was_left_there() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    let state = |count: u64, model: &str| {
        let text = format!("state {count}");
        Publication { model: model.to_owned(), ..publication("r", count, &[&text]) }
    };
    deposit(&fleet, &state(1, MODEL));
    fleet.fold(false).unwrap();
    // It goes to the table of another model, and who folds it cannot clean up behind it.
    deposit(&fleet, &state(2, "other"));
    let left = format!("{}/_versions/", table::name_of(MODEL));
    store.faults(move |asked| {
        let is_it = asked.method == "PUT" && asked.object.contains(&left);
        is_it.then_some(Fault::Status(400, "BadRequest"))
    });
    fleet.fold(false).unwrap_err();
    store.no_faults();
    assert_eq!(held(&fleet)["r"].0, 2);
    deposit(&fleet, &state(3, MODEL));
    fleet.fold(false).unwrap();
    assert_eq!(held(&fleet)["r"], (3, vec!["state 3".to_owned()]));
    let rows = |model: &str| {
        let (place, name) = (fleet.0.clone(), table::name_of(model));
        let counting = async move {
            let dataset = table::open(&place, &name, &place.params).await.unwrap().unwrap();
            Ok(dataset.count_rows(None).await.unwrap())
        };
        fleet.run(WRITING, counting).unwrap()
    };
    assert_eq!((rows(MODEL), rows("other")), (2, 0));
}

#[test]
fn two_who_fold_at_once_lose_and_double_nothing() {
    let store = FakeStore::new();
    declared_on(&store);
    for round in 1..=12u64 {
        std::thread::scope(|scope| {
            for side in 0..3u64 {
                let store = &store;
                scope.spawn(move || {
                    let fleet = on_store(store);
                    // All of them publish states of one repository, whose model comes and goes, and one
                    // that is theirs alone.
                    let count = round * 3 + side;
                    let text = format!("state {count}");
                    let model = if (round + side) % 2 == 0 { MODEL } else { "other" };
                    let shared = publication("shared", count, &[&text, "same"]);
                    deposit(&fleet, &Publication { model: model.to_owned(), ..shared });
                    let own = format!("own-{side}");
                    deposit(&fleet, &publication(&own, round, &[&text]));
                    let folded = fleet.fold(side == 0 && round % 4 == 0).unwrap();
                    assert_eq!((&folded.aside[..], &folded.odd[..]), (&[][..], &[][..]));
                });
            }
        });
        let fleet = on_store(&store);
        fleet.fold(false).unwrap();
        let held = held(&fleet);
        let newest = round * 3 + 2;
        let mut expected = vec![format!("state {newest}"), "same".to_owned()];
        expected.sort();
        assert_eq!(held["shared"], (newest, expected), "round {round}");
        for side in 0..3 {
            let text = format!("state {}", round * 3 + side);
            assert_eq!(held[&format!("own-{side}")], (round, vec![text]), "round {round}");
        }
    }
}

#[test]
fn who_makes_a_table_that_others_made_meanwhile_overwrites_nothing() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    let name = table::name_of(MODEL);
    // Slow: it saw that there is no table, and wrote one that it has not committed.
    let (place, its) = (fleet.0.clone(), name.clone());
    let empty = async move { Ok(table::empty(&place, &its, MODEL, DIMENSION).await.unwrap()) };
    let empty = fleet.run(WRITING, empty).unwrap();
    assert!(!store.names().iter().any(|name| name.contains("_versions")));
    assert!(held(&fleet).is_empty(), "a table that has no version is not there yet");
    deposit(&fleet, &publication("r", 1, &["otters sleep"]));
    fleet.fold(false).unwrap();
    let place = fleet.0.clone();
    let begun = async move { Ok(table::begin(&place, &name, empty).await.unwrap()) };
    let begun = fleet.run(WRITING, begun).unwrap();
    assert!(begun.version().version > 1);
    assert_eq!(held(&fleet)["r"], (1, vec!["otters sleep".to_owned()]));
}

#[test]
fn faults_of_the_store_lose_and_double_nothing() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    let seed = AtomicU64::new(1);
    let mut failures = 0;
    for round in 1..=15u64 {
        let texts: Vec<String> =
            (0..4).map(|n| format!("text {n} of {}", round + 3 - n % 3)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        deposit(&fleet, &publication("r", round, &texts));
        let seed = seed.fetch_add(1, Ordering::Relaxed);
        store.faults(move |asked| {
            let mut random = fastrand::Rng::with_seed(seed * 7_919 + asked.number);
            match random.u8(..100) {
                0..4 => Some(Fault::Status(503, "SlowDown")),
                4..7 => Some(Fault::Cut),
                7..11 => Some(Fault::LostAnswer),
                _ => None,
            }
        });
        let mut tries = 0;
        while let Err(cause) = fleet.fold(false) {
            tries += 1;
            failures += 1;
            assert!(tries < 40, "{cause}");
        }
        store.no_faults();
        fleet.fold(false).unwrap();
        let mut expected: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        expected.sort();
        assert_eq!(held(&fleet)["r"], (round, expected), "round {round}, {failures} failures");
    }
}

#[test]
fn a_store_that_overwrites_is_refused() {
    let store = FakeStore::new();
    store.be_careless();
    let refused = on_store(&store).declare(models());
    assert!(matches!(refused, Err(FleetError::Store(StoreError::Careless { .. }))), "{refused:?}");
    assert!(store.names().is_empty(), "{:?}", store.names());
    for found in [1, 3] {
        let said = format!("{{\"format\": {found}, \"models\": []}}");
        store.put("bucket/kb/kb.json", said.into_bytes());
        let declared = on_store(&store).declared();
        assert!(matches!(declared, Err(FleetError::Format { found: it, .. }) if it == found));
    }
    store.put("bucket/kb/kb.json", b"hello".to_vec());
    assert!(matches!(on_store(&store).declared(), Err(FleetError::Undeclared { .. })));
}
