//! Conversations: how long they may be, how they are made shorter, and looking at them afterwards.

use serde_json::{Value, json};

use super::Bench;
use crate::{
    env::Output,
    fake::script::{Model, Turn, call, text, words},
};

/// Lines typed into a chat that nobody sits at.
fn chat(bench: &Bench, lines: &str) -> Output {
    bench.env.run_with(&["agent", "chat", "--mode", "full"], lines.as_bytes())
}

fn lists(bench: &Bench) -> Vec<Value> {
    let output = bench.env.run(&["agent", "sessions", "--json"]);
    if output.code == Some(1) { Vec::new() } else { output.json() }
}

/// The messages of each chat with tools, without instructions.
fn said(bench: &Bench) -> Vec<String> {
    let steps = bench.model.asked().into_iter().filter(|body| !body["tools"].is_null());
    steps.map(|body| words(&body).split_once("\nuser: ").unwrap().1.to_owned()).collect()
}

#[test]
fn a_conversation_is_as_long_as_the_model_takes() {
    let turns = (0..40).map(|number| text(&format!("Answer {number}."))).collect();
    let bench = Bench::new(Model::script(turns));
    let lines: String = (0..30).map(|number| format!("Question {number} of otters\n")).collect();
    let output = chat(&bench, &lines);
    assert_eq!(output.code, Some(0), "{output}");
    // Far more than twenty messages, and nothing was summarised.
    let last = said(&bench).pop().unwrap();
    assert!(last.contains("Question 0 of otters") && last.contains("Answer 28."), "{last}");
    assert!(
        bench
            .model
            .asked()
            .iter()
            .all(|body| !body["tools"].is_null() || body["response_format"].is_object())
    );
    assert_eq!(lists(&bench)[0]["messages"], 60);
}

#[test]
fn near_the_limit_older_messages_become_a_summary() {
    let big = |number: usize| text(&format!("Answer {number}. {}", "otters swim far ".repeat(400)));
    let bench = Bench::new(Model::script((0..40).map(big).collect()))
        .set("agent:\n  context_tokens: 24000\n");
    let lines: String = (0..20).map(|number| format!("Question {number} of otters\n")).collect();
    let output = chat(&bench, &lines);
    assert_eq!(output.code, Some(0), "{output}");
    let asked = bench.model.asked();
    let summaries = asked.iter().filter(|it| words(it).contains("You summarise")).count();
    // Every few steps, not at each.
    assert!((1..=4).contains(&summaries), "{summaries}");
    let all = said(&bench);
    let last = all.last().unwrap();
    assert!(last.contains("In short: work was done."), "{last}");
    assert!(!last.contains("Answer 0.") && last.contains("Answer 18."), "{last}");
    for body in asked.iter().filter(|body| !body["tools"].is_null()) {
        let tokens = crate::fake::script::tokens(body);
        assert!(tokens <= 24_000 - 2_048, "{tokens}");
    }
}

#[test]
fn commands_of_a_conversation() {
    let turns = (0..9).map(|number| text(&format!("Answer {number}."))).collect();
    let bench = Bench::new(Model::script(turns));
    let output = chat(
        &bench,
        "/compact\nTell of otters\nAnd of beavers\n/context\n/compact\n/context\nAnd of seals\n\
         /clear\nOf what did we speak?\n/context 3\n",
    );
    assert_eq!(output.code, Some(0), "{output}");
    let (stdout, stderr) = (output.stdout(), output.stderr());
    assert!(stderr.contains("nothing was said that could be summarised"), "{output}");
    assert!(stderr.contains("`/context` takes nothing behind it"), "{output}");
    assert!(stdout.contains("one/m: 16384 tokens (not known of the model"), "{output}");
    assert!(
        stdout.contains("(4 messages), answer 2048: about ") && stdout.contains("(1 message)"),
        "{output}"
    );
    assert!(stdout.contains("4 messages became a summary: about "), "{output}");
    let said = said(&bench);
    let [_, _, seals, cleared] = &said[..] else { panic!("{said:?}") };
    assert!(seals.contains("In short: work was done.") && !seals.contains("beavers"), "{seals}");
    assert!(!cleared.contains("seals") && !cleared.contains("In short"), "{cleared}");
    // What came before is kept, and each is a conversation of its own.
    let listed = lists(&bench);
    let goals: Vec<&str> = listed.iter().map(|it| it["goal"].as_str().unwrap()).collect();
    assert_eq!(goals, ["Of what did we speak?", "And of seals"]);
    assert_eq!(listed[1]["messages"], 3);
}

/// A summary of what came from outside is a quote.
#[test]
fn a_summary_of_a_tainted_conversation_is_quoted() {
    let read = call("file_read", json!({ "path": "README.md" }));
    let bench = Bench::new(Model::script(vec![read, text("Read."), text("Done.")]));
    let output = chat(&bench, "Read the page\n/compact\nGo on\n");
    assert_eq!(output.code, Some(0), "{output}");
    let said = said(&bench).pop().unwrap();
    let quoted = "origin=\"older messages of this conversation\">\nIn short: work was done.\n";
    assert!(said.contains(quoted), "{said}");
}

#[test]
fn a_whole_conversation_is_shown() {
    let turns: Vec<Turn> =
        vec![call("file_read", json!({ "path": "README.md" })), text("It is about **otters**.")];
    let bench = Bench::new(Model::script(turns));
    let told = bench.run("What is the page about?", &["--mode", "full"], "once");
    let session = told.session();
    for id in [session, &session[..8]] {
        let output = bench.env.ok(&["agent", "sessions", "show", id]);
        let shown = output.stdout();
        for part in [
            session,
            told.run(),
            "user:\n    What is the page about?",
            "agent:\n    file_read {\"path\":\"README.md\"}",
            "file_read:\n    <quoted-",
            "They swim.",
            "agent:\n    It is about **otters**.",
        ] {
            assert!(shown.contains(part), "{part}\n{output}");
        }
    }
    let lines = bench.env.json(&["agent", "sessions", "show", session, "--json"]);
    assert_eq!((&lines[0]["session"], &lines[0]["messages"]), (&json!(session), &json!(4)));
    assert_eq!((&lines[1]["run"], &lines[1]["outcome"]), (&json!(told.run()), &json!("done")));
    let roles: Vec<&str> = lines[2..].iter().map(|it| it["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "agent", "tool", "agent"]);
    assert_eq!(lines[3]["calls"][0]["tool"], "file_read");
    assert_eq!(lines[4]["id"], lines[3]["calls"][0]["id"]);
    for (id, reason) in [("ffffffff", "there is no session"), ("../x", "is no id of a session")] {
        let output = bench.env.run(&["agent", "sessions", "show", id]);
        assert_eq!(output.code, Some(2), "{output}");
        assert!(output.stderr().contains(reason), "{output}");
    }
}

#[test]
fn what_never_had_a_message_is_no_conversation() {
    let bench = Bench::new(Model::script(vec![text("Hello.")]));
    assert_eq!(chat(&bench, "/status\n/quit\n").code, Some(0));
    assert_eq!(lists(&bench), [Value::Null; 0]);
    // One that was cut off before anything was said.
    let told = bench.run("Hello", &[], "once");
    let file =
        bench.home(&format!(".local/state/elophanto/agent/sessions/{}.json", told.session()));
    let mut kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(lists(&bench).len(), 1);
    kept["messages"] = json!([]);
    std::fs::write(&file, kept.to_string()).unwrap();
    assert_eq!(lists(&bench), [Value::Null; 0]);
}
