//! What stands in a note and answers nothing: comments, tables of contents, what a template asks
//! for, and lists of changes beside what explains them.

use crate::env::TestEnv;

/// The paths of what is found, in any mode.
fn found(env: &TestEnv, query: &str) -> Vec<String> {
    let mut all = Vec::new();
    for mode in ["hybrid", "keyword", "semantic"] {
        all.extend(env.hits(&["--mode", mode, query]));
    }
    all.sort();
    all.dedup();
    all
}

#[test]
fn comments_and_tables_of_contents_neither_match_nor_are_embedded() {
    let note = "# Boats\n\n<!-- zebra crossing ahead -->\n\n## Contents\n\n\
                - [Sails](#sails)\n- [Keels](#keels)\n- [Masts](#masts)\n\n\
                ## Sails\n\nCanvas <!-- giraffe --> is sewn by hand.\n\n\
                ```html\n<!-- okapi -->\n```\n";
    let env = TestEnv::with(&[("boats.md", note)]);
    for query in ["zebra crossing", "giraffe", "keels", "contents"] {
        assert!(env.hits(&["--mode", "keyword", query]).is_empty(), "{query}");
    }
    assert_eq!(env.hits(&["--mode", "keyword", "okapi"]), ["boats.md"]);
    // Lines are those of the file, and the text shown is the text searched.
    let hit = &env.json(&["search", "--json", "--full", "canvas sewn by hand"])[0];
    assert_eq!(hit["line"], 13, "{hit}");
    assert!(!hit["text"].as_str().unwrap().contains("giraffe"), "{hit}");
    // Who wrote the line is told though a comment stands on it and another line has changed.
    env.commit("boats");
    env.write("boats.md", format!("{note}\nOars too.\n"));
    let hit = &env.json(&["search", "--json", "--blame", "canvas sewn by hand"])[0];
    assert_eq!(hit["state"], "modified", "{hit}");
    assert!(hit["blame"]["commit"].is_string(), "{hit}");
    env.write("boats.md", note);
    // A vector is filed under what was embedded: another comment of the same length is the same.
    env.index(&[]);
    env.write("boats.md", note.replace("zebra", "camel").replace("giraffe", "dromedy"));
    assert_eq!(env.index(&[])["embedded"], 0);
    // A note of nothing else is no hit for anything.
    env.write("empty.md", "<!-- canvas canvas canvas -->\n");
    assert_eq!(found(&env, "canvas"), ["boats.md"]);
    assert_eq!(env.run(&["index", "--check"]).code, Some(0));
}

#[test]
fn a_row_of_a_long_table_is_found_with_the_names_of_its_columns() {
    let row = |n: usize| format!("| option{n} | {n} | tunes the number {n} part of it |\n");
    let rows: String = (0..80).map(row).collect();
    let note = format!(
        "# Options\n\nAll there are.\n\n| Name | Default | Purpose |\n| --- | --- | --- |\n\
         {rows}| lagoon | 7 | how deep the water is |\n"
    );
    let env = TestEnv::with(&[("options.md", &note)]);
    for query in ["lagoon default", "how deep is the water"] {
        let hit = &env.json(&["search", "--json", "--full", query])[0];
        assert_eq!(
            (&hit["line"], &hit["lines"], hit["text"].as_str().unwrap().trim()),
            (&87.into(), &[87, 87].into(), "| lagoon | 7 | how deep the water is |"),
            "{query}: {hit}"
        );
        let crumbs = hit["breadcrumb"].as_array().unwrap();
        assert_eq!(crumbs.last().unwrap(), "Name | Default | Purpose");
    }
    assert_eq!(env.run(&["index", "--check"]).code, Some(1), "not committed yet");
    env.index(&[]);
    env.commit("all");
    assert_eq!(env.run(&["index", "--check"]).code, Some(0));
}

#[test]
fn lists_of_changes_come_after_what_says_the_same() {
    let said = "The cache evicts the oldest lantern first.";
    let env = TestEnv::with(&[
        ("CHANGELOG.md", &format!("# News\n\n{said}\n")),
        ("zoo.md", &format!("# Cache\n\n{said} So it stays small.\n")),
    ]);
    let order = |query: &str| env.hits(&["--mode", "keyword", query]);
    assert_eq!(order("which lantern is evicted from the cache"), ["zoo.md", "CHANGELOG.md"]);
    assert_eq!(order("since when is the oldest lantern evicted")[0], "CHANGELOG.md");
    let explained = env.ok(&["search", "--explain", "which lantern is evicted"]).stdout();
    assert_eq!(explained.matches(" + kind of note -0.").count(), 1, "{explained}");
    let explained = env.ok(&["search", "--explain", "since when is the lantern evicted"]).stdout();
    assert!(!explained.contains("kind of note"), "{explained}");
}

/// Words that only the templates use.
const ASKED: [&str; 4] = [
    "three to five sentences or a diagram",
    "name the users and what each of them comes for",
    "formatter and linter with the command that runs them",
    "export a report as CSV make report",
];

#[test]
fn what_a_template_asks_for_is_found_once_it_is_written() {
    let env = TestEnv::with(&[]);
    env.ok(&["init"]);
    for query in ASKED {
        assert_eq!(found(&env, query), [""; 0], "{query}");
    }
    let told = env.run(&["doctor"]).stdout();
    let unfilled: Vec<&str> = told.lines().filter(|line| line.starts_with("unfilled")).collect();
    assert_eq!(
        unfilled,
        [
            "unfilled  knowledge/system/identity.md: Purpose, Who uses it, Principles, Words we use",
            "unfilled  knowledge/system/architecture.md: Overview, Parts, Name of the part, \
             How a request travels, What must always hold",
            "unfilled  knowledge/system/capabilities.md: Example: export a report",
            "unfilled  knowledge/system/conventions.md: File naming, Code style, Error handling, \
             Testing, Documentation, Import order, How to structure a plugin",
            "unfilled  knowledge/system/known-limitations.md: Example: import stops at files over 2 GB",
        ],
        "{told}"
    );
    // One section is written: it is found, the rest is not.
    let path = "knowledge/system/architecture.md";
    let text = String::from_utf8(env.read(path)).unwrap();
    let asked = text.lines().find(|line| line.starts_with("Three to five")).unwrap();
    env.write(path, text.replace(asked, "A conveyor carries letters to the sorter."));
    assert_eq!(found(&env, "conveyor letters sorter"), [path]);
    let hit = &env.json(&["search", "--json", "--full", "conveyor letters sorter"])[0];
    let shown = hit["text"].as_str().unwrap();
    assert!(shown.contains("conveyor") && !shown.contains("Follow one typical"), "{hit}");
    for query in ["follow one typical request and name every part", ASKED[1]] {
        let keyword = env.hits(&["--mode", "keyword", query]);
        assert!(keyword.is_empty(), "{query}: {keyword:?}");
    }
    let wire = &env.run(&["doctor", "--json"]).json()[0];
    let left = wire["unfilled"].as_array().unwrap();
    let page = left.iter().find(|page| page["path"] == path).unwrap();
    assert_eq!(page["sections"][0], "Parts", "{wire}");
    // Windows' line ends change nothing.
    let page = "knowledge/system/identity.md";
    let text = String::from_utf8(env.read(page)).unwrap();
    env.write(page, text.replace('\n', "\r\n"));
    assert!(!found(&env, ASKED[1]).contains(&page.to_owned()));
}
