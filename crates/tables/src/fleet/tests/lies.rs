//! What others may put into the inbox, and what folding makes of it.

use super::*;

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
    let wide =
        Publication { dimension: 2 * DIMENSION, rows: Vec::new(), ..publication("wide", 1, &[]) };
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

/// Who publishes knows what would be set aside.
#[test]
fn what_is_refused_can_be_known_before() {
    let read = |made: &Publication| {
        Publication::decode(&made.head.object(), made.encode().unwrap()).map(|read| read.rows)
    };
    let good = publication("r", 1, &["otters sleep"]);
    assert_eq!(refused(&good.rows[0].0, &good.rows[0].1), None);
    assert_eq!(read(&good).unwrap(), good.rows);
    let odd: [fn(&mut Row); 7] = [
        |row| row.path = "a\nb.md".to_owned(),
        |row| row.path = "../b.md".to_owned(),
        |row| row.title = "t".repeat(70_000),
        |row| row.headings = vec!["h".repeat(70_000)],
        |row| row.tags = vec!["t".to_owned(); 257],
        |row| row.text = "t".repeat((1 << 20) + 1),
        |row| {
            row.kind = Kind::Memory;
            row.lesson = Some(LessonRecord { success_rate: "\n".to_owned(), ..lesson(&row.text) });
        },
    ];
    for (number, change) in odd.into_iter().enumerate() {
        let mut made = publication("r", 1, &["otters sleep"]);
        change(&mut made.rows[0].0);
        let why = refused(&made.rows[0].0, "");
        assert!(why.is_some() && read(&made).is_err(), "{number}: {why:?}");
    }
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
