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
    let address = Address::parse(&format!("file://{}", folder.path().display())).unwrap();
    let local = wait(async move { Place::open(address, Keys::default(), None).await }).unwrap();
    for place in [opened(&store), local] {
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
