//! Questions that are read about side by side: what readers may do, use and say.

use serde_json::json;

use super::kit::*;
use crate::{
    permissions::{Action, Level, Mode},
    *,
};
use elophanto_models::llm::{Message, Request, ToolChoice};

fn is_reader(request: &Request) -> bool {
    let system = request.messages.first();
    matches!(system, Some(Message::System(text)) if text.starts_with("You read for another agent"))
}

fn results(request: &Request) -> usize {
    request.messages.iter().filter(|it| matches!(it, Message::Tool { .. })).count()
}

/// The agent gives two questions away; its readers do what `reads` says.
fn bench(mode: Mode, obeys: fn(&Request) -> Say) -> Bench {
    let mut bench = Bench::new(mode, []);
    bench.add(tools::readers(3));
    let path = || vec!["/r/a.md".into()];
    bench.add(tool("file_read", Level::Safe, Action::Read { paths: path() }, true, |_, host| {
        assert!(!host.takes_images());
        said("words of a file")
    }));
    bench.settings.takes_images = true;
    bench.brain.obeys = Some(obeys);
    bench
}

fn delegates(request: &Request) -> Say {
    match results(request) {
        0 => call("delegate_reading", json!({ "questions": ["one?", "two?"] })),
        _ => text("Both are answered."),
    }
}

fn well(request: &Request) -> Say {
    match request.messages.get(1) {
        Some(Message::User(question)) if is_reader(request) => match results(request) {
            0 => call("file_read", json!({ "path": "a.md" })),
            _ => text(&format!("Answer to {question}")),
        },
        _ => delegates(request),
    }
}

#[test]
fn two_questions_are_answered() {
    let mut bench = bench(Mode::Smart, well);
    let mut session = bench.session();
    let finished = bench.run_in("Find out", &mut session);
    assert_eq!(finished.end, End::Answered);
    let result = bench.last_results().pop().unwrap();
    assert!(result.starts_with("<quoted-"), "{result}");
    let (one, two) =
        (result.find("Answer to one?").unwrap(), result.find("Answer to two?").unwrap());
    assert!(one < two && result.contains("[answered; 2 steps, 30 tokens]"), "{result}");
    assert!(session.is_tainted && bench.person.requests.is_empty());
    // Two replies of the agent, two of each reader; besides a plan and a judgement.
    assert_eq!((finished.steps, finished.spent.calls), (6, 8));
    let trail = bench.trails.read(&finished.run.to_string()).unwrap().entries;
    for reader in [1, 2] {
        let of = trail.iter().filter(|entry| entry.reader == Some(reader)).map(|it| &it.kind);
        let kinds: Vec<_> = of
            .map(|kind| match kind {
                EntryKind::ReaderBegin { question, tools, .. } => format!("{question} {tools:?}"),
                EntryKind::Call { tool, approved, .. } => format!("{tool} {approved}"),
                EntryKind::Thought { .. } => "thought".to_owned(),
                EntryKind::ReaderEnd { end, steps, tokens, .. } => {
                    format!("{end} {steps} {tokens}")
                }
                other => format!("{other:?}"),
            })
            .collect();
        let question = ["one?", "two?"][reader - 1];
        let begin = format!("{question} [\"file_read\"]");
        let kinds: Vec<&str> =
            kinds.iter().map(String::as_str).filter(|it| !it.starts_with("Tainted")).collect();
        assert_eq!(kinds, [&*begin, "thought", "file_read mode", "thought", "answered 2 30"]);
    }
    let told = bench.person.told.iter().filter(|name| *name == "Reader").count();
    assert_eq!(told, 4);
}

#[test]
fn one_approval_holds_for_what_readers_read() {
    let mut asked = bench(Mode::Ask, well);
    asked.person.answers = [Answer::Once].into();
    let finished = asked.run("Find out");
    assert_eq!(asked.person.requests.len(), 1);
    assert_eq!(asked.person.requests[0].tool, "delegate_reading");
    let delegated = |kind: &EntryKind| matches!(kind, EntryKind::Call { approved, made: true, .. } if approved == "delegated");
    assert_eq!(asked.trail(&finished).iter().filter(|kind| delegated(kind)).count(), 2);
    // Without it nobody begins.
    let mut refused = bench(Mode::Ask, well);
    refused.person.answers = [Answer::No(None)].into();
    refused.run("Find out");
    assert!(!refused.brain.asked.iter().any(|(_, request)| is_reader(request)));
}

#[test]
fn readers_change_nothing_and_ask_nobody() {
    fn obeys(request: &Request) -> Say {
        match results(request) {
            _ if !is_reader(request) => delegates(request),
            0 => call("write", json!({ "path": "b.md" })),
            1 => call("shell", json!({ "line": "rm -rf /" })),
            2 => call("delegate_reading", json!({ "questions": ["deeper?"] })),
            3 => call("web", json!({})),
            _ => text("I could not."),
        }
    }
    let mut bench = bench(Mode::Full, obeys);
    bench.person.always = Some(Answer::Once);
    bench.run("Find out");
    assert!(bench.writes().is_empty() && bench.person.requests.is_empty());
    let asked = bench.brain.asked.iter().filter(|(_, request)| is_reader(request));
    assert!(asked.clone().count() == 10);
    for (_, request) in asked {
        let names: Vec<_> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["file_read"]);
    }
}

#[test]
fn a_budget_that_ends_gives_a_part() {
    fn obeys(request: &Request) -> Say {
        match results(request) {
            _ if !is_reader(request) => delegates(request),
            _ if request.tool_choice == ToolChoice::None => text("So far: otters."),
            count => call("file_read", json!({ "path": count.to_string() })),
        }
    }
    let mut bench = bench(Mode::Full, obeys);
    bench.settings.max_steps = 16;
    let finished = bench.run("Find out");
    assert_eq!(finished.end, End::Answered);
    let result = bench.last_results().pop().unwrap();
    // A third of the fifteen that were left, and the run kept as many.
    assert_eq!(result.matches("[only in part: ").count(), 2, "{result}");
    assert_eq!(result.matches("; 5 steps, 75 tokens]\nSo far: otters.").count(), 2, "{result}");
    assert_eq!(finished.steps, 1 + 10 + 1);
}

#[test]
fn a_reader_without_room_says_so() {
    fn obeys(request: &Request) -> Say {
        match results(request) {
            _ if !is_reader(request) => delegates(request),
            _ if request.tool_choice == ToolChoice::None => {
                // What it read was cut to what there is room for.
                assert!(request.estimated_input() < 8_000);
                text("So far: otters.")
            }
            count => {
                let path = json!({ "path": count.to_string() });
                Say::Calls(vec![("file_read".to_owned(), path); 4])
            }
        }
    }
    let mut bench = bench(Mode::Full, obeys);
    bench.settings.reader_tokens = 8_000;
    let read =
        tool("file_read", Level::Safe, Action::Look, true, |_, _| said(&"word ".repeat(3_000)));
    bench.tools = Toolbox::of([tools::readers(3), read]).0;
    bench.run("Find out");
    let result = bench.last_results().pop().unwrap();
    assert_eq!(result.matches("[only in part: its budget of 8000 tokens").count(), 2, "{result}");
    assert_eq!(result.matches("; 2 steps, 30 tokens]\nSo far: otters.").count(), 2, "{result}");
}

#[test]
fn too_little_is_left() {
    for (steps, tokens, says) in [
        (5, None, "only 4 steps are left for this run, too few for 2 readers"),
        (40, Some(17_000), "only 17000 tokens are left for this run, too few for 2 readers"),
    ] {
        let mut bench = bench(Mode::Full, well);
        bench.settings.max_steps = steps;
        bench.brain.tokens_left = tokens;
        bench.run("Find out");
        let result = bench.last_results().pop().unwrap();
        assert!(result.contains(says), "{result}");
        assert!(!bench.brain.asked.iter().any(|(_, request)| is_reader(request)));
    }
}

#[test]
fn what_fails_and_what_ends_the_run() {
    fn fails(request: &Request) -> Say {
        match is_reader(request) {
            true => Say::Fails(BrainErrorKind::Unreachable),
            false => delegates(request),
        }
    }
    let mut failing = bench(Mode::Full, fails);
    let finished = failing.run("Find out");
    assert_eq!(finished.end, End::Answered);
    let result = failing.last_results().pop().unwrap();
    assert_eq!(result.matches("[failed; 1 step, 0 tokens]\nit failed").count(), 2, "{result}");
    fn cancels(request: &Request) -> Say {
        if is_reader(request) { Say::Cancels } else { delegates(request) }
    }
    let mut cancelled = bench(Mode::Full, cancels);
    let finished = cancelled.run("Find out");
    assert_eq!((finished.end.clone(), finished.outcome), (End::Cancelled, Outcome::Cancelled));
    let ends =
        |kind: &EntryKind| matches!(kind, EntryKind::ReaderEnd { end, .. } if end == "cancelled");
    assert_eq!(cancelled.trail(&finished).iter().filter(|kind| ends(kind)).count(), 2);
}
