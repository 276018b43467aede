//! Adding, finding, merging and pruning, and damage of every kind.

use proptest::prelude::*;

use super::*;

const MODEL: &str = "test";
const DIMENSION: usize = 4;
const FEW: Limits = Limits { files: 0, file_bytes: 1 << 20, bytes: 1 << 20 };

fn key(number: u8) -> Key {
    [number; 16]
}

/// A unit vector that says what it is.
fn vector(variant: u8) -> Encoded {
    let angle = f32::from(variant) / 100.0;
    Encoded::new(&[angle.cos(), angle.sin(), 0.0, 0.0])
}

fn cache(folder: &Path) -> Cache {
    Cache::new(folder.to_owned(), MODEL, DIMENSION)
}

/// What a run does that embeds keys as the vectors named beside them.
fn run(folder: &Path, rows: &[(u8, u8)]) {
    let mut cache = cache(folder);
    rows.iter().for_each(|&(number, variant)| cache.add(key(number), vector(variant)));
    assert_eq!(cache.close(), [""; 0].map(PathBuf::from));
}

fn find(folder: &Path, wanted: impl IntoIterator<Item = u8>) -> BTreeMap<Key, Encoded> {
    let wanted = wanted.into_iter().map(key).collect();
    cache(folder).vectors(&wanted).into_iter().collect()
}

fn check(folder: &Path, expected: &[(u8, u8)]) {
    let expected: BTreeMap<Key, Encoded> =
        expected.iter().map(|&(number, variant)| (key(number), vector(variant))).collect();
    assert!(find(folder, 0..=255) == expected);
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    list(folder).unwrap().into_iter().map(|file| file.path).collect()
}

#[test]
fn what_one_run_adds_the_next_finds() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("vectors");
    check(&folder, &[]);
    run(&folder, &[]);
    assert!(!folder.exists(), "nothing to write, nothing written");
    run(&folder, &[(1, 1), (2, 2), (1, 7)]);
    run(&folder, &[(3, 3)]);
    check(&folder, &[(1, 1), (2, 2), (3, 3)]);
    assert_eq!(find(&folder, [3, 9]).len(), 1);
    assert_eq!(size(&folder).unwrap().files, 2);
    let mut idle = cache(&folder);
    assert!(idle.vectors(&FxHashSet::default()).is_empty());
    assert!(idle.files.is_none(), "nothing wanted, nothing opened");
}

#[test]
fn other_models_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (fingerprint, dimension) in [("other", DIMENSION), (MODEL, 2)] {
        let mut other = Cache::new(folder.to_owned(), fingerprint, dimension);
        other.add(key(1), Encoded { scale: 1.0, codes: vec![1; dimension] });
        other.close();
    }
    run(folder, &[(1, 1)]);
    run(folder, &[(2, 2)]);
    tidy_within(folder, &FEW).unwrap();
    assert_eq!(paths(folder).len(), 3, "one of each model");
    check(folder, &[(1, 1), (2, 2)]);
    let mut other = Cache::new(folder.to_owned(), "other", DIMENSION);
    assert_eq!(other.vectors(&FxHashSet::from_iter([key(1), key(2)])).len(), 1);
}

#[test]
fn of_two_different_vectors_neither_counts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(folder, &[(1, 1), (2, 2)]);
    run(folder, &[(1, 9), (3, 3)]);
    check(folder, &[(2, 2), (3, 3)]);
    // The run that noticed embeds it once more, and then it counts.
    let mut cache = cache(folder);
    assert!(cache.vectors(&FxHashSet::from_iter([key(1)])).is_empty());
    cache.add(key(1), vector(5));
    assert!(cache.close().is_empty());
    check(folder, &[(1, 5), (2, 2), (3, 3)]);
}

#[test]
fn damage_is_told_once_and_removed() {
    for position in ["head", "keys", "codes", "cut", "empty"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        run(folder, &[(1, 1), (2, 2)]);
        let path = paths(folder).remove(0);
        run(folder, &[(3, 3)]);
        let mut bytes = fs::read(&path).unwrap();
        let length = bytes.len();
        match position {
            "head" => bytes[0] ^= 1,
            "keys" => {
                let at = bytes.windows(16).position(|window| window == key(2)).unwrap();
                bytes[at] ^= 1;
            }
            "codes" => bytes[length - 1] ^= 1,
            "cut" => bytes.truncate(length / 2),
            _ => bytes.clear(),
        }
        fs::write(&path, bytes).unwrap();
        let mut cache = cache(folder);
        let wanted: FxHashSet<Key> = [1, 2, 3].map(key).into_iter().collect();
        for _ in 0..2 {
            let found = cache.vectors(&wanted);
            assert_eq!(found.keys().collect::<Vec<_>>(), [&key(3)], "{position}");
        }
        assert_eq!(cache.close(), std::slice::from_ref(&path), "{position}");
        assert!(!path.exists(), "{position}");
        check(folder, &[(3, 3)]);
    }
}

#[test]
fn many_files_become_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut expected = Vec::new();
    for number in 0..LIMITS.files as u8 {
        run(folder, &[(number, number), (200, 1)]);
        expected.push((number, number));
    }
    expected.push((200, 1));
    assert_eq!(paths(folder).len(), LIMITS.files);
    let before = size(folder).unwrap().bytes;
    let mut early = cache(folder);
    assert_eq!(early.vectors(&FxHashSet::from_iter([key(0)])).len(), 1);
    fs::write(folder.join("notes.txt"), "not ours").unwrap();
    fs::write(folder.join(".tmp-young"), "of a writer at work").unwrap();
    run(folder, &[(201, 1)]);
    expected.push((201, 1));
    check(folder, &expected);
    let after = size(folder).unwrap();
    assert!(after.files == 1 && after.bytes < before, "{after:?}");
    assert!(folder.join("notes.txt").exists() && folder.join(".tmp-young").exists());
    // Who had them open goes on undisturbed.
    assert_eq!(early.vectors(&FxHashSet::from_iter([key(7)])).len(), 1);
}

#[test]
fn what_killed_writers_left_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(folder, &[(1, 1)]);
    let left = folder.join(".tmp-left");
    fs::write(&left, "half").unwrap();
    let long_ago = SystemTime::now() - ABANDONED * 2;
    fs::File::options().write(true).open(&left).unwrap().set_modified(long_ago).unwrap();
    tidy_within(folder, &FEW).unwrap();
    assert!(!left.exists());
    check(folder, &[(1, 1)]);
}

#[test]
fn the_oldest_go_when_there_is_too_much() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let row = |number| vec![(key(number), vector(number))];
    for number in [3, 1, 2] {
        write(folder, number.into(), MODEL, DIMENSION, row(number), &LIMITS).unwrap();
    }
    let one = size(folder).unwrap().bytes / 3;
    for (bytes, expected) in [
        (3 * one, &[(1, 1), (2, 2), (3, 3)][..]),
        (3 * one - 1, &[(2, 2), (3, 3)]),
        (one, &[(3, 3)]),
        (0, &[]),
    ] {
        tidy_within(folder, &Limits { files: 16, file_bytes: 1 << 20, bytes }).unwrap();
        check(folder, expected);
    }
}

#[test]
fn full_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let limits = Limits { files: 1, file_bytes: 200 * (20 + DIMENSION as u64), bytes: 1 << 20 };
    let add = |time, numbers: std::ops::Range<u8>| {
        let rows = numbers.map(|number| (key(number), vector(number))).collect();
        write(folder, time, MODEL, DIMENSION, rows, &limits).unwrap();
    };
    add(1, 0..250);
    let full: Vec<Listed> =
        list(folder).unwrap().into_iter().filter(|f| f.bytes >= limits.file_bytes).collect();
    assert_eq!((full.len(), paths(folder).len()), (1, 2), "200 rows fill a file");
    add(2, 250..255);
    tidy_within(folder, &limits).unwrap();
    assert!(full[0].path.exists());
    assert_eq!(paths(folder).len(), 2, "the two others were merged");
    check(folder, &(0..255).map(|number| (number, number)).collect::<Vec<_>>());
}

#[test]
fn pruning_keeps_what_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert_eq!(prune(folder, |_| false).unwrap(), Some(0));
    run(folder, &[(4, 4)]);
    let untouched = paths(folder).remove(0);
    run(folder, &[(1, 1), (2, 2), (3, 3)]);
    assert_eq!(prune(folder, |key| key[0] != 2).unwrap(), Some(1));
    assert!(untouched.exists());
    check(folder, &[(1, 1), (3, 3), (4, 4)]);
    assert_eq!(prune(folder, |_| false).unwrap(), Some(3));
    assert_eq!(size(folder).unwrap(), Size::default());
}

#[test]
fn nobody_waits_for_who_tidies() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(folder, &[(1, 1)]);
    run(folder, &[(2, 2)]);
    let lock = try_lock(folder).unwrap().unwrap();
    tidy_within(folder, &FEW).unwrap();
    assert_eq!(prune(folder, |_| false).unwrap(), None);
    assert_eq!(paths(folder).len(), 2);
    run(folder, &[(3, 3)]);
    check(folder, &[(1, 1), (2, 2), (3, 3)]);
    drop(lock);
    tidy_within(folder, &FEW).unwrap();
    assert_eq!(paths(folder).len(), 1);
}

#[test]
fn a_folder_that_cannot_be_is_silent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "in the way").unwrap();
    for folder in [file.clone(), file.join("below")] {
        run(&folder, &[(1, 1)]);
        check(&folder, &[]);
    }
    assert_eq!(fs::read(file).unwrap(), b"in the way");
}

#[test]
fn nothing_is_missed_while_others_merge() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(folder, &[(1, 1)]);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (2..6)
            .map(|writer: u8| {
                scope.spawn(move || {
                    for round in 0..25 {
                        run(folder, &[(writer * 30 + round, round)]);
                        tidy_within(folder, &FEW).unwrap();
                    }
                })
            })
            .collect();
        let mut rounds = 0;
        while rounds < 50 || !writers.iter().all(|writer| writer.is_finished()) {
            let mut cache = cache(folder);
            assert_eq!(cache.vectors(&FxHashSet::from_iter([key(1)])).len(), 1);
            assert!(cache.close().is_empty());
            rounds += 1;
        }
    });
    let rows = (2..6).flat_map(|writer| (0..25).map(move |round| (writer * 30 + round, round)));
    check(folder, &rows.chain([(1, 1)]).collect::<Vec<_>>());
}

proptest! {
    #[test]
    fn tidying_changes_no_answer(
        runs in prop::collection::vec(prop::collection::vec((0u8..12, 0u8..2), 1..6), 1..8),
        most in 0usize..6,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut known: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for rows in &runs {
            // Within a run the first vector of a key is the one.
            let rows: BTreeMap<u8, u8> = rows.iter().rev().copied().collect();
            run(folder, &rows.iter().map(|(&key, &variant)| (key, variant)).collect::<Vec<_>>());
            rows.iter().for_each(|(&key, &variant)| known.entry(key).or_default().push(variant));
        }
        let expected: BTreeMap<Key, Encoded> = known
            .iter()
            .filter(|(_, variants)| variants.iter().all(|variant| variant == &variants[0]))
            .map(|(&number, variants)| (key(number), vector(variants[0])))
            .collect();
        prop_assert_eq!(find(folder, 0..12), expected.clone());
        tidy_within(folder, &Limits { files: most, ..FEW }).unwrap();
        prop_assert_eq!(find(folder, 0..12), expected);
        prop_assert!(paths(folder).len() <= most.max(1));
    }
}
