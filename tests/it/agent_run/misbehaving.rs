//! Models that do not do as they should.

use std::cell::RefCell;

use serde_json::{Value, json};

use super::{Bench, Running, drive};
use crate::{
    env::TestEnv,
    fake::{
        Answer,
        script::{Model, Turn, call, shell, text, words},
    },
};

fn read() -> Turn {
    call("file_read", json!({ "path": "README.md" }))
}

fn raw(tool: &str, arguments: &str) -> Turn {
    Turn::Calls(vec![(tool.to_owned(), arguments.to_owned())])
}

#[test]
fn wrong_calls_are_answered_and_the_run_goes_on() {
    let model = Model::script(vec![
        call("file_read", json!({ "file": "README.md" })),
        call("file_read", json!({ "path": 7 })),
        call("fly_away", json!({})),
        call("file_raed", json!({ "path": "README.md" })),
        raw("file_read", "{\"path\": \"READ"),
        raw("file_read", "[1, 2]"),
        raw("shell_execute", "{\"command\": \"echo a\\u0000b\"}"),
        call("../../bin/sh", json!({ "command": "touch evil" })),
        call("file_read", json!({ "path": "../../../../etc/passwd" })),
        call("file_read", json!({ "path": "/etc/passwd" })),
        call("file_write", json!({ "path": "a/../../evil", "text": "x" })),
        call("shell_execute", json!({ "command": "touch evil", "folder": ".." })),
        read(),
        text("I got there."),
    ]);
    let bench = Bench::new(model);
    let told = bench.run("Read", &[], "once");
    // It was to write as well, and nothing was written.
    assert_eq!(told.outcome(), "nothing done", "{}", told.output);
    assert_eq!(told.ran(), ["file_read"], "{}", told.output);
    // The user sees every call that was not made, but for those that could not even be read.
    assert_eq!(told.unmade().len(), 10, "{}", told.output);
    let heard = bench.model.prompts().last().unwrap().clone();
    for part in [
        "wrong arguments",
        "there is no tool `fly_away`",
        "near it: file_read",
        "cannot be used",
        "NUL character",
        "there is no tool `../../bin/sh`",
    ] {
        assert!(heard.contains(part), "{part}\n{heard}");
    }
    assert!(!bench.env.outside().join("evil").exists() && !bench.env.path("evil").exists());
}

#[test]
fn endless_loops_are_warned_of_blocked_and_ended() {
    let bench = Bench::new(Model::judging(json!({ "reached": "no" }), vec![read()])).noting();
    let told = bench.run("Read it", &[], "once");
    assert_eq!(told.output.code, Some(1), "{}", told.output);
    assert_eq!(told.outcome(), "failed");
    assert_eq!(told.ran().len(), 3, "{}", told.output);
    assert_eq!(told.all("warning").len(), 1);
    let [blocked, ended] = told.unmade()[..] else { panic!("{}", told.output) };
    assert!(blocked.contains("was not made again"), "{blocked}");
    assert!(ended.contains("the run ends"), "{ended}");
    assert_eq!(told.ended()["steps"], 5);
    let failures = bench.learned("failures");
    assert_eq!(failures.len(), 1, "{}", told.output);
    assert!(failures[0].contains("again and again"), "{}", failures[0]);
    // The same for two calls in turn.
    let model = Model::judging(json!({ "reached": "no" }), Vec::from([text("")]));
    let turns = [read(), call("git_status", json!({}))];
    let bench = Bench { model: Model::start(json!({}), move |_, n| turns[n % 2].clone()), ..bench };
    drop(model);
    bench.env.write_settings(&bench.model.settings());
    let told = bench.run("Read it", &["--max-steps", "30"], "once");
    assert_eq!(told.output.code, Some(1), "{}", told.output);
    assert!(told.ran().len() <= 8, "{}", told.output);
}

#[test]
fn prose_instead_of_calls_is_reminded_once() {
    let model = Model::judging(
        json!({ "reached": "no", "outcome": "Nothing was done." }),
        vec![text("I will now read the file."), read(), text("I will now edit the file.")],
    );
    let bench = Bench::new(model);
    let told = bench.run("Edit it", &[], "once");
    assert_eq!(told.output.code, Some(1), "{}", told.output);
    assert_eq!(told.outcome(), "failed", "{}", told.output);
    assert_eq!(told.ran(), ["file_read"]);
    assert!(bench.model.prompts()[1].contains("called no tool"));
}

#[test]
fn one_call_at_a_time() {
    let many = (0..40)
        .map(|n| {
            ("file_write".to_owned(), json!({ "path": format!("f{n}"), "text": "x" }).to_string())
        })
        .collect();
    let bench = Bench::new(Model::script(vec![Turn::Calls(many), text("Done.")]));
    let told = bench.run("Write", &["--mode", "full"], "once");
    told.done();
    assert_eq!(told.ran(), ["file_write"], "{}", told.output);
    assert!(bench.model.prompts()[1].contains("only one call at a time"));
}

#[test]
fn what_is_no_answer_ends_the_run_honestly() {
    #[track_caller]
    fn check(answer: Answer) {
        let bench = Bench::new(Model::script(vec![read(), Turn::Answer(answer)])).noting();
        let told = bench.run("Read", &[], "once");
        assert_eq!(told.output.code, Some(1), "{}", told.output);
        assert_eq!(told.outcome(), "failed", "{}", told.output);
        assert_eq!(bench.learned("failures").len(), 1, "{}", told.output);
    }
    check(Answer::json(200, &json!({ "choices": [] })));
    check(Answer::text("text/html", "<h1>Welcome</h1>"));
    check(Answer::json(400, &json!({ "error": { "message": "no\u{1b}[2J" } })));
    check(Answer::text(
        "text/event-stream",
        "data: {\"choices\":[{\"delta\":{\"content\":\"\"}}]}\n",
    ));
}

#[test]
fn a_provider_that_dies_ends_the_run_and_the_session_goes_on() {
    let model = Model::script(vec![
        call("file_write", json!({ "path": "one.txt", "text": "1\n" })),
        call("file_write", json!({ "path": "two.txt", "text": "2\n" })),
        text("never said"),
    ]);
    let bench = Bench::new(model);
    let Bench { env, model } = bench;
    let model = RefCell::new(Some(model));
    let mut command = env.command(&["agent", "run", "Write two files", "--json"]);
    let told = drive(&mut command, |asked| {
        if asked["arguments"]["path"] == "two.txt" {
            // It is gone while the user thinks.
            model.borrow_mut().take();
        }
        Some("once".to_owned())
    });
    assert_eq!(told.output.code, Some(1), "{}", told.output);
    assert_eq!(told.outcome(), "failed", "{}", told.output);
    assert_eq!(told.ran(), ["file_write", "file_write"]);
    assert_eq!(env.read("two.txt"), b"2\n");
    let reason = told.ended()["reason"].as_str().unwrap();
    assert!(reason.contains("127.0.0.1"), "{reason}");
    // What it did can be taken back all the same.
    assert_eq!(told.ended()["files"], json!(["one.txt", "two.txt"]));

    let again = Bench { env, model: Model::script(vec![text("Both are written.")]) };
    again.env.write_settings(&again.model.settings_as("two"));
    let second = again.run("Go on", &["--session", told.session()], "once");
    second.done();
    let prompt = again.model.prompts()[0].clone();
    assert!(prompt.contains("Write two files") && prompt.contains("two.txt"), "{prompt}");
    again.env.ok(&["agent", "undo", told.run()]);
    assert!(!again.env.path("one.txt").exists() && !again.env.path("two.txt").exists());
}

#[test]
fn steering_text_of_a_model_is_not_told() {
    let steer = "\u{1b}]0;evil\u{7}\u{1b}[2J\u{202e}gnp.exe";
    let bench = Bench::new(Model::script(vec![shell(&format!("echo '{steer}'")), text(steer)]));
    let output = bench.env.run(&["agent", "run", "x", "--mode", "full"]);
    // Standard output is no terminal here: what it gets is the answer as it is.
    assert_eq!(output.stdout().trim_end(), steer);
    let said = output.stderr();
    assert!(!said.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{said:?}");
}

#[test]
fn secrets_do_not_reach_the_model_or_the_notes() {
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let model = Model::script(vec![
        call("file_read", json!({ "path": "notes.txt" })),
        shell("cat notes.txt"),
        text("Read."),
    ]);
    let env = TestEnv::with(&[("notes.txt", &format!("token = {token}\n"))]);
    env.write_settings(&model.settings());
    env.commit("First");
    let bench = Bench { env, model };
    let told = bench.run("Read notes.txt", &[], "once");
    told.done();
    let prompts: Vec<Value> = bench.model.asked();
    assert!(prompts.iter().all(|body| !words(body).contains(token)));
    assert!(!told.output.stdout().contains(token));
    assert!(bench.learned("tasks").iter().all(|note| !note.contains(token)));
    let state = bench.home(".local/state/elophanto/agent");
    for file in walkdir::WalkDir::new(state).into_iter().flatten() {
        if file.file_type().is_file() {
            let text = std::fs::read(file.path()).unwrap();
            assert!(!String::from_utf8_lossy(&text).contains(token), "{}", file.path().display());
        }
    }
}

#[test]
fn a_question_is_answered_in_between() {
    let model = Model::script(vec![
        call("ask_user", json!({ "question": "Which otter?", "options": ["sea", "river"] })),
        text("The river otter."),
    ]);
    let bench = Bench::new(model);
    let mut running = Running::start(&mut bench.command("Choose", &[]));
    let question = running.until("question");
    assert_eq!(question["options"], json!(["sea", "river"]));
    running.answer(&question, Some("river"));
    let told = running.finish(|_| None);
    told.done();
    assert!(bench.model.prompts()[1].contains("river"));
}
