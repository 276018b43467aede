use serde_json::json;

use super::*;

#[test]
fn trees() {
    let mut tried = Try::git(&[
        (".gitignore", "*.log\n/build/\n"),
        ("docs/a.md", "abc"),
        ("docs/deep/b.md", ""),
        ("z.rs", "x"),
    ]);
    tried.write("build/out", "x");
    tried.write("docs/x.log", "x");
    tried.write("own", "x");
    tried.write(".git/info/exclude", "/own\n");
    let tool = FileList::default();
    for (arguments, expected) in [
        (json!({}), ".gitignore 14\ndocs/\ndocs/a.md 3\ndocs/deep/\ndocs/deep/b.md 0\nz.rs 1\n"),
        (json!({ "depth": 1 }), ".gitignore 14\ndocs/\nz.rs 1\n"),
        (json!({ "path": "docs", "depth": 1 }), "docs/a.md 3\ndocs/deep/\n"),
        (json!({ "glob": "*.md" }), "docs/a.md 3\ndocs/deep/b.md 0\n"),
        (json!({ "glob": "docs/*.md" }), "docs/a.md 3\n"),
        (json!({ "glob": "/*.rs" }), "z.rs 1\n"),
        (json!({ "glob": "*.log", "all": true }), "docs/x.log 1\n"),
        (json!({ "path": "build", "all": true }), "build/out 1\n"),
    ] {
        assert_eq!(tried.good(&tool, arguments.clone()), expected, "{arguments}");
    }
    let ignored = tried.good(&tool, json!({ "path": "build" }));
    assert!(ignored.starts_with("nothing in build; what git ignores"), "{ignored}");
    let few = tried.good(&tool, json!({ "max": 2 }));
    assert!(few.ends_with("[4 more: name a folder, a glob or a depth]\n"), "{few}");
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[("a", "x")]);
    let tool = FileList::default();
    for (arguments, words) in [
        (json!({ "path": "a" }), "not a folder"),
        (json!({ "path": "none" }), "there is no folder"),
        (json!({ "glob": "[" }), "glob"),
        (json!({ "depth": 0 }), "from 1 to 100"),
        (json!({ "max": 100_000 }), "from 1 to 5000"),
    ] {
        tried.refused(&tool, arguments, words);
    }
    tried.cancelled.set(true);
    tried.refused(&tool, json!({}), "cancelled");
}

#[test]
fn many_files() {
    let mut tried = Try::new(&[]);
    for number in 0..3_000 {
        tried.write(&format!("{number:04}"), "");
    }
    tried.max = 2_000;
    let listed = tried.good(&FileList::default(), json!({ "max": 5_000 }));
    assert!(listed.starts_with("0000 0\n") && listed.ends_with("2999 0\n"));
    assert!(listed.contains(" bytes left out ...]"));
}

/// Ignore files of folders hold in them, towards them and below; those over a cap are named instead of
/// read, and those of our own search hide nothing from tools.
#[test]
fn ignore_files() {
    let mut tried = Try::git(&[
        (".gitignore", "*.log\n"),
        ("sub/.gitignore", "!kept.log\n/out/\n"),
        ("sub/.ignore", "draft\n"),
        (".elophantoignore", "z.rs\n"),
        ("z.rs", "x"),
    ]);
    for path in
        ["sub/kept.log", "sub/x.log", "sub/out/a", "sub/in/out/b", "sub/draft", "sub/.hidden"]
    {
        tried.write(path, "x");
    }
    let tool = FileList::default();
    let listed = |tried: &mut Try, arguments| tried.good(&tool, arguments);
    assert_eq!(
        listed(&mut tried, json!({ "path": "sub" })),
        "sub/.gitignore 16\nsub/.hidden 1\nsub/.ignore 6\nsub/in/\nsub/in/out/\nsub/in/out/b 1\n\
         sub/kept.log 1\n"
    );
    assert!(listed(&mut tried, json!({ "path": "sub/out" })).starts_with("nothing in sub/out;"));
    assert!(listed(&mut tried, json!({})).ends_with("z.rs 1\n"));
    tried.write("big/.gitignore", "x\n".repeat(100_000));
    tried.write("big/x", "");
    let big = listed(&mut tried, json!({ "path": "big" }));
    assert!(big.contains("big/x 0\n") && big.contains("over the cap of 128 KiB"), "{big}");
}
