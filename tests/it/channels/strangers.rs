//! Whoever was not let in, and whatever is no message of a person who was.

use elophanto_channels::fake::telegram::{NAME, private};
use serde_json::{Value, json};

use super::{ADA, EVE, Harbour};
use crate::{
    fake::script::{Model, text},
    gateway::runs::{obedient, times},
};

/// A stranger's button, reaction and edit, a bot, an account of the same name, and one that speaks for a
/// channel: nothing is done, and nothing is said.
#[test]
fn nobody_else_does_anything() {
    let harbour = Harbour::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.platform.say(ADA, "task a");
    let shown = harbour.wait(ADA, |sent| !sent.buttons.is_empty());
    let press = harbour.platform.press(EVE, ADA, shown.message, "Once").unwrap();
    harbour.platform.react(EVE, ADA, shown.message, "👍");
    let from = |from: Value| {
        let mut message = private(EVE, json!({ "text": "task say2" }));
        message["from"] = from;
        message
    };
    harbour.platform.message(from(json!({ "id": ADA, "is_bot": true, "first_name": "Ada" })));
    harbour.platform.message(from(Value::Null));
    let mut speaker = private(ADA, json!({ "text": "task say3" }));
    speaker["sender_chat"] = json!({ "id": -100, "type": "channel", "title": "Ada" });
    harbour.platform.message(speaker);
    let mut edited = private(EVE, json!({ "text": "task say4", "message_id": 3, "date": 0 }));
    harbour.platform.happens("edited_message", edited.clone());
    harbour.settle();
    assert_eq!(harbour.platform.pressed(&press), None);
    assert_eq!(times(&harbour.env, "a"), 0);
    assert!(harbour.platform.texts(EVE).is_empty(), "{:?}", harbour.platform.texts(EVE));
    // What somebody known changes afterwards is not done either, and that is said.
    edited["from"] = json!({ "id": ADA, "is_bot": false, "first_name": "Ada" });
    edited["chat"] = json!({ "id": ADA, "type": "private" });
    harbour.platform.happens("edited_message", edited);
    harbour.hear(ADA, "not read again");
    // The same name is another person.
    harbour.platform.message(private(EVE, json!({ "text": "task say5" })));
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
            harbour.platform.message(in_group(from, &format!("@{NAME} {words}")));
        };
        called(EVE, "otters");
        harbour.platform.message(in_group(ADA, "otters swim, do they?"));
        called(ADA, "/undo");
        called(ADA, "!touch made.txt");
        called(ADA, "task otters");
        harbour.settle();
        if is_on {
            // What the notes say, and nothing else, whoever asks.
            harbour.hear(-500, "README.md");
            harbour.hear(-500, "only what the notes say");
        }
        let said = harbour.platform.texts(-500);
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
    harbour.platform.revoke();
    let gate = harbour.gate();
    crate::gateway::until("it asked", || !harbour.platform.asked().is_empty());
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
    harbour.platform.webhook(true);
    harbour.platform.say(ADA, "Are you there?");
    std::thread::sleep(std::time::Duration::from_secs(1));
    harbour.platform.webhook(false);
    harbour.hear(ADA, "Yes.");
    let words = gate.end();
    assert!(words.contains("another program is at work with this bot"), "{words}");
}
