//! Reading and writing records, and what was cut, glued, merged or overwritten.

use proptest::prelude::*;

use super::*;

/// `expected`: each record's id and line, then the line and the first words of each fault.
#[track_caller]
fn check(text: impl AsRef<[u8]>, expected: &str) {
    let read = parse_file(text.as_ref(), "folder");
    let ids = read.entries.iter().map(|(line, entry)| format!("{}@{line}", entry.id()));
    let words = |text: &str| text.split(' ').take(3).collect::<Vec<_>>().join("-");
    let faults = read.damage.iter().map(|(line, reason)| format!("{}@{line}", words(reason)));
    assert_eq!(ids.chain(faults).collect::<Vec<_>>().join(" "), expected);
}

#[test]
fn damage_is_reported_by_line_and_the_rest_is_read() {
    let (one, two) = (written(&entry("1")), written(&retired("2", "1")));
    let bare = |line: &str| line.trim_end().to_owned();
    check("", "");
    check("\n \n", "");
    check(format!("{one}{two}"), "1@1 2@2");
    check(format!("\u{feff}{one}{two}"), "1@1 2@2");
    check(format!("  {one}"), "1@1");
    check(format!("{one}{}", bare(&two)), "1@1 2@2 the-last-record@2");
    check(format!("{one}{two}{one}").replace('\n', "\r\n"), "1@1 2@2 1@3 lines-end-in@1");
    check(format!("{}{two}", bare(&one)), "1@1 2@1 2-records-on@1");
    check(format!("{one}{{\"id\":\"2\",\"te"), "1@1 the-last-record@2");
    check(format!("{one}{{\"id\":\"2\",\"te\n{two}"), "1@1 2@3 not-JSON:-EOF@2");
    check([one.as_bytes(), &[0; 4096], two.as_bytes()].concat(), "1@1 2@2 4096-bytes-of@2");
    check(
        format!("{one}<<<<<<< HEAD\n{two}=======\n{one}>>>>>>> theirs\n{two}"),
        "1@1 2@3 1@5 2@7 a-conflict-marker@2 a-conflict-marker@4 a-conflict-marker@6",
    );
    check([one.as_bytes(), b"{\"id\":\"\xc3"].concat(), "1@1 the-last-record@2");
    check([b"{\"id\":\"\xc3\"}\n", one.as_bytes()].concat(), "1@2 not-JSON:-invalid@1");
    check(format!("[1]\n5\n{one}"), "1@3 not-a-record@1 not-a-record@2");
    check(format!("{}\n{one}", "x".repeat(2_000_000)), "1@2 2000000-bytes,-over@1");
    check(format!("{}\n{one}", "[".repeat(100_000)), "1@2 not-JSON:-EOF@1");
    let deep = format!("{{\"tags\":{}{}}}", "[".repeat(1_000), "]".repeat(1_000));
    check(format!("{deep}\n{one}"), "1@2 not-a-record@1");
    let many = parse_file("x\n".repeat(1_500).as_bytes(), "");
    assert_eq!(many.damage.len(), 1_001);
    assert_eq!(many.damage.last().unwrap().1, "500 more faults from here on");
}

/// `expected`: the line that is written for the record of another program, or what is wrong.
#[track_caller]
fn check_record(object: &str, expected: &str) {
    let read = parse_file(format!("{object}\n").as_bytes(), "folder");
    let found = match (read.entries.as_slice(), read.damage.as_slice()) {
        ([(1, entry)], []) => line(entry).unwrap(),
        ([], [(1, reason)]) => reason.trim_start_matches("not a record of this log: ").to_owned(),
        other => format!("{other:?}"),
    };
    assert_eq!(found, expected);
}

#[test]
fn records_of_other_programs() {
    let least = r#"{"timestamp":"2025-10-31T04:58:01Z","event_type":"error","lesson":"l"}"#;
    let id = format!("h{}", &blake3::hash(least.as_bytes()).to_hex()[..24]);
    let rest = r#""timestamp":"2025-10-31T04:58:01.000Z","agent_id":"","repo":"folder","event_type":"error","context":"","command":"","lesson":"l","success_rate":"","tags":[]"#;
    check_record(least, &format!(r#"{{"id":"{id}",{rest}}}"#));
    let ended = parse_file(format!("{least} \t\r\n").as_bytes(), "folder");
    assert_eq!((ended.entries[0].1.id(), ended.damage.len()), (id.as_str(), 1));
    check_record(
        r#"{"lesson":"l","context":null,"command":5,"x":{"y":[1]},"tags":["A b",1,"a  B",""],"success_rate":" 9 / 10 ","repo":"my/repo","event_type":" Pattern","timestamp":"2025-10-31","id":"7","agent_id":"a","replaces":"6","retired":null}"#,
        r#"{"id":"7","timestamp":"2025-10-31T00:00:00.000Z","agent_id":"a","repo":"my-repo","event_type":"pattern","context":"","command":"","lesson":"l","success_rate":"9/10","tags":["a-b"],"replaces":"6"}"#,
    );
    check_record(
        r#"{"id":"8","timestamp":"9999-12-31T23:59:59Z","retired":"7","lesson":"l"}"#,
        r#"{"id":"8","timestamp":"9999-12-30T22:00:00.999Z","agent_id":"","repo":"folder","retired":"7"}"#,
    );
    for rate in ["9/0", "11/10", "often", ""] {
        let object =
            least.replace("\"lesson\"", &format!("\"success_rate\":\"{rate}\",\"lesson\""));
        let read = parse_file(object.as_bytes(), "folder");
        assert!(
            matches!(&read.entries[0].1, Entry::Memory(memory) if memory.success_rate.is_none())
        );
    }
    check_record(&least.replace("error", "errors"), "its event_type is none");
    check_record(&least.replace("event_type", "type"), "it has no event_type");
    check_record(&least.replace("\"l\"", "\" \""), "it has neither a lesson nor a context");
    check_record(&least.replace("timestamp", "time"), "it has no timestamp");
    check_record(&least.replace("2025-10-31", "2025-13-31"), "its timestamp is none");
    check_record(
        &least.replace("{", "{\"id\":\"1\",\"id\":\"2\","),
        "duplicate field `id` at line 1 column 14",
    );
}

#[test]
fn records_without_an_id_that_were_glued_are_told_apart() {
    let one = r#"{"timestamp":"2025-10-31T04:58:01Z","event_type":"error","lesson":"1"}"#;
    let two = one.replace("\"1\"", "\"2\"");
    let ids = |text: String| -> Vec<_> {
        let read = parse_file(text.as_bytes(), "");
        read.entries.iter().map(|(_, entry)| entry.id().to_owned()).collect()
    };
    assert_eq!(ids(format!("{one}{two}\n")), ids(format!("{one}\r\n{two}\n")));
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-z \\\\\"`\u{202e}\u{0}\n]{0,20}"]
}

prop_compose! {
    fn any_memory()(
        texts in prop::array::uniform4(any_text()),
        milliseconds in Timestamp::MIN.as_millisecond() + 1..Timestamp::MAX.as_millisecond(),
        kind in 0..3_usize,
        rate in prop::option::of((0..9_u32, 9..99_u32)),
        tags in prop::collection::btree_set("[a-z]{1,9}", 0..5),
        replaces in prop::option::of("[0-9A-Z]{26}"),
    ) -> Memory {
        let [agent_id, context, command, lesson] = texts;
        Memory {
            id: "1".to_owned(),
            timestamp: Timestamp::from_millisecond(milliseconds).unwrap(),
            agent_id,
            repo: "shop".to_owned(),
            event_type: EventType::ALL[kind],
            context,
            command,
            lesson: lesson + "x",
            success_rate: rate.map(|(successes, attempts)| Rate { successes, attempts }),
            tags: tags.into_iter().collect(),
            replaces,
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(memory in any_memory()) {
        let entry = Entry::Memory(memory);
        let text = line(&entry).unwrap();
        prop_assert!(!text.contains(['\n', '\r', '\0']));
        let read = parse_file((text + "\n").as_bytes(), "");
        prop_assert_eq!(read, Read { entries: vec![(1, entry)], damage: vec![] });
    }

    #[test]
    fn reading_never_fails_and_lists_lines_in_order(bytes: Vec<u8>, cut in 0..200_usize) {
        let [one, two] = ["1", "2"].map(|id| written(&entry(id)).into_bytes());
        let text = [one, bytes, two].concat();
        let read = parse_file(&text[..text.len().saturating_sub(cut)], "");
        prop_assert!(read.entries.is_sorted_by_key(|(line, _)| *line));
        prop_assert!(read.damage.is_sorted_by_key(|(line, _)| *line));
    }
}
