//! Our own clients: lines of JSON for scripts, and `agent chat` at a terminal.

use serde_json::{Value, json};

use super::{Gate, bench, in_system, plain};
use crate::{
    fake::script::{Model, shell, text},
    pty::Pty,
};

const ID: &str = "6f2c1f2e-52a5-4c43-9fb4-0e9f0f2d3b7a";

/// A task, its answer and its end; said twice, it is done once.
#[test]
fn a_conversation_of_a_script() {
    let model = Model::script(vec![text("They swim.")]);
    let env = bench(&model);
    let _gate = Gate::open(&env);
    let message = json!({ "type": "chat", "id": ID, "data": { "content": "What do otters do?" } });
    let line = format!("{message}\n");
    let told = |input: &str| -> Vec<Value> {
        let output = env.run_with(&["gateway", "connect", "--json"], input.as_bytes());
        assert_eq!((output.code, output.stderr()), (Some(0), String::new()), "{output}");
        output.json()
    };
    let first = told(&line);
    assert_eq!(first[0]["type"], "status");
    let of = |all: &[Value], what: &str| -> Vec<Value> {
        let is_it = |it: &&Value| it["type"] == what || it["data"]["event"] == what;
        all.iter().filter(is_it).map(|it| it["data"].clone()).collect()
    };
    let answer = of(&first, "response").into_iter().find(|it| it["done"] == true).unwrap();
    assert_eq!((&answer["content"], &answer["reply_to"]), (&json!("They swim."), &json!(ID)));
    let end = of(&first, "task_complete").remove(0);
    assert_eq!((&end["outcome"], &end["goal"]), (&json!("done"), &json!("What do otters do?")));
    let asked = model.asked().len();
    let again = told(&line);
    assert_eq!(of(&again, "response"), [answer]);
    assert_eq!(model.asked().len(), asked, "it was done again");
    // Commands and what is none are answered as well.
    let command = json!({ "type": "command", "id": ID, "data": { "name": "/status" } });
    let other = "b2a9a3a5-0a54-4a1f-9d0e-5c8f7d2b6c11";
    let wrong = json!({ "type": "command", "id": other, "data": { "name": "nonsense" } });
    let all = told(&format!("{command}\nnot JSON\n{wrong}\n"));
    assert_eq!((of(&all, "response").len(), of(&all, "error").len()), (1, 2), "{all:#?}");
    assert_eq!(told("").len(), 1);
}

#[test]
fn without_a_gateway_there_is_no_bridge() {
    let env = plain();
    crate::env::snapshot!(env.run(&["gateway", "connect", "--json"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: no gateway runs
    hint: `elophanto gateway --ensure` starts one
    ");
}

/// A conversation at a terminal is held by the gateway that runs, approvals and commands too.
#[test]
fn chat_goes_through_the_gateway() {
    let model = Model::script(vec![shell("touch made.txt"), text("It is **made**.")]);
    let env = bench(&model);
    let gate = Gate::open(&env);
    let start = |more: &[&str]| {
        let mut command = env.command(&[&["agent", "chat"], more].concat());
        Pty::start(in_system(&mut command).env("TERM", "xterm"), 100)
    };
    let mut pty = start(&[]);
    pty.until("through the gateway, process", 1);
    pty.types("Make a file\r");
    pty.until("wants to run:", 1);
    pty.types("y\r");
    pty.until("run 01", 1);
    assert!(env.path("made.txt").exists());
    pty.types("/status\r");
    pty.until("no run goes on", 1);
    pty.types("/undo\r");
    super::until("the file is gone", || !env.path("made.txt").exists());
    pty.types("/nonsense\r");
    pty.until("there is no command `/nonsense`", 1);
    pty.types("/quit\r");
    let screen = pty.screen().screen().contents();
    let (code, said) = pty.end();
    assert_eq!(code, Some(0), "{said}");
    for line in ["$ touch made.txt", "It is made.", "1 file, 0 commits", "`/undo` takes it back"] {
        assert!(screen.contains(line), "no {line:?}\n{screen}");
    }
    // Alone, where that is asked for.
    let mut alone = start(&["--no-gateway"]);
    alone.until("`/help` says", 1);
    alone.types("/quit\r");
    let (code, said) = alone.end();
    assert!(code == Some(0) && !said.contains("through the gateway"), "{said}");
    drop(gate);
    let mut alone = start(&[]);
    alone.until("`/help` says", 1);
    alone.types("/quit\r");
    assert!(!alone.end().1.contains("through the gateway"));
}

/// Ctrl-C ends the run that goes on, not the conversation.
#[test]
fn a_run_is_ended_at_the_terminal() {
    let model = Model::script(vec![shell("sleep 60"), text("Slept.")]);
    let env = bench(&model);
    let _gate = Gate::open(&env);
    let mut command = env.command(&["agent", "chat"]);
    let mut pty = Pty::start(in_system(&mut command).env("TERM", "xterm"), 100);
    pty.until("through the gateway, process", 1);
    pty.types("Sleep\r");
    pty.until("wants to run:", 1);
    pty.types("y\r");
    pty.until("running", 1);
    pty.types("\u{3}");
    pty.until("cancelled", 1);
    pty.types("/status\r");
    pty.until("no run goes on", 1);
    pty.types("/quit\r");
    assert_eq!(pty.end().0, Some(0));
}

/// What one client is asked, another of the same person answers, once.
#[test]
fn an_approval_is_answered_elsewhere() {
    let model = Model::script(vec![shell("touch made.txt"), text("Made.")]);
    let env = bench(&model);
    let gate = Gate::open(&env);
    let (mut one, mut other) = (gate.greet(), gate.enter(&[]));
    other.hello();
    one.say("chat", json!({ "content": "Make a file" }));
    let asked = other.until("approval_request")["data"].take();
    assert_eq!(one.until("approval_request")["data"]["request_id"], asked["request_id"]);
    let answer = |digest: &Value| json!({ "request_id": asked["request_id"], "digest": digest, "answer": "once" });
    other.say("approval_response", answer(&json!("0".repeat(64))));
    other.until("error");
    assert!(!env.path("made.txt").exists());
    other.say("approval_response", answer(&asked["digest"]));
    assert_eq!(one.event("approval_settled")["answer"], "once");
    assert_eq!(one.event("task_complete")["files"], json!(["made.txt"]));
    assert!(env.path("made.txt").exists());
    one.say("approval_response", answer(&asked["digest"]));
    one.until("error");
}
