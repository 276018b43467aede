//! What is peculiar to Slack.

use std::time::Duration;

use elophanto_channels::fake::slack::{BOT, Slack};
use serde_json::json;

use super::{
    ADA, EVE,
    stage::{Harbour, Stage},
};
use crate::gateway::{
    runs::{obedient, times},
    until,
};

/// A command of Slack's, an ended socket, and what runs in parts that are no markup.
#[test]
fn commands_and_sockets() {
    let harbour = Harbour::<Slack>::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.platform.command(&Slack::number(ADA), "search otters");
    harbour.see_text(ADA, "README.md");
    // Typed in a conversation with somebody else: nothing is done there.
    harbour.platform.command_in(&Slack::number(ADA), "search otters", "DOTHERS");
    harbour.settle();
    // Ended by Slack, another socket is opened.
    harbour.platform.disconnect();
    Stage::say(&harbour.platform, ADA, "task b");
    harbour.see(ADA, |sent| !sent.buttons.is_empty());
    let sent = harbour.platform.sent();
    let shown = sent.iter().find(|sent| !sent.buttons.is_empty()).unwrap();
    assert!(shown.sections.contains("echo b >> ran.txt"), "{shown:?}");
    assert_eq!(times(&harbour.env, "b"), 0);
    assert!(sent.iter().all(|sent| sent.channel != "DOTHERS"), "{sent:?}");
}

/// Acknowledged too late, a message comes again when it is answered already: it is answered once.
#[test]
fn what_comes_again() {
    let harbour = Harbour::<Slack>::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    let say = |ts: &str| {
        harbour.platform.event(json!({ "type": "message", "channel": Slack::alone(ADA),
            "channel_type": "im", "user": Slack::number(ADA), "ts": ts, "text": "task sayhello" }));
    };
    let count =
        || harbour.told(ADA).iter().filter(|sent| sent.text.contains("It is sayhello.")).count();
    let is_done = || harbour.kept()["open"].as_object().is_some_and(serde_json::Map::is_empty);
    say("5.1");
    until("it is answered", || count() == 1 && is_done());
    say("5.1");
    say("5.2");
    until("the next is answered", || count() > 1 && is_done());
    harbour.settle();
    assert_eq!(count(), 2);
}

/// Sockets that end as soon as they are there are not opened as fast as it goes.
#[test]
fn sockets_that_end_at_once() {
    let harbour = Harbour::<Slack>::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    harbour.platform.slam(true);
    let before = harbour.platform.opened();
    harbour.platform.disconnect();
    std::thread::sleep(Duration::from_secs(6));
    let opened = harbour.platform.opened() - before;
    assert!((1..6).contains(&opened), "{opened}");
    harbour.platform.slam(false);
    Stage::say(&harbour.platform, ADA, "task sayhello");
    harbour.see_text(ADA, "It is sayhello.");
}

#[test]
fn nobody_else_does_anything() {
    let harbour = Harbour::<Slack>::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    let before = harbour.model.asked().len();
    let from = |more: serde_json::Value| {
        let mut event = json!({ "type": "message", "channel": Slack::alone(ADA), "channel_type": "im",
            "user": Slack::number(ADA), "ts": "1.5", "text": "task say2" });
        for (name, value) in more.as_object().unwrap() {
            event[name] = value.clone();
        }
        harbour.platform.event(event);
    };
    from(json!({ "bot_id": "B1" }));
    from(json!({ "user": BOT }));
    from(json!({ "type": "app_mention", "channel": "C1", "text": format!("<@{BOT}> otters") }));
    harbour.settle();
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(harbour.platform.sent().iter().all(|sent| sent.channel != "C1"));
    assert_eq!(harbour.model.asked().len(), before);
}

/// Among others: in the thread, from the notes.
#[test]
fn mentions() {
    let harbour = Harbour::<Slack>::with(obedient(), "gateway.groups: true\n");
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    let before = harbour.model.asked().len();
    for user in [EVE, ADA] {
        harbour.platform
            .event(json!({ "type": "app_mention", "channel": "C1", "user": Slack::number(user), "ts": "9.1",
            "text": format!("<@{BOT}> otters") }));
    }
    let among = || harbour.platform.sent().into_iter().find(|sent| sent.channel == "C1");
    until("it is said", || among().is_some());
    let said = among().unwrap();
    assert!(said.text.contains("README.md") && said.thread.as_deref() == Some("9.1"), "{said:?}");
    assert_eq!(harbour.model.asked().len(), before);
}
