//! Runs over the gateway: each message once, approvals that outlive the process, queues, commands.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{Gate, Talk, bench, until};
use crate::{
    env::TestEnv,
    fake::script::{Model, Turn, shell, text, words},
};

/// Asks for the call that the last task names, and is content with what came of it.
pub fn obedient() -> Model {
    Model::start(json!({}), |seen, _| {
        let said = words(&seen.body);
        let task = said.rsplit("task ").next().and_then(|rest| rest.split_whitespace().next());
        let task: String =
            task.unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
        let messages = seen.body["messages"].as_array().unwrap();
        match messages.last().map(|last| &last["role"]) {
            Some(role) if *role == "tool" => text(&format!("Done with {task}.")),
            _ if task.starts_with("say") => text(&format!("It is {task}.")),
            _ => shell(&format!("echo {task} >> ran.txt")),
        }
    })
}

/// How often a task was done.
pub fn times(env: &TestEnv, task: &str) -> usize {
    let ran = std::fs::read_to_string(env.path("ran.txt")).unwrap_or_default();
    ran.lines().filter(|line| *line == task).count()
}

/// The answer to what was asked.
pub fn once(asked: &Value) -> Value {
    json!({ "request_id": asked["request_id"], "digest": asked["digest"], "answer": "once" })
}

fn chat(task: &str) -> Value {
    json!({ "content": format!("task {task}") })
}

#[test]
fn a_message_that_is_sent_twice_is_done_once() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut one = gate.greet();
    let id = one.say("chat", chat("a"));
    one.say_as(&id, "chat", chat("a"));
    one.say_as(&id, "chat", chat("other"));
    let refused = one.until("error");
    assert_eq!(refused["data"]["detail"], "another message was sent with this id");
    let asked = one.until("approval_request")["data"].take();
    one.say("approval_response", once(&asked));
    assert_eq!(one.event("task_complete")["outcome"], "done");
    drop(one);
    // Whoever comes later with it gets the first run's end.
    let mut later = gate.greet();
    later.say_as(&id, "chat", chat("a"));
    assert_eq!(later.event("task_complete")["goal"], "task a");
    drop((later, gate));
    let gate = Gate::open(&env);
    let mut after = gate.greet();
    after.say_as(&id, "chat", chat("a"));
    let answer = after.find(|it| it["type"] == "response" && it["data"]["done"] == true);
    assert_eq!(answer["data"]["content"], "Done with a.");
    assert_eq!(times(&env, "a"), 1);
}

/// Killed while it waits, the approval is there again, and the run goes on with its answer.
#[test]
fn an_approval_outlives_the_gateway() {
    for (answer, expected, is_killed) in [("once", 1, true), ("no", 0, true), ("once", 1, false)] {
        let model = obedient();
        let env = bench(&model);
        let mut gate = Gate::open(&env);
        let mut talk = gate.greet();
        let id = talk.say("chat", chat("a"));
        let asked = talk.until("approval_request")["data"].take();
        assert_eq!(asked["is_interrupted"], false);
        if is_killed {
            gate.child.kill().unwrap();
            gate.child.wait().unwrap();
        } else {
            gate.end();
        }
        let gate = Gate::open(&env);
        let mut talk = gate.greet();
        let again = talk.until("approval_request")["data"].take();
        assert_eq!(
            (&again["request_id"], &again["digest"]),
            (&asked["request_id"], &asked["digest"])
        );
        assert_eq!(again["is_interrupted"], true);
        assert_eq!(times(&env, "a"), 0);
        let mut reply = once(&again);
        reply["answer"] = json!(answer);
        talk.say("approval_response", reply.clone());
        talk.say("approval_response", reply);
        assert!(
            talk.until("error")["data"]["detail"].as_str().unwrap().contains("answered already")
        );
        let end = talk.event("task_complete");
        assert_eq!(times(&env, "a"), expected, "{end}");
        talk.say_as(&id, "chat", chat("a"));
        talk.event("task_complete");
        assert_eq!(times(&env, "a"), expected);
    }
}

#[test]
fn what_was_cut_off_is_said() {
    let model = Model::start(json!({}), |_, _| {
        Turn::Late(std::time::Duration::from_secs(30), Box::new(text("Late.")))
    });
    let env = bench(&model);
    let mut gate = Gate::open(&env);
    let mut talk = gate.greet();
    let id = talk.say("chat", chat("a"));
    let waits = talk.say("chat", chat("b"));
    let begun = |it: &Value| it["data"]["event"] == "begun";
    let taken = |it: &Value| it["data"]["accepted"] == waits.as_str();
    while !(talk.heard.iter().any(begun) && talk.heard.iter().any(taken)) {
        talk.next().unwrap();
    }
    gate.child.kill().unwrap();
    gate.child.wait().unwrap();
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say_as(&id, "chat", chat("a"));
    let end = talk.find(|it| it["data"]["goal"] == "task a" && it["data"]["outcome"] == "cut off");
    assert!(end["data"]["reason"].as_str().unwrap().contains("send a message to go on"));
    // What waited for its turn has begun by itself.
    until("the second begins", || {
        talk.say("command", json!({ "name": "status" }));
        let told = talk.until("response")["data"]["content"].as_str().unwrap().to_owned();
        told.contains("a run goes on: task b")
    });
}

#[test]
fn twenty_wait_and_no_more() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", chat("first"));
    talk.until("approval_request");
    for number in 0..20 {
        talk.say("chat", chat(&format!("say{number}")));
    }
    let last = talk.say("chat", chat("say20"));
    assert_eq!(
        talk.find(|it| it["data"]["reply_to"] == last.as_str())["data"]["detail"],
        "20 messages wait already"
    );
    // During a run, what only looks is answered, and what changes the conversation is not.
    for (name, args, expected) in [
        ("tasks", "", "goes on"),
        ("budget", "", "limits:"),
        ("search", "otters", "README.md"),
        ("help", "", "/undo [R]"),
        ("undo", "", "a run goes on"),
        ("clear", "", "a run goes on"),
        ("mode", "ask", "mode ask"),
        ("mode", "full", "the settings say ask at most"),
        ("learn", "", "nothing was asked for yet"),
        ("like", "otters", "noted that you like 'otters'"),
        ("nonsense", "", "there is no command `/nonsense`"),
    ] {
        let id = talk.say("command", json!({ "name": name, "args": args }));
        let told = talk.find(|it| it["data"]["reply_to"] == id.as_str() && it["type"] != "status");
        let data = &told["data"];
        let said = data["content"].as_str().or(data["detail"].as_str()).unwrap();
        assert!(said.contains(expected), "/{name} {args}: {said}");
    }
    let id = talk.say("command", json!({ "name": "stop", "args": "all" }));
    let told = talk.find(|it| it["type"] == "response" && it["data"]["reply_to"] == id.as_str());
    assert_eq!(told["data"]["content"], "the run is ended; 20 messages dropped");
    until("nothing goes on", || {
        talk.say("command", json!({ "name": "status" }));
        let told = talk.until("response")["data"]["content"].as_str().unwrap().to_owned();
        told.contains("no run goes on; 0 messages wait")
    });
    assert_eq!(times(&env, "first"), 0);
}

#[test]
fn bad_answers_to_approvals() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", chat("a"));
    let asked = talk.until("approval_request")["data"].take();
    let with = |key: &str, value: Value| {
        let mut reply = once(&asked);
        reply[key] = value;
        reply
    };
    for (reply, expected) in [
        (with("request_id", json!(Uuid::new_v4())), "there is no such approval"),
        (with("digest", json!("")), "the digest is not that of what was shown"),
        (with("answer", json!("edits")), "such a call is asked for each time"),
        (with("answer", json!("perhaps")), "perhaps"),
    ] {
        let id = talk.say("approval_response", reply.clone());
        let told = talk.find(|it| it["type"] == "error" && it["data"]["reply_to"] == id.as_str());
        assert!(told["data"]["detail"].as_str().unwrap().contains(expected), "{reply}: {told}");
    }
    assert_eq!(times(&env, "a"), 0);
    talk.say("approval_response", once(&asked));
    assert_eq!(talk.event("task_complete")["outcome"], "done");
    assert_eq!(times(&env, "a"), 1);
}

/// A client is in a repository of the gateway's; the answer to a message is where it was sent.
#[test]
fn several_repositories() {
    let model = obedient();
    let (env, other) = (bench(&model), TestEnv::with(&[("b.md", "# Beavers\n\nThey build.\n")]));
    other.commit("First");
    env.write_settings(&format!(
        "{}gateway.repositories: [., \"{}\"]\n",
        model.settings(),
        other.root().display()
    ));
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let mut status = Talk::hello(&mut talk);
    let first = status["session_id"].take();
    let names = status["data"]["repositories"].as_array().unwrap().clone();
    assert_eq!(names.len(), 2, "{names:?}");
    talk.say("command", json!({ "name": "repo", "args": names[1] }));
    let there = talk.find(|it| it["type"] == "status" && it["data"]["repository"] == names[1]);
    assert_ne!(there["session_id"], first);
    talk.say("command", json!({ "name": "search", "args": "beavers" }));
    talk.find(|it| it["data"]["content"].as_str().is_some_and(|said| said.contains("b.md")));
    let id = talk.say("chat", chat("saythere"));
    assert_eq!(talk.event("task_complete")["outcome"], "done");
    // Sent again from the first repository, it is still the same message.
    talk.say("command", json!({ "name": "repo", "args": names[0] }));
    talk.find(|it| it["type"] == "status" && it["data"]["repository"] == names[0]);
    let before = model.asked().len();
    talk.say_as(&id, "chat", chat("saythere"));
    talk.event("task_complete");
    assert_eq!(model.asked().len(), before);
    talk.say("command", json!({ "name": "repo", "args": "nowhere" }));
    assert!(talk.until("error")["data"]["hint"].as_str().unwrap().contains("/repo"));
}

/// What nobody answered in time is no yes, also where no run waits for it any more.
#[test]
fn an_approval_expires() {
    let model = obedient();
    let env = bench(&model);
    env.write_settings(&format!("{}gateway.approval_expires: 2s\n", model.settings()));
    let mut gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", chat("a"));
    assert_eq!(talk.event("approval_settled")["answer"], "expired");
    talk.event("task_complete");
    let id = talk.say("chat", chat("b"));
    let asked = talk.until("approval_request")["data"].take();
    gate.child.kill().unwrap();
    gate.child.wait().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("approval_response", once(&asked));
    talk.until("error");
    talk.say_as(&id, "chat", chat("b"));
    let end = talk.event("task_complete");
    assert_eq!(
        (&end["outcome"], &end["reason"]),
        (&json!("cut off"), &json!("nobody answered in time what it asked"))
    );
    assert_eq!(times(&env, "a") + times(&env, "b"), 0);
}

#[test]
fn lines_and_commands_are_done_once_and_can_be_stopped() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let line = json!({ "content": "!echo twice >> ran.txt" });
    let id = talk.say("chat", line.clone());
    talk.find(|it| it["type"] == "response" && it["data"]["reply_to"] == id.as_str());
    talk.say_as(&id, "chat", line);
    assert!(talk.until("error")["data"]["detail"].as_str().unwrap().contains("not done again"));
    assert_eq!(times(&env, "twice"), 1);
    let slow = talk.say("chat", json!({ "content": "!sleep 50" }));
    until("it goes on", || {
        talk.say("command", json!({ "name": "status" }));
        let told = talk.until("response")["data"]["content"].as_str().unwrap().to_owned();
        told.contains("a run goes on: sleep 50")
    });
    talk.say("command", json!({ "name": "stop" }));
    talk.find(|it| it["data"]["reply_to"] == slow.as_str() && it["type"] != "status");
}

/// An answer given while no run waited for it is not forgotten, whenever the gateway ends.
#[test]
fn an_answer_is_not_forgotten() {
    let model = obedient();
    let env = bench(&model);
    let mut gate = Gate::open(&env);
    let mut talk = gate.greet();
    let id = talk.say("chat", chat("a"));
    talk.until("approval_request");
    gate.child.kill().unwrap();
    gate.child.wait().unwrap();
    let mut gate = Gate::open(&env);
    let mut talk = gate.greet();
    let asked = talk.until("approval_request")["data"].take();
    talk.say("approval_response", once(&asked));
    talk.event("approval_settled");
    gate.child.kill().unwrap();
    gate.child.wait().unwrap();
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say_as(&id, "chat", chat("a"));
    let end = talk.event("task_complete");
    // Killed in the moment after it began again, it is cut off; else it is done, once.
    let done = times(&env, "a");
    assert!(done == usize::from(end["outcome"] == "done") || end["outcome"] == "cut off", "{end}");
    assert!(done <= 1);
}

/// What was narrowed stays narrower than the settings, whatever these say later.
#[test]
fn a_kept_mode_is_never_wider_than_the_settings() {
    let model = obedient();
    let env = bench(&model);
    env.write_settings(&format!("{}agent.mode: full\n", model.settings()));
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let mode = |talk: &mut Talk<std::os::unix::net::UnixStream>, args: &str| {
        let id = talk.say("command", json!({ "name": "mode", "args": args }));
        let told = talk.find(|it| it["data"]["reply_to"] == id.as_str());
        told["data"]["content"].as_str().unwrap_or_default().to_owned()
    };
    assert!(mode(&mut talk, "full").starts_with("mode full"));
    gate.end();
    env.write_settings(&format!("{}agent.mode: ask\n", model.settings()));
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    assert_eq!(mode(&mut talk, ""), "mode ask");
    talk.say("chat", chat("a"));
    talk.until("approval_request");
    assert_eq!(times(&env, "a"), 0);
}
