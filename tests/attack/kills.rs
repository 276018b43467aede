//! Commands killed at any moment: nothing acknowledged is lost or doubled, the next command works,
//! no commit fails, and nothing is staged for deletion.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use crate::{
    Attack,
    env::{PROGRAM, TestEnv},
};

/// Notes of the repository.
const NOTES: u64 = 60;
/// The latest moment of a kill: by then most commands have ended.
const LATEST_MS: u64 = 250;
/// Files whose lines are records that must stay.
const RECORDS: &[&str] = &[".elophanto/memory", ".elophanto/journal", "knowledge/learned/entities"];

pub fn run(attack: &mut Attack) {
    let env = TestEnv::new();
    for number in 0..NOTES {
        write_note(&env, number, 0);
    }
    env.ok(&["init"]);
    env.ok(&["index"]);
    env.ok(&["hook", "install"]);
    env.commit("first");
    // Lines that a command has said to be written.
    let mut acknowledged = BTreeMap::new();
    while attack.goes_on() {
        let round = attack.rounds;
        let before = records(&env);
        let ended = match attack.chance.u8(0..5) {
            0 => {
                edit(attack, &env);
                killed(attack, env.command(&["index"]))
            }
            1 => {
                let context = format!("case {round} of the {} machine", round * 7919);
                let lesson = format!("turn knob {round} before lever {}", round * 31);
                let arguments =
                    ["agent", "remember", "--type", "error", "--context", &context, "--lesson"];
                let done = killed(attack, env.command(&[&arguments[..], &[&lesson]].concat()));
                if done == Some(true) {
                    let times = count(&env, ".elophanto/memory", &lesson);
                    attack.expect(times == 1, || format!("`{lesson}` is there {times} times"));
                }
                done
            }
            2 => {
                let text = format!(
                    "# Lamp Zeta{round}\n\nThe **Lamp Zeta{round}** is a lamp that weighs {round} \
                     grams and costs {} dollars.\n",
                    round * 3
                );
                let file = env.outside().join("lamp.md");
                fs::write(&file, text).expect("a file can be written");
                let topic = format!("Lamp Zeta{round}");
                let from = file.display().to_string();
                killed(attack, env.command(&["learn", &topic, "--from", &from]))
            }
            3 => {
                edit(attack, &env);
                env.git(&["add", "--all"]);
                commit(attack, &env);
                Some(true)
            }
            _ => killed(attack, env.command(&["clean", "--index"])),
        };
        settle(attack, &env);
        let now = records(&env);
        for (line, times) in &acknowledged {
            let there = now.get(line).copied().unwrap_or(0);
            attack.expect(there == *times, || format!("was there {times}, is {there}: {line}"));
        }
        if ended.is_some() {
            acknowledged.extend(now.into_iter().filter(|(line, _)| !before.contains_key(line)));
        }
    }
}

/// What holds after every round, whatever was killed.
fn settle(attack: &mut Attack, env: &TestEnv) {
    let search = attack.bounded(&mut env.command(&["search", "--json", "heron number"]));
    attack.expect(search.code == Some(0), || format!("search after a kill\n{search}"));
    let deleted = env.git(&["diff", "--cached", "--name-only", "--diff-filter=D"]);
    attack.expect(deleted.is_empty(), || format!("staged for deletion: {deleted}"));
    if attack.chance.u8(0..6) == 0 {
        let index = attack.bounded(&mut env.command(&["index"]));
        attack.expect(index.code == Some(0), || format!("index after a kill\n{index}"));
        let fsck = attack.bounded(env.sealed("git").args(["fsck", "--no-dangling"]));
        attack.expect(fsck.code == Some(0), || format!("git fsck\n{fsck}"));
    }
}

/// Starts a command and kills it at some moment. `Some(true)`: it ended by itself and well;
/// `None`: it was killed.
fn killed(attack: &mut Attack, mut command: Command) -> Option<bool> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child: Child = quiet.spawn().expect("the program starts");
    let moment = Duration::from_millis(attack.chance.u64(0..LATEST_MS));
    thread::sleep(moment);
    if let Ok(Some(status)) = child.try_wait() {
        return Some(status.success());
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// A commit whose hook is killed: git goes on.
fn commit(attack: &mut Attack, env: &TestEnv) {
    let mut git = env.sealed("git");
    git.args(["commit", "--quiet", "--allow-empty", "-m", "round"]);
    let child = git.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.expect("git starts");
    thread::sleep(Duration::from_millis(attack.chance.u64(0..LATEST_MS)));
    for hook in ours_below(env.root()) {
        // SAFETY: only sends a signal, to a process that runs our program in this repository.
        unsafe { libc::kill(hook, libc::SIGKILL) };
    }
    let output = child.wait_with_output().expect("git ends");
    attack.expect(output.status.success(), || {
        format!("a commit failed: {}", String::from_utf8_lossy(&output.stderr))
    });
}

/// Processes of the program in this folder, by what `/proc` says; none where there is no `/proc`.
fn ours_below(root: &Path) -> Vec<i32> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let ours = |entry: fs::DirEntry| {
        let id: i32 = entry.file_name().to_str()?.parse().ok()?;
        let program = fs::read_link(entry.path().join("exe")).ok()?;
        let folder = fs::read_link(entry.path().join("cwd")).ok()?;
        let same = program == fs::canonicalize(PROGRAM).ok()?;
        (same && folder.starts_with(root)).then_some(id)
    };
    processes.flatten().filter_map(ours).collect()
}

fn write_note(env: &TestEnv, number: u64, edition: u64) {
    let text = format!(
        "# Note {number}\n\nThe heron of number {number} waits at pond {}.\n\n## Later\n\n\
         Edition {edition} of note {number} says so.\n",
        number * 7
    );
    env.write(format!("notes/n{number}.md"), text);
}

fn edit(attack: &mut Attack, env: &TestEnv) {
    for _ in 0..attack.chance.u64(1..5) {
        let (number, edition) = (attack.chance.u64(0..NOTES), attack.chance.u64(..));
        write_note(env, number, edition);
    }
}

/// How often each line stands in the files of records.
fn records(env: &TestEnv) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    for text in RECORDS.iter().flat_map(|folder| texts(&env.path(folder))) {
        for line in text.lines().filter(|line| line.len() > 20) {
            *lines.entry(line.to_owned()).or_insert(0) += 1;
        }
    }
    lines
}

fn count(env: &TestEnv, folder: &str, needle: &str) -> usize {
    let quoted = format!("\"{needle}\"");
    texts(&env.path(folder)).iter().map(|text| text.matches(&quoted).count()).sum()
}

fn texts(folder: &Path) -> Vec<String> {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten();
    let files: Vec<PathBuf> =
        files.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path()).collect();
    files.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}
