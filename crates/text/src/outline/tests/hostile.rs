//! Texts that nobody wrote for people.

use proptest::prelude::*;

use super::super::{FileKind, Outline, caps, outline};
use super::{ALL, samples};

/// What holds for any outline of any text.
fn sound(kind: FileKind, text: &str) -> Outline {
    let told = outline(kind, text);
    assert!(told.purpose.len() <= caps::PURPOSE);
    assert!(told.items.len() <= caps::ITEMS);
    assert!(told.imports.len() <= caps::IMPORTS);
    assert!(told.imports.iter().all(|import| !import.is_empty() && import.len() <= caps::IMPORT));
    for (number, item) in told.items.iter().enumerate() {
        let slice = text.get(item.range.clone());
        let slice = slice.unwrap_or_else(|| panic!("{kind:?}: {item:?} is not in the text"));
        assert_eq!(slice.trim_end(), slice, "{kind:?}: {item:?}");
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let last = item.range.end.saturating_sub(1).max(item.range.start);
        let last = text.floor_char_boundary(last);
        assert_eq!(item.lines, (line(item.range.start), line(last)), "{kind:?}: {item:?}");
        assert!(!item.name.is_empty() && item.name.len() <= caps::NAME);
        assert!(item.signature.len() <= caps::SIGNATURE && item.doc.len() <= caps::DOC);
        assert!(item.parent.is_none_or(|parent| parent < told.items.len() && parent != number));
    }
    told
}

#[test]
fn nothing_that_is_deep_long_or_broken_stops_an_outline() {
    let deep = 100_000;
    let many = 300;
    let texts = [
        "(".repeat(deep),
        "{".repeat(deep),
        "[".repeat(deep),
        "{\n".repeat(deep),
        format!("fn a() {}{}", "{".repeat(deep), "}".repeat(deep)),
        format!("x = {}{}", "[".repeat(deep), "]".repeat(deep)),
        "{\"a\":".repeat(many),
        "- ".repeat(many),
        "a: ".repeat(many),
        "a.".repeat(many),
        "/*".repeat(many),
        "/* ".to_owned() + &"x\n".repeat(many),
        "\"".repeat(many + 1),
        "\"\"\"".to_owned() + &"x\n".repeat(many),
        "\0".repeat(many),
        "fn \0a\0() {}\n\0".repeat(200),
        "!".repeat(many),
        "if a:\n".repeat(many),
        "#if 1\n".repeat(many),
        "namespace a {".repeat(100),
        "impl A for B {".repeat(100),
        "use a::{".repeat(100),
        "use ".to_owned() + &"a::{".repeat(100) + "b",
        "<".repeat(many),
        "\\\n".repeat(many),
        "# ".repeat(many),
        "#\n".repeat(many),
        "> ".repeat(many),
        "=\n".repeat(many),
        "x\n===\n".repeat(many),
        "'".repeat(many),
        "$a$".repeat(many),
        "\u{feff}\u{2028}ä\r\r\r\n".repeat(200),
        "[".to_owned() + &"a.".repeat(many) + "]\n",
        "create table a (b int".repeat(200),
        "type A { ".repeat(200),
        "message A { ".repeat(200),
        String::new(),
        "\n".repeat(many),
    ];
    for kind in ALL {
        for text in &texts {
            sound(kind, text);
        }
    }
}

#[test]
fn what_is_over_a_cap_is_said_to_be_incomplete() {
    for kind in ALL {
        let line = "x".repeat(50 * 1024 * 1024);
        let told = sound(kind, &line);
        assert!(told.has_errors && told.items.is_empty(), "{kind:?}");
    }
    let deep = format!("fn a() {{}}\n// {}", "(".repeat(caps::DEPTH + 1));
    let told = sound(FileKind::Rust, &deep);
    assert!(told.has_errors && told.items.is_empty());
    let long = format!("//! Generated.\nfn a() {{}}\n// {}", "x".repeat(caps::LINE));
    let told = sound(FileKind::Rust, &long);
    assert!(told.has_errors && told.items.is_empty());
    assert_eq!(told.purpose, "Generated.");
    let many = "fn a() {}\n".repeat(caps::ITEMS + 1);
    assert_eq!(sound(FileKind::Rust, &many).items.len(), caps::ITEMS);
    let many: String =
        (0..=caps::IMPORTS).map(|n| format!("use a::b{n};\nuse a::b{n};\n")).collect();
    assert_eq!(sound(FileKind::Rust, &many).imports.len(), caps::IMPORTS);
}

fn any_kind() -> impl Strategy<Value = FileKind> {
    proptest::sample::select(ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_bytes_have_a_sound_outline(kind in any_kind(), bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        sound(kind, &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_marks_have_a_sound_outline(kind in any_kind(), text in "([a-z#:;,.={}()\\[\\]<>/*'\"`$@!|\\\\ä\t\r\n -]|pub |fn |use |class |create table |type |message )*") {
        sound(kind, &text);
    }

    #[test]
    fn a_cut_text_has_a_sound_outline(
        kind in any_kind(),
        sample in 0..ALL.len(),
        from in 0.0..1.0_f64,
        to in 0.0..1.0_f64,
    ) {
        let text = samples()[sample].1;
        let at = |part: f64| text.floor_char_boundary((text.len() as f64 * part) as usize);
        let (from, to) = (at(from.min(to)), at(from.max(to)));
        sound(samples()[sample].0, &text[..to]);
        sound(kind, &text[from..to]);
    }

    #[test]
    fn line_ends_change_no_item(sample in 0..ALL.len()) {
        let (kind, text) = samples()[sample];
        let told = |text: &str| {
            let items = sound(kind, text).items.into_iter();
            items.map(|item| (item.kind, item.name, item.parent, item.lines)).collect::<Vec<_>>()
        };
        prop_assert_eq!(told(text), told(&text.replace('\n', "\r\n")));
    }
}
