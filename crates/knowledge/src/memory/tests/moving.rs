//! Archiving and removing.

use super::*;

const OLD: &str = "2025-01-01T00:00:00Z";

fn old(id: &str) -> Entry {
    entry_at(id, OLD)
}

/// Writes a file of these lines.
fn put(rig: &Rig, path: &str, entries: &[Entry]) -> PathBuf {
    let path = rig.below(path);
    fs::write(&path, entries.iter().map(written).collect::<String>()).unwrap();
    path
}

fn before() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

#[test]
fn files_of_old_records_are_moved_whole() {
    let rig = Rig::new();
    let [a, b, c, d] = [1, 2, 3, 4].map(|file| format!("shop/{}", name(file)));
    put(&rig, &a, &[old("1"), old("2")]);
    put(&rig, &b, &[old("3"), entry("4")]);
    put(&rig, &format!("till/{}", name(1)), &[old("5")]);
    put(&rig, "shop.jsonl", &[old("6")]);
    fs::write(rig.below(&c), written(&old("7")) + "{\"torn").unwrap();
    fs::write(rig.below(&d), written(&old("8")).replace('\n', "\r\n")).unwrap();
    fs::write(rig.below(&format!("shop/{}", name(5))), "").unwrap();
    let all = rig.listed();

    let planned = rig.files.archive(before(), true).unwrap();
    assert_eq!((planned.files, planned.records, planned.left.len()), (3, 4, 0));
    assert_eq!(rig.listed(), all);
    assert!(!rig.path("git").exists());

    let done = rig.files.archive(before(), false).unwrap();
    assert_eq!((done.files, done.records, done.left.len()), (3, 4, 0));
    assert_eq!(done.moves, planned.moves);
    let expected = [
        format!("archive/{a}"),
        format!("archive/{d}"),
        format!("archive/till/{}", name(1)),
        b,
        c,
        format!("shop/{}", name(5)),
        "shop.jsonl".to_owned(),
    ];
    assert_eq!(rig.listed(), expected);
    let again = rig.files.archive(before(), false).unwrap();
    assert_eq!((again.files, again.records), (0, 0));
    // The next record goes where it would have gone.
    assert!(rig.append("9").starts_with(rig.files.folder().join("shop")));
}

#[test]
fn another_file_in_the_archive_is_not_overwritten() {
    let rig = Rig::new();
    let [same, other] = [1, 2].map(|file| format!("shop/{}", name(file)));
    for path in [&same, &other] {
        put(&rig, path, &[old("1")]);
    }
    put(&rig, &format!("archive/{same}"), &[old("1")]);
    let kept = put(&rig, &format!("archive/{other}"), &[old("2")]);
    let done = rig.files.archive(before(), false).unwrap();
    assert_eq!((done.files, done.left.len()), (1, 1));
    assert!(matches!(&done.left[0], MemoryError::Taken(path) if *path == kept));
    assert_eq!(rig.listed(), [format!("archive/{same}"), format!("archive/{other}"), other]);
    assert_eq!(fs::read_to_string(kept).unwrap(), written(&old("2")));
}

#[test]
fn nothing_is_moved_through_a_link() {
    let rig = Rig::new();
    put(&rig, &format!("shop/{}", name(1)), &[old("1")]);
    fs::create_dir(rig.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(rig.path("elsewhere"), rig.below("archive")).unwrap();
    assert!(matches!(
        rig.files.archive(before(), false),
        Err(MemoryError::Files(JournalError::NotAFolder(_)))
    ));
    assert_eq!(fs::read_dir(rig.path("elsewhere")).unwrap().count(), 0);
    assert_eq!(rig.ids(), ["1"]);
}

#[test]
fn one_record_is_taken_out() {
    let rig = Rig::new();
    let path = rig.append("1");
    rig.append("2");
    rig.append("3");
    let before = fs::read_to_string(&path).unwrap();
    assert_eq!(rig.files.remove_line("4").unwrap(), None);
    let removed = rig.files.remove_line("2").unwrap().unwrap();
    assert_eq!((removed.files, removed.lines), (vec![path.clone()], 1));
    let after = fs::read_to_string(&path).unwrap();
    assert_eq!(after, before.replace(&written(&entry("2")), ""));
    assert_eq!(rig.append("5"), path);
    assert_eq!(rig.ids(), ["1", "3", "5"]);
    for id in ["1", "3", "5"] {
        rig.files.remove_line(id).unwrap().unwrap();
    }
    // Not even an empty file, nor one beside it.
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn what_lies_beside_a_record_stays() {
    let rig = Rig::new();
    let path = rig.below(&format!("archive/shop/{}", name(1)));
    let (one, two) = (written(&entry("1")), written(&retired("2", "1")));
    let text = format!("damage\r\n{}{two}{one}\n{two}<<<<<<< HEAD\n{{\"torn", one.trim_end());
    fs::write(&path, &text).unwrap();
    // What a crash has left.
    fs::write(path.with_file_name(format!(".{}.new", name(1))), "x").unwrap();
    let other = put(&rig, "shop.jsonl", &[entry("1")]);
    let removed = rig.files.remove_line("1").unwrap().unwrap();
    let expected = Removed { files: vec![path.clone()], lines: 2, left_in: vec![other.clone()] };
    assert_eq!(removed, expected);
    let expected = format!("damage\r\n{two}\n{two}<<<<<<< HEAD\n{{\"torn");
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    let only_theirs = rig.files.remove_line("1").unwrap().unwrap();
    assert_eq!((only_theirs.files.len(), only_theirs.left_in), (0, vec![other]));
    // What was taken back is another record than what takes it back.
    assert_eq!(rig.files.remove_line("2").unwrap().unwrap().lines, 2);
}

#[test]
fn records_without_an_id_can_be_taken_out() {
    let rig = Rig::new();
    let least = r#"{"timestamp":"2025-10-31","event_type":"error","lesson":"l"}"#;
    let path = rig.below(&format!("shop/{}", name(1)));
    fs::write(&path, format!("{least}\n{}\n", least.replace("\"l\"", "\"m\""))).unwrap();
    let ids = rig.ids();
    rig.files.remove_line(&ids[0]).unwrap().unwrap();
    assert_eq!(rig.ids(), ids[1..]);
}
