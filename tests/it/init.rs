//! `elophanto init`: everything it makes, and nothing else.

use std::fs;

use crate::env::{TestEnv, snapshot};

/// Paths outside `.git`, one per line.
fn listing(env: &TestEnv) -> String {
    let paths = env.files().into_iter().map(|(path, _)| path.display().to_string());
    paths.collect::<Vec<_>>().join("\n")
}

#[test]
fn makes_the_whole_tree() {
    let env = TestEnv::new();
    snapshot!(env.run(&["init"]), @r#"
    exit: 0
    --- stdout
    created: knowledge/system/identity.md
    created: knowledge/system/architecture.md
    created: knowledge/system/capabilities.md
    created: knowledge/system/conventions.md
    created: knowledge/system/changelog.md
    created: knowledge/system/known-limitations.md
    created: knowledge/system/designs/.gitkeep
    created: knowledge/system/decisions/.gitkeep
    created: knowledge/user/.gitkeep
    created: knowledge/learned/tasks/.gitkeep
    created: knowledge/learned/patterns/.gitkeep
    created: knowledge/learned/failures/.gitkeep
    created: knowledge/learned/services/.gitkeep
    created: knowledge/learned/entities/.gitkeep
    created: knowledge/plugins/.gitkeep
    created: .elophanto/config.yaml
    created: .elophanto/.gitignore
    created: .gitattributes
    --- stderr
    next: `elophanto index`, then `elophanto search "..."`
    "#);
    snapshot!(listing(&env), @"
    .elophanto/.gitignore
    .elophanto/config.yaml
    .gitattributes
    knowledge/learned/entities/.gitkeep
    knowledge/learned/failures/.gitkeep
    knowledge/learned/patterns/.gitkeep
    knowledge/learned/services/.gitkeep
    knowledge/learned/tasks/.gitkeep
    knowledge/plugins/.gitkeep
    knowledge/system/architecture.md
    knowledge/system/capabilities.md
    knowledge/system/changelog.md
    knowledge/system/conventions.md
    knowledge/system/decisions/.gitkeep
    knowledge/system/designs/.gitkeep
    knowledge/system/identity.md
    knowledge/system/known-limitations.md
    knowledge/user/.gitkeep
    ");
    snapshot!(String::from_utf8(env.read(".gitattributes")).unwrap(), @"
    # >>> elophanto >>>
    knowledge/learned/entities/*.md merge=union
    knowledge/system/changelog.md merge=union
    knowledge/system/changelog/*.md -filter
    .elophanto/index/** binary -filter linguist-generated=true
    .elophanto/journal/**/*.jsonl -text -filter merge=union
    .elophanto/memory/**/*.jsonl -text -filter merge=union
    .elophanto/sources/** -text -filter
    # <<< elophanto <<<
    ");
    let config = String::from_utf8(env.read(".elophanto/config.yaml")).unwrap();
    let set: Vec<&str> = config
        .lines()
        .filter(|line| !line.trim_start().starts_with('#') && !line.is_empty())
        .collect();
    snapshot!(set.join("\n"), @"
    knowledge:
      embedding_provider: minilm
      chunk:
    search:
    page:
    index:
    hooks:
    changelog:
    scan:
      patterns:
    journal:
    learn:
    interest:
    enrich:
    notify:
    memory:
    agent:
    gateway:
    llm:
      budget:
      tasks:
    ");
}

#[test]
fn pages_have_full_front_matter() {
    let env = TestEnv::new();
    env.ok(&["init"]);
    for name in [
        "identity", "architecture", "capabilities", "conventions", "known-limitations", "changelog",
    ] {
        let page = String::from_utf8(env.read(format!("knowledge/system/{name}.md"))).unwrap();
        let front = page.strip_prefix("---\n").and_then(|page| page.split_once("\n---\n"));
        let (front, body) = front.unwrap_or_else(|| panic!("{name} has no front matter:\n{page}"));
        for key in ["title:", "created:", "updated:", "tags:", "scope: system"] {
            assert!(front.lines().any(|line| line.starts_with(key)), "{name} lacks {key}\n{front}");
        }
        assert!(body.contains("# "), "{name} has no heading");
    }
    let conventions = String::from_utf8(env.read("knowledge/system/conventions.md")).unwrap();
    let sections: Vec<&str> =
        conventions.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    snapshot!(sections.join("\n"), @"
    File naming
    Code style
    Error handling
    Testing
    Documentation
    Import order
    How to structure a plugin
    ");
}

#[test]
fn search_works_afterwards() {
    let env = TestEnv::new();
    env.ok(&["init"]);
    // What the pages ask for is no answer; what is written in one is.
    let path = "knowledge/system/conventions.md";
    assert_eq!(env.hits(&["how is code to be named and styled"]), [""; 0]);
    let page = String::from_utf8(env.read(path)).unwrap();
    env.write(
        path,
        page.replace("## Code style\n", "## Code style\n\nNames are styled in blue.\n"),
    );
    assert_eq!(env.hits(&["how is code to be named and styled", "-n", "1"]), [path]);
    assert_eq!(env.hits(&["identity", "--scope", "user"]), [""; 0]);
    env.ok(&["index"]);
    let doctor = env.ok(&["doctor"]).stdout();
    assert!(doctor.ends_with("nothing is wrong\n"), "{doctor}");
}

#[test]
fn a_second_run_changes_no_byte() {
    for env in [TestEnv::new(), TestEnv::plain()] {
        env.write("docs/a.md", "# Otters\n\nThey hold hands.\n");
        for args in [&["init"][..], &["init", "--root", "docs"]] {
            env.ok(args);
            let before = env.files();
            let again = env.ok(args);
            assert_eq!(again.stdout(), "already a knowledge base, nothing to do\n", "{args:?}");
            assert!(env.files() == before, "{args:?} changed something");
            assert_eq!(env.ok(&[args, &["--json"]].concat()).stdout(), "");
        }
    }
}

#[test]
fn works_in_a_plain_folder() {
    let env = TestEnv::plain();
    env.write("notes/a.md", "# Otters\n\nThey hold hands.\n");
    let outside = env.run(&["search", "otters"]);
    snapshot!(outside.to_string(), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/repo` is in no git repository and in no initialised folder
    hint: run `elophanto init` here to make this folder a knowledge base, or `git init` first
    ");
    env.ok(&["init"]);
    assert!(!env.path(".gitattributes").exists(), "git's attributes are git's");
    assert_eq!(env.hits(&["otters", "-n", "1"]), ["notes/a.md"]);
    assert_eq!(env.index(&[])["embedded"], 0, "the search embedded it all");
    assert_eq!(env.ok(&["index", "--check"]).code, Some(0));
    assert_eq!(env.read(".elophanto/.gitignore"), b"cache/\n");
    // From a folder below, too.
    let below = env.run_in("notes", &["search", "--json", "otters", "-n", "1"]);
    assert_eq!(below.json()[0]["path"], "notes/a.md");
}

#[test]
fn a_root_of_ones_own() {
    let env = TestEnv::with(&[
        ("docs/a.md", "# Otters\n\nThey hold hands.\n"),
        ("elsewhere/b.md", "# Otters\n\nThey hold hands while they sleep.\n"),
    ]);
    env.ok(&["init", "--root", "docs"]);
    let config = String::from_utf8(env.read(".elophanto/config.yaml")).unwrap();
    assert!(config.contains("  roots: [docs, knowledge]\n"), "{config}");
    let hits = env.hits(&["otters holding hands"]);
    assert_eq!(hits[0], "docs/a.md");
    assert!(!hits.contains(&"elsewhere/b.md".to_owned()), "{hits:?}");
    env.ok(&["init", "--root", "elsewhere"]);
    assert!(env.hits(&["otters holding hands"]).contains(&"elsewhere/b.md".to_owned()));
    // A root is meant as seen from where one stands.
    env.write("deep/er/c.md", "c");
    let output = env.run_in("deep", &["init", "--root", "er"]);
    assert_eq!(output.code, Some(0), "{output}");
    let config = String::from_utf8(env.read(".elophanto/config.yaml")).unwrap();
    assert!(config.contains("  roots: [docs, knowledge, elsewhere, deep/er]\n"), "{config}");
}

#[test]
fn roots_that_cannot_be_are_refused() {
    let env = TestEnv::with(&[("file.md", "# A\n")]);
    fs::create_dir(env.outside().join("other")).unwrap();
    for (root, reason) in [
        ("missing", "No such file"),
        ("file.md", "is no folder"),
        ("../other", "is not beneath"),
        ("/", "is not beneath"),
        (".git", ".git"),
    ] {
        let output = env.run(&["init", "--root", root]);
        assert_eq!(output.code, Some(2), "{root}\n{output}");
        assert!(output.stderr().contains(reason), "{root}\n{output}");
        assert!(!env.path(".elophanto").exists(), "{root} left something behind");
    }
}

#[test]
fn what_exists_is_kept() {
    let env = TestEnv::new();
    let own = "*.png binary\r\n# mine, without a final line feed";
    env.write(".gitattributes", own);
    let settings = "# my settings\nsearch:\n    limit: 3   # enough\n";
    env.write(".elophanto/config.yaml", settings);
    env.write("knowledge/system/identity.md", "# Who we are\n");
    env.write("knowledge/user/mine.md", "mine\n");
    env.ok(&["init"]);
    let attributes = String::from_utf8(env.read(".gitattributes")).unwrap();
    assert!(attributes.starts_with(own), "{attributes}");
    snapshot!(attributes.replace("\r", "[CR]"), @"
    *.png binary[CR]
    # mine, without a final line feed[CR]
    # >>> elophanto >>>[CR]
    knowledge/learned/entities/*.md merge=union[CR]
    knowledge/system/changelog.md merge=union[CR]
    knowledge/system/changelog/*.md -filter[CR]
    .elophanto/index/** binary -filter linguist-generated=true[CR]
    .elophanto/journal/**/*.jsonl -text -filter merge=union[CR]
    .elophanto/memory/**/*.jsonl -text -filter merge=union[CR]
    .elophanto/sources/** -text -filter[CR]
    # <<< elophanto <<<[CR]
    ");
    snapshot!(String::from_utf8(env.read(".elophanto/config.yaml")).unwrap(), @"
    # my settings
    search:
        limit: 3   # enough
    knowledge:
      embedding_provider: minilm
    ");
    assert_eq!(env.read("knowledge/system/identity.md"), b"# Who we are\n");
    assert!(!env.path("knowledge/user/.gitkeep").exists(), "that folder is in use");
    let checked = env.git(&["check-attr", "merge", "--", "knowledge/learned/entities/a.md"]);
    assert!(checked.ends_with("merge: union\n"), "{checked}");
    let checked = env.git(&["check-attr", "binary", "--", ".elophanto/index/a.lance/data/b"]);
    assert!(checked.ends_with("binary: set\n"), "{checked}");
}

#[test]
fn a_block_edited_by_hand_is_brought_up_to_date() {
    let env = TestEnv::new();
    env.ok(&["init"]);
    let good = env.read(".gitattributes");
    let text = String::from_utf8(good.clone()).unwrap();
    env.write(".gitattributes", text.replacen("merge=union", "merge=ours", 1));
    let output = env.ok(&["init"]);
    assert_eq!(output.stdout(), "managed block written: .gitattributes\n");
    assert_eq!(env.read(".gitattributes"), good);
}

#[test]
fn never_writes_through_a_link() {
    let env = TestEnv::new();
    let other = env.outside().join("other");
    fs::create_dir(&other).unwrap();
    std::os::unix::fs::symlink(&other, env.path("knowledge")).unwrap();
    let output = env.run(&["init"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0, "something was written outside");
}

#[test]
fn an_older_block_is_brought_up_to_date_with_the_hooks() {
    let env = TestEnv::new();
    env.ok(&["init"]);
    let good = env.read(".gitattributes");
    let text = String::from_utf8(good.clone()).unwrap();
    env.write(".gitattributes", format!("*.jsonl filter=lfs\n{}", text.replace(" -filter", "")));
    env.ok(&["hook", "install"]);
    let expected = [b"*.jsonl filter=lfs\n", &good[..]].concat();
    assert_eq!(String::from_utf8(env.read(".gitattributes")), String::from_utf8(expected));
    let checked = env.git(&["check-attr", "filter", "--", ".elophanto/memory/a/b.jsonl"]);
    assert!(checked.ends_with("filter: unset\n"), "{checked}");
}
