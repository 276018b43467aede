//! `agent remember` and `agent memory`: where records go, who reads them, how they are mended.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use super::{Desk, FOLDER, foreign, told};
use crate::env::TestEnv;

/// Lessons about different things, one of each type.
fn three_types(desk: &Desk) {
    for (kind, context, command, lesson, rate) in [
        (
            "error",
            "npm install failed with EACCES",
            "npm install -g tsx",
            "An npm error EACCES means that root owns the cache: chown ~/.npm, never use sudo",
            "9/10",
        ),
        (
            "success",
            "Deploying the web app",
            "fly deploy --ha=false",
            "One machine is enough for staging",
            "4/4",
        ),
        ("pattern", "Retrying HTTP calls", "", "Back off with jitter, at most five times", ""),
    ] {
        let mut args = vec!["agent", "remember", "--type", kind, "--context", context];
        args.extend(["--command", command, "--lesson", lesson]);
        if !rate.is_empty() {
            args.extend(["--success-rate", rate]);
        }
        desk.ok(&args);
    }
}

#[test]
fn three_types_that_another_program_reads() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    three_types(&desk);
    let script = "import json, pathlib\n\
        for path in pathlib.Path('.elophanto/memory').rglob('*.jsonl'):\n\
        \x20for line in path.read_bytes().split(b'\\n')[:-1]:\n\
        \x20 it = json.loads(line)\n\
        \x20 print(path.parts[2], *it)\n\
        \x20 print(it['event_type'], it['success_rate'], it['tags'], len(it['id']))\n";
    let read = crate::env::finish(env.sealed("python3").args(["-c", script]));
    told!(read, @"
    exit: 0
    --- stdout
    repo id timestamp agent_id repo event_type context command lesson success_rate tags
    error 9/10 ['npm', 'eacces'] 26
    repo id timestamp agent_id repo event_type context command lesson success_rate tags
    success 4/4 ['fly'] 26
    repo id timestamp agent_id repo event_type context command lesson success_rate tags
    pattern  [] 26
    --- stderr
    ");
    told!(desk.run(&["agent", "recall", "npm error"]), @"
    exit: 0
    --- stdout
    **Relevant Memories (1):**

    1. [[DAY]] npm install failed with EACCES: An npm error EACCES means that root owns the cache: chown ~/.npm, never use sudo `npm install -g tsx` (9/10 success)
    --- stderr
    ");
    told!(desk.run(&["agent", "memory", "list"]), @"
    exit: 0
    --- stdout
    [ID]  [DAY]  repo  pattern  Back off with jitter, at most five times
    [ID]  [DAY]  repo  success  One machine is enough for staging
    [ID]  [DAY]  repo  error  An npm error EACCES means that root owns the cache: chown ~/.npm, never use sudo
    --- stderr
    ");
    let id = desk.json(&["agent", "memory", "list", "--type", "success"])[0]["id"].clone();
    told!(desk.run(&["agent", "memory", "show", id.as_str().unwrap()]), @"
    exit: 0
    --- stdout
    [ID]
    success in repo by shell, [TIME]
    context: Deploying the web app
    command: fly deploy --ha=false
    lesson: One machine is enough for staging
    success: 4/4
    tags: fly
    .elophanto/memory/repo/[FILE].jsonl:2
    --- stderr
    ");
    told!(desk.run(&["agent", "memory", "stats"]), @"
    exit: 0
    --- stdout
    3 lessons by 1 agent: 1 error, 1 success, 1 pattern; 0 corrected, 0 forgotten, 0 archived
           3  repo
    reading the logs takes [TOKENS] tokens, a recall 47: each saves [TOKENS]
    --- stderr
    ");
    told!(desk.run(&["agent", "recall", "npm error", "--json", "-n", "1"]), @r#"
    exit: 0
    --- stdout
    {"id":"[ID]","repo":"repo","type":"error","lesson":"An npm error EACCES means that root owns the cache: chown ~/.npm, never use sudo","context":"npm install failed with EACCES","command":"npm install -g tsx","timestamp":"[TIME]","success_rate":"9/10","tags":["npm","eacces"],"agent_id":"shell","count":1,"path":".elophanto/memory/repo/[FILE].jsonl","line":1,"score":"[SCORE]"}
    --- stderr
    "#);
    let exported = desk.ok(&["agent", "memory", "export"]);
    assert_eq!(exported.json(), desk.records());
}

#[test]
fn a_record_on_standard_input() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let record = r#"{"id":"mine","timestamp":"2025-10-28T08:00:00Z","agent_id":"codex",
        "repo":"billing-api","event_type":"success","context":"Slow tests","lesson":"Run them in parallel",
        "command":null,"success_rate":" 3 / 4 ","tags":["Unit Tests"]}"#;
    let said = env.run_with(&["agent", "remember", "--json"], record.as_bytes());
    told!(said, @r#"
    exit: 0
    --- stdout
    {"id":"[ID]","repo":"billing-api","path":".elophanto/memory/billing-api/[FILE].jsonl","tags":["unit-tests"],"masked":0}
    --- stderr
    "#);
    told!(env.run(&["agent", "memory", "export", "--repo", "billing-api"]), @r#"
    exit: 0
    --- stdout
    {"id":"[ID]","timestamp":"[TIME]","agent_id":"codex","repo":"billing-api","event_type":"success","context":"Slow tests","command":"","lesson":"Run them in parallel","success_rate":"3/4","tags":["unit-tests"]}
    --- stderr
    "#);
    let repos: Vec<String> =
        desk.files().iter().map(|(path, _)| path.display().to_string()).collect();
    assert!(repos.len() == 1 && repos[0].contains("/memory/billing-api/01"), "{repos:?}");
    for (input, args) in [
        ("", &[][..]),
        ("\n", &[]),
        ("{", &[]),
        ("[1]", &[]),
        ("{\"lesson\":\"a\",\"contxt\":\"b\"}", &["--type", "error"]),
        ("{\"lesson\":\"a\",\"type\":\"fun\",\"context\":\"b\"}", &[]),
        ("{\"lesson\":5}", &["--type", "error"]),
        ("{\"lesson\":\"a\",\"context\":\"b\"}", &[]),
        ("{\"lesson\":\"a\",\"context\":\"b\",\"event_type\":\"fun\"}", &[]),
        ("{\"lesson\":\"a\",\"context\":\"b\",\"event_type\":\"error\",\"repo\":\"../x\"}", &[]),
        (
            "{\"lesson\":\"a\",\"context\":\"b\",\"event_type\":\"error\",\"success_rate\":\"2/1\"}",
            &[],
        ),
        ("{\"lesson\":\"a\",\"event_type\":\"error\"}", &[]),
        ("{\"context\":\"a\",\"event_type\":\"error\"}", &[]),
    ] {
        let output = env.run_with(&[&["agent", "remember"], args].concat(), input.as_bytes());
        assert_eq!(output.code, Some(2), "{input}\n{output}");
        assert!(output.stderr().contains("hint: "), "{input}\n{output}");
    }
    told!(env.run_with(&["agent", "remember"], b"{\"contxt\":\"a\"}"), @"
    exit: 2
    --- stdout
    --- stderr
    error: `contxt` is no key of a record, did you mean `context`?
    hint: a record has event_type, context, command, lesson, success_rate and tags
    ");
    assert_eq!(desk.records().len(), 1);
}

#[test]
fn a_committed_file_is_never_written_again() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let mut committed: Vec<(std::path::PathBuf, String)> = Vec::new();
    let first = desk.remember("one", "lesson one", &[]);
    for round in 0..3 {
        desk.remember(&format!("round {round}"), &format!("lesson of round {round}"), &[]);
        desk.remember(&format!("again {round}"), &format!("second lesson of round {round}"), &[]);
        desk.git(&["add", "--all"]);
        if round == 1 {
            // What is only staged is about to be committed: it is left alone, too.
            desk.remember("staged", "lesson beside what is staged", &[]);
        }
        desk.git(&["commit", "--quiet", "-m", "lessons"]);
        for (path, text) in &committed {
            assert_eq!(fs::read_to_string(path).unwrap(), *text, "{}", path.display());
        }
        committed = desk.files();
        committed
            .retain(|(path, _)| !desk.git(&["ls-files", "--", path.to_str().unwrap()]).is_empty());
    }
    desk.ok(&["agent", "memory", "edit", &first, "--lesson", "lesson one, corrected"]);
    let second = desk.json(&["agent", "memory", "list"])[1]["id"].as_str().unwrap().to_owned();
    desk.ok(&["agent", "memory", "forget", &second]);
    for (path, text) in &committed {
        assert_eq!(fs::read_to_string(path).unwrap(), *text, "{}", path.display());
    }
    assert_eq!(desk.git(&["diff", "HEAD", "--stat"]), "");
    // Three rounds, what was staged in one of them, and the correction with the forgetting.
    assert_eq!(desk.files().len(), 4, "{:?}", desk.files());
    assert_eq!(desk.records().len(), 1 + 6 + 1 + 2);
    assert_eq!(desk.list(&[]).len(), 7);
}

#[test]
fn another_clone_recalls_what_was_pulled() {
    let env = TestEnv::with(&[("README.md", "# Shop\n")]);
    env.commit("begin");
    let (a, b) = (Desk::clone_of(&env, "shop"), Desk::clone_of(&env, "elsewhere"));
    let lesson = "An npm error EACCES means that root owns the cache";
    a.remember("npm install failed", lesson, &["--agent", "agent-a", "--success-rate", "2/2"]);
    assert_eq!(b.run(&["agent", "recall", "npm error"]).code, Some(1));
    a.git(&["add", FOLDER]);
    a.git(&["commit", "--quiet", "-m", "what was learnt"]);
    a.exchange();
    b.git(&["pull", "--quiet", "origin", "main"]);
    told!(b.run(&["agent", "recall", "npm error"]), @"
    exit: 0
    --- stdout
    **Relevant Memories (1):**

    1. [[DAY]] npm install failed: An npm error EACCES means that root owns the cache (2/2 success)
    --- stderr
    ");
    let known = b.json(&["agent", "recall", "npm error"]);
    // Both clones are of `hub.git`: whatever their folders are called, it is one repository.
    assert_eq!((&known[0]["repo"], &known[0]["agent_id"]), (&"hub".into(), &"agent-a".into()));
}

#[test]
fn branches_that_both_remember_merge() {
    let env = TestEnv::with(&[("README.md", "# Shop\n")]);
    Desk::of(&env).remember("before", "learnt before the clones", &[]);
    env.commit("begin");
    let (a, b) = (Desk::clone_of(&env, "a"), Desk::clone_of(&env, "b"));
    let mut expected = vec!["learnt before the clones".to_owned()];
    for round in 0..3 {
        for (name, desk) in [("a", &a), ("b", &b)] {
            desk.git(&["checkout", "--quiet", "-B", &format!("{name}{round}")]);
            for number in 0..3 {
                let lesson = format!("{name} learnt thing {number} of round {round}");
                desk.remember(&format!("context {name} {number} {round}"), &lesson, &[]);
                expected.push(lesson);
            }
            desk.commit("lessons");
        }
        a.exchange();
        b.exchange();
        a.exchange();
        assert_eq!(
            (a.git(&["status", "--porcelain"]), a.files()),
            (String::new(), {
                let files = b.files().into_iter();
                files
                    .map(|(path, text)| (a.root.join(path.strip_prefix(&b.root).unwrap()), text))
                    .collect()
            })
        );
    }
    expected.sort();
    assert_eq!((a.sorted(), b.sorted()), (expected.clone(), expected));
}

#[test]
fn what_two_branches_correct_counts_once() {
    let env = TestEnv::with(&[("README.md", "# Shop\n")]);
    let seed = Desk::of(&env);
    let rate = ["--success-rate", "9/10"];
    let npm = seed.remember("npm install failed", "Root owns the cache of npm", &rate);
    let tar = seed.remember("unpacking fails", "The archive is truncated", &rate);
    env.commit("begin");
    let (a, b) = (Desk::clone_of(&env, "a"), Desk::clone_of(&env, "b"));
    for desk in [&a, &b] {
        desk.ok(&["agent", "memory", "edit", &npm, "--tags", "npm"]);
    }
    a.ok(&["agent", "memory", "edit", &tar, "--success-rate", "10/11"]);
    b.ok(&["agent", "memory", "edit", &tar, "--lesson", "The archive is truncated: load it again"]);
    for desk in [&a, &b] {
        desk.commit("mended");
    }
    a.exchange();
    b.exchange();
    a.exchange();
    for desk in [&a, &b] {
        assert_eq!(
            desk.sorted(),
            ["Root owns the cache of npm", "The archive is truncated: load it again"]
        );
        for question in ["npm cache", "archive truncated"] {
            let found = desk.json(&["agent", "recall", question, "-n", "1"]);
            assert_eq!(
                (&found[0]["success_rate"], &found[0]["count"]),
                (&"9/10".into(), &1.into()),
                "{found:?}"
            );
        }
        assert_eq!(desk.records().len(), 6, "nothing is lost");
        // Forgetting takes what the other branch said along.
        let id = desk.json(&["agent", "recall", "npm cache"])[0]["id"].clone();
        desk.ok(&["agent", "memory", "forget", id.as_str().unwrap()]);
        assert_eq!(desk.sorted().len(), 1);
        assert!(!desk.run(&["doctor"]).stdout().contains("no effect"));
    }
}

#[test]
fn doctor_names_lessons_that_nobody_sees() {
    let env = TestEnv::with(&[("README.md", "# Shop\n")]);
    let desk = Desk::of(&env);
    desk.remember("plain", "plain lesson", &[]);
    env.commit("begin");
    let ours = desk.files()[0].0.clone();
    let torn = fs::read(&ours).unwrap();
    desk.write(".elophanto/memory/repo/01jzzzzzzzzzzzzzzzzzzzzzzz.jsonl", &torn[..40]);
    desk.write(".elophanto/memory/repo/mine.jsonl", &torn);
    desk.write(".elophanto/journal/2026-11/01jzzzzzzzzzzzzzzzzzzzzzzz.jsonl", "{\"kind\":\"pro");
    desk.write(".elophanto/journal/2026-11/mine.jsonl", "");
    desk.write(".git/index", "junk");
    told!(desk.run(&["doctor"]), @r#"
    exit: 1
    --- stdout
    root      [TEMP]/repo (git repository)
    model     builtin-050f3555526564e5-256
    notes     1 in 1 chunk, up to date
    view      1735 bytes in 1 segment, local, may be deleted
    index     0 bytes in 0 tables below .elophanto/index
    ! [TEMP]/repo/.elophanto/journal/2026-11/[FILE].jsonl:1: the last record is cut off
      mend: git checkout -- FILE brings back what was committed, the rest of it counts as it is; a file of lessons without an id is read as .elophanto/memory/NAME.jsonl
    ! `[TEMP]/repo/.elophanto/journal/2026-11/mine.jsonl` is left out: its name is no id, as those of files of records are
      mend: git checkout -- FILE brings back what was committed, the rest of it counts as it is; a file of lessons without an id is read as .elophanto/memory/NAME.jsonl
    ! `[TEMP]/repo/.elophanto/memory/repo/mine.jsonl` is left out: its name is no id, as those of files of records are
      mend: git checkout -- FILE brings back what was committed, the rest of it counts as it is; a file of lessons without an id is read as .elophanto/memory/NAME.jsonl
    ! `.elophanto/memory/repo/[FILE].jsonl`, line 1: the last record is cut off
      mend: git checkout -- FILE brings back what was committed, the rest of it counts as it is; a file of lessons without an id is read as .elophanto/memory/NAME.jsonl
    ! git's index cannot be read: `git ls-files -z -- .elophanto` failed: fatal: [TEMP]/repo/.git/index: index file smaller than expected
      mend: rm "$(git rev-parse --git-path index)" && git reset, which leaves all files as they are
    ! 2 vectors are in no table that git could carry
      mend: elophanto index && git add :/.elophanto/index
    --- stderr
    "#);
    told!(desk.run(&["agent", "memory", "list"]), @"
    exit: 0
    --- stdout
    [ID]  [DAY]  repo  error  plain lesson
    --- stderr
    warning: `[TEMP]/repo/.elophanto/memory/repo/mine.jsonl` is left out: its name is no id, as those of files of records are
    warning: `.elophanto/memory/repo/[FILE].jsonl`, line 1: the last record is cut off
    ");
    told!(desk.run(&["agent", "recall", "plain lesson"]), @"
    exit: 0
    --- stdout
    **Relevant Memories (1):**

    1. [[DAY]] plain: plain lesson
    --- stderr
    warning: `.elophanto/memory/repo/[FILE].jsonl`, line 1: the last record is cut off
    warning: `[TEMP]/repo/.elophanto/memory/repo/mine.jsonl` is left out: its name is no id, as those of files of records are
    ");
}

#[test]
fn what_is_forgotten_stays_forgotten_in_every_clone() {
    let env = TestEnv::with(&[("README.md", "# Shop\n")]);
    let seed = Desk::of(&env);
    let plain = seed.remember("plain", "plain lesson", &[]);
    let edited = seed.remember("edited", "lesson that the other clone edits", &[]);
    let chained = seed.remember("chained", "lesson that was edited before", &[]);
    seed.remember("kept", "lesson that stays", &[]);
    env.commit("begin");
    let (a, b) = (Desk::clone_of(&env, "a"), Desk::clone_of(&env, "b"));
    let edit = |desk: &Desk, id: &str, lesson: &str| {
        let lines = desk.json(&["agent", "memory", "edit", id, "--lesson", lesson]);
        lines[0]["id"].as_str().unwrap().to_owned()
    };
    let newest = edit(&a, &chained, "edited once in a");
    let newest = edit(&a, &newest, "edited twice in a");
    for id in [&plain, &edited, &newest] {
        a.ok(&["agent", "memory", "forget", id]);
    }
    let vain = edit(&b, &edited, "the edit of what was forgotten");
    edit(&b, &chained, "the edit of the first of a chain");
    assert_eq!(b.sorted().len(), 4);
    for desk in [&a, &b] {
        desk.commit("mended");
    }
    a.exchange();
    b.exchange();
    a.exchange();
    for desk in [&a, &b] {
        assert_eq!(desk.sorted(), ["lesson that stays"]);
        assert_eq!(desk.recall(&["lesson edited plain"]), ["lesson that stays"]);
        let again = desk.run(&["agent", "memory", "forget", &plain]);
        assert_eq!(again.code, Some(2), "{again}");
        assert!(again.stderr().contains("is forgotten already"), "{again}");
    }
    told!(a.run(&["agent", "memory", "show", &edited]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[ID]` corrects `[ID]`, which shell forgot on [DAY]: it has no effect
    hint: elophanto agent memory forget [ID] to be done with it, or elophanto agent remember what .elophanto/memory/repo/[FILE].jsonl:1 says
    ");
    told!(b.run(&["agent", "memory", "show", &vain]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[ID]` corrects `[ID]`, which shell forgot on [DAY]: it has no effect
    hint: elophanto agent memory forget [ID] to be done with it, or elophanto agent remember what .elophanto/memory/repo/[FILE].jsonl:1 says
    ");
    let findings = |desk: &Desk| {
        let all = desk.json(&["doctor"]);
        all.iter().filter(|it| it.to_string().contains("it has no effect")).count()
    };
    assert_eq!((findings(&a), findings(&b)), (2, 2));
    a.ok(&["agent", "memory", "forget", &vain]);
    assert_eq!(findings(&a), 1);
}

#[test]
fn forgetting_with_the_line_leaves_no_older_one() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    desk.remember("kept", "lesson that stays", &[]);
    let first = desk.remember("host", "The host is called quokka", &[]);
    let edit = |id: &str, lesson: &str| {
        let lines = desk.json(&["agent", "memory", "edit", id, "--lesson", lesson]);
        lines[0]["id"].as_str().unwrap().to_owned()
    };
    let second = edit(&first, "The host is called numbat");
    let third = edit(&second, "The host is called wombat");
    assert_eq!(desk.recall(&["what is the host called", "-n", "1"]), ["The host is called wombat"]);
    let old = desk.run(&["agent", "memory", "show", &first]);
    assert!(old.stderr().contains("was corrected"), "{old}");
    told!(desk.run(&["agent", "memory", "forget", &third, "--remove"]), @"
    exit: 0
    --- stdout
    forgotten: The host is called wombat
    --- stderr
    note: its line is gone from the file; commits that hold it keep it in git's history
    ");
    assert_eq!(desk.sorted(), ["lesson that stays"]);
    assert_eq!(desk.recall(&["what is the host called"]), ["lesson that stays"; 0]);
    let text: String = desk.files().into_iter().map(|(_, text)| text).collect();
    for gone in ["quokka", "numbat", "wombat"] {
        assert!(!text.contains(gone), "{text}");
    }
    // Its line in another program's file is not ours to remove.
    desk.write(
        ".elophanto/memory/legacy.jsonl",
        foreign("2025-01-01", "dns", "The resolver is dnsmasq") + "\n",
    );
    let id = desk.json(&["agent", "recall", "resolver"])[0]["id"].as_str().unwrap().to_owned();
    told!(desk.run(&["agent", "memory", "forget", &id, "--remove"]), @"
    exit: 0
    --- stdout
    forgotten: The resolver is dnsmasq
    --- stderr
    warning: `.elophanto/memory/legacy.jsonl` is another program's file: its line is still there
    ");
    assert_eq!(desk.recall(&["resolver"]), [""; 0]);
}

#[test]
fn an_id_means_no_other_lesson() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let record = |id: &str| {
        let mut record: Value = serde_json::from_str(&foreign("2025-01-01", id, "l")).unwrap();
        record["id"] = id.into();
        record["lesson"] = format!("lesson {id}").into();
        record.to_string() + "\n"
    };
    desk.write(".elophanto/memory/numbers.jsonl", record("1") + &record("12") + &record("2"));
    let forget = |id: &str| desk.run(&["agent", "memory", "forget", id]);
    for id in ["", " ", "3", "lesson"] {
        assert_eq!(forget(id).code, Some(2), "{id}");
    }
    assert_eq!(forget("1").code, Some(0));
    // Twice, as a script may do; `12` begins with it.
    assert_eq!(forget("1").code, Some(2));
    assert_eq!(desk.sorted(), ["lesson 12", "lesson 2"]);
    assert_eq!(forget("2").code, Some(0));
    assert_eq!(forget("").code, Some(2));
    assert_eq!(desk.sorted(), ["lesson 12"]);
}

#[test]
fn the_beginning_of_an_id_means_one_lesson_or_none() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let record = |id: &str| {
        let mut record: Value = serde_json::from_str(&foreign("2025-01-01", id, "l")).unwrap();
        record["id"] = id.into();
        record["lesson"] = format!("lesson of {id}").into();
        record.to_string() + "\n"
    };
    let ids = ["xxaaaaaaaaaa-b1", "xxaaaaaaaaaa-b2", "xxaaaaaaaaaa-c1", "xxbbbbbbbbbb"];
    desk.write(".elophanto/memory/four.jsonl", ids.map(record).concat());
    let listed = desk.ok(&["agent", "memory", "list"]).stdout();
    let shown: Vec<&str> = listed.lines().filter_map(|line| line.split("  ").next()).collect();
    assert_eq!(shown, ["xxbbbbbbbbbb", "xxaaaaaaaaaa-c1", "xxaaaaaaaaaa-b2", "xxaaaaaaaaaa-b1"]);
    told!(desk.run(&["agent", "memory", "show", "XXAAAAAAAAAA-B"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: 2 lessons have an id that begins with `XXAAAAAAAAAA-B`
    hint: xxaaaaaaaaaa-b2 of [DAY]: lesson of xxaaaaaaaaaa-b2
    hint: xxaaaaaaaaaa-b1 of [DAY]: lesson of xxaaaaaaaaaa-b1
    ");
    let only = desk.json(&["agent", "memory", "show", "xxb"]);
    assert_eq!(only[0]["id"], "xxbbbbbbbbbb");
    // What is listed is enough for every command.
    for id in shown {
        desk.ok(&["agent", "memory", "show", id]);
    }
    desk.ok(&["agent", "memory", "forget", "xxb"]);
    let again = desk.run(&["agent", "memory", "forget", "xxb"]);
    assert!(again.stderr().contains("`xxbbbbbbbbbb` is forgotten already"), "{again}");
    let id = desk.remember("own", "The own lesson", &[]);
    let short = desk.ok(&["agent", "memory", "list", "-n", "1"]).stdout();
    let short = short.split("  ").next().unwrap();
    assert!(id.starts_with(short) && short.len() == 15, "{short}");
}

#[test]
fn of_two_records_with_one_id_the_later_counts_everywhere() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let record = |day: u8, lesson: &str, more: &str| {
        format!(
            r#"{{"id":"twin","timestamp":"2025-01-0{day}T00:00:00Z","event_type":"error","context":"about {lesson}","lesson":"use {lesson}"{more}}}"#
        ) + "\n"
    };
    let old = record(1, "quokka", r#","replaces":"victim""#);
    let victim = r#"{"id":"victim","timestamp":"2024-01-01T00:00:00Z","event_type":"error","context":"about wallaby","lesson":"use wallaby"}"#;
    desk.write(".elophanto/memory/a.jsonl", format!("{old}{victim}\n"));
    desk.write(".elophanto/memory/b.jsonl", record(2, "wombat", ""));
    // The same time: the greater line, in which the repository comes first.
    desk.write(".elophanto/memory/c.jsonl", record(2, "numbat", ""));
    assert_eq!(desk.list(&[]), ["use numbat", "use wallaby"]);
    for (asked, expected) in [
        ("quokka", &[][..]),
        ("numbat", &["use numbat"]),
        ("wombat", &[]),
        ("wallaby", &["use wallaby"]),
    ] {
        assert_eq!(desk.recall(&[asked]), expected, "{asked}");
    }
    let shown = &desk.json(&["agent", "memory", "show", "twin"])[0];
    assert_eq!((&shown["path"], &shown["line"]), (&".elophanto/memory/c.jsonl".into(), &1.into()));
}

/// Git would take a folder all of whose files were moved for a renamed one.
#[test]
fn an_archive_on_one_branch_and_a_lesson_on_the_other() {
    let env = TestEnv::new();
    env.ok(&["init"]);
    let desk = Desk::of(&env);
    desk.remember("old", "The old lesson about yarn", &[]);
    env.commit("old");
    env.git(&["checkout", "--quiet", "-b", "side"]);
    desk.ok(&["agent", "memory", "archive", "--before", "2100-01-01"]);
    env.commit("archive");
    env.git(&["checkout", "--quiet", "-"]);
    desk.remember("new", "The new lesson about yarn", &[]);
    env.commit("new");
    env.git(&["merge", "--quiet", "--no-edit", "side"]);
    assert_eq!(desk.list(&[]), ["The new lesson about yarn"]);
    assert_eq!(desk.list(&["--archived"]).len(), 2);
}

#[test]
fn old_files_go_to_the_archive() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let old = r#"{"timestamp":"2024-01-01T00:00:00Z","event_type":"error","context":"old","lesson":"The old lesson about yarn"}"#;
    assert_eq!(env.run_with(&["agent", "remember"], old.as_bytes()).code, Some(0));
    desk.commit("old");
    let id = desk.remember("new", "The new lesson about yarn", &[]);
    told!(desk.run(&["agent", "memory", "archive", "--dry-run"]), @"
    exit: 0
    --- stdout
    1 record in 1 file would be moved, all before [DAY]
    --- stderr
    ");
    assert_eq!(desk.list(&[]).len(), 2);
    told!(desk.run(&["agent", "memory", "archive"]), @"
    exit: 0
    --- stdout
    1 record in 1 file moved, all before [DAY]
    --- stderr
    git takes the move along with `git add -A .elophanto/memory`
    ");
    assert_eq!(desk.run(&["agent", "memory", "archive"]).code, Some(1));
    assert_eq!(desk.list(&[]), ["The new lesson about yarn"]);
    assert_eq!(desk.list(&["--archived"]).len(), 2);
    assert_eq!(desk.recall(&["yarn"]), ["The new lesson about yarn"]);
    let all: BTreeSet<String> = desk.recall(&["yarn", "--archived"]).into_iter().collect();
    assert_eq!(all.len(), 2);
    // What lies there is still corrected and forgotten.
    let archived = desk.json(&["agent", "memory", "list", "--archived"]).pop().unwrap();
    desk.ok(&["agent", "memory", "forget", archived["id"].as_str().unwrap()]);
    assert_eq!(desk.recall(&["yarn", "--archived"]), ["The new lesson about yarn"]);
    // What forgets goes there too, and is obeyed from there.
    desk.ok(&["agent", "memory", "forget", &id]);
    desk.ok(&["agent", "memory", "archive", "--before", "2100-01-01"]);
    assert_eq!(desk.recall(&["yarn", "--archived"]), [""; 0]);
    assert_eq!(
        desk.git(&["status", "--porcelain", "--untracked-files=no"]).matches(" D ").count(),
        1
    );
}

#[test]
fn other_writers_files_are_read_and_left_alone() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let text = format!(
        "{}\n{}\n{}\n",
        foreign("2025-10-28T10:00:00", "Docker build out of space", "Prune the build cache first"),
        foreign("2025-10-29", "Docker build is slow", "Copy the lock file before the sources"),
        r#"{"timestamp":"2025-10-30","repo":"billing","event_type":"pattern","context":"Docker tags","lesson":"Never deploy the tag latest","extra":{"deep":[1]}}"#,
    );
    desk.write(".elophanto/memory/web.jsonl", &text);
    assert_eq!(desk.list(&[]).len(), 3);
    assert_eq!(desk.recall(&["docker", "--repo", "web"]).len(), 2);
    // A record that names its repository is that one's, wherever it stands.
    assert_eq!(desk.recall(&["docker", "--repo", "billing"]), ["Never deploy the tag latest"]);
    assert_eq!(desk.list(&["--repo", "billing"]), ["Never deploy the tag latest"]);
    let id = desk.json(&["agent", "recall", "lock file"])[0]["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with('h') && id.len() == 25, "{id}");
    desk.ok(&[
        "agent",
        "memory",
        "edit",
        &id,
        "--lesson",
        "Copy package-lock.json first",
        "--context",
        "Docker build is slow",
    ]);
    assert!(!desk.list(&[]).contains(&"Copy the lock file before the sources".to_owned()));
    desk.remember("Docker", "What we say ourselves", &["--repo", "web"]);
    assert_eq!(desk.recall(&["docker", "--repo", "web"]).len(), 3);
    desk.ok(&["agent", "memory", "archive", "--before", "2100-01-01"]);
    assert_eq!(fs::read_to_string(env.path(".elophanto/memory/web.jsonl")).unwrap(), text);
    assert_eq!(
        env.git(&["status", "--porcelain", "--", ".elophanto/memory/web.jsonl"]),
        "?? .elophanto/memory/web.jsonl\n"
    );
}

#[test]
fn patterns_of_three_repositories() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    for repo in ["api", "web", "worker"] {
        let lesson = "Pin the base image by its digest";
        desk.remember(
            &format!("{repo} broke overnight"),
            lesson,
            &["--repo", repo, "--success-rate", "2/2"],
        );
        desk.remember(
            &format!("{repo} alone"),
            &format!("Only {repo} needs this odd trick"),
            &["--repo", repo],
        );
    }
    told!(desk.run(&["agent", "memory", "patterns"]), @"
    exit: 0
    --- stdout
    [ID]  Pin the base image by its digest  (api, web, worker, 3 records)
    --- stderr
    write the note of one with --promote ID
    ");
    let id = desk.json(&["agent", "memory", "patterns"])[0]["id"].as_str().unwrap().to_owned();
    told!(desk.run(&["agent", "memory", "patterns", "--promote", &id]), @"
    exit: 0
    --- stdout
    written: knowledge/learned/patterns/pin-the-base-image-by-its-digest.md
    --- stderr
    ");
    let note = "knowledge/learned/patterns/pin-the-base-image-by-its-digest.md";
    told!(fs::read_to_string(env.path(note)).unwrap(), @r#"
    ---
    title: "Pin the base image by its digest"
    created: [TIME]
    updated: [TIME]
    tags: []
    scope: learned
    ---

    # Pattern: Pin the base image by its digest

    ## When it applies

    worker broke overnight

    ## What to do

    Pin the base image by its digest

    ## Why it works

    ## Seen in

    api, web, worker (3 records, 6/6 success)
    "#);
    assert_eq!(env.hits(&["base image digest", "-n", "1"]), [note]);
    let exported = desk.ok(&["agent", "memory", "export", "--to", "out"]);
    told!(exported, @"
    exit: 0
    --- stdout
    out/api.jsonl
    out/web.jsonl
    out/worker.jsonl
    --- stderr
    ");
    let files: Vec<(String, usize)> = ["api", "web", "worker"]
        .iter()
        .map(|repo| {
            let text = fs::read_to_string(env.path(format!("out/{repo}.jsonl"))).unwrap();
            assert!(
                text.lines()
                    .all(|line| serde_json::from_str::<Value>(line).unwrap()["repo"] == *repo)
            );
            ((*repo).to_owned(), text.lines().count())
        })
        .collect();
    assert!(files.iter().all(|(_, lines)| *lines == 2), "{files:?}");
    assert_eq!(desk.run(&["agent", "memory", "export", "--to", "out"]).code, Some(2));
}
