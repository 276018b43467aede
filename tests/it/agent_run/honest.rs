//! What a run is called at the end, and what has to hold before its answer stands.

use serde_json::json;

use super::Bench;
use crate::fake::script::{Model, Turn, call, shell, text};

fn write(path: &str, content: &str) -> Turn {
    call("file_write", json!({ "path": path, "text": content }))
}

fn edit(old: &str, new: &str) -> Turn {
    call("file_edit", json!({ "path": "n", "edits": [{ "old": old, "new": new }] }))
}

#[test]
fn an_answer_that_claims_what_nobody_did() {
    let look = || call("file_list", json!({}));
    let said = || text("`docs/otters.md` tells of otters in three sections.");
    let order = |turns| Model::ordering(&["Write it"], turns);
    for turns in [vec![said()], vec![look(), said()]] {
        let bench = Bench::new(order(turns));
        let told = bench.run("Write docs/otters.md", &["--mode", "full"], "no");
        let end = (told.output.code, told.outcome());
        assert_eq!(end, (Some(1), "nothing done"), "{}", told.output);
        let reason = told.ended()["reason"].as_str().unwrap();
        assert!(reason.starts_with("no call was made that changes"), "{reason}");
    }
    // The same words are an answer where nothing was to be changed, and true once something was.
    let bench = Bench::new(Model::script(vec![said()]));
    bench.run("What tells of otters?", &[], "no").done();
    let bench = Bench::new(order(vec![write("docs/otters.md", "Three.\n"), said(), said()]));
    let told = bench.run("Write docs/otters.md", &["--mode", "full"], "no");
    told.done();
    let again = bench.run("Is it there?", &["--mode", "full", "--session", told.session()], "no");
    again.done();
}

#[test]
fn writes_that_were_all_refused() {
    let bench = Bench::new(Model::script(vec![
        call("file_list", json!({})),
        write("a.md", "x\n"),
        write("b.md", "x\n"),
        text("Both files are there."),
    ]));
    let told = bench.run("Write two files", &["--mode", "smart"], "no");
    assert_eq!((told.output.code, told.outcome()), (Some(1), "nothing done"), "{}", told.output);
    // What no summary can hide is told to the next run, and goes with nothing else.
    assert!(bench.learned("tasks").is_empty() && bench.learned("failures").is_empty());
}

#[test]
fn a_test_that_failed_last() {
    let turns = |last: &str| {
        let tests = || shell("sh test.sh");
        vec![write("n", "1\n"), tests(), edit("1", last), tests(), text("OK.")]
    };
    for (last, code, outcome) in [("3", 1, "partly"), ("2", 0, "done")] {
        let files = [("test.sh", "[ \"$(cat n)\" = 2 ]\n")];
        let bench = Bench::with(Model::script(turns(last)), &files);
        let told = bench.run("Make it two", &["--mode", "full"], "no");
        assert_eq!((told.output.code, told.outcome()), (Some(code), outcome), "{}", told.output);
    }
}

#[test]
fn the_check_of_a_repository_goes_back_to_the_model() {
    let turns = vec![write("n", "1\n"), text("It is two."), edit("1", "2"), text("Now it is two.")];
    let check = "[ \"$(cat n)\" = 2 ] || { echo n is no two >&2; exit 1; }\n";
    let bench = Bench::with(Model::script(turns), &[("ok.sh", check)]);
    let bench = bench.set("agent:\n  check: sh ok.sh\n");
    let told = bench.run("Make it two", &["--mode", "full"], "no");
    told.done();
    let ran = ["file_write", "shell_execute", "file_edit", "shell_execute"];
    assert_eq!(told.ran(), ran, "{}", told.output);
    assert_eq!(told.ended()["answer"], "Now it is two.");
    assert!(bench.model.prompts().iter().any(|prompt| prompt.contains("n is no two")));

    // One that never holds ends the run all the same, and it is not done.
    let turns: Vec<Turn> =
        (0..5).flat_map(|n| [write(&format!("n{n}"), "1\n"), text("It is two.")]).collect();
    let bench = Bench::with(Model::script(turns), &[("check.sh", "false\n")]);
    let bench = bench.set("agent:\n  check: sh check.sh\n");
    let told = bench.run("Make it two", &["--mode", "full"], "no");
    assert_eq!((told.output.code, told.outcome()), (Some(1), "partly"), "{}", told.output);
    assert_eq!(told.ran().len(), 8, "{}", told.output);
}

#[test]
fn a_check_of_a_clone_is_no_order() {
    let bench = Bench::new(Model::script(vec![write("n", "1\n"), text("One.")]));
    bench.env.write(".elophanto/config.yaml", "agent:\n  check: touch planted\n");
    let told = bench.run("Write one", &["--mode", "full"], "no");
    assert_eq!(told.ran(), ["file_write"], "{}", told.output);
    assert!(!bench.env.path("planted").exists());
}

#[test]
fn money_needs_a_price() {
    let bench = Bench::new(Model::script(vec![text("Otters.")]));
    // A server here that passes requests on: what it asks for them, nobody knows.
    let settings = bench.model.settings().replace("one/m", "\"one/m:9b-cloud\"");
    bench.env.write_settings(&settings);
    let asks = ["agent", "run", "What swims?", "--budget", "0.50usd", "--yes"];
    crate::env::snapshot!(bench.env.run(&asks), @r#"
    exit: 2
    --- stdout
    --- stderr
    note: nobody can be asked here: what needs an approval is refused (with `--json`, approvals are read from standard input)
    error: the price of `one/m:9b-cloud` is not known, so no limit of money can hold it
    hint: set what it costs in your settings, in US dollars per million tokens read and written: `llm.prices: "one/m:9b-cloud=1.25/10"`; or limit tokens or calls instead: `200000tok,30calls`
    "#);
    assert!(bench.model.asked().is_empty());
    bench.env.write_settings(&settings.replace("llm:\n", "llm:\n  prices: one/m:9b-cloud=1/2\n"));
    let told = bench.env.ok(&asks);
    assert_eq!(told.stdout(), "Otters.\n");
    bench.env.write_settings(&settings.replace("llm:\n", "llm:\n  prices: cheap\n"));
    let told = bench.env.run(&asks);
    assert_eq!(told.code, Some(2), "{told}");
    assert!(told.stderr().contains("`cheap` is no price"), "{told}");
}
