//! What a call costs besides the model.

use std::time::Instant;

use serde_json::json;

use super::kit::*;
use crate::{Reflect, permissions::Mode};

/// Writes the time per call, reflection and session file included, to `overhead.txt` in the folder
/// for temporary files.
#[test]
#[ignore = "measures"]
fn overhead_of_a_call() {
    let mut lines = String::new();
    // What is made once in a process is no cost of a call.
    Bench::new(Mode::Full, [call("write", json!({}))]).run("go");
    for (tool, mode) in [("look", Mode::Smart), ("write", Mode::Full)] {
        let count = 40_u32;
        let steps = (0..count).map(|n| call(tool, json!({ "path": n.to_string() })));
        let mut bench = Bench::new(mode, steps);
        bench.settings.max_steps = 100;
        bench.settings.reflect = Reflect::EveryStep;
        let start = Instant::now();
        let finished = bench.run("go");
        let time = start.elapsed() / count;
        assert_eq!(finished.steps, count + 1);
        lines += &format!("{tool}: {time:?} a call\n");
    }
    let bench = Bench::new(Mode::Full, []);
    let mut time = |name: &str, act: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..200).for_each(|_| act());
        lines += &format!("{name}: {:?}\n", start.elapsed() / 200);
    };
    let mut session = bench.session();
    session.messages = vec![elophanto_models::llm::Message::user("x".repeat(1000)); 20];
    time("session", &mut || bench.sessions.save(&mut session).unwrap());
    let mut trail = bench.trails.begin(now()).unwrap();
    time("trail", &mut || {
        trail.note(now(), 0, crate::EntryKind::Warning { text: "x".repeat(100) });
        trail.flush().unwrap();
    });
    let text = "some words of a result, 12 of them, with punctuation.\n".repeat(20);
    time("clean 1 kB", &mut || drop(crate::clean::clean(&text, 9999)));
    let value = json!({"path": "src/a/b/c.rs"});
    time("clean_json", &mut || drop(crate::clean::clean_json(&value, 9999)));
    std::fs::write(bench.folder().with_file_name("overhead.txt"), lines).unwrap();
}
