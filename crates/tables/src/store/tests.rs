use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use elophanto_net::fake_store::{FakeStore, Fault};

use super::*;
use crate::work;

fn opened(store: &FakeStore) -> Place {
    opened_with(store, &[])
}

fn opened_with(store: &FakeStore, more: &[(&str, &str)]) -> Place {
    let mut variables = store.variables();
    variables.extend(more.iter().map(|(name, said)| ((*name).to_owned(), (*said).to_owned())));
    let keys = Keys::of(|name| variables.get(name).cloned());
    let address = Address::parse("s3://bucket/kb").unwrap();
    wait(async move { Place::open(address, keys, None).await }).unwrap()
}

fn wait<T: Send + 'static>(call: impl Future<Output = T> + Send + 'static) -> T {
    work::run(Duration::from_secs(120), call).unwrap()
}

fn create(place: &Place, name: &'static str, bytes: &'static [u8]) -> Result<Created, StoreError> {
    let place = place.clone();
    wait(async move { place.create(name, bytes.to_vec()).await })
}

fn read(place: &Place, name: &'static str) -> Option<Vec<u8>> {
    let place = place.clone();
    wait(async move { place.read(name, 1 << 20).await }).unwrap()
}

#[test]
fn objects_are_created_once() {
    let store = FakeStore::new();
    let folder = tempfile::tempdir().unwrap();
    for place in [opened(&store), of_folder(folder.path())] {
        assert_eq!(read(&place, "inbox/a/1"), None);
        assert_eq!(create(&place, "inbox/a/1", b"one").unwrap(), Created::Now);
        assert_eq!(create(&place, "inbox/a/1", b"two").unwrap(), Created::Before);
        assert_eq!(read(&place, "inbox/a/1").as_deref(), Some(&b"one"[..]));
        create(&place, "inbox/b/2", b"three").unwrap();
        let list = |folder: &'static str| {
            let place = place.clone();
            let listed = wait(async move { place.list(folder).await }).unwrap();
            listed.found.into_iter().map(|it| (it.name, it.bytes)).collect::<Vec<_>>()
        };
        let expected = [("inbox/a/1".to_owned(), 3), ("inbox/b/2".to_owned(), 5)];
        assert_eq!(list("inbox"), expected);
        assert_eq!(list("nowhere"), []);
        let other = place.clone();
        assert_eq!(wait(async move { other.folders("").await }).unwrap(), ["inbox"]);
        let other = place.clone();
        wait(async move {
            other.remove("inbox/a/1").await.unwrap();
            other.remove("inbox/a/1").await.unwrap();
            assert!(matches!(other.read("inbox/b/2", 4).await, Err(StoreError::TooLarge { .. })));
        });
        assert_eq!(list("inbox"), &expected[1..]);
    }
}

fn of_folder(folder: &std::path::Path) -> Place {
    let address = Address::parse(&format!("file://{}", folder.display())).unwrap();
    wait(async move { Place::open(address, Keys::default(), None).await }).unwrap()
}

#[test]
fn empty_folders_are_swept_away_but_for_those_that_somebody_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let place = of_folder(folder.path());
    for name in ["inbox/full/1", "inbox/empty/1", "inbox/given/1"] {
        create(&place, name, b"one").unwrap();
    }
    let inbox = folder.path().join("inbox");
    for name in ["empty/1", "given/1"] {
        std::fs::remove_file(inbox.join(name)).unwrap();
    }
    // As it is written.
    std::fs::create_dir(inbox.join("half")).unwrap();
    std::fs::write(inbox.join("half/1#1"), b"o").unwrap();
    let rights = std::os::unix::fs::PermissionsExt::from_mode(0o1777);
    std::fs::set_permissions(inbox.join("given"), rights).unwrap();
    std::fs::create_dir(folder.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", inbox.join("link")).unwrap();
    place.sweep("inbox");
    place.sweep("nowhere");
    let mut left: Vec<_> =
        std::fs::read_dir(&inbox).unwrap().map(|it| it.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["full", "given", "half", "link"]);
    assert!(folder.path().join("elsewhere").is_dir());
    assert_eq!(create(&place, "inbox/empty/1", b"two").unwrap(), Created::Now);
}

/// Who creates an object does not fail because its folder is swept away as it is made.
#[test]
fn who_creates_meanwhile_makes_the_folder_again() {
    let folder = tempfile::tempdir().unwrap();
    let place = of_folder(folder.path());
    create(&place, "inbox/other/1", b"one").unwrap();
    let is_done = AtomicBool::new(false);
    let swept = std::thread::scope(|threads| {
        let sweeping = threads.spawn(|| {
            let mut swept = 0;
            while !is_done.load(Ordering::SeqCst) {
                let is_there = folder.path().join("inbox/a").is_dir();
                place.sweep("inbox");
                swept += usize::from(is_there && !folder.path().join("inbox/a").is_dir());
            }
            swept
        });
        for round in 0..300 {
            let created = create(&place, "inbox/a/1", b"one");
            let held = read(&place, "inbox/a/1");
            let other = place.clone();
            let removed = wait(async move { other.remove("inbox/a/1").await });
            if !matches!((&created, &removed), (Ok(Created::Now), Ok(()))) || held.is_none() {
                is_done.store(true, Ordering::SeqCst);
                panic!("round {round}: {created:?} {held:?} {removed:?}");
            }
        }
        is_done.store(true, Ordering::SeqCst);
        sweeping.join().unwrap()
    });
    assert!(swept > 0);
}

#[test]
fn a_store_that_stumbles_is_asked_again() {
    let store = FakeStore::new();
    let place = opened(&store);
    for fault in [Fault::Status(503, "SlowDown"), Fault::Cut, Fault::Status(500, "InternalError")] {
        // Every other request.
        store.faults(move |asked| (asked.number % 2 == 0).then_some(fault));
        let name: &'static str = Box::leak(format!("{fault:?}").into_boxed_str());
        let created = create(&place, name, b"bytes");
        store.no_faults();
        let held = read(&place, name);
        // A create that was cut is not asked for again unless the store said that it did nothing.
        match (fault, created) {
            (Fault::Status(..), Ok(Created::Now)) => {
                assert_eq!(held.as_deref(), Some(&b"bytes"[..]));
            }
            (Fault::Cut, Err(StoreError::Unreachable { .. })) => assert_eq!(held, None),
            (Fault::Cut, Ok(_)) => assert_eq!(held.as_deref(), Some(&b"bytes"[..])),
            other => panic!("{other:?}"),
        }
    }
    store.put("bucket/kb/a", b"read".to_vec());
    store.faults(|asked| (asked.number % 2 == 0).then_some(Fault::Cut));
    assert_eq!(read(&place, "a").as_deref(), Some(&b"read"[..]));
}

#[test]
fn two_who_meet_are_not_taken_for_one_who_was_there() {
    let store = FakeStore::new();
    let place = opened(&store);
    let met = Fault::Status(409, "ConditionalRequestConflict");
    let is_first = AtomicBool::new(true);
    store.faults(move |asked| {
        (asked.method == "PUT" && is_first.swap(false, Ordering::SeqCst)).then_some(met)
    });
    store.asked();
    assert_eq!(create(&place, "inbox/a/1", b"one").unwrap(), Created::Now);
    assert_eq!(store.asked().len(), 3, "met, looked at, created");
    store.no_faults();
    assert_eq!(read(&place, "inbox/a/1").as_deref(), Some(&b"one"[..]));
    assert_eq!(create(&place, "inbox/a/1", b"one").unwrap(), Created::Before);
}

#[test]
fn what_is_wrong_is_said() {
    let store = FakeStore::new();
    let denied = create(&opened_with(&store, &[("AWS_ACCESS_KEY_ID", "AKIDOTHER")]), "a", b"");
    assert!(matches!(denied, Err(StoreError::Denied { .. })), "{denied:?}");
    store.faults(|_| Some(Fault::Status(403, "RequestTimeTooSkewed")));
    let skewed = create(&opened(&store), "a", b"");
    assert!(matches!(skewed, Err(StoreError::Clock { .. })), "{skewed:?}");
    store.faults(|_| Some(Fault::Status(404, "NoSuchBucket")));
    let nowhere = create(&opened(&store), "a", b"");
    assert!(matches!(nowhere, Err(StoreError::NoBucket { .. })), "{nowhere:?}");
    // Nobody listens on the first port.
    let gone = opened_with(&store, &[("AWS_ENDPOINT_URL", "http://127.0.0.1:1")]);
    let start = Instant::now();
    let gone = create(&gone, "a", b"");
    assert!(matches!(gone, Err(StoreError::Unreachable { .. })), "{gone:?}");
    assert!(start.elapsed() < Duration::from_secs(60));
    let variables = store.variables();
    let keys = Keys::of(|name| match name {
        "AWS_ENDPOINT_URL" => Some("http://bucket.evil.test".to_owned()),
        name => variables.get(name).cloned(),
    });
    assert!(!format!("{keys:?}").contains("secret"), "{keys:?}");
    let address = Address::parse("s3://bucket/kb").unwrap();
    let open = wait(async move { Place::open(address, keys, None).await.map(drop) });
    assert!(open.unwrap_err().to_string().contains("over http"));
}
