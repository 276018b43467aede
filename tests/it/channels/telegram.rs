//! A person who was let in, at Telegram.

use elophanto_channels::fake::telegram::private;
use serde_json::json;

use super::{ADA, Harbour};
use crate::{
    fake::script::{Model, Turn, call, text, words},
    gateway::{
        runs::{obedient, times},
        until,
    },
};

#[test]
fn a_conversation() {
    let harbour = Harbour::new(obedient());
    let gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    let asked = harbour.platform.say(ADA, "task sayhello");
    let answer = harbour.hear(ADA, "It is sayhello.");
    assert_eq!(answer.answers, Some(asked));
    // Commands are answered too, and the platform knows which there are.
    harbour.platform.say(ADA, "/search otters");
    harbour.hear(ADA, "README.md");
    harbour.platform.say(ADA, "/start");
    harbour.hear(ADA, "/undo");
    harbour.platform.say(ADA, "/mode full");
    harbour.hear(ADA, "a channel may only narrow");
    harbour.platform.say(ADA, "!touch made.txt");
    harbour.hear(ADA, "this is done on this machine only");
    let names: Vec<String> = harbour
        .platform
        .commands()
        .iter()
        .map(|command| command["command"].as_str().unwrap().to_owned())
        .collect();
    assert!(names.contains(&"undo".to_owned()) && !names.contains(&"quit".to_owned()), "{names:?}");
    // Nothing that is sent has links looked at.
    assert!(harbour.platform.sent().iter().all(|sent| !sent.has_preview));
    let listed = harbour.listed();
    assert_eq!(listed["people"][0]["id"], ADA.to_string());
    assert_eq!(listed["people"][0]["approves"], false);
    // The token is in nothing that is said or kept.
    let words = gate.end();
    assert!(!words.contains("harbour-token"), "{words}");
    assert!(!harbour.env.path("made.txt").exists());
}

#[test]
fn an_approval_is_answered_by_a_button() {
    let harbour = Harbour::new(obedient());
    let gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.platform.say(ADA, "task a");
    let shown = harbour.wait(ADA, |sent| !sent.buttons.is_empty());
    assert!(shown.text.contains("echo a >> ran.txt"), "{shown:?}");
    assert!(shown.is_marked_up);
    // A button that says something else than those that are there.
    let forged = json!({ "id": "forged", "chat_instance": "1",
        "data": shown.buttons[0][0].1.replacen("once", "rule", 1),
        "from": { "id": ADA, "is_bot": false, "first_name": "Ada" },
        "message": { "message_id": shown.message, "date": 0,
            "chat": { "id": ADA, "type": "private" } } });
    harbour.platform.happens("callback_query", forged);
    harbour.settle();
    assert_eq!(times(&harbour.env, "a"), 0);
    let press = harbour.platform.press(ADA, ADA, shown.message, "Once").unwrap();
    until("it is said what came of it", || harbour.platform.pressed(&press).is_some());
    harbour.hear(ADA, "Done with a.");
    assert_eq!(times(&harbour.env, "a"), 1);
    // It is said where it was asked, and cannot be pressed again.
    let settled = harbour.hear(ADA, "Yes, once (telegram)");
    assert_eq!((settled.message, settled.buttons.len()), (shown.message, 0));
    harbour.hear(ADA, "ran.txt");
    harbour.platform.say(ADA, "task b");
    let shown = harbour.wait(ADA, |sent| sent.text.contains("echo b") && !sent.buttons.is_empty());
    harbour.platform.press(ADA, ADA, shown.message, "No");
    harbour.hear(ADA, "❌ No");
    harbour.hear(ADA, "Done with b.");
    assert_eq!(times(&harbour.env, "b"), 0);
    drop(gate);
}

/// Who may write and is not listed answers nothing.
#[test]
fn approvers_are_listed_apart() {
    let harbour = Harbour::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    harbour.platform.say(ADA, "task a");
    // Nobody waits for what nobody may answer.
    harbour.wait(ADA, |sent| sent.text.contains("not approve anything"));
    assert!(harbour.platform.sent().iter().all(|sent| sent.buttons.is_empty()));
    until("it is over", || {
        !harbour.run(&["gateway", "status", "--json"]).stdout().contains("echo a")
    });
    assert_eq!(times(&harbour.env, "a"), 0);
    // Listed from now on, they are asked.
    let listed = harbour.run(&["channel", "approve", "telegram", &ADA.to_string()]);
    assert_eq!(listed.code, Some(0), "{listed}");
    // Who is listed is looked up from time to time.
    let shown = (0..20)
        .find_map(|number| {
            harbour.platform.say(ADA, &format!("task b{number}"));
            std::thread::sleep(std::time::Duration::from_secs(2));
            harbour.platform.sent().into_iter().find(|sent| !sent.buttons.is_empty())
        })
        .expect("it is asked");
    let no_more = ["channel", "approve", "telegram", &ADA.to_string(), "--no-more"];
    assert_eq!(harbour.run(&no_more).code, Some(0));
    let press = harbour.platform.press(ADA, ADA, shown.message, "Once").unwrap();
    until("it is said", || harbour.platform.pressed(&press).is_some());
    assert_eq!(harbour.platform.pressed(&press).unwrap(), "You may not answer approvals.");
    assert_eq!(times(&harbour.env, "a"), 0);
}

#[test]
fn what_others_wrote_taints() {
    let harbour = Harbour::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.platform.message(private(
        ADA,
        json!({ "text": "task saybad", "forward_origin":
        { "type": "hidden_user", "sender_user_name": "x", "date": 0 } }),
    ));
    // It is no order: what was asked for is to look at it.
    until("it is looked at", || {
        harbour.model.prompts().iter().any(|prompt| prompt.contains("forwarded.txt"))
    });
    let prompts = harbour.model.prompts();
    let prompt = prompts.iter().find(|it| it.contains("forwarded.txt")).unwrap();
    assert!(prompt.contains("See what is attached."), "{prompt}");
    assert!(!prompt.contains("user: task saybad"), "{prompt}");
}

#[test]
fn files_both_ways() {
    let long = "Otters hold hands while they sleep. ".repeat(60);
    let long: String = (0..12).map(|number| format!("{number}: {long}\n\n")).collect();
    let model = Model::start(json!({}), move |seen, _| match words(&seen.body) {
        said if said.contains("at length") => text(&long),
        said if said.contains("PEBBLES") => text("They keep pebbles."),
        _ => text("Nothing."),
    });
    let harbour = Harbour::new(model);
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    harbour.platform.hand_over(
        ADA,
        "otters.md",
        b"# Otters\n\nPEBBLES are kept.\n",
        "What is kept?",
    );
    harbour.hear(ADA, "They keep pebbles.");
    harbour.platform.say(ADA, "Tell me at length");
    harbour.hear(ADA, "All of it is in the file.");
    let sent = harbour.platform.sent();
    let (name, whole) = sent.iter().find_map(|sent| sent.file.clone()).unwrap();
    assert!(name == "answer.md" && whole.contains("11: Otters"), "{name}");
    // What is not understood is said, and no run begins.
    let before = harbour.model.asked().len();
    harbour.platform.hand_over(ADA, "a.bin", b"\x7fELF\x00\x01\x02\x03", "");
    harbour.hear(ADA, "neither a picture nor a text");
    harbour.platform.message(private(
        ADA,
        json!({ "document": { "file_id": "huge",
        "file_name": "huge.iso", "file_size": 2_000_000_000_u64 } }),
    ));
    harbour.hear(ADA, "huge.iso: it has more than 20971520 bytes");
    harbour.platform.message(private(ADA, json!({ "sticker": { "file_id": "s" } })));
    harbour.hear(ADA, "What is in stickers is not understood");
    assert_eq!(harbour.model.asked().len(), before);
}

/// An answer appears as it is made, in one message, and markup that is none is sent as it stands.
#[test]
fn answers_are_marked_up() {
    let said = "**Bold** & <b>raw</b> [here](https://evil.test/?q=secret)\n\n```sh\nls -l <x>\n```";
    let harbour = Harbour::new(Model::script(vec![text(said)]));
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    harbour.platform.say(ADA, "Show me");
    let answer = harbour.hear(ADA, "ls -l <x>");
    assert!(answer.is_marked_up && !answer.has_preview, "{answer:?}");
    assert!(answer.text.contains("Bold & <b>raw</b> here (https://evil.test/?q=secret)"));
    assert_eq!(harbour.count(ADA, "ls -l <x>"), 1);
}

/// The one who answers a question does so in the words of the agent's choice, or their own.
#[test]
fn a_question_is_answered() {
    let model = Model::start(json!({}), |seen, _| {
        let messages = seen.body["messages"].as_array().unwrap();
        let last = messages.last().unwrap();
        match last["role"] == "tool" {
            true => text(&format!("So: {}", last["content"].as_str().unwrap_or_default())),
            false => call("ask_user", json!({ "question": "Which harbour?" })),
        }
    });
    let harbour = Harbour::new(model);
    let _gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.platform.say(ADA, "Sail");
    let asked = harbour.hear(ADA, "Which harbour?");
    harbour.platform.message(private(
        ADA,
        json!({ "text": "The old one", "reply_to_message":
        { "message_id": asked.message, "date": 0, "chat": { "id": ADA, "type": "private" },
          "from": { "id": 7, "is_bot": true, "first_name": "Harbour" } } }),
    ));
    harbour.hear(ADA, "The old one");
}

/// Telegram says that it is too much, takes no markup, or forgets a topic: everything arrives.
#[test]
fn the_platform_is_heeded() {
    let harbour = Harbour::new(Model::script(vec![Turn::Text("Well.".to_owned())]));
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    harbour.platform.limit(2);
    harbour.platform.message(private(
        ADA,
        json!({ "text": "Are you well?", "is_topic_message": true,
        "message_thread_id": 4 }),
    ));
    let answer = harbour.hear(ADA, "Well.");
    assert_eq!(answer.thread, None);
    harbour.platform.thread(5, true);
    harbour.platform.message(private(
        ADA,
        json!({ "text": "And now?", "is_topic_message": true,
        "message_thread_id": 5 }),
    ));
    harbour.wait(ADA, |sent| sent.thread == Some(5) && sent.text.contains("Well."));
    let asked = harbour.platform.asked();
    assert!(asked.iter().all(|name| name != "sendPhoto"), "{asked:?}");
}

/// A discovery is told where the user is, and a reaction to it counts as to what came unasked.
#[test]
fn discoveries_are_told() {
    let harbour = Harbour::with(
        Model::script(vec![text("Aye.")]),
        "notify.sinks: [telegram]\nlearn.sources: [files]\n",
    );
    harbour.env.write("otters.md", "# Sea otters\n\nSea otters hold hands while they sleep.\n");
    let learn = || harbour.run(&["learn", "sea otters", "--from", "otters.md"]);
    let before = learn();
    assert!(before.stderr().contains("nobody answers approvals there"), "{before}");
    let _gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    let text =
        "The KEF LS50 Meta weighs 7.8 kg.\n\nThe KEF LS50 Meta was released in September 2020.\n";
    harbour.env.write("speaker.md", text);
    let learned = harbour.run(&["learn", "KEF LS50 Meta", "--from", "speaker.md"]);
    assert_eq!(learned.code, Some(0), "{learned}");
    let told = harbour.wait(ADA, |sent| sent.text.contains("I just"));
    assert!(told.text.contains("• ") && !told.has_preview, "{told:?}");
    let lowest = || {
        let all = harbour.env.json(&["interests", "--json"]);
        let scores = all.iter().filter_map(|it| it["score"].as_f64());
        scores.fold(f64::INFINITY, f64::min)
    };
    let before = lowest();
    harbour.platform.react(ADA, ADA, told.message, "👎");
    until("it drops", || lowest() < before - 0.7);
}
