//! What goes wrong with what is kept, and with whom somebody is; nobody is locked out by it.

use std::{fs, io::Write, os::unix::net::UnixStream, path::PathBuf};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use super::{
    Gate, Talk, bench,
    pages::{exchange, ticket},
    plain,
    runs::{obedient, once, times},
    state, until,
};
use crate::env::TestEnv;

fn chat(task: &str) -> Value {
    json!({ "content": format!("task {task}") })
}

/// The logs of conversations, and those that were set aside.
fn logs(env: &TestEnv) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let folder = state(env, "conversations");
    let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = all.filter(|path| path.extension().is_some_and(|ending| ending != "lock"));
    all.partition(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
}

/// Two people of one repository, each by a gateway's own conversation: one after the other.
#[test]
fn two_conversations_in_one_repository() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    // A page is the same user on another channel, and so another person.
    let answer = exchange(&gate, &ticket(&gate), &[]);
    let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let origin = format!("http://{}", gate.host());
    let headers = [("cookie", cookie.as_str()), ("origin", origin.as_str())];
    let mut page = gate.try_enter_at(&gate.below("socket"), &headers).unwrap();
    page.hello();
    let mut own = gate.greet();
    own.say("chat", chat("first"));
    let asked = own.until("approval_request")["data"].take();
    page.say("chat", chat("second"));
    let note = page.event("notification");
    assert!(note["text"].as_str().unwrap().contains("begins when that has ended"), "{note}");
    // What waits can be dropped, and nothing of it is lost otherwise.
    page.say("chat", chat("third"));
    assert!(!page.heard.iter().any(|it| it["data"]["event"] == "begun"));
    assert_eq!(times(&env, "second"), 0);
    own.say("approval_response", once(&asked));
    assert_eq!(own.event("task_complete")["outcome"], "done");
    let asked = page.until("approval_request")["data"].take();
    page.say("approval_response", once(&asked));
    assert_eq!(page.event("task_complete")["goal"], "task second");
    let asked = page.until("approval_request")["data"].take();
    page.say("approval_response", once(&asked));
    assert_eq!(page.event("task_complete")["goal"], "task third");
    let done = ["first", "second", "third"].map(|task| times(&env, task));
    assert_eq!(done, [1, 1, 1]);
    drop(gate);
}

/// What waits for the end of another conversation's run: commands say so instead of waiting silently, and
/// `/stop` drops it.
#[test]
fn what_waits_for_its_turn() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let answer = exchange(&gate, &ticket(&gate), &[]);
    let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let origin = format!("http://{}", gate.host());
    let headers = [("cookie", cookie.as_str()), ("origin", origin.as_str())];
    let mut page = gate.try_enter_at(&gate.below("socket"), &headers).unwrap();
    page.hello();
    page.say("chat", chat("first"));
    let asked = page.until("approval_request")["data"].take();
    let mut own = gate.greet();
    own.say("chat", chat("second"));
    own.say("chat", chat("third"));
    own.find(|it| it["data"]["text"].as_str().is_some_and(|it| it.contains("when that has ended")));
    for (kind, data) in
        [("command", json!({ "name": "undo" })), ("chat", json!({ "content": "!ls" }))]
    {
        let id = own.say(kind, data);
        let told = own.find(|it| it["type"] == "error" && it["data"]["reply_to"] == id.as_str());
        let said = told["data"]["detail"].as_str().unwrap();
        assert!(said.contains("until a run of another conversation has ended"), "{said}");
        assert!(told["data"]["hint"].as_str().unwrap().contains("`/stop` drops it"), "{told}");
    }
    let id = own.say("command", json!({ "name": "stop" }));
    let told = own.find(|it| it["type"] == "response" && it["data"]["reply_to"] == id.as_str());
    let said = told["data"]["content"].as_str().unwrap();
    assert!(said.starts_with("no run goes on; 1 message dropped; 1 message waits"), "{said}");
    page.say("approval_response", once(&asked));
    assert_eq!(page.event("task_complete")["outcome"], "done");
    let asked = own.until("approval_request")["data"].take();
    own.say("approval_response", once(&asked));
    own.find(|it| it["data"]["goal"] == "task third" && it["data"]["outcome"] == "done");
    let done = ["first", "second", "third"].map(|task| times(&env, task));
    assert_eq!(done, [1, 0, 1]);
    drop(gate);
}

/// A damaged log on a disk that is full: it stays as it is until what goes on has room.
#[test]
fn a_damaged_log_on_a_full_disk() {
    let model = obedient();
    let env = bench(&model);
    let mut gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", chat("a"));
    talk.until("approval_request");
    let long = format!("{} task sayb", "long ".repeat(12_000));
    let ids: Vec<_> = (0..2).map(|_| talk.say("chat", json!({ "content": long }))).collect();
    talk.find(|it| it["data"]["accepted"] == ids[1].as_str());
    gate.child.kill().unwrap();
    gate.child.wait().unwrap();
    let log = logs(&env).0.remove(0);
    // The first line says whose it is.
    let text = fs::read_to_string(&log).unwrap();
    let damaged = format!("nonsense\n{}", text.split_once('\n').unwrap().1);
    fs::write(&log, &damaged).unwrap();
    for _ in 0..2 {
        let mut gate = Gate::within(&env, 64 * 1024);
        let mut talk = gate.enter_own();
        talk.say("status", json!({ "version": 1 }));
        assert_eq!(talk.closed(), 1011);
        assert!(talk.error()["detail"].as_str().unwrap().contains("File too large"));
        gate.child.kill().unwrap();
        gate.child.wait().unwrap();
        assert_eq!(fs::read_to_string(&log).unwrap(), damaged);
        assert_eq!(logs(&env).1, [""; 0].map(PathBuf::from));
    }
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let asked = talk.until("approval_request")["data"].take();
    talk.say("approval_response", once(&asked));
    talk.find(|it| it["data"]["goal"] == "task a" && it["data"]["outcome"] == "done");
    for id in &ids {
        talk.say_as(id, "chat", json!({ "content": long }));
        talk.find(|it| {
            it["type"] == "response"
                && it["data"]["reply_to"] == id.as_str()
                && it["data"]["done"] == true
        });
    }
    assert_eq!(times(&env, "a"), 1);
    let aside = logs(&env).1;
    assert_eq!((aside.len(), fs::read_to_string(&aside[0]).unwrap()), (1, damaged));
    drop(gate);
}

/// A run that is to go on with its answer, and whose going on cannot be noted, is not begun from the start.
#[test]
#[cfg(target_os = "linux")]
fn going_on_with_an_answer_on_a_full_disk() {
    let model = obedient();
    let env = bench(&model);
    let mut gate = Gate::open(&env);
    let mut talk = gate.greet();
    let id = talk.say("chat", chat("a"));
    talk.until("approval_request");
    gate.child.kill().unwrap();
    gate.child.wait().unwrap();
    let log = logs(&env).0.remove(0);
    // Long enough that nothing else is.
    let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
    while log.metadata().unwrap().len() < 4 << 20 {
        let ids: Vec<_> = (0..1_000).map(|_| Uuid::new_v4()).collect();
        writeln!(file, "{}", json!({ "what": "done", "ids": ids })).unwrap();
    }
    // There is room for the answer, and none for going on with it.
    let gate = Gate::within(&env, log.metadata().unwrap().len() + 240);
    let mut talk = gate.greet();
    let asked = talk.until("approval_request")["data"].take();
    let before = model.asked().len();
    talk.say("approval_response", once(&asked));
    assert_eq!(talk.event("approval_settled")["answer"], "once");
    let told = talk.until("error")["data"].take();
    assert!(told["detail"].as_str().unwrap().contains("File too large"), "{told}");
    assert!(told["hint"].as_str().unwrap().contains("it stays in line"), "{told}");
    assert_eq!((model.asked().len(), times(&env, "a")), (before, 0));
    gate.lift_limit();
    talk.say_as(&id, "chat", chat("a"));
    assert_eq!(talk.event("task_complete")["outcome"], "done");
    assert_eq!(times(&env, "a"), 1);
    // It went on with the answer: nobody was asked again.
    let asked = talk.heard.iter().filter(|it| it["type"] == "approval_request").count();
    assert_eq!(asked, 1);
    drop(gate);
}

/// A log that is damaged, no log, or that of somebody else is set aside, and the person goes on.
#[test]
fn logs_that_are_damaged() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let id = talk.say("chat", chat("saya"));
    talk.event("task_complete");
    gate.end();
    let (own, aside) = logs(&env);
    let ([log], []) = (&own[..], &aside[..]) else { panic!("{own:?} {aside:?}") };
    // What can be read of it is still known.
    let mut damaged = fs::read(log).unwrap();
    damaged.extend_from_slice(b"{\"what\": nonsense\n");
    fs::write(log, &damaged).unwrap();
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let told = talk.event("notification");
    assert!(told["text"].as_str().unwrap().contains("not JSON"), "{told}");
    talk.say_as(&id, "chat", chat("saya"));
    assert_eq!(talk.event("task_complete")["goal"], "task saya");
    assert!(gate.end().contains("it is kept as it was in"));
    let aside = logs(&env).1;
    assert_eq!((aside.len(), fs::read(&aside[0]).unwrap()), (1, damaged));
    // A log of somebody else under this name is nobody's.
    let text = fs::read_to_string(log).unwrap();
    let root = env.root().display().to_string();
    for other in [
        text.replace("\"person\":\"cli:", "\"person\":\"telegram:"),
        text.replace(&format!("\"root\":\"{root}\""), "\"root\":\"/elsewhere\""),
    ] {
        assert_ne!(other, text);
        fs::write(log, other).unwrap();
        let gate = Gate::open(&env);
        let mut talk = gate.greet();
        talk.say_as(&Uuid::new_v4().to_string(), "chat", chat("sayb"));
        talk.event("task_complete");
        assert!(gate.end().contains("is the log of another conversation"));
    }
    assert_eq!(logs(&env).1.len(), 3);
    // What cannot be read at all.
    fs::remove_file(log).unwrap();
    fs::create_dir(log).unwrap();
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", chat("sayc"));
    assert_eq!(talk.event("task_complete")["outcome"], "done");
    drop(gate);
    assert_eq!(logs(&env).1.len(), 4);
}

/// Much that is over does not hold up what is not.
#[test]
fn a_long_log_is_shortened_and_nothing_unfinished_is_lost() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", chat("saya"));
    talk.event("task_complete");
    gate.end();
    let log = logs(&env).0.remove(0);
    let text = fs::read_to_string(&log).unwrap();
    let ended = text.lines().find(|line| line.contains("\"what\":\"ended\"")).unwrap();
    let mut ended: Value = serde_json::from_str(ended).unwrap();
    ended["ended"]["answer"] = "long ".repeat(10_000).into();
    let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
    for _ in 0..1_000 {
        ended["id"] = Uuid::new_v4().to_string().into();
        writeln!(file, "{ended}").unwrap();
    }
    let waits = Uuid::new_v4().to_string();
    let taken = json!({
        "what": "taken", "id": waits, "content": "task waits", "channel": "cli",
        "user": talk.heard[0]["user_id"], "at": "2026-01-01T00:00:00Z",
    });
    writeln!(file, "{taken}").unwrap();
    drop(file);
    let before = log.metadata().unwrap().len();
    assert!(before > 50_000_000, "{before}");
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let asked = talk.until("approval_request")["data"].take();
    talk.say("approval_response", once(&asked));
    talk.find(|it| it["data"]["goal"] == "task waits" && it["data"]["outcome"] == "done");
    assert!(log.metadata().unwrap().len() < before / 3);
    assert_eq!(times(&env, "waits"), 1);
    drop(gate);
}

/// Who is one person changes while an approval waits: whoever asked for it answers, nobody else.
#[test]
fn same_person_is_changed() {
    let model = obedient();
    let env = bench(&model);
    let settings = model.settings();
    let wait = |env: &TestEnv, task: &str| {
        let mut gate = Gate::open(env);
        let mut talk = gate.greet();
        talk.say("chat", chat(task));
        let asked = talk.until("approval_request")["data"].take();
        gate.child.kill().unwrap();
        gate.child.wait().unwrap();
        (talk.heard[0]["user_id"].as_str().unwrap().to_owned(), asked)
    };
    let answer = |env: &TestEnv, asked: &Value, task: &str| {
        let gate = Gate::open(env);
        let mut talk = gate.greet();
        let again = talk.until("approval_request")["data"].take();
        assert_eq!(again["request_id"], asked["request_id"]);
        talk.say("approval_response", once(&again));
        assert_eq!(talk.event("approval_settled")["answer"], "once");
        until("it is done", || times(env, task) == 1);
        talk.say("command", json!({ "name": "status" }));
        gate.end();
    };
    let (user, asked) = wait(&env, "joined");
    env.write_settings(&format!("{settings}gateway.same_person: [\"telegram:1 cli:{user}\"]\n"));
    answer(&env, &asked, "joined");
    // And apart again: the conversation is telegram's, the message was not.
    let (_, asked) = wait(&env, "apart");
    env.write_settings(&settings);
    answer(&env, &asked, "apart");
}

/// A message that comes again with other words is not taken for the same, also once it is done.
#[test]
fn an_id_that_is_used_twice() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let id = talk.say("chat", chat("saya"));
    talk.event("task_complete");
    talk.say_as(&id, "chat", chat("sayb"));
    let refused = talk.until("error");
    assert_eq!(refused["data"]["detail"], "another message was sent with this id");
    assert_eq!(refused["data"]["reply_to"], id.as_str());
    drop(gate);
}

/// What was cut off is told to whoever comes in next, once; `status` comes first.
#[test]
fn what_was_cut_off_is_told_once() {
    let model = obedient();
    let env = bench(&model);
    let mut gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", chat("a"));
    let asked = talk.until("approval_request")["data"].take();
    talk.say("approval_response", once(&asked));
    talk.event("calling");
    gate.child.kill().unwrap();
    gate.child.wait().unwrap();
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    assert_eq!(talk.heard[0]["type"], "status");
    talk.say("command", json!({ "name": "repo" }));
    talk.until("response");
    let ends = |talk: &Talk<UnixStream>| {
        let is_end = |it: &&Value| it["data"]["event"] == "task_complete";
        talk.heard.iter().filter(is_end).map(|it| it["data"]["outcome"].clone()).collect::<Vec<_>>()
    };
    // Killed within the call, it was cut off; or it had ended by then.
    assert!(matches!(&ends(&talk)[..], [only] if only == "cut off"), "{:#?}", talk.heard);
    let mut next = gate.greet();
    next.say("command", json!({ "name": "repo" }));
    next.until("response");
    assert!(ends(&next).is_empty(), "{:#?}", next.heard);
    drop(gate);
}

/// Before the hello no more is read than it may have, whatever a frame says of its length.
#[test]
fn the_first_message_is_not_gathered() {
    let env = plain();
    let gate = Gate::open(&env);
    let mut talk = gate.enter_own();
    // A frame of half a megabyte, of which more than a hello comes and no end.
    let mut bytes = vec![0x81, 0xff, 0, 0, 0, 0, 0, 8, 0, 0, 1, 2, 3, 4];
    bytes.resize(100 * 1024, b' ');
    talk.socket.get_mut().write_all(&bytes).unwrap();
    assert_eq!(talk.closed(), 1009);
    assert!(talk.error()["detail"].as_str().unwrap().contains("at most 65536 bytes"));
    // Behind the hello a long one is read, though it comes with it.
    let mut talk = gate.enter_own();
    talk.say("status", json!({ "version": 1 }));
    talk.send(Message::text("x".repeat(512 * 1024)));
    talk.until("error");
    assert!(talk.error()["detail"].as_str().unwrap().contains("not JSON"));
}

/// What goes on and waits is said to whoever asks.
#[test]
fn status_says_what_waits() {
    let model = obedient();
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    talk.say("chat", chat("a"));
    talk.until("approval_request");
    talk.say("chat", chat("sayb"));
    talk.find(|it| it["data"]["queued"] == 1);
    let id = talk.say("command", json!({ "name": "status" }));
    let told = talk.find(|it| it["type"] == "response" && it["data"]["reply_to"] == id.as_str());
    let told = told["data"]["content"].as_str().unwrap();
    assert!(told.contains("1 approval to answer\n- shell_execute: "), "{told}");
    let said = env.ok(&["gateway", "status"]).stdout();
    assert!(said.contains(" in repo: a run goes on: task a; 1 behind it\n"), "{said}");
    assert!(said.contains("  waits for an answer: shell_execute: in "), "{said}");
    let wire = env.json(&["gateway", "status", "--json"]).remove(0);
    assert_eq!((&wire["clients"], &wire["conversations"][0]["queued"]), (&json!(1), &json!(1)));
    drop(gate);
}

/// A line that is too long for a message is said to be, and the others are answered.
#[test]
fn a_long_line_of_a_script() {
    let env = plain();
    let _gate = Gate::open(&env);
    let command = |name: &str| {
        json!({ "type": "command", "id": Uuid::new_v4(), "data": { "name": name } }).to_string()
    };
    let long = "x".repeat(1024 * 1024 + 1);
    let input = format!("{}\n{long}\n{}\n", command("status"), command("repo"));
    let output = env.run_with(&["gateway", "connect", "--json"], input.as_bytes());
    assert_eq!(output.code, Some(0), "{output}");
    let all = output.json();
    let of = |kind: &str| all.iter().filter(|it| it["type"] == kind).collect::<Vec<_>>();
    assert_eq!((of("response").len(), of("error").len()), (2, 1), "{all:#?}");
    assert!(of("error")[0]["data"]["hint"].as_str().unwrap().contains("POST /attachment"));
}

/// What fails at the start leaves nothing that somebody would take for a gateway.
#[test]
fn a_start_that_fails() {
    let env = plain();
    fs::create_dir_all(state(&env, "")).unwrap();
    fs::write(state(&env, "conversations"), "a file where a folder belongs").unwrap();
    let output = env.run(&["gateway", "--port", "0"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(!state(&env, "gateway.json").exists() && !state(&env, "gateway.sock").exists());
    fs::remove_file(state(&env, "conversations")).unwrap();
    Gate::open(&env).greet();
}

/// Made sure of from anywhere, where the settings say what is served; what is said of how is not lost
/// silently.
#[test]
fn made_sure_of_from_anywhere() {
    let env = plain();
    env.git(&["init", "--quiet", env.outside().join("home/notes").to_str().unwrap()]);
    env.write_settings("gateway.repositories: [notes]\n");
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    assert_eq!(talk.hello()["data"]["repositories"], json!(["notes"]));
    let nowhere = env.outside().join("nowhere");
    fs::create_dir(&nowhere).unwrap();
    let ensured = env.run_in(&nowhere, &["gateway", "--ensure"]);
    assert_eq!((ensured.code, ensured.stderr()), (Some(0), String::new()), "{ensured}");
    let ensured = env.run_in(&nowhere, &["gateway", "--ensure", "--rate", "7"]);
    assert!(ensured.stderr().contains("runs already, as it was started"), "{ensured}");
    drop(gate);
    env.write_settings("gateway.repositories: [.]\n");
    let refused = env.run_in(&nowhere, &["gateway", "--ensure"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr().contains("gateway.repositories"), "{refused}");
}
