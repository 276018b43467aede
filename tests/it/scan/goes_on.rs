//! Scans that go on by themselves, at once with others, or after a process that was killed.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    process::Child,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    Scanned, herons, id, indexed, investigate, journal, list, local_journal, path, records, scan,
    source, waiting,
};
use crate::env::{Output, TestEnv};

/// For the slowest of machines.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until something is so.
fn until(child: &mut Child, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it never came about");
        assert!(child.try_wait().unwrap().is_none(), "the program ended by itself");
        thread::sleep(Duration::from_millis(10));
    }
}

/// More files than one scan asks about, a document, a service and a note among them.
fn untouched() -> TestEnv {
    let env = herons(23);
    env.write("guide.txt", "Pelicans carry fish in their bills.\n");
    env.write("otter.service", "[Service]\nExecStart=/usr/bin/otter\n");
    env.write("docs/a.md", "# A\n\nOtters hold hands.\n");
    env.write("docs/b.md", "# B\n\nBears eat [honey](honey.md).\n");
    env.commit("all");
    env
}

#[test]
fn an_untouched_repository_is_answered_with_no_further_command() {
    for way in [&["--every", "1s"][..], &["--watch"], &["--watch", "--every", "1s"]] {
        let env = untouched();
        let mut child = env.spawn(&[&["scan", "--investigate", "--json"], way].concat());
        // Neither list nor count is asked for by the program itself.
        until(&mut child, || indexed_count(&env) == 25 && waiting(&env).is_empty());
        // A file that comes later is answered too.
        env.write("src/late.rs", source("Voles dig tunnels."));
        until(&mut child, || indexed_count(&env) == 26);
        // And one that changes.
        env.write("src/late.rs", source("Newts swim in ponds."));
        let says_newts = || {
            let lines = env.json(&["scan", "--indexed", "--json"]);
            let late = lines.iter().find(|line| path(line) == "src/late.rs").unwrap();
            late["state"] == "fresh" && late["summary"].as_str().unwrap().contains("ewts swim")
        };
        until(&mut child, says_newts);
        child.kill().unwrap();
        let output = Output::from(child.wait_with_output().unwrap());
        let lines = output.json();
        // Each run says in one line what it did.
        let sums: Vec<_> = lines.iter().filter(|line| line["files"].is_u64()).collect();
        assert!(sums.len() >= 2, "{way:?} {output}");
        assert_eq!(sums[0]["left"], 0, "the first run leaves nothing: {way:?} {output}");
        assert_eq!(scan(&env, &[]).counts(["asked", "open", "left"]), [0, 0, 0], "{way:?}");
        let answered = lines.iter().filter(|line| line["state"] == "answered");
        let distinct: BTreeSet<&str> = answered.clone().map(id).collect();
        assert_eq!(distinct.len(), answered.count(), "nothing is answered twice: {way:?}");
        assert_eq!(env.git(&["status", "--porcelain"]), "?? .elophanto/\n?? src/late.rs\n");
    }
}

fn indexed_count(env: &TestEnv) -> usize {
    indexed(env).iter().filter(|state| state.ends_with("(fresh)")).count()
}

#[test]
fn going_on_without_answering_asks_a_few_at_a_time() {
    let env = herons(23);
    let said = env.outside().join("said.jsonl");
    let mut command = env.command(&["scan", "--every", "300ms", "--json"]);
    let mut child = command.stdout(File::create(&said).unwrap()).spawn().unwrap();
    // What a run has said is there for good, whenever the program is killed.
    let asked = || -> Vec<u64> {
        let text = fs::read_to_string(&said).unwrap();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let lines = whole.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter_map(|line| line["asked"].as_u64()).collect()
    };
    until(&mut child, || asked().len() >= 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let asked = asked();
    assert_eq!(asked[..3], [10, 10, 3], "{asked:?}");
    assert!(journal(&env).len() == 1 && indexed_count(&env) == 0);
}

#[test]
fn a_time_that_is_none() {
    let output = TestEnv::new().run(&["scan", "--every", "soon"]);
    assert_eq!(output.code, Some(2), "{output}");
    assert!(output.stderr().contains("found \"soon\""), "{output}");
}

#[test]
fn several_scans_at_once() {
    let env = herons(45);
    env.commit("all");
    let run = |count: usize, args: &[&str]| -> Vec<Scanned> {
        let args = [&["scan", "--json"], args].concat();
        let children: Vec<Child> = (0..count).map(|_| env.spawn(&args)).collect();
        let ended = children.into_iter().map(|child| child.wait_with_output().unwrap());
        ended.map(|output| Scanned::of(&output.into())).collect()
    };
    run(4, &[]);
    let asked = list(&env, &[]);
    let paths: BTreeSet<&str> = asked.iter().map(path).collect();
    assert!((10..=40).contains(&asked.len()), "{}", asked.len());
    assert_eq!(paths.len(), asked.len(), "one question for each file");
    let investigated = run(4, &["--investigate", "--all"]);
    let answered: Vec<&str> =
        investigated.iter().flat_map(|scanned| scanned.lines.iter().map(id)).collect();
    let distinct: BTreeSet<&&str> = answered.iter().collect();
    assert_eq!(answered.len(), distinct.len(), "no question is answered by two of them");
    // Whoever came while another was at it left it to that one.
    assert_eq!(investigate(&env).counts(["open", "left", "failed"]), [0, 0, 0]);
    assert_eq!(indexed_count(&env), 45);
    assert_eq!(records(&journal(&env), "summary").len(), 45);
    assert_eq!(list(&env, &["--state", "answered"]).len(), 45);
    assert_eq!(list(&env, &["--state", "failed"]).len(), 0);
    let check = env.run(&["index", "--check"]);
    assert_ne!(check.code, Some(2), "{check}");
}

#[test]
fn who_puts_a_question_aside_is_heard_beside_a_scan() {
    let env = herons(20);
    scan(&env, &[]);
    let open = list(&env, &[]);
    let children: Vec<Child> =
        open.iter().map(|question| env.spawn(&["scan", "--dismiss", id(question)])).collect();
    scan(&env, &[]);
    for child in children {
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    }
    let dismissed = list(&env, &["--state", "dismissed"]);
    assert_eq!(
        dismissed.iter().map(id).collect::<Vec<_>>(),
        open.iter().map(id).collect::<Vec<_>>()
    );
}

/// Starts an investigation of 30 large files and kills it while it is at them.
fn killed() -> TestEnv {
    let env = TestEnv::new();
    for file in 0..30 {
        let item = |number: usize| {
            format!(
                "/// Item {number} tends heron {file}.\npub fn g{number}() {{\n    begin();\n}}\n\n"
            )
        };
        let items: String = (0..500).map(item).collect();
        env.write(format!("src/big{file}.rs"), format!("//! Big file {file}.\n\n{items}"));
    }
    env.write("docs/a.md", "# A\n\nOtters hold hands.\n");
    let mut child = env.spawn(&["scan", "--investigate", "-n", "40"]);
    let claimed = || !records(&local_journal(&env), "question").is_empty();
    until(&mut child, claimed);
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None);
    let claims = records(&local_journal(&env), "question");
    assert!(claims.iter().all(|claim| claim["state"] == "investigating"), "{claims:?}");
    let answers = records(&journal(&env), "question");
    let answered = answers.iter().filter(|record| record["state"] == "answered").count();
    assert_eq!((claims.len(), answered), (30, 0), "it was at all of them");
    env
}

#[test]
fn a_claim_that_a_crash_left_is_reopened() {
    let env = killed();
    assert_eq!(list(&env, &["--state", "investigating"]).len(), 0);
    let open = list(&env, &[]);
    assert_eq!(open.len(), 30);
    assert!(open.iter().all(|question| question["state"] == "open"));
    assert_eq!(scan(&env, &[]).counts(["asked", "open"]), [0, 30], "they are not asked twice");
    let all = investigate(&env);
    assert_eq!(all.counts(["answered", "failed", "open"]), [30, 0, 0]);
    assert_eq!(indexed_count(&env), 30);
}

#[test]
fn a_claim_that_a_crash_left_is_closed_with_its_gap() {
    let env = killed();
    env.remove("src/big7.rs");
    assert_eq!(scan(&env, &[]).counts(["asked", "closed", "open"]), [0, 1, 29]);
    assert!(!waiting(&env).contains(&"src/big7.rs".to_owned()));
    assert_eq!(investigate(&env).counts(["answered", "failed", "open"]), [29, 0, 0]);
}

#[test]
fn while_somebody_is_at_it_the_claims_are_shown() {
    let env = TestEnv::new();
    for file in 0..40 {
        let items: String = (0..600)
            .map(|number| format!("/// Item {number}.\npub fn g{number}() {{}}\n\n"))
            .collect();
        env.write(format!("src/big{file}.rs"), format!("//! Big file {file}.\n\n{items}"));
    }
    let mut child = env.spawn(&["scan", "--investigate", "-n", "40", "--json"]);
    let claimed = || !records(&local_journal(&env), "question").is_empty();
    until(&mut child, claimed);
    // It may be done by now; then nobody is at it and there is nothing to see.
    let shown = list(&env, &["--state", "investigating"]).len();
    let beside = env.run(&["scan", "--investigate", "--all", "--json"]);
    let busy = child.try_wait().unwrap().is_none();
    let output = Output::from(child.wait_with_output().unwrap());
    assert_eq!((output.code, beside.code), (Some(0), Some(0)), "{beside}");
    if busy {
        assert_eq!(shown, 40);
        assert!(beside.stderr().contains("another process is investigating here"), "{beside}");
    }
    assert_eq!(Scanned::of(&output).counts(["answered", "failed"]), [40, 0]);
    assert_eq!(records(&journal(&env), "summary").len(), 40);
}
