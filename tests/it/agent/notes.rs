//! `agent note`: where a note goes, what it begins with, what is refused.

use std::{collections::BTreeSet, fs, os::unix::fs::symlink};

use super::{Desk, told};
use crate::env::{Output, TestEnv};

#[test]
fn the_four_kinds() {
    let env = TestEnv::new();
    let note =
        |args: &[&str]| env.ok(&[&["agent", "note"], args].concat()).stdout().trim().to_owned();
    let failure = note(&[
        "failure",
        "Deploy failed twice",
        "--tags",
        "deploy,Fly IO",
        "--section",
        "what happened=The health check timed out",
        "--section",
        "Root cause=A migration held a lock",
        "--section",
        "Root cause=## It is not a heading\n\n- a list",
    ]);
    told!(format!("{failure}\n{}", String::from_utf8(env.read(&failure)).unwrap()), @r#"
    knowledge/learned/failures/[DAY]-deploy-failed-twice.md
    ---
    title: "Deploy failed twice"
    created: [TIME]
    updated: [TIME]
    tags: ["deploy", "Fly IO"]
    scope: learned
    ---

    # Failure: Deploy failed twice

    ## What happened

    The health check timed out

    ## Root cause

    A migration held a lock

    ### It is not a heading

    - a list

    ## Lesson learned

    ## Attempts
    "#);
    let headings = |path: &str| {
        let text = String::from_utf8(env.read(path)).unwrap();
        text.lines().filter(|line| line.starts_with('#')).collect::<Vec<_>>().join(" / ")
    };
    let shown: Vec<String> = ["task", "pattern", "service"]
        .iter()
        .map(|kind| {
            let path = note(&[kind, "Payments"]);
            format!("{path}\n    {}", headings(&path))
        })
        .collect();
    told!(shown.join("\n"), @"
    knowledge/learned/tasks/[DAY]-payments.md
        # Task: Payments / ## What was asked / ## What I did / ## Outcome / ## Notes
    knowledge/learned/patterns/payments.md
        # Pattern: Payments / ## When it applies / ## What to do / ## Why it works / ## Seen in
    knowledge/learned/services/payments.md
        # Service: Payments / ## What it is / ## How to reach it / ## How it fails / ## Notes
    ");
    assert_eq!(env.hits(&["migration held a lock", "-n", "1"]), [failure]);
    let piped =
        env.run_with(&["agent", "note", "task", "Piped in", "-"], b"Some *text* about numbats.\n");
    assert_eq!(piped.code, Some(0), "{piped}");
    assert_eq!(env.hits(&["numbats", "-n", "1"]), [piped.stdout().trim()]);
    told!(env.run(&["agent", "note", "task", "T", "--section", "Root cause=x"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: a task has no heading `Root cause`
    hint: it has: What was asked, What I did, Outcome, Notes
    ");
}

#[test]
fn eight_notes_of_one_title_at_once() {
    let env = TestEnv::new();
    for round in 0..3 {
        let title = format!("Same title {round}");
        let started: Vec<_> = (0..8)
            .map(|number| {
                let section = format!("Outcome=outcome {number} of {round}");
                env.spawn(&["agent", "note", "task", &title, "--section", &section])
            })
            .collect();
        for child in started {
            let output = Output::from(child.wait_with_output().unwrap());
            assert_eq!(output.code, Some(0), "{output}");
        }
    }
    let texts: Vec<String> =
        env.files().into_iter().map(|(_, text)| String::from_utf8(text).unwrap()).collect();
    let outcomes: BTreeSet<&str> = texts
        .iter()
        .flat_map(|text| text.lines().filter(|line| line.starts_with("outcome ")))
        .collect();
    assert_eq!((texts.len(), outcomes.len()), (24, 24), "each process wrote a note of its own");
}

#[test]
fn titles_and_texts_of_a_stranger() {
    let env = TestEnv::new();
    for title in [
        "../../../etc/passwd",
        "-rf",
        "con",
        "a\nscope: user\n---\nb",
        "\u{1b}[2J\u{202e}title",
        "日本",
        &"long ".repeat(200),
        ".git/hooks/pre-commit",
        "\"quoted\": [yaml",
    ] {
        env.ok(&["agent", "note", "pattern", "--section", "Seen in=x", "--", title]);
    }
    let files = env.files();
    assert_eq!(files.len(), 9);
    for (path, text) in &files {
        assert!(path.starts_with("knowledge/learned/patterns"), "{}", path.display());
        assert!(path.as_os_str().len() < 200, "{}", path.display());
        let text = std::str::from_utf8(text).unwrap();
        let scopes = text.lines().filter(|line| line.starts_with("scope:")).collect::<Vec<_>>();
        assert_eq!(scopes, ["scope: learned"], "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
    assert!(!env.outside().join("etc").exists());
    let refused = |args: &[&str], text: &[u8]| {
        let output = env.run_with(&[&["agent", "note"], args].concat(), text);
        assert_eq!(output.code, Some(2), "{args:?}\n{output}");
        output
    };
    refused(&["task", " \n "], b"");
    refused(&["poem", "Title"], b"");
    refused(&["task", "Title", "-"], &[b'x'; 256 * 1024 + 1]);
    refused(&["task", "Title", "-"], &vec![b'x'; 4 << 20]);
    told!(refused(&["task", "Title", "-"], b"the key is AKIAQ3EGRIWJ7RB5ZTXN, see\n"), @"
    exit: 2
    --- stdout
    --- stderr
    error: line 11 looks like a secret (AWS access key id)
    hint: leave it out; say where it is kept instead
    ");
    told!(refused(&["task", "Title", "-"], b"---\nscope: user\n---\nmine\n"), @"
    exit: 2
    --- stdout
    --- stderr
    error: front matter in the text: the scope is `user`, and what tools write is `learned`
    hint: leave the block between the `---` lines out; title and tags are given apart
    ");
    assert_eq!(env.files().len(), 9, "nothing was written");
}

#[test]
fn a_link_does_not_lead_a_note_out() {
    let env = TestEnv::new();
    let outside = env.outside().join("elsewhere");
    fs::create_dir(&outside).unwrap();
    fs::create_dir(env.path("knowledge")).unwrap();
    symlink(&outside, env.path("knowledge/learned")).unwrap();
    let desk = Desk::of(&env);
    let output = desk.run(&["agent", "note", "task", "Title"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    // Nor does a setting of the repository.
    env.remove("knowledge");
    for folder in ["../elsewhere", "/tmp", ".git"] {
        env.write(".elophanto/config.yaml", format!("knowledge.write_root: {folder}\n"));
        let output = desk.run(&["agent", "note", "task", "Title"]);
        assert_eq!(output.code, Some(2), "{folder}\n{output}");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    assert!(!env.path(".git/learned").exists());
}
