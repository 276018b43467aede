use std::{fs, os::unix::fs::PermissionsExt};

use super::*;

fn now() -> Timestamp {
    Timestamp::from_second(1_780_000_000).unwrap()
}

fn warning(text: &str) -> EntryKind {
    EntryKind::Warning { text: text.to_owned() }
}

#[test]
fn what_was_noted_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let trails = Trails::new(folder.path().join("runs"));
    assert_eq!(trails.list(9).unwrap().0, []);
    let mut trail = trails.begin(now()).unwrap();
    trail.note(now(), 0, warning("a"));
    trail.note(now(), 2, EntryKind::Question { question: "q?".to_owned(), answer: None });
    trail.flush().unwrap();
    trail.flush().unwrap();
    let read = trails.read(&trail.run.to_string().to_lowercase()).unwrap();
    assert_eq!((read.entries.len(), read.entries[1].depth), (2, 2));
    assert_eq!(trails.list(9).unwrap().0[0].open_questions, ["q?"]);
    let path = trails.path(trail.run);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with(r#"{"at":"2026-05-28T20:26:40Z","depth":0,"type":"warning","text":"a"}"#),
        "{text}"
    );
}

#[test]
fn prefixes() {
    let folder = tempfile::tempdir().unwrap();
    let trails = Trails::new(folder.path());
    let runs: Vec<_> = (0..3).map(|_| trails.begin(now()).unwrap().run.to_string()).collect();
    assert!(
        matches!(trails.read(&runs[0][..4]), Err(TrailsError::Ambiguous { shown, .. }) if shown.len() == 3)
    );
    assert_eq!(trails.read(&runs[1]).unwrap().run.to_string(), runs[1]);
    for bad in ["", "../x", "é", &"A".repeat(27), "a b"] {
        assert!(matches!(trails.read(bad), Err(TrailsError::BadPrefix(_))), "{bad}");
    }
    assert!(matches!(trails.read("7ZZ"), Err(TrailsError::Missing(_))));
}

#[test]
fn damage_costs_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let trails = Trails::new(folder.path());
    let mut trail = trails.begin(now()).unwrap();
    for text in ["a", "b", "c"] {
        trail.note(now(), 0, warning(text));
    }
    trail.flush().unwrap();
    let path = trails.path(trail.run);
    let text = fs::read_to_string(&path).unwrap();
    let bad = text.replacen("\"warning\"", "\"unknown\"", 1) + "{\"at\":\"2026";
    fs::write(&path, bad).unwrap();
    let read = trails.read(&trail.run.to_string()).unwrap();
    assert_eq!((read.entries.len(), read.damage.len()), (2, 2));
    trail.note(now(), 0, warning("d"));
    trail.flush().unwrap();
    assert_eq!(trails.read(&trail.run.to_string()).unwrap().entries.len(), 3);
}
