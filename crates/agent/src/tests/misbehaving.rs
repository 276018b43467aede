//! Models and providers that do what they should not.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::kit::*;
use crate::{
    permissions::{Action, Level, Mode},
    *,
};
use elophanto_models::llm::Message;

/// Runs steps in full mode; the results that the model saw last, and the end.
fn after(steps: Vec<Say>) -> (Vec<String>, Finished, Bench) {
    let mut bench = Bench::new(Mode::Full, steps);
    let finished = bench.run("go");
    (bench.last_results(), finished, bench)
}

#[test]
fn wrong_calls_are_answered() {
    for (tool, arguments, expected) in [
        ("reed", json!({}), "there is no tool `reed`; near it: read"),
        ("file_write", json!({}), "near it: write"),
        ("zzz", json!({}), "there are: fails, look, read, shell, web, write"),
        ("a\u{1b}[2J\n b", json!({}), "there is no tool `a[2J b`"),
        ("look", json!({"path": 7}), "wrong arguments: /path: number instead of"),
        ("look", json!([1]), "the arguments are no JSON object"),
        ("look", json!("{}"), "the arguments are no JSON object"),
        ("look", Value::Null, "seen {}"),
        ("look", json!({"bad": 1}), "`bad` is bad"),
        ("look", json!({"path": "x".repeat(5 << 20)}), "over the cap"),
        ("fails", json!({}), "it broke"),
    ] {
        let (results, finished, _) = after(vec![call(tool, arguments)]);
        assert!(results[0].contains(expected), "{tool}: {}", results[0]);
        assert_eq!(finished.end, End::Answered);
    }
}

#[test]
fn endless_loops_end() {
    for (tool, made) in [("look", 3), ("fails", 3), ("nothing", 3), ("write", 3)] {
        let (results, finished, bench) = after(vec![call(tool, json!({})); 20]);
        assert_eq!(finished.end, End::Loop { tool: tool.to_owned() });
        assert_eq!((finished.outcome, finished.steps), (Outcome::Failed, 5), "{tool}");
        assert!(
            results[made - 1].contains("third time") && results[made].contains("not made again")
        );
        if tool == "write" {
            assert_eq!(bench.writes().len(), made);
        }
    }
}

#[test]
fn one_call_at_a_time() {
    let many = ["write", "shell", "look"].map(|tool| (tool.to_owned(), json!({})));
    let (results, _, bench) = after(vec![Say::Calls(many.to_vec())]);
    assert_eq!(bench.writes(), ["write"]);
    assert!(
        results[0] == "write done" && results[1..].iter().all(|text| text.contains("one call"))
    );
    let ids = bench.step_requests().last().map(|request| request.messages.clone()).unwrap();
    let Some(Message::Assistant { tool_calls, .. }) = ids
        .iter()
        .find(|one| matches!(one, Message::Assistant { tool_calls, .. } if !tool_calls.is_empty()))
    else {
        panic!()
    };
    assert!(tool_calls[0].id != tool_calls[1].id && tool_calls.len() == 3);
    let flood = vec![("look".to_owned(), json!({})); 10_000];
    assert_eq!(after(vec![Say::Calls(flood)]).0.len(), 12);
}

/// Each is a step, and is asked about as any other; the first that is of another kind, or fails, ends it.
#[test]
fn what_only_reads_may_come_together() {
    let calls = |tools: &[&str]| {
        let numbered = tools.iter().enumerate();
        let call =
            |(at, tool): (usize, &&str)| ((*tool).to_owned(), json!({ "path": at.to_string() }));
        Say::Calls(numbered.map(call).collect())
    };
    for (tools, made, steps) in [
        (&["look", "read", "look"][..], 3, 4),
        (&["look", "write", "look"], 1, 2),
        (&["write", "look"], 1, 2),
        (&["look", "fails", "look"], 2, 3),
        (&["look", "nothing"], 1, 2),
    ] {
        let (results, finished, bench) = after(vec![calls(tools)]);
        let unmade = results.iter().filter(|text| text.contains("one call at a time")).count();
        assert_eq!(results.len() - unmade, made, "{tools:?} {results:?}");
        assert_eq!((results.len(), finished.steps), (tools.len(), steps), "{tools:?}");
        assert!(bench.writes().len() <= 1);
    }
    let mut bench = Bench::new(Mode::Ask, [calls(&["look", "read", "look"])]);
    bench.person.answers = [Answer::Once, Answer::No(None)].into();
    bench.run("go");
    assert_eq!(bench.person.requests.len(), 2);
    let mut bench = Bench::new(Mode::Full, [calls(&["look"; 9])]);
    bench.settings.max_steps = 3;
    let finished = bench.run("go");
    assert_eq!((finished.end, finished.steps), (End::Steps { max: 3 }, 3));
}

#[test]
fn prose_instead_of_a_call() {
    let run = |steps: Vec<Say>, planned: &[&str]| {
        let mut bench = Bench::new(Mode::Full, steps);
        bench.brain.plan = json!({ "answer_at_once": false, "steps": planned });
        let finished = bench.run("go");
        (finished.answer, finished.steps)
    };
    let promise = || text("I will look now.");
    let answer = |text: &str, steps| (text.to_owned(), steps);
    assert_eq!(
        run(vec![promise(), call("look", json!({})), text("Seen.")], &["look"]),
        answer("Seen.", 3)
    );
    assert_eq!(run(vec![promise(), promise()], &["look"]), answer("I will look now.", 2));
    assert_eq!(run(vec![promise()], &[]), answer("I will look now.", 1));
    assert_eq!(run(vec![text("It is 4.")], &["look"]), answer("It is 4.", 1));
}

#[test]
fn a_plan_may_be_anything() {
    for plan in [
        json!(null),
        json!([1]),
        json!("1. a\n2. b"),
        json!({"steps": 1}),
        json!("{".repeat(99_999)),
    ] {
        let mut bench = Bench::new(Mode::Full, [call("look", json!({})), text("ok")]);
        (bench.brain.plan, bench.brain.reflection, bench.brain.judgement) =
            (plan.clone(), plan.clone(), plan);
        assert_eq!(bench.run("go").answer, "ok");
    }
}

#[test]
fn useless_answers_end_the_run() {
    let malformed = || Say::Fails(BrainErrorKind::Malformed { raw: "x".into() });
    for (steps, ends) in [
        (vec![text(""), text(" \n"), text("")], true),
        (vec![malformed(), malformed(), malformed()], true),
        (vec![text(""), text(""), text("ok")], false),
        (vec![malformed(), call("look", json!({})), malformed(), malformed(), text("ok")], false),
        (vec![Say::Refuses], true),
        (vec![Say::Fails(BrainErrorKind::TooLong), text("ok")], false),
        (vec![Say::Fails(BrainErrorKind::TooLong); 3], false),
        (vec![Say::Fails(BrainErrorKind::TooLong); 4], true),
    ] {
        let (_, finished, _) = after(steps.clone());
        assert_eq!(matches!(finished.end, End::Brain { .. }), ends, "{steps:?} {finished:?}");
    }
}

#[test]
fn a_huge_reply_is_cut() {
    let (_, finished, bench) = after(vec![text(&"x".repeat(3 << 20))]);
    assert!(finished.answer.len() < 70_000);
    assert!(bench.on_disk().len() < 200_000);
}

#[test]
fn a_provider_that_dies_can_be_resumed_from() {
    let dies = Say::Fails(BrainErrorKind::Unreachable);
    let mut bench = Bench::new(Mode::Full, [call("write", json!({})), dies]);
    let mut session = bench.session();
    let finished = bench.run_in("write it", &mut session);
    assert_eq!(finished.outcome, Outcome::Failed);
    assert_ne!(finished.end, End::Answered);
    let mut again = bench.sessions.load(session.id).unwrap();
    assert_eq!(again, session);
    bench.brain.steps = [text("It was written before.")].into();
    let finished = bench.run_in("go on", &mut again);
    assert_eq!(finished.answer, "It was written before.");
    assert_eq!(bench.last_results(), ["write done"]);
}

/// There would be nothing to go on with.
#[test]
fn a_session_in_which_no_model_spoke_is_not_kept() {
    let dies = || Say::Fails(BrainErrorKind::Unreachable);
    for (steps, is_kept) in [
        (vec![dies()], false),
        (vec![text("Hello."), dies()], true),
        (vec![call("look", json!({})), dies()], true),
    ] {
        let mut bench = Bench::new(Mode::Full, steps);
        let mut session = bench.session();
        bench.run_in("go", &mut session);
        assert_eq!(bench.sessions.list().unwrap().sessions.len(), usize::from(is_kept));
        // The conversation goes on in memory, and is kept as soon as one speaks.
        bench.brain.steps = [text("Here I am.")].into();
        bench.run_in("go", &mut session);
        assert_eq!(bench.sessions.load(session.id).unwrap(), session);
    }
}

#[test]
fn the_user_ends_it_at_any_point() {
    for (number, mut steps) in [
        vec![Say::Cancels],
        vec![call("look", json!({})), Say::Cancels],
        vec![call("write", json!({})), call("cancels", json!({})), call("write", json!({}))],
        vec![call("cancels_fails", json!({}))],
    ]
    .into_iter()
    .enumerate()
    {
        steps.push(text("too late"));
        let mut bench = Bench::new(Mode::Full, steps);
        for (name, fails) in [("cancels", false), ("cancels_fails", true)] {
            let cancelled = std::sync::Arc::clone(&bench.cancelled);
            bench.add(tool(name, Level::Safe, Action::Look, false, move |_, host| {
                cancelled.store(true, Ordering::Relaxed);
                assert!(host.is_cancelled());
                if fails { Err(ToolError::Cancelled) } else { said("x") }
            }));
        }
        let mut session = bench.session();
        let finished = bench.run_in("go", &mut session);
        assert_eq!(
            (finished.outcome, &finished.end),
            (Outcome::Cancelled, &End::Cancelled),
            "{number}"
        );
        assert!(
            matches!(bench.trail(&finished).last(), Some(EntryKind::End { outcome, .. }) if outcome == "cancelled")
        );
        assert!(bench.writes().len() <= 1 && bench.world.remembered.is_empty());
        let kept = bench.sessions.load(session.id).unwrap();
        assert_eq!(kept.messages.first(), Some(&Message::user("go")));
        bench.cancelled.store(false, Ordering::Relaxed);
        bench.brain.steps = [text("Nothing is left to do.")].into();
        assert_eq!(bench.run_in("go on", &mut session).outcome, Outcome::Done);
    }
}

#[test]
fn a_failed_end_is_not_called_done() {
    let mut bench = Bench::new(Mode::Full, [call("broken", json!({})), text("All good!")]);
    bench.add(tool(
        "broken",
        Level::Destructive,
        Action::Record { paths: Vec::new() },
        false,
        |_, _| Ok(Output { text: "exit code 1".into(), failed: true, ..Output::default() }),
    ));
    let finished = bench.run("go");
    assert_eq!(finished.outcome, Outcome::Partly);
    assert_eq!(
        bench.world.remembered[0].root_cause.as_deref(),
        Some("the last call that changes or runs something failed: broken {}: failed: exit code 1")
    );
    assert_eq!(bench.world.remembered[0].did, ["broken {}: failed: exit code 1"]);
}

#[test]
fn what_cannot_be_written_down_is_not_done() {
    let mut bench = Bench::new(Mode::Full, [call("gone", json!({})), call("write", json!({}))]);
    let folder = bench.folder().join("runs");
    bench.add(tool("gone", Level::Safe, Action::Look, false, move |_, _| {
        std::fs::remove_dir_all(&folder).map_err(|error| ToolError::Failed(error.to_string()))?;
        said("removed")
    }));
    let finished = bench.run("go");
    assert!(matches!(finished.end, End::Trail { .. }), "{finished:?}");
    assert!(bench.writes().is_empty() && !finished.warnings.is_empty());
}

#[test]
fn a_crash_in_a_call_leaves_what_can_be_gone_on_from() {
    let mut bench = Bench::new(Mode::Full, [call("write", json!({})), call("dies", json!({}))]);
    bench.add(tool(
        "dies",
        Level::Destructive,
        Action::Record { paths: Vec::new() },
        false,
        |_, _| panic!("dies"),
    ));
    let mut session = bench.session();
    let id = session.id;
    let crash = std::panic::AssertUnwindSafe(|| bench.run_in("go", &mut session));
    assert!(std::panic::catch_unwind(crash).is_err());
    let mut session = bench.sessions.load(id).unwrap();
    assert_eq!(session.messages.len(), 3);
    let (lines, _) = bench.trails.list(crate::Which::All, 1).unwrap();
    assert_eq!((lines[0].outcome.as_deref(), lines[0].calls), (None, 1));
    let trail = bench.trails.read(&lines[0].run.to_string()).unwrap();
    let last = trail.entries.last().map(|entry| entry.kind.clone());
    assert!(matches!(last, Some(EntryKind::Calling { tool, .. }) if tool == "dies"));
    assert_eq!(bench.run_in("go on", &mut session).outcome, Outcome::Done);
}

#[test]
fn hostile_amounts_reach_the_trail_all_the_same() {
    use std::os::unix::ffi::OsStringExt;

    let mut bench =
        Bench::new(Mode::Full, [call("floods", json!({"a": vec!["\u{1}".repeat(9999); 99]}))]);
    bench.add(tool(
        "floods",
        Level::Destructive,
        Action::Record { paths: Vec::new() },
        false,
        |_, _| {
            let name = |n: u32| {
                std::ffi::OsString::from_vec([b"\xff".repeat(4000), n.to_string().into()].concat())
            };
            Ok(Output {
                text: "\0".repeat(5 << 20),
                touched: (0..20_000).map(|n| name(n).into()).collect(),
                commits: vec!["\u{1b}".repeat(9999); 5_000],
                ..Output::default()
            })
        },
    ));
    let finished = bench.run("go");
    assert_eq!((finished.warnings.len(), finished.touched.len()), (0, 10_000));
    assert!(matches!(bench.trail(&finished).last(), Some(EntryKind::End { .. })));
}
