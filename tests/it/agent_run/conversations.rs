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
    let long = "otters swim far ".repeat(40);
    let turns = (0..9).map(|number| text(&format!("Answer {number}. {long}"))).collect();
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

/// The model is told a summary; the user has all of it, by the name that they gave it.
#[test]
fn what_became_a_summary_is_kept() {
    let long = "otters swim far ".repeat(40);
    let turns = ["One", "Two", "Three", "Four"].map(|said| text(&format!("{said}. {long}")));
    let bench = Bench::new(Model::script(turns.to_vec()));
    let lines = "Tell of otters\nAnd of beavers\n/compact\n/rename Animals here\nAnd of seals\n\
                 /export ~/animals.md\n";
    assert_eq!(chat(&bench, lines).code, Some(0));
    let exported = std::fs::read_to_string(bench.home("animals.md")).unwrap();
    let said = [
        "Tell of otters", "One. otters", "And of beavers", "Two. otters", "And of seals", "Three.",
    ];
    let places: Vec<_> = said.iter().map(|part| exported.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {exported}");
    assert!(!exported.contains("In short"), "{exported}");
    let go_on = ["agent", "chat", "--mode", "full", "--session", "animals HERE"];
    let output = bench.env.run_with(&go_on, b"/budget\n/context\nAnd of eels\n/export\n/budget\n");
    assert_eq!(output.code, Some(0), "{output}");
    let stdout = output.stdout();
    assert!(stdout.contains("3 runs here") && stdout.contains("4 runs here"), "{output}");
    assert!(stdout.contains("Tell of otters") && stdout.contains("Four. otters"), "{output}");
    // A name is for one of them, and lines are named from the first to the last.
    let again = chat(&bench, "/rename ANIMALS here\nSee @README.md:3-1\n");
    let said = format!("{}{}", again.stdout(), again.stderr());
    assert!(said.contains("another conversation is called `ANIMALS here` already"), "{again}");
    assert!(said.contains("there are no lines 3-1 of `README.md`"), "{again}");
    assert!(said.contains("`README.md:1-3` names them"), "{again}");
    // All of it by the list too, and gone with the session.
    let session = lists(&bench)[0]["session"].as_str().unwrap().to_owned();
    let shown = bench.env.ok(&["agent", "sessions", "show", "Animals here"]).stdout();
    assert!(shown.contains("Tell of otters") && shown.contains("And of eels"), "{shown}");
    let kept = bench.home(&format!(".local/state/elophanto/agent/sessions/{session}.said.jsonl"));
    assert!(kept.exists());
    bench.env.ok(&["agent", "sessions", "--remove", "animals here"]);
    assert!(!kept.exists());
}

/// What a long run leaves out of its prompts is kept as well.
#[test]
fn what_a_run_makes_shorter_is_kept() {
    let big = |number: usize| text(&format!("Answer {number}. {}", "otters swim far ".repeat(400)));
    let bench = Bench::new(Model::script((0..30).map(big).collect()))
        .set("agent:\n  context_tokens: 24000\n");
    let lines: String = (0..15).map(|number| format!("Question {number} of otters\n")).collect();
    let output = chat(&bench, &format!("{lines}/export\n"));
    assert_eq!(output.code, Some(0), "{output}");
    assert!(bench.model.prompts().iter().any(|prompt| prompt.contains("In short")), "{output}");
    for number in 0..15 {
        let (question, answer) =
            (format!("Question {number} of otters"), format!("Answer {number}."));
        assert!(output.stdout().contains(&question), "{number}");
        assert!(output.stdout().contains(&answer), "{number}");
    }
}

#[test]
fn a_summary_is_never_longer_than_what_it_stands_for() {
    let bench = Bench::new(Model::script(vec![text("Yes.")]));
    let output = chat(&bench, "Hm\n/compact\n/export\n");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr().contains("a summary takes "), "{output}");
    assert!(output.stdout().contains("## You\n\nHm\n"), "{output}");
    assert!(!output.stdout().contains("In short"), "{output}");
}

#[test]
fn a_window_without_room_for_a_prompt_is_refused() {
    let bench = Bench::new(Model::script(vec![])).set("agent:\n  context_tokens: 2000\n");
    let output = bench.env.run(&["agent", "run", "Tell of otters"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().contains("raise `agent.context_tokens` to 3048 or more"), "{output}");
    assert!(bench.model.asked().is_empty());
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
    for (id, reason) in
        [("ffffffff", "there is no session"), ("../x", "there is no session `../x`")]
    {
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
