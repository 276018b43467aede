//! Whole summaries, and what holds for any text.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use elophanto_text::outline::{FileKind, Item, ItemKind, outline};

mod hostile;
mod samples;

/// Counts like a word-piece model: long words are several tokens, marks are one each.
fn count(text: &str) -> usize {
    let (mut tokens, mut run) = (0, 0);
    for char in text.chars() {
        if char.is_alphanumeric() {
            tokens += usize::from(run % 6 == 0);
            run += 1;
        } else {
            run = 0;
            tokens += usize::from(!char.is_whitespace());
        }
    }
    tokens
}

fn summary(path: &str, text: &str) -> Summary {
    let kind = FileKind::of(Path::new(path)).expect("a name that says what it is");
    extract(path, kind, text, &outline(kind, text), &count)
}

#[test]
fn failed_files_stay_findable() {
    let text = "pub struct RetryPolicy;\npub fn wait_before_retry() {}\n";
    let known = outline(FileKind::Rust, text);
    assert_eq!(
        failed(FileKind::Rust, &known, &count),
        "[Summary generation failed]\nTypes: RetryPolicy (retry policy).\nFunctions: wait_before_retry."
    );
    assert_eq!(failed(FileKind::Rust, &Outline::default(), &count), FAILED);
}

#[test]
fn structure_names_what_fits_and_counts_the_rest() {
    let text: String = (0..500).map(|n| format!("pub fn function_number_{n}() {{}}\n")).collect();
    let lines = structure(FileKind::Rust, &outline(FileKind::Rust, &text), &count);
    assert!(count(&lines) <= MAX_STRUCTURE_TOKENS && count(&lines) > 150, "{}", count(&lines));
    assert!(lines.starts_with("Functions: function_number_0, function_number_1, "), "{lines}");
    assert!(lines.ends_with(" more."), "{lines}");
}

#[test]
fn tests_say_nothing_beside_other_code() {
    let code = "/// Adds a penny.\npub fn add() {}\n";
    let tests = "#[cfg(test)]\nmod tests {\n    // zebras are counted twice here\n    #[test]\n    \
                 fn zebra() { panic!(\"no zebra was counted here\") }\n}\n";
    let both = summary("src/a.rs", &format!("{code}{tests}"));
    assert!(
        both.text.contains("adds a penny") && !both.text.to_lowercase().contains("zebra"),
        "{both:?}"
    );
    let alone = summary("src/a.rs", tests);
    assert!(alone.text.contains("zebras are counted twice"), "{alone:?}");
}

#[test]
fn a_language_without_a_grammar_is_described_by_its_comments_and_names() {
    let text = "# frozen_string_literal: true\n\nrequire \"net/ssh\"\n\n# Boots containers on all hosts in \
                parallel.\nclass Kamal::Booter < Base\n  # Waits until a host answers.\n  def \
                wait_for(host)\n    # a proxy may be slower than its application\n    raise \"no proxy \
                answered in time\"\n  end\n\n  private\n    def retry_later\n    end\nend\n";
    let said = summary("lib/booter.rb", text).text;
    for part in [
        "Ruby source file `lib/booter.rb`",
        "oots containers on all hosts in parallel.",
        "aits until a host answers.",
        "a proxy may be slower than its application",
        "Types: Kamal::Booter.",
        "Methods: wait_for, retry_later.",
        "\"no proxy answered in time\"",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(said.lines().next().is_some_and(|first| !first.contains("frozen")), "{said}");
}

#[test]
fn licences_and_generated_headers_are_not_the_purpose() {
    let text = "// Copyright 2020 The Walrus Authors. All rights reserved.\n// Licensed under the MIT licence.\n\n\
                /// Finds the nearest harbour.\npub fn nearest() {}\n";
    let said = summary("src/a.rs", text).text;
    assert!(said.contains("finds the nearest harbour"), "{said}");
    assert!(!said.to_lowercase().contains("walrus") && !said.contains("icence"), "{said}");
}

#[test]
fn large_files_have_parts() {
    let filler = "    let value = 1;\n".repeat(10);
    let mut text = String::from("/// Waits longer each time.\npub struct WaitPolicy {\n");
    text.push_str(&"    pub field: u32,\n".repeat(10));
    text.push_str(
        "}\n\nimpl WaitPolicy {\n    /// Tells how long to wait.\n    pub fn next_delay(&self) {\n",
    );
    text.push_str(&format!("{filler}    }}\n}}\n\nfn short() {{}}\n\n"));
    for number in 0..40 {
        text.push_str(&format!("/// Does task {number}.\nfn task_{number}() {{\n{filler}}}\n"));
    }
    let first = text.lines().position(|line| line == "fn task_0() {").unwrap() + 1;
    text.push_str(&format!(
        "#[cfg(test)]\nmod tests {{\n    #[test]\n    fn checks() {{\n{filler}    }}\n}}\n"
    ));
    let Summary { parts, .. } = summary("src/wait.rs", &text);
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names[..3], ["WaitPolicy", "task_0", "task_1"]);
    assert_eq!(parts.len(), 41);
    assert_eq!(parts[0].lines, (2, 29));
    assert_eq!(parts[1].lines, (first, first + 11));
    assert_eq!(
        parts[0].text,
        "`pub struct WaitPolicy` (wait policy). Waits longer each time. `next_delay`: tells how long \
         to wait. Methods: next delay."
    );
    assert_eq!(parts[1].text, "`fn task_0()`. Does task 0.");
    let short: String = text.lines().take(100).map(|line| format!("{line}\n")).collect();
    assert_eq!(summary("src/wait.rs", &short).parts, []);
}

#[test]
fn only_the_largest_parts_are_kept() {
    let task = |number: usize, lines: usize| {
        format!("fn task_{number}() {{\n{}}}\n", "    let value = 1;\n".repeat(lines))
    };
    let text: String = (0..100).map(|number| task(number, 10 + number)).collect();
    let Summary { parts, .. } = summary("src/a.rs", &text);
    assert_eq!(parts.len(), MAX_PARTS);
    assert_eq!((parts[0].name.as_str(), parts[59].name.as_str()), ("task_40", "task_99"));
}

fn check_limits(summary: &Summary) {
    assert!(count(&summary.text) <= MAX_TOKENS, "{} tokens", count(&summary.text));
    assert!(summary.parts.len() <= MAX_PARTS);
    let texts = summary.parts.iter().map(|part| &part.text);
    for text in texts.chain([&summary.text]) {
        assert!(
            !text.chars().any(|char| char.is_control() && char != '\n' && char != '\t'),
            "{text:?}"
        );
    }
    for part in &summary.parts {
        assert!(count(&part.text) <= MAX_PART_TOKENS, "{}", part.text);
        assert!(part.lines.0 <= part.lines.1 && !part.text.contains('\n'));
    }
}

const KINDS: &[FileKind] = &[
    FileKind::Markdown,
    FileKind::Text,
    FileKind::Yaml,
    FileKind::Json,
    FileKind::Toml,
    FileKind::Service,
    FileKind::Timer,
    FileKind::Rust,
    FileKind::Python,
    FileKind::JavaScript,
    FileKind::TypeScript,
    FileKind::Tsx,
    FileKind::Go,
    FileKind::C,
    FileKind::Java,
    FileKind::Shell,
    FileKind::Sql,
    FileKind::GraphQl,
    FileKind::Protobuf,
];

fn item() -> impl Strategy<Value = Item> {
    let kinds = prop::sample::select(vec![
        ItemKind::Function,
        ItemKind::Struct,
        ItemKind::Impl,
        ItemKind::Method,
        ItemKind::Table,
        ItemKind::Key,
        ItemKind::Heading,
        ItemKind::Command,
        ItemKind::Module,
    ]);
    let text = "[a-zA-Z_<>& `.\u{e9}\u{1b}\n]{0,40}";
    (
        kinds,
        text,
        prop::option::of(0..6_usize),
        text,
        0..900_usize,
        0..900_usize,
        any::<(bool, bool)>(),
    )
        .prop_map(|(kind, name, parent, doc, first, last, (public, test))| Item {
            kind,
            signature: name.clone(),
            name,
            parent,
            doc,
            lines: (first, last),
            range: last..first,
            public,
            test,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_keeps_the_limits(
        kind in prop::sample::select(KINDS.to_vec()),
        pieces in prop::collection::vec(
            prop_oneof![
                "\\PC{0,30}",
                Just("// ".to_owned()), Just("/*".to_owned()), Just("\"".to_owned()), Just("'\\".to_owned()),
                Just("\n".to_owned()), Just("fn go() {\n".to_owned()), Just("## A. b\n".to_owned()),
                Just("\u{0}\u{1b}[2J\r".to_owned()), Just("再試行。".to_owned()), Just("r##\"".to_owned()),
                Just("One sentence about walruses. ".to_owned()), Just("`".to_owned()), Just("[x](".to_owned()),
            ],
            0..200,
        ),
    ) {
        let text = pieces.concat();
        let known = outline(kind, &text);
        let said = extract("dir/a b", kind, &text, &known, &count);
        check_limits(&said);
        prop_assert_eq!(&said, &extract("dir/a b", kind, &text, &known, &count));
        let _ = accept(&text, &count).inspect(|prose| assert!(count(prose) <= MAX_ANSWER_TOKENS));
        let _ = prompt("a", kind, &text, &known, false, &count);
    }

    #[test]
    fn an_outline_that_lies_does_no_harm(
        kind in prop::sample::select(KINDS.to_vec()),
        items in prop::collection::vec(item(), 0..12),
        purpose in "\\PC{0,80}",
        lines in 0..600_usize,
    ) {
        let known = Outline { items, purpose, ..Outline::default() };
        let text = "some words of a line // and a comment on it\n".repeat(lines);
        let said = extract("a\nb", kind, &text, &known, &count);
        prop_assert!(count(&said.text) <= MAX_TOKENS);
        prop_assert!(count(&structure(kind, &known, &count)) <= MAX_STRUCTURE_TOKENS);
    }

    #[test]
    fn any_way_of_counting_is_kept_to(text in "([a-z]{1,9}[ .\n]){0,300}", cost in 1..40_usize) {
        let dear = move |text: &str| text.len() * cost;
        let kind = FileKind::Markdown;
        let said = extract("a.md", kind, &text, &outline(kind, &text), &dear);
        prop_assert!(dear(&said.text) <= MAX_TOKENS);
    }
}
