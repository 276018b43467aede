//! A terminal that talks through the gateway: what happens elsewhere while it waits, what is typed ahead,
//! and sleep, signals and kills while something waits for an answer.

use std::time::Duration;

use serde_json::json;

use super::{
    Gate, bench, in_system,
    runs::{obedient, once, times},
    until,
};
use crate::{
    env::TestEnv,
    fake::script::{Hold, Model, shell, text},
    pty::Pty,
};

fn start(env: &TestEnv) -> Pty {
    let mut command = env.command(&["agent", "chat"]);
    let pty = Pty::start(in_system(&mut command).env("TERM", "xterm"), 100);
    pty.until("through the gateway, process", 1);
    pty
}

fn quit(mut pty: Pty) -> String {
    pty.types("/quit\r");
    let (code, said) = pty.end();
    assert_eq!(code, Some(0), "{said}");
    said
}

/// What others do is shown at once, and what was typed so far stays.
#[test]
fn what_happens_elsewhere() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut pty = start(&env);
    pty.types("/stat");
    pty.until("/stat", 1);
    let mut talk = gate.greet();
    talk.say("chat", json!({ "content": "task a" }));
    pty.until("a run begins: task a", 1);
    pty.until("waits for an answer: shell_execute: in ", 1);
    let asked = talk.until("approval_request")["data"].take();
    talk.say("approval_response", once(&asked));
    for line in ["answered by cli: once", "Done with a.", "the run has ended, done: "] {
        pty.until(line, 1);
    }
    // Nothing is asked any more, and the line goes on where it was.
    pty.types("us\r");
    pty.until("no run goes on; 0 messages", 1);
    assert!(!pty.said().contains("wants to run:"), "{}", pty.said());
    // What still waits is asked by Enter.
    talk.say("chat", json!({ "content": "task b" }));
    pty.until("waits for an answer: shell_execute: in ", 2);
    pty.types("\r");
    pty.until("wants to run:", 1);
    pty.types("y\r");
    pty.until("run 01", 1);
    assert_eq!((times(&env, "a"), times(&env, "b")), (1, 1));
    quit(pty);
    drop(gate);
}

/// What is typed before a question is no answer to it, and is not lost.
#[test]
fn lines_that_are_typed_ahead() {
    let hold = Hold::default();
    let model = Model::script(vec![hold.turn(shell("touch made.txt")), text("Made.")]);
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut pty = start(&env);
    pty.types("Make a file\r");
    until("it is asked", || !model.asked().is_empty());
    pty.types("/status\r");
    pty.types("/bud");
    hold.release();
    pty.until("wants to run:", 1);
    std::thread::sleep(Duration::from_millis(300));
    assert!(!env.path("made.txt").exists());
    pty.types("y\r");
    pty.until("run 01", 1);
    pty.until("no run goes on; 0 messages", 1);
    pty.types("get\r");
    pty.until("limits:", 1);
    quit(pty);
    drop(gate);
}

/// The lid is closed while an approval waits, and opened again: it is answered, and done once.
#[test]
fn asleep_while_an_approval_waits() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut pty = start(&env);
    pty.types("task a\r");
    pty.until("wants to run:", 1);
    gate.signal(libc::SIGSTOP);
    pty.signal(libc::SIGSTOP);
    // Whoever asks meanwhile is told which process it is, and what helps.
    let status = env.run(&["gateway", "status"]);
    let pid = gate.child.id();
    assert_eq!(status.code, Some(1), "{status}");
    assert!(status.stderr().contains(&format!("`kill -CONT {pid}`")), "{status}");
    std::thread::sleep(Duration::from_secs(2));
    gate.signal(libc::SIGCONT);
    pty.signal(libc::SIGCONT);
    std::thread::sleep(Duration::from_millis(300));
    pty.types("y\r");
    pty.until("run 01", 1);
    assert_eq!(times(&env, "a"), 1);
    quit(pty);
    drop(gate);
}

#[test]
fn stop_at_a_question() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut pty = start(&env);
    pty.types("task a\r");
    pty.until("wants to run:", 1);
    pty.types("/stop\r");
    pty.until("cancelled", 1);
    pty.types("/status\r");
    pty.until("no run goes on", 1);
    assert_eq!(times(&env, "a"), 0);
    quit(pty);
    drop(gate);
}

/// What waits when a terminal comes is asked there, and the run shown to its end.
#[test]
fn an_approval_at_the_start() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", json!({ "content": "task a" }));
    talk.until("approval_request");
    let mut pty = start(&env);
    pty.until("wants to run:", 1);
    pty.types("y\r");
    pty.until("run 01", 1);
    assert_eq!(times(&env, "a"), 1);
    quit(pty);
    drop(gate);
}

/// What is answered elsewhere while it is asked here is said at once; what is typed then is no answer.
#[test]
fn answered_elsewhere_while_it_is_asked() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut pty = start(&env);
    pty.types("task a\r");
    pty.until("wants to run:", 1);
    pty.until("[N] no: ", 1);
    let mut talk = gate.greet();
    let asked = talk.until("approval_request")["data"].take();
    talk.say("approval_response", once(&asked));
    pty.until("answered by cli: once (Enter goes on)", 1);
    pty.types("\r");
    pty.until("run 01", 1);
    assert_eq!(times(&env, "a"), 1);
    assert!(!pty.said().contains("answered already"), "{}", pty.said());
    quit(pty);
    drop(gate);
}

/// A script that talks to the agent does not wait for ever behind what it cannot answer.
#[test]
fn a_script_behind_an_approval() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", json!({ "content": "task a" }));
    let asked = talk.until("approval_request")["data"].take();
    let output = env.run_with(&["agent", "chat"], b"task sayb\n");
    assert_eq!(output.code, Some(2), "{output}");
    let said = output.stderr();
    assert!(
        said.contains("a run waits for an answer, and what was said waits behind it"),
        "{said}"
    );
    assert!(said.contains("`elophanto agent chat` in a terminal answers it"), "{said}");
    // What only looks is answered all the same.
    let output = env.run_with(&["agent", "chat"], b"/status\n");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout().contains("a run goes on: task a; 1 message waits"), "{output}");
    talk.say("approval_response", once(&asked));
    talk.find(|it| it["data"]["goal"] == "task sayb" && it["data"]["outcome"] == "done");
    // And one that nothing waits before is answered.
    let output = env.run_with(&["agent", "chat"], b"task sayc\n");
    assert!(output.code == Some(0) && output.stdout().contains("It is sayc."), "{output}");
    drop(gate);
}

/// A terminal that is told to end goes; what waits for an answer waits on.
#[test]
fn told_to_end_while_it_waits() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let pty = start(&env);
    std::thread::sleep(Duration::from_millis(300));
    let mut talk = gate.greet();
    talk.say("chat", json!({ "content": "task a" }));
    let asked = talk.until("approval_request")["data"].take();
    pty.until("waits for an answer", 1);
    pty.signal(libc::SIGTERM);
    assert_eq!(pty.end().0, Some(128 + libc::SIGTERM));
    talk.say("approval_response", once(&asked));
    assert_eq!(talk.event("task_complete")["outcome"], "done");
    assert_eq!(times(&env, "a"), 1);
    drop(gate);
}
