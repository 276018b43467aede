//! What holds on every platform, tried on each.

use std::time::{Duration, Instant};

use elophanto_channels::{
    Sign,
    fake::{discord::Discord, slack::Slack, telegram::Telegram},
};

use super::{
    ADA, EVE, MALLORY, day,
    stage::{Harbour, Stage, code},
    terminal::AtTerminal,
};
use crate::{
    fake::script::{Model, text},
    gateway::{
        runs::{obedient, times},
        until,
    },
};

/// The same functions for each platform.
macro_rules! on_each {
    ($platform:ident: $($scene:ident),*) => { $(
        #[test]
        fn $scene() {
            super::$scene::<super::$platform>();
        }
    )* };
}

mod telegram {
    on_each!(Telegram: a_conversation, a_stranger_gets_one_line, kills_and_redelivery, long_answers, the_network_comes_and_goes, reactions_count);
}

mod discord {
    on_each!(Discord: a_conversation, a_stranger_gets_one_line, kills_and_redelivery, long_answers, the_network_comes_and_goes, reactions_count, approved_by_a_sign);
}

mod slack {
    on_each!(Slack: a_conversation, a_stranger_gets_one_line, kills_and_redelivery, long_answers, the_network_comes_and_goes, reactions_count, approved_by_a_sign);
}

mod terminal {
    on_each!(AtTerminal: a_conversation, kills_and_redelivery, reactions_count, approved_by_a_sign);
}

/// Answers, commands, approvals by a button; somebody else presses in vain.
fn a_conversation<S: Stage>() {
    let harbour = Harbour::<S>::new(obedient());
    let gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.platform.limit(2);
    harbour.platform.say(ADA, "task sayhello");
    harbour.see_text(ADA, "It is sayhello.");
    harbour.platform.say(ADA, "/search otters");
    harbour.see_text(ADA, "README.md");
    harbour.platform.say(ADA, "task b");
    let shown = harbour.see(ADA, |sent| !sent.buttons.is_empty());
    // What runs stands there as it is.
    assert!(shown.text.contains("echo b >> ran.txt"), "{shown:?}");
    harbour.platform.press(EVE, &shown, "Once");
    harbour.settle();
    assert_eq!(times(&harbour.env, "b"), 0);
    harbour.platform.press(ADA, &shown, "Once");
    harbour.see_text(ADA, "Done with b.");
    let settled = harbour.see_text(ADA, &format!("Yes, once ({})", S::NAME));
    assert_eq!((&settled.id, settled.buttons.len()), (&shown.id, 0));
    assert_eq!(times(&harbour.env, "b"), 1);
    harbour.platform.say(ADA, "task c");
    let shown = harbour.see(ADA, |sent| sent.text.contains("echo c") && !sent.buttons.is_empty());
    harbour.platform.press(ADA, &shown, "No");
    harbour.see_text(ADA, "Done with c.");
    assert_eq!(times(&harbour.env, "c"), 0);
    assert!(harbour.platform.sent().iter().all(|sent| !sent.is_loud));
    harbour.settle();
    // The token is in nothing that is said.
    let words = gate.end();
    assert!(S::TOKEN.1.split(' ').all(|token| !words.contains(token)), "{words}");
}

fn a_stranger_gets_one_line<S: Stage>() {
    let harbour = Harbour::<S>::new(obedient());
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    let before = harbour.model.asked().len();
    harbour.platform.say(EVE, "task a");
    let line = harbour.see_text(EVE, "This bot is private");
    harbour.platform.say(EVE, "task a");
    harbour.platform.say(EVE, "/status");
    // A code is confirmed on the user's machine, and not where it was said.
    harbour.platform.say(EVE, &code(&line.text));
    harbour.platform.say(EVE, &format!("/channel pair {}", code(&line.text)));
    harbour.platform.say(MALLORY, "task a");
    harbour.see_text(MALLORY, "channel pair");
    harbour.platform.say(68, "x");
    harbour.see_text(68, "channel pair");
    // Three wait: the fourth is told no code.
    harbour.platform.say(69, "x");
    let fourth = harbour.see_text(69, "This bot is private");
    assert!(!fourth.text.contains("channel pair"), "{fourth:?}");
    harbour.settle();
    assert_eq!(harbour.told(EVE).len(), 1);
    assert_eq!(harbour.model.asked().len(), before);
    let listed = harbour.listed();
    assert_eq!(listed["people"].as_array().unwrap().len(), 1);
    assert_eq!(listed["waiting"].as_array().unwrap().len(), 3);
    let wrong = harbour.run(&["channel", "pair", "AAAAAAAA"]);
    assert!(wrong.code == Some(2) && wrong.stderr().contains("nobody waits"), "{wrong}");
    // Let in, and left out again: at once.
    let paired = harbour.run(&["channel", "pair", &code(&line.text)]);
    assert_eq!(paired.code, Some(0), "{paired}");
    harbour.see_text(EVE, "You are in");
    harbour.run(&["channel", "leave-out", S::NAME, &S::number(EVE)]);
    harbour.platform.say(EVE, "task say1");
    harbour.settle();
    assert_eq!(harbour.model.asked().len(), before);
}

/// Killed before it answers: everything is answered once afterwards.
fn kills_and_redelivery<S: Stage>() {
    let model = Model::start(serde_json::json!({}), |_, _| {
        std::thread::sleep(Duration::from_millis(300));
        text("Aye.")
    });
    let harbour = Harbour::<S>::new(model);
    let gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    for number in 0..3 {
        harbour.platform.say(ADA, &format!("number {number}"));
    }
    if !S::IS_ELSEWHERE {
        // What nobody has taken yet ends with the terminal.
        harbour.settle();
    }
    gate.kill();
    harbour.platform.say(ADA, "number 3");
    let _gate = harbour.gate();
    let count = || {
        let is_answer = |text: &str| text.starts_with("Aye.") || text.contains("cut off");
        harbour.told(ADA).iter().filter(|sent| is_answer(&sent.text)).count()
    };
    let begun = Instant::now();
    while count() < 4 {
        assert!(begun.elapsed().as_secs() < 60, "not answered: {:#?}", harbour.told(ADA));
        std::thread::sleep(Duration::from_millis(20));
    }
    harbour.settle();
    assert_eq!(count(), 4);
}

/// A long answer is a file; a token that is taken no more is told.
fn long_answers<S: Stage>() {
    let long = "Otters hold hands while they sleep. ".repeat(600);
    let harbour = Harbour::<S>::new(Model::script(vec![text(&long)]));
    let gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    harbour.platform.say(ADA, "Tell me at length");
    harbour.see_text(ADA, "All of it is in the file.");
    let files = harbour.platform.files();
    assert!(files[0].0 == "answer.md" && files[0].1.len() > 20_000, "{}", files[0].0);
    harbour.settle();
    drop(gate);
    harbour.platform.revoke();
    let gate = harbour.gate();
    std::thread::sleep(Duration::from_secs(1));
    let words = gate.end();
    assert!(words.contains("the token is not taken any more"), "{words}");
}

/// A reaction to an answer counts for what the answer is about; each but once.
fn reactions_count<S: Stage>() {
    let harbour = Harbour::<S>::new(Model::script(vec![text("Sea otters hold hands.")]));
    assert_eq!(harbour.env.run(&["like", "Sea otters"]).code, Some(0));
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    harbour.platform.say(ADA, "What do sea otters do?");
    let answer = harbour.see_text(ADA, "hold hands");
    harbour.settle();
    let score = || {
        let found = harbour.env.json(&["interests", "--json"]);
        found[0]["score"].as_f64().unwrap()
    };
    let before = score();
    harbour.platform.react(EVE, &answer, Sign::Against);
    harbour.platform.react(ADA, &answer, Sign::Yes);
    harbour.settle();
    assert!((score() - before).abs() < 0.01, "{before} {}", score());
    // An answer is +0.3, each reaction to it but once.
    harbour.platform.react(ADA, &answer, Sign::For);
    until("it counts", || score() > before + 0.29);
    harbour.platform.react(ADA, &answer, Sign::For);
    harbour.settle();
    assert!(score() < before + 0.31, "{before} {}", score());
    harbour.platform.react(ADA, &answer, Sign::Against);
    until("the other counts too", || score() < before + 0.05);
}

/// A sign of an approver below what is asked is an answer; that of anybody else is nothing.
fn approved_by_a_sign<S: Stage>() {
    let harbour = Harbour::<S>::new(obedient());
    let gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    let ask = |task: &str| {
        harbour.platform.say(ADA, &format!("task {task}"));
        let runs = format!("echo {task}");
        harbour.see(ADA, |sent| sent.text.contains(&runs) && !sent.buttons.is_empty())
    };
    let shown = ask("a");
    harbour.platform.react(EVE, &shown, Sign::Yes);
    // Content is no answer.
    harbour.platform.react(ADA, &shown, Sign::For);
    harbour.settle();
    assert_eq!(times(&harbour.env, "a"), 0);
    harbour.platform.react(ADA, &shown, Sign::Yes);
    harbour.see_text(ADA, "Done with a.");
    let settled = harbour.see_text(ADA, &format!("Yes, once ({})", S::NAME));
    assert_eq!(settled.id, shown.id);
    assert_eq!(times(&harbour.env, "a"), 1);
    let shown = ask("b");
    harbour.platform.react(ADA, &shown, Sign::No);
    harbour.see_text(ADA, "Done with b.");
    assert_eq!(times(&harbour.env, "b"), 0);
    // An answer to what is settled is none to what is asked next.
    harbour.platform.react(ADA, &settled, Sign::Yes);
    let shown = ask("c");
    harbour.platform.react(ADA, &settled, Sign::Yes);
    harbour.settle();
    assert_eq!(times(&harbour.env, "c"), 0);
    // Another process knows what was shown.
    gate.kill();
    let _gate = harbour.gate();
    let shown = match S::IS_ELSEWHERE {
        true => shown,
        // There it is shown anew.
        false => harbour.see(ADA, |sent| {
            sent.id != shown.id && sent.text == shown.text && !sent.buttons.is_empty()
        }),
    };
    until("they are asked again", || {
        harbour.platform.react(ADA, &shown, Sign::Yes);
        std::thread::sleep(Duration::from_millis(300));
        times(&harbour.env, "c") > 0
    });
    harbour.see_text(ADA, "Done with c.");
    assert_eq!(times(&harbour.env, "c"), 1);
}

/// The platform does not answer for a while, then one call in twenty breaks, before or after it is done.
fn the_network_comes_and_goes<S: Stage>() {
    day::simulated::<S>(&day::Day {
        people: 2,
        messages: 20,
        drop_every: 20,
        outage: Duration::from_secs(2),
    });
}
