//! The journal in the hands of the program: many processes, processes that are killed, damaged
//! files, a full disk, and records that are nobody else's.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    bad_inputs::bounded,
    env::{Output, PROGRAM, TestEnv},
    fake::{Fake, chat::Protocol},
};

const PLACES: [&str; 2] = [".elophanto/journal", ".git/elophanto/journal"];

/// A repository with files of source code, nothing asked yet.
fn with_files(count: usize) -> TestEnv {
    let env = TestEnv::new();
    for number in 0..count {
        write_file(&env, number);
    }
    env
}

fn write_file(env: &TestEnv, number: usize) {
    let text = format!("//! Otter number {number} sleeps.\npub fn otter_{number}() {{}}\n");
    env.write(format!("src/o{number:03}.rs"), text);
}

/// The files of the journal, sorted.
fn journal_files(env: &TestEnv) -> Vec<PathBuf> {
    let below = |place: &&str| walkdir::WalkDir::new(env.path(place)).sort_by_file_name();
    let entries = PLACES.iter().flat_map(below).flatten();
    entries.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path()).collect()
}

/// The only file of the shared place.
fn journal_file(env: &TestEnv) -> PathBuf {
    let mut files = journal_files(env);
    files.retain(|file| file.starts_with(env.path(PLACES[0])));
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

/// Every record, and how many lines are none.
fn records(env: &TestEnv) -> (Vec<Value>, usize) {
    let (mut records, mut broken) = (Vec::new(), 0);
    for file in journal_files(env) {
        for line in String::from_utf8_lossy(&fs::read(file).unwrap()).lines() {
            match serde_json::from_str::<Value>(line) {
                Ok(record) if record["id"].is_string() => records.push(record),
                _ => broken += 1,
            }
        }
    }
    (records, broken)
}

/// The questions in a state, by their ids; how they are asked for by `--list`.
fn questions(env: &TestEnv, state: &str) -> BTreeMap<String, Value> {
    let lines = env.json(&["scan", "--list", "--state", state, "--json"]);
    lines.into_iter().map(|line| (line["id"].as_str().unwrap().to_owned(), line)).collect()
}

/// The id of the question about a file.
fn id_of(questions: &BTreeMap<String, Value>, path: &str) -> String {
    let found = questions.iter().find(|(_, line)| line["evidence"]["file_path"] == path);
    found.unwrap_or_else(|| panic!("nothing is asked about {path}: {questions:?}")).0.clone()
}

/// Warnings on stderr.
fn warnings(output: &Output) -> Vec<String> {
    let is_warning = |line: &&str| line.starts_with("warning: ");
    output.stderr().lines().filter(is_warning).map(str::to_owned).collect()
}

#[test]
fn eight_processes_on_one_repository() {
    for _ in 0..3 {
        let env = with_files(48);
        env.ok(&["scan", "-n", "100"]);
        let asked: Vec<String> = questions(&env, "open").into_keys().collect();
        assert_eq!(asked.len(), 48);
        let dismissed: BTreeSet<String> = thread::scope(|scope| {
            let investigating: Vec<_> =
                (0..4).map(|_| env.spawn(&["scan", "--investigate", "--all", "--json"])).collect();
            let dismissing: Vec<_> = (0..4)
                .map(|part: usize| {
                    let (env, asked) = (&env, &asked);
                    scope.spawn(move || {
                        let own = asked.iter().skip(part).step_by(4).take(5);
                        own.filter(|id| env.run(&["scan", "--dismiss", id]).code == Some(0))
                            .cloned()
                            .collect::<Vec<String>>()
                    })
                })
                .collect();
            for child in investigating {
                let output = Output::from(child.wait_with_output().unwrap());
                assert_eq!(output.code, Some(0), "{output}");
                assert!(warnings(&output).is_empty(), "{output}");
            }
            dismissing.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(dismissed.len(), 20, "every one was acknowledged");
        let (records, broken) = records(&env);
        assert_eq!(broken, 0);
        let written = |id: &String| {
            records.iter().any(|record| record["id"] == **id && record["state"] == "dismissed")
        };
        assert!(dismissed.iter().all(written), "a line is missing");

        let output = env.ok(&["scan", "--investigate", "--all", "--json"]);
        assert_eq!(output.json().last().unwrap()["open"], 0, "{output}");
        let kept: BTreeSet<String> = questions(&env, "dismissed").into_keys().collect();
        let lost: Vec<_> = dismissed.difference(&kept).collect();
        assert!(lost.is_empty(), "{} dismissals do not count: {lost:?}", lost.len());
        let described = env.json(&["scan", "--indexed", "--json"]).len();
        assert!((48 - 20..=48).contains(&described), "{described}");
    }
}

/// The same without chance: the model answers only once the user has decided.
#[test]
fn a_dismissal_outlives_the_investigation_it_meets() {
    let may_answer = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&may_answer);
    let fake = Fake::start(move |_| {
        for _ in 0..600 {
            if waits.load(Ordering::Relaxed) {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        Protocol::OpenAi
            .says("Says how many otters there are, and when each of them goes to sleep.")
    });
    let env = with_files(3);
    env.write_settings(&format!(
        "llm:\n  tasks:\n    summary: [one/m1]\n  providers:\n    \
         one: {{protocol: openai, base_url: \"{}\"}}\n    \
         ollama: {{base_url: \"http://127.0.0.1:2\"}}\n",
        fake.url
    ));
    env.ok(&["scan"]);
    let id = id_of(&questions(&env, "open"), "src/o002.rs");
    let child = env.spawn(&["scan", "--investigate", "--json"]);
    while fake.requests().is_empty() {
        thread::sleep(Duration::from_millis(20));
    }
    let output = env.ok(&["scan", "--dismiss", &id]);
    assert_eq!(output.stdout(), format!("dismissed {id}\n"));
    may_answer.store(true, Ordering::Relaxed);
    let output = Output::from(child.wait_with_output().unwrap());
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(questions(&env, "answered").len(), 2, "{output}");
    let dismissed: Vec<String> = questions(&env, "dismissed").into_keys().collect();
    assert_eq!(dismissed, [id]);
}

#[test]
fn what_was_said_to_be_answered_is_written_down() {
    let env = with_files(12);
    let args = ["scan", "--investigate", "--all", "-n", "5", "--json"];
    let start = Instant::now();
    env.ok(&args);
    // Only to choose moments that fall into different steps of a run, and some after its end.
    let run = start.elapsed();
    let mut said: BTreeSet<String> = BTreeSet::new();
    let mut files = 12;
    for round in 0_u32..60 {
        for _ in 0..6 {
            write_file(&env, files);
            files += 1;
        }
        let mut command = env.command(&args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let id = child.id();
        let wait = run * (round * 37 % 60) / 40;
        thread::scope(|scope| {
            let mut stdout = child.stdout.take().unwrap();
            let (sender, spoke) = mpsc::channel();
            let reader = scope.spawn(move || {
                let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
                loop {
                    let count = stdout.read(&mut piece).unwrap();
                    bytes.extend_from_slice(&piece[..count]);
                    let _ = sender.send(());
                    if count == 0 {
                        return bytes;
                    }
                }
            });
            if round % 6 == 0 {
                // However slow the machine: some runs come to speak.
                let _ = spoke.recv();
            } else {
                thread::sleep(wait);
            }
            // SAFETY: only sends a signal, to a child that has not been waited for.
            unsafe { libc::kill(id.cast_signed(), libc::SIGKILL) };
            let bytes = reader.join().unwrap();
            // What was printed whole.
            for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
                if line["state"] == "answered" {
                    said.insert(line["id"].as_str().unwrap().to_owned());
                }
            }
        });
        child.wait().unwrap();
    }
    let (before, broken) = records(&env);
    assert!(broken <= 60, "{broken}");
    let is_answered = |id: &String| {
        before.iter().any(|record| record["id"] == **id && record["state"] == "answered")
    };
    let lost: Vec<_> = said.iter().filter(|id| !is_answered(id)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(said.len() > 20, "the runs were killed too early to show anything: {}", said.len());

    let output = env.ok(&["scan", "--investigate", "--all", "--json"]);
    let sum = output.json().pop().unwrap();
    assert_eq!(
        (&sum["open"], &sum["left"], &sum["indexed"]),
        (&0.into(), &0.into(), &files.into())
    );
    assert_eq!(questions(&env, "investigating").len(), 0);
    let described = env.json(&["scan", "--indexed", "--json"]);
    assert_eq!(described.len(), files);
    assert!(described.iter().all(|line| line["state"] == "fresh"));
    let (records, _) = records(&env);
    let summaries = records.iter().filter(|record| record["kind"] == "summary");
    let distinct: BTreeSet<&str> = summaries.map(|record| record["id"].as_str().unwrap()).collect();
    assert_eq!(distinct.len(), files, "one per file");
}

#[test]
fn a_claim_left_by_a_crash_is_open_again() {
    let env = with_files(1);
    env.ok(&["scan"]);
    let file = journal_file(&env);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"state\":\"open\"", "\"state\":\"investigating\"")).unwrap();
    assert_eq!(questions(&env, "open").len(), 1);
    let output = env.ok(&["scan", "--investigate", "--json"]);
    assert_eq!(output.json().last().unwrap()["answered"], 1, "{output}");
}

#[test]
fn a_torn_tail_at_every_byte() {
    const PARTS: usize = 4;
    thread::scope(|scope| {
        for part in 0..PARTS {
            scope.spawn(move || {
                let env = TestEnv::new();
                for name in ["a.rs", "b.rs", "c.rs"] {
                    env.write(name, format!("//! Ötter {name} slēeps.\npub fn f() {{}}\n"));
                }
                env.ok(&["scan"]);
                let asked = questions(&env, "open");
                let id = |name: &str| id_of(&asked, name);
                env.ok(&["scan", "--dismiss", &id("a.rs")]);
                let file = journal_file(&env);
                let whole = fs::read(&file).unwrap();
                let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
                assert_eq!(lines.len(), 4);
                let start = whole.len() - lines[3].len();
                for cut in (start..=whole.len()).filter(|cut| cut % PARTS == part) {
                    fs::write(&file, &whole[..cut]).unwrap();
                    check_torn(&env, &file, &whole, cut, start, [&id("a.rs"), &id("b.rs")]);
                }
            });
        }
    });
}

/// `a` was dismissed by the record that is cut off, `b` is dismissed now.
fn check_torn(
    env: &TestEnv,
    file: &Path,
    whole: &[u8],
    cut: usize,
    start: usize,
    [a, b]: [&String; 2],
) {
    let output = env.run(&["scan", "--dismiss", b]);
    assert_eq!(output.code, Some(0), "cut at {cut}\n{output}");
    assert_eq!(journal_file(env), file);
    let after = fs::read(file).unwrap();
    assert_eq!(after[..cut], whole[..cut], "what was there is not touched");
    let last = after[cut..].split(|&byte| byte == b'\n').rfind(|line| !line.is_empty()).unwrap();
    let last: Value = serde_json::from_slice(last).unwrap();
    assert_eq!((last["id"].as_str(), &last["state"]), (Some(b.as_str()), &json!("dismissed")));

    // Without its line end alone the record is whole.
    let is_whole = cut + 1 >= whole.len();
    let output = env.ok(&["scan", "--list", "--state", "dismissed", "--json"]);
    let listed: BTreeSet<String> =
        output.json().iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect();
    let expected: BTreeSet<String> =
        [Some(b), is_whole.then_some(a)].into_iter().flatten().cloned().collect();
    assert_eq!(listed, expected, "cut at {cut}\n{output}");
    let said = warnings(&output);
    if is_whole || cut == start {
        assert!(said.is_empty(), "cut at {cut}\n{output}");
    } else {
        let place = format!("{}:4: ", file.file_name().unwrap().to_str().unwrap());
        assert!(said.len() == 1 && said[0].contains(&place), "cut at {cut}\n{output}");
    }
    let open = env.json(&["scan", "--list", "--json"]).len();
    assert_eq!(open, if is_whole { 1 } else { 2 }, "cut at {cut}: earlier records are read");
}

/// Questions about five files, and the lines of the only file of the journal.
fn five() -> (TestEnv, PathBuf, Vec<String>) {
    let env = with_files(5);
    env.ok(&["scan"]);
    let file = journal_file(&env);
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 5);
    (env, file, lines)
}

/// What `--list` shows, and the lines of the file that it warns about.
fn listed(env: &TestEnv, file: &Path) -> (usize, Vec<usize>, Output) {
    let output = env.ok(&["scan", "--list", "--json"]);
    let name = format!("{}:", file.file_name().unwrap().to_str().unwrap());
    let line = |warning: &String| {
        let (_, after) = warning.split_once(&name)?;
        after.split(':').next()?.parse::<usize>().ok()
    };
    let damaged = warnings(&output).iter().filter_map(line).collect();
    (output.json().len(), damaged, output)
}

#[test]
fn damage_in_the_middle_costs_only_what_it_hit() {
    let (env, file, lines) = five();
    let [a, b, c, d, e] = std::array::from_fn(|at| lines[at].as_bytes());
    let zeros = [0; 4096];
    let nl = &b"\n"[..];
    for (name, text, damaged) in [
        ("zeros on a line", [a, nl, &zeros, nl, b, nl, c, nl, d, nl, e, nl].concat(), &[2][..]),
        ("zeros before a record", [a, nl, &zeros, b, nl, c, nl, d, nl, e, nl].concat(), &[2]),
        ("glued", [a, nl, b, c, nl, d, nl, e, nl].concat(), &[2]),
        ("CRLF", [a, b, c, d, e].map(|line| [line, b"\r\n"].concat()).concat(), &[1]),
        ("no line end", [a, nl, b, nl, c, nl, d, nl, e].concat(), &[5]),
        ("zeros at the end", [a, nl, b, nl, c, nl, d, nl, e, nl, &zeros].concat(), &[6]),
        ("empty lines", [nl, a, nl, nl, b, nl, c, nl, d, nl, e, nl].concat(), &[]),
    ] {
        fs::write(&file, text).unwrap();
        let (count, found, output) = listed(&env, &file);
        assert_eq!((count, &found[..]), (5, damaged), "{name}\n{output}");
        // What is added goes to a line of its own.
        let id = serde_json::from_slice::<Value>(e).unwrap()["id"].as_str().unwrap().to_owned();
        let output = bounded(&mut env.command(&["scan", "--dismiss", &id]));
        assert_eq!(output.code, Some(0), "{name}\n{output}");
        let (count, ..) = listed(&env, &file);
        assert_eq!(count, 4, "{name}");
        let last = fs::read(&file).unwrap();
        let last = last.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty()).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(last).unwrap()["state"], "dismissed", "{name}");
    }
    let garbage = ["not json", "[]", "{}", "{\"kind\":\"question\"", "\"kind\""];
    for line in garbage {
        let text = format!("{}\n{line}\n{}\n", lines[0], lines[1..].join("\n"));
        fs::write(&file, text).unwrap();
        let (count, found, output) = listed(&env, &file);
        assert_eq!((count, &found[..]), (5, &[2][..]), "{line:?}\n{output}");
    }
}

#[test]
fn the_sides_of_a_conflict_are_read() {
    let (env, file, lines) = five();
    let [a, b, c, d, e] = std::array::from_fn(|at| lines[at].as_str());
    let text = format!("{a}\n<<<<<<< HEAD\n{b}\n{c}\n=======\n{d}\n>>>>>>> theirs\n{e}\n");
    fs::write(&file, text).unwrap();
    let (count, found, output) = listed(&env, &file);
    assert_eq!((count, &found[..]), (5, &[2, 5, 7][..]), "{output}");
    // A scan says so too, and goes on.
    let output = env.ok(&["scan"]);
    assert_eq!(warnings(&output).len(), 3, "{output}");
    let output = env.ok(&["scan", "--json"]);
    assert_eq!(output.json().last().unwrap()["problems"].as_array().map(Vec::len), Some(3));
}

/// A line of the journal with other fields.
fn with(line: &str, fields: &[(&str, Value)]) -> String {
    let mut record: Value = serde_json::from_str(line).unwrap();
    for (key, value) in fields {
        record[*key] = value.clone();
    }
    record.to_string()
}

#[test]
fn of_several_records_with_one_id_the_same_one_counts_in_any_order() {
    let (env, file, lines) = five();
    let line = &lines[0];
    let at = |year: &str, state: &str| {
        let at = format!("{year}-01-01T00:00:00Z");
        with(line, &[("at", json!(at)), ("state", json!(state))])
    };
    let retired = |text: &str| with(text, &[("retired", json!(true))]);
    for (winner, loser) in [
        (at("2021", "dismissed"), at("2020", "open")),
        (at("2021", "open"), at("2020", "dismissed")),
        (at("2020", "dismissed"), retired(&at("2021", "open"))),
        // What no clock can have written.
        (at("2020", "dismissed"), at("9999", "open")),
        (at("2020", "dismissed"), at("-000001", "open")),
        (at("2020", "open"), at("9999", "dismissed")),
        (at("9999", "dismissed"), retired(&at("2020", "open"))),
    ] {
        let expected = serde_json::from_str::<Value>(&winner).unwrap()["state"].clone();
        for order in [[&winner, &loser], [&loser, &winner]] {
            fs::write(&file, format!("{}\n{}\n{}\n", order[0], order[1], lines[1])).unwrap();
            let (count, found, output) = listed(&env, &file);
            let expected = if expected == "open" { 2 } else { 1 };
            assert_eq!((count, found.len()), (expected, 0), "{order:?}\n{output}");
        }
    }
    for year in ["9999", "-000001"] {
        fs::write(&file, format!("{}\n", at(year, "open"))).unwrap();
        let (count, found, output) = listed(&env, &file);
        assert_eq!((count, found.len()), (1, 0), "alone it counts: {year}\n{output}");
    }
}

#[test]
fn a_summary_from_the_year_9999_is_not_the_newest() {
    let env = with_files(1);
    env.ok(&["scan", "--investigate"]);
    let file = journal_file(&env);
    let text = fs::read_to_string(&file).unwrap();
    let line = text.lines().find(|line| line.contains("\"kind\":\"summary\"")).unwrap().to_owned();
    for year in ["9999", "-000001"] {
        let at = json!(format!("{year}-01-01T00:00:00Z"));
        let other = with(
            &line,
            &[
                ("id", json!("summary-000000000000")),
                ("at", at.clone()),
                ("indexed_at", at),
                ("blob", json!("0123456789012345678901234567890123456789")),
                ("summary", json!("Says what nobody wrote: zebras cross the river at noon.")),
            ],
        );
        fs::write(&file, format!("{text}{other}\n")).unwrap();
        let shown = env.json(&["scan", "--indexed", "--json"]);
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0]["state"], "fresh", "{year}: {shown:?}");
        assert!(env.hits(&["zebras"]).is_empty(), "{year}");
        let sum = env.json(&["scan", "--json"]).pop().unwrap();
        assert_eq!((&sum["asked"], &sum["indexed"]), (&0.into(), &1.into()), "{year}");
    }
}

/// The program when files may have at most so many blocks (of 1 KiB in bash).
fn limited(env: &TestEnv, blocks: usize, args: &[&str]) -> Output {
    let mut command = env.sealed("bash");
    command.args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\""), PROGRAM]).args(args);
    bounded(&mut command)
}

#[test]
fn a_full_disk_acknowledges_nothing_by_half() {
    for blocks in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55] {
        let env = with_files(20);
        let full = limited(&env, blocks, &["scan", "--investigate", "--all", "--json"]);
        if full.code != Some(0) {
            assert_eq!(full.code, Some(2), "{blocks}\n{full}");
            assert!(full.stderr().contains("error: "), "{blocks}\n{full}");
        }
        let (records, broken) = records(&env);
        assert_eq!(broken, 0, "{blocks}: a record is there by half");
        for line in full.json().iter().filter(|line| line["state"] == "answered") {
            let written =
                |record: &Value| record["id"] == line["id"] && record["state"] == "answered";
            assert!(records.iter().any(written), "{blocks}: {line}");
        }
        let free = env.ok(&["scan", "--investigate", "--all", "--json"]);
        let sum = free.json().pop().unwrap();
        assert_eq!((&sum["open"], &sum["indexed"]), (&0.into(), &20.into()), "{blocks}\n{free}");
    }
    // The first that does not fit is refused, and said so.
    let env = with_files(20);
    env.ok(&["scan", "-n", "20"]);
    let asked = questions(&env, "open");
    let id = asked.keys().next().unwrap();
    let before = fs::read(journal_file(&env)).unwrap();
    let full = limited(&env, before.len().div_ceil(1024) - 1, &["scan", "--dismiss", id]);
    assert_eq!((full.code, full.stdout()), (Some(2), String::new()), "{full}");
    assert!(full.stderr().contains("error: "), "{full}");
    assert_eq!(fs::read(journal_file(&env)).unwrap(), before);
    assert_eq!(questions(&env, "open"), asked);
}

#[test]
fn a_full_standard_output_is_a_failure() {
    let env = with_files(3);
    env.ok(&["scan", "--investigate"]);
    write_file(&env, 9);
    for args in [
        &["scan", "--indexed"][..],
        &["scan", "--list", "--state", "answered"],
        &["scan"],
        &["scan", "--json"],
        &["scan", "--investigate"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = Output::from(env.command(args).stdout(full).output().unwrap());
        assert_eq!(output.code, Some(2), "{args:?}\n{output}");
        assert!(output.stderr().contains("error: "), "{args:?}\n{output}");
    }
    env.ok(&["scan", "--investigate"]);
    assert_eq!(env.json(&["scan", "--indexed", "--json"]).len(), 4);
}

#[test]
fn links_that_lead_out_are_refused() {
    for link in [".elophanto", ".elophanto/journal", ".elophanto/journal/MONTH"] {
        let env = with_files(2);
        env.ok(&["scan"]);
        let file = journal_file(&env);
        let month = file.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        let link = env.path(link.replace("MONTH", &month));
        let outside = env.outside().join("outside");
        fs::rename(&link, &outside).unwrap();
        symlink(&outside, &link).unwrap();
        let listing = |folder: &Path| -> Vec<(PathBuf, Vec<u8>)> {
            let files = walkdir::WalkDir::new(folder).into_iter().flatten();
            let files = files.filter(|entry| entry.file_type().is_file());
            files.map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap())).collect()
        };
        let before = listing(&outside);
        write_file(&env, 7);
        for args in [&["scan"][..], &["scan", "--investigate", "--all"]] {
            let output = bounded(&mut env.command(args));
            assert_eq!(output.code, Some(2), "{link:?} {args:?}\n{output}");
            assert!(output.stderr().contains("error: "), "{link:?} {args:?}\n{output}");
        }
        // Nothing is read through it either.
        let output = bounded(&mut env.command(&["scan", "--list", "--json"]));
        assert!(output.json().is_empty(), "{link:?}\n{output}");
        assert_ne!(output.stderr(), "", "{link:?}");
        assert_eq!(listing(&outside), before, "{link:?}");
    }
}

#[test]
fn a_file_of_the_journal_that_is_a_link_is_not_read() {
    let env = with_files(2);
    env.ok(&["scan"]);
    let file = journal_file(&env);
    let outside = env.outside().join("outside.jsonl");
    fs::rename(&file, &outside).unwrap();
    symlink(&outside, &file).unwrap();
    let before = fs::read(&outside).unwrap();
    let output = env.run(&["scan", "--list", "--json"]);
    assert!(output.json().is_empty(), "{output}");
    assert_eq!(warnings(&output).len(), 1, "{output}");
    // New records go to a file of their own.
    let output = env.ok(&["scan", "--investigate", "--json"]);
    assert_eq!(output.json().last().unwrap()["answered"], 2, "{output}");
    assert_eq!(fs::read(&outside).unwrap(), before);
}

#[test]
fn what_lies_outside_is_nobody_elses() {
    let env = with_files(1);
    let place = env.outside().join("papers");
    fs::create_dir_all(place.join("deep")).unwrap();
    fs::write(place.join("deep/heron.rs"), "//! The heron fishes.\npub fn heron() {}\n").unwrap();
    fs::write(place.join("egret.md"), "# Egret\n\nThe egret waits in the reeds.\n").unwrap();
    symlink("/etc", place.join("link")).unwrap();
    let paths = format!("scan.paths: [., {}]\n", place.display());

    env.write_settings(&format!("{NO_OLLAMA}{paths}"));
    let output = env.ok(&["scan", "--json"]);
    assert_eq!(output.json().last().unwrap()["files"], 3, "{output}");
    let asked = questions(&env, "open");
    assert_eq!(asked.len(), 3, "{asked:?}");
    let egret = place.join("egret.md");
    env.ok(&["scan", "--dismiss", &id_of(&asked, egret.to_str().unwrap())]);
    env.ok(&["scan", "--investigate", "--all"]);
    env.ok(&["index"]);
    assert_eq!(env.hits(&["heron fishes"])[0], place.join("deep/heron.rs").to_str().unwrap());
    // Nothing of it is in the work tree, nor in what git would carry.
    let says = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        ["heron", "egret", "papers"].iter().any(|word| text.contains(word))
    };
    for (path, bytes) in env.files() {
        assert!(!says(&bytes), "{}", path.display());
    }
    env.ok(&["hook", "install"]);
    env.commit("everything");
    env.write("later.md", "# Later\n\nAnother note.\n");
    env.commit("more");
    for (path, bytes) in env.files() {
        assert!(!says(&bytes), "{}", path.display());
    }
    let local: Vec<_> = journal_files(&env)
        .into_iter()
        .filter(|file| file.starts_with(env.path(".git")) && says(&fs::read(file).unwrap()))
        .collect();
    assert!(!local.is_empty());
    assert_eq!(questions(&env, "dismissed").len(), 1);
    // Stale, and found to be.
    fs::write(place.join("deep/heron.rs"), "//! The heron sleeps.\npub fn nap() {}\n").unwrap();
    let output = env.ok(&["scan", "--investigate", "--json"]);
    assert!(output.json().iter().any(|line| line["kind"] == "stale"), "{output}");
    for (path, bytes) in env.files() {
        assert!(!says(&bytes), "{}", path.display());
    }
}

#[test]
fn a_repository_does_not_name_places_outside() {
    let env = with_files(1);
    let place = env.outside().join("papers");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("heron.rs"), "//! The heron fishes.\npub fn heron() {}\n").unwrap();
    env.write(".elophanto/config.yaml", format!("scan.paths: [., {}]\n", place.display()));
    for args in [&["scan"][..], &["scan", "--investigate", "--all"], &["scan", "--indexed"]] {
        let output = env.ok(args);
        assert_eq!(warnings(&output).len(), 1, "{args:?}\n{output}");
        assert!(warnings(&output)[0].contains("scan.paths"), "{output}");
        assert!(!output.stdout().contains("heron"), "{output}");
    }
    assert_eq!(env.json(&["scan", "--indexed", "--json"]).len(), 1);
    let (records, _) = records(&env);
    assert!(!records.iter().any(|record| record.to_string().contains("heron")));
    for path in ["../papers", "src/../../papers"] {
        env.write(".elophanto/config.yaml", format!("scan.paths: [{path}]\n"));
        let output = env.run(&["scan", "--investigate", "--all"]);
        assert!(!output.to_string().contains("heron"), "{path}\n{output}");
    }
}

/// Not even what its files are called comes into what git carries.
#[test]
fn a_repository_does_not_name_places_outside_by_a_link() {
    let env = with_files(1);
    let place = env.outside().join("papers");
    fs::create_dir_all(place.join("deep")).unwrap();
    fs::write(place.join("deep/heron.rs"), "//! The heron fishes.\npub fn heron() {}\n").unwrap();
    symlink(&place, env.path("linked")).unwrap();
    for paths in ["[.]", "[src, linked]", "[src, linked/deep]", "[src, linked/deep/heron.rs]"] {
        env.write(".elophanto/config.yaml", format!("scan.paths: {paths}\n"));
        let output = env.run(&["scan", "--investigate", "--all"]);
        assert!(!output.to_string().contains("heron"), "{paths}\n{output}");
        let (records, _) = records(&env);
        assert!(!records.iter().any(|record| record.to_string().contains("heron")), "{paths}");
    }
}

/// The user's settings, besides what a test needs.
const NO_OLLAMA: &str = "llm.providers.ollama.base_url: http://127.0.0.1:2\n";
