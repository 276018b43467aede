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
