//! What holds for any text.

use std::{collections::BTreeSet, path::Path};

use proptest::prelude::*;
use unicode_normalization::char::is_combining_mark;

use super::{
    super::{
        Entities, Kind, Line, LineHash, MAX_LINES, MAX_SLUG_BYTES, MAX_TEXT_CHARS, NewLine, Origin,
        Page, Retired, append, changes, empty_page, folder, identity, path, searchable, slug,
        slug_of, without,
    },
    at,
};
use crate::markdown;

/// Any text, with much of what means something in Markdown, YAML, comments and terminals.
fn hostile(most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        r"[\PC\n\t]{0,12}",
        prop::sample::select(vec![
            "<!--",
            "-->",
            "--",
            "- ",
            "# ",
            "> ",
            "---",
            "\r\n",
            "\r",
            "\0",
            "\u{202e}",
            "\u{feff}",
            "\u{1b}[2J",
            "```",
            "~~~",
            "[x] ",
            "![a](b)",
            "[[c]]",
            "\\",
            "`",
            "<script>",
            "&amp;",
            " <!-- f:0123456789abcdef -->",
            " <!-- t:0123456789abcdef -->",
            "title: ",
            "\n",
            "\n",
            "tags: [a",
            "<<<<<<< x\n",
            "=======\n",
            ">>>>>>> y\n",
            "%3C",
            "e\u{301}",
            "👩‍💻",
            "1. ",
            "|-|",
            "merged-into: a <!-- m:M -->\n",
            "    ",
            "\u{85}",
            "\u{2028}",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
}

/// A page of both: what people and merges leave, and lines of ours.
fn any_page() -> impl Strategy<Value = String> {
    let ours = (hostile(4), 0..3_i64).prop_map(|(text, second)| {
        let line = NewLine::fact("a", &text, &Origin::default(), at(second));
        append("", &line.into_iter().collect::<Vec<_>>())
    });
    let header = Just(empty_page("a"));
    let part = prop_oneof![2 => hostile(5), 3 => ours, 1 => header];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

fn lines_in(text: &str) -> usize {
    markdown::count_line_ends(text) + usize::from(!text.is_empty() && !text.ends_with(['\n', '\r']))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_added_is_read_back(
        page in any_page(),
        entity in hostile(4),
        text in hostile(8),
        values in prop::array::uniform4(prop::option::of(hostile(4))),
        second in any::<i16>(),
    ) {
        let [source, search, message, against] = values.each_ref().map(Option::as_deref);
        let origin = Origin { source, search, message, against, published: None };
        let time = at(second.into());
        let lines: Vec<NewLine> = [
            NewLine::fact(&entity, &text, &origin, time),
            NewLine::title(&entity, &text, time),
            NewLine::alias(&entity, &text, time),
            NewLine::tag(&entity, &text, time),
            NewLine::created(&entity, time, time),
            NewLine::merged_into(&text, &entity, time),
        ].into_iter().flatten().collect();
        let new = append(&page, &lines);
        prop_assert!(new.starts_with(&page));
        prop_assert_eq!(append(&new, &lines), new.as_str());
        let read = Page::parse(&new).lines;
        for line in &lines {
            let is_it = |read: &&Line| {
                (read.kind, read.id.as_str(), read.text.as_str())
                    == (line.kind(), line.id(), line.text())
            };
            let found = read.iter().find(is_it).unwrap();
            prop_assert!(!line.text().is_empty() && line.text().chars().count() <= MAX_TEXT_CHARS);
            let words: Vec<_> = line.text().split_whitespace().collect();
            prop_assert_eq!(words.join(" "), line.text());
            if found.hash != line.hash() {
                continue; // It was there before.
            }
            prop_assert_eq!(found.at, Some(time));
            if line.kind() == Kind::Fact {
                let given = |value: Option<&str>| {
                    value.map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned)
                };
                prop_assert_eq!(&found.source, &given(source));
                prop_assert_eq!(&found.search, &given(search));
                prop_assert_eq!(&found.message, &given(message));
                prop_assert_eq!(&found.against, &given(against));
            }
        }
        // The lines alone are one list of plain items to a Markdown parser.
        if let [first, rest @ ..] = lines.as_slice() {
            let alone = append(&empty_page("a"), &[std::slice::from_ref(first), rest].concat());
            let document = markdown::parse(&alone).unwrap();
            prop_assert_eq!(document.blocks.len(), 1, "{}", alone);
            prop_assert!(document.links.is_empty() && document.headings.is_empty(), "{}", alone);
            prop_assert!(document.warnings.is_empty());
            prop_assert_eq!(Page::parse(&alone).notes, Vec::new());
        }
    }

    #[test]
    fn what_is_taken_out_is_all_that_goes(
        page in any_page(),
        picks in prop::collection::vec(any::<bool>(), 20),
    ) {
        let lines = Page::parse(&page).lines;
        let hashes: BTreeSet<LineHash> =
            lines.iter().zip(picks).filter(|(_, pick)| *pick).map(|(line, _)| line.hash).collect();
        let rest = without(&page, &hashes);
        let left = Page::parse(&rest).lines;
        let all = lines.iter().map(|line| line.hash);
        let expected: Vec<_> = all.filter(|hash| !hashes.contains(hash)).collect();
        prop_assert_eq!(left.iter().map(|line| line.hash).collect::<Vec<_>>(), expected);
        let change = changes(&[&page], &rest);
        prop_assert_eq!(change.gone.iter().map(|line| line.hash).collect::<BTreeSet<_>>(), hashes);
        prop_assert!(change.back.is_empty());
        // What stays are the lines as they were.
        let mut old = page.split_inclusive('\n').peekable();
        if !page.contains('\r') {
            for line in rest.split_inclusive('\n') {
                let bare = line.trim_start_matches('\u{feff}');
                prop_assert!(old.any(|old| old.ends_with(bare)), "{:?}", line);
            }
        }
    }

    #[test]
    fn line_numbers_stay(page in any_page()) {
        let read = Page::parse(&page);
        let found = searchable(&page, &read, &Retired::default());
        prop_assert_eq!(lines_in(&found), lines_in(&page));
        let numbers = 1..=lines_in(&page);
        prop_assert!(read.lines.iter().all(|line| numbers.contains(&line.number)));
        prop_assert!(read.notes.iter().all(|note| numbers.contains(&note.number)));
        Entities::of([("a".to_owned(), read)], &Retired::default());
    }

    #[test]
    fn slugs_are_names_of_files(name in hostile(6), taken in any::<bool>()) {
        let found = slug(&name, &|_| taken);
        prop_assert_eq!(&slug(&identity(&name), &|_| taken), &found);
        prop_assert!((1..=MAX_SLUG_BYTES).contains(&found.len()));
        prop_assert!(!found.starts_with('-') && !found.ends_with('-') && !found.contains("--"));
        let plain = |char: char| char == '-' || char.is_alphanumeric() || is_combining_mark(char);
        prop_assert!(found.chars().all(plain));
        let folder = folder(Path::new("knowledge"));
        prop_assert_eq!(slug_of(&folder, &path(&folder, &found)), Some(found));
    }
}

#[test]
fn large_pages_are_read_in_part() {
    let line = "- a <!-- f:0123456789abcdef -->\n";
    let many = (0..MAX_LINES + 5).map(|number| line.replacen('a', &format!("a{number}"), 1));
    let page = Page::parse(&many.collect::<String>());
    assert_eq!(page.lines.len(), MAX_LINES);
    assert_eq!(page.warnings[0].line, Some(MAX_LINES + 1));
    // What is beyond the cap says nothing, and is as many lines.
    for (rest, blank) in [
        (line, "\n"),
        ("theirs", " "),
        ("theirs\r\n\rtheirs\r\ntheirs\n", "\r\n\r\r\n\n"),
        ("theirs\rtheirs\n", "\r \n"),
        ("\u{feff}theirs\n\u{feff}", "\n "),
    ] {
        let text = format!("{}{rest}", "a\n".repeat(MAX_LINES));
        let found = searchable(&text, &Page::parse(&text), &Retired::default());
        assert_eq!(found.get(2 * MAX_LINES..), Some(blank), "{rest:?}");
        assert_eq!(lines_in(&found), lines_in(&text), "{rest:?}");
    }
    for text in [
        "-".repeat(1 << 20),
        "---\n".repeat(50_000),
        "---\na: b\n".repeat(50_000),
        "<!--".repeat(100_000),
        "<!-- \n".repeat(50_000),
        "> ".repeat(100_000),
        "a\n".repeat(90_000),
        format!("---\n{}\n---\n", "[".repeat(100_000)),
        format!("---\n{}---\n", "title: a\n".repeat(50_000)),
    ] {
        let page = Page::parse(&text);
        let found = searchable(&text, &page, &Retired::default());
        assert_eq!(lines_in(&found), lines_in(&text));
    }
}
