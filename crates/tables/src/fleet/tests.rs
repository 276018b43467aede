use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicU64, Ordering},
};

use elophanto_index::{
    Kind,
    apart::{Row, Whole},
    store::{segment::LessonRecord, tables::Encoded},
};
use elophanto_net::fake_store::{FakeStore, Fault};
use elophanto_text::markdown::Scope;
use lance::index::{DatasetIndexExt as _, DatasetIndexInternalExt as _};

use super::*;

const MODEL: &str = "test-model@1:4:v1";
const DIMENSION: usize = 4;

fn models() -> Vec<Model> {
    let model = |name: &str| Model { name: name.to_owned(), dimension: DIMENSION };
    vec![model(MODEL), model("other")]
}

fn address(text: &str) -> Address {
    Address::parse(text).unwrap()
}

fn keys(store: &FakeStore) -> Keys {
    let variables = store.variables();
    Keys::of(|name| variables.get(name).cloned())
}

fn on_store(store: &FakeStore) -> Fleet {
    Fleet::open(address("s3://bucket/kb"), keys(store), None).unwrap()
}

fn declared_on(store: &FakeStore) -> Fleet {
    let fleet = on_store(store);
    fleet.declare(models()).unwrap();
    fleet
}

fn commit(count: u64) -> String {
    format!("{count:040x}")
}

fn head(repository: &str, count: u64) -> Head {
    Head {
        repository: repository.to_owned(),
        epoch: 0,
        count,
        commit: commit(count),
        time: 1_000 + count as i64,
        published: 2_000,
        retired: false,
        chunks: 0,
    }
}

fn unit(seed: u64) -> Encoded {
    let mut random = fastrand::Rng::with_seed(seed);
    let values: Vec<f32> = (0..DIMENSION).map(|_| random.f32() - 0.5).collect();
    let norm = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    Encoded::new(&values.iter().map(|value| value / norm).collect::<Vec<_>>())
}

fn row(repository: &str, path: &str, text: &str) -> (Row, String) {
    let row = Row {
        repository: repository.to_owned(),
        path: path.to_owned(),
        kind: Kind::Note,
        title: "T".to_owned(),
        titled: true,
        headings: vec!["One \"two\"".to_owned()],
        scope: Scope::User,
        tags: Vec::new(),
        lines: (1, 2),
        text: text.to_owned(),
        changed: Some(7),
        made_from: None,
        lesson: None,
        vector: Some(unit(blake3::hash(text.as_bytes()).as_bytes()[0].into())),
    };
    let terms = text.to_lowercase();
    (row, terms)
}

fn publication(repository: &str, count: u64, texts: &[&str]) -> Publication {
    let rows = texts.iter().enumerate();
    let rows = rows.map(|(index, text)| row(repository, &format!("n{index}.md"), text)).collect();
    Publication {
        head: head(repository, count),
        model: MODEL.to_owned(),
        dimension: DIMENSION,
        rows,
    }
}

fn deposit(fleet: &Fleet, publication: &Publication) {
    fleet.deposit(&publication.head, publication.encode().unwrap()).unwrap();
}

/// Texts of each repository, sorted, and its count of commits.
fn held(fleet: &Fleet) -> BTreeMap<String, (u64, Vec<String>)> {
    let view = fleet.view(None).unwrap();
    let mut held: BTreeMap<String, (u64, Vec<String>)> = view
        .heads()
        .iter()
        .map(|head| (head.repository.clone(), (head.count, Vec::new())))
        .collect();
    for table in view.tables() {
        let (sender, receiver) = std::sync::mpsc::channel();
        table.each(Only::default(), move |rows| sender.send(rows).is_ok()).unwrap();
        for row in receiver.into_iter().flatten() {
            held.get_mut(&row.repository).expect("a head of each row").1.push(row.text);
        }
    }
    held.values_mut().for_each(|(_, texts)| texts.sort());
    held
}

/// A question that says nothing yet, for so many chunks by words and as many by meaning.
fn asked(most: usize) -> Asked {
    Asked { most, read: 2 * most, meaning: 0.4, ..Asked::default() }
}

fn ask(fleet: &Fleet, terms: &[&str], only: Only) -> Vec<String> {
    let view = fleet.view(None).unwrap();
    let mut found = Vec::new();
    for table in view.tables() {
        let terms = terms.iter().map(|term| (*term).to_owned()).collect();
        let asked = Asked { terms, only: only.clone(), ..asked(10) };
        found.extend(table.ask(asked).unwrap().rows.into_iter().map(|row| row.text));
    }
    found.sort();
    found
}

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
}

/// Parts of each index, rows that they do not hold, and fragments, of the only table.
fn indexes(fleet: &Fleet) -> (BTreeMap<String, usize>, usize, usize) {
    let place = fleet.0.clone();
    let looking = async move {
        let name = table::names(&place).await?.remove(0);
        let dataset = table::newest(&place, &name).await.unwrap().unwrap();
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
        assert_eq!((beside, parts["words"], parts["key"]), (0, parts["repo"], parts["kind"]));
        assert!(parts.values().all(|parts| *parts <= 2), "round {round}: {parts:?}");
        assert_eq!(parts.contains_key(table::VECTORS), round as usize * (EACH + 1) >= 10_000);
        assert!(fragments <= table::MOST_FRAGMENTS, "round {round}: {fragments}");
        joined += usize::from(parts["words"] == 1);
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

fn lesson(text: &str) -> LessonRecord {
    LessonRecord {
        id: "01JAAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
        timestamp: "2026-01-01T00:00:00Z".parse().unwrap(),
        agent_id: "a".to_owned(),
        repo: "sea".to_owned(),
        event_type: "error".to_owned(),
        success_rate: "9/10".to_owned(),
        replaces: String::new(),
        fields: [(0, 0), (0, 0), (0, text.len()), (0, 0)],
    }
}

/// A publication with one lesson.
fn with_lesson(repository: &str, lesson: Option<LessonRecord>) -> Publication {
    let mut made = publication(repository, 1, &["otters sleep"]);
    let (mut row, terms) = row(repository, ".elophanto/memory/sea/a.jsonl", "otters bite");
    (row.kind, row.lesson) = (Kind::Memory, lesson);
    made.rows.push((row, terms));
    made
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
}

#[test]
fn what_lies_is_set_aside() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    let good = publication("good", 1, &["otters sleep"]);
    deposit(&fleet, &good);
    let bytes = |publication: &Publication| publication.encode().unwrap();
    let put = |object: &str, bytes: Vec<u8>| store.put(&format!("bucket/kb/{object}"), bytes);
    // Another repository's content, under a name of its own.
    put(&head("liar", 1).object(), bytes(&good));
    put(&head("half", 1).object(), bytes(&good)[..200].to_vec());
    put(&head("noise", 1).object(), vec![7; 5_000]);
    put("inbox/good/note.txt", b"hello".to_vec());
    let mut insane = publication("insane", 1, &["otters"]);
    insane.rows[0].0.vector = Some(Encoded { scale: f32::NAN, codes: vec![1; DIMENSION] });
    put(&insane.head.object(), bytes(&insane));
    let mut loud = publication("loud", 1, &["otters"]);
    loud.rows[0].0.vector = Some(Encoded { scale: 9.0, codes: vec![127; DIMENSION] });
    put(&loud.head.object(), bytes(&loud));
    let mut out = publication("out", 1, &["otters"]);
    out.rows[0].0.path = "../../etc/passwd".to_owned();
    put(&out.head.object(), bytes(&out));
    let cut = LessonRecord { fields: [(0, 99); 4], ..lesson("otters bite") };
    let odd = LessonRecord { event_type: "order".to_owned(), ..lesson("otters bite") };
    for (name, lesson) in [("cut", Some(cut)), ("none", None), ("odd", Some(odd))] {
        let made = with_lesson(name, lesson);
        put(&made.head.object(), bytes(&made));
    }
    let unknown = Publication { model: "third".to_owned(), ..publication("unknown", 1, &["a"]) };
    put(&unknown.head.object(), bytes(&unknown));
    // Of the same model, but with other dimensions.
    fleet.fold(false).unwrap();
    let wide = Publication { dimension: 8, rows: Vec::new(), ..publication("wide", 1, &[]) };
    put(&wide.head.object(), bytes(&wide));
    let folded = fleet.fold(false).unwrap();
    assert_eq!(folded.aside.len(), 1, "{folded:?}");
    let aside: BTreeSet<String> = store
        .names()
        .into_iter()
        .filter_map(|name| name.strip_prefix("bucket/kb/aside/").map(str::to_owned))
        .map(|name| name.split('/').next().unwrap_or_default().to_owned())
        .collect();
    let expected = [
        "cut", "good", "half", "insane", "liar", "loud", "noise", "none", "odd", "out", "unknown",
        "wide",
    ];
    assert_eq!(aside, expected.map(str::to_owned).into());
    assert_eq!(held(&fleet).keys().collect::<Vec<_>>(), ["good"]);
}

/// Bytes changed at random never end anything but the publication.
#[test]
fn changed_bytes_are_refused_or_harmless() {
    let right = publication("r", 1, &["otters sleep", "kelp grows", "crabs"]);
    let (object, bytes) = (right.head.object(), right.encode().unwrap());
    let mut random = fastrand::Rng::with_seed(5);
    let mut refused = 0;
    for _ in 0..3_000 {
        let mut bytes = bytes.clone();
        for _ in 0..random.usize(1..5) {
            let at = random.usize(..bytes.len());
            bytes[at] = match random.u8(..3) {
                0 => bytes[at] ^ (1 << random.u8(..8)),
                1 => 0xff,
                _ => random.u8(..),
            };
        }
        let object = object.clone();
        let read = work::run(ASKING, async move { fold::decode(&object, bytes) });
        refused += usize::from(!matches!(read, Ok(Ok(_))));
        assert!(read.is_ok(), "{read:?}");
    }
    assert!(refused > 500, "{refused}");
}

/// A block that is named again would be read again: a small file would fill the memory.
#[test]
fn a_block_is_read_once() {
    let texts = vec!["otters"; 8_193];
    let publication = publication("r", 1, &texts);
    let (object, mut bytes) = (publication.head.object(), publication.encode().unwrap());
    assert_eq!(fold::decode(&object, bytes.clone()).unwrap().rows.len(), texts.len());
    let footer = bytes.len() - 10;
    let length = i32::from_le_bytes(bytes[footer..footer + 4].try_into().unwrap()) as usize;
    let footer = footer - length..footer;
    let parsed = arrow_ipc::root_as_footer(&bytes[footer.clone()]).unwrap();
    let blocks: Vec<i64> = parsed.recordBatches().unwrap().iter().map(|it| it.offset()).collect();
    assert_eq!(blocks.len(), 2);
    // A block is three numbers of eight bytes in the footer; the second becomes the first.
    let place = |offset: i64| {
        let found = bytes[footer.clone()].windows(8).position(|it| it == offset.to_le_bytes());
        footer.start + found.unwrap()
    };
    let (first, second) = (place(blocks[0]), place(blocks[1]));
    bytes.copy_within(first..first + 24, second);
    assert!(fold::decode(&object, bytes).unwrap_err().contains("no file of Arrow's format"));
}

/// Nobody else waits for what one may put below the folder of one repository.
#[test]
fn odd_names_stop_nobody() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    deposit(&fleet, &publication("good", 1, &["otters sleep"]));
    for name in ["acme+h//x.arrow", "acme+i/../x.arrow"] {
        store.put(&format!("bucket/kb/inbox/{name}"), vec![7; 50]);
    }
    let folded = fleet.fold(false).unwrap();
    assert_eq!((folded.taken.len(), folded.odd.len()), (1, 2), "{folded:?}");
    // Whoever may write to all of the inbox keeps out new ones alone.
    store.put("bucket/kb/inbox//x.arrow", vec![7; 50]);
    deposit(&fleet, &publication("good", 2, &["otters dive"]));
    let folded = fleet.fold(false).unwrap();
    assert_eq!((folded.taken.len(), folded.odd.len()), (1, 1), "{folded:?}");
    assert_eq!(held(&fleet).keys().collect::<Vec<_>>(), ["good"]);
}

/// What was acknowledged is not lost to a damaged object that only says that it is newer.
#[test]
fn a_damaged_object_takes_no_older_one_away() {
    let store = FakeStore::new();
    let fleet = declared_on(&store);
    deposit(&fleet, &publication("r", 1, &["otters sleep"]));
    store.put(&format!("bucket/kb/{}", head("r", 2).object()), vec![7; 50]);
    let folded = fleet.fold(false).unwrap();
    assert_eq!((folded.taken.len(), folded.aside.len(), folded.dropped.len()), (1, 1, 0));
    assert_eq!(held(&fleet)["r"], (1, vec!["otters sleep".to_owned()]));
}

/// What lies elsewhere is neither read nor removed by whoever folds.
#[test]
fn links_in_a_folder_lead_nowhere() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("victim.txt");
    std::fs::write(&file, "mine").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let local = address(&format!("file://{}/kb", folder.path().display()));
    let fleet = Fleet::open(local, Keys::default(), None).unwrap();
    fleet.declare(models()).unwrap();
    deposit(&fleet, &publication("good", 1, &["otters sleep"]));
    let inbox = folder.path().join("kb/inbox");
    let link = |target: &std::path::Path, name: &str| {
        let path = inbox.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    };
    link(outside.path(), "acme+h/x");
    link(outside.path(), "acme+i");
    link(&file, &format!("acme+j/0-1-{}.arrow", commit(1)));
    link(folder.path(), "acme+k/up");
    std::fs::write(inbox.join("acme+j/bell\u{7}.arrow"), "junk").unwrap();
    let folded = fleet.fold(false).unwrap();
    assert_eq!((folded.taken.len(), folded.aside.len(), folded.odd.len()), (1, 0, 5), "{folded:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(held(&fleet).keys().collect::<Vec<_>>(), ["good"]);
    // Nor is anything written there, and what cannot be set aside stays.
    std::os::unix::fs::symlink(outside.path(), folder.path().join("kb/aside")).unwrap();
    std::fs::write(inbox.join("acme+j/junk.arrow"), "junk").unwrap();
    std::fs::create_dir_all(inbox.join("a/b/c/d/e/f")).unwrap();
    deposit(&fleet, &publication("good", 2, &["otters dive"]));
    let folded = fleet.fold(false).unwrap();
    assert_eq!((folded.taken.len(), folded.aside.len(), folded.odd.len()), (1, 0, 7), "{folded:?}");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
    link(outside.path(), "new");
    assert!(fleet.deposit(&head("new", 1), vec![1]).is_err());
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}

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
            let dataset = table::newest(&place, &name).await.unwrap().unwrap();
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

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let below = entries.flat_map(|entry| match entry.path() {
        path if path.is_dir() => walk(&path),
        path => vec![path],
    });
    below.collect()
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
