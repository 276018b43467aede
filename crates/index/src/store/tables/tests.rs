use super::*;

fn content(rows: usize) -> TableContent {
    let vector = |row: usize| Encoded::new(&[(row as f32).cos(), (row as f32).sin()]);
    let rows = (0..rows).map(|row| ([row as u8; 16], vector(row))).collect();
    TableContent { fingerprint: "test".to_owned(), rows }
}

#[test]
fn a_plain_table_is_read_as_written_and_damage_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (tables, staging) = (folder.path().join("index"), folder.path().join("staging"));
    let content = content(9);
    let names = write(&Plain, &tables, &staging, &content).unwrap();
    assert_eq!(list(&tables).unwrap(), names.iter().cloned().collect());
    assert_eq!(read(&Plain, &tables, &names[0], None).unwrap(), content);
    let file = tables.join(&names[0]).join(&contents(&tables, &names[0]).unwrap()[0].0);
    let right = fs::read(&file).unwrap();
    for at in 0..right.len() {
        let mut damaged = right.clone();
        damaged[at] ^= 1;
        fs::write(&file, &damaged).unwrap();
        let said = read(&Plain, &tables, &names[0], None);
        assert!(matches!(said, Err(TableError::Digest)), "{at}");
        // What is damaged below a right digest.
        let read = Plain.read(Files::read(&tables.join(&names[0])).unwrap());
        assert!(matches!(read, Err(TableError::Shape(_))), "{at}");
    }
    assert_eq!(write(&Plain, &tables, &staging, &self::content(0)).unwrap(), [""; 0]);
}

#[test]
fn what_is_no_vector_gets_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("index");
    let vectors = |codes: [&[i8]; 2]| {
        let row = |codes: &[i8]| ([0; 16], Encoded { scale: 1.0 / 127.0, codes: codes.to_vec() });
        TableContent { fingerprint: "test".to_owned(), rows: codes.map(row).into() }
    };
    for codes in [[&[127, 0][..], &[127]], [&[127, 0], &[127, 127]]] {
        assert!(write(&Plain, &tables, folder.path(), &vectors(codes)).is_err(), "{codes:?}");
        assert!(list(&tables).unwrap().is_empty());
    }
}

#[test]
fn what_is_too_large_for_one_table_goes_into_several() {
    // 128 MiB of codes would take a debug build its time: the arithmetic alone.
    assert_eq!((pieces(0, 384), pieces(1, 384), pieces(100_000, 384)), (0, 1, 1));
    assert_eq!(pieces(1_000_000, 384), 7);
    for dimension in [1, 384, 4_096] {
        let rows = ((1 << 30) / (20 + dimension)).max(1);
        assert!(pieces(rows, dimension) >= 16, "{dimension}");
    }
}

#[test]
fn only_names_of_ours_are_tables() {
    assert!(
        digest_in("01j0000000000000000000000a-0123456789abcdef0123456789abcdef.lance").is_some()
    );
    for other in ["x.lance", "01j0000000000000000000000a-zz.lance", ".tmp-1", "..", "a-b.lance"] {
        assert!(digest_in(other).is_none(), "{other}");
    }
}

const NAME: &str = "01j0000000000000000000000a-0123456789abcdef0123456789abcdef.lance";

#[test]
fn a_table_that_ended_a_process_is_not_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("view");
    let marks = || fs::read_dir(&folder).unwrap().count();
    let under_way = trial::begin(&folder, NAME).unwrap().unwrap();
    assert!(trial::begin(&folder, NAME).unwrap().is_none(), "somebody is at it");
    forgive(&folder);
    assert_eq!(marks(), 1, "it is under way");
    drop(under_way);
    assert_eq!(marks(), 0);
    // The lock of a process that died is released, what it wrote stays.
    trial::begin(&folder, NAME).unwrap().unwrap().failed();
    assert!(matches!(trial::begin(&folder, NAME), Err(TableError::Fatal)));
    forgive(&folder);
    assert!(trial::begin(&folder, NAME).unwrap().is_some());
    // Ended by a hook's ceiling, not by the table.
    let broken_off = trial::begin(&folder, NAME).unwrap().unwrap();
    trial::abandon();
    assert_eq!(marks(), 0);
    let next = trial::begin(&folder, NAME).unwrap().unwrap();
    std::mem::forget(broken_off);
    drop(next);
    assert_eq!(marks(), 0);
    // Who cannot leave a mark reads all the same.
    let file = folder.with_file_name("file");
    fs::write(&file, "").unwrap();
    assert!(trial::begin(&file.join("view"), NAME).unwrap().is_none());
}

#[test]
fn trials_beside_each_other_are_no_deaths() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                // Somebody else's trial is waited for: how often that is depends on the machine.
                for _ in 0..100 {
                    while trial::begin(folder.path(), NAME).expect("nobody died").is_none() {
                        std::thread::yield_now();
                    }
                }
            });
        }
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
