//! What a clone brings along in its journal, its ignore files and its settings opens, shows and publishes
//! nothing that is the user's own.

use std::{fs, os::unix::fs::symlink, path::Path};

use serde_json::{Value, json};

use crate::env::TestEnv;

/// What no command may say, and nothing of ours may hold.
const SECRET: &str = "zanzibar";
const AT: &str = "2026-01-02T10:00:00Z";
const FILE: &str = ".elophanto/journal/2026-01/01m8pajaczfrwa7adqtmqhm0z0.jsonl";

/// A clone with these records, and files of the user's in and beside it.
fn victim(records: impl Fn(&str) -> Vec<Value>) -> TestEnv {
    let env = TestEnv::with(&[
        ("a.md", "# Build\n\nRun the build.\n"),
        ("src/a.rs", "//! The heron fishes.\npub fn fish() {}\n"),
        (".gitignore", "private/\n*.local.yml\nconfig/local.toml\n"),
    ]);
    let diary = env.outside().join("diary.txt");
    symlink("../diary.txt", env.path("link.txt")).unwrap();
    let lines: Vec<String> =
        places(&diary).iter().flat_map(|path| records(path)).map(|it| it.to_string()).collect();
    if !lines.is_empty() {
        env.write(FILE, lines.join("\n") + "\n");
    }
    env.git(&["add", "-A"]);
    env.git(&["commit", "--quiet", "-m", "everything"]);
    let said = format!("My diary is about {SECRET}, and the heron.\n");
    fs::write(diary, &said).unwrap();
    for path in OWN {
        env.write(path, &said);
    }
    env
}

/// Files of the user's in the clone; those that are neither hidden nor ignored hold keys.
const OWN: [&str; 8] = [
    "private/p.txt", "private/n.md", ".env", ".secret/s.md", "my.local.yml", "config/local.toml",
    "deploy/server.pem", "keyrings/s.txt",
];

fn places(diary: &Path) -> Vec<String> {
    let own = OWN.into_iter().chain([
        "../diary.txt", "link.txt", "src/../private/p.txt", "config//local.toml",
        "config/./local.toml",
    ]);
    own.map(str::to_owned).chain([diary.to_str().unwrap().to_owned()]).collect()
}

/// Whether a file below a folder holds the secret.
fn holds(folder: &Path) -> bool {
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path);
        }
        let bytes = fs::read(&path).unwrap_or_default();
        bytes.windows(SECRET.len()).any(|it| it == SECRET.as_bytes())
    })
}

/// Whatever is run says and keeps nothing of the user's.
#[track_caller]
fn check(env: &TestEnv) {
    let diary = env.outside().join("diary.txt");
    for args in [
        &["search", "how to build and install"][..],
        &["search", "diary", "--json"],
        &["search", "diary", "--mode", "keyword"],
        &["scan"],
        &["scan", "--list", "--json"],
        &["scan", "--investigate", "--all", "--json"],
        &["scan", "--indexed", "--json"],
        &["search", "diary"],
        &["search", "heron", "--full"],
        &["index"],
    ] {
        let output = env.run(args);
        let said = output.stdout() + &output.stderr();
        assert!(!said.contains(SECRET), "{args:?}\n{output}");
        assert!(!said.contains(diary.to_str().unwrap()), "{args:?}\n{output}");
        assert!(!said.contains("How this is told"), "{args:?}\n{output}");
        assert!(!holds(&env.path(".git/elophanto")), "{args:?}");
        assert!(!holds(&env.path(".elophanto")), "{args:?}");
    }
    // What is the clone's own is described all the same.
    let described = env.json(&["scan", "--indexed", "--json"]);
    assert!(described.iter().any(|line| line["file_path"] == "src/a.rs"), "{described:?}");
}

#[test]
fn a_summary_of_a_cloned_journal_opens_no_file_of_the_users() {
    let env = victim(|path| {
        vec![json!({
            "kind": "summary", "id": format!("s-{path}"), "at": AT, "doc_id": "x", "file_path": path,
            "file_type": "text_doc", "file_size": 1, "blob": "1406605981", "indexed_at": AT,
            "summary": "How this is told: how to build and install this", "model": "extractive",
            "prompt_version": 1, "original_size": 1,
        })]
    });
    check(&env);
}

#[test]
fn a_question_of_a_cloned_journal_opens_no_file_of_the_users() {
    let env = victim(|path| {
        let question = |gap: &str| {
            json!({
                "kind": "question", "id": format!("{gap}-{path}"), "at": AT, "gap": gap,
                "question": "How this is told?", "hypothesis": "", "evidence": { "file_path": path },
                "priority": "high", "autonomy": 3, "value": 1.0, "cost": 0, "state": "open",
            })
        };
        vec![question("unindexed"), question("stale"), question("unreadable")]
    });
    for path in places(&env.outside().join("diary.txt")) {
        let output = env.run(&["scan", "--investigate", &format!("unindexed-{path}")]);
        assert_ne!(output.code, Some(0), "{path}\n{output}");
    }
    check(&env);
}

#[test]
fn ignore_files_of_a_clone_bring_nothing_back() {
    let env = victim(|_| Vec::new());
    let back = "!private/\n!private/**\n!.secret/\n!.secret/**\n!.env\n!*.local.yml\n";
    for name in [".elophantoignore", ".ignore"] {
        env.write(name, back);
    }
    env.write(".elophanto/config.yaml", "knowledge.extensions: [md, yml]\n");
    check(&env);
}

#[test]
fn settings_of_a_clone_name_nothing_hidden_or_ignored() {
    let env = victim(|_| Vec::new());
    let settings = "knowledge.roots: [., .secret, private]\n\
                    scan.paths: [., .env, .secret, private, private/p.txt, my.local.yml]\n\
                    scan.patterns.documentation: ['*.md', '*.txt', .env]\n";
    env.write(".elophanto/config.yaml", settings);
    let output = env.run(&["search", "heron"]);
    for folder in [".secret", "private"] {
        let said = format!("`{folder}` is hidden, ignored or another repository, and passed over");
        assert!(output.stderr().contains(&said), "{output}");
    }
    check(&env);
    // The user's own settings may, and git carries none of what comes of it.
    env.remove(".elophanto/config.yaml");
    env.write_settings("scan.paths: [., private/p.txt]\n");
    env.ok(&["scan", "--investigate", "--all"]);
    let described = env.json(&["scan", "--indexed", "--json"]);
    assert!(described.iter().any(|line| line["file_path"] == "private/p.txt"), "{described:?}");
    assert!(!holds(&env.path(".elophanto")));
}

#[test]
fn settings_of_a_clone_name_no_other_repository() {
    let env = TestEnv::with(&[("a.md", "# Heron\n\nThe heron fishes.\n")]);
    env.write("sub/n.md", format!("# Heron\n\nThe heron is from {SECRET}.\n"));
    env.write("sub/b.toml", format!("# From {SECRET}.\nheron = 1\n"));
    env.git(&["init", "--quiet", "sub"]);
    let source = env.outside().join("kef.txt");
    fs::write(&source, "# KEF LS50\n\nThe KEF LS50 is a speaker from Maidstone.\n").unwrap();
    for write_root in ["sub", "sub/docs"] {
        let settings = format!(
            "knowledge: {{roots: [., sub], write_root: {write_root}}}\nscan.paths: [., sub]\n"
        );
        env.write(".elophanto/config.yaml", settings);
        for args in [
            &["search", "heron"][..],
            &["scan", "--investigate", "--all", "--json"],
            &["search", "heron"],
            &["learn", "KEF LS50", "--from", source.to_str().unwrap()],
        ] {
            let output = env.run(args);
            let said =
                format!("`{write_root}` is hidden, ignored or another repository, and passed");
            assert!(output.stderr().contains(&said), "{args:?}\n{output}");
            assert!(!(output.stdout() + &output.stderr()).contains(SECRET), "{args:?}\n{output}");
        }
        assert!(!holds(&env.path(".elophanto")) && !holds(&env.path(".git/elophanto")));
        assert!(!env.path(write_root).join("learned").exists());
        assert!(env.path("knowledge/learned/entities").exists());
    }
    // The user's own settings may.
    env.remove(".elophanto/config.yaml");
    env.write_settings("knowledge.roots: [., sub]\n");
    assert!(env.ok(&["search", "heron"]).stdout().contains(SECRET));
}

/// What the user keeps from git in every repository stays out, wherever a command is started.
#[test]
fn the_users_exclude_file_holds_in_every_folder() {
    let env = TestEnv::with(&[("docs/a.md", "# Heron\n\nThe heron fishes.\n")]);
    for path in ["private/n.md", "own/m.md", "docs/b.toml"] {
        env.write(path, format!("# Heron\n\nThe heron is from {SECRET}.\n"));
    }
    let folder = env.outside().join("home/.config/git");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("ignore"), "/private/\nown/m.md\ndocs/b.toml\n").unwrap();
    for folder in ["docs", "."] {
        for args in [&["search", "heron"][..], &["scan", "--investigate", "--all"], &["index"]] {
            let output = env.run_in(folder, args);
            assert!(!(output.stdout() + &output.stderr()).contains(SECRET), "{folder}\n{output}");
            assert!(!holds(&env.path(".elophanto")) && !holds(&env.path(".git/elophanto")));
        }
    }
}

#[test]
fn settings_of_a_clone_publish_nothing_and_write_where_nobody_obeys() {
    let env = TestEnv::with(&[("a.md", "# Build\n\nRun the build.\n")]);
    env.write(".elophanto/config.yaml", "learn.keep: git\n");
    let diary = env.outside().join("diary.txt");
    fs::write(&diary, format!("# KEF LS50\n\nThe KEF LS50 is a speaker from {SECRET}.\n")).unwrap();
    let output = env.run(&["learn", "KEF LS50", "--from", diary.to_str().unwrap()]);
    assert!(output.stderr().contains("not trusted, passed over: learn.keep"), "{output}");
    assert!(!env.path(".elophanto/sources").exists());
    for folder in [".claude/commands", ".vscode", "docs/.cursor/rules"] {
        env.write(".elophanto/config.yaml", format!("knowledge.write_root: {folder}\n"));
        let output = env.run(&["learn", "KEF LS50", "--from", diary.to_str().unwrap()]);
        assert_eq!(output.code, Some(2), "{output}");
        assert!(output.stderr().contains("not hidden"), "{output}");
        assert!(!env.path(folder).exists(), "{folder}");
    }
    let raised = "agent: {max_steps: 1000, tool_timeout: 1h, tool_memory: 1099511627776}\n\
                  enrich.searches_per_hour: 3600\n";
    env.write(".elophanto/config.yaml", raised);
    let output = env.run(&["search", "build"]);
    for key in
        ["agent.max_steps", "agent.tool_timeout", "agent.tool_memory", "enrich.searches_per_hour"]
    {
        assert!(output.stderr().contains(key), "{key}\n{output}");
    }
    fs::remove_dir_all(env.path(".elophanto/journal")).unwrap();
    env.write(".elophanto/config.yaml", "journal.share: true\n");
    env.write_settings("journal.share: false\n");
    env.write("src/a.rs", "//! The heron fishes.\npub fn fish() {}\n");
    env.ok(&["scan", "--investigate", "--all"]);
    assert!(!env.path(".elophanto/journal").exists());
    assert!(!env.json(&["scan", "--indexed", "--json"]).is_empty());
}

#[test]
fn what_a_clone_has_queued_is_not_searched_for() {
    let env = TestEnv::with(&[("a.md", "# Build\n\nRun the build.\n")]);
    let other = "01BX5ZZKBKACTAV9WEVGEMMVRZ";
    let records = [
        json!({
            "kind": "learn_prompt", "id": "01BX5ZZKBKACTAV9WEVGEMMVS0", "at": AT, "user": other,
            "prompt_text": SECRET, "status": "active", "searches_remaining": 1, "created_at": AT,
            "updated_at": AT,
        }),
        json!({
            "kind": "search", "id": "01BX5ZZKBKACTAV9WEVGEMMVS1", "at": AT, "user": other,
            "timestamp": AT, "query": "--config=/tmp/x", "queued": true, "trigger": "learn_command",
            "learn_prompt_id": "01BX5ZZKBKACTAV9WEVGEMMVS0",
        }),
        json!({
            "kind": "message", "id": "01BX5ZZKBKACTAV9WEVGEMMVS2", "at": AT, "user": other,
            "text": format!("The {SECRET} lamp is made of gold."),
        }),
    ];
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    env.write(FILE, lines.join("\n") + "\n");
    let asked = env.outside().join("asked");
    let program = env.outside().join("program.sh");
    fs::write(&program, format!("#!/bin/sh\necho \"$@\" >> {}\n", asked.display())).unwrap();
    let command = format!("sh {}", program.display());
    env.write_settings(&format!(
        "learn: {{sources: [command], command: '{command}'}}\n\
         llm.providers.ollama.base_url: http://127.0.0.1:2\n"
    ));
    env.run(&["enrich", "--once"]);
    assert!(!asked.exists(), "{}", fs::read_to_string(&asked).unwrap_or_default());
    assert!(!env.path("knowledge/learned").exists());
    // The user's own is.
    env.ok(&["learn", "Otters", "--background"]);
    env.run(&["enrich", "--once"]);
    assert!(fs::read_to_string(&asked).unwrap().to_lowercase().contains("otters"));
}
