//! Runs that go as they should, and limits that hold.

use serde_json::json;

use super::kit::*;
use crate::{permissions::Mode, *};
use elophanto_models::llm::{Message, Task};

fn kinds(trail: &[EntryKind]) -> Vec<String> {
    let name =
        |kind: &EntryKind| format!("{kind:?}").split(' ').next().unwrap_or_default().to_owned();
    trail.iter().map(name).collect()
}

#[test]
fn plans_executes_and_remembers() {
    let steps =
        [call("look", json!({})), call("write", json!({"path": "b.md"})), text("Wrote b.md.")];
    let mut bench = Bench::new(Mode::Full, steps);
    bench.world.changed = vec!["b.md".into(), "c.md".into()];
    bench.brain.plan = json!({ "answer_at_once": false, "steps": ["look", "write"] });
    let finished = bench.run("Write b.md");
    assert_eq!((finished.outcome, &finished.end), (Outcome::Done, &End::Answered));
    assert_eq!(finished.answer, "Wrote b.md.");
    assert_eq!((finished.steps, finished.spent.calls, finished.spent.usd_micros), (3, 5, 35));
    assert_eq!(finished.commits, ["c0ffee"]);
    assert_eq!(
        kinds(&bench.trail(&finished)),
        [
            "Begin", "Thought", "Plan", "Thought", "Call", "Thought", "Calling", "Call", "Thought",
            "Thought", "End",
        ]
    );
    let tasks: Vec<_> = bench.brain.asked.iter().map(|(task, _)| *task).collect();
    let (plan, simple) = (Task::Planning, Task::Simple);
    assert_eq!(tasks, [plan, plan, plan, plan, simple]);
    let [summary] = &bench.world.remembered[..] else { panic!() };
    assert_eq!((summary.title.as_str(), summary.asked.as_str()), ("A task", "Write b.md"));
    assert_eq!(summary.did, ["look {}: ok", "write {\"path\":\"b.md\"}: ok"]);
    assert_eq!(summary.touched, finished.touched);
    assert_eq!(finished.touched, [std::path::Path::new("b.md"), "c.md".as_ref()]);
    assert_eq!(bench.world.heard, ["Write b.md"]);
    let (lines, problems) = bench.trails.list(crate::Which::All, 10).unwrap();
    assert!(problems.is_empty());
    assert_eq!((lines[0].goal.as_str(), lines[0].calls), ("Write b.md", 2));
    assert_eq!(lines[0].outcome.as_deref(), Some("done"));
}

/// A step is judged in the reply that makes the next one; where both failed, or nothing is judged there,
/// there is a question of its own.
#[test]
fn only_failures_are_asked_about() {
    let (look, fails) = (|| call("look", json!({})), || call("fails", json!({ "again": false })));
    let once = || call("fails", json!({}));
    for (reflect, steps, asked) in [
        (Reflect::EveryStep, [look(), fails(), look(), fails()], 0),
        (Reflect::EveryStep, [look(), fails(), once(), look()], 1),
        (Reflect::Failures, [look(), fails(), once(), look()], 2),
    ] {
        let mut bench = Bench::new(Mode::Full, steps);
        bench.settings.reflect = reflect;
        let finished = bench.run("go");
        let trail = kinds(&bench.trail(&finished));
        let found = trail.iter().filter(|kind| *kind == "Reflection").count();
        assert_eq!(found, asked, "{trail:?}");
        if let Some(at) = trail.iter().position(|kind| kind == "Reflection") {
            assert_eq!(trail[at - 2..at], ["Call", "Thought"]);
        }
        let Message::System(system) = &bench.step_requests()[0].messages[0] else { panic!() };
        assert_eq!(system.contains("# Looking back"), reflect == Reflect::EveryStep);
    }
}

/// Schemas of tools that no task needs are left out until one is wanted.
#[test]
fn many_tools_come_as_they_are_wanted() {
    let want = |names: serde_json::Value| call("more_tools", json!({ "names": names }));
    let steps = [
        call("tool_1", json!({})),
        want(json!(["tool_3", "no_tool"])),
        want(json!("tool_4")),
        call("tool_3", json!({})),
    ];
    let mut bench = Bench::new(Mode::Full, steps);
    bench.brain.plan = json!({ "answer_at_once": false, "steps": [], "tools": ["tool_2"] });
    for number in 0..60 {
        let act = |_: &serde_json::Value, _: &mut dyn Host| said("used");
        let look = crate::permissions::Action::Look;
        bench.add(tool(
            &format!("tool_{number}"),
            crate::permissions::Level::Safe,
            look,
            false,
            act,
        ));
    }
    let finished = bench.run("go");
    assert_eq!((&finished.end, finished.steps), (&End::Answered, 5));
    let offered = |at: usize| -> Vec<String> {
        let request = bench.step_requests()[at].clone();
        assert!(request.is_continued && request.tools.tokens() < 900, "{}", request.tools.tokens());
        request.tools.iter().map(|tool| tool.name.clone()).collect()
    };
    assert_eq!(offered(0), ["tool_2", "more_tools"]);
    // What is called by its name alone is called all the same.
    assert_eq!(offered(1), offered(0));
    assert_eq!(offered(2), ["tool_2", "tool_3", "more_tools"]);
    let results = bench.last_results();
    assert_eq!(results[1], "from now on you can call tool_3; there is no tool no_tool");
    assert!(results[2].starts_with("no more tools"), "{results:?}");
    assert_eq!((&*results[0], &*results[3]), ("used", "used"));
}

#[test]
fn what_suffices_is_answered_at_once() {
    let mut bench = Bench::new(Mode::Full, [text("42")]);
    bench.brain.plan = json!({ "answer_at_once": true, "steps": [] });
    let finished = bench.run("How many?");
    assert_eq!(finished.answer, "42");
    assert!(bench.step_requests().is_empty() && bench.world.remembered.is_empty());
    assert_eq!(bench.brain.asked.len(), 2);
}

#[test]
fn approvals() {
    let write = || call("write", json!({}));
    let web = || call("web", json!({}));
    let line = |line: &str| call("shell", json!({ "line": line }));
    for (mode, steps, answers, asked, made) in [
        (Mode::Full, vec![write()], vec![], 0, 1),
        (Mode::Smart, vec![call("look", json!({})), write()], vec![Answer::Once], 1, 1),
        (Mode::Ask, vec![call("look", json!({}))], vec![Answer::Nobody], 1, 0),
        (Mode::Smart, vec![write()], vec![Answer::No(Some("not now".into()))], 1, 0),
        (Mode::Smart, vec![write()], vec![Answer::Nobody], 1, 0),
        (
            Mode::Smart,
            vec![write(), call("write", json!({"path": "b"}))],
            vec![Answer::Session],
            1,
            2,
        ),
        (Mode::Smart, vec![write(), call("write", json!({"path": "b"}))], vec![Answer::Once], 2, 1),
        (Mode::Smart, vec![write(), call("write", json!({"path": "b"}))], vec![Answer::Rule], 1, 2),
        // A result from a shell taints: what reaches out asks again, what an undo holds does not.
        (Mode::Smart, vec![line("a b"), line("a b")], vec![Answer::Session], 1, 2),
        (Mode::Smart, vec![web(), web()], vec![Answer::Session], 2, 1),
    ] {
        let mut bench = Bench::new(mode, steps);
        bench.person.answers = answers.clone().into();
        bench.run("go");
        let found = (bench.person.requests.len(), bench.writes().len());
        assert_eq!(found, (asked, made), "{mode:?} {answers:?}");
    }
}

#[test]
fn unattended_asks_nobody() {
    for ignores_absence in [false, true] {
        let steps = [call("write", json!({})), text("It was refused.")];
        let mut bench = Bench::new(Mode::Ask, steps);
        bench.world.ignores_absence = ignores_absence;
        bench.settings.is_attended = false;
        bench.person.always = Some(Answer::Once);
        let finished = bench.run("go");
        assert_eq!((bench.person.requests.len(), bench.writes().len()), (0, 0));
        assert_eq!(finished.end, End::Answered);
        let refused = |kind: &EntryKind| match kind {
            EntryKind::Call { made, approved, .. } => {
                !made && ["no", "nobody"].contains(&&**approved)
            }
            _ => false,
        };
        assert_eq!(bench.trail(&finished).iter().filter(|kind| refused(kind)).count(), 1);
    }
}

#[test]
fn without_a_checkpoint_nothing_is_done() {
    let mut bench = Bench::new(Mode::Full, [call("write", json!({}))]);
    bench.world.before = Err("disk full".to_owned());
    bench.run("go");
    assert!(bench.writes().is_empty());
    assert!(bench.last_results()[0].contains("no checkpoint"), "{:?}", bench.last_results());
}

#[test]
fn limits() {
    let look = |number: usize| call("look", json!({ "path": number.to_string() }));
    let mut bench = Bench::new(Mode::Full, (0..100).map(look));
    bench.settings.max_steps = 7;
    let finished = bench.run("go");
    assert!(finished.reason().contains("all 7 steps"), "{}", finished.reason());
    assert_eq!((finished.end, finished.steps), (End::Steps { max: 7 }, 7));
    assert_eq!(finished.outcome, Outcome::Partly);

    let mut bench = Bench::new(Mode::Full, [look(1), Say::Fails(BrainErrorKind::OverBudget)]);
    let finished = bench.run("go");
    assert_eq!(finished.outcome, Outcome::Failed);
    assert!(matches!(finished.end, End::Budget { .. }));
    assert_eq!(bench.world.remembered[0].root_cause.as_deref(), Some("it failed"));
}

#[test]
fn a_result_is_cut_and_masked() {
    let token = concat!("gh", "p_9aKx27LmQz81WvTb4RnYc6PdEs0HjGfUo3Xi");
    let steps = [call("big", json!({ "path": token })), text("It is long.")];
    let mut bench = Bench::new(Mode::Full, steps);
    let output = format!("{token} {} {token}", "x".repeat(1_000_000));
    let act = move |_: &serde_json::Value, _: &mut dyn Host| said(&output);
    bench.add(tool(
        "big",
        crate::permissions::Level::Safe,
        crate::permissions::Action::Look,
        true,
        act,
    ));
    let finished = bench.run(&format!("use {token}"));
    let [result] = &bench.last_results()[..] else { panic!() };
    assert!(result.len() < 17 * 1024 && result.contains("bytes left out"), "{}", result.len());
    for (_, request) in &bench.brain.asked {
        assert!(!format!("{request:?}").contains(token));
    }
    assert!(!bench.on_disk().contains(token));
    assert!(!format!("{:?}", bench.world.remembered).contains(token));
    assert_eq!(finished.outcome, Outcome::Done);
}

#[test]
fn a_long_run_keeps_within_the_prompt() {
    let mut bench =
        Bench::new(Mode::Full, (0..30).map(|n| call("big", json!({ "path": n.to_string() }))));
    let act = |arguments: &serde_json::Value, _: &mut dyn Host| {
        said(&format!("{arguments} {}", "word ".repeat(3_000)))
    };
    bench.add(tool(
        "big",
        crate::permissions::Level::Safe,
        crate::permissions::Action::Look,
        false,
        act,
    ));
    bench.settings.max_prompt_tokens = 20_000;
    bench.run("read all");
    for request in bench.step_requests() {
        assert!(request.estimated_input() <= 20_000);
        assert!(request.messages.contains(&Message::user("read all")));
    }
}

#[test]
fn no_goal_no_run() {
    let mut bench = Bench::new(Mode::Full, []);
    let mut session = bench.session();
    assert!(matches!(bench.try_in(" \n", &mut session), Err(AgentError::EmptyGoal)));
    let long = "x".repeat(1 << 20);
    assert!(matches!(bench.try_in(&long, &mut session), Err(AgentError::GoalTooLong { .. })));
    assert!(bench.brain.asked.is_empty());
}
