//! What other programs go by, outside of any sandbox: written after a question only, and said
//! where a command wrote it. And what of git no command reads.

use std::fs;

use serde_json::json;

use super::{Bench, drive, planted};
use crate::fake::script::{Model, Turn, call, shell, text};

const FILES: [&str; 16] = [
    ".vscode/tasks.json",
    ".idea/runConfigurations/a.xml",
    ".envrc",
    ".mcp.json",
    ".claude/settings.json",
    ".cursor/mcp.json",
    "lefthook.yml",
    ".pre-commit-config.yaml",
    ".cargo/config.toml",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "Jenkinsfile",
    ".elophanto/allow-secrets",
    ".elophanto/skills/a/SKILL.md",
    "sub/.envrc",
];

fn bench(turns: Vec<Turn>) -> Bench {
    let turns = turns.into_iter().chain([text("Done.")]).collect();
    let bench = Bench::new(Model::script(turns)).set("llm.context_tokens: 400000\n");
    bench.rules("paths:\n  - { write: \"**\", decision: allow }\n");
    bench
}

/// By name, in every way in which a call says what it writes.
fn calls() -> Vec<Turn> {
    let mut calls = Vec::new();
    for path in FILES {
        calls.push(call("file_write", json!({ "path": path, "text": "evil\n" })));
        calls.push(shell(&format!("echo evil > {path}")));
        calls.push(shell(&format!("cp README.md ./{path}")));
    }
    calls.push(call("file_move", json!({ "from": "README.md", "to": ".vscode/tasks.json" })));
    calls.push(shell("mkdir -p .vscode && mv README.md .vscode/tasks.json"));
    calls
}

#[test]
fn they_are_asked_about_in_every_mode_and_refused_where_nobody_is() {
    // What may hold keys as well is not written at all.
    let count = calls().len() - 3 * FILES.iter().filter(|path| path.ends_with(".envrc")).count();
    for (mode, answer) in [("full", Some("no")), ("full", None), ("smart", Some("no"))] {
        let bench = bench(calls());
        let more = ["--mode", mode, "--max-steps", "400"];
        let told = bench.run_with("Go", &more, |_| answer.map(str::to_owned));
        assert_eq!(told.ran(), [""; 0], "{mode} {}", told.output);
        if answer.is_some() {
            assert_eq!(told.asked().len(), count, "{mode} {}", told.output);
            for asked in told.all("approval_request") {
                let reasons = asked["reasons"].to_string();
                assert!(reasons.contains("outside of the sandbox"), "{mode} {asked}");
                assert_eq!(asked["can_be_kept"], false, "{mode} {asked}");
            }
        }
        for path in FILES {
            assert!(!bench.env.path(path).exists(), "{mode} {path}");
        }
    }
}

#[test]
fn a_command_that_changed_one_says_so() {
    let lines = FILES.map(|path| format!("mkdir -p $(dirname {path}); echo evil > {path}\n"));
    let bench = bench(vec![
        call("file_write", json!({ "path": "tests.sh", "text": lines.concat() })),
        shell("sh tests.sh"),
        shell("echo fine > a.txt"),
    ]);
    let told = bench.run("Go", &["--mode", "full"], "once");
    told.done();
    let result = told.results()[1];
    for path in FILES {
        let said = format!("`{path}` was changed, and ");
        assert!(
            told.all("warning")
                .iter()
                .any(|it| { it["message"].as_str().unwrap().starts_with(&said) }),
            "{path} {}",
            told.output
        );
        assert!(result.contains(&said), "{path} {}", told.output);
        assert!(told.ended()["warnings"].to_string().contains(&said), "{path}");
    }
    assert_eq!(told.all("warning").len(), FILES.len(), "{}", told.output);
    bench.env.ok(&["agent", "undo"]);
    assert!(!bench.env.path(".envrc").exists());
}

const TOKEN: &str = "tokenOfTheUserThatNobodyElseHas";

/// Credentials wherever git keeps settings; `~` is the token.
fn with_credentials(bench: &Bench) {
    let env = &bench.env;
    let set = |key: &str, value: &str| {
        env.git(&["config", "--add", key, &value.replace('~', TOKEN)]);
    };
    set("remote.origin.url", "https://ada:~@example.org/a.git");
    set("remote.origin.pushurl", "https://~@example.org/a.git");
    set("http.https://example.org/.extraheader", "Authorization: basic ~");
    set("credential.helper", "!f() { echo password=~; }; f");
    set("url.https://x:~@example.org/.insteadOf", "example:");
    set("alias.hello", "log -1 --format=hello-%s");
    let config = fs::read_to_string(env.path(".git/config")).unwrap();
    fs::write(
        env.path(".git/config"),
        format!("{config}# {TOKEN} https://u:{TOKEN}@example.org\n"),
    )
    .unwrap();
    fs::copy(env.path(".git/config"), env.path(".git/config.old")).unwrap();
    fs::create_dir_all(env.path(".git/modules/a/b")).unwrap();
    fs::copy(env.path(".git/config"), env.path(".git/modules/a/b/config")).unwrap();
    env.git(&["init", "--quiet", "inner"]);
    fs::copy(env.path(".git/config"), env.path("inner/.git/config")).unwrap();
    fs::create_dir_all(env.path(".git/elophanto/view")).unwrap();
    fs::write(env.path(".git/elophanto/view/text"), TOKEN).unwrap();
}

#[test]
fn credentials_and_what_elophanto_keeps_are_not_read() {
    for is_narrow in [false, true] {
        if is_narrow && !planted::can_be_narrow() {
            continue;
        }
        let bench = bench(vec![
            shell("grep -ra tokenOf . ; cat .git/config; git config --list; git remote -v; true"),
            // What only reads runs with nothing to write.
            shell("cat .git/config inner/.git/config .git/modules/a/b/config .git/config.old"),
            shell("ls -a .git/elophanto; find .git/elophanto -type f | xargs cat; true"),
            shell("git -C inner config --list; git -C inner status --short; true"),
            shell("git status --short && git log --format=%s && git diff --stat && git hello"),
        ]);
        with_credentials(&bench);
        let config = bench.env.read(".git/config");
        let command = bench.command("Go", &["--mode", "full"]);
        let mut command = if is_narrow { planted::narrowly(&command) } else { command };
        let told = drive(&mut command, |_| Some("once".to_owned()));
        assert_eq!(told.ran().len(), 5, "{is_narrow} {}", told.output);
        let said = format!("{} {:?}", told.output.stdout(), bench.model.prompts());
        assert!(!said.contains(TOKEN), "{is_narrow} {}", told.output);
        if !is_narrow {
            assert!(told.results()[0].contains("https://example.org/a.git"), "{}", told.output);
            assert!(told.results()[4].contains("hello-First"), "{}", told.output);
            assert!(told.results()[4].starts_with("exit code 0"), "{}", told.output);
        }
        assert_eq!(bench.env.read(".git/config"), config);
        assert!(told.results()[2].contains("Permission denied"), "{is_narrow} {}", told.output);
    }
}

/// The usual case: nothing to hide, so git is as it is in both strengths.
#[test]
fn git_works_as_before() {
    for is_narrow in [false, true] {
        if is_narrow && !planted::can_be_narrow() {
            continue;
        }
        let bench = bench(vec![
            shell(
                "echo more >> README.md && git status --short && git diff --stat && git log --format=%s",
            ),
            call("git_commit", json!({ "message": "More", "paths": ["README.md"] })),
            shell("git show --stat --format=%s HEAD"),
        ]);
        bench.env.git(&["remote", "add", "origin", "git@example.org:a/b.git"]);
        let command = bench.command("Go", &["--mode", "full"]);
        let mut command = if is_narrow { planted::narrowly(&command) } else { command };
        let told = drive(&mut command, |_| Some("once".to_owned()));
        told.done();
        assert!(told.results()[0].contains(" M README.md"), "{is_narrow} {}", told.output);
        assert!(told.results()[2].contains("More\n"), "{is_narrow} {}", told.output);
    }
}

/// A link with such a name says what lies behind it.
#[test]
fn a_link_to_what_others_execute_is_said() {
    let bench = bench(vec![
        shell("mkdir cfg && echo evil > cfg/tasks.json && ln -s cfg .vscode"),
        shell("ls .vscode"),
    ]);
    let told = bench.run("Go", &["--mode", "full"], "once");
    told.done();
    assert!(told.results()[0].contains("`.vscode` was changed, and "), "{}", told.output);
}
