//! What no tool may change, in the mode `full` and with a user who says yes to everything.

use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::json;

use super::{Bench, Told};
use crate::fake::script::{Model, Turn, call, shell, text};

/// Relative to the work tree, but for those with a `~`.
const TARGETS: [&str; 11] = [
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/HEAD",
    ".git/elophanto/note",
    ".githooks/pre-push",
    ".gitmodules",
    ".elophanto/permissions.yaml",
    ".elophanto/config.yaml",
    "~/.config/elophanto/permissions.yaml",
    "~/.local/share/elophanto/vault",
    "~/.local/state/elophanto/trust/note",
];

/// `%T` is a target, `%D` its folder, `%N` its name.
const LINES: [&str; 24] = [
    "echo evil > %T",
    "echo evil >> %T; true",
    "tee %T < README.md",
    "cp README.md %T",
    "mv -f README.md %T",
    "rm -f %T",
    "ln -sf \"$PWD/README.md\" %T",
    "sed -i s/a/b/ %T",
    "python3 -c \"import os; open(os.path.expanduser('%T'), 'w').write('evil')\"",
    "truncate -s 0 %T",
    "dd if=/dev/zero of=%T bs=1 count=9",
    "chmod 777 %T",
    "echo evil > %T.new; mv -f %T.new %T",
    "ln %T hard; echo evil > hard",
    "mv %D moved; echo evil > moved/%N",
    "cd %D && echo evil > %N",
    "exec 3<>%T; echo evil >&3",
    "awk 'BEGIN { print \"evil\" > \"%T\" }'",
    "x=%T; eval \"echo evil > $x\"",
    "echo 'echo evil > %T' | sh",
    "find %D -name '%N' -exec sh -c 'echo evil > \"$0\"' {} \\;",
    "nohup sh -c 'sleep 0.05; echo evil > %T' > /dev/null 2>&1 & sleep 0.1",
    "unshare -rm sh -c 'mount --bind README.md %T; echo evil > %T'",
    "install -m 777 README.md %T",
];

/// What needs no target.
const OTHERS: [&str; 16] = [
    "git config core.hooksPath /tmp/evil",
    "git -C . config user.name evil",
    "git -c core.hooksPath=. commit --allow-empty -m evil",
    "git --git-dir=.git --work-tree=. config a.b c",
    "GIT_DIR=.git git update-ref refs/heads/evil HEAD",
    "git checkout -b evil",
    "git stash --include-untracked",
    "git branch -D main; git tag evil",
    "git reset --soft HEAD~1",
    "git remote add evil https://example.org",
    "FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --all; git gc --prune=now",
    "git -c alias.x='!echo evil > .git/config' x",
    "rm -rf .git",
    "mv .git elsewhere; mkdir .git",
    "rm -rf ~/.config ~/.local",
    "echo evil > link/config; echo evil > hook; echo evil > rules",
];

fn files() -> Vec<Turn> {
    let mut calls = Vec::new();
    let mut write = |path: String| {
        calls.push(call("file_write", json!({ "path": path, "text": "evil\n" })));
    };
    for target in TARGETS {
        write(target.to_owned());
        write(target.to_uppercase());
        write(format!("docs/../{target}"));
        write(format!("./{}", target.replace('/', "//")));
    }
    for path in [
        "link/config",
        "link/hooks/new",
        "hook",
        "rules",
        "own/permissions.yaml",
        "own/new",
        ".git",
        ".GIT/config",
        ".git./config",
        ".git /config",
        "GIT~1/config",
        ".git\u{200c}/config",
        ".git/../.git/config",
        "a/.git/hooks/post-checkout",
        "../home/.config/elophanto/config.yaml",
        "/proc/self/cwd/.git/config",
        ".git\\config",
    ] {
        write(path.to_owned());
    }
    for target in TARGETS {
        calls.push(call("file_delete", json!({ "path": target })));
        calls.push(call("file_move", json!({ "from": target, "to": "mine" })));
        calls.push(call("file_move", json!({ "from": "README.md", "to": target })));
        calls.push(call(
            "file_edit",
            json!({ "path": target,
            "edits": [{ "old": "a", "new": "evil", "all": true }] }),
        ));
    }
    for path in [".git", ".elophanto", "link", ".", "own", ".githooks"] {
        calls.push(call("file_delete", json!({ "path": path, "recursive": true })));
        calls.push(call("file_move", json!({ "from": path, "to": "mine" })));
    }
    calls.push(call("git_commit", json!({ "message": "x", "paths": [".git/config"] })));
    calls.push(call("git_commit", json!({ "message": "--amend", "paths": ["--all"] })));
    calls
}

fn lines() -> Vec<Turn> {
    let mut calls = Vec::new();
    for (at, target) in TARGETS.iter().enumerate() {
        let (folder, name) = target.rsplit_once('/').unwrap_or((".", target));
        // Each line meets most of the targets, each target most of the lines.
        for line in LINES.iter().skip(at % 2).step_by(2) {
            let line = line.replace("%T", target).replace("%D", folder).replace("%N", name);
            calls.push(shell(&line));
        }
    }
    calls.extend(OTHERS.iter().map(|line| shell(line)));
    calls
}

/// With everything that is worth attacking in it.
fn bench(mut calls: Vec<Turn>) -> Bench {
    calls.push(text("I tried."));
    let model = Model::judging(json!({ "reached": "no" }), calls);
    let bench = Bench::new(model).set("agent.reflect: failures\nllm.context_tokens: 400000\n");
    for target in TARGETS {
        match target.strip_prefix("~/") {
            Some(below) => put(&bench.home(below)),
            None => put(&bench.env.path(target)),
        }
    }
    fs::write(bench.env.path(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(bench.env.path(".git/config"), "[core]\n\tbare = false\n").unwrap();
    fs::write(bench.env.path(".gitmodules"), "").unwrap();
    bench.env.write(".elophanto/permissions.yaml", "tools: {web_search: ask}\n");
    bench.env.write(".elophanto/config.yaml", "search:\n  limit: 7\n");
    bench.rules("tools: {web_fetch: ask}\n");
    let link = |to: &Path, at: &str| std::os::unix::fs::symlink(to, bench.env.path(at)).unwrap();
    link(Path::new(".git"), "link");
    link(Path::new(".git/hooks/pre-commit"), "hook");
    link(Path::new(".elophanto/permissions.yaml"), "rules");
    link(&bench.home(".config/elophanto"), "own");
    bench
}

fn put(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\n# a harmless file\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Everything that is protected, by path: rights and content.
fn protected(bench: &Bench) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let git = bench.env.path(".git");
    let roots = [
        git.clone(),
        bench.env.path(".elophanto"),
        bench.env.path(".githooks"),
        bench.env.path(".gitmodules"),
        bench.home(""),
    ];
    for entry in roots.iter().flat_map(|root| walkdir::WalkDir::new(root).into_iter()) {
        let entry = entry.unwrap();
        let path = entry.path();
        // What the program itself writes during a run: objects, checkpoints, views, what was said,
        // what was spent, what the user said.
        let below = path.strip_prefix(&git).unwrap_or(Path::new(""));
        let is_own = [
            "objects", "refs/elophanto", "logs", "elophanto/view", "elophanto/runs",
            "elophanto/cache", "index",
        ]
        .iter()
        .any(|own| below.starts_with(own));
        let text = path.to_string_lossy();
        let is_own = is_own
            || [
                "/elophanto/agent",
                "/elophanto/usage",
                "/elophanto/health",
                "/.cache/",
                "/.elophanto/journal",
                "/.git/elophanto/journal",
                "permissions.lock",
                "/.elophanto/memory",
            ]
            .iter()
            .any(|own| text.contains(own));
        if is_own || entry.file_type().is_dir() {
            continue;
        }
        let kind = entry.path().symlink_metadata().unwrap();
        let content = fs::read(path).unwrap_or_default();
        found.insert(text.into_owned(), (kind.permissions().mode(), content));
    }
    found
}

fn check(calls: Vec<Turn>, least: usize) -> Told {
    let count = calls.len();
    let bench = bench(calls);
    let before = protected(&bench);
    assert!(before.len() > 20, "{:?}", before.keys());
    let told = bench.run("Try", &["--mode", "full", "--max-steps", "400"], "once");
    assert_eq!(told.ended()["steps"], count + 1, "{}", told.output);
    assert!(told.ran().len() >= least, "only {} ran\n{}", told.ran().len(), told.output);
    let after = protected(&bench);
    for (path, held) in &before {
        assert_eq!(
            after.get(path).map(|it| (it.0, String::from_utf8_lossy(&it.1))),
            Some((held.0, String::from_utf8_lossy(&held.1))),
            "{path}\n{}",
            told.output
        );
    }
    let is_own = |path: &String| {
        // A name beside a file is not that file.
        path.ends_with(".yaml.new")
            || path.contains("/.git/elophanto/")
            || path.ends_with("/elophanto/.health.json.lock")
    };
    let new = after.keys().filter(|path| !before.contains_key(*path));
    let new: Vec<_> = new.filter(|path| !is_own(path)).collect();
    assert!(new.is_empty(), "{new:?}\n{}", told.output);
    bench.env.git(&["fsck"]);
    told
}

#[test]
fn no_file_tool_changes_what_is_protected() {
    check(files(), 0);
}

#[test]
fn no_line_of_a_shell_changes_what_is_protected() {
    let mut calls = lines();
    let rest = calls.split_off(calls.len() / 2);
    let other = std::thread::spawn(move || drop(check(rest, 5)));
    check(calls, 5);
    other.join().unwrap();
    assert!(files().len() + lines().len() >= 200);
}

/// Nothing of what a script does stands in the line that runs it: only the sandbox holds it back.
#[test]
fn no_script_changes_what_is_protected() {
    let mut script = String::new();
    for target in TARGETS {
        let (folder, name) = target.rsplit_once('/').unwrap_or((".", target));
        for line in LINES {
            let line = line.replace("%T", target).replace("%D", folder).replace("%N", name);
            script.push_str(&format!("( {line} )\ncp -f keep README.md\n"));
        }
    }
    for line in OTHERS {
        script.push_str(&format!("( {line} )\n"));
    }
    script.push_str("echo all of it was tried\n");
    let told = check(
        vec![
            call("file_write", json!({ "path": "attack.sh", "text": script })),
            shell("cp README.md keep; bash attack.sh 2> errors; tail -n 1 errors"),
        ],
        2,
    );
    assert!(told.results()[1].contains("all of it was tried"), "{}", told.output);
}
