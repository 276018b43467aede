use proptest::prelude::*;

use super::*;
use crate::config::{KEYS, list_text, template};

fn check(text: &str, key: &str, value: &str, expected: &str) {
    let pinned = pin(text, key, value).unwrap_or_else(|error| panic!("{error}\n{text}")).unwrap();
    assert_eq!(pinned, expected, "{key}: {value}");
    assert_eq!(pin(&pinned, key, value).unwrap(), None, "a second time");
}

#[test]
fn edits_the_line_of_a_key() {
    for (text, key, value, expected) in [
        ("search:\n  limit: 5\n", "search.limit", "7", "search:\n  limit: 7\n"),
        ("search:\n  limit: 5", "search.limit", "7", "search:\n  limit: 7"),
        (
            "search:\r\n  limit:   5   # few\r\n",
            "search.limit",
            "7",
            "search:\r\n  limit:   7   # few\r\n",
        ),
        ("search:\n  limit: # few\n", "search.limit", "7", "search:\n  limit: 7 # few\n"),
        ("search:\n  limit:\n", "search.limit", "7", "search:\n  limit: 7\n"),
        ("search.limit: 5\n", "search.limit", "7", "search.limit: 7\n"),
        ("'search':\n    \"limit\" : 5\n", "search.limit", "7", "'search':\n    \"limit\" : 7\n"),
        ("\u{feff}search:\n  limit: 5\n", "search.limit", "7", "\u{feff}search:\n  limit: 7\n"),
        (
            "knowledge:\n  embedding_model: \"a # b\" # c\n",
            "knowledge.embedding_model",
            "d # e",
            "knowledge:\n  embedding_model: \"d # e\" # c\n",
        ),
        (
            "knowledge:\n  embedding_model: >\n    a\n    b\n  roots: [.]\n",
            "knowledge.embedding_model",
            "c",
            "knowledge:\n  embedding_model: c\n  roots: [.]\n",
        ),
    ] {
        check(text, key, value, expected);
    }
}

#[test]
fn edits_lists_in_their_own_form() {
    let roots = "knowledge.roots";
    for (text, expected) in [
        ("knowledge:\n  roots: [a]  # x\n", "knowledge:\n  roots: [a, b]  # x\n"),
        ("knowledge:\n  roots: a\n", "knowledge:\n  roots: [a, b]\n"),
        ("knowledge:\n  roots:\n    - a # x\n", "knowledge:\n  roots:\n    - a # x\n    - b\n"),
        ("knowledge:\n  roots:\n  - a", "knowledge:\n  roots:\n  - a\n  - b\n"),
        (
            "knowledge:\r\n  roots:\r\n  # x\r\n  - a\r\n\r\n  extensions: [md]\r\n",
            "knowledge:\r\n  roots:\r\n  # x\r\n  - a\r\n  - b\r\n\r\n  extensions: [md]\r\n",
        ),
        ("knowledge:\n  roots:\n  - c\n  # x\n", "knowledge:\n  roots: [a, b]\n  # x\n"),
        ("knowledge:\n  roots: [\n    c, # x\n  ]\n", "knowledge:\n  roots: [a, b]\n"),
    ] {
        check(text, roots, "[a, b]", expected);
    }
}

#[test]
fn adds_a_key_where_it_belongs() {
    let max = "knowledge.chunk.max_tokens";
    for (text, expected) in [
        ("", "knowledge:\n  chunk:\n    max_tokens: 70\n"),
        ("# mine", "# mine\nknowledge:\n  chunk:\n    max_tokens: 70\n"),
        ("a: b\r\n", "a: b\r\nknowledge:\r\n  chunk:\r\n    max_tokens: 70\r\n"),
        ("knowledge:\n", "knowledge:\n  chunk:\n    max_tokens: 70\n"),
        ("knowledge:", "knowledge:\n  chunk:\n    max_tokens: 70\n"),
        (
            "knowledge:\n    roots: [.]\nsearch:\n",
            "knowledge:\n    chunk:\n      max_tokens: 70\n    roots: [.]\nsearch:\n",
        ),
        (
            "knowledge:\n  chunk:\n    # mine\n    min_tokens: 3\n",
            "knowledge:\n  chunk:\n    max_tokens: 70\n    # mine\n    min_tokens: 3\n",
        ),
        (
            "knowledge:\n  chunk:\n    # max_tokens: 1000\n  # max_tokens: 1000\n",
            "knowledge:\n  chunk:\n    max_tokens: 70\n  # max_tokens: 1000\n",
        ),
        ("---\na: b\n", "---\na: b\nknowledge:\n  chunk:\n    max_tokens: 70\n"),
    ] {
        check(text, max, "70", expected);
    }
}

#[test]
fn uncomments_one_line_of_the_template() {
    let text = template(&[]);
    for key in KEYS.iter() {
        let value = other_value(key);
        let given = value.trim_matches('"');
        let pinned = pin(&text, key.name, given).unwrap().unwrap();
        let changed: Vec<(&str, &str)> =
            text.lines().zip(pinned.lines()).filter(|(before, after)| before != after).collect();
        assert_eq!(text.lines().count(), pinned.lines().count());
        let leaf = key.split().1;
        assert_eq!(changed.len(), 1, "{}", key.name);
        assert_eq!(changed[0].0.trim(), format!("# {leaf}: {}", key.default));
        assert_eq!(changed[0].1.trim(), format!("{leaf}: {value}"));
        assert_eq!(pinned, template(&[(key.name, given)]));
    }
}

#[test]
fn refuses() {
    for (text, key, value, expected) in [
        ("", "search.limits", "5", "unknown key \"search.limits\""),
        (
            "",
            "search.limit",
            "lots",
            "search.limit: expected a whole number from 1 to 10000, found \"lots\"",
        ),
        (
            "search: {limit: 5}\n",
            "search.limit",
            "7",
            "`search.limit: 7` can't be set by editing one line; set it by hand",
        ),
        (
            "- a\n",
            "search.limit",
            "7",
            "`search.limit: 7` can't be set by editing one line; set it by hand",
        ),
        (
            "a: |\n  b\n...\n",
            "search.limit",
            "7",
            "`search.limit: 7` can't be set by editing one line; set it by hand",
        ),
    ] {
        assert_eq!(pin(text, key, value).unwrap_err().to_string(), expected);
    }
    assert!(matches!(pin("a: [", "search.limit", "7"), Err(PinError::Yaml { .. })));
}

fn other_value(key: &Key) -> String {
    use crate::config::Kind;
    match key.kind {
        Kind::Whole { max, .. } => max.to_string(),
        Kind::Real { .. } => "0.5".to_owned(),
        Kind::Switch => "false".to_owned(),
        Kind::Choice(words) => words[words.len() - 1].to_owned(),
        Kind::Tongue => "german".to_owned(),
        Kind::Embedder => "minilm".to_owned(),
        Kind::Budget => "30calls".to_owned(),
        Kind::Models => "[a/b, c/d]".to_owned(),
        Kind::Text | Kind::Folder => "some/thing".to_owned(),
        Kind::Extensions | Kind::Folders | Kind::Places => "[txt, rst]".to_owned(),
        Kind::Patterns => "[txt, \"*.rst\"]".to_owned(),
        Kind::Opener => "\"idea://open?file={path}\"".to_owned(),
        Kind::Address => "10.0.0.1".to_owned(),
        Kind::People => "[\"telegram:1 slack:U2\"]".to_owned(),
        Kind::Words(words) => list_text(&words[1..]),
        Kind::Span { .. } => "30m".to_owned(),
    }
}

fn value_for(key: &'static Key) -> BoxedStrategy<String> {
    use crate::config::Kind;
    match key.kind {
        Kind::Whole { min, max } => (min..=max).prop_map(|n| n.to_string()).boxed(),
        Kind::Real { min, max } => (min..=max).prop_map(|n| n.to_string()).boxed(),
        Kind::Switch => any::<bool>().prop_map(|yes| yes.to_string()).boxed(),
        Kind::Choice(words) => proptest::sample::select(words).prop_map(str::to_owned).boxed(),
        Kind::Tongue => Just("german".to_owned()).boxed(),
        Kind::Embedder => prop_oneof![
            proptest::sample::select(crate::config::Provider::WORDS).prop_map(str::to_owned),
            "local:[a-z_][a-z._-]{0,5}",
        ]
        .boxed(),
        Kind::Budget => "[0-9]{1,3}usd(,[1-9]{1,5}tok)?".boxed(),
        Kind::Models => {
            let model = "[a-z]{1,3}/[a-z:/.#'-]{1,6}";
            proptest::collection::vec(model, 1..4).prop_map(|v| list_text(&v)).boxed()
        }
        Kind::Text => r##"[a-z#:"'{}\[\], \\é😀-]{0,8}x"##.boxed(),
        Kind::Opener => Just("idea://open?file={path}&line={line}".to_owned()).boxed(),
        Kind::Address => any::<std::net::IpAddr>().prop_map(|it| it.to_string()).boxed(),
        Kind::People => {
            let person = "(telegram|cli):[a-z0-9:]{1,4} slack:[A-Z'\"]{1,3}";
            proptest::collection::vec(person, 1..4).prop_map(|v| list_text(&v)).boxed()
        }
        Kind::Folder => "[a-z #:'\"é-]{1,6}(/[a-z]{1,3})?".boxed(),
        Kind::Extensions => {
            proptest::collection::vec("[a-z]{1,3}", 1..4).prop_map(|v| list_text(&v)).boxed()
        }
        Kind::Words(words) => {
            let some = proptest::sample::subsequence(words.to_vec(), 1..=words.len());
            some.prop_map(|words| list_text(&words)).boxed()
        }
        Kind::Patterns => {
            proptest::collection::vec("[a-z.]{1,4}[*]?", 1..4).prop_map(|v| list_text(&v)).boxed()
        }
        Kind::Folders | Kind::Places => proptest::collection::vec("[a-z #,'\"]{1,5}", 1..4)
            .prop_map(|items| list_text(&items))
            .boxed(),
        Kind::Span { .. } => (1u64..60).prop_map(|n| format!("{n}m")).boxed(),
    }
}

/// A setting, how it stands in the file, and a comment.
fn setting() -> impl Strategy<Value = (&'static Key, String, u8, String)> {
    proptest::sample::select(KEYS.iter().collect::<Vec<&'static Key>>()).prop_flat_map(|key| {
        let comment = prop_oneof![Just(String::new()), "[a-z:'\" ]{0,6}"];
        (Just(key), value_for(key), 0u8..4, comment)
    })
}

/// Writes settings as somebody might: sections in the table's order, own indentation, lists in
/// either form, comments behind and between.
fn by_hand(settings: &[(&'static Key, String, u8, String)], step: usize, ending: &str) -> String {
    let mut text = String::from("# mine\n");
    let mut open: Vec<&str> = Vec::new();
    for key in KEYS.iter() {
        let Some((_, value, form, comment)) =
            settings.iter().find(|(own, ..)| own.name == key.name)
        else {
            continue;
        };
        let (section, leaf) = key.split();
        let path: Vec<&str> = section.split('.').collect();
        let common = path.iter().zip(&open).take_while(|(a, b)| a == b).count();
        for (depth, part) in path.iter().enumerate().skip(common) {
            text.push_str(&format!("{:w$}{part}:\n", "", w = depth * step));
        }
        open = path.clone();
        let indent = path.len() * step;
        let behind = if comment.is_empty() { String::new() } else { format!("  # {comment}") };
        text.push_str(&format!("{:indent$}{leaf}:", ""));
        match key.kind.read(&raw_of(value)).unwrap() {
            Value::List(items) if *form > 0 => {
                text.push_str(&format!("{behind}\n"));
                let deeper = indent + if *form == 1 { 0 } else { step };
                for item in items {
                    text.push_str(&format!("{:deeper$}- {}{behind}\n", "", quote(&item)));
                }
            }
            value => text.push_str(&format!(" {value}{behind}\n")),
        }
        if *form == 3 {
            text.push_str(&format!("\n  # {leaf}: note\n"));
        }
    }
    text.replace('\n', ending)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn sets_one_key_and_keeps_the_others(
        settings in proptest::collection::vec(setting(), 0..8),
        wanted in setting(),
        step in 1usize..5,
        crlf in any::<bool>(),
        final_newline in any::<bool>(),
    ) {
        let mut text = by_hand(&settings, step, if crlf { "\r\n" } else { "\n" });
        if !final_newline {
            text.truncate(text.trim_end().len());
        }
        let (key, value, ..) = wanted;
        let want = key.kind.read(&raw_of(&value)).unwrap();
        let mut before = leaves(&text).unwrap();
        before.remove(key.name);
        let Some(pinned) = pin(&text, key.name, &value).unwrap() else { return Ok(()) };
        let mut after = leaves(&pinned).unwrap();
        let now = after.remove(key.name).and_then(|raw| key.kind.read(&raw));
        prop_assert_eq!(now, Some(want));
        prop_assert_eq!(before, after);
        prop_assert_eq!(pin(&pinned, key.name, &value).unwrap(), None);
        let comments = |text: &str| text.matches('#').count();
        let free = matches!(key.kind, crate::config::Kind::Text | crate::config::Kind::Folder);
        if !key.kind.is_list() && !free {
            prop_assert_eq!(comments(&text), comments(&pinned));
        }
    }

    #[test]
    fn never_panics(text in "[a-z:#'\"\\[\\]{}| \n\r-]{0,60}", at in 0..KEYS.len()) {
        let _ = pin(&text, KEYS[at].name, &other_value(&KEYS[at]));
    }
}
