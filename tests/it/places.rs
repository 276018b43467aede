//! Files with their best places for people, passages for everybody else, one of several copies.

use crate::env::TestEnv;

/// Six manuals whose chapters all speak of retries.
fn manuals() -> TestEnv {
    let env = TestEnv::new();
    // All of them are shown, however alike they are.
    env.write(".elophanto/config.yaml", "search:\n  collapse_similarity: 1\n");
    let names = ["client", "server", "queue", "mailer", "cache", "worker"];
    let details = [
        "waits twice as long after each failure, up to a minute",
        "counts failures in a window and opens a circuit",
        "adds some jitter so that not all come back together",
        "gives up for good when the caller has cancelled",
        "writes each attempt to the log with its number",
    ];
    for (number, name) in names.iter().enumerate() {
        let mut text = format!("---\nupdated: 2026-01-0{}\n---\n# The {name}\n\n", number + 1);
        // A chapter of its own for each detail, and more of them in some manuals.
        for (chapter, detail) in details.iter().enumerate().take(5 - number % 3) {
            let filler = format!(
                "What the {name} does in chapter {chapter} was decided after the outage of spring. "
            );
            text.push_str(&format!(
                "## Retries {chapter}\n\nWhen a retry is due, the {name} {detail}. {}\n\n",
                filler.repeat(12)
            ));
        }
        env.write(format!("docs/{name}.md"), text);
    }
    env
}

#[test]
fn people_get_files_with_places() {
    let env = manuals();
    let question = "when is a retry due";
    let shown = env.ok(&["search", question, "-n", "5"]).stdout();
    let heads = shown.lines().filter(|line| line.starts_with("docs/")).count();
    let further = shown.lines().filter(|line| line.starts_with("    :")).count();
    assert_eq!(heads, 5, "five files\n{shown}");
    assert!((5..=10).contains(&further), "up to three places each\n{shown}");
    for per_file in [1, 2, 4] {
        let shown =
            env.ok(&["search", question, "-n", "5", "--per-file", &per_file.to_string()]).stdout();
        for file in shown.split("\n\n") {
            let places = file.lines().filter(|line| line.starts_with("    :")).count() + 1;
            assert!(places <= per_file, "{per_file}\n{shown}");
        }
        assert_eq!(shown.split("\n\n").count(), 5, "{per_file}\n{shown}");
    }
    assert_eq!(env.run(&["search", question, "--per-file", "0"]).code, Some(2));
    let paths = env.ok(&["search", question, "-n", "5", "--format", "files"]).stdout();
    assert_eq!(paths.lines().count(), 5, "{paths}");
    // No file that a list of passages shows is missing.
    let heads: Vec<&str> =
        shown.lines().filter_map(|line| line.split_once(':')).map(|(path, _)| path).collect();
    for hit in env.hits(&[question, "-n", "5"]) {
        assert!(heads.contains(&hit.as_str()), "{hit}\n{shown}");
    }
}

#[test]
fn programs_get_passages_with_the_rank_of_their_file() {
    let env = manuals();
    let question = "when is a retry due";
    let hits = env.json(&["search", "--json", question, "-n", "5"]);
    assert_eq!(hits.len(), 5);
    let mut ranks: Vec<(String, u64)> = Vec::new();
    for hit in &hits {
        let (path, rank) = (hit["path"].as_str().unwrap(), hit["file_rank"].as_u64().unwrap());
        match ranks.iter().find(|(known, _)| known == path) {
            Some((_, known)) => assert_eq!(rank, *known, "{path}"),
            None => {
                assert_eq!(rank, ranks.len() as u64 + 1, "{path}");
                ranks.push((path.to_owned(), rank));
            }
        }
    }
    for format in ["vimgrep", "markdown"] {
        let shown = env.ok(&["search", "--format", format, question, "-n", "5"]).stdout();
        assert_eq!(shown.matches("docs/").count() / (1 + usize::from(format == "markdown")), 5);
    }
    // By file if that is asked for.
    let hits = env.json(&["search", "--json", question, "-n", "2", "--per-file", "2"]);
    let ranks: Vec<u64> = hits.iter().map(|hit| hit["file_rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, [1, 1, 2, 2]);
}

#[test]
fn places_stand_below_their_file() {
    let env = TestEnv::new();
    env.write(".elophanto/config.yaml", "search:\n  collapse_similarity: 1\n");
    let filler =
        "Nobody remembers when this was decided, and nobody has asked since then. ".repeat(12);
    env.write(
        "docs/otters.md",
        format!(
            "---\nupdated: 2026-01-01\n---\n# Otters\n\n## Sleep\n\nOtters sleep in kelp. {filler}\n\n\
             ## Food\n\nOtters eat kelp crabs. {filler}\n"
        ),
    );
    env.write("docs/kelp.md", "---\nupdated: 2026-01-01\n---\n# Kelp\n\nKelp grows fast.\n");
    let shown = env.ok(&["search", "--mode", "keyword", "otters sleep kelp"]).stdout();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 6, "{shown}");
    assert!(lines[0].starts_with("docs/otters.md:8  Otters"), "{shown}");
    assert_eq!(lines[1], "    Otters sleep in kelp.", "{shown}");
    assert_eq!(lines[2], "    :12  Food: Otters eat kelp crabs.", "{shown}");
    assert_eq!(lines[3..], ["", "docs/kelp.md:6  Kelp", "    Kelp grows fast."], "{shown}");
    // A budget and whole chunks are for passages.
    for flags in [&["--max-tokens", "90"][..], &["--full"]] {
        let args = [&["search", "--mode", "keyword", "otters sleep kelp"], flags].concat();
        let shown = env.ok(&args).stdout();
        assert!(!shown.contains("    :12"), "{shown}");
    }
}

#[test]
fn of_copies_the_more_central_file_is_shown() {
    let text = "# Tides\n\nThe tide turns twice a day, and the harbour master writes down when.\n";
    for (copies, shown) in [
        (&["web/tides.md", "docs/tides.md"][..], "docs/tides.md"),
        (
            &["a/vendor/tides.md", "docs/handbook/harbour/tides.md"],
            "docs/handbook/harbour/tides.md",
        ),
        (&["docs/en/tides.md", "docs/tides.md"], "docs/tides.md"),
        (&["docs/a-note-on-tides.md", "docs/tides.md"], "docs/tides.md"),
        (&["examples/tides.md", "tides.md", "site/tides.md"], "tides.md"),
    ] {
        let env = TestEnv::new();
        for (number, path) in copies.iter().enumerate() {
            // The newest is the one that ranks first.
            let front = format!("---\nupdated: 20{}-01-01\n---\n", 26 - number);
            env.write(path, format!("{front}{text}"));
        }
        let hits = env.json(&["search", "--json", "when does the tide turn"]);
        assert_eq!(hits.len(), 1, "{copies:?}: {hits:?}");
        assert_eq!(hits[0]["path"], shown, "{copies:?}");
        assert_eq!(hits[0]["similar"], copies.len() - 1, "{copies:?}");
    }
}

#[test]
fn a_copy_that_is_called_what_was_asked_for_is_shown() {
    let env = TestEnv::new();
    env.write(".elophanto/config.yaml", "search:\n  collapse_similarity: 0.9\n");
    let body = "Returns the pages of the collection in groups, each with its key and its pages, in the \
                order that the format gives, or the other way round if the second argument says so.";
    for name in ["group", "docs/reference/GroupByLastmod"] {
        let title = name.rsplit('/').next().unwrap();
        env.write(format!("{name}.md"), format!("# {title}\n\n{}\n", [body; 3].join(" ")));
    }
    let hits = env.json(&["search", "--json", "GroupByLastmod"]);
    assert_eq!(hits.len(), 1, "alike: {hits:?}");
    assert_eq!(hits[0]["path"], "docs/reference/GroupByLastmod.md");
    let hits = env.json(&["search", "--json", "pages of a collection in groups"]);
    assert_eq!(hits[0]["path"], "group.md", "the more central one");
}

/// In the list for people too, where a file has more places than are shown.
#[test]
fn a_copy_of_a_whole_file_is_none_of_the_hits() {
    let env = TestEnv::new();
    let facts =
        ["wades at low tide", "nests in old pines", "eats eels", "flies by night", "is grey"];
    let mut text = "# Birds\n\n".to_owned();
    for (number, fact) in facts.iter().enumerate() {
        let filler = format!("Ringers of station {number} wrote that down in spring. ").repeat(20);
        text.push_str(&format!("## Part {number}\n\nThe heron {fact}. {filler}\n\n"));
    }
    env.write("docs/heron.md", &text);
    env.write("web/heron.md", &text);
    for per_file in ["1", "3"] {
        let shown = env.ok(&["search", "heron", "--per-file", per_file]).stdout();
        assert!(shown.starts_with("docs/heron.md"), "{per_file}\n{shown}");
        assert!(!shown.contains("web/heron.md"), "{per_file}\n{shown}");
    }
}
