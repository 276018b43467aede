use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::*;
use crate::permissions::Action;

fn tool(tried: &Try) -> GitCommit {
    GitCommit::new(tried.repository(), Box::new(refuse_secrets), Box::new(|_| Ok(())))
}

#[test]
fn named_files_alone() {
    let mut tried =
        Try::git(&[("a", "a\n"), ("gone", "x\n"), ("staged", "s\n"), ("docs/d", "d\n")]);
    tried.write("a", "changed\n");
    tried.write("new", "n\n");
    tried.write("docs/e", "e\n");
    tried.write("staged", "the user's\n");
    tried.run(&["add", "staged"]);
    tried.write("staged", "still edited\n");
    fs::remove_file(tried.root().join("gone")).unwrap();
    let run = tried.root().join("new");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
    let tool = tool(&tried);
    let arguments =
        json!({ "message": "Two things\n\nWhy.", "paths": ["a", "gone", "new", "docs"] });
    let intent = tried.intent(&tool, &arguments);
    assert_eq!(intent.action, Action::Commit);
    assert_eq!(intent.shown, "commit:\nM a\nA docs/e\nD gone\nA new\n\nTwo things\n\nWhy.\n");
    let before = tried.run(&["rev-parse", "HEAD"]);
    let output = tool.execute(&arguments, &mut tried).unwrap();
    let head = tried.run(&["rev-parse", "HEAD"]);
    assert_eq!(output.commits, [head.trim()]);
    assert!(output.text.ends_with(" on main\n"), "{}", output.text);
    assert_eq!(tried.run(&["rev-parse", "HEAD~1"]), before);
    assert_eq!(tried.run(&["log", "-1", "--format=%an %B"]), "Ada Two things\n\nWhy.\n\n");
    let changed = tried.run(&["show", "--format=", "--name-status", "HEAD"]);
    assert_eq!(changed, "M\ta\nA\tdocs/e\nD\tgone\nA\tnew\n");
    assert!(tried.run(&["ls-tree", "HEAD", "new"]).starts_with("100755 "));
    // The user's own work is as it was.
    assert_eq!(tried.run(&["status", "--porcelain"]), "MM staged\n");
    assert_eq!(tried.run(&["show", ":staged"]), "the user's\n");
    assert_eq!(tried.run(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main\n");
    tried.run(&["fsck", "--strict"]);
}

#[test]
fn what_is_staged() {
    let mut tried = Try::git(&[("a", "a\n"), ("b", "b\n")]);
    let tool = tool(&tried);
    tried.refused(&tool, json!({ "message": "x" }), "nothing is staged");
    tried.write("a", "staged\n");
    tried.run(&["add", "a"]);
    tried.write("a", "edited\n");
    tried.write("b", "edited\n");
    tried.good(&tool, json!({ "message": "x" }));
    assert_eq!(tried.run(&["show", "HEAD:a"]), "staged\n");
    assert_eq!(tried.run(&["status", "--porcelain"]), " M a\n M b\n");
}

#[test]
fn the_first_commit_and_a_detached_head() {
    let mut tried = Try::git(&[]);
    let tool = tool(&tried);
    tried.write("a", "a\n");
    tried.write("b", "b\n");
    tried.good(&tool, json!({ "message": "first", "paths": ["a"] }));
    assert_eq!(tried.run(&["status", "--porcelain"]), "?? b\n");
    tried.run(&["checkout", "--quiet", "--detach"]);
    let text = tried.good(&tool, json!({ "message": "second", "paths": ["."] }));
    assert!(text.ends_with(" on a detached HEAD\n"), "{text}");
    assert_eq!(tried.run(&["rev-list", "--count", "main"]), "1\n");
}

#[test]
fn a_linked_work_tree() {
    let mut tried = Try::git(&[("a", "a\n")]);
    tried.run(&["worktree", "add", "--quiet", "linked"]);
    let mut linked = Try::new(&[]);
    linked.root = tried.root().join("linked");
    linked.write("b", "b\n");
    let tool = tool(&linked);
    linked.good(&tool, json!({ "message": "there", "paths": ["b"] }));
    assert_eq!(linked.run(&["status", "--porcelain"]), "");
    assert_eq!(tried.run(&["rev-list", "--count", "HEAD"]), "1\n");
    let here = self::tool(&tried);
    tried.refused(&here, json!({ "message": "x", "paths": ["linked"] }), "of its own");
    tried.refused(&here, json!({ "message": "x", "paths": ["."] }), "nothing has changed");
    tried.write("c", "c\n");
    let shown = tried.intent(&here, &json!({ "message": "x", "paths": ["."] })).shown;
    assert!(shown.contains("A c\nleft out, a repository of its own or no file: linked"), "{shown}");
    tried.good(&here, json!({ "message": "x", "paths": ["."] }));
    assert_eq!(tried.run(&["ls-tree", "--name-only", "HEAD"]), "a\nc\n");
}

#[test]
fn nothing_runs() {
    let mut tried = Try::git(&[("a", "a\n")]);
    let canary = tried.root().parent().unwrap().join("canary");
    let script = format!("#!/bin/sh\ntouch {}\nexit 1\n", canary.display());
    for name in ["pre-commit", "commit-msg", "post-commit", "reference-transaction"] {
        tried.write(&format!(".git/hooks/{name}"), &script);
        let path = tried.root().join(".git/hooks").join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    tried.run(&["config", "core.fsmonitor", &format!("touch {}", canary.display())]);
    tried.write("a", "b\n");
    tried.write("fresh", "b\n");
    let arguments = json!({ "message": "x", "paths": ["a"] });
    let tool = tool(&tried);
    let shown = tried.intent(&tool, &arguments).shown;
    assert!(shown.ends_with("hooks that will not run: pre-commit, commit-msg\n\nx\n"), "{shown}");
    tried.good(&tool, arguments);
    assert!(!canary.exists());
    tried.run(&["config", "commit.gpgSign", "yes"]);
    let shown = tried.intent(&tool, &json!({ "message": "x", "paths": ["."] })).shown;
    assert!(shown.ends_with("it will not be signed\n\nx\n"), "{shown}");
    tried.run(&["config", "--unset", "commit.gpgSign"]);
    tried.run(&["config", "core.hooksPath", "own"]);
    tried.write("own/commit-msg", "#!/bin/sh\n");
    let path = tried.root().join("own/commit-msg");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    let shown = tried.intent(&tool, &json!({ "message": "x", "paths": ["own"] })).shown;
    assert!(shown.ends_with("hooks that will not run: commit-msg\n\nx\n"), "{shown}");
}

#[test]
fn refusals_change_nothing() {
    let mut tried = Try::git(&[("a", "a\n"), ("big", "b\n"), (".gitignore", "ignored\n")]);
    tried.write(".gitattributes", "big filter=lfs\n");
    tried.write("big", "c\n");
    tried.write("ignored", "x\n");
    tried.write("sub/x", "x\n");
    tried.run(&["init", "--quiet", "sub"]);
    tried.write("key", format!("token = \"ghp_{}\"\n", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"));
    let tool = tool(&tried);
    let state =
        |tried: &Try| (tried.run(&["rev-parse", "HEAD"]), tried.run(&["status", "--porcelain"]));
    let before = state(&tried);
    for (arguments, words) in [
        (json!({ "paths": ["a"] }), "`message` is missing"),
        (json!({ "message": " \n", "paths": ["a"] }), "1 to 16384"),
        (json!({ "message": "a\0", "paths": ["a"] }), "NUL"),
        (json!({ "message": "x", "paths": ["a"] }), "nothing has changed there"),
        (json!({ "message": "x", "paths": ["ignored"] }), "git ignores it"),
        (json!({ "message": "x", "paths": ["none"] }), "there is no `none`"),
        (json!({ "message": "x", "paths": ["big", "docs/none"] }), "there is no `docs/none`"),
        (json!({ "message": "x", "paths": ["../a"] }), "`..`"),
        (json!({ "message": "x", "paths": [".git/config"] }), "belongs to git"),
        (json!({ "message": "x", "paths": ["big"] }), "the filter `lfs`"),
        (json!({ "message": "x", "paths": ["sub"] }), "of its own"),
        (json!({ "message": "x", "paths": ["key"] }), "key:1 holds what looks like a"),
        (json!({ "message": "x", "paths": ["a"], "all": true }), "no argument `all`"),
    ] {
        tried.refused(&tool, arguments, words);
        assert_eq!(state(&tried), before);
    }
    tried.write(".git/MERGE_HEAD", &before.0);
    tried.refused(&tool, json!({ "message": "x", "paths": ["a"] }), "under way");
}

#[test]
fn changed_since_it_was_shown() {
    let mut tried = Try::git(&[("a", "a\n")]);
    let tool = tool(&tried);
    let arguments = json!({ "message": "x", "paths": ["a"] });
    tried.write("a", "shown\n");
    tried.intent(&tool, &arguments);
    tried.write("a", "other\n");
    assert!(tool.execute(&arguments, &mut tried).is_err());
    // HEAD has moved.
    tried.intent(&tool, &arguments);
    tried.run(&["commit", "--quiet", "--allow-empty", "--message=theirs"]);
    assert!(tool.execute(&arguments, &mut tried).is_err());
    assert_eq!(tried.run(&["log", "-1", "--format=%s"]), "theirs\n");
}

#[test]
fn head_moves_in_the_last_moment() {
    let mut tried = Try::git(&[("a", "a\n")]);
    let root = tried.root().to_owned();
    let gate = move |_: &Proposed<'_>| {
        let arguments = ["commit", "--quiet", "--allow-empty", "--message=theirs"];
        let said = Command::new("git").args(arguments).current_dir(&root).status();
        assert!(said.unwrap().success());
        Ok(())
    };
    let tool = GitCommit::new(tried.repository(), Box::new(gate), Box::new(|_| Ok(())));
    tried.write("a", "b\n");
    tried.write("new", "b\n");
    let before = tried.run(&["status", "--porcelain"]);
    assert!(tried.call(&tool, json!({ "message": "x", "paths": ["a", "new"] })).is_err());
    assert_eq!(tried.run(&["log", "-1", "--format=%s"]), "theirs\n");
    assert_eq!(tried.run(&["status", "--porcelain"]), before);
}

#[test]
fn odd_names_and_line_ends() {
    let mut tried = Try::git(&[]);
    tried.run(&["config", "core.autocrlf", "input"]);
    tried.write(":(glob)*", "x\r\n");
    tried.write("other", "x\n");
    // What a crash may have left is nobody's.
    tried.write(&format!("{}x", elophanto_repo::TEMPORARY), "x\n");
    tried.write("line\nfeed", "x\n");
    let tool = tool(&tried);
    let paths = [":(glob)*", "line\\x0afeed"];
    tried.good(&tool, json!({ "message": "x", "paths": paths }));
    let listed = tried.run(&["ls-tree", "-z", "--name-only", "HEAD"]);
    assert_eq!(listed, ":(glob)*\0line\nfeed\0");
    assert_eq!(tried.run(&["show", "HEAD::(glob)*"]), "x\n");
    tried.good(&tool, json!({ "message": "x", "paths": ["."] }));
    let changed = tried.run(&["show", "--format=", "--name-only", "HEAD"]);
    assert_eq!(changed, "other\n");
}

#[test]
fn a_file_that_was_only_touched() {
    let mut tried = Try::git(&[("a", "a\n"), ("b", "b\n")]);
    tried.write("b", "changed\n");
    let file = fs::File::options().write(true).open(tried.root().join("a")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let tool = tool(&tried);
    let shown = tried.intent(&tool, &json!({ "message": "x", "paths": ["."] })).shown;
    assert_eq!(shown, "commit:\nM b\n\nx\n");
    tried.refused(&tool, json!({ "message": "x", "paths": ["a"] }), "nothing has changed there");
}

#[test]
fn repositories_that_the_library_cannot_open() {
    for option in ["--object-format=sha256", "--ref-format=reftable"] {
        let mut tried = Try::new(&[("a", "a\n"), ("b", "b\n")]);
        tried.run(&["init", "--quiet", "--initial-branch=main", option]);
        tried.run(&["config", "user.name", "Ada"]);
        tried.run(&["config", "user.email", "ada@example.org"]);
        let repository = tried.repository();
        let tool = tool(&tried);
        tried.good(&tool, json!({ "message": "first", "paths": ["a"] }));
        tried.write("a", "changed\n");
        fs::remove_file(tried.root().join("b")).unwrap();
        tried.write("c", "c\n");
        tried.good(&tool, json!({ "message": "second", "paths": ["."] }));
        fs::remove_file(tried.root().join("a")).unwrap();
        tried.good(&tool, json!({ "message": "third", "paths": ["a"] }));
        assert_eq!(tried.run(&["status", "--porcelain"]), "");
        let token = format!("token = \"ghp_{}\"\n", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        tried.write("key", token);
        tried.refused(&tool, json!({ "message": "x", "paths": ["key"] }), "looks like a");
        let log = tried.good(&GitLog::new(repository), json!({}));
        assert_eq!(log.lines().count(), 3, "{log}");
        tried.run(&["fsck", "--strict"]);
    }
}

#[test]
fn files_folders_and_links_change_places() {
    let mut tried = Try::git(&[("file", "x\n"), ("folder/f", "x\n"), ("gone/f", "x\n"), ("k", "")]);
    for path in ["folder", "gone"] {
        fs::remove_dir_all(tried.root().join(path)).unwrap();
    }
    fs::remove_file(tried.root().join("file")).unwrap();
    tried.write("file/now/deep", "x\n");
    tried.write("folder", "x\n");
    tried.write("elsewhere/f", "other\n");
    tried.link("elsewhere", "gone");
    let tool = tool(&tried);
    let root = tried.root().to_owned();
    // A commit that fails leaves the index as it was, for these too.
    let gate = move |_: &Proposed<'_>| {
        let arguments = ["commit", "--quiet", "--allow-empty", "--message=theirs"];
        assert!(Command::new("git").args(arguments).current_dir(&root).status().unwrap().success());
        Ok(())
    };
    let hindered = GitCommit::new(tried.repository(), Box::new(gate), Box::new(|_| Ok(())));
    let before = tried.run(&["status", "--porcelain"]);
    assert!(tried.call(&hindered, json!({ "message": "x", "paths": ["."] })).is_err());
    assert_eq!(tried.run(&["status", "--porcelain"]), before);
    tried.good(&tool, json!({ "message": "x", "paths": ["."] }));
    assert_eq!(tried.run(&["status", "--porcelain"]), "");
    assert_eq!(
        tried.run(&["ls-tree", "-r", "--name-only", "HEAD"]),
        "elsewhere/f\nfile/now/deep\nfolder\ngone\nk\n"
    );
}

#[test]
fn secrets_are_found_in_every_encoding_and_size() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let text = format!("token = \"{token}\"\n");
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (bytes, line) in [
        (utf16(&format!("\u{feff}{text}")), 1),
        (utf16(&text), 1),
        (format!("{}{text}", "0123456789abcde\n".repeat(100_000)).into_bytes(), 100_001),
    ] {
        let mut tried = Try::git(&[("a", "a\n")]);
        let tool = tool(&tried);
        fs::write(tried.root().join("key"), bytes).unwrap();
        // A list does not help the commit that brings it, nor one that an agent makes later.
        let found = elophanto_base::secrets::scan(&text);
        tried.write(".elophanto/allow-secrets", &found[0].hash);
        let arguments = json!({ "message": "x", "paths": ["key", ".elophanto"] });
        tried.refused(&tool, arguments, &format!("key:{line} holds what looks like"));
        tried.good(&tool, json!({ "message": "x", "paths": [".elophanto"] }));
        let arguments = json!({ "message": "x", "paths": ["key"] });
        tried.refused(&tool, arguments, &format!("key:{line} holds what looks like"));
    }
}
