//! The process killed, the network lost, the platform away: nothing that was said is lost, and nothing is
//! done twice.

use std::time::Duration;

use super::{ADA, Harbour, echo};
use crate::{
    fake::script::{Model, Turn, text},
    gateway::{
        runs::{obedient, times},
        until,
    },
};

#[test]
fn killed_at_random() {
    let mut random = fastrand::Rng::with_seed(5);
    let harbour = Harbour::new(echo());
    let gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    gate.kill();
    for round in 0..6 {
        for number in 0..2 {
            harbour.platform.say(ADA, &format!("question r{round}x{number}"));
        }
        let gate = harbour.gate();
        std::thread::sleep(Duration::from_millis(random.u64(0..2_500)));
        gate.kill();
    }
    let _gate = harbour.gate();
    for round in 0..6 {
        for number in 0..2 {
            let name = format!("r{round}x{number}");
            // Answered, or said that its run was cut off.
            harbour.wait(ADA, |sent| {
                sent.text.contains(&format!("Answer {name}.")) || sent.text.contains("cut off")
            });
        }
    }
    until("nothing waits", || {
        harbour.kept()["open"].as_object().is_some_and(serde_json::Map::is_empty)
    });
    harbour.settle();
    // Every one was handed to the model by one run at most.
    for round in 0..6 {
        for number in 0..2 {
            let name = format!("Answer r{round}x{number}.");
            let shown = harbour.count(ADA, &name);
            assert!(shown <= 2, "{name} {shown}");
        }
    }
}

/// An approval that was shown before the process was killed is answered by the same button.
#[test]
fn an_approval_outlives_the_process() {
    let harbour = Harbour::new(obedient());
    let gate = harbour.gate();
    harbour.let_in(ADA, &["--approve"]);
    harbour.platform.say(ADA, "task a");
    let shown = harbour.wait(ADA, |sent| !sent.buttons.is_empty());
    until("it is kept where it is shown", || {
        let asked = &harbour.kept()["asked"][0][1];
        asked["message"].as_str().and_then(|it| it.parse().ok()) == Some(shown.message)
    });
    gate.kill();
    let _gate = harbour.gate();
    until("they are asked again", || {
        harbour.platform.press(ADA, ADA, shown.message, "Once");
        std::thread::sleep(Duration::from_millis(200));
        times(&harbour.env, "a") > 0
    });
    harbour.hear(ADA, "Done with a.");
    harbour.hear(ADA, "Yes, once");
    assert_eq!(times(&harbour.env, "a"), 1);
    let asked = harbour.platform.sent();
    assert_eq!(asked.iter().filter(|sent| sent.text.contains("May this be done?")).count(), 1);
}

/// A burst of many: each is answered once, in order; those beyond what may wait are told so.
#[test]
fn a_burst() {
    let harbour = Harbour::new(Model::start(serde_json::json!({}), |_, _| {
        Turn::Late(Duration::from_millis(50), Box::new(text("Aye.")))
    }));
    let _gate = harbour.gate();
    harbour.let_in(ADA, &[]);
    let numbers: Vec<i64> =
        (0..18).map(|it| harbour.platform.say(ADA, &format!("number {it}"))).collect();
    until("all are answered", || {
        let sent = harbour.platform.sent();
        numbers.iter().all(|number| {
            sent.iter().any(|sent| sent.answers == Some(*number) && sent.text.contains("Aye."))
        })
    });
    harbour.settle();
    let sent = harbour.platform.sent();
    let answers: Vec<i64> =
        sent.iter().filter(|it| it.text.contains("Aye.")).filter_map(|it| it.answers).collect();
    assert_eq!(answers, numbers);
}
