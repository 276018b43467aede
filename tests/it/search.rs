//! `elophanto search`: what is found, in which order, and every way to print it.

use std::{io::Read, process::Stdio};

use crate::env::{TestEnv, finish, snapshot};

/// A small world: five notes whose front matter gives them a fixed age.
fn animals() -> TestEnv {
    TestEnv::with(&[
        (
            "docs/otters.md",
            "---\ntags: [sea, mammal]\nupdated: 2026-03-01\n---\n# Otters\n\n\
             ## Sleep\n\nOtters sleep on their backs. They hold hands so that nobody drifts away. \
             Kelp serves them as a blanket.\n\n\
             ## Food\n\nOtters eat sea urchins, clams and crabs. A stone serves them as an anvil. \
             They keep it in a pouch of loose skin.\n",
        ),
        (
            "docs/bears.md",
            "---\ntags: mammal, forest\nupdated: 2026-02-01\n---\n# Bears\n\n\
             Bears sleep through the winter. They eat berries, honey and salmon.\n",
        ),
        (
            "docs/deep/eels.md",
            "---\ntags: [sea, fish]\nupdated: 2026-01-01\n---\n# Eels\n\n\
             Eels cross an ocean to breed. Nobody has seen their eggs.\n",
        ),
        (
            "knowledge/system/rules.md",
            "---\nupdated: 2025-06-01\n---\n# Rules\n\nEvery page names its sources.\n",
        ),
        (
            "knowledge/learned/patterns/retry.md",
            "---\nupdated: 2025-12-01\n---\n# Retry\n\n\
             A call that failed is tried again after a pause that doubles.\n",
        ),
    ])
}

#[test]
fn text_says_where_and_why() {
    let env = animals();
    snapshot!(env.run(&["search", "how do otters sleep", "-n", "2"]), @"
    exit: 0
    --- stdout
    docs/otters.md:9  Otters > Sleep
        Otters sleep on their backs.

    docs/bears.md:7  Bears
        Bears sleep through the winter.
    --- stderr
    ");
    snapshot!(env.run(&["search", "--full", "kelp blanket", "-n", "1"]), @"
    exit: 0
    --- stdout
    docs/otters.md:9  Otters > Sleep
        # Otters

        ## Sleep

        Otters sleep on their backs. They hold hands so that nobody drifts away. Kelp serves them as a blanket.

        ## Food

        Otters eat sea urchins, clams and crabs. A stone serves them as an anvil. They keep it in a pouch of loose skin.
    --- stderr
    ");
}

#[test]
fn explain_shows_the_sum() {
    let env = animals();
    // Age is left out, or the sum would change from day to day.
    env.write(".elophanto/config.yaml", "search:\n  recency_weight: 0\n");
    snapshot!(env.run(&["search", "--explain", "--mode", "keyword", "kelp blanket", "-n", "1"]), @"
    exit: 0
    --- stdout
    docs/otters.md:9  Otters > Sleep
        Kelp serves them as a blanket.
        score 1.000 = keyword 1.000 (bm25 0.84) + semantic 0.000 (cosine 0.000) + recency 0.000
    --- stderr
    ");
}

#[test]
fn json_has_a_fixed_shape() {
    let env = animals();
    let hits = env.json(&["search", "--json", "--explain", "--full", "kelp blanket", "-n", "1"]);
    let keys: Vec<&String> = hits[0].as_object().unwrap().keys().collect();
    snapshot!(keys.iter().map(|key| key.as_str()).collect::<Vec<_>>().join(" "), @"kind type path line lines title breadcrumb scope tags changed blob score file_rank confidence snippet text explain");
    let mut hit = hits[0].clone();
    for key in ["score", "explain"] {
        hit[key] = "[SCORE]".into();
    }
    hit["confidence"]["level"] = "[LEVEL]".into();
    hit["confidence"]["probability"] = "[SCORE]".into();
    snapshot!(serde_json::to_string_pretty(&hit).unwrap(), @r##"
    {
      "kind": "note",
      "type": "markdown_doc",
      "path": "docs/otters.md",
      "line": 9,
      "lines": [
        5,
        13
      ],
      "title": "Otters",
      "breadcrumb": [
        "Otters",
        "Sleep"
      ],
      "scope": "user",
      "tags": [
        "sea",
        "mammal"
      ],
      "changed": "[TIME]",
      "blob": "[BLOB]",
      "score": "[SCORE]",
      "file_rank": 1,
      "confidence": {
        "level": "[LEVEL]",
        "probability": "[SCORE]"
      },
      "snippet": "Kelp serves them as a blanket.",
      "text": "# Otters\n\n## Sleep\n\nOtters sleep on their backs. They hold hands so that nobody drifts away. Kelp serves them as a blanket.\n\n## Food\n\nOtters eat sea urchins, clams and crabs. A stone serves them as an anvil. They keep it in a pouch of loose skin.\n",
      "explain": "[SCORE]"
    }
    "##);
    let explain = hits[0]["explain"].as_object().unwrap();
    let sum: f64 = ["keyword_part", "semantic_part", "recency_part", "words_part", "window_part"]
        .iter()
        .map(|part| explain[*part].as_f64().unwrap())
        .sum();
    assert!((sum - hits[0]["score"].as_f64().unwrap()).abs() < 1e-5, "{:?}", hits[0]);
    let brief = env.json(&["search", "--format", "json", "kelp blanket", "-n", "1"]);
    assert!(brief[0].get("text").is_none() && brief[0].get("explain").is_none());
}

#[test]
fn other_formats() {
    let env = animals();
    let print = |format: &str| env.run(&["search", "--format", format, "sleep", "-n", "2"]);
    snapshot!(print("files"), @"
    exit: 0
    --- stdout
    docs/bears.md
    docs/otters.md
    --- stderr
    ");
    snapshot!(print("markdown"), @"
    exit: 0
    --- stdout
    **[docs/bears.md:7](docs/bears.md#L7)** Bears

    > Bears sleep through the winter.

    **[docs/otters.md:9](docs/otters.md#L9)** Otters > Sleep

    > Otters sleep on their backs.
    --- stderr
    ");
    snapshot!(print("vimgrep"), @"
    exit: 0
    --- stdout
    docs/bears.md:7:7:Bears sleep through the winter.
    docs/otters.md:9:8:Otters sleep on their backs.
    --- stderr
    ");
    let names = env.ok(&["search", "--format", "files", "-0", "sleep", "-n", "2"]).stdout;
    assert_eq!(names.split(|&byte| byte == 0).count(), 3, "each name ends with NUL");
    assert!(!names.contains(&b'\n'));
}

#[test]
fn vimgrep_points_at_the_word() {
    let env = animals();
    let output = env.ok(&["search", "--format", "vimgrep", "anvil", "-n", "1"]).stdout();
    let mut parts = output.splitn(4, ':');
    let (path, line, column) = (parts.next(), parts.next(), parts.next());
    let text = String::from_utf8(env.read(path.unwrap())).unwrap();
    let line = text.lines().nth(line.unwrap().parse::<usize>().unwrap() - 1).unwrap();
    let column: usize = column.unwrap().parse().unwrap();
    assert!(line[column - 1..].starts_with("anvil"), "{output}");
}

#[test]
fn every_hit_is_at_its_line() {
    let env = animals();
    // Blank lines behind front matter.
    env.write("docs/voles.md", "---\ntags: mammal\n---\n\n\n# Voles\n\nVoles dig.\nVoles sleep.\n");
    for hit in
        env.json(&["search", "--json", "--full", "sleep eat berries sources pause", "-n", "9"])
    {
        let text = String::from_utf8(env.read(hit["path"].as_str().unwrap())).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let line = hit["line"].as_u64().unwrap() as usize;
        let first = hit["snippet"].as_str().unwrap().lines().next().unwrap();
        assert!(lines[line - 1].contains(first), "{hit}");
        let (from, to) = (hit["lines"][0].as_u64().unwrap(), hit["lines"][1].as_u64().unwrap());
        assert!((from..=to).contains(&(line as u64)), "{hit}");
        assert!(text.contains(hit["text"].as_str().unwrap()), "{hit}");
    }
}

/// Sentences of the small world.
const SENTENCES: &[&str] = &[
    "Otters sleep on their backs.",
    "They hold hands so that nobody drifts away.",
    "Kelp serves them as a blanket.",
    "Otters eat sea urchins, clams and crabs.",
    "A stone serves them as an anvil.",
    "They keep it in a pouch of loose skin.",
    "Bears sleep through the winter.",
    "They eat berries, honey and salmon.",
    "Eels cross an ocean to breed.",
    "Nobody has seen their eggs.",
    "Every page names its sources.",
    "A call that failed is tried again after a pause that doubles.",
];

#[test]
fn a_token_budget_is_kept_with_whole_sentences() {
    let env = animals();
    let query = "where do otters sleep and what do they eat";
    let words =
        |text: &str| text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).count();
    for format in ["text", "markdown", "json"] {
        let mut last = 0;
        for budget in [40, 80, 160, 320, 640] {
            let budget_text = budget.to_string();
            let args = ["search", "--format", format, "--max-tokens", &budget_text, query];
            let output = env.run(&args);
            let text = output.stdout();
            assert_eq!(output.code, Some(i32::from(text.is_empty())), "{output}");
            // A word is at least one token.
            assert!(words(&text) <= budget, "{format} {budget}: {} words\n{text}", words(&text));
            let shown = SENTENCES.iter().filter(|sentence| text.contains(*sentence)).count();
            assert!(shown >= last, "{format} {budget}: a larger budget shows less\n{text}");
            last = shown;
            if format == "text" {
                for line in text.lines().filter_map(|line| line.strip_prefix("    ")) {
                    let mut rest = line.trim_start_matches(['#', ' ']).to_owned();
                    for sentence in SENTENCES {
                        rest = rest.replace(sentence, "");
                    }
                    let rest = rest.trim();
                    let heading =
                        ["Otters", "Sleep", "Food", "Bears", "Eels", "Rules", "Retry", "\u{2026}"];
                    assert!(
                        rest.is_empty() || heading.contains(&rest),
                        "{budget}: cut `{rest}`\n{text}"
                    );
                }
            }
        }
        assert!(last >= 8, "{format}: a generous budget shows most of it ({last})");
    }
    snapshot!(env.run(&["search", "--max-tokens", "5", query]), @"
    exit: 1
    --- stdout
    --- stderr
    note: no hit fits into 5 tokens; the nearest is docs/otters.md:9
    ");
    snapshot!(env.run(&["search", "--max-tokens", "60", query]), @"
    exit: 0
    --- stdout
    docs/otters.md:9  Otters > Sleep
        Otters sleep on their backs. They hold hands so that nobody drifts away.
        …
        Otters eat sea urchins, clams and crabs.

    docs/bears.md:7  Bears
        Bears sleep through the winter.
    --- stderr
    ");
    assert_eq!(env.run(&["search", "--max-tokens", "60", "--full", query]).code, Some(2));
}

#[test]
fn marks_are_no_snippets() {
    let env = TestEnv::with(&[
        (
            "templates.md",
            "# Templates\n\nThe template date format is set in the settings. ^template-date-format\n\n\
             > [!note] Note\n> A tide table is printed on paper.\n",
        ),
        (
            "labels.md",
            "# Labels\n\nWhat waits for a run has a label of its own.\n\n\
             [s-waiting-on-crater]: https://a.example/crater\n[crater]: https://b.example\n",
        ),
    ]);
    for (query, expected) in [
        ("template date format", "The template date format is set in the settings."),
        ("note tide table", "A tide table is printed on paper."),
        ("crater waiting", "What waits for a run has a label of its own."),
    ] {
        let hits = env.json(&["search", "--json", query]);
        assert_eq!(hits[0]["snippet"], expected, "{query}");
    }
    let all =
        env.json(&["search", "--json", "--max-tokens", "400", "crater waiting template date"]);
    let shown: String = all.iter().filter_map(|hit| hit["text"].as_str()).collect();
    assert!(shown.contains("a label of its own"), "{shown}");
    assert!(!shown.contains("https://") && !shown.contains('^'), "{shown}");
    let quoted = env.ok(&["search", "--answer", "how is the template date format set"]).stdout();
    assert!(quoted.contains("is set in the settings") && !quoted.contains('^'), "{quoted}");
}

#[test]
fn tags_in_the_text_are_tags() {
    let env = TestEnv::with(&[
        ("q3.md", "# Quarterly\n\nThe quarterly report is due. #finance/q3 #todo\n"),
        (
            "q4.md",
            "---\ntags: finance/q4\n---\n# Quarterly plan\n\nQuarterly, see #12 and `#todo`.\n",
        ),
    ]);
    for (tag, expected) in [
        ("finance/q3", &["q3.md"][..]),
        ("#Todo", &["q3.md"]),
        ("finance", &["q3.md", "q4.md"]),
        ("fin", &[]),
        ("12", &[]),
    ] {
        let mut hits = env.hits(&["quarterly", "--tag", tag]);
        hits.sort();
        assert_eq!(hits, expected, "{tag}");
    }
    let hits = env.json(&["search", "--json", "quarterly", "--tag", "todo"]);
    assert_eq!(hits[0]["tags"], serde_json::json!(["finance/q3", "todo"]));
}

#[test]
fn filters() {
    let env = animals();
    let all = "sleep eat berries breed sources pause";
    for (filter, expected) in [
        (&["--scope", "system"][..], &["knowledge/system/rules.md"][..]),
        (&["--scope", "learned"], &["knowledge/learned/patterns/retry.md"]),
        (
            &["--scope", "system", "--scope", "learned"],
            &["knowledge/learned/patterns/retry.md", "knowledge/system/rules.md"],
        ),
        (&["--scope", "plugin"], &[]),
        (&["--tag", "forest"], &["docs/bears.md"]),
        (&["--tag", "#SEA"], &["docs/deep/eels.md", "docs/otters.md"]),
        (&["--tag", "sea", "--tag", "fish"], &["docs/deep/eels.md"]),
        (&["--path", "docs/*"], &["docs/bears.md", "docs/deep/eels.md", "docs/otters.md"]),
        (&["--path", "docs/*.md"], &["docs/bears.md", "docs/otters.md"]),
        (&["--path", "./docs/deep/"], &["docs/deep/eels.md"]),
        (
            &["--path", "**/r*.md"],
            &["knowledge/learned/patterns/retry.md", "knowledge/system/rules.md"],
        ),
        (&["--since", "2026-02-01"], &["docs/bears.md", "docs/otters.md"]),
        (&["--since", "2026-02-01T00:00:01"], &["docs/otters.md"]),
        (&["--until", "2025-12-01"], &["knowledge/system/rules.md"]),
        (&["--since", "2026-01-01", "--until", "2026-02-01T00:00:00Z"], &["docs/deep/eels.md"]),
        (&["--since", "0s"], &[]),
    ] {
        let mut hits = env.hits(&[&[all, "-n", "50"], filter].concat());
        hits.sort();
        hits.dedup();
        assert_eq!(hits, expected, "{filter:?}");
    }
}

#[test]
fn arguments_that_mean_nothing_fail() {
    let env = animals();
    for args in [
        &["search"][..],
        &["search", ""],
        &["search", "  "],
        &["search", "otters", "--since", "someday"],
        &["search", "otters", "--path", "docs/["],
        &["search", "otters", "--mode", "psychic"],
        &["search", "otters", "--ranking", "best"],
        &["search", "otters", "--scope", "everyone"],
        &["search", "otters", "-n", "0"],
        &["search", "otters", "--format", "pdf"],
        &["search", "--like", "docs/unicorns.md"],
        &["search", "--like", "docs/otters.md:4000"],
    ] {
        let output = env.run(args);
        assert_eq!(output.code, Some(2), "{args:?}\n{output}");
        assert_eq!(output.stdout(), "", "{args:?}");
        assert!(output.stderr().starts_with("error: "), "{args:?}\n{output}");
    }
    snapshot!(env.run(&["search", ""]), @r#"
    exit: 2
    --- stdout
    --- stderr
    error: there is nothing to look for
    hint: give a few words, such as `elophanto search "how are notes merged"`
    "#);
    snapshot!(env.run(&["search", "otters", "--since", "someday"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `someday` is no date and no time span
    hint: give 2026-05-01, 2026-05-01T12:00, a span such as 3d, or '2 weeks ago'
    ");
    snapshot!(env.run(&["search", "otters", "--mode", "psychic"]), @r#"
    exit: 2
    --- stdout
    --- stderr
    error: command line: search.mode: expected hybrid, keyword or semantic, found "psychic"
    hint: `--help` says what may stand there
    "#);
    snapshot!(env.run(&["search", "--like", "docs/unicorns.md"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `docs/unicorns.md` is not among the searched notes
    hint: give the path of a note relative to this folder
    ");
}

#[test]
fn modes() {
    let env = animals();
    // No note holds the word, one holds the meaning.
    assert_eq!(env.hits(&["--mode", "keyword", "reproduction"]), [""; 0]);
    assert_eq!(env.hits(&["--mode", "semantic", "reproduction", "-n", "1"]), ["docs/deep/eels.md"]);
    assert_eq!(env.hits(&["--mode", "hybrid", "reproduction", "-n", "1"]), ["docs/deep/eels.md"]);
    assert_eq!(env.hits(&["--mode", "keyword", "salmon"]), ["docs/bears.md"]);
    assert_eq!(env.hits(&["--mode", "hybrid", "salmon", "-n", "1"]), ["docs/bears.md"]);
    let explained = env.json(&["search", "--json", "--explain", "--mode", "keyword", "salmon"]);
    assert_eq!(explained[0]["explain"]["semantic_part"], 0.0);
    let explained = env.json(&["search", "--json", "--explain", "--mode", "semantic", "salmon"]);
    assert_eq!(explained[0]["explain"]["keyword_part"], 0.0);
}

#[test]
fn rankings() {
    let env = animals();
    for ranking in ["weighted", "additive"] {
        let hits = env.hits(&["--ranking", ranking, "what do bears eat", "-n", "1"]);
        assert_eq!(hits, ["docs/bears.md"], "{ranking}");
    }
    let score = |ranking: &str| {
        env.json(&["search", "--json", "--ranking", ranking, "salmon"])[0]["score"]
            .as_f64()
            .unwrap()
    };
    assert!((score("weighted") - score("additive")).abs() > 1e-3, "they are the same");
}

#[test]
fn like_a_note_or_a_line() {
    let env = animals();
    env.write(
        "docs/seals.md",
        "# Seals\n\nSeals sleep in the sea, on their backs, and hold hands.\n",
    );
    let hits = env.hits(&["--like", "docs/seals.md", "-n", "1"]);
    assert_eq!(hits, ["docs/otters.md"]);
    let hits = env.hits(&["--like", "docs/seals.md", "-n", "50"]);
    assert!(!hits.contains(&"docs/seals.md".to_owned()), "a note is not like itself: {hits:?}");
    let text = String::from_utf8(env.read("docs/otters.md")).unwrap();
    let line = text.lines().position(|line| line.contains("Kelp")).unwrap() + 1;
    let hits = env.hits(&["--like", &format!("docs/otters.md:{line}"), "-n", "1"]);
    assert_eq!(hits, ["docs/seals.md"]);
    // As seen from the current folder.
    let below = env.run_in("docs", &["search", "--json", "--like", "seals.md", "-n", "1"]);
    assert_eq!(below.json()[0]["path"], "docs/otters.md");
    assert_eq!(env.run(&["search", "otters", "--like", "docs/seals.md"]).code, Some(2));
}

#[test]
fn limits() {
    let env = animals();
    assert_eq!(env.hits(&["sleep", "-n", "1"]).len(), 1);
    assert_eq!(env.hits(&["sleep", "--limit", "2"]).len(), 2);
    let all = env.json(&["search", "--json", "sleep", "-n", "50"]);
    let best = all[0]["score"].as_f64().unwrap();
    let scores: Vec<f64> = all.iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let some = env.json(&[
        "search",
        "--json",
        "sleep",
        "-n",
        "50",
        "--min-score",
        &format!("{}", best - 1e-4),
    ]);
    assert_eq!(some.len(), 1);
    snapshot!(env.run(&["search", "sleep", "--min-score", "9"]), @"
    exit: 1
    --- stdout
    --- stderr
    nothing found for `sleep` in 5 notes (5 chunks)
    hint: try a lower --min-score
    ");
}

#[test]
fn phrases_and_exclusions() {
    let env = animals();
    env.write("docs/hands.md", "# Hands\n\nTheir hands hold a stone.\n");
    let keyword = |query: &str| env.hits(&["--mode", "keyword", query]);
    assert_eq!(keyword("\"hold hands\""), ["docs/otters.md"]);
    assert_eq!(env.hits(&["\"hold hands\""]), ["docs/otters.md"], "by meaning too");
    assert_eq!(keyword("hold hands -otters"), ["docs/hands.md"]);
    let hits = env.hits(&["hold hands -otters", "-n", "50"]);
    assert!(!hits.contains(&"docs/otters.md".to_owned()), "{hits:?}");
    assert_eq!(keyword("stone -\"hands hold\""), ["docs/otters.md"]);
    assert_eq!(keyword("\"holding hand\""), ["docs/otters.md"], "word endings do not count");
    snapshot!(env.run(&["search", "\"hands of time\""]), @r#"
    exit: 1
    --- stdout
    --- stderr
    nothing found for `"hands of time"` in 6 notes (6 chunks)
    hint: try without the quotes
    "#);
    // What looks like an exclusion comes first: a dash is no flag after `--`.
    assert_eq!(
        env.run(&["search", "--json", "--", "-otters bears"]).json()[0]["path"],
        "docs/bears.md"
    );
}

#[test]
fn a_misspelt_word_still_finds() {
    let env = animals();
    snapshot!(env.run(&["search", "--mode", "keyword", "ottres", "-n", "1"]), @"
    exit: 0
    --- stdout
    docs/otters.md:9  Otters > Sleep
        Otters sleep on their backs.
    --- stderr
    note: `ottres` occurs nowhere; looked for otters
    ");
    assert_eq!(env.hits(&["salmn", "-n", "1"]), ["docs/bears.md"]);
    env.write(".elophanto/config.yaml", "search:\n  fuzzy: false\n");
    assert_eq!(env.hits(&["--mode", "keyword", "salmn"]), [""; 0]);
}

#[test]
fn word_endings_do_not_matter() {
    let env = animals();
    assert_eq!(env.hits(&["--mode", "keyword", "breeding"]), ["docs/deep/eels.md"]);
    assert_eq!(env.hits(&["--mode", "keyword", "BERRY"]), ["docs/bears.md"]);
    // Titles and tags count as words.
    assert_eq!(env.hits(&["--mode", "keyword", "fish"]), ["docs/deep/eels.md"]);
}

#[test]
fn words_of_a_query_need_no_quotes() {
    let env = animals();
    let quoted = env.run(&["search", "a bird that cannot fly", "--json"]);
    let bare = env.run(&["search", "a", "bird", "that", "cannot", "fly", "--json"]);
    assert_eq!(quoted.code, Some(0), "{quoted}");
    assert_eq!(bare.stdout(), quoted.stdout());
}

#[test]
fn a_query_from_standard_input() {
    let env = animals();
    let output = env.run_with(&["search", "--json", "-", "-n", "1"], b"what do bears eat\n");
    assert_eq!(output.json()[0]["path"], "docs/bears.md");
    assert_eq!(env.run_with(&["search", "-"], b"").code, Some(2));
    assert_eq!(env.run_with(&["search", "-"], &[b'x'; 70_000]).code, Some(2));
    let latin =
        env.run_with(&["search", "--json", "-", "-n", "1"], b"what do b\xe9ars eat, bears?");
    assert_eq!(latin.json()[0]["path"], "docs/bears.md");
}

#[test]
fn an_empty_result_says_what_was_searched() {
    let env = animals();
    snapshot!(env.run(&["search", "--mode", "keyword", "zebra"]), @"
    exit: 1
    --- stdout
    --- stderr
    nothing found for `zebra` in 5 notes (5 chunks)
    hint: try other words, or fewer
    ");
    snapshot!(env.run(&["search", "--tag", "desert", "otters"]), @"
    exit: 1
    --- stdout
    --- stderr
    nothing found for `otters` in 0 notes (0 chunks)
    hint: the filter left out the other notes: try without --tag
    ");
    let output = env.run(&["search", "--path", "x", "--tag", "desert", "--since", "2d", "otters"]);
    assert!(output.stderr().contains("try without --tag, --path or --since\n"), "{output}");
    let output = env.run(&["search", "--json", "--mode", "keyword", "zebra"]);
    assert_eq!((output.code, output.stdout()), (Some(1), String::new()));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let env = TestEnv::new();
    // All of them are shown, however alike they are.
    env.write(".elophanto/config.yaml", "search:\n  collapse_similarity: 1\n");
    let mut state = 1_u64;
    let mut word = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("w{:x}", state >> 44)
    };
    for note in 0..90 {
        let words: Vec<String> = (0..150).map(|_| word()).collect();
        env.write(format!("n{note}.md"), format!("# Otters\n\nOtters {}.\n", words.join(" ")));
    }
    let args = ["search", "--full", "otters", "-n", "300"];
    assert!(env.ok(&args).stdout.len() > 80 * 1024, "more than a pipe holds");
    let mut child =
        env.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 1];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
    let mut shell = env.sealed("bash");
    let line =
        format!("set -o pipefail; '{}' search --full otters -n 300 | head -1", crate::env::PROGRAM);
    let piped = finish(shell.args(["-c", &line]));
    assert_eq!((piped.code, piped.stdout().lines().count()), (Some(0), 1), "{piped}");
}

#[test]
fn a_note_changed_just_before_is_found() {
    let env = animals();
    for round in 0..20 {
        // The same length each time: only the content tells.
        let word = ["quartz", "basalt", "marble", "gneiss"][round % 4];
        env.write("docs/rocks.md", format!("# Rocks\n\nThis is {word}.\n"));
        assert_eq!(env.hits(&["--mode", "keyword", word]), ["docs/rocks.md"], "round {round}");
        let others = ["quartz", "basalt", "marble", "gneiss"];
        for other in others.iter().filter(|other| **other != word) {
            assert_eq!(env.hits(&["--mode", "keyword", &format!("\"{other}\"")]), [""; 0]);
        }
    }
}

#[test]
fn no_refresh_takes_the_view_as_it_is() {
    let env = animals();
    env.ok(&["search", "otters"]);
    env.write("docs/rocks.md", "# Rocks\n\nThis is quartz.\n");
    assert_eq!(env.hits(&["--no-refresh", "--mode", "keyword", "quartz"]), [""; 0]);
    assert_eq!(env.hits(&["--mode", "keyword", "quartz"]), ["docs/rocks.md"]);
    assert_eq!(env.hits(&["--no-refresh", "--mode", "keyword", "quartz"]), ["docs/rocks.md"]);
    // Without a view there is nothing to take.
    env.remove(".git/elophanto");
    assert_eq!(env.hits(&["--no-refresh", "--mode", "keyword", "quartz"]), ["docs/rocks.md"]);
}

#[test]
fn of_two_that_match_alike_the_newer_comes_first() {
    let env = TestEnv::new();
    for (path, updated, name) in [
        ("a.md", "2001-01-01", "Anna"),
        ("b.md", "2099-01-01", "Bert"),
        ("c.md", "2001-01-01", "Carl"),
    ] {
        env.write(path, format!("---\nupdated: {updated}\n---\n{name} went to see the museum.\n"));
    }
    assert_eq!(env.hits(&["museum", "--mode", "keyword", "-n", "1"]), ["b.md"]);
}

#[test]
fn what_the_user_wrote_comes_before_what_was_learned() {
    let env = TestEnv::new();
    let text = "Deploy the service with the blue script, then watch the error rate for an hour";
    env.write("knowledge/learned/tasks/deploy.md", format!("# Deploy\n\n{text}. Deploy deploy.\n"));
    env.write("knowledge/user/deploy.md", format!("# Deploy\n\n{text}, says the handbook.\n"));
    let hits = env.hits(&["how to deploy"]);
    assert_eq!(hits[0], "knowledge/user/deploy.md", "{hits:?}");
}

#[test]
fn what_says_the_same_is_shown_once() {
    let env = animals();
    for copy in ["x", "y", "z"] {
        env.write(format!("copies/{copy}.md"), "# Newts\n\nNewts grow a lost leg again.\n");
    }
    let output = env.ok(&["search", "newts grow legs", "-n", "1"]);
    assert!(output.stdout().lines().next().unwrap().ends_with("(+2 alike)"), "{output}");
    let hits = env.json(&["search", "--json", "newts grow legs", "-n", "50"]);
    let copies = hits.iter().filter(|hit| hit["path"].as_str().unwrap().starts_with("copies/"));
    assert_eq!(copies.clone().count(), 1);
    assert_eq!(copies.map(|hit| hit["similar"].as_u64().unwrap()).sum::<u64>(), 2);
}

#[test]
fn what_is_hostile_is_shown_escaped() {
    let env = TestEnv::new();
    env.write("a.md", "# Otters \u{1b}[2J\n\nOtters \u{1b}]52;c;aGk=\u{7} hold \u{202e}hands.\n");
    for format in ["text", "markdown", "vimgrep", "json"] {
        let output = env.ok(&["search", "--format", format, "otters"]);
        let raw = output.stdout.iter().any(|byte| *byte < 0x20 && *byte != b'\n');
        assert!(!raw, "{format}: {:?}", output.stdout());
        if format != "json" {
            assert!(!output.stdout().contains('\u{202e}'), "{format}: {:?}", output.stdout());
        }
    }
}

#[test]
fn settings_and_variables_reach_the_search() {
    let env = animals();
    env.write(".elophanto/config.yaml", "search:\n  limit: 2\n");
    assert_eq!(env.hits(&["sleep eat breed"]).len(), 2);
    let one = finish(
        env.command(&["search", "--json", "sleep eat breed"]).env("ELOPHANTO_SEARCH_LIMIT", "1"),
    );
    assert_eq!(one.json().len(), 1);
    assert_eq!(env.hits(&["sleep eat breed", "-n", "3"]).len(), 3);
}

/// Words that every note has take up their place in a phrase, and are not passed over silently.
#[test]
fn phrases_with_common_words() {
    let env = TestEnv::with(&[
        ("in.md", "# A\n\nHe did log in at noon.\n"),
        ("out.md", "# B\n\nHe did not log in at noon.\n"),
    ]);
    assert_eq!(env.hits(&["\"he did not log in\""]), ["out.md"]);
    assert_eq!(env.hits(&["\"he did log in\""]), ["in.md"]);
    assert_eq!(env.hits(&["\"log in at noon\""]), ["in.md", "out.md"]);
    assert_eq!(env.hits(&["\"log on at noon\""]), [""; 0], "another of them");
    assert_eq!(env.hits(&["\"at noon\""]), ["in.md", "out.md"], "at its beginning too");
    assert_eq!(env.hits(&["\"to noon\""]), [""; 0]);
    assert_eq!(env.hits(&["noon -\"did log in\""]), ["out.md"]);
    let said = env.ok(&["search", "noon -not"]).stderr();
    assert!(said.contains("`-not` is not kept to"), "{said}");
}

/// A question of several words that begins with an option is a question.
#[test]
fn a_question_may_begin_with_a_dash() {
    let env = TestEnv::with(&[
        ("rebase.md", "# Rebase\n\nThe option -r keeps merges in a rebase.\n"),
        ("other.md", "# Other\n\nOtters swim.\n"),
    ]);
    assert_eq!(env.hits(&["-r in rebase", "-n", "1"]), ["rebase.md"]);
    let said = env.run(&["search", "-r", "rebase"]);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr().contains("-- -r"), "{said}");
}

/// What other programs open is named from where they run.
#[test]
fn files_are_named_from_here() {
    let env = TestEnv::with(&[
        ("docs/a/one.md", "# One\n\nA walrus.\n"),
        ("docs/b/two.md", "# Two\n\nThe other walrus.\n"),
        ("three.md", "# Three\n\nNo walrus at all, but a seal.\n"),
    ]);
    for (folder, expected) in [
        ("docs/a", ["../../three.md", "../b/two.md", "one.md"]),
        ("docs", ["../three.md", "a/one.md", "b/two.md"]),
        (".", ["docs/a/one.md", "docs/b/two.md", "three.md"]),
    ] {
        let found = env.run_in(folder, &["search", "walrus", "--format", "files"]).stdout();
        let mut paths: Vec<&str> = found.lines().collect();
        paths.sort_unstable();
        assert_eq!(paths, expected, "{folder}");
        let lines = env.run_in(folder, &["search", "walrus", "--format", "vimgrep"]).stdout();
        assert!(
            lines.lines().all(|line| expected.iter().any(|path| line.starts_with(path))),
            "{lines}"
        );
    }
}

#[test]
fn what_scores_the_same_comes_by_path_however_the_index_came_about() {
    let env = TestEnv::new();
    let note = |number: usize| {
        let front = "---\nupdated: 2026-01-01\n---\n";
        format!("{front}# Note\n\nThe kingfisher waits. {}\n", number % 3)
    };
    // Newest names first, a few at a time: the parts of the view are in another order than the paths.
    for number in (0..24).rev() {
        env.write(format!("docs/n{number:02}.md"), note(number));
        if number % 4 == 0 {
            env.ok(&["index"]);
        }
    }
    let ask = || {
        ["keyword", "semantic", "hybrid"]
            .map(|mode| env.hits(&["kingfisher waits", "--mode", mode, "-n", "9"]))
    };
    let step_by_step = ask();
    std::fs::remove_dir_all(env.view()).unwrap();
    assert_eq!(step_by_step, ask());
    assert_eq!(step_by_step[0][0], "docs/n00.md");
}

#[test]
fn a_name_in_vimgrep_cannot_pass_for_another_files_line() {
    let env = TestEnv::with(&[("x:12:3:fake.md", "# Heron\n\nThe heron waits.\n")]);
    let output = env.ok(&["search", "heron waits", "--format", "vimgrep"]);
    assert_eq!(output.stdout(), "x<U+003A>12<U+003A>3:fake.md:3:5:The heron waits.\n");
    let env = TestEnv::with(&[("a:b.md", "# Heron\n\nThe heron waits.\n")]);
    let output = env.ok(&["search", "heron waits", "--format", "vimgrep"]);
    assert_eq!(output.stdout(), "a:b.md:3:5:The heron waits.\n");
}

#[test]
fn what_comes_into_a_folder_that_was_listed_is_found() {
    let env = TestEnv::with(&[
        ("docs/otters.md", "# Otters\n\nOtters sleep on their backs.\n"),
        ("docs/sea/kelp.md", "# Kelp\n\nOtters sleep in kelp.\n"),
        ("docs/sea/kelp.txt", "Otters sleep in text.\n"),
    ]);
    let found = || {
        let hits = env.json(&["search", "--json", "otters sleep"]);
        let mut paths: Vec<String> =
            hits.iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect();
        paths.sort();
        paths.join(" ")
    };
    assert_eq!(found(), "docs/otters.md docs/sea/kelp.md");
    env.write("docs/sea/clams.md", "# Clams\n\nOtters sleep and eat clams.\n");
    env.write("docs/land/den.md", "# Den\n\nOtters sleep in a den.\n");
    assert_eq!(found(), "docs/land/den.md docs/otters.md docs/sea/clams.md docs/sea/kelp.md");
    env.write("docs/sea/.gitignore", "kelp.md\n");
    env.remove("docs/otters.md");
    assert_eq!(found(), "docs/land/den.md docs/sea/clams.md");
    env.rename("docs/sea", "docs/ocean");
    assert_eq!(found(), "docs/land/den.md docs/ocean/clams.md");
    // Rules of an ignore file are read each time.
    env.write("docs/ocean/.gitignore", "clams.md\n");
    assert_eq!(found(), "docs/land/den.md docs/ocean/kelp.md");
}
