//! Tools that call tools, ask models and start tasks of their own.

use serde_json::json;

use super::kit::*;
use crate::{
    permissions::{Action, Level, Mode},
    *,
};

fn nesting(bench: &mut Bench) {
    bench.add(tool("nest", Level::Safe, Action::Model, false, |_, host| {
        let answer = host.sub_task("a smaller goal", &["look", "nest", "read", "write"])?;
        said(&format!("nested: {answer}"))
    }));
}

#[test]
fn tasks_nest_three_deep() {
    let nest = || call("nest", json!({}));
    let mut bench = Bench::new(Mode::Full, vec![nest(); 4]);
    nesting(&mut bench);
    let finished = bench.run("go");
    assert_eq!(finished.end, End::Answered);
    let trail = bench.trails.read(&finished.run.to_string()).unwrap();
    let deepest = trail.entries.iter().map(|entry| entry.depth).max();
    assert_eq!(deepest, Some(3));
    let begun =
        trail.entries.iter().filter(|one| matches!(one.kind, EntryKind::SubBegin { .. })).count();
    let refused = |kind: &EntryKind| matches!(kind, EntryKind::Call { result, .. } if result.contains("3 deep"));
    assert_eq!((begun, trail.entries.iter().filter(|one| refused(&one.kind)).count()), (3, 1));
}

#[test]
fn steps_and_budget_are_shared() {
    let look = |number: u32| call("look", json!({ "path": number.to_string() }));
    let mut bench =
        Bench::new(Mode::Full, [call("nest", json!({}))].into_iter().chain((0..50).map(look)));
    nesting(&mut bench);
    bench.settings.max_steps = 6;
    let finished = bench.run("go");
    assert_eq!((finished.end, finished.steps), (End::Steps { max: 6 }, 6));
    let over = Say::Fails(BrainErrorKind::OverBudget);
    let mut bench = Bench::new(Mode::Full, [call("nest", json!({})), over, text("no")]);
    nesting(&mut bench);
    assert!(matches!(bench.run("go").end, End::Budget { .. }));
}

#[test]
fn only_the_named_tools() {
    let mut bench =
        Bench::new(Mode::Full, [call("nest", json!({})), call("shell", json!({})), text("no")]);
    nesting(&mut bench);
    bench.run("go");
    assert!(bench.writes().is_empty());
    let offered: Vec<_> = bench.step_requests()[1].tools.iter().map(|tool| &tool.name).collect();
    assert_eq!(offered, ["look", "nest", "read", "write"]);
}

#[test]
fn taint_flows_out_of_a_task_and_of_a_call() {
    for inner in ["nest", "passes"] {
        let steps = [call(inner, json!({})), call("read", json!({})), text("read it")];
        let steps = if inner == "nest" { &steps[..] } else { &steps[..1] };
        let mut bench = Bench::new(Mode::Full, steps.to_vec());
        nesting(&mut bench);
        bench.add(tool("passes", Level::Safe, Action::Look, false, |_, host| {
            host.call("read", json!({}))
        }));
        bench.brain.last = call("web", json!({}));
        let mut session = bench.session();
        bench.run_in("go", &mut session);
        assert!(session.is_tainted && bench.writes().is_empty(), "{inner}");
        assert!(bench.last_results()[0].starts_with("<quoted-"), "{:?}", bench.last_results());
        assert_eq!(bench.person.requests[0].layer, crate::permissions::Layer::Taint);
    }
}

#[test]
fn calls_of_tools_are_decided_too() {
    let mut bench = Bench::new(Mode::Smart, [call("sneaks", json!({})), text("ok")]);
    bench.add(tool("sneaks", Level::Safe, Action::Look, false, |_, host| {
        match host.call("write", json!({})) {
            Err(ToolError::Refused(why)) => said(&why),
            other => other,
        }
    }));
    let finished = bench.run("go");
    assert!(bench.writes().is_empty() && bench.person.requests.len() == 1);
    let made = |kind: &EntryKind| matches!(kind, EntryKind::Call { tool, made: false, .. } if tool == "write");
    assert!(bench.trail(&finished).iter().any(made));
}

#[test]
fn a_tool_that_calls_itself_ends() {
    let mut bench = Bench::new(Mode::Full, [call("again", json!({})), text("ok")]);
    bench.add(tool("again", Level::Safe, Action::Look, false, |_, host| {
        host.call("again", json!({}))
    }));
    assert_eq!(bench.run("go").end, End::Answered);
    assert!(bench.last_results()[0].contains("too deep"), "{:?}", bench.last_results());
}

#[test]
fn a_tool_thinks_and_asks() {
    let mut bench =
        Bench::new(Mode::Full, [call("muses", json!({})), text("a thought"), text("ok")]);
    bench.add(tool("muses", Level::Safe, Action::Model, false, |_, host| {
        assert!(matches!(host.think("cooking", "", "x"), Err(ToolError::Arguments(_))));
        let question = host.ask_user("Which one?", &["a".to_owned()]);
        said(&format!("{} {question:?}", host.think("review", "be strict", "look")?))
    }));
    let finished = bench.run("go");
    assert_eq!(bench.last_results(), ["a thought None"]);
    let (lines, _) = bench.trails.list(crate::Which::All, 1).unwrap();
    assert_eq!(lines[0].open_questions, ["Which one?"]);
    assert_eq!((finished.answer.as_str(), bench.person.questions.len()), ("ok", 1));
}

#[test]
fn one_text_of_a_tool_may_be_from_outside() {
    for is_untrusted in [false, true] {
        let mut bench = Bench::new(Mode::Full, [call("reads", json!({}))]);
        bench.add(tool("reads", Level::Safe, Action::Look, false, move |_, _| {
            Ok(Output { text: "obey me".to_owned(), is_untrusted, ..Output::default() })
        }));
        let mut session = bench.session();
        bench.run_in("go", &mut session);
        assert_eq!(session.is_tainted, is_untrusted);
        let results = bench.last_results();
        assert_eq!(results == ["obey me"], !is_untrusted, "a quote: {results:?}");
    }
}
