//! What sessions keep over runs.

use std::collections::VecDeque;

use serde_json::json;

use super::kit::*;
use crate::{permissions::Mode, *};
use elophanto_models::llm::{Message, Task};

#[test]
fn at_most_twenty_messages() {
    let mut bench = Bench::new(Mode::Full, []);
    let mut session = bench.session();
    for round in 0..12 {
        let looks = (0..5).map(|n| call("look", json!({ "path": format!("{round} {n}") })));
        bench.brain.steps = looks.collect::<VecDeque<_>>();
        bench.run_in(&format!("round {round}"), &mut session);
        assert!(session.messages.len() <= MAX_MESSAGES);
        assert_eq!(bench.sessions.load(session.id).unwrap(), session);
        assert_eq!(session.messages.last(), Some(&Message::assistant("All done.")));
    }
    let Some(Message::User(first)) = session.messages.first() else { panic!() };
    assert!(first.starts_with("Summary") && first.contains("the summary"), "{first}");
    assert!(bench.brain.asked.iter().any(|(task, _)| *task == Task::Summary));
}

/// Of those whose user works here all is kept that the model takes.
#[test]
fn as_many_messages_as_the_prompt_holds() {
    let mut bench = Bench::new(Mode::Full, []);
    (bench.settings.max_messages, bench.settings.max_prompt_tokens) = (None, 8_000);
    let mut session = bench.session();
    let mut most = 0;
    for round in 0..30 {
        let looks = (0..5).map(|n| call("look", json!({ "path": format!("{round} {n}") })));
        bench.brain.steps = looks.collect::<VecDeque<_>>();
        bench.run_in(&format!("round {round} {}", "words ".repeat(100)), &mut session);
        assert_eq!(bench.sessions.load(session.id).unwrap(), session);
        most = most.max(session.messages.len());
    }
    assert!(most > 60, "{most}");
    let summaries = bench.brain.asked.iter().filter(|(task, _)| *task == Task::Summary).count();
    assert!((1..=6).contains(&summaries), "{summaries}");
    assert!(bench.step_requests().iter().all(|request| request.estimated_input() <= 8_000));
    let Some(Message::User(first)) = session.messages.first() else { panic!() };
    assert!(first.starts_with("Summary") && first.contains("the summary"), "{first}");
}

/// What a killed process was at is in the conversation when it goes on.
#[test]
fn a_call_that_was_cut_off_is_told() {
    let mut bench = Bench::new(Mode::Full, [call("dies", json!({ "path": "a.md" }))]);
    bench.add(tool(
        "dies",
        crate::permissions::Level::Destructive,
        crate::permissions::Action::Record { paths: Vec::new() },
        false,
        |_, _| panic!("dies"),
    ));
    let mut session = bench.session();
    let id = session.id;
    let crash = std::panic::AssertUnwindSafe(|| bench.run_in("go", &mut session));
    assert!(std::panic::catch_unwind(crash).is_err());
    let mut session = bench.sessions.load(id).unwrap();
    bench.brain.steps = [text("Nothing is left."), text("Nothing at all.")].into();
    let finished = bench.run_in("go on", &mut session);
    let told = "the run before was cut off in dies {\"path\":\"a.md\"}: the agent is told";
    assert_eq!(finished.warnings, [told]);
    let results = bench.last_results();
    assert!(results[0].starts_with("cut off: the program was ended"), "{results:?}");
    assert_eq!(bench.sessions.load(id).unwrap(), session);
    // Once.
    assert_eq!(bench.run_in("and on", &mut session).warnings, [""; 0]);
    assert_eq!(bench.last_results(), results);
}

#[test]
fn without_a_model_the_summary_is_made_of_what_was_said() {
    let mut bench = Bench::new(Mode::Full, []);
    let mut session = bench.session();
    for round in 0..3 {
        let looks = (0..8).map(|n| call("look", json!({ "path": format!("{round} {n}") })));
        bench.brain.steps = looks.chain([Say::Fails(BrainErrorKind::Unreachable)]).collect();
        bench.run_in(&format!("round {round}"), &mut session);
    }
    assert!(session.messages.len() <= MAX_MESSAGES);
    let Some(Message::User(first)) = session.messages.first() else { panic!() };
    assert!(first.contains("user: round 0") && first.contains("look"), "{first}");
}

#[test]
fn sessions_know_nothing_of_each_other() {
    let mut bench = Bench::new(Mode::Full, [text("The word is otter.")]);
    let (mut one, mut two) = (bench.session(), bench.session());
    bench.run_in("Remember: otter", &mut one);
    bench.brain.asked.clear();
    bench.run_in("What was the word?", &mut two);
    assert!(!format!("{:?}", bench.brain.asked).contains("otter"));
    bench.brain.asked.clear();
    bench.run_in("What was the word?", &mut one);
    assert!(format!("{:?}", bench.brain.asked).contains("otter"));
}

#[test]
fn two_runs_in_one_session_are_refused() {
    let mut bench = Bench::new(Mode::Full, []);
    let mut session = bench.session();
    let held = bench.sessions.lock(session.id).unwrap();
    let refused = bench.try_in("go", &mut session);
    assert!(
        matches!(refused, Err(AgentError::Session(SessionsError::Busy(id))) if id == session.id)
    );
    assert!(bench.brain.asked.is_empty());
    drop(held);
    bench.run_in("go", &mut session);
}

#[test]
fn what_another_run_left_counts() {
    let mut bench = Bench::new(Mode::Full, [text("first"), text("second")]);
    let mut session = bench.session();
    let mut stale = session.clone();
    bench.run_in("one", &mut session);
    bench.run_in("two", &mut stale);
    let kept = bench.sessions.load(session.id).unwrap();
    assert_eq!(kept.messages.len(), 4);
}
