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
    assert_eq!(trails.list(Which::All, 9).unwrap().0, []);
    let mut trail = trails.begin(now()).unwrap();
    trail.note(now(), 0, warning("a"));
    trail.note(now(), 2, EntryKind::Question { question: "q?".to_owned(), answer: None });
    trail.flush().unwrap();
    trail.flush().unwrap();
    let read = trails.read(&trail.run.to_string().to_lowercase()).unwrap();
    assert_eq!((read.entries.len(), read.entries[1].depth), (2, 2));
    assert_eq!(trails.list(Which::All, 9).unwrap().0[0].open_questions, ["q?"]);
    let path = trails.path(trail.run);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with(r#"{"at":"2026-05-28T20:26:40Z","depth":0,"type":"warning","text":"a"}"#),
        "{text}"
    );
}

#[test]
fn runs_of_a_work_tree_or_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let trails = Trails::new(folder.path());
    let session = Uuid::new_v4();
    let begin = |root: &str, session: Uuid| {
        let mut trail = trails.begin(now()).unwrap();
        let kind = EntryKind::Begin {
            run: trail.run.to_string(),
            goal: root.to_owned(),
            session: session.to_string(),
            mode: "ask".to_owned(),
            attended: true,
            tainted: false,
            root: root.to_owned(),
        };
        trail.note(now(), 0, kind);
        trail.note(now(), 0, warning("a"));
        trail.flush().unwrap();
    };
    begin("/a", session);
    begin("/b", session);
    begin("/a", Uuid::new_v4());
    // One that broke off before its first line.
    fs::write(trails.path(Ulid::new()), "{").unwrap();
    let goals = |which, limit| {
        let (lines, _) = trails.list(which, limit).unwrap();
        let mut goals: Vec<_> = lines.into_iter().map(|line| line.goal).collect();
        goals.sort();
        goals
    };
    assert_eq!(goals(Which::Root(Path::new("/a")), 9), ["/a", "/a"]);
    assert_eq!(goals(Which::Root(Path::new("/a")), 1), ["/a"]);
    assert_eq!(goals(Which::Root(Path::new("/c")), 9), [] as [&str; 0]);
    assert_eq!(goals(Which::Session(session), 9), ["/a", "/b"]);
    assert_eq!(goals(Which::All, 9), ["", "/a", "/a", "/b"]);
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
