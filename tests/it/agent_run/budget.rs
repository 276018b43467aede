//! What a run may use up, and where it cannot write.

use serde_json::json;

use super::{Bench, drive};
use crate::{
    env::{PROGRAM, snapshot},
    fake::script::{Model, call, shell, text},
};

fn busy() -> Bench {
    let turns =
        (0..60).map(|n| call("file_write", json!({ "path": format!("f{n}"), "text": "x" })));
    Bench::new(Model::judging(json!({ "reached": "partly" }), turns.collect()))
}

#[test]
fn a_budget_ends_the_run() {
    let bench = busy();
    let told = bench.run("Write", &["--budget", "3calls"], "once");
    assert_eq!(told.output.code, Some(1), "{}", told.output);
    assert_eq!(told.outcome(), "failed");
    assert_eq!(bench.model.asked().len(), 3);
    let reason = told.ended()["reason"].as_str().unwrap();
    assert!(reason.contains("3 calls") || reason.contains("budget"), "{reason}");
    let bad = bench.env.run(&["agent", "run", "x", "--budget", "lots"]);
    assert_eq!(bad.code, Some(2), "{bad}");
}

#[test]
fn steps_are_counted() {
    let bench = busy();
    let told = bench.run("Write", &["--max-steps", "2"], "once");
    assert_eq!(told.output.code, Some(1), "{}", told.output);
    assert_eq!((told.ran().len(), told.outcome()), (2, "partly"), "{}", told.output);
    assert_eq!(told.ended()["reason"], "all 2 steps are used up");
    for wrong in ["0", "-1", "x", "99999999999999999999"] {
        let output = bench.env.run(&["agent", "run", "x", "--max-steps", wrong]);
        assert_eq!(output.code, Some(2), "{output}");
    }
}

/// An answer that cannot be used is paid for like any other: that of a plan, of a look back and of a
/// judgement, which is asked for twice.
#[test]
fn what_a_run_cost_is_what_the_ledger_has() {
    let turns = vec![
        call("file_read", json!({ "path": "missing.md" })),
        call("file_write", json!({ "path": "a.txt", "text": "x" })),
        text("`a.txt` is written."),
    ];
    for model in [Model::script(turns.clone()), Model::prose(turns)] {
        let bench = Bench::new(model);
        let told = bench.run("Write a.txt", &["--mode", "full"], "once");
        told.done();
        let asked = bench.model.asked().len() as u64;
        let total = bench.env.json(&["usage", "--json"]).last().unwrap().clone();
        assert_eq!(total["calls"], asked, "{total}");
        let ended = told.ended();
        assert_eq!(ended["input_tokens"], total["input"], "{total}\n{ended}");
        assert_eq!(ended["output_tokens"], total["output"], "{total}\n{ended}");
        assert_eq!(ended["input_tokens"], 11 * asked, "{total}\n{ended}");
    }
}

#[test]
fn goals_that_are_none() {
    let bench = busy();
    for goal in ["", "   ", "\n"] {
        let output = bench.env.run(&["agent", "run", goal]);
        assert_eq!(output.code, Some(2), "{output}");
        assert!(output.stderr().contains("there is no goal"), "{output}");
    }
    let large = "otter ".repeat(12_000);
    let output = bench.env.run_with(&["agent", "run", "-"], large.as_bytes());
    assert_eq!(output.code, Some(2), "{output}");
    let output = bench.env.run_with(&["agent", "run", "-"], b"\xff\xfe");
    assert_eq!(output.code, Some(2), "{output}");
    assert!(bench.model.asked().is_empty());
    assert_eq!(bench.env.run(&["agent", "sessions", "--all"]).stdout(), "");
}

#[test]
fn without_a_model_there_is_no_run() {
    let bench = busy();
    bench.env.write_settings("llm.providers.ollama.base_url: http://127.0.0.1:2\n");
    let output = bench.env.run(&["agent", "run", "Write"]);
    assert!(matches!(output.code, Some(1 | 2)), "{output}");
    assert!(output.stderr().contains("model"), "{output}");
    snapshot!(bench.env.run(&["agent", "sessions", "--all"]), @"
    exit: 1
    --- stdout
    --- stderr
    no conversation is kept: `elophanto agent chat` begins one
    ");
}

#[test]
fn a_work_tree_that_cannot_be_written() {
    let turns = vec![
        call("file_read", json!({ "path": "README.md" })),
        call("file_write", json!({ "path": "a.txt", "text": "x" })),
        shell("echo x > b.txt"),
        text("It cannot be written."),
    ];
    let bench = Bench::new(Model::judging(json!({ "reached": "no" }), turns));
    // A mount that only reads holds for root too.
    let mount = "mount --bind . . && mount -o remount,ro,bind . && cd \"$PWD\"";
    let sealed = |line: &str| {
        let mut command = bench.env.sealed("unshare");
        command.args(["-rm", "sh", "-c", line, PROGRAM, "agent", "run", "Write", "--json"]);
        command
    };
    if !sealed(mount).output().is_ok_and(|output| output.status.success()) {
        return;
    }
    let before = bench.env.files();
    let told =
        drive(&mut sealed(&format!("{mount} && exec \"$0\" \"$@\"")), |_| Some("once".to_owned()));
    assert_eq!(told.output.code, Some(1), "{}", told.output);
    assert_eq!(told.ran(), ["file_read"], "{}", told.output);
    assert!(told.unmade()[0].contains("no checkpoint to go back to"), "{}", told.output);
    assert_eq!(bench.env.files(), before);
}

#[test]
fn without_git_nothing_is_changed() {
    let model = Model::script(vec![
        call("file_write", json!({ "path": "a.txt", "text": "x" })),
        call("file_read", json!({ "path": "README.md" })),
        text("It could not be written."),
    ]);
    let env = crate::env::TestEnv::plain();
    env.write("README.md", "# Otters\n");
    env.write(".elophanto/config.yaml", "");
    env.write_settings(&model.settings());
    let bench = Bench { env, model };
    let told = bench.run("Write", &[], "once");
    assert_eq!(told.ran(), ["file_read"], "{}", told.output);
    assert!(told.unmade()[0].contains("git init"), "{}", told.output);
    assert!(!bench.env.path("a.txt").exists());
}

#[test]
fn a_disk_without_room_loses_nothing() {
    for blocks in [0, 1, 4, 16] {
        let edit = json!({ "old": "They swim.", "new": "y".repeat(40_000) });
        let model = Model::script(vec![
            call("file_edit", json!({ "path": "README.md", "edits": [edit] })),
            shell("head -c 40000 /dev/zero > zeros"),
            text("There was no room."),
        ]);
        let bench = Bench::new(model);
        let mut command = bench.env.sealed("bash");
        let line = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
        command.args(["-c", &line, PROGRAM, "agent", "run", "Write", "--json"]);
        let told = drive(&mut command, |_| Some("once".to_owned()));
        assert!(matches!(told.output.code, Some(1 | 2)), "{blocks}: {}", told.output);
        assert_eq!(bench.env.read("README.md"), b"# Otters\n\nThey swim.\n", "{}", told.output);
        if told.output.code == Some(2) {
            assert!(told.output.stderr().contains("error: "), "{blocks}: {}", told.output);
        }
        bench.env.git(&["fsck"]);
        // With room again, all goes on.
        bench.env.json(&["agent", "undo", "--interrupted", "--json"]);
        assert_eq!(bench.env.git(&["status", "--porcelain", "--", "README.md", "zeros"]), "");
    }
}
