//! What is folded is found, with what it was chosen from, and at what cost.

use super::*;

#[test]
fn what_is_published_is_found_once_it_is_folded() {
    let store = FakeStore::new();
    let folder = tempfile::tempdir().unwrap();
    let local = address(&format!("file://{}/kb", folder.path().display()));
    for fleet in [Fleet::open(local, Keys::default(), None).unwrap(), on_store(&store)] {
        assert!(matches!(fleet.fold(false), Err(FleetError::Nothing { .. })));
        assert!(matches!(fleet.view(None), Err(FleetError::Nothing { .. })));
        assert_eq!(fleet.declare(models()).unwrap().models, models());
        assert_eq!(fleet.declare(Vec::new()).unwrap().models, models());
        deposit(&fleet, &publication("acme/sea", 1, &["otters sleep", "kelp grows"]));
        deposit(&fleet, &publication("acme/land", 5, &["badgers dig"]));
        assert_eq!(ask(&fleet, &["otters"], Only::default()), Vec::<String>::new());
        let folded = fleet.fold(false).unwrap();
        assert_eq!((folded.taken.len(), folded.inserted), (2, 5));
        assert_eq!(
            ask(&fleet, &["otters", "badgers"], Only::default()),
            ["badgers dig", "otters sleep"]
        );
        // Twice is once.
        assert_eq!(fleet.fold(false).unwrap(), Folded::default());
        // One chunk is new, one is gone, one is as it was.
        deposit(&fleet, &publication("acme/sea", 2, &["otters sleep", "crabs walk"]));
        let folded = fleet.fold(false).unwrap();
        // The head changes too.
        assert_eq!((folded.inserted, folded.updated, folded.deleted), (1, 1, 1));
        assert_eq!(ask(&fleet, &["kelp"], Only::default()), Vec::<String>::new());
        assert_eq!(ask(&fleet, &["crabs"], Only::default()), ["crabs walk"]);
        let view = fleet.view(None).unwrap();
        let heads: Vec<_> =
            view.heads().iter().map(|head| (&*head.repository, head.count)).collect();
        assert_eq!(heads, [("acme/land", 5), ("acme/sea", 2)]);
        // Jobs may end in any order.
        deposit(&fleet, &publication("acme/sea", 1, &["old"]));
        let folded = fleet.fold(false).unwrap();
        assert_eq!((folded.taken.len(), folded.dropped.len()), (0, 1));
        assert_eq!(held(&fleet)["acme/sea"].0, 2);
        // Retired.
        let head = Head { retired: true, ..head("acme/land", 5) };
        let nothing = Publication { head, rows: Vec::new(), ..publication("acme/land", 5, &[]) };
        deposit(&fleet, &nothing);
        fleet.fold(false).unwrap();
        assert_eq!(held(&fleet).keys().collect::<Vec<_>>(), ["acme/sea"]);
        deposit(&fleet, &publication("acme/land", 4, &["badgers dig"]));
        fleet.fold(false).unwrap();
        assert_eq!(held(&fleet).keys().collect::<Vec<_>>(), ["acme/sea"]);
    }
    assert!(store.names().iter().all(|name| !name.contains("inbox/")), "{:?}", store.names());
    assert_eq!(std::fs::read_dir(folder.path().join("kb/inbox")).unwrap().count(), 0);
}

/// Neither is it damaged, nor is it no knowledge base, nor has anything to be published again.
#[test]
fn a_folder_that_is_away_may_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (there, away) = (folder.path().join("kb"), folder.path().join("away"));
    let fleet = Fleet::open(address(&format!("file://{}", there.display())), Keys::default(), None)
        .unwrap();
    fleet.declare(models()).unwrap();
    deposit(&fleet, &publication("acme/sea", 1, &["otters sleep"]));
    fleet.fold(false).unwrap();
    let view = fleet.view(None).unwrap();
    let asked = || {
        let asked = Asked { terms: vec!["otters".to_owned()], ..asked(10) };
        view.tables().next().unwrap().ask(asked).map(|found| found.rows.len())
    };
    assert_eq!(asked().unwrap(), 1);
    std::fs::rename(&there, &away).unwrap();
    for is_mount_point in [false, true] {
        if is_mount_point {
            std::fs::create_dir(&there).unwrap();
        }
        for cause in [fleet.view_after(&view).err().unwrap(), asked().unwrap_err()] {
            let is_unreachable = matches!(cause, FleetError::Store(StoreError::Unreachable { .. }));
            assert!(is_unreachable && cause.is_passing(), "{is_mount_point}: {cause}");
        }
    }
    std::fs::remove_dir(&there).unwrap();
    std::fs::rename(&away, &there).unwrap();
    assert_eq!(asked().unwrap(), 1);
    assert_eq!(fleet.view_after(&view).unwrap().heads(), view.heads());
    // What somebody took away is gone.
    std::fs::remove_file(there.join("kb.json")).unwrap();
    let cause = fleet.view_after(&view).err().unwrap();
    assert!(matches!(cause, FleetError::Nothing { .. }) && !cause.is_passing(), "{cause}");
}

/// A model that a place takes vectors of costs nothing until somebody publishes some.
#[test]
fn a_model_that_nobody_published_has_no_table_and_no_request() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    deposit(&fleet, &publication("acme/sea", 1, &["otters sleep"]));
    let other = table::name_of("other");
    let is_of_other = |name: &str| name.contains(&other);
    fleet.fold(true).unwrap();
    assert!(!store.names().iter().any(|name| is_of_other(name)), "{:?}", store.names());
    store.asked();
    assert_eq!(ask(&on_store(&store), &["otters"], Only::default()), ["otters sleep"]);
    let asked = store.asked();
    assert!(
        !asked.is_empty() && !asked.iter().any(|asked| is_of_other(&asked.object)),
        "{asked:?}"
    );
    let of_other =
        Publication { model: "other".to_owned(), ..publication("acme/land", 1, &["badgers dig"]) };
    deposit(&fleet, &of_other);
    fleet.fold(false).unwrap();
    assert_eq!(fleet.view(None).unwrap().tables().count(), 2);
}

/// Parts of each index, rows that they do not hold, and fragments, of the only table.
fn indexes(fleet: &Fleet) -> (BTreeMap<String, usize>, usize, usize) {
    let place = fleet.0.clone();
    let looking = async move {
        let name = table::names(&place).await?.remove(0);
        let dataset = table::open(&place, &name, &place.params).await.unwrap().unwrap();
        let mut parts = BTreeMap::new();
        for part in dataset.load_indices().await.unwrap().iter() {
            *parts.entry(part.name.clone()).or_default() += 1;
        }
        let beside = dataset.unindexed_fragments(table::WORDS).await.unwrap();
        let beside = beside.iter().filter_map(|fragment| fragment.num_rows()).sum();
        Ok((parts, beside, dataset.get_fragments().len()))
    };
    fleet.run(WRITING, looking).unwrap()
}

#[test]
fn indexes_follow_what_is_folded() {
    /// More than may lie beside them.
    const EACH: usize = 1_300;
    let folder = tempfile::tempdir().unwrap();
    let local = address(&format!("file://{}/kb", folder.path().display()));
    let fleet = Fleet::open(local, Keys::default(), None).unwrap();
    fleet.declare(models()).unwrap();
    let mut joined = 0;
    for round in 1..=24u64 {
        // The last ones take the place of the first.
        let repository = format!("r{}", round % 20);
        let texts: Vec<String> =
            (0..EACH).map(|n| format!("otter{round} number{n} kelp")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        deposit(&fleet, &publication(&repository, round, &texts));
        assert!(fleet.fold(false).unwrap().tended, "round {round}");
        let (parts, beside, fragments) = indexes(&fleet);
        assert_eq!((beside, parts["repo"]), (0, parts["kind"]));
        let most = |name: &str| if name == table::WORDS { 3 } else { 2 };
        assert!(parts.iter().all(|(name, parts)| *parts <= most(name)), "round {round}: {parts:?}");
        assert_eq!(parts.contains_key(table::VECTORS), round as usize * (EACH + 1) >= 10_000);
        assert!(fragments <= table::MOST_FRAGMENTS, "round {round}: {fragments}");
        joined += usize::from(parts["repo"] == 1);
        let view = fleet.view(None).unwrap();
        let table = view.tables().next().unwrap();
        let newest = format!("otter{round}");
        let found = |terms: &[&str]| {
            let terms = terms.iter().map(|term| (*term).to_owned()).collect();
            table.ask(Asked { terms, ..asked(10) }).unwrap()
        };
        assert_eq!(found(&[&newest]).rows.len(), 10, "round {round}");
        assert_eq!(found(&["otter1"]).rows.is_empty(), round > 20, "round {round}");
        let found = found(&["otter1", "otter3", "kelp", &newest]);
        if round < 20 {
            assert_eq!(found.whole.chunks, round as usize * EACH);
            assert_eq!(found.whole.holding["kelp"], round as usize * EACH);
            assert_eq!(found.whole.holding[&newest], EACH);
            let third = if round < 3 { 0 } else { EACH };
            assert_eq!(
                (found.whole.holding["otter1"], found.whole.holding["otter3"]),
                (EACH, third)
            );
        }
    }
    assert!((1..5).contains(&joined), "{joined}");
    let held = held(&fleet);
    assert!(held.len() == 20 && held.values().all(|(_, texts)| texts.len() == EACH));
}

/// Joined with a new one, an index is read from one end to the other: a request for each small piece, each
/// after the one before it, took longer than all else of a fold.
#[test]
fn a_fold_fetches_each_part_of_an_index_once() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    for (round, many) in [(1, 10_000), (2, 1_300), (3, 1_300)] {
        let texts: Vec<String> = (0..many).map(|n| format!("otter{round} number{n}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        deposit(&fleet, &publication(&format!("r{round}"), 1, &texts));
        store.asked();
        assert!(fleet.fold(false).unwrap().tended, "round {round}");
    }
    let mut fetched: BTreeMap<String, usize> = BTreeMap::new();
    for asked in store.asked().into_iter().filter(|asked| asked.object.contains("/_indices/")) {
        assert_ne!(asked.method, "HEAD", "{}", asked.object);
        *fetched.entry(asked.object).or_default() += usize::from(asked.method == "GET");
    }
    assert!(fetched.keys().any(|object| object.ends_with("/auxiliary.idx")), "{fetched:?}");
    for (object, times) in fetched {
        // Its end comes with its size, and may be asked for by two at once.
        let megabytes = store.get(&object).unwrap().len() >> 20;
        assert!(times <= megabytes + 2, "{object}: {times}");
    }
}

/// An index holds a bit of each component, eight to a byte.
#[test]
fn vectors_whose_bits_fill_no_byte_are_all_looked_at() {
    const ODD: usize = 12;
    let store = FakeStore::new();
    let fleet = on_store(&store);
    fleet.declare(vec![Model { name: "odd".to_owned(), dimension: ODD }]).unwrap();
    let texts: Vec<String> = (0..10_000).map(|n| format!("number{n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut odd =
        Publication { model: "odd".to_owned(), dimension: ODD, ..publication("r", 1, &texts) };
    let vector = |n: usize| (0..ODD).map(move |place| if place == n % ODD { 1.0 } else { 0.0 });
    for (n, (row, _)) in odd.rows.iter_mut().enumerate() {
        row.vector = Some(Encoded::new(&vector(n.min(1)).collect::<Vec<_>>()));
    }
    deposit(&fleet, &odd);
    assert!(fleet.fold(true).unwrap().tended);
    let (parts, beside, _) = indexes(&fleet);
    assert!(!parts.contains_key(table::VECTORS) && beside == 0, "{parts:?}");
    let view = fleet.view(None).unwrap();
    let vector = Some(vector(0).collect());
    let found = view.tables().next().unwrap().ask(Asked { vector, ..asked(1) }).unwrap();
    assert!(found.rows.iter().any(|row| row.text == "number0"), "{:?}", found.rows);
}

#[test]
fn chunks_come_back_as_they_were_and_with_what_they_were_chosen_from() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    let sea = publication("acme/sea", 1, &["otters sleep", "otters dive", "kelp grows"]);
    deposit(&fleet, &sea);
    fleet.fold(false).unwrap();
    let view = fleet.view(None).unwrap();
    let table = view.tables().next().unwrap();
    assert_eq!((table.model(), table.dimension()), (MODEL, DIMENSION));
    let vector = sea.rows[0].0.vector.as_ref().unwrap();
    let vector = vector.codes.iter().map(|code| f32::from(*code) * vector.scale).collect();
    let terms = vec!["otters".to_owned(), "nowhere".to_owned()];
    let asked = Asked { terms, vector: Some(vector), ..asked(2) };
    let found = table.ask(asked.clone()).unwrap();
    let dives = found.rows.iter().find(|row| row.text == "otters dive").unwrap();
    let expected = &sea.rows[1].0;
    assert_eq!(dives, expected);
    assert_eq!((found.whole.mean_words, found.whole.mean_at_hand), (2.0, 2.0));
    assert_eq!(found.whole.chunks, 3);
    assert_eq!((found.whole.holding["otters"], found.whole.holding["nowhere"]), (2, 0));
    // Whose repositories they are is a condition before anything is chosen.
    for (repositories, expected) in
        [(vec!["acme/sea"], true), (vec!["acme/land"], false), (vec![], false)]
    {
        let repositories = Some(repositories.into_iter().map(str::to_owned).collect());
        let only = Only { repositories, ..Only::default() };
        let found = table.ask(Asked { only, ..asked.clone() }).unwrap();
        assert_eq!(!found.rows.is_empty(), expected);
    }
    let since = |since| Only { since: Some(since), ..Only::default() };
    // Two by words, of which one is near, and another near one.
    assert_eq!(table.ask(Asked { only: since(7), ..asked.clone() }).unwrap().rows.len(), 3);
    assert_eq!(table.ask(Asked { only: since(8), ..asked }).unwrap().rows.len(), 0);
}

/// How a word is weighed tells nothing of who may not be found, folded into the index or beside it.
#[test]
fn words_are_counted_where_they_may_be_found() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    let counted = |names: Option<&[&str]>, terms: &[&str]| {
        let view = fleet.view(None).unwrap();
        let repositories = names.map(|all| all.iter().map(|name| (*name).to_owned()).collect());
        let only = Only { repositories, ..Only::default() };
        let terms = terms.iter().map(|term| (*term).to_owned()).collect();
        let whole = view.tables().next().unwrap().ask(Asked { terms, only, ..asked(10) });
        let Whole { chunks, mean_words, holding, .. } = whole.unwrap().whole;
        let holding: BTreeMap<String, usize> = holding.into_iter().collect();
        (chunks, mean_words > 0.0, holding.into_values().collect::<Vec<_>>())
    };
    deposit(&fleet, &publication("acme/sea", 1, &["otters sleep", "otters dive", "kelp grows"]));
    deposit(&fleet, &publication("acme/vault", 1, &["otters bribe", "zanzibar falls"]));
    fleet.fold(true).unwrap();
    for tail in [0, 1] {
        let words = ["kelp", "otters", "zanzibar"];
        assert_eq!(counted(None, &words), (5 + 2 * tail, true, vec![1, 3 + tail, 1 + tail]));
        assert_eq!(counted(Some(&["acme/sea"]), &words), (3, false, vec![1, 2, 0]));
        let others = counted(Some(&["acme/vault", "acme/den"]), &words);
        assert_eq!(others, (2 + 2 * tail, false, vec![0, 1 + tail, 1 + tail]));
        deposit(&fleet, &publication("acme/den", 1, &["otters hide", "zanzibar rises"]));
        fleet.fold(false).unwrap();
    }
    let many: Vec<String> = (0..500).map(|number| format!("word{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(counted(Some(&["acme/sea"]), &many).2.len(), 32);
}

#[test]
fn lessons_come_back_and_are_counted() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    let expected = lesson("otters bite");
    deposit(&fleet, &with_lesson("acme/sea", Some(expected.clone())));
    fleet.fold(false).unwrap();
    let view = fleet.view(None).unwrap();
    let table = view.tables().next().unwrap();
    let of = |kinds: Vec<Kind>| {
        let only = Only { kinds, ..Only::default() };
        let terms = vec!["otters".to_owned()];
        table.ask(Asked { terms, only, counted: true, ..asked(10) }).unwrap()
    };
    let found = of(vec![Kind::Memory]);
    assert_eq!(found.rows.len(), 1, "{found:?}");
    assert_eq!((&found.rows[0].lesson, found.whole.among), (&Some(expected), 1));
    let found = of(vec![Kind::Note]);
    assert_eq!((found.rows.len(), found.whole.among), (1, 1), "{found:?}");
    assert_eq!(found.rows[0].lesson, None);
    // Whoever asks for all else never gets one, once it is known whether there are any.
    for _ in 0..2 {
        let found = of(Kind::SEARCHED.to_vec());
        assert_eq!((found.rows.len(), found.whole.among), (1, 1), "{found:?}");
    }
}

#[test]
fn kinds_are_no_condition_where_there_is_nothing_else() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    deposit(&fleet, &publication("acme/sea", 1, &["otters sleep", "otters dive"]));
    fleet.fold(false).unwrap();
    let of = |view: &View| {
        let table = view.tables().next().unwrap();
        let only = Only { kinds: Kind::SEARCHED.to_vec(), ..Only::default() };
        let terms = vec!["otters".to_owned(), "bite".to_owned()];
        let asked = Asked { terms, only, counted: true, ..asked(10) };
        let found = table.ask(asked).unwrap();
        assert!(found.rows.iter().all(|row| row.kind != Kind::Memory), "{found:?}");
        (found.rows.len(), found.whole.among)
    };
    let view = fleet.view(None).unwrap();
    // Nothing is counted where everything is let through.
    assert_eq!((of(&view), of(&view)), ((2, 2), (2, 0)));
    // It is another table once a lesson is folded.
    deposit(&fleet, &with_lesson("acme/land", Some(lesson("otters bite"))));
    fleet.fold(false).unwrap();
    let newer = fleet.view_after(&view).unwrap();
    assert_eq!((of(&newer), of(&newer)), ((3, 3), (3, 3)));
}

#[test]
fn what_was_read_before_is_answered_without_the_store() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    deposit(&fleet, &publication("r", 1, &["otters sleep", "kelp grows"]));
    fleet.fold(true).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let kept = |most_bytes| Kept { folder: folder.path().join("kept"), most_bytes };
    let cached =
        |most| Fleet::open(address("s3://bucket/kb"), keys(&store), Some(kept(most))).unwrap();
    let question = || Asked {
        terms: vec!["otters".to_owned()],
        vector: Some(vec![0.5; DIMENSION]),
        ..asked(5)
    };
    let answer = |view: &View| {
        let mut rows = Vec::new();
        for table in view.tables() {
            rows.extend(table.ask(question())?.rows);
        }
        Ok::<_, FleetError>(rows)
    };
    let first = answer(&cached(1 << 30).view(None).unwrap()).unwrap();
    store.asked();
    // A new process reads what says which files there are, and nothing else.
    let view = cached(1 << 30).view(None).unwrap();
    assert_eq!(answer(&view).unwrap(), first);
    let asked = store.asked();
    let is_kept = |object: &str| object.contains("/data/") || object.contains("/_indices/");
    let again: Vec<_> = asked.iter().filter(|asked| is_kept(&asked.object)).collect();
    assert!(again.is_empty(), "{again:?}");
    // The store is gone: an open view goes on.
    store.faults(|_| Some(Fault::Cut));
    assert_eq!(answer(&view).unwrap(), first);
    store.no_faults();
    // What is damaged is read anew.
    let files: Vec<_> = walk(folder.path());
    assert!(!files.is_empty());
    for file in &files {
        std::fs::write(file, b"damaged").unwrap();
    }
    assert_eq!(answer(&cached(1 << 30).view(None).unwrap()).unwrap(), first);
    // The cap is held.
    assert_eq!(answer(&cached(4_000).view(None).unwrap()).unwrap(), first);
    answer(&cached(4_000).view(None).unwrap()).unwrap();
}

#[test]
fn a_question_costs_a_request_for_each_chunk_that_is_read() {
    const CHUNKS: usize = 80;
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    // So long that no two of them come with one request.
    let texts: Vec<String> =
        (0..CHUNKS).map(|number| format!("otters {number} {}", "kelp ".repeat(20_000))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    deposit(&fleet, &publication("r", 1, &texts));
    fleet.fold(true).unwrap();
    let view = fleet.view(None).unwrap();
    let table = view.tables().next().unwrap();
    table.warm().unwrap();
    let question = |term: &str| Asked {
        terms: vec![term.to_owned()],
        vector: Some(vec![0.5; DIMENSION]),
        read: 12,
        ..asked(40)
    };
    table.ask(question("otters")).unwrap();
    store.asked();
    let found = table.ask(question("kelp")).unwrap();
    // The best of both, three of each, and eight of each that the other one says least of.
    assert!((12..=12 + 6 + 16).contains(&found.rows.len()), "{}", found.rows.len());
    let asked = store.asked();
    let count = |part: &str| asked.iter().filter(|asked| asked.object.contains(part)).count();
    // Vectors, of which there are too few for an index, and what says where rows lie in a part of a file
    // that was not read before, are a few more.
    assert!(count("/data/") <= 2 * found.rows.len(), "{asked:#?}");
    assert_eq!(count("/_indices/"), 0, "{asked:#?}");
    assert_eq!(count("/data/"), asked.len(), "{asked:#?}");
    // Who looks again and finds all as it was reads nothing anew.
    let again = fleet.view_after(&view).unwrap();
    assert!(store.asked().len() <= 3);
    assert_eq!(again.heads(), view.heads());
    deposit(&fleet, &publication("r", 2, &texts[..3]));
    fleet.fold(false).unwrap();
    let newer = fleet.view_after(&again).unwrap();
    assert_eq!(newer.heads().iter().map(|head| head.count).collect::<Vec<_>>(), [2]);
    let table = newer.tables().next().unwrap();
    assert_eq!(table.ask(question("otters")).unwrap().rows.len(), 3);
}

#[test]
fn the_past_is_there_for_some_days() {
    let folder = tempfile::tempdir().unwrap();
    let local = address(&format!("file://{}/kb", folder.path().display()));
    let fleet = Fleet::open(local, Keys::default(), None).unwrap();
    fleet.declare(models()).unwrap();
    let now = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        since.as_secs() as i64
    };
    let before = now() - 10;
    deposit(&fleet, &publication("r", 1, &["otters sleep"]));
    fleet.fold(false).unwrap();
    let then = now() + 1;
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    deposit(&fleet, &publication("r", 2, &["otters dive"]));
    fleet.fold(false).unwrap();
    let count = |view: View| view.heads().first().map(|head| head.count);
    assert_eq!(count(fleet.view(Some(then)).unwrap()), Some(1));
    assert_eq!(count(fleet.view(Some(now() + 5)).unwrap()), Some(2));
    assert!(matches!(fleet.view(Some(before)), Err(FleetError::TooOld { .. })));
}
