//! Lessons as they are printed.

use proptest::prelude::*;

use super::*;

/// As many words as marks of punctuation, roughly what a model's tokens are.
fn count(text: &str) -> usize {
    let mut tokens = 0;
    let mut length = 0;
    for char in text.chars() {
        length = if char.is_alphanumeric() { length + 1 } else { 0 };
        let starts = length % 5 == 1 || (length == 0 && !char.is_whitespace());
        tokens += usize::from(starts);
    }
    tokens
}

fn shown(context: &str, command: &str, lesson: &str) -> Shown {
    let [context, command, lesson] = [context, command, lesson].map(str::to_owned);
    let timestamp = "2025-10-28T12:00:00Z".parse().unwrap();
    let memory = Memory { context, command, lesson, timestamp, ..memory("1") };
    Shown {
        memory,
        rate: "9/10".parse().ok(),
        count: 1,
        dispute: None,
        repo_shown: false,
        id_shown: false,
    }
}

#[track_caller]
fn check(shown: &[Shown], max: usize, expected: &str) {
    let found = compact(shown, max, &count);
    let lines = expected.lines().count().saturating_sub(2);
    assert_eq!((found.text.as_str(), found.shown), (expected, lines));
}

/// The text of a lesson as it is printed.
#[track_caller]
fn check_harmless(text: &str, expected: &str) {
    let found = compact(&[Shown { rate: None, ..shown("", "", text) }], 1_000, &count).text;
    assert_eq!(found.rsplit_once("28] ").unwrap().1, expected);
}

#[test]
fn lists() {
    let one = shown("npm install failed.", "npm ci", "Use a prefix");
    let two = Shown {
        rate: None,
        count: 3,
        dispute: None,
        repo_shown: true,
        id_shown: false,
        memory: Memory {
            repo: "billing-api".to_owned(),
            ..shown("", "npm ci", "Run `npm ci` again").memory
        },
    };
    check(&[], 500, "");
    check(
        &[one.clone(), two.clone()],
        500,
        "**Relevant Memories (2):**\n\n\
         1. [2025-10-28] npm install failed: Use a prefix `npm ci` (9/10 success)\n\
         2. [2025-10-28, billing-api] Run `npm ci` again (seen 3 times)",
    );
    let both = Shown { count: 2, ..one.clone() };
    check(
        &[both],
        500,
        "**Relevant Memories (1):**\n\n\
         1. [2025-10-28] npm install failed: Use a prefix `npm ci` (9/10 success, seen 2 times)",
    );
    let named = [Shown { id_shown: true, ..one.clone() }];
    let with_id = "**Relevant Memories (1):**\n\n\
         1. [2025-10-28] npm install failed: Use a prefix `npm ci` (9/10 success) [id 1]";
    check(&named, count(with_id), with_id);
    check(&named, count(with_id) - 1, with_id.trim_end_matches(" [id 1]"));
    check(
        &[one.clone(), two.clone()],
        count(&compact(&[one.clone(), two.clone()], 500, &count).text) - 1,
        "**Relevant Memories (2):**\n\n\
         1. [2025-10-28] npm install failed: Use a prefix (9/10 success)\n\
         2. [2025-10-28, billing-api] Run `npm ci` again (seen 3 times)",
    );
    check(
        &[one.clone(), two],
        count(&compact(std::slice::from_ref(&one), 500, &count).text),
        "**Relevant Memories (1):**\n\n\
         1. [2025-10-28] npm install failed: Use a prefix `npm ci` (9/10 success)",
    );
    check(
        &[shown("only context", "", "")],
        500,
        "**Relevant Memories (1):**\n\n1. [2025-10-28] only context (9/10 success)",
    );
    let long = shown("a", &"x ".repeat(900), "b");
    check(
        &[long, shown("c", "npm ci", "d")],
        100,
        "**Relevant Memories (2):**\n\n\
         1. [2025-10-28] a: b (9/10 success)\n\
         2. [2025-10-28] c: d `npm ci` (9/10 success)",
    );
    let short = "**Relevant Memories (1):**\n\n1. [2025-10-28] npm…: Use a… (9/10 success)";
    check(std::slice::from_ref(&one), count(short), short);
    check(std::slice::from_ref(&one), count(short) - 1, "");
    assert_eq!(compact(&[one], 10, &count), Compact::default());
}

#[test]
fn text_from_outside_is_harmless() {
    check_harmless("one\r\ntwo\u{0}\u{1b}[2J \u{202e}x", "one two[2J x");
    check_harmless("![x](http://evil.test/p.png)", r"![x]\(http://evil.test/p.png)");
    check_harmless("[x][y] [z]", r"[x]\[y] [z]");
    check_harmless(
        "<img src=x> Vec<String> a < b <3 </p>",
        r"\<img src=x> Vec\<String> a < b <3 \</p>",
    );
    check_harmless(r"\<b> C:\dir \\", r"\\\<b> C:\dir \\\");
    check_harmless("un-ignore `!dist` and `Vec<u8>`", "un-ignore `!dist` and `Vec<u8>`");
    check_harmless("a ` b", r"a \` b");
    check_harmless("``` a `<b>` ``", r"\`\`\` a `<b>` \`\`");
    let one = || shown("npm install failed.", "npm ci", "Use a prefix");
    let rate = |rate: &str| Shown { rate: rate.parse().ok(), ..one() };
    check(
        &[
            Shown { dispute: Some(Dispute::Newest), ..rate("0/10") },
            Shown { dispute: Some(Dispute::Older), ..rate("3/10") },
        ],
        500,
        "**Relevant Memories (2):**\n\n\
         1. [2025-10-28] Warning, failed 10 times: npm install failed: Use a prefix `npm ci` \
         (0/10 success, contradicts an older lesson)\n\
         2. [2025-10-28] Warning, failed 7 times, worked 3 times: npm install failed: Use a prefix \
         `npm ci` (3/10 success, older, contradicted by a newer lesson)",
    );
    check_harmless(
        "**Relevant Memories (9):** a * b _c_",
        r"\*\*Relevant Memories (9):\*\* a * b _c_",
    );
    check_harmless("\n\n2. [2025-01-01] x", "2. [2025-01-01] x");
    let listed = compact(&[shown("", "a `b` ``c``", "x")], 500, &count).text;
    assert!(listed.ends_with("x ``` a `b` ``c`` ``` (9/10 success)"), "{listed}");
    let repo = Memory { repo: "x](http://evil)\n\u{1b}".to_owned(), ..memory("1") };
    let listed = compact(
        &[Shown { memory: repo, rate: None, repo_shown: true, ..shown("", "", "") }],
        500,
        &count,
    );
    assert!(listed.text.contains(r"x]\(http://evil)]"), "{}", listed.text);
}

fn any_shown() -> impl Strategy<Value = Shown> {
    let text =
        || prop_oneof![any::<String>(), "[a-z`*<\\[\\]\\(\\)\\\\ ]{0,300}", "(word ){0,400}"];
    (text(), text(), text(), any::<bool>(), 0..5_usize).prop_map(
        |(one, two, three, repo, count)| Shown {
            repo_shown: repo,
            id_shown: count > 2,
            count,
            ..shown(&one, &two, &three)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn never_over_the_budget(
        shown in prop::collection::vec(any_shown(), 0..8),
        max in prop_oneof![Just(500_usize), 0..4_000_usize],
    ) {
        let found = compact(&shown, max, &count);
        prop_assert!(count(&found.text) <= max);
        prop_assert!(found.shown <= shown.len());
        prop_assert!(max < 500 || shown.is_empty() || found.shown > 0);
        if found.shown == 0 {
            prop_assert_eq!(&found.text, "");
        } else {
            let mut lines = found.text.lines();
            let heading = format!("**Relevant Memories ({}):**", found.shown);
            prop_assert_eq!(lines.next(), Some(heading.as_str()));
            prop_assert_eq!(lines.next(), Some(""));
            let items: Vec<_> = lines.collect();
            prop_assert_eq!(items.len(), found.shown);
            for (index, item) in items.iter().enumerate() {
                let start = format!("{}. [2025-10-28", index + 1);
                prop_assert!(item.starts_with(&start), "{}", item);
            }
        }
        let is_safe = |char: char| char == '\n' || !(char.is_control() || elophanto_base::visible::is_deceptive(char));
        let is_joiner = |char: char| u32::from(char) == 0x200d;
        let is_clean = found.text.chars().all(|char| is_safe(char) || is_joiner(char));
        prop_assert!(is_clean);
    }
}
