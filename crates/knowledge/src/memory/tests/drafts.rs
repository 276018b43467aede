//! What is handed in, and what becomes of it.

use proptest::prelude::*;

use super::*;

fn draft() -> Draft {
    Draft {
        event_type: EventType::Error,
        context: " one\r\ntwo\u{7}".to_owned(),
        command: "npm ci".to_owned(),
        lesson: "\tuse \u{1b}[31mred ".to_owned(),
        success_rate: "9/10".parse().ok(),
        tags: Some(vec!["NPM".to_owned(), " two  words ".to_owned(), "npm".to_owned()]),
        repo: "shop".to_owned(),
        agent_id: "agent\n1".to_owned(),
        replaces: None,
    }
}

/// A part of what is wrong.
#[track_caller]
fn check_refused(change: impl FnOnce(&mut Draft), expected: &str) {
    let mut draft = draft();
    change(&mut draft);
    assert_eq!(draft.finish(now()).unwrap_err().to_string(), expected);
}

#[test]
fn what_is_finished_is_tidy() {
    let memory = draft().finish("2026-11-21T22:00:00.1239Z".parse().unwrap()).unwrap();
    assert_eq!(memory.context, "one  two");
    assert_eq!(memory.lesson, "use  [31mred");
    assert_eq!(memory.agent_id, "agent 1");
    assert_eq!(memory.tags, ["npm", "two-words"]);
    assert_eq!(memory.timestamp.to_string(), "2026-11-21T22:00:00.123Z");
    let id: ulid::Ulid = memory.id.parse().unwrap();
    assert_eq!(id.timestamp_ms(), 1_795_298_400_123);
    let derived = Draft { tags: None, ..draft() }.finish(now()).unwrap();
    assert_eq!(derived.tags, ["npm"]);
    assert!(Draft { tags: Some(vec![]), ..draft() }.finish(now()).unwrap().tags.is_empty());
    assert!(Draft { context: String::new(), ..draft() }.finish(now()).is_ok());
    assert!(Draft { command: String::new(), ..draft() }.finish(now()).is_ok());
    for now in [Timestamp::MIN, Timestamp::MAX] {
        assert_eq!(draft().finish(now).unwrap().timestamp.as_second(), now.as_second());
    }
}

#[test]
fn what_is_too_long_or_missing_is_refused() {
    check_refused(|draft| draft.lesson = "\u{0} \n".to_owned(), "`lesson` is missing");
    check_refused(
        |draft| (draft.context, draft.command) = (String::new(), " ".to_owned()),
        "`context` is missing, and there is no command either",
    );
    let over = |key| format!("`{key}` has 4001 characters, over the cap of 4000");
    check_refused(|draft| draft.lesson = "é".repeat(4001), &over("lesson"));
    check_refused(|draft| draft.context = "é".repeat(4001), &over("context"));
    check_refused(|draft| draft.command = "é".repeat(4001), &over("command"));
    check_refused(
        |draft| draft.agent_id = "é".repeat(101),
        "`agent_id` has 101 characters, over the cap of 100",
    );
    check_refused(
        |draft| draft.repo = "../x".to_owned(),
        "`../x` cannot be the name of a repository's folder",
    );
    check_refused(|draft| draft.tags = Some(vec![" ".to_owned()]), "`tags` has an empty tag");
    check_refused(
        |draft| draft.tags = Some(vec!["a".to_owned(); 21]),
        "`tags` has 21 tags, over the cap of 20",
    );
    check_refused(
        |draft| draft.tags = Some(vec!["é".repeat(41)]),
        "`tags` has a tag of 41 characters, over the cap of 40",
    );
    check_refused(
        |draft| draft.replaces = Some("a b".to_owned()),
        "`replaces` is no id of a record",
    );
}

#[test]
fn the_longest_record_fits_on_a_line() {
    for char in ["\"", "\\", "\u{10ffff}", "é"] {
        let text = || char.repeat(4000);
        let tags = (0..20).map(|tag| format!("{tag:02}{}", char.repeat(38))).collect();
        let draft = Draft {
            context: text(),
            command: text(),
            lesson: text(),
            tags: Some(tags),
            repo: "r".repeat(64),
            agent_id: char.repeat(100),
            replaces: Some(char.repeat(128)),
            ..draft()
        };
        let memory = draft.finish(now()).unwrap();
        assert!(line(&Entry::Memory(memory)).is_ok(), "{char}");
    }
}

#[track_caller]
fn check_json(text: &str, expected: &str) {
    let found = Draft::from_json(text).map(|parts| format!("{parts:?}"));
    assert_eq!(found.unwrap_or_else(|error| error.to_string()), expected);
}

#[test]
fn records_that_are_handed_in() {
    let all = r#"{"id":"1","timestamp":"2025-10-31T04:58:01Z","agent_id":"a","repo":"r","event_type":"success","context":"c","command":"m","lesson":"l","success_rate":"1/2","tags":["t"],"replaces":"0"}"#;
    let parts = Draft::from_json(all).unwrap();
    let expected = DraftParts {
        timestamp: "2025-10-31T04:58:01Z".parse().ok(),
        agent_id: Some("a".to_owned()),
        repo: Some("r".to_owned()),
        event_type: Some(EventType::Success),
        context: "c".to_owned(),
        command: "m".to_owned(),
        lesson: "l".to_owned(),
        success_rate: "1/2".parse().ok(),
        tags: Some(vec!["t".to_owned()]),
        replaces: Some("0".to_owned()),
    };
    assert_eq!(parts, expected);
    let draft = parts.into_draft(EventType::Error, "x".to_owned(), "x".to_owned());
    assert_eq!((draft.event_type, draft.repo.as_str()), (EventType::Success, "r"));
    let least = DraftParts { lesson: "l".to_owned(), ..DraftParts::default() };
    assert_eq!(Draft::from_json(r#" {"lesson":"l"} "#).unwrap(), least);
    let nulls = r#"{"lesson":"l","command":null,"tags":null,"success_rate":"","event_type":null}"#;
    assert_eq!(Draft::from_json(nulls).unwrap(), least);
    let draft = least.into_draft(EventType::Error, "x".to_owned(), "y".to_owned());
    assert_eq!((draft.repo.as_str(), draft.agent_id.as_str()), ("x", "y"));
}

#[test]
fn what_is_handed_in_wrongly_is_refused_by_name() {
    check_json("{}", "`lesson` is missing");
    check_json(r#"{"lesson":5}"#, "`lesson` is no text");
    check_json(
        r#"{"lesson":"l","typ":"error"}"#,
        "`typ` is no key of a record, did you mean `event_type`?",
    );
    check_json(r#"{"leson":"l"}"#, "`leson` is no key of a record, did you mean `lesson`?");
    check_json(
        r#"{"lessons_learned":"l"}"#,
        "`lessons_learned` is no key of a record, did you mean `lesson`?",
    );
    check_json(r#"{"tag":"l"}"#, "`tag` is no key of a record, did you mean `tags`?");
    check_json(r#"{"Context":"l"}"#, "`Context` is no key of a record, did you mean `context`?");
    check_json(r#"{"zebra":"l"}"#, "`zebra` is no key of a record");
    check_json(r#"{"lesson":"l","tags":"a, b"}"#, "`tags` is no list of texts");
    check_json(r#"{"lesson":"l","tags":[1]}"#, "`tags` is no list of texts");
    check_json(
        r#"{"lesson":"l","success_rate":"90%"}"#,
        "`success_rate` is not successes/attempts, like `9/10`",
    );
    check_json(
        r#"{"lesson":"l","event_type":"fail"}"#,
        "`event_type` is not one of `error`, `success` and `pattern`",
    );
    check_json(
        r#"{"lesson":"l","timestamp":"now"}"#,
        "`timestamp` is no time like `2026-11-21T22:00:00Z`",
    );
    check_json("[]", "the record is not written as JSON: it is no object");
    check_json(
        "",
        "the record is not written as JSON: EOF while parsing a value at line 1 column 0",
    );
    check_json(&" ".repeat(300_000), "a record of 300000 bytes, over the cap of 262144");
    assert!(Draft::from_json(&"[".repeat(100_000)).is_err());
}

proptest! {
    #[test]
    fn a_finished_draft_is_read_back(lesson: String, context: String, command: String, second: i32) {
        let now = Timestamp::from_second(second.into()).unwrap();
        let draft = Draft { lesson: lesson + "x", context, command, tags: None, ..draft() };
        if let Ok(memory) = draft.finish(now) {
            let entry = Entry::Memory(memory);
            let read = parse_file(written(&entry).as_bytes(), "");
            prop_assert_eq!(read, Read { entries: vec![(1, entry)], damage: vec![] });
        }
    }

    #[test]
    fn any_text_may_be_handed_in(text: String) {
        let _ = Draft::from_json(&text);
        let _ = Draft::from_json(&format!("{{\"lesson\":{text:?}}}"));
    }
}
