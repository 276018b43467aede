//! Caps, texts that would cost a careless reader, and random ones.

use proptest::prelude::*;

use super::*;

#[test]
fn caps_hold() {
    let many: String =
        (0..300).map(|n| format!("Tool X{n}Y is a thing that works well.\n\n")).collect();
    assert_eq!(found(&many, "", &[], Mode::Full).len(), MAX_ENTITIES);
    let much: String = (0..100).map(|n| format!("Foo Bar has {n} parts in it. ")).collect();
    assert_eq!(found(&much, "", &known(&["Foo Bar"]), Mode::Full)[0].1.len(), MAX_FACTS);
}

/// Each of these is 200 kB of what would cost a careless reader most.
#[test]
fn hostile_texts_are_read() {
    for part in [
        ">", "[", "*", "**a", "`", "{{", "{{<", "(", "A ", "A and ", "Foo is a ", ". . ", "- ",
        "# ", "<b>", "|-|", "![", "\u{202e}", "\u{0}", "🎉", "東京。", "a\r", "\r\n\r\n",
        "Foo, a ", "'", "the ", "— ", "(Foo) ", "[^a]", "J. ", "a\n", "a: b\n", "|a|", "Es gibt ",
    ] {
        let text = part.repeat(200_000 / part.len());
        let document = Document { text: &text, title: Some(&text) };
        let all = extract(
            &document,
            &text[..text.floor_char_boundary(5_000)],
            &known(&["Foo"]),
            Mode::Full,
        );
        assert!(all.entities.len() <= MAX_ENTITIES);
        statements(&text);
    }
}

/// What stood first in a clause, where something before it was asked for.
#[test]
fn sentences_may_begin_with_anything() {
    let page =
        "# Moon\n\nThe Moon is the only natural satellite of Earth and orbits at 384400 km.\n\n";
    for line in [
        "- That's fine — the Moon was captured by Earth in the past.",
        "That's fine: the Moon was captured by Earth in the past.",
        "There — there was a Moon that was captured by Earth in the past.",
        "Is — 1.",
        "We — we.",
        "The — the was.",
    ] {
        for text in [line.to_owned(), line.repeat(3), line.to_lowercase()] {
            let text = format!("{page}{text}\n");
            let document = Document { text: &text, title: None };
            extract(&document, "Moon", &[], Mode::Given);
        }
    }
}

fn prose() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "Foo", "Foo Bar", "the", "is", "a", "tool", "that", "It", "runs", "and", ",", ".", ". ",
        "\n", "\n\n", "# ", "- ", "**", "*", "`", "(", ")", "[X](y)", "KEF LS50", "was", "called",
        "–", ":", "?", "{{x}}", "東京", "\u{202e}", "Its", "speed", "The", "1.5", "Dr.",
        "In 2019,",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn known_only_brings_nothing_new(text in prose(), topic in ".{0,20}") {
        let names = known(&["Foo Bar", "tool", ""]);
        let document = Document { text: &text, title: Some("Foo") };
        let only = extract(&document, &topic, &names, Mode::KnownOnly);
        for it in &only.entities {
            let index = it.known.unwrap();
            prop_assert_eq!(&it.name, &names[index].name);
        }
        let none = extract(&document, &topic, &[], Mode::KnownOnly);
        prop_assert!(none.entities.is_empty());
    }

    #[test]
    fn what_is_found_keeps_the_promises(text in prose()) {
        let document = Document { text: &text, title: None };
        let all = extract(&document, "foo", &known(&["tool"]), Mode::Full);
        prop_assert_eq!(&all, &extract(&document, "foo", &known(&["tool"]), Mode::Full));
        let lines = text.lines().count().max(1);
        let mut keys = std::collections::HashSet::new();
        for it in &all.entities {
            prop_assert!(!it.facts.is_empty() && it.facts.len() <= MAX_FACTS);
            prop_assert!(it.known.is_some() || name::structural(&it.name).is_ok(), "{}", it.name);
            prop_assert!(keys.insert(fold::fold(&it.name)));
            for fact in &it.facts {
                prop_assert!(FACT_WORDS.contains(&fact.text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()), "{}", fact.text);
                prop_assert!((1..=lines).contains(&fact.line));
                let shown = !fact.text.contains(['\n', '\u{202e}']) && !fact.text.ends_with('?');
                prop_assert!(shown, "{}", fact.text);
            }
        }
    }

    #[test]
    fn any_text_is_read(text in "(?s).{0,300}") {
        let document = Document { text: &text, title: Some(&text) };
        extract(&document, &text, &known(&[&text]), Mode::Full);
        statements(&text);
    }
}
