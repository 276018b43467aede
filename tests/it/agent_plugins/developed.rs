//! A goal that needs a tool which is not there.

use std::fs;

use serde_json::{Value, json};

use super::{
    answered, begun, called,
    model::{APPROVED, Step, code, scripted},
    of_type, text,
};
use crate::env::{Output, TestEnv};

const BRANCH: &str = "elophanto/develop/shout";
const RUN: [&str; 6] = ["agent", "run", "say otter in capitals", "--json", "--mode", "smart"];

fn steps() -> Vec<Step> {
    vec![
        Step::Call("shout", json!({ "word": "otter" })),
        Step::Call("self_develop", json!({ "goal": "Put a word into capitals", "name": "shout" })),
        Step::Call("shout", json!({ "word": "otter" })),
        Step::Say("It is OTTER."),
    ]
}

/// Runs it: calls are approved, questions answered so.
fn run(env: &TestEnv, answer: &str) -> Output {
    let line = |id| json!({ "id": id, "answer": "once", "text": answer }).to_string() + "\n";
    answered(&mut env.command(&RUN), (1..60).map(line).collect())
}

/// A change that is staged, and one that is not.
fn at_work(env: &TestEnv) {
    env.write("staged.txt", "mine\n");
    env.git(&["add", "staged.txt"]);
    env.write("notes.md", "# Mine\n");
}

/// HEAD, index and files of the user are as they were.
#[track_caller]
fn check_undisturbed(env: &TestEnv) {
    assert_eq!(env.git(&["symbolic-ref", "HEAD"]), "refs/heads/main\n");
    assert_eq!(env.git(&["log", "--format=%s"]), "start\n");
    assert_eq!(env.git(&["diff", "--cached", "--name-status"]), "A\tstaged.txt\n");
    assert_eq!(text(env, "notes.md"), "# Mine\n");
}

#[test]
fn is_made_agreed_to_and_used_in_the_same_run() {
    let env = begun();
    at_work(&env);
    let failing = code(&[("test_plugin.sh", "#!/bin/sh\necho capitals are missing\nexit 1\n")]);
    let fake = scripted(&env, steps(), vec![failing, code(&[])], vec![APPROVED]);
    let output = run(&env, "deploy");
    assert_eq!(output.code, Some(0), "{output}");
    let lines = output.json();
    // It was not there, was made, and then was.
    assert!(of_type(&lines, "unmade")[0]["reason"].as_str().unwrap().contains("no tool `shout`"));
    let made = called(&lines, "self_develop");
    assert!(made["text"].as_str().unwrap().contains("is deployed and can be called now"), "{made}");
    assert_eq!(called(&lines, "shout")["text"], "OTTER");
    let progress: Vec<&str> =
        of_type(&lines, "progress").iter().map(|line| line["text"].as_str().unwrap()).collect();
    for part in [
        "shout: design done",
        "shout: test failed, attempt 1: the tests ended with exit code 1",
        "shout: test done, attempt 2",
        "shout: review done, attempt 2: README.md: is short",
        "shout: deploy done",
        "shout: document done",
    ] {
        assert!(progress.iter().any(|line| line.starts_with(part)), "{part}: {progress:#?}");
    }
    // The user was asked, and saw what they agreed to.
    let questions = of_type(&lines, "question");
    let question = questions[0]["question"].as_str().unwrap();
    let trust = fs::read_to_string(env.outside().join("home/.config/elophanto/trust")).unwrap();
    let hash = trust.split(' ').next().unwrap();
    for part in
        ["Deploy the plugin `shout`", hash, "plugin.sh (", "  | 1 passed", "README.md: is short"]
    {
        assert!(question.contains(part), "{part}: {question}");
    }
    let asked = of_type(&lines, "approval_request");
    assert!(asked.iter().any(|one| one["tool"] == "self_develop" && one["level"] == "critical"));
    // Another model reviewed.
    let of = |system: &str| -> Vec<Value> {
        let seen = fake.requests().into_iter();
        seen.filter(|it| {
            it.body["messages"][0]["content"].as_str().is_some_and(|t| t.starts_with(system))
        })
        .map(|it| it.body["model"].clone())
        .collect()
    };
    assert_eq!(of("You write a small plugin"), ["worker", "worker"]);
    assert_eq!(of("You review a plugin"), ["reviewer"]);
    // After it was made, it was offered.
    let last = fake.requests().into_iter().rfind(|it| it.body["tools"].is_array()).unwrap();
    assert!(last.body["tools"].to_string().contains("\"shout\""));
    // Everything is documented, on a branch of its own.
    for (path, part) in [
        ("plugins/manifest.json", hash),
        ("knowledge/plugins/shout.md", "scope: plugin"),
        ("knowledge/system/capabilities.md", "| `shout` |"),
        ("knowledge/system/designs/plugin-shout.md", "says it in capitals"),
    ] {
        assert!(text(&env, path).contains(part), "{path}");
        env.git(&["cat-file", "-e", &format!("{BRANCH}:{path}")]);
    }
    let entries = env.git(&["ls-tree", "-r", "--name-only", BRANCH, "knowledge/system/changelog/"]);
    assert_eq!(entries.lines().count(), 1, "{entries}");
    assert!(text(&env, entries.trim()).contains("New plugin shout"), "{entries}");
    assert_eq!(
        env.git(&["log", "--format=%s", BRANCH]),
        "plugins/shout: deployed\nplugins/shout: attempt 2\nplugins/shout: attempt 1\n\
         plugins/shout: design\nstart\n"
    );
    assert!(env.git(&["ls-tree", BRANCH, "plugins/shout/plugin.sh"]).starts_with("100755"));
    assert!(!env.git(&["ls-tree", "-r", "--name-only", BRANCH]).contains("staged.txt"));
    check_undisturbed(&env);
    // The summary is kept, and the trail says how it came to be.
    let tasks: Vec<_> = fs::read_dir(env.path("knowledge/learned/tasks")).unwrap().collect();
    assert_eq!(tasks.len(), 1);
    let summary = fs::read_to_string(tasks[0].as_ref().unwrap().path()).unwrap();
    for part in ["self_develop", "shout", "plugins/shout/plugin.sh"] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    let run = of_type(&lines, "begun")[0]["run"].as_str().unwrap().to_owned();
    let trail = walkdir::WalkDir::new(env.outside().join("home/.local/state/elophanto/agent/runs"))
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| fs::read_to_string(entry.path()).unwrap())
        .collect::<String>();
    assert!(trail.contains(r#""type":"progress""#) && trail.contains("shout: review done"));
    // The next run has it from the start; an undo of the run takes all of it back but the branch.
    assert!(env.ok(&["agent", "tools"]).stdout().contains("shout "));
    env.ok(&["agent", "undo", &run]);
    assert!(!env.path("plugins").exists() && !env.path("knowledge/plugins").exists());
    assert_eq!(text(&env, "knowledge/system/capabilities.md"), "# Capabilities\n\nMine.\n");
    check_undisturbed(&env);
    assert!(!env.ok(&["agent", "tools"]).stdout().contains("shout "));
}

#[test]
fn nothing_is_deployed_without_a_yes() {
    let env = begun();
    at_work(&env);
    let _fake = scripted(&env, steps(), vec![code(&[])], vec![APPROVED]);
    let lines = run(&env, "leave it").json();
    let made = called(&lines, "self_develop");
    assert!(
        made["text"].as_str().unwrap().contains("Not deployed: the user did not agree"),
        "{made}"
    );
    check_no_tool(&env, &lines);
}

#[test]
fn nothing_is_deployed_that_fails_or_is_refused() {
    let no = r#"{"approved": false, "findings": ["plugin.sh: opens a shell"]}"#;
    let failing = code(&[("test_plugin.sh", "#!/bin/sh\necho capitals are missing\nexit 1\n")]);
    for (codes, review, expected) in [
        (failing, APPROVED, "capitals are missing"),
        (code(&[]), no, "plugin.sh: opens a shell"),
        ("I would write a shell script.".to_owned(), APPROVED, "could not be used"),
    ] {
        let env = begun();
        at_work(&env);
        let _fake = scripted(&env, steps(), vec![codes], vec![review]);
        let lines = run(&env, "go on without it").json();
        let made = called(&lines, "self_develop");
        let said = made["text"].as_str().unwrap();
        assert!(said.contains("3 attempts failed") && said.contains(expected), "{said}");
        let notes = env.path("knowledge/learned/failures");
        let notes: Vec<_> = fs::read_dir(notes).unwrap().flatten().collect();
        let note = fs::read_to_string(notes[0].path()).unwrap();
        assert!(note.contains("## Attempts") && note.contains(expected), "{note}");
        check_no_tool(&env, &lines);
    }
}

#[track_caller]
fn check_no_tool(env: &TestEnv, lines: &[Value]) {
    assert!(of_type(lines, "called").iter().all(|line| line["tool"] != "shout"), "{lines:#?}");
    assert!(!env.path("plugins/manifest.json").exists());
    assert!(!env.outside().join("home/.config/elophanto/trust").exists());
    assert!(!env.ok(&["agent", "tools"]).stdout().contains("shout "));
    check_undisturbed(env);
}

#[test]
fn a_branch_that_is_checked_out_is_left_alone() {
    let env = begun();
    env.git(&["checkout", "--quiet", "-b", BRANCH]);
    let fake = scripted(&env, steps(), vec![code(&[])], vec![APPROVED]);
    let lines = run(&env, "deploy").json();
    let made = called(&lines, "self_develop");
    assert!(made["text"].as_str().unwrap().contains("is checked out in"), "{made}");
    assert!(!env.path("plugins").exists());
    assert_eq!(env.git(&["log", "--format=%s", BRANCH]), "start\n");
    drop(fake);
}

#[test]
fn contents_are_committed_as_they_are() {
    // Settings of the repository that would change contents, or run a program.
    let env = begun();
    env.write(".gitattributes", "* text eol=crlf filter=evil\n");
    env.commit("start");
    env.git(&["config", "filter.evil.clean", "touch evil; cat"]);
    env.git(&["config", "core.autocrlf", "true"]);
    env.git(&["config", "commit.gpgSign", "true"]);
    let _fake = scripted(&env, steps(), vec![code(&[])], vec![APPROVED]);
    let output = run(&env, "deploy");
    assert_eq!(called(&output.json(), "shout")["text"], "OTTER", "{output}");
    let kept = env.git(&["cat-file", "blob", &format!("{BRANCH}:plugins/shout/plugin.sh")]);
    assert_eq!(kept, super::PROGRAM);
    assert!(!env.path("evil").exists());
}
