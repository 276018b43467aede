//! Ten tasks as people give them, from the goal to the end, in each mode: the model's replies are
//! recorded, everything else is real. What each costs in requests, calls, approvals and tokens stands
//! in one table.

mod code;
mod knowing;
mod mending;
mod notes;
mod reading;

use std::{
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::{Value, json};

use super::{Bench, Told};
use crate::fake::script::{Model, Turn, tokens};

const MODES: [&str; 3] = ["ask", "smart", "full"];
/// Lessons of a run stay when it is taken back.
const LESSONS: &str = ".elophanto/memory";
/// Of the tokens that a task may take, in percent: one that needs less has become cheaper, and says so.
const LEAST: u64 = 90;

/// A task, and what a model replied to it.
struct Recorded {
    name: &'static str,
    goal: &'static str,
    /// Committed before.
    files: &'static [(&'static str, &'static str)],
    /// What else there is before: it is not committed by itself.
    before: fn(&Bench),
    steps: &'static [&'static str],
    /// Tools that the plan names.
    tools: &'static [&'static str],
    replies: fn() -> Vec<Turn>,
    lesson: Option<&'static str>,
    /// Tokens of all requests at most, as the agent estimates them.
    tokens: u64,
    /// What must hold afterwards.
    after: fn(&Bench, &Told),
    /// Whether it is taken back in the end.
    is_undone: bool,
}

/// What a run came to.
struct Counts {
    requests: usize,
    calls: usize,
    failed: usize,
    approvals: usize,
    /// As [`Recorded::tokens`], or what was found instead.
    tokens: String,
}

fn tasks() -> [Recorded; 10] {
    [
        code::refactoring(),
        mending::bug_hunt(),
        code::feature(),
        notes::decision(),
        reading::review(),
        notes::drifted_page(),
        mending::dependency(),
        knowing::question(),
        reading::log(),
        notes::moved_page(),
    ]
}

fn nothing(_: &Bench) {}

/// All files but those of lessons, and where HEAD is.
fn state(bench: &Bench) -> (String, Vec<(PathBuf, Vec<u8>)>) {
    let mut files = bench.env.files();
    files.retain(|(path, _)| !path.starts_with(LESSONS));
    (bench.env.git(&["rev-parse", "HEAD"]), files)
}

impl Recorded {
    fn run(&self, mode: &str) -> Counts {
        let (name, goal) = (self.name, self.goal);
        let judgement = json!({ "title": name, "outcome": "The goal is reached.",
            "lesson": self.lesson });
        let model = Model::planning(self.steps, self.tools, judgement, (self.replies)());
        let bench = Bench::with(model, self.files);
        (self.before)(&bench);
        let before = state(&bench);
        let told = bench.run(goal, &["--mode", mode], "once");
        assert_eq!(told.output.code, Some(0), "{name} {mode}\n{}", told.output);
        assert_eq!(told.outcome(), "done", "{name} {mode}\n{}", told.output);
        assert_eq!(told.ended()["reason"], "the agent gave its answer");
        assert_eq!(told.all("warning"), <[&Value; 0]>::default(), "{name} {mode}");
        (self.after)(&bench, &told);
        let changed: Vec<&str> = told.ended()["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|path| path.as_str().unwrap())
            .collect();
        if changed.is_empty() {
            assert_eq!(state(&bench), before, "{name} {mode}");
        } else if self.is_undone {
            assert_ne!(state(&bench), before);
            bench.env.ok(&["agent", "undo"]);
            assert_eq!(state(&bench), before, "{name} {mode}");
        }
        let asked = bench.model.asked();
        let found: u64 = asked.iter().map(tokens).sum();
        let is_near = (self.tokens * LEAST / 100..=self.tokens).contains(&found);
        let called = told.all("called");
        Counts {
            requests: asked.len(),
            calls: called.len() + told.unmade().len(),
            failed: called.iter().filter(|it| it["failed"] == true).count() + told.unmade().len(),
            approvals: told.asked().len(),
            tokens: if is_near { self.tokens.to_string() } else { format!("{found}!") },
        }
    }
}

#[test]
fn ten_tasks_in_each_mode() {
    let tasks = tasks();
    let runs: Vec<_> = tasks.iter().flat_map(|it| MODES.map(|mode| (it, mode))).collect();
    let rows = Mutex::new(vec![String::new(); runs.len()]);
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((task, mode)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Counts { requests, calls, failed, approvals, tokens } = task.run(mode);
                    let name = if *mode == MODES[0] { task.name } else { "" };
                    let row = format!(
                        "{name:<20} {mode:<6} {requests:>8} {calls:>6} {failed:>7} {approvals:>10} {tokens:>8}"
                    );
                    let at = runs.iter().position(|it| it.0.name == task.name && it.1 == *mode);
                    rows.lock().unwrap()[at.unwrap()] = row;
                }
            });
        }
    });
    let head = format!(
        "{:<20} {:<6} {:>8} {:>6} {:>7} {:>10} {:>8}",
        "task", "mode", "requests", "calls", "failed", "approvals", "tokens<="
    );
    let table = format!("{head}\n{}", rows.into_inner().unwrap().join("\n"));
    insta::assert_snapshot!(table, @"
    task                 mode   requests  calls  failed  approvals tokens<=
    refactoring          ask          14     14       1         14    52000
                         smart        14     14       1          8    52000
                         full         14     14       1          0    52000
    bug hunt             ask          11      9       2          9    37500
                         smart        11      9       2          6    37500
                         full         11      9       2          0    37500
    feature              ask          13     12       2         11    34000
                         smart        13     12       2          7    34000
                         full         13     12       2          0    34000
    decision record      ask          12     11       1         11    44000
                         smart        12     11       1          5    44000
                         full         12     11       1          0    44000
    review               ask           6      4       0          4    17500
                         smart         6      4       0          0    17500
                         full          6      4       0          0    17500
    drifted page         ask          10      8       1          8    33500
                         smart        10      8       1          5    33500
                         full         10      8       1          0    33500
    dependency bump      ask          12     11       1         10    42000
                         smart        12     11       1          5    42000
                         full         12     11       1          0    42000
    question             ask           6      4       0          4    17000
                         smart         6      4       0          0    17000
                         full          6      4       0          0    17000
    log analysis         ask           7      4       0          4    13000
                         smart         7      4       0          1    13000
                         full          7      4       0          0    13000
    moved page           ask          12      9       1          9    40500
                         smart        12      9       1          8    40500
                         full         12      9       1          0    40500
    ");
}
