//! A run at a terminal: approvals in between, Ctrl-C, text that would steer it.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Bench;
use crate::{
    fake::script::{Hold, Model, Turn, call, shell, text},
    pty::Pty,
};

/// Of a run of this program, in a terminal of the usual size.
fn start(bench: &Bench, args: &[&str]) -> Pty {
    Pty::start(bench.env.command(args).env("TERM", "xterm"), 80)
}

fn write(path: &str) -> Turn {
    call("file_write", json!({ "path": path, "text": "of the agent\n" }))
}

#[test]
fn approvals_are_given_in_between() {
    let bench = Bench::new(Model::script(vec![
        write("one.txt"),
        write("two.txt"),
        write("three.txt"),
        text("**One** is written."),
    ]));
    let mut pty = start(&bench, &["agent", "run", "Write files"]);
    pty.until("[N] no: ", 1);
    assert!(pty.said().contains("file_write (destructive) wants to run"), "{}", pty.said());
    assert!(pty.said().contains("+of the agent"), "{}", pty.said());
    pty.types("y\r");
    pty.until("[N] no: ", 2);
    // An empty line is no yes.
    pty.types("\r");
    pty.until("[N] no: ", 3);
    pty.types("use another name\r");
    let (code, said) = pty.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("One is written."), "{said}");
    assert!(said.contains("takes it back"), "{said}");
    assert!(bench.env.path("one.txt").exists());
    assert!(!bench.env.path("two.txt").exists() && !bench.env.path("three.txt").exists());
    assert!(bench.model.prompts().last().unwrap().contains("use another name"));
}

/// What is typed before a question is no answer to it, and all of what would run is shown.
#[test]
fn a_yes_comes_after_the_question() {
    let line = format!("echo begin\n{}touch two.txt", "# and so on\n".repeat(300));
    let hold = Hold::default();
    let bench = Bench::new(Model::script(vec![hold.turn(shell(&line)), text("Done.")]));
    let mut pty = start(&bench, &["agent", "run", "Wait"]);
    pty.until("Do it", 1);
    pty.types("y\ry\r");
    hold.release();
    pty.until("[N] no: ", 1);
    assert_eq!(pty.said().matches("# and so on").count(), 300, "{}", pty.said());
    assert!(pty.said().contains("| touch two.txt"), "{}", pty.said());
    std::thread::sleep(Duration::from_millis(500));
    assert!(!bench.env.path("two.txt").exists(), "{}", pty.said());
    pty.types("n\r");
    let (code, said) = pty.end();
    // What it claims to have done was not allowed.
    assert_eq!(code, Some(1), "{said}");
    assert!(!bench.env.path("two.txt").exists(), "{said}");
}

#[test]
fn ctrl_c_at_a_question_ends_the_run() {
    let bench = Bench::new(Model::script(vec![write("one.txt"), text("Done.")]));
    let mut pty = start(&bench, &["agent", "run", "Write"]);
    pty.until("[N] no: ", 1);
    pty.types("\u{3}");
    let (code, said) = pty.end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("cancelled: the user ended it"), "{said}");
    assert!(!bench.env.path("one.txt").exists());
}

#[test]
fn ctrl_c_during_a_command_ends_the_run() {
    let bench = Bench::new(Model::script(vec![shell("echo x > two.txt; sleep 60"), text("Done.")]));
    let mut pty = start(&bench, &["agent", "run", "Wait", "--mode", "full"]);
    let begun = Instant::now();
    while !bench.env.path("two.txt").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", pty.said());
        std::thread::sleep(Duration::from_millis(20));
    }
    pty.types("\u{3}");
    let (code, said) = pty.end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("cancelled: the user ended it"), "{said}");
    bench.env.ok(&["agent", "undo"]);
    assert!(!bench.env.path("two.txt").exists());
}

#[test]
fn nothing_steers_the_terminal() {
    let steer = "\u{1b}]0;evil\u{7}\u{1b}[8m\u{202e}";
    let bench = Bench::new(Model::judging(
        json!({ "title": steer }),
        vec![
            shell(&format!("echo '{steer}'")),
            Turn::Both(format!("I {steer}"), format!("t{steer}"), "{}".to_owned()),
            call("ask_user", json!({ "question": format!("Why {steer}?"), "options": [steer] })),
            text(&format!("Because\n\n{steer}\n\n`{steer}`")),
        ],
    ));
    let mut pty = start(&bench, &["agent", "run", "Steer"]);
    pty.until("no: ", 1);
    pty.types("y\r");
    // The sign of the prompt stands in what is shown, too.
    pty.until("  1. ", 1);
    pty.types("1\r");
    let (code, said) = pty.end();
    assert_eq!(code, Some(0), "{said}");
    for part in ["\u{1b}]0;", "\u{1b}[8m", "\u{202e}"] {
        assert!(!said.contains(part), "{part:?} in {said:?}");
    }
}
