//! A day at a platform, faster than it passes: people who ask now and then, a network that breaks off, and a
//! time in which the platform answers nobody.

use std::{io::Write, time::Duration};

use elophanto_channels::fake::{discord::Discord, slack::Slack, telegram::Telegram};

use super::{
    echo,
    stage::{Harbour, Stage},
};
use crate::gateway::until;

pub struct Day {
    pub people: i64,
    /// Of all of them.
    pub messages: usize,
    /// One call in so many breaks off, by turns before and after it is done.
    pub drop_every: usize,
    /// In the middle of the day.
    pub outage: Duration,
}

/// Who is first; the others follow.
const FIRST: i64 = 201;

/// Everything that is said is done once, and answered in the order in which it was said. Where a platform
/// lets a post be named, or looked for, every answer is there once; Telegram does neither, so that what broke
/// off after it was done is there twice.
pub fn simulated<S: Stage>(day: &Day) {
    let harbour = Harbour::<S>::new(echo());
    let gate = harbour.gate();
    for who in 0..day.people {
        harbour.let_in(FIRST + who, &[]);
    }
    let whose = |number: usize| FIRST + number as i64 % day.people;
    let answer = |number: usize| format!("Answer n{number}.");
    let is_answered = |number: usize| {
        harbour.told(whose(number)).iter().any(|it| it.text.contains(&answer(number)))
    };
    harbour.platform.drop_every(day.drop_every);
    for number in 0..day.messages {
        if number == day.messages / 2 {
            harbour.platform.down(true);
            std::thread::sleep(day.outage / 2);
        }
        harbour.platform.say(whose(number), &format!("question n{number}"));
        // Now and then is not all at once.
        if number >= 10 && number != day.messages / 2 {
            until("the one ten before is answered", || is_answered(number - 10));
        }
        if number == day.messages / 2 {
            std::thread::sleep(day.outage / 2);
            harbour.platform.down(false);
        }
    }
    for number in 0..day.messages {
        until("all are answered", || is_answered(number));
    }
    harbour.platform.drop_every(0);
    harbour.settle();
    until("nothing waits", || {
        harbour.kept()["open"].as_object().is_some_and(serde_json::Map::is_empty)
    });
    let asked = harbour.model.prompts();
    let mut doubled = 0;
    for who in 0..day.people {
        let told = harbour.told(FIRST + who);
        let mut places = Vec::new();
        for number in (0..day.messages).filter(|number| whose(*number) == FIRST + who) {
            let is_it = |prompt: &&String| {
                let last = prompt.rsplit("question n").next().unwrap_or_default();
                let last: String = last.chars().take_while(char::is_ascii_digit).collect();
                last == number.to_string()
            };
            assert_eq!(asked.iter().filter(is_it).count(), 1, "n{number} was not done once");
            let here = told.iter().filter(|it| it.text.contains(&answer(number))).count();
            doubled += here.saturating_sub(1);
            places.push(told.iter().rposition(|it| it.text.contains(&answer(number))).unwrap());
        }
        // What Slack handed to a socket that broke comes again after what is newer.
        assert!(S::NAME == Slack::NAME || places.is_sorted(), "{places:?} {told:#?}");
    }
    let said = format!("{}: {} messages, {doubled} answers twice\n", S::NAME, day.messages);
    let _ = std::io::stderr().lock().write_all(said.as_bytes());
    if S::NAME != Telegram::NAME {
        assert_eq!(doubled, 0);
    }
    gate.end();
}

/// 720 messages of ten people, as one every two minutes, one connection in twenty broken, and ten minutes
/// in which nobody is answered.
fn whole<S: Stage>() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
    };
    simulated::<S>(&Day {
        people: 10,
        messages: number("ELOPHANTO_DAY_MESSAGES", 720) as usize,
        drop_every: 20,
        outage: Duration::from_secs(number("ELOPHANTO_DAY_OUTAGE", 600)),
    });
}

#[test]
#[ignore = "half an hour"]
fn a_day_at_telegram() {
    whole::<Telegram>();
}

#[test]
#[ignore = "half an hour"]
fn a_day_at_discord() {
    whole::<Discord>();
}

#[test]
#[ignore = "half an hour"]
fn a_day_at_slack() {
    whole::<Slack>();
}
