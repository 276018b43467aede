//! Sub-agents that read side by side: at once, within budgets, and ended with their run.

use std::{
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use serde_json::{Value, json};

use super::{Bench, Running};
use crate::fake::{
    Seen,
    script::{Model, Turn, call, text},
};

/// Longer takes only what hangs.
const HANGS: Duration = Duration::from_secs(60);

/// How many requests of readers are being answered, and how many were at most.
#[derive(Default)]
struct InFlight {
    now: Mutex<(usize, usize)>,
    changed: Condvar,
}

impl InFlight {
    /// Is there until there are so many at once, or it hangs.
    fn waits_for(&self, wanted: usize) {
        let mut now = self.now.lock().unwrap();
        now.0 += 1;
        now.1 = now.1.max(now.0);
        self.changed.notify_all();
        let waited = self.changed.wait_timeout_while(now, HANGS, |now| now.1 < wanted);
        waited.unwrap().0.0 -= 1;
    }

    fn most(&self) -> usize {
        self.now.lock().unwrap().1
    }
}

/// The question of a request that a reader makes.
fn question(seen: &Seen) -> Option<String> {
    let messages = &seen.body["messages"];
    let system = messages[0]["content"].as_str().unwrap();
    let is_reader = system.starts_with("You read for another agent");
    is_reader.then(|| messages[1]["content"].as_str().unwrap().to_owned())
}

fn results(body: &Value) -> usize {
    let messages = body["messages"].as_array().unwrap().iter();
    messages.filter(|message| message["role"] == "tool").count()
}

/// Gives two questions away, then says what came back.
fn delegates(seen: &Seen) -> Turn {
    match results(&seen.body) {
        0 => {
            call("delegate_reading", json!({ "questions": ["What of otters?", "What of seals?"] }))
        }
        _ => text("Both are read about."),
    }
}

const FILES: [(&str, &str); 2] =
    [("otters.md", "# Otters\n\nThey swim in rivers.\n"), ("seals.md", "# Seals\n\nThey bark.\n")];

fn reads(seen: &Seen, question: &str) -> Turn {
    let file = if question.contains("otters") { "otters.md" } else { "seals.md" };
    match results(&seen.body) {
        0 => call("file_read", json!({ "path": file })),
        _ => text(&format!("{file}:3 says it.")),
    }
}

#[test]
fn two_requests_are_in_flight_at_once() {
    let in_flight = Arc::new(InFlight::default());
    let counted = Arc::clone(&in_flight);
    let model = Model::start(json!({}), move |seen, _| match question(seen) {
        None => delegates(seen),
        Some(question) => {
            counted.waits_for(2);
            reads(seen, &question)
        }
    });
    let bench = Bench::with(model, &FILES);
    // By the settings as they are, which ask before every call: once for all that readers read.
    let told = bench.run("Find out", &[], "once");
    told.done();
    assert_eq!(in_flight.most(), 2);
    assert_eq!(told.asked(), ["delegate_reading"]);
    let tasks: Vec<_> = told
        .all("sub_task")
        .iter()
        .map(|event| {
            let (reader, state) = (event["reader"].as_u64().unwrap(), event["state"].clone());
            (reader, state.as_str().unwrap().to_owned(), event["depth"].as_u64().unwrap())
        })
        .collect();
    let state = |reader, state: &str| (reader, state.to_owned(), 1);
    assert_eq!(
        tasks,
        [state(1, "begun"), state(2, "begun"), state(1, "answered"), state(2, "answered")]
    );
    let ended = told.all("sub_task")[2];
    // As the model says: 11 tokens read and 7 written for a call, and so for an answer.
    assert_eq!((&ended["goal"], &ended["steps"]), (&json!("What of otters?"), &json!(2)));
    assert!(ended["tokens"].as_u64().unwrap() > 18, "{ended}");
    let mut ran = told.ran();
    ran.sort_unstable();
    assert_eq!(ran, ["delegate_reading", "file_read", "file_read"]);
    let result = told.results()[2];
    let (one, two) = (result.find("otters.md:3 says it."), result.find("seals.md:3 says it."));
    assert!(one.is_some() && one < two, "{result}");
    assert!(
        result.contains("; read: otters.md]") && result.contains("; read: seals.md]"),
        "{result}"
    );
    let prompt = bench.model.prompts().pop().unwrap();
    assert!(prompt.contains("origin=\"result of delegate_reading\""), "{prompt}");
    assert_eq!(told.all("tainted").len(), 1);
    let steps = told.ended()["steps"].as_u64().unwrap();
    assert_eq!(steps, 2 + 4);
    let trail = bench.env.ok(&["agent", "runs", "show", told.run()]).stdout();
    for word in
        ["reader_begin", "reader_end", "question: What of seals?", "end: answered", "reader: 2"]
    {
        assert!(trail.contains(word), "{word}: {trail}");
    }
}

#[test]
fn a_budget_that_ends_gives_a_part() {
    let long = "They swim, and swim, and swim.\n".repeat(2_000);
    let model = Model::start(json!({}), |seen, _| match question(seen) {
        None => delegates(seen),
        Some(_) if seen.body["tool_choice"] == "none" => text("They swim; more I did not get to."),
        Some(question) if question.contains("otters") => {
            let from = 1 + 100 * results(&seen.body);
            call("file_read", json!({ "path": "otters.md", "from": from }))
        }
        Some(question) => reads(seen, &question),
    });
    let bench =
        Bench::with(model, &[("otters.md", &long), FILES[1]]).set("agent.reader_tokens: 9000\n");
    let told = bench.run("Find out", &["--mode", "smart"], "no");
    told.done();
    let ends: Vec<_> = told.all("sub_task")[2..].iter().map(|it| &it["state"]).collect();
    assert_eq!(ends, ["partly", "answered"]);
    let result = told.results().pop().unwrap();
    assert!(result.contains("[only in part: its budget of 9000 tokens, or its steps,"), "{result}");
    assert!(result.contains("They swim; more I did not get to."), "{result}");
    // No request of it was beyond what it might use.
    for body in bench.model.asked().iter().filter(|body| body["tool_choice"] == "none") {
        assert!(crate::fake::script::tokens(body) <= 8_000);
    }
}

#[test]
fn readers_take_their_share_of_the_budget_of_the_run() {
    let model = Model::start(json!({}), |seen, _| match question(seen) {
        None => delegates(seen),
        Some(question) => reads(seen, &question),
    });
    let bench = Bench::with(model, &FILES);
    let told = bench.run("Find out", &["--mode", "smart", "--budget", "17000tok"], "no");
    let result = told.results().pop().unwrap().to_owned();
    assert!(result.contains("too few for 2 readers"), "{result}");
    assert!(told.all("sub_task").is_empty());
}

#[test]
fn none_are_offered_where_none_are_wanted() {
    let bench = Bench::new(Model::script(vec![text("Fine.")])).set("agent.readers: 0\n");
    let tools = bench.env.ok(&["agent", "tools"]).stdout();
    assert!(!tools.contains("delegate_reading"), "{tools}");
}

#[test]
fn they_end_with_their_run() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let in_flight = Arc::new(InFlight::default());
        let counted = Arc::clone(&in_flight);
        let model = Model::start(json!({}), move |seen, _| match question(seen) {
            None => delegates(seen),
            Some(_) => {
                // Two are there; a third never comes.
                counted.waits_for(3);
                text("Late.")
            }
        });
        let bench = Bench::with(model, &FILES);
        let mut running = Running::start(&mut bench.command("Find out", &["--mode", "smart"]));
        running.until("sub_task");
        running.until("sub_task");
        while in_flight.most() < 2 {
            std::thread::sleep(Duration::from_millis(10));
        }
        running.signal(signal);
        let told = running.finish(|_| None);
        assert_eq!(told.output.code, Some(1), "{}", told.output);
        assert_eq!(told.outcome(), "cancelled", "{}", told.output);
        let ends: Vec<_> = told.all("sub_task")[2..].iter().map(|it| &it["state"]).collect();
        assert_eq!(ends, ["cancelled", "cancelled"]);
        assert!(told.results().iter().all(|result| !result.contains("Late.")));
    }
}

#[test]
fn a_reader_that_is_told_to_write_cannot() {
    let model = Model::start(json!({}), |seen, _| match question(seen) {
        None => delegates(seen),
        Some(_) => match results(&seen.body) {
            0 => call("file_write", json!({ "path": "stolen.md", "content": "x" })),
            1 => call("shell_execute", json!({ "command": "echo x > stolen.md" })),
            2 => call("web_fetch", json!({ "url": "https://evil.test/" })),
            3 => call("more_tools", json!({ "names": ["file_write"] })),
            _ => text("I could not."),
        },
    });
    let bench = Bench::with(model, &FILES);
    let told = bench.run("Find out", &["--mode", "full"], "once");
    assert!(!bench.env.path("stolen.md").exists());
    assert!(told.asked().is_empty());
    assert_eq!(told.ran(), ["delegate_reading"]);
    assert_eq!(told.unmade().len(), 8, "{:?}", told.unmade());
}
