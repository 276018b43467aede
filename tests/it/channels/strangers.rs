//! Whoever was not let in, and whatever is no message of a person who was.

use elophanto_channels::fake::telegram::{NAME, private};
use serde_json::{Value, json};

use super::{ADA, EVE, Harbour, MALLORY};
use crate::{
    fake::script::{Model, text},
    gateway::runs::{obedient, times},
};

fn code(text: &str) -> String {
    text.rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn a_stranger_gets_one_line() {
    let harbour = Harbour::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    let before = harbour.model.asked().len();
    harbour.telegram.say(EVE, "task a");
    let line = harbour.hear(EVE, "This bot is private");
    harbour.telegram.say(EVE, "task a");
    harbour.telegram.say(EVE, "/status");
    // A code is confirmed on the user's machine, and not where it was said.
    harbour.telegram.say(EVE, &code(&line.text));
    harbour.telegram.say(EVE, &format!("/channel pair {}", code(&line.text)));
    harbour.telegram.say(MALLORY, "task a");
    harbour.hear(MALLORY, "channel pair");
    harbour.telegram.say(68, "x");
    harbour.hear(68, "channel pair");
    // Three wait: the fourth is told no code.
    harbour.telegram.say(69, "x");
    let fourth = harbour.hear(69, "This bot is private");
    assert!(!fourth.text.contains("channel pair"), "{fourth:?}");
    harbour.settle();
    assert_eq!(harbour.telegram.texts(EVE).len(), 1);
    assert_eq!(harbour.model.asked().len(), before);
    let listed = harbour.listed();
    assert_eq!(listed["people"].as_array().unwrap().len(), 1);
    assert_eq!(listed["waiting"].as_array().unwrap().len(), 3);
    let wrong = harbour.run(&["channel", "pair", "AAAAAAAA"]);
    assert!(wrong.code == Some(2) && wrong.stderr().contains("nobody waits"), "{wrong}");
    // Let in, and left out again: at once.
    let paired = harbour.run(&["channel", "pair", &code(&line.text)]);
    assert_eq!(paired.code, Some(0), "{paired}");
    harbour.hear(EVE, "You are in");
    harbour.run(&["channel", "leave-out", "telegram", &EVE.to_string()]);
    harbour.telegram.say(EVE, "task say1");
    harbour.settle();
    assert_eq!(harbour.model.asked().len(), before);
}

/// A stranger's button, reaction and edit, a bot, an account of the same name, and one that speaks for a
/// channel: nothing is done, and nothing is said.
#[test]
fn nobody_else_does_anything() {
    let harbour = Harbour::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.telegram.say(ADA, "task a");
    let shown = harbour.wait(ADA, |sent| !sent.buttons.is_empty());
    let press = harbour.telegram.press(EVE, ADA, shown.message, "Once").unwrap();
    harbour.telegram.react(EVE, ADA, shown.message, "👍");
    let from = |from: Value| {
        let mut message = private(EVE, json!({ "text": "task say2" }));
        message["from"] = from;
        message
    };
    harbour.telegram.message(from(json!({ "id": ADA, "is_bot": true, "first_name": "Ada" })));
    harbour.telegram.message(from(Value::Null));
    let mut speaker = private(ADA, json!({ "text": "task say3" }));
    speaker["sender_chat"] = json!({ "id": -100, "type": "channel", "title": "Ada" });
    harbour.telegram.message(speaker);
    let mut edited = private(EVE, json!({ "text": "task say4", "message_id": 3, "date": 0 }));
    harbour.telegram.happens("edited_message", edited.clone());
    harbour.settle();
    assert_eq!(harbour.telegram.pressed(&press), None);
    assert_eq!(times(&harbour.env, "a"), 0);
    assert!(harbour.telegram.texts(EVE).is_empty(), "{:?}", harbour.telegram.texts(EVE));
    // What somebody known changes afterwards is not done either, and that is said.
    edited["from"] = json!({ "id": ADA, "is_bot": false, "first_name": "Ada" });
    edited["chat"] = json!({ "id": ADA, "type": "private" });
    harbour.telegram.happens("edited_message", edited);
    harbour.hear(ADA, "not read again");
    // The same name is another person.
    harbour.telegram.message(private(EVE, json!({ "text": "task say5" })));
    harbour.hear(EVE, "This bot is private");
    let prompts = harbour.model.prompts().join("\n");
    assert!((2..6).all(|number| !prompts.contains(&format!("task say{number}"))), "{prompts}");
}

fn in_group(from: i64, text: &str) -> Value {
    let entities = match text.find('@') {
        Some(at) => json!([{ "type": "mention", "offset": at, "length": NAME.len() + 1 }]),
        None => json!([]),
    };
    json!({ "chat": { "id": -500, "type": "supergroup", "title": "Harbour" }, "text": text,
        "entities": entities, "from": { "id": from, "is_bot": false, "first_name": "Ada" } })
}

#[test]
fn groups() {
    for is_on in [false, true] {
        let settings = if is_on { "gateway.groups: true\n" } else { "" };
        let harbour = Harbour::with(obedient(), settings);
        let _gate = harbour.gate();
        harbour.let_in(ADA, &["--approve"]);
        let before = harbour.model.asked().len();
        let called = |from, words: &str| {
            harbour.telegram.message(in_group(from, &format!("@{NAME} {words}")));
        };
        called(EVE, "otters");
        harbour.telegram.message(in_group(ADA, "otters swim, do they?"));
        called(ADA, "/undo");
        called(ADA, "!touch made.txt");
        called(ADA, "task otters");
        harbour.settle();
        if is_on {
            // What the notes say, and nothing else, whoever asks.
            harbour.hear(-500, "README.md");
            harbour.hear(-500, "only what the notes say");
        }
        let said = harbour.telegram.texts(-500);
        assert_eq!(said.is_empty(), !is_on, "{said:?}");
        assert_eq!(harbour.model.asked().len(), before);
        assert!(!harbour.env.path("made.txt").exists() && !harbour.env.path("ran.txt").exists());
    }
}

#[test]
fn a_bot_is_set_up_and_taken_away() {
    let harbour = Harbour::new(Model::script(vec![text("Yes.")]));
    let tested = harbour.run(&["channel", "test", "telegram"]);
    assert!(tested.stdout().contains("telegram knows your bot as harbour_bot"), "{tested}");
    // Another token: of nobody, or no token at all.
    for (token, expected) in
        [("7:AAother", "Unauthorized"), ("no token", "it is none of Telegram's")]
    {
        let mut command = harbour.command(&["channel", "add", "telegram"]);
        let refused = crate::env::finish(command.env("TELEGRAM_BOT_TOKEN", token));
        assert!(refused.code == Some(2) && refused.stderr().contains(expected), "{refused}");
        assert!(!refused.stderr().contains("AAother"), "{refused}");
    }
    harbour.telegram.revoke();
    let gate = harbour.gate();
    crate::gateway::until("it asked", || !harbour.telegram.asked().is_empty());
    std::thread::sleep(std::time::Duration::from_secs(1));
    let words = gate.end();
    assert!(words.contains("the token is not taken any more"), "{words}");
    let removed = harbour.run(&["channel", "remove", "telegram", "--json"]);
    assert_eq!(removed.json()[0]["removed"], true);
    assert_eq!(harbour.run(&["channel", "list"]).code, Some(1));
    assert_eq!(harbour.run(&["channel", "test", "telegram"]).code, Some(2));
}

/// Another program asks for what comes to the bot: that is said, and the gateway goes on afterwards.
#[test]
fn two_programs_with_one_bot() {
    let harbour = Harbour::new(Model::script(vec![text("Yes.")]));
    let gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    harbour.telegram.webhook(true);
    harbour.telegram.say(ADA, "Are you there?");
    std::thread::sleep(std::time::Duration::from_secs(1));
    harbour.telegram.webhook(false);
    harbour.hear(ADA, "Yes.");
    let words = gate.end();
    assert!(words.contains("another program is at work with this bot"), "{words}");
}
