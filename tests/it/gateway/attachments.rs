//! Files that go with a message: handed over before, or within it; told by their bytes, and from outside.

use std::{
    io::Write,
    os::unix::{fs::PermissionsExt, net::UnixStream},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{
    Answer, Gate, answer, bench,
    pages::{exchange, ticket},
    state, until,
};
use crate::fake::script::{Model, text, words};

/// A picture of one point.
const POINT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn hand_over(gate: &Gate<'_>, name: &str, bytes: &[u8]) -> Answer {
    let mut stream = UnixStream::connect(state(gate.env, "gateway.sock")).unwrap();
    let head = format!(
        "POST /attachment HTTP/1.1\r\nHost: localhost\r\nx-elophanto-name: {name}\r\n\
         Content-Length: {}\r\n\r\n",
        bytes.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // One that is too long is refused before all of it is read.
    let _ = stream.write_all(bytes);
    answer(&mut stream, "")
}

/// Text is quoted and taints, pictures are shown, and nothing of where they lie is told.
#[test]
fn files_and_pictures() {
    let model = Model::start(json!({}), |_, _| text("Seen."));
    let env = bench(&model);
    env.write_settings(&format!("{}llm.images: always\n", model.settings()));
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let notes = b"# Otters\n\nThe plan is to swim at noon.\n";
    let kept = hand_over(&gate, "..%2F..%2Fplan.md", notes);
    assert_eq!((kept.status, &kept.json()["kind"]), (200, &json!("text")), "{kept:?}");
    let id = kept.json()["id"].as_str().unwrap().to_owned();
    let picture = json!({ "name": "point.png", "data": POINT });
    let said = json!({ "content": "What is this?", "attachments": [id, picture] });
    let message = talk.say("chat", said.clone());
    let tainted = talk.event("tainted");
    assert!(tainted["origin"].as_str().unwrap().contains("plan.md"), "{tainted}");
    talk.event("task_complete");
    let asked = model.asked();
    let body = asked.iter().map(|seen| seen.to_string()).collect::<String>();
    assert!(body.contains("The plan is to swim at noon."), "{body}");
    assert!(body.contains("data:image/png;base64,"), "{body}");
    let folder = state(&env, "attachments");
    assert!(!body.contains(folder.to_str().unwrap()) && !body.contains(".local/state"), "{body}");
    // Sent again it is the same message, without another copy of the picture.
    let count = || std::fs::read_dir(&folder).unwrap().count();
    let before = count();
    talk.say_as(&message, "chat", said);
    talk.event("task_complete");
    assert_eq!((count(), model.asked().len()), (before, asked.len()));
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let mode = entry.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

/// What goes with a message that cannot be said goes with no other.
#[test]
fn files_belong_to_their_message() {
    let model = Model::start(json!({}), |_, _| text("Seen."));
    let env = bench(&model);
    let gate = Gate::open(&env);
    let mut talk = gate.greet();
    let file = json!({ "name": "plan.md", "data": STANDARD.encode("# Otters\n\nAt noon.\n") });
    let said = json!({ "content": "@README.md:9-2 and this", "attachments": [file] });
    let id = talk.say("chat", said);
    let told = talk.find(|it| it["type"] == "error" && it["data"]["reply_to"] == id.as_str());
    assert!(told["data"]["detail"].as_str().unwrap().contains("there are no lines"), "{told}");
    talk.say("chat", json!({ "content": "What now?" }));
    talk.find(|it| it["data"]["goal"] == "What now?" && it["data"]["outcome"] == "done");
    let asked = model.asked().iter().map(|seen| seen.to_string()).collect::<String>();
    assert!(asked.contains("What now?") && !asked.contains("At noon."), "{asked}");
    // Of one that is gone meanwhile the model is told that it was meant.
    let kept = hand_over(&gate, "gone.md", b"# Otters\n").json()["id"].as_str().unwrap().to_owned();
    let told = talk.say("chat", json!({ "content": "!sleep 2" }));
    let chat = json!({ "content": "And this?", "attachments": [kept] });
    until("it has begun", || {
        talk.say("command", json!({ "name": "status" }));
        let told = talk.until("response")["data"]["content"].as_str().unwrap().to_owned();
        told.contains("a run goes on: sleep 2")
    });
    talk.say("chat", chat);
    talk.find(|it| it["data"]["queued"] == 1);
    std::fs::remove_file(state(&env, "attachments").join(&kept)).unwrap();
    talk.find(|it| it["type"] == "response" && it["data"]["reply_to"] == told.as_str());
    talk.find(|it| it["data"]["goal"] == "And this?" && it["data"]["outcome"] == "done");
    let asked = model.asked().iter().map(|seen| seen.to_string()).collect::<String>();
    assert!(asked.contains("is not there any more"), "{asked}");
}

/// What is no picture and no text, too long, unknown, or comes with a command.
#[test]
fn files_that_are_refused() {
    let model = Model::start(json!({}), |seen, _| text(&words(&seen.body)));
    let env = bench(&model);
    let gate = Gate::open(&env);
    let refused = hand_over(&gate, "a.png", b"\x7fELF\x00\x01\x02\x03");
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(refused.json()["error"].as_str().unwrap().contains("neither a picture nor a text"));
    let long = vec![b'a'; (20 << 20) + 1];
    assert_eq!(hand_over(&gate, "a.txt", &long).status, 413);
    // Over TCP with the token alone.
    let request = |more: &str| {
        format!(
            "POST /attachment HTTP/1.1\r\nHost: {}\r\n{more}Content-Length: 2\r\n\r\nhi",
            gate.host()
        )
    };
    assert_eq!(gate.send(&request("")).status, 401);
    assert_eq!(gate.send(&request("Cookie: elophanto_1=x\r\n")).status, 401);
    let bearer = format!("Authorization: {}\r\n", gate.bearer());
    assert_eq!(gate.send(&request(&bearer)).status, 200);
    let page = format!("{bearer}Origin: https://evil.example\r\n");
    assert_eq!(gate.send(&request(&page)).status, 403);
    // Below the path of pages by our own script with a cookie alone.
    let cookie = exchange(&gate, &ticket(&gate), &[]).header("set-cookie").unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap();
    let own = format!("http://{}", gate.host());
    let ours = format!("Cookie: {cookie}\r\nOrigin: {own}\r\nx-elophanto: page\r\n");
    for (headers, status) in [
        (ours.clone(), 200),
        (ours.replace(&own, "http://127.0.0.1:1"), 403),
        (ours.replace("x-elophanto: page\r\n", ""), 401),
        (ours.replace(cookie, "elophanto_1=x"), 401),
        (bearer.clone(), 403),
    ] {
        let request = request(&headers).replace("/attachment", &gate.below("attachment"));
        assert_eq!(gate.send(&request).status, status, "{headers}");
    }

    let mut talk = gate.greet();
    let unknown = "6f2c1f2e-52a5-4c43-9fb4-0e9f0f2d3b7a";
    let binary = STANDARD.encode([0, 1, 2, 3]);
    for (content, attachments, detail) in [
        ("x", json!([unknown]), "no file was handed over under this id"),
        ("x", json!(["../../etc/passwd"]), "does not fit"),
        ("x", json!([{ "id": unknown }]), "an attachment is the id of a file that was handed over"),
        ("x", json!([{ "name": "a", "data": "%" }]), "no Base64"),
        ("x", json!([{ "name": "a", "data": binary }]), "neither a picture nor a text"),
        ("x", json!([{ "name": "a", "data": "", "path": "/etc/passwd" }]), "does not fit"),
        ("x", json!(vec![unknown; 11]), "11 files with one message"),
        ("/status", json!([unknown]), "not with commands"),
    ] {
        let id = talk.say("chat", json!({ "content": content, "attachments": attachments }));
        let told = talk.find(|it| it["type"] == "error" && it["data"]["reply_to"] == id.as_str());
        let said = told["data"]["detail"].as_str().unwrap().to_owned();
        assert!(said.contains(detail), "{content} {attachments}: {said}");
    }
    assert_eq!(model.asked().len(), 0, "a message was taken");
    // What came within messages that were refused is not kept.
    let kept = || std::fs::read_dir(state(&env, "attachments")).unwrap().count();
    let before = kept();
    let note = json!({ "name": "a.md", "data": STANDARD.encode("# Otters\n") });
    let bad = json!({ "name": "b", "data": "%" });
    talk.say("chat", json!({ "content": "x", "attachments": [note, bad] }));
    talk.find(|it| it["data"]["detail"].as_str().is_some_and(|it| it.contains("no Base64")));
    assert_eq!(kept(), before);
    let _: Value = talk.hello();
}
