//! A person who was let in, and others, at Slack.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use elophanto_channels::fake::slack::{APP_TOKEN, BOT, BOT_TOKEN, Sent, Slack, alone};
use serde_json::json;

use super::Gate;
use crate::{
    env::{Output, TestEnv, finish},
    fake::script::{Model, text},
    gateway::{
        runs::{obedient, times},
        until,
    },
};

const ADA: &str = "UADA";
const EVE: &str = "UEVE";

/// A repository whose user has a scripted model and an app at a Slack of this machine.
struct Quay {
    env: TestEnv,
    model: Model,
    slack: Slack,
}

impl Quay {
    fn new(model: Model, more: &str) -> Self {
        let env = TestEnv::with(&[("README.md", "# Otters\n\nThey swim.\n")]);
        let slack = Slack::start(0);
        let own = format!("gateway.slack_url: \"{}\"\n", slack.url);
        env.write_settings(&format!("{}{own}{more}", model.settings()));
        env.commit("First");
        let quay = Self { env, model, slack };
        let added = quay.run(&["channel", "add", "slack"]);
        assert!(added.stdout().contains("slack knows your bot as harbour"), "{added}");
        quay
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command(args);
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .env("PATH", format!("/usr/bin:/bin:{path}"))
            .env("SLACK_TOKENS", format!("{BOT_TOKEN} {APP_TOKEN}"));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        finish(&mut self.command(args))
    }

    fn gate(&self) -> Gate {
        let mut command = self.command(&["gateway", "--json", "--port", "0"]);
        Gate::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    }

    #[track_caller]
    fn wait(&self, is_it: impl Fn(&Sent) -> bool) -> Sent {
        let begun = Instant::now();
        loop {
            if let Some(found) = self.slack.sent().into_iter().find(&is_it) {
                return found;
            }
            assert!(begun.elapsed().as_secs() < 60, "not said: {:#?}", self.slack.sent());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    fn hear(&self, text: &str) -> Sent {
        self.wait(|sent| sent.text.contains(text) || sent.sections.contains(text))
    }

    fn let_in(&self, user: &str, more: &[&str]) {
        self.slack.say(user, "Hello?");
        let channel = alone(user);
        let told = self.wait(|it| it.channel == channel && it.text.contains("channel pair"));
        let code = told.text.rsplit(' ').next().unwrap().to_owned();
        let paired = self.run(&[&["channel", "pair", &code], more].concat());
        assert_eq!(paired.code, Some(0), "{paired}");
        self.wait(|it| it.channel == channel && it.text.contains("You are in"));
    }

    fn settle(&self) {
        until("all is acknowledged", || self.slack.waiting() == 0);
    }
}

#[test]
fn a_conversation() {
    let quay = Quay::new(obedient(), "");
    let gate = quay.gate();
    quay.let_in(ADA, &["--approve"]);
    quay.slack.limit(2);
    quay.slack.say(ADA, "task sayhello");
    quay.hear("It is sayhello.");
    quay.slack.command(ADA, "search otters");
    quay.hear("README.md");
    // Ended by Slack, another socket is opened.
    quay.slack.disconnect();
    quay.slack.say(ADA, "task b");
    let shown = quay.wait(|sent| !sent.buttons.is_empty());
    // What runs stands there as it is, and is not taken for markup.
    assert!(shown.sections.contains("echo b >> ran.txt"), "{shown:?}");
    assert!(quay.slack.press(EVE, &shown.ts, "Once"));
    quay.settle();
    assert_eq!(times(&quay.env, "b"), 0);
    assert!(quay.slack.press(ADA, &shown.ts, "Once"));
    quay.hear("Done with b.");
    quay.hear("Yes, once (slack)");
    assert_eq!(times(&quay.env, "b"), 1);
    let sent = quay.slack.sent();
    let settled = sent.iter().find(|sent| sent.ts == shown.ts).unwrap();
    assert!(settled.buttons.is_empty() && settled.edits > 0, "{settled:?}");
    assert!(sent.iter().all(|sent| !sent.unfurls));
    quay.settle();
    let words = gate.end();
    assert!(!words.contains(BOT_TOKEN) && !words.contains(APP_TOKEN), "{words}");
}

#[test]
fn nobody_else_does_anything() {
    let quay = Quay::new(obedient(), "");
    let _gate = quay.gate();
    quay.let_in(ADA, &[]);
    let before = quay.model.asked().len();
    quay.slack.say(EVE, "task say1");
    quay.slack.say(EVE, "task say1");
    let from = |more: serde_json::Value| {
        let mut event = json!({ "type": "message", "channel": alone(ADA), "channel_type": "im",
            "user": ADA, "ts": "1.5", "text": "task say2" });
        for (name, value) in more.as_object().unwrap() {
            event[name] = value.clone();
        }
        quay.slack.event(event);
    };
    from(json!({ "bot_id": "B1" }));
    from(json!({ "user": BOT }));
    from(json!({ "type": "app_mention", "channel": "C1", "text": format!("<@{BOT}> otters") }));
    quay.settle();
    quay.hear("channel pair");
    std::thread::sleep(Duration::from_millis(1_500));
    let to_eve = quay.slack.sent().into_iter().filter(|sent| sent.channel == alone(EVE)).count();
    assert_eq!(to_eve, 1);
    assert!(quay.slack.sent().iter().all(|sent| sent.channel != "C1"));
    assert_eq!(quay.model.asked().len(), before);
}

/// Among others: in the thread, from the notes.
#[test]
fn mentions() {
    let quay = Quay::new(obedient(), "gateway.groups: true\n");
    let _gate = quay.gate();
    quay.let_in(ADA, &[]);
    let before = quay.model.asked().len();
    for user in [EVE, ADA] {
        quay.slack
            .event(json!({ "type": "app_mention", "channel": "C1", "user": user, "ts": "9.1",
            "text": format!("<@{BOT}> otters") }));
    }
    let said = quay.wait(|sent| sent.channel == "C1");
    assert!(said.text.contains("README.md") && said.thread.as_deref() == Some("9.1"), "{said:?}");
    assert_eq!(quay.model.asked().len(), before);
}

#[test]
fn kills_and_redelivery() {
    let long = "Otters hold hands while they sleep. ".repeat(600);
    let model = Model::start(json!({}), move |seen, _| {
        match crate::fake::script::words(&seen.body).contains("at length") {
            true => text(&long),
            false => text("Aye."),
        }
    });
    let quay = Quay::new(model, "");
    let gate = quay.gate();
    quay.let_in(ADA, &[]);
    for number in 0..3 {
        quay.slack.say(ADA, &format!("number {number}"));
    }
    gate.kill();
    let gate = quay.gate();
    let answers = || quay.slack.sent().iter().filter(|sent| sent.text.starts_with("Aye.")).count();
    let cut_off = || quay.slack.sent().iter().filter(|sent| sent.text.contains("cut off")).count();
    until("all are answered", || answers() + cut_off() >= 3);
    quay.settle();
    quay.slack.say(ADA, "Tell me at length");
    quay.hear("All of it is in the file.");
    let files = quay.slack.files();
    assert!(files[0].0 == "answer.md" && files[0].1.len() > 20_000, "{}", files[0].0);
    assert_eq!(answers() + cut_off(), 3);
    drop(gate);
    quay.slack.revoke();
    let gate = quay.gate();
    std::thread::sleep(Duration::from_secs(1));
    let words = gate.end();
    assert!(words.contains("the token is not taken any more"), "{words}");
}
