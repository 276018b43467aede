//! Runs that are ended from outside, and two at once.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Bench, Running, Told};
use crate::fake::script::{Model, Turn, call, shell, text};

fn slow() -> Vec<Turn> {
    vec![
        call("file_write", json!({ "path": "one.txt", "text": "1\n" })),
        shell("echo half > README.md; echo new > two.txt; sleep 60; echo whole > README.md"),
        text("Done."),
    ]
}

fn appears(bench: &Bench, path: &str) {
    let begun = Instant::now();
    while fs::read(bench.env.path(path)).unwrap_or_default().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no {path}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn clean(bench: &Bench) {
    assert_eq!(bench.env.read("README.md"), b"# Otters\n\nThey swim.\n");
    assert!(!bench.env.path("one.txt").exists() && !bench.env.path("two.txt").exists());
}

/// What the list of runs says of each, the newest first.
fn listed(bench: &Bench, expected: &[&str]) {
    let lines = bench.env.json(&["agent", "runs", "--json"]);
    let states = lines.iter().map(|line| {
        if line["undoes"].is_string() {
            return "undo".to_owned();
        }
        let state = match (line["outcome"].as_str(), line["is_at_work"] == true) {
            (Some(outcome), false) => outcome,
            (None, true) => "at work",
            _ => "cut off",
        };
        let undone = if line["is_undone"] == true { " taken back" } else { "" };
        format!("{state}{undone}")
    });
    assert_eq!(states.collect::<Vec<_>>(), expected);
}

fn once() -> impl FnMut(&serde_json::Value) -> Option<String> {
    |_| Some("once".to_owned())
}

#[test]
fn killed_in_the_middle_of_a_command() {
    let bench = Bench::new(Model::script(slow()));
    let running = Running::start(&mut bench.command("Go", &["--mode", "full"]));
    appears(&bench, "two.txt");
    listed(&bench, &["at work"]);
    running.signal(libc::SIGKILL);
    let told = running.finish(once());
    assert_eq!(told.output.code, None);
    listed(&bench, &["cut off"]);

    let refused = bench.env.run(&["agent", "undo"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr().contains("--interrupted"), "{refused}");
    let undone = bench.env.run(&["agent", "undo", "--interrupted"]);
    assert_eq!(undone.code, Some(0), "{undone}");
    clean(&bench);
    listed(&bench, &["undo", "cut off taken back"]);
    // The command died with it: nobody writes into the file later.
    std::thread::sleep(Duration::from_millis(300));
    clean(&bench);
    // The next run works.
    let next = Bench { model: Model::script(vec![text("Hello.")]), ..bench };
    next.env.write_settings(&next.model.settings());
    let went_on = next.run("Go on", &["--session", told_session(&told)], "once");
    went_on.done();
    // It is told which command was cut off, and so is the user; once.
    let seen = next.model.prompts().concat();
    let cut_off = "cut off: the program was ended while this call was being made";
    assert!(seen.contains(cut_off) && seen.contains("sleep 60"), "{seen}");
    let warnings = went_on.ended()["warnings"].to_string();
    assert!(warnings.contains("the run before was cut off in shell_execute"), "{warnings}");
    let again = next.run("Go", &["--session", told_session(&told)], "once");
    assert_eq!(again.done().ended()["warnings"], json!([]), "{}", again.output);
    assert_eq!(next.model.prompts().last().unwrap().matches(cut_off).count(), 1);
    listed(&next, &["done", "done", "undo", "cut off taken back"]);
    // Another repository has none, but all can be listed from there.
    let other = next.env.outside().join("other");
    fs::create_dir_all(&other).unwrap();
    next.env.git(&["init", "--quiet", &other.to_string_lossy()]);
    assert_eq!(next.env.run_in(&other, &["agent", "runs"]).code, Some(1));
    // What was said there does not go on here.
    assert_eq!(next.env.run_in(&other, &["agent", "sessions"]).code, Some(1));
    assert!(next.env.run_in(&other, &["agent", "sessions", "--all"]).stdout().contains(" Go  in "));
    let here = next.env.run_in(&other, &["agent", "run", "Go", "--session", told_session(&told)]);
    assert_eq!(here.code, Some(2), "{here}");
    assert!(here.stderr().contains("is about `"), "{here}");
    let all = next.env.run_in(&other, &["agent", "runs", "--all"]).stdout();
    let root = next.env.root().canonicalize().unwrap();
    assert_eq!(all.matches(&format!(" in {}", root.display())).count(), 3, "{all}");
}

/// The session of a run that did not come to its end.
fn told_session(told: &Told) -> &str {
    told.all("begun")[0]["session"].as_str().unwrap()
}

fn check_cancelled(told: &Told) {
    assert_eq!(told.output.code, Some(1), "{}", told.output);
    assert_eq!(told.outcome(), "cancelled", "{}", told.output);
    assert_eq!(told.ended()["reason"], "the user ended it");
    assert_eq!(told.ended()["notes"], json!([]));
}

#[test]
fn ctrl_c_during_a_command() {
    let bench = Bench::new(Model::script(slow()));
    let running = Running::start(&mut bench.command("Go", &["--mode", "full"]));
    appears(&bench, "two.txt");
    running.signal(libc::SIGINT);
    let told = running.finish(once());
    check_cancelled(&told);
    let undone = bench.env.run(&["agent", "undo"]);
    assert_eq!(undone.code, Some(0), "{undone}");
    clean(&bench);
}

#[test]
fn ctrl_c_while_an_approval_is_waited_for() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let bench = Bench::new(Model::script(slow()));
        let mut running = Running::start(&mut bench.command("Go", &[]));
        running.until("approval_request");
        running.signal(signal);
        let told = running.finish(once());
        check_cancelled(&told);
        clean(&bench);
    }
}

#[test]
fn ctrl_c_while_the_model_thinks() {
    let late = |turn| Turn::Late(Duration::from_secs(8), Box::new(turn));
    let bench = Bench::new(Model::script(vec![late(text("Late."))]));
    let mut running = Running::start(&mut bench.command("Go", &[]));
    running.until("plan");
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    running.signal(libc::SIGINT);
    let told = running.finish(once());
    check_cancelled(&told);
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
}

/// Processes that wait in this work tree to shut a program in.
fn waiting(bench: &Bench) -> usize {
    let root = bench.env.root().canonicalize().unwrap();
    let is_waiting = |process: &fs::DirEntry| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let is_here = fs::read_link(process.path().join("cwd")).is_ok_and(|it| it == root);
        is_here && line.windows(12).any(|part| part == b"agent\0fenced")
    };
    fs::read_dir("/proc").unwrap().flatten().filter(is_waiting).count()
}

/// The helper of the next command starts while the model thinks, and is gone with the run, however
/// that ends.
#[test]
fn no_helper_is_left_waiting() {
    for (signal, is_over) in [(libc::SIGKILL, false), (libc::SIGINT, true)] {
        let late = Turn::Late(Duration::from_secs(8), Box::new(text("Late.")));
        let bench = Bench::new(Model::script(vec![shell("touch x"), late]));
        let mut running = Running::start(&mut bench.command("Go", &["--mode", "full"]));
        running.until("called");
        let begun = Instant::now();
        while waiting(&bench) != 1 {
            assert!(begun.elapsed() < Duration::from_secs(6), "none is waiting");
            std::thread::sleep(Duration::from_millis(5));
        }
        running.signal(signal);
        assert_eq!(running.finish(once()).output.code.is_some(), is_over);
        let begun = Instant::now();
        while waiting(&bench) > 0 {
            assert!(begun.elapsed() < Duration::from_secs(6), "it waits for nobody");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_second_ctrl_c_ends_the_program() {
    let bench = Bench::new(Model::script(slow()));
    let running = Running::start(&mut bench.command("Go", &["--mode", "full"]));
    appears(&bench, "two.txt");
    running.signal(libc::SIGINT);
    std::thread::sleep(Duration::from_millis(5));
    running.signal(libc::SIGINT);
    let told = running.finish(once());
    // Unless it had ended already.
    assert!(matches!(told.output.code, Some(1 | 130)), "{}", told.output);
    let undone = bench.env.run(&["agent", "undo", "--interrupted"]);
    assert_eq!(undone.code, Some(0), "{undone}");
    clean(&bench);
}

#[test]
fn two_runs_in_one_repository() {
    let bench = Bench::new(Model::script(slow()));
    let first = Running::start(&mut bench.command("Go", &["--mode", "full"]));
    appears(&bench, "two.txt");
    // While one changes things, another may read, but not change.
    let model = Model::script(vec![
        call("file_read", json!({ "path": "README.md" })),
        call("file_write", json!({ "path": "three.txt", "text": "3\n" })),
        text("Another is at work."),
    ]);
    bench.env.write_settings(&model.settings());
    let second = bench.run("Go too", &["--mode", "full"], "once");
    assert_eq!(second.ran(), ["file_read"], "{}", second.output);
    assert!(second.unmade()[0].contains("is at work in this repository"), "{}", second.output);
    let busy = bench.env.run(&["agent", "undo"]);
    assert!(matches!(busy.code, Some(1 | 2)), "{busy}");
    first.signal(libc::SIGINT);
    check_cancelled(&first.finish(once()));
    let undone = bench.env.run(&["agent", "undo"]);
    assert_eq!(undone.code, Some(0), "{undone}");
    clean(&bench);
}

/// What another run, or the user by way of elophanto, writes while a command runs is not the run's:
/// its undo neither takes it away nor stumbles over it.
#[test]
fn what_others_write_down_meanwhile_stays() {
    for signal in [libc::SIGINT, libc::SIGKILL] {
        let bench = Bench::new(Model::script(slow()));
        let first = Running::start(&mut bench.command("Go", &["--mode", "full"]));
        appears(&bench, "two.txt");
        let record = json!({
            "event_type": "error", "context": "building with make",
            "lesson": "Run configure before make.",
        });
        let remember = || bench.env.run_with(&["agent", "remember"], record.to_string().as_bytes());
        assert_eq!(remember().code, Some(0));
        bench.env.ok(&[
            "agent",
            "note",
            "pattern",
            "Otters",
            "--section",
            "What to do=Let them swim.",
        ]);
        bench.env.ok(&["init", "--yes"]);
        bench.env.ok(&["index"]);
        let model = Model::script(vec![
            call("file_read", json!({ "path": "README.md" })),
            text("Otters swim."),
        ]);
        bench.env.write_settings(&model.settings());
        let second = bench.run("Note that", &["--mode", "full"], "once");
        assert_eq!(second.outcome(), "done", "{}", second.output);
        let kept = |path: &std::path::Path| {
            path.starts_with("knowledge") || path.starts_with(".elophanto")
        };
        let theirs = || {
            let files = bench.env.files();
            files.into_iter().filter(|(path, _)| kept(path)).collect::<Vec<_>>()
        };
        let before = theirs();
        assert!(before.len() >= 3, "{before:?}");

        first.signal(signal);
        first.finish(once());
        let mut arguments = vec!["agent", "undo"];
        if signal == libc::SIGKILL {
            arguments.push("--interrupted");
        }
        let undone = bench.env.run(&arguments);
        assert_eq!(undone.code, Some(0), "{undone}");
        clean(&bench);
        assert_eq!(theirs(), before, "{undone}");
        let recalled = bench.env.ok(&["agent", "recall", "configure make"]);
        assert!(recalled.stdout().contains("Run configure before make."), "{recalled}");
    }
}

/// A command cannot commit: who does so meanwhile is the user.
#[test]
fn what_the_user_commits_meanwhile_stays() {
    for signal in [libc::SIGINT, libc::SIGKILL] {
        let bench = Bench::new(Model::script(slow()));
        let first = Running::start(&mut bench.command("Go", &["--mode", "full"]));
        appears(&bench, "two.txt");
        bench.env.write("docs/mine.md", "# Mine\n");
        bench.env.git(&["add", "docs/mine.md"]);
        bench.env.git(&["commit", "-q", "-m", "Mine", "docs/mine.md"]);
        let head = bench.env.git(&["rev-parse", "HEAD"]);
        first.signal(signal);
        first.finish(once());
        let undone = bench.env.run(match signal {
            libc::SIGKILL => &["agent", "undo", "--interrupted"],
            _ => &["agent", "undo"],
        });
        assert_eq!(undone.code, Some(0), "{undone}");
        clean(&bench);
        assert_eq!(bench.env.git(&["rev-parse", "HEAD"]), head);
        assert_eq!(bench.env.read("docs/mine.md"), b"# Mine\n");
    }
}

/// Elophanto goes on where the sandbox keeps the place of files that do not exist.
#[test]
fn others_work_on_while_a_command_runs() {
    let bench = Bench::new(Model::script(slow()));
    bench.env.write(".elophanto/memory/.keep", "");
    let first = Running::start(&mut bench.command("Go", &["--mode", "full"]));
    appears(&bench, "two.txt");
    for args in [&["search", "otters"][..], &["agent", "tools"], &["index"], &["doctor"]] {
        let output = bench.env.run(args);
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
        assert!(!output.stderr().contains("regular file"), "{args:?}\n{output}");
    }
    first.signal(libc::SIGINT);
    first.finish(once());
    assert!(!bench.env.path(".elophanto/permissions.yaml").exists());
}

#[test]
fn two_runs_in_one_session() {
    let bench = Bench::new(Model::script(vec![text("Hello.")]));
    let session = bench.run("Hello", &[], "once").session().to_owned();
    let bench = Bench { model: Model::script(slow()), ..bench };
    bench.env.write_settings(&bench.model.settings());
    let first =
        Running::start(&mut bench.command("Go", &["--mode", "full", "--session", &session]));
    appears(&bench, "two.txt");
    let second = bench.env.run(&["agent", "run", "Go", "--session", &session]);
    assert_eq!(second.code, Some(2), "{second}");
    assert!(second.stderr().contains("a run is going on in session"), "{second}");
    first.signal(libc::SIGINT);
    check_cancelled(&first.finish(once()));
}
