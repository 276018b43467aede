use proptest::prelude::*;

use super::*;
use crate::markdown;

/// A token per word, but one per character of scripts without spaces, as WordPiece has it.
fn count(text: &str) -> usize {
    let tokens = |word: &str| {
        let wide = word.chars().filter(|&c| c >= '\u{2e80}').count();
        wide + word.split(|c| c >= '\u{2e80}').filter(|part| !part.is_empty()).count()
    };
    text.split_whitespace().map(tokens).sum()
}

/// Cuts and holds the promises that no limit can excuse.
fn cut(text: &str, limits: &Limits) -> Vec<Chunk> {
    let document = markdown::parse(text).expect("parses");
    let chunks = chunk(text, &document, limits, &count);
    let body = &text[document.body.clone()];
    let joined: String = chunks.iter().map(|chunk| &text[chunk.range.clone()]).collect();
    assert_eq!(joined, if body.trim().is_empty() { "" } else { body });
    for Chunk { range, lines, tokens, .. } in &chunks {
        let content = &text[range.clone()];
        assert!(!content.trim().is_empty(), "blank chunk {range:?} of {text:?}");
        assert!(*tokens <= limits.max_tokens, "{tokens} tokens in {range:?} of {text:?}");
        // The parts of a word that was cut count at least what the word does.
        assert!(*tokens >= count(content), "{range:?} of {text:?}");
        let before = text[..range.start + content.len() - content.trim_start().len()].lines();
        assert!(lines.start() <= lines.end() && *lines.start() >= before.count().max(1));
    }
    chunks
}

/// With limits of 10, 2 and 4 tokens: `first-last tokens breadcrumb` of each chunk.
fn check(text: &str, expected: &[&str]) {
    let limits = Limits { max_tokens: 10, min_tokens: 2, min_split_tokens: 4 };
    let chunks =
        cut(text, &limits).into_iter().map(|Chunk { lines, breadcrumb, tokens, .. }| {
            let line =
                format!("{}-{} {tokens} {}", lines.start(), lines.end(), breadcrumb.join(" > "));
            line.trim_end().to_owned()
        });
    assert_eq!(chunks.collect::<Vec<_>>(), expected, "{text:?}");
}

fn words(number: usize) -> String {
    "w ".repeat(number)
}

#[test]
fn nothing_comes_of_nothing() {
    check("", &[]);
    check("\u{feff}\n \r\n", &[]);
    check("---\ntitle: only front matter\n---\n", &[]);
    check("---\ntitle: x\n---\n\n\n", &[]);
}

#[test]
fn sections_of_level_1_and_2_are_chunks() {
    check("just text", &["1-1 2"]);
    check("\u{feff}# A\r\n\r\na a\r\n## B\r\nb b\r\n", &["1-3 4 A", "4-5 4 A > B"]);
    check("---\ntags: x\n---\n\n\nintro x\n\n# A\na\n", &["6-6 2", "8-9 3 A"]);
    check("A a\n===\nx\n\nB b\n---\nx\n", &["1-3 4 A a", "5-7 4 A a > B b"]);
    check("# A\n```\n## no\n# no\n```\n## B\nb\n", &["1-5 8 A", "6-7 3 A > B"]);
    check("> # A\n\n- ## B\n", &["1-3 6"]);
    check("# A\na\n### C\nc\n#### D\nd\n", &["1-6 9 A"]);
}

#[test]
fn large_sections_split_at_level_3_then_between_blocks() {
    let text = format!("# A\na a\n### B\n{0}\n### C\n{0}\n", words(5));
    check(&text, &["1-2 4 A", "3-4 7 A > B", "5-6 7 A > C"]);
    let text = format!("## A\n{0}\n\n{0}\n\n{0}\n", words(6));
    check(&text, &["1-2 8 A", "4-4 6 A", "6-6 6 A"]);
    // Evenly, rather than 10 and 5.
    let text = format!("{0}\n\n{0}\n\n{0}\n", words(5));
    check(&text, &["1-3 10", "5-5 5"]);
    let text = format!("{0}\n\n{0}\n\n{0}\n\n{0}\n", words(3));
    check(&text, &["1-3 6", "5-7 6"]);
    // A heading goes with what it titles.
    let text = format!("{0}\n\n#### A\n\n{0}\n", words(6));
    check(&text, &["1-1 6", "3-5 8"]);
}

#[test]
fn large_blocks_split_inside() {
    check("a a a a. B b b b. C c c c.", &["1-1 8", "1-1 4"]);
    check(&format!("## A\n{}\n", words(25)), &["1-2 9 A", "2-2 9 A", "2-2 9 A"]);
    check("```\na a a a\nb b b b\nc c c c\n\nd d d d\n```\n", &["1-3 9", "4-7 9"]);
    check("|a a|b|\n|-|-|\n|c c|d|\n|e e|f|\n|g g|h|\n|i i i|j|\n", &["1-4 7", "5-6 5"]);
    check("- a a a\n  a a\n- b b b\n  b b\n- c c c\n", &["1-2 6", "3-5 10"]);
    check("甲乙丙丁戊己。甲乙丙丁戊己。", &["1-1 7", "1-1 7"]);
    check("甲乙丙丁戊己甲乙丙丁戊己", &["1-1 6", "1-1 6"]);
    // The small paragraphs around it would be less than 4 tokens.
    let text = format!("a a\n\n{}\n\nc c\n", words(12));
    check(&text, &["1-3 8", "3-5 8"]);
    let text = format!("{0}\n\n{1}\n\n{0}\n", words(4), words(12));
    check(&text, &["1-1 4", "3-3 6", "3-3 6", "5-5 4"]);
}

#[test]
fn small_sections_join_a_neighbour() {
    let small = Limits { max_tokens: 10, min_tokens: 4, min_split_tokens: 4 };
    let shown = |text: &str| {
        let chunks = cut(text, &small).into_iter();
        chunks.map(|chunk| text[chunk.range].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown("## A\n\n## B\n\n## C\nc c c\n"), ["## A\n\n## B\n\n", "## C\nc c c\n"]);
    assert_eq!(shown("## A\na a\n## B\n"), ["## A\na a\n## B\n"]);
    assert_eq!(shown("# A\n\n## B\nb b\n"), ["# A\n\n## B\nb b\n"]);
    assert_eq!(shown("# A\n# B\n## C\n"), ["# A\n", "# B\n## C\n"]);
    assert_eq!(shown("# A\na a a\n## B\n# C\n"), ["# A\na a a\n## B\n", "# C\n"]);
    let text = format!("## A\n## B\n{}\n", words(7));
    assert_eq!(shown(&text), ["## A\n", &text[5..]]);
}

#[test]
fn a_large_section_without_paragraphs_is_cut_evenly_and_fast() {
    let limits = Limits::default();
    for text in ["word ".repeat(30_000), "Some words here. ".repeat(10_000), "字".repeat(30_000)] {
        let started = std::time::Instant::now();
        let seen = std::cell::Cell::new(0);
        let document = markdown::parse(&text).expect("parses");
        let counting = |part: &str| {
            seen.set(seen.get() + part.len());
            count(part)
        };
        let chunks = chunk(&text, &document, &limits, &counting);
        assert!((30..=32).contains(&chunks.len()), "{}", chunks.len());
        assert!(chunks.iter().all(|chunk| (200..=1_000).contains(&chunk.tokens)));
        assert!(seen.get() <= text.len() * 6, "{} bytes counted", seen.get());
        assert!(started.elapsed().as_secs() < 2, "{:?}", started.elapsed());
    }
}

/// A table of so many rows.
fn table(rows: usize) -> String {
    let row = |number: usize| format!("| key{number} | `{number}` | what it is for |\n");
    "| Key | Default | Meaning |\n|---|---|---|\n".to_owned()
        + &(0..rows).map(row).collect::<String>()
}

#[test]
fn a_row_of_a_long_table_stands_alone_below_the_names_of_its_columns() {
    let text = format!("# T\n\n## Settings\n\nAll of them.\n\n{}\nAfter.\n", table(60));
    let chunks = cut(&text, &Limits::default());
    let shown = |at: usize| (&text[chunks[at].range.clone()], chunks[at].breadcrumb.join(" > "));
    assert_eq!(chunks.len(), 62);
    assert_eq!(
        shown(0).0,
        "# T\n\n## Settings\n\nAll of them.\n\n| Key | Default | Meaning |\n|---|---|---|\n"
    );
    let crumbs = "T > Settings > Key | Default | Meaning".to_owned();
    assert_eq!(shown(1), ("| key0 | `0` | what it is for |\n", crumbs.clone()));
    assert_eq!(chunks[1].lines, 9..=9);
    assert_eq!(shown(60), ("| key59 | `59` | what it is for |\n\n", crumbs));
    assert_eq!(shown(61), ("After.\n", "T > Settings".to_owned()));
    // A short one stays where it is, and so does one that is data.
    assert_eq!(cut(&table(9), &Limits::default()).len(), 1);
    assert!(cut(&table(1_200), &Limits::default()).len() < 100);
    // A row over the limit is cut, and knows its columns.
    let long = format!("{}| k | {} |\n", table(60), words(2_000));
    let chunks = cut(&long, &Limits::default());
    assert!(chunks[61..].len() > 1);
    assert!(chunks[61..].iter().all(|chunk| chunk.breadcrumb == ["Key | Default | Meaning"]));
}

proptest! {
    #[test]
    fn chunks_concatenate_to_the_body(
        blocks in prop::collection::vec(
            r"(\n{0,2}#{1,4} [a-c ]{0,6}\n|([a-d]{1,3}[ .!]{1,2}){1,12}\n{1,2}|[甲乙。]{1,20}(\r\n){1,2}|(- [ab ]{1,9}\n){1,5}|\n```\n(#* [ab ]{0,9}\n{1,2}){0,4}```\n|\PC{0,9}\s)",
            0..12,
        ),
        front in prop::sample::select(vec!["", "\u{feff}", "---\ntitle: x\n---\n"]),
        max_tokens in 1_usize..20,
        min_tokens in 0_usize..6,
        min_split_tokens in 0_usize..12,
    ) {
        let text = front.to_owned() + &blocks.concat();
        cut(&text, &Limits { max_tokens, min_tokens, min_split_tokens });
    }

    #[test]
    fn long_tables_concatenate_too(
        before in r"(# [ab ]{0,6}\n|[ab. ]{0,20}\n\n){0,3}",
        rows in 0_usize..60,
        end in prop::sample::select(vec!["", "\n", "\r\n\r\n", "\n\n\n"]),
        after in r"(## [ab ]{0,6}\n|[ab. ]{1,20}\n\n){0,3}",
        max_tokens in 1_usize..800,
        min_tokens in 0_usize..60,
    ) {
        let text = format!("{before}\n{}{end}{after}", table(rows));
        cut(&text, &Limits { max_tokens, min_tokens, min_split_tokens: 4 });
    }
}
