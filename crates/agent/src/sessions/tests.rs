use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::Rule;
use elophanto_models::llm::{Format, Image, Message, Size, ToolCall};

fn store() -> (tempfile::TempDir, Sessions) {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(folder.path().join("sessions"));
    (folder, sessions)
}

fn saved(sessions: &Sessions, user: &str, second: i64) -> Session {
    let mut session = Session::new("terminal", user, Timestamp::from_second(second).unwrap());
    sessions.save(&mut session).unwrap();
    session
}

fn filled(sessions: &Sessions) -> Session {
    let mut session = saved(sessions, "ada", 0);
    let call = ToolCall { id: "1".into(), name: "look".into(), arguments: json!({"a": [1, null]}) };
    session.messages = vec![
        Message::user("hi \u{202e}\0\r\n"),
        Message::Assistant { text: String::new(), tool_calls: vec![call] },
        Message::Tool { id: "1".into(), name: "look".into(), text: "x".into(), failed: true },
        Message::system("s"),
        Message::Image(Image {
            path: "a.png".into(),
            hash: "0123".into(),
            bytes: 9,
            format: Format::WebP,
            size: Size { width: 2, height: 1 },
            is_changed: true,
            data: None,
        }),
    ];
    session.is_tainted = true;
    session.rules = vec![
        Rule::Tool { tool: "a".into(), action: "write".into() },
        Rule::Host { tool: "web".into(), host: "a.test".into() },
        Rule::Command {
            tool: "shell".into(),
            folder: "/r".into(),
            argv: vec!["cargo".into(), "test".into()],
        },
    ];
    sessions.save(&mut session).unwrap();
    session
}

fn file(sessions: &Sessions, session: &Session) -> PathBuf {
    sessions.folder().join(format!("{}.json", session.id))
}

#[test]
fn what_is_saved_is_loaded() {
    let (_folder, sessions) = store();
    let session = filled(&sessions);
    assert_eq!(sessions.load(session.id).unwrap(), session);
    assert_eq!(session.revision, 2);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file(&sessions, &session)), 0o600);
    assert_eq!(mode(sessions.folder()), 0o700);
    let other = saved(&sessions, "bob", 9);
    let listing = sessions.list().unwrap();
    let ids: Vec<_> = listing.sessions.iter().map(|one| one.id).collect();
    assert_eq!((ids, listing.problems.len()), (vec![other.id, session.id], 0));
    sessions.remove(session.id).unwrap();
    assert!(matches!(sessions.load(session.id), Err(SessionsError::Missing(_))));
    assert!(matches!(sessions.remove(session.id), Err(SessionsError::Missing(_))));
}

#[test]
fn damage_is_told_and_left_as_it_is() {
    let (_folder, sessions) = store();
    let session = filled(&sessions);
    let path = file(&sessions, &session);
    let good = fs::read_to_string(&path).unwrap();
    let newer = good.replacen("\"version\": 1", "\"version\": 2", 1);
    let other = good.replace(&session.id.to_string(), &Uuid::new_v4().to_string());
    let unpaired = good.replace("\"role\": \"tool\"", "\"role\": \"user\"");
    for bad in
        ["", "{}", "null", &good[..good.len() / 2], &"\0".repeat(4096), &newer, &other, &unpaired]
    {
        fs::write(&path, bad).unwrap();
        let error = sessions.load(session.id).unwrap_err();
        let expected = matches!(error, SessionsError::Damaged { .. } | SessionsError::Newer { .. });
        assert!(expected && error.to_string().contains(&session.id.to_string()), "{error}");
        assert_eq!(sessions.list().unwrap().problems.len(), 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), bad);
    }
}

#[test]
fn only_uuids_name_sessions() {
    for (text, good) in [
        ("0190d0f0-0000-4000-8000-00000000000a", true),
        ("0190D0F0-0000-4000-8000-00000000000A", false),
        ("0190d0f0000040008000000000000000a", false),
        ("{0190d0f0-0000-4000-8000-00000000000a}", false),
        ("../../etc/passwd", false),
        ("", false),
        ("\u{1b}[2J", false),
    ] {
        assert_eq!(Sessions::id(text).is_ok(), good, "{text}");
    }
}

#[test]
fn links_and_folders_are_no_sessions() {
    let (folder, sessions) = store();
    let session = filled(&sessions);
    let path = file(&sessions, &session);
    let away = folder.path().join("away.json");
    fs::rename(&path, &away).unwrap();
    std::os::unix::fs::symlink(&away, &path).unwrap();
    assert!(matches!(sessions.load(session.id), Err(SessionsError::Io { .. })));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(sessions.load(session.id), Err(SessionsError::Io { .. })));
}

#[test]
fn a_write_that_fails_leaves_the_old_file() {
    let (_folder, sessions) = store();
    let mut session = filled(&sessions);
    let before = fs::read(file(&sessions, &session)).unwrap();
    let blocked = Sessions::new(sessions.folder().join("file").join("below"));
    fs::write(sessions.folder().join("file"), "").unwrap();
    assert!(blocked.save(&mut session).is_err());
    assert_eq!(session.revision, 2);
    assert_eq!(fs::read(file(&sessions, &session)).unwrap(), before);
    assert_eq!(fs::read_dir(sessions.folder()).unwrap().count(), 2);
}

#[test]
fn one_run_at_a_time() {
    let (_folder, sessions) = store();
    let session = filled(&sessions);
    let held = sessions.lock(session.id).unwrap();
    for _ in 0..2 {
        assert!(matches!(sessions.lock(session.id), Err(SessionsError::Busy(_))));
        assert!(matches!(sessions.remove(session.id), Err(SessionsError::Busy(_))));
    }
    assert!(sessions.lock(Uuid::new_v4()).is_ok());
    drop(held);
    assert!(sessions.lock(session.id).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..Default::default() })]

    #[test]
    fn bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), text in any::<String>()) {
        let _ = form::decode(&bytes);
        let mut session = Session::new(&text, &text, Timestamp::UNIX_EPOCH);
        session.messages = vec![Message::user(text.as_str())];
        let Ok(again) = form::decode(&form::encode(&session)) else { panic!() };
        prop_assert_eq!(again, session);
    }
}

#[test]
fn the_beginning_of_an_id_is_enough() {
    let (_folder, sessions) = store();
    assert!(matches!(sessions.find("a"), Err(SessionsError::NoneBegins(_))));
    let ids: Vec<Uuid> = (0..40).map(|_| saved(&sessions, "ada", 0).id).collect();
    for id in &ids {
        let text = id.to_string();
        assert_eq!(sessions.find(&text).unwrap(), *id);
        for length in 1..text.len() {
            let found = sessions.find(&text[..length].to_uppercase());
            let same = |it: &&Uuid| it.to_string()[..length] == text[..length];
            match ids.iter().filter(same).count() {
                1 => assert_eq!(found.unwrap(), *id),
                _ => assert!(matches!(found, Err(SessionsError::Ambiguous { .. })), "{found:?}"),
            }
        }
    }
    for text in ["", " "] {
        assert!(matches!(sessions.find(text), Err(SessionsError::BadId(_))), "{text}");
    }
    for text in ["../x", "ghi", "a b", "é"] {
        assert!(matches!(sessions.find(text), Err(SessionsError::NoneNamed(_))), "{text}");
    }
    // A whole id is taken as it is: whoever loads it says that it is missing.
    assert!(sessions.find(&Uuid::new_v4().to_string()).is_ok());
}

#[test]
fn a_name_is_enough() {
    let (_folder, sessions) = store();
    let named = |name: &str| {
        let mut session = saved(&sessions, "ada", 0);
        session.name = Some(name.to_owned());
        sessions.save(&mut session).unwrap();
        session.id
    };
    let (otters, odd) = (named("Otters of the bay"), named("../x"));
    named("Twice");
    named("twice");
    for (text, expected) in
        [("Otters of the bay", otters), (" otters OF the bay ", otters), ("../x", odd)]
    {
        assert_eq!(sessions.find(text).unwrap(), expected, "{text}");
    }
    let twice = sessions.find("TWICE");
    assert!(matches!(twice, Err(SessionsError::Ambiguous { .. })), "{twice:?}");
    assert!(matches!(sessions.find("Otters"), Err(SessionsError::NoneNamed(_))));
}

#[test]
fn what_was_said_is_only_ever_appended_to() {
    let (_folder, sessions) = store();
    let session = saved(&sessions, "ada", 0);
    let of = |texts: &[&str]| texts.iter().map(|text| Message::user(*text)).collect::<Vec<_>>();
    let add = |before: &[&str], new: &[&str]| {
        sessions.add_said(session.id, &of(before), &of(new), Synced::Content).unwrap();
    };
    let said = || sessions.said(&session).unwrap();
    // Without such a file it is what the session holds.
    assert_eq!(said().messages, session.messages);
    add(&["of an older version"], &["one"]);
    add(&["known already"], &["two\nlines"]);
    add(&[], &[]);
    let all = of(&["of an older version", "one", "two\nlines"]);
    assert_eq!(said(), Said { messages: all.clone(), damaged: 0 });
    // A line that a killed process left costs itself alone.
    let path = sessions.folder().join(format!("{}.said.jsonl", session.id));
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    std::io::Write::write_all(&mut file, b"{\"role\":\"us").unwrap();
    add(&[], &["three"]);
    let found = said();
    assert_eq!((found.messages.len(), found.damaged), (4, 1));
    assert_eq!(found.messages.last(), of(&["three"]).last());
    // A link in its place is not followed, and the list of sessions does not see the file.
    assert_eq!(sessions.list().unwrap().problems.len(), 0);
    sessions.remove(session.id).unwrap();
    assert!(!path.exists());
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    assert!(sessions.add_said(session.id, &[], &of(&["x"]), Synced::Nothing).is_err());
}
