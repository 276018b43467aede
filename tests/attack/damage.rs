//! Files that are not as they were written: bytes flipped, cut, repeated, moved, put in. Every
//! command ends in order, and what was damaged is told or makes no difference.

use std::{
    fs,
    path::{Path, PathBuf},
};

use elophanto_index::store::tables;

use crate::{
    Attack,
    env::{Output, TestEnv},
};

/// Hexadecimal digits of the digest in a table's name.
const DIGEST_DIGITS: usize = 32;
const QUESTIONS: &[&str] = &["heron pond", "how are keys rotated", "lamp grams", "\"edition of\""];
/// What each damaged repository goes through; a search comes before.
const COMMANDS: &[&[&str]] = &[
    &["agent", "recall", "npm install permission"],
    &["entity", "Aurora Lamp"],
    &["doctor"],
    &["index", "--check"],
    &["scan", "--list"],
    &["graph"],
    &["agent", "memory", "stats"],
    &["index"],
];

/// What is damaged.
#[derive(Clone, Copy, PartialEq)]
enum Victim {
    /// A committed table, under its old name.
    Table,
    /// A committed table, named with the digest of what it holds now.
    Resealed,
    /// What is derived, below the git directory.
    View,
    /// Records, pages, notes, settings.
    Text,
}

pub fn run(attack: &mut Attack) {
    let right = prepared();
    let answers = answers(attack, &right);
    while attack.goes_on() {
        let env = TestEnv::plain();
        copy(right.root(), env.root());
        let victim = match attack.chance.u8(0..8) {
            0 => Victim::Table,
            1 | 2 => Victim::Resealed,
            3 | 4 => Victim::View,
            _ => Victim::Text,
        };
        let Some(path) = pick(attack, &env, victim) else { continue };
        let bytes = fs::read(&path).unwrap_or_default();
        let damaged = damage(attack, &bytes);
        if damaged == bytes || fs::write(&path, damaged).is_err() {
            continue;
        }
        let shown = path.strip_prefix(env.root()).unwrap_or(&path).display().to_string();
        if victim == Victim::Resealed {
            reseal(&path);
            // The vectors come from the table and from nowhere else.
            let _ = fs::remove_dir_all(env.path(".git/elophanto"));
        }
        for (question, right) in QUESTIONS.iter().zip(&answers) {
            let output = attack.bounded(&mut env.command(&["search", "--json", question]));
            if !matches!(output.code, Some(0..=2)) {
                attack.broke(format!("{shown}: {output}"));
            }
            let silent = output.stderr.is_empty() && places(&output) != *right;
            if matches!(victim, Victim::Table | Victim::View) && silent {
                attack.broke(format!("{shown}: another answer without a word\n{output}"));
            }
        }
        for command in COMMANDS {
            let output = attack.bounded(&mut env.command(command));
            if !matches!(output.code, Some(0..=2)) {
                attack.broke(format!("{shown}: {command:?} {output}"));
            }
        }
    }
}

/// A repository that holds something of everything.
fn prepared() -> TestEnv {
    let env = TestEnv::new();
    env.ok(&["init"]);
    for number in 0..30 {
        let text = format!(
            "---\ntitle: Note {number}\ntags: [a, b]\n---\n# Note {number}\n\nThe heron waits at \
             pond {number}.\n\n## Keys\n\nKeys are rotated every {number} days, by hand.\n\n\
             | a | b |\n|---|---|\n| {number} | edition of {number} |\n"
        );
        env.write(format!("notes/n{number}.md"), text);
    }
    env.write(
        "src/lib.rs",
        "//! Counts herons.\n\n/// Counts them.\npub fn count() -> u32 { 7 }\n",
    );
    env.write("lamp.txt", "The **Aurora Lamp** is a lamp that weighs 700 grams.\n");
    env.ok(&["learn", "Aurora Lamp", "--from", "lamp.txt"]);
    let remember = ["agent", "remember", "--type", "error", "--context"];
    for number in 0..5 {
        let context = format!("npm install {number} failed without permission");
        let lesson = format!("own folder {number} first");
        env.ok(&[&remember[..], &[&context, "--lesson", &lesson]].concat());
    }
    env.ok(&["scan", "--investigate", "--all"]);
    env.ok(&["index"]);
    env.commit("all");
    env
}

fn answers(attack: &mut Attack, env: &TestEnv) -> Vec<Vec<String>> {
    let mut answer = |question: &&str| {
        places(&attack.bounded(&mut env.command(&["search", "--json", question])))
    };
    QUESTIONS.iter().map(&mut answer).collect()
}

/// Path and line of each hit, best first. Scores that were computed again differ in their last
/// digits.
fn places(output: &Output) -> Vec<String> {
    let hit = |line: &str| {
        let hit: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        format!("{}:{}", hit["path"], hit["line"])
    };
    output.stdout().lines().map(hit).collect()
}

fn pick(attack: &mut Attack, env: &TestEnv, victim: Victim) -> Option<PathBuf> {
    let below = match victim {
        Victim::Table | Victim::Resealed => vec![".elophanto/index"],
        Victim::View => vec![".git/elophanto"],
        Victim::Text => {
            let all = [
                ".elophanto/journal", ".elophanto/memory", ".elophanto/config.yaml", "knowledge",
                "notes", ".gitattributes",
            ];
            vec![all[attack.chance.usize(0..all.len())]]
        }
    };
    let files = below.iter().flat_map(|folder| walkdir::WalkDir::new(env.path(folder)));
    let files: Vec<PathBuf> = files
        .flatten()
        .filter(|entry| entry.file_type().is_file() && entry.metadata().is_ok_and(|m| m.len() > 0))
        .map(walkdir::DirEntry::into_path)
        .collect();
    let chosen = attack.chance.usize(0..files.len().max(1));
    files.get(chosen).cloned()
}

/// The bytes with one to four changes.
fn damage(attack: &mut Attack, bytes: &[u8]) -> Vec<u8> {
    let chance = &mut attack.chance;
    let mut bytes = bytes.to_vec();
    for _ in 0..chance.u8(1..=4) {
        let at = chance.usize(0..=bytes.len());
        let end = (at + chance.usize(0..64)).min(bytes.len());
        match chance.u8(0..8) {
            0 => bytes.truncate(at),
            1 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << chance.u8(0..8)),
            2 => bytes.iter_mut().skip(at).take(8).for_each(|byte| *byte = 0xff),
            3 => bytes.iter_mut().skip(at).take(64).for_each(|byte| *byte = 0),
            4 => drop(bytes.drain(at..end)),
            5 => {
                let again = bytes[at..end].repeat(chance.usize(1..100));
                bytes.splice(at..at, again);
            }
            6 => {
                let noise: Vec<u8> = (0..chance.usize(1..64)).map(|_| chance.u8(..)).collect();
                bytes.splice(at..at, noise);
            }
            // A number of a binary format, made huge.
            _ => {
                let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
                bytes.splice(at..end.min(at + 2), huge);
            }
        }
    }
    bytes
}

/// Names the table that holds this file with the digest of what it holds now.
fn reseal(file: &Path) {
    let Some(table) = file
        .ancestors()
        .find(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(tables::is_name))
    else {
        return;
    };
    let (Some(folder), Some(name)) = (table.parent(), table.file_name().and_then(|n| n.to_str()))
    else {
        return;
    };
    let Ok(mut contents) = tables::contents(folder, name) else { return };
    contents.sort_by(|a, b| a.0.as_os_str().cmp(b.0.as_os_str()));
    let mut hasher = blake3::Hasher::new();
    for (name, bytes) in contents {
        let name = name.as_os_str().as_encoded_bytes();
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name);
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
    }
    let digest = hasher.finalize().to_hex();
    let ulid = name.split('-').next().unwrap_or_default();
    let _ = fs::rename(table, folder.join(format!("{ulid}-{}.lance", &digest[..DIGEST_DIGITS])));
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().flatten() {
        let Ok(below) = entry.path().strip_prefix(from) else { continue };
        let target = to.join(below);
        if entry.file_type().is_dir() {
            let _ = fs::create_dir_all(target);
        } else if entry.file_type().is_file() {
            let _ = fs::copy(entry.path(), target);
        }
    }
}
