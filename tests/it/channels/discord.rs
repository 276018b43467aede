//! What is peculiar to Discord.

use std::time::Duration;

use elophanto_channels::fake::discord::{BOT, Discord, alone};
use serde_json::{Value, json};

use super::{
    ADA, EVE,
    stage::{Harbour, Stage},
};
use crate::{
    fake::script::{Hold, Model, shell, text, words},
    gateway::{
        runs::{obedient, times},
        until,
    },
};

const ADA_: u64 = ADA.unsigned_abs();
const EVE_: u64 = EVE.unsigned_abs();
/// A conversation in a server.
const QUAY: &str = "5000000000000000500";
/// A thread in it, which is a conversation of its own.
const THREAD: &str = "5000000000000000501";

/// Answers what was asked last.
fn echo() -> Model {
    Model::start(json!({}), |seen, _| {
        let said = words(&seen.body);
        let last = said.rsplit("question ").next().unwrap_or_default();
        let name: String = last.chars().take_while(char::is_ascii_alphanumeric).collect();
        text(&format!("Answer {name}."))
    })
}

#[test]
fn commands_and_presses() {
    let harbour = Harbour::<Discord>::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    let platform = &harbour.platform;
    // Only what people write to the bot alone is heard of.
    assert_eq!(platform.intents(), 1 << 12 | 1 << 13);
    until("commands are known", || !platform.commands().is_empty());
    let commands = platform.commands();
    let names: Vec<&str> = commands.iter().filter_map(|it| it["name"].as_str()).collect();
    assert!(names.contains(&"undo") && !names.contains(&"quit"), "{names:?}");
    assert!(commands.iter().all(|it| it["contexts"] == json!([1])), "{commands:?}");
    let said = |token: &str| {
        until("it is acknowledged", || platform.answered(token).is_some_and(|it| it.0));
        platform.answered(token).unwrap().1
    };
    let command = platform.command(ADA_, "search", "otters", Value::Null);
    assert_eq!(said(&command), ["Noted."]);
    harbour.see_text(ADA, "README.md");
    // Typed in a conversation with somebody else, or in a server: nothing is done there.
    let before = platform.sent().len();
    for more in [
        json!({ "context": 2, "channel_id": "77", "channel": { "id": "77", "type": 3 } }),
        json!({ "context": 0, "guild_id": "1", "channel_id": QUAY, "user": null,
            "member": { "user": { "id": ADA.to_string() } } }),
    ] {
        let elsewhere = platform.command(ADA_, "search", "otters", more);
        assert!(said(&elsewhere)[0].contains("where nobody else is"));
    }
    harbour.settle();
    assert_eq!(platform.sent().len(), before);
    // A message is answered to.
    let asked = platform.say(ADA_, "task a");
    let shown = harbour.see(ADA, |sent| !sent.buttons.is_empty());
    let press = platform.press(EVE_, &shown.id, "Once").unwrap();
    assert!(said(&press).is_empty());
    harbour.settle();
    assert_eq!(times(&harbour.env, "a"), 0);
    // A button that says something else than those that are there.
    let data = platform.sent().iter().find(|it| it.id == shown.id).unwrap().buttons[0].1.clone();
    platform.happens(
        "INTERACTION_CREATE",
        json!({ "id": "60", "application_id": BOT, "type": 3, "token": "forged", "context": 1,
            "channel_id": alone(ADA_), "user": { "id": ADA.to_string() },
            "message": { "id": shown.id }, "data": { "custom_id": data.replacen("once", "rule", 1) } }),
    );
    harbour.settle();
    assert_eq!(times(&harbour.env, "a"), 0);
    let press = platform.press(ADA_, &shown.id, "Once").unwrap();
    until("it is said what came of it", || platform.answered(&press).unwrap().1 == ["Noted."]);
    harbour.see_text(ADA, "Done with a.");
    let sent = platform.sent();
    assert!(sent.iter().any(|sent| sent.answers.as_ref() == Some(&asked)), "{sent:#?}");
    assert_eq!(times(&harbour.env, "a"), 1);
}

/// What goes on is shown in the message that becomes the answer.
#[test]
fn an_answer_as_it_is_made() {
    let hold = Hold::default();
    let held = hold.clone();
    let model = Model::start(json!({}), move |seen, _| {
        let messages = seen.body["messages"].as_array().unwrap();
        match messages.last().unwrap()["role"] == "tool" {
            true => held.turn(text("Done at last.")),
            false => shell("echo a >> ran.txt"),
        }
    });
    let harbour = Harbour::<Discord>::new(model);
    let _gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.platform.say(ADA_, "Sail");
    let shown = harbour.see(ADA, |sent| !sent.buttons.is_empty());
    harbour.platform.press(ADA_, &shown.id, "Once");
    let doing = harbour.see_text(ADA, "… `shell_execute");
    hold.release();
    let answer = harbour.see_text(ADA, "Done at last.");
    assert_eq!(doing.id, answer.id);
}

/// A bot, a webhook, an account of the same name; what is edited; what is forwarded.
#[test]
fn nobody_else_does_anything() {
    let harbour = Harbour::<Discord>::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    let platform = &harbour.platform;
    let author = |more: Value| {
        let mut author = json!({ "id": ADA.to_string(), "username": "ada" });
        for (name, value) in more.as_object().unwrap() {
            author[name] = value.clone();
        }
        author
    };
    platform
        .message(ADA_, json!({ "content": "task say1", "author": author(json!({ "bot": true })) }));
    platform.message(ADA_, json!({ "content": "task say2", "webhook_id": "5" }));
    platform.message(ADA_, json!({ "content": "task say3", "type": 7 }));
    platform.message(ADA_, json!({ "content": "task say4", "author": null }));
    platform.message(
        EVE_,
        json!({ "content": "task say5", "author": author(json!({ "id": EVE.to_string() })) }),
    );
    harbour.see_text(EVE, "This bot is private");
    let edit = |at: &str| {
        let data = json!({ "id": "50", "channel_id": alone(ADA_), "content": "task say6",
            "author": author(json!({})), "edited_timestamp": at, "channel_type": 1 });
        platform.happens("MESSAGE_UPDATE", data);
    };
    // The same change is told again when Discord has looked at a link in it.
    edit("2026-11-26T12:00:00Z");
    edit("2026-11-26T12:00:00Z");
    harbour.see_text(ADA, "not read again");
    harbour.settle();
    let lines = harbour.told(ADA);
    assert_eq!(lines.iter().filter(|it| it.text.contains("not read again")).count(), 1);
    let prompts = harbour.model.prompts().join("\n");
    assert!((1..7).all(|number| !prompts.contains(&format!("task say{number}"))), "{prompts}");
    platform.message(
        ADA_,
        json!({ "message_reference": { "type": 1, "message_id": "1" },
            "message_snapshots": [{ "message": { "content": "task saybad" } }] }),
    );
    until("it is looked at", || {
        harbour.model.prompts().iter().any(|prompt| prompt.contains("forwarded.txt"))
    });
    let prompts = harbour.model.prompts();
    assert!(prompts.iter().all(|it| !it.contains("user: task saybad")), "{prompts:?}");
}

#[test]
fn groups() {
    for is_on in [false, true] {
        let settings = if is_on { "gateway.groups: true\n" } else { "" };
        let harbour = Harbour::<Discord>::with(obedient(), settings);
        let _gate = harbour.gate();
        harbour.let_in(ADA, &["--approve"]);
        let before = harbour.model.asked().len();
        let said_in = |channel: &str, who: u64, words: &str, is_to_us: bool| {
            let mentions = if is_to_us { json!([{ "id": BOT }]) } else { json!([]) };
            let more = json!({ "guild_id": "1", "channel_id": channel, "content": words, "mentions": mentions });
            harbour.platform.message(who, more);
        };
        let said = |who, words: &str, is_to_us| said_in(QUAY, who, words, is_to_us);
        let called = |who, words: &str| said(who, &format!("<@{BOT}> {words}"), true);
        called(EVE_, "otters");
        said(ADA_, "otters swim, do they?", false);
        called(ADA_, "/undo");
        called(ADA_, "!touch made.txt");
        called(ADA_, "task otters");
        said_in(THREAD, ADA_, &format!("<@{BOT}> otters"), true);
        let shown = || -> Vec<_> {
            harbour
                .platform
                .sent()
                .into_iter()
                .filter(|sent| sent.channel.starts_with('5'))
                .collect()
        };
        harbour.settle();
        if is_on {
            // What the notes say, and nothing else, whoever asks.
            let has = |text: &str| shown().iter().any(|sent| sent.text.contains(text));
            until("it is said", || has("README.md") && has("only what the notes say"));
            until("it is said in the thread", || {
                shown().iter().any(|sent| sent.channel == THREAD && sent.text.contains("README.md"))
            });
        }
        let said = shown();
        assert_eq!(said.is_empty(), !is_on, "{said:?}");
        assert!(said.iter().all(|sent| !sent.has_embeds && !sent.calls), "{said:?}");
        assert_eq!(harbour.model.asked().len(), before);
        assert!(!harbour.env.path("made.txt").exists() && !harbour.env.path("ran.txt").exists());
    }
}

/// Connections that break, that end, that go silent, sessions that are forgotten, a platform that is away,
/// calls that are lost before or after they were done: everything is answered, once.
#[test]
fn nothing_is_lost_or_doubled() {
    let harbour = Harbour::<Discord>::new(echo());
    let platform = &harbour.platform;
    platform.heartbeat(Duration::from_millis(500));
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    let mut asked = Vec::new();
    let mut ask = |name: &str| {
        platform.say(ADA_, &format!("question {name}"));
        asked.push(name.to_owned());
    };
    let hear = |name: &str| harbour.see_text(ADA, &format!("Answer {name}."));
    ask("first");
    hear("first");
    for (name, lose) in [
        ("cut", Box::new(|| platform.cut()) as Box<dyn Fn()>),
        ("anew", Box::new(|| platform.reconnect())),
        ("ended", Box::new(|| platform.close(4000))),
    ] {
        let (_, resumed) = platform.sessions();
        lose();
        ask(&format!("{name}1"));
        ask(&format!("{name}2"));
        until("it is taken up again", || platform.sessions().1 > resumed);
        hear(&format!("{name}2"));
    }
    assert_eq!(platform.sessions().0, 1);
    // Nobody answers any more, though the connection stands.
    let (_, resumed) = platform.sessions();
    platform.deaf(true);
    ask("deaf1");
    std::thread::sleep(Duration::from_secs(2));
    platform.deaf(false);
    until("it is taken up elsewhere", || platform.sessions().1 > resumed);
    hear("deaf1");
    // A session that is gone: what was said meanwhile is asked for.
    platform.down(true);
    platform.forget();
    ask("gone1");
    ask("gone2");
    std::thread::sleep(Duration::from_secs(1));
    platform.down(false);
    hear("gone2");
    assert!(
        platform.asked().iter().any(|it| it == &format!("GET channels/{}/messages", alone(ADA_)))
    );
    platform.drop_every(6);
    for number in 0..6 {
        ask(&format!("drop{number}"));
        hear(&format!("drop{number}"));
    }
    platform.drop_every(0);
    platform.limit(2, true);
    ask("last");
    hear("last");
    harbour.settle();
    std::thread::sleep(Duration::from_secs(2));
    let told = harbour.told(ADA);
    for name in &asked {
        let answer = format!("Answer {name}.");
        let count = told.iter().filter(|sent| sent.text.contains(&answer)).count();
        assert_eq!(count, 1, "{name}: {told:#?}");
        let prompts = harbour.model.prompts();
        let is_it = |prompt: &&String| {
            let last = prompt.rsplit("question ").next();
            last.is_some_and(|it| {
                it.split(|char: char| !char.is_alphanumeric()).next() == Some(name)
            })
        };
        assert_eq!(prompts.iter().filter(is_it).count(), 1, "{name}");
    }
}

#[test]
fn files_both_ways() {
    let long: String =
        (0..60).map(|number| format!("{number}: {}\n\n", "Otters swim. ".repeat(20))).collect();
    let model = Model::start(json!({}), move |seen, _| match words(&seen.body) {
        said if said.contains("at length") => text(&long),
        said if said.contains("in code") => text(&format!(
            "See:\n\n```\n{}```\n\n{}",
            "let a = 1;\n".repeat(150),
            "Otters. ".repeat(100)
        )),
        said if said.contains("PEBBLES") => text("They keep pebbles."),
        _ => text("Nothing."),
    });
    let harbour = Harbour::<Discord>::new(model);
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    let platform = &harbour.platform;
    platform.hand_over(ADA_, "otters.md", b"# Otters\n\nPEBBLES are kept.\n", "What is kept?");
    harbour.see_text(ADA, "They keep pebbles.");
    platform.say(ADA_, "Show me in code");
    let code = harbour.see_text(ADA, "let a = 1;");
    assert!(code.text.starts_with("See:\n\n```\n") || code.text.starts_with("```\n"), "{code:?}");
    assert!(code.text.matches("```").count() == 2, "{code:?}");
    platform.say(ADA_, "Tell me at length");
    harbour.see_text(ADA, "All of it is in the file.");
    let (name, whole) = platform.sent().into_iter().find_map(|sent| sent.file).unwrap();
    assert!(name == "answer.md" && whole.contains("59: Otters"), "{name}");
    // What is not understood or not to be had is said, and no run begins.
    let before = harbour.model.asked().len();
    let attached = |more: Value| {
        let file = json!({ "id": "1", "filename": "huge.iso", "size": 9, "url": "x" });
        let file = more.as_object().unwrap().iter().fold(file, |mut file, (name, value)| {
            file[name] = value.clone();
            file
        });
        platform.message(ADA_, json!({ "attachments": [file] }));
    };
    attached(json!({ "size": 2_000_000_000_u64 }));
    harbour.see_text(ADA, "it has more than 20971520 bytes");
    attached(json!({ "filename": "elsewhere.txt", "url": "http://127.0.0.1:2/secret" }));
    harbour.see_text(ADA, "does not lie at Discord");
    let files = vec![json!({ "id": "1", "filename": "a.txt", "size": 9, "url": "x" }); 11];
    platform.message(ADA_, json!({ "attachments": files }));
    harbour.see_text(ADA, "11 files came with it");
    attached(json!({ "filename": "voice.ogg", "content_type": "audio/ogg" }));
    harbour.see_text(ADA, "What is in sound and videos is not understood");
    platform.message(ADA_, json!({ "sticker_items": [{ "id": "1", "name": "x" }] }));
    harbour.see_text(ADA, "What is in stickers is not understood");
    assert_eq!(harbour.model.asked().len(), before);
    assert!(platform.sent().iter().all(|sent| sent.text.encode_utf16().count() <= 2_000));
}

/// What the platform ends for good is said, and not tried again.
#[test]
fn barred_and_blocked() {
    let harbour = Harbour::<Discord>::new(obedient());
    let gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    harbour.platform.block(ADA_);
    harbour.platform.say(ADA_, "task sayhello");
    harbour.settle();
    harbour.platform.bar();
    std::thread::sleep(Duration::from_secs(3));
    let (begun, _) = harbour.platform.sessions();
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(harbour.platform.sessions().0, begun);
    let words = gate.end();
    assert!(words.contains("nothing can be heard") && words.contains("Privileged"), "{words}");
    assert!(words.contains("Cannot send messages to this user"), "{words}");
}

/// A bot is set up: what is no token, and what is none at all.
#[test]
fn a_bot_is_set_up() {
    let harbour = Harbour::<Discord>::new(obedient());
    let tested = harbour.run(&["channel", "test", Discord::NAME]);
    assert!(tested.stdout().contains("discord knows your bot as harbour"), "{tested}");
    let add = |token: &str| {
        let mut command = harbour.command(&["channel", "add", "discord"]);
        crate::env::finish(command.env("DISCORD_BOT_TOKEN", token))
    };
    for (token, expected) in [
        ("MTIzNDU2Nzg5.GhIjKl.other", "401: Unauthorized"),
        ("no token", "it is none of a bot at Discord"),
        ("", "no token was given"),
    ] {
        let refused = add(token);
        assert!(refused.code == Some(2) && refused.stderr().contains(expected), "{refused}");
        assert!(!refused.stderr().contains("GhIjKl.other"), "{refused}");
    }
    let again = add(Discord::TOKEN.1);
    let link = format!("scope=bot+applications.commands&permissions=0&client_id={BOT}");
    assert!(again.stderr().contains(&link), "{again}");
}

/// A discovery is told where the user is, and a reaction to it counts as to what came unasked.
#[test]
fn discoveries_are_told() {
    let settings = "notify.sinks: [discord]\nlearn.sources: [files]\n";
    let harbour = Harbour::<Discord>::with(Model::script(vec![text("Aye.")]), settings);
    let _gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.platform.limit(1, false);
    let about =
        "The KEF LS50 Meta weighs 7.8 kg.\n\nThe KEF LS50 Meta was released in September 2020.\n";
    harbour.env.write("speaker.md", about);
    let learned = harbour.run(&["learn", "KEF LS50 Meta", "--from", "speaker.md"]);
    assert_eq!(learned.code, Some(0), "{learned}");
    let told = harbour.see_text(ADA, "I just");
    assert!(told.text.contains("• ") && !told.is_loud, "{told:?}");
    let lowest = || {
        let all = harbour.env.json(&["interests", "--json"]);
        let scores = all.iter().filter_map(|it| it["score"].as_f64());
        scores.fold(f64::INFINITY, f64::min)
    };
    let before = lowest();
    harbour.platform.react(ADA_, &told.id, "👎");
    until("it drops", || lowest() < before - 0.7);
}
