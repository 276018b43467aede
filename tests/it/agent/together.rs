//! Many processes that remember at once, and processes that are killed while they do.

use std::{collections::BTreeMap, process::Stdio, thread, time::Duration};

use super::Desk;
use crate::env::{Output, TestEnv};

/// How many times each lesson was written; a line that is no record fails the test.
fn written(desk: &Desk) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for record in desk.records() {
        *counts.entry(record["lesson"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn sixteen_processes_at_once() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let (writers, each) = (16, 10);
    thread::scope(|scope| {
        for writer in 0..writers {
            let desk = &desk;
            scope.spawn(move || {
                for number in 0..each {
                    desk.remember("many at once", &format!("lesson {writer}/{number}"), &[]);
                    // In the middle of it, others commit, recall and forget.
                    if writer == 0 && number == 7 {
                        desk.ok(&["index", "--commit"]);
                    }
                    if writer == 1 && number == 9 {
                        let mine = format!("lesson {writer}/{number}");
                        assert!(desk.list(&[]).contains(&mine));
                    }
                }
            });
        }
    });
    let counts = written(&desk);
    assert_eq!((counts.len(), counts.values().sum::<usize>()), (writers * each, writers * each));
    assert_eq!(desk.list(&[]).len(), writers * each);
    let lines = desk.json(&["agent", "recall", "lesson 15/8", "-n", "1"]);
    assert_eq!(lines[0]["lesson"], "lesson 15/8");
    let changed = desk.git(&["diff", "HEAD", "--stat"]);
    assert_eq!(changed, "", "no committed file was written again");
}

#[test]
fn processes_that_are_killed() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let (mut acknowledged, mut killed) = (Vec::new(), 0);
    for round in 0_u64..60 {
        let lesson = format!("killed in round {round} {}", "with a long tail ".repeat(50));
        let mut command = desk.command(&["agent", "remember", "--type", "error", "--json"]);
        command.args(["--context", "killed", "--lesson", &lesson]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        // A fixed sequence of waits over all that a process does.
        thread::sleep(Duration::from_micros(round * 7919 % 60_000));
        child.kill().unwrap();
        let output = Output::from(child.wait_with_output().unwrap());
        killed += usize::from(output.code.is_none());
        if output.stdout.ends_with(b"\n") {
            acknowledged.push(lesson.trim().to_owned());
        }
    }
    assert!(killed > 0, "some of them were killed");
    desk.remember("after", "written after all of them", &[]);
    let lessons = desk.list(&[]);
    for lesson in &acknowledged {
        assert_eq!(lessons.iter().filter(|it| *it == lesson).count(), 1, "{lesson}");
    }
    assert_eq!(lessons[0], "written after all of them");
    // Nothing but whole records and at most torn tails.
    let listed = desk.run(&["agent", "memory", "list", "-n", "1"]);
    assert_eq!(listed.code, Some(0), "{listed}");
}
