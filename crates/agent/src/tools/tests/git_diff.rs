use serde_json::json;

use super::*;

#[test]
fn versions() {
    let mut tried = Try::git(&[("a", "one\n"), ("b", "one\n")]);
    let tool = GitDiff::new(tried.repository(), Arc::new(|path| path.ends_with(".env")));
    assert_eq!(tried.good(&tool, json!({})), "no difference\n");
    tried.write("a", "two\n");
    tried.run(&["add", "a"]);
    tried.write("b", "two\n");
    let has = |text: &str| (text.contains("+++ b/a\n"), text.contains("+++ b/b\n"));
    for (arguments, expected) in [
        (json!({}), (false, true)),
        (json!({ "staged": true }), (true, false)),
        (json!({ "from": "HEAD" }), (true, true)),
        (json!({ "from": "HEAD", "paths": ["b"] }), (false, true)),
        (json!({ "paths": [":!a"] }), (false, false)),
    ] {
        let text = tried.good(&tool, arguments.clone());
        assert_eq!(has(&text), expected, "{arguments}: {text}");
    }
    tried.run(&["commit", "--quiet", "--all", "--message=second"]);
    let both = tried.good(&tool, json!({ "from": "HEAD~1", "to": "HEAD", "summary": true }));
    assert!(both.contains("2 files changed"), "{both}");
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::git(&[("a", "one\n")]);
    let tool = GitDiff::new(tried.repository(), Arc::new(|path| path.ends_with(".env")));
    for (arguments, words) in [
        (json!({ "to": "HEAD" }), "goes with `from`"),
        (json!({ "from": "none" }), "names no commit"),
        (json!({ "from": "--output=x" }), "names no commit"),
        (json!({ "from": "" }), "no name of a commit"),
        (json!({ "from": "HEAD\n" }), "no name of a commit"),
        (json!({ "from": "HEAD", "to": "HEAD", "staged": true }), "exclude"),
        (json!({ "paths": ["../x"] }), "`..`"),
        (json!({ "paths": [".git/config"] }), "belongs to git"),
        (json!({ "context": 51 }), "from 0 to 50"),
    ] {
        tried.refused(&tool, arguments, words);
    }
    assert!(tried.bytes("x").is_none());
}

#[test]
fn no_program_of_the_repository_runs() {
    let mut tried = Try::git(&[("a", "one\n"), (".gitattributes", "* diff=own filter=own\n")]);
    let canary = tried.root().join("canary");
    let program = format!("touch {}", canary.display());
    for key in [
        "diff.external", "diff.own.command", "diff.own.textconv", "filter.own.clean",
        "core.fsmonitor", "core.pager",
    ] {
        tried.run(&["config", key, &program]);
    }
    tried.write("a", "two\n");
    let repository = tried.repository();
    let diff = tried.good(
        &GitDiff::new(repository.clone(), Arc::new(|path| path.ends_with(".env"))),
        json!({}),
    );
    assert!(diff.contains("+two"), "{diff}");
    tried.good(&GitStatus::new(repository.clone()), json!({}));
    tried.good(&GitLog::new(repository), json!({ "files": true }));
    assert!(!canary.exists());
}

#[test]
fn a_long_one_is_cut() {
    let mut tried = Try::git(&[("a", "")]);
    tried.write("a", "line\n".repeat(3_000_000));
    let text = tried.good(
        &GitDiff::new(tried.repository(), Arc::new(|path| path.ends_with(".env"))),
        json!({}),
    );
    assert!(text.contains("bytes left out") && text.contains("the rest was not read"));
}

#[test]
fn what_no_tool_reads_is_left_out() {
    let mut tried = Try::git(&[(".env", "KEY=old\n"), ("sub/.env", "KEY=old\n"), ("a", "one\n")]);
    tried.write(".env", "KEY=new\n");
    tried.run(&["mv", "sub/.env", "sub/renamed"]);
    tried.write("a", "two\n");
    let out_of_reach: OutOfReach = Arc::new(|path| path.ends_with(".env"));
    let tool = GitDiff::new(tried.repository(), out_of_reach);
    for arguments in [json!({ "from": "HEAD" }), json!({ "from": "HEAD", "paths": ["."] })] {
        let text = tried.good(&tool, arguments);
        assert!(text.contains("+two") && !text.contains("+KEY=new"), "{text}");
        assert!(!text.contains("-KEY"), "{text}");
        assert!(text.ends_with("[2 files left out: no tool reads them]\n"), "{text}");
    }
    let text = tried.good(&tool, json!({ "paths": [".env"] }));
    assert!(text.starts_with("no difference\n[1 file left out"), "{text}");
}

/// A change in the midst of a key is masked by what the whole file says it is.
#[test]
fn a_piece_of_a_key_is_masked() {
    for (label, is_secret) in [("PRIVATE KEY", true), ("CERTIFICATE", false)] {
        let (note, key) = note_with_key(label);
        let mut tried = Try::git(&[("a.md", &*note)]);
        let other: String = key[1].chars().rev().collect();
        tried.write("a.md", note.replace(key[1], &other));
        let tool = GitDiff::new(tried.repository(), Arc::new(|_| false));
        for context in [0, 1, 50] {
            let shown = tried.good(&tool, json!({ "context": context }));
            let shows = shown.contains(key[1]) || shown.contains(&other);
            assert_eq!(shows, !is_secret, "{shown}");
            assert!(shown.contains("@@"), "{shown}");
        }
    }
}
