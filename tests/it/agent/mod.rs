//! `agent`: what agents write down, what other agents recall of it, and what becomes of both where
//! the machine, another program or another clone does its worst.

mod alike;
mod forgetting;
mod hostile;
mod memory;
mod notes;
mod recall;
mod together;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{
    bad_inputs::bounded,
    env::{Output, TestEnv, finish},
};

/// Where git carries lessons.
const FOLDER: &str = ".elophanto/memory";

/// Compares a whole output with an inline snapshot: ids, files and days are not the same twice.
macro_rules! told {
    ($output:expr, @$expected:literal) => {{
        let mut filters = crate::env::FILTERS.to_vec();
        // Whole ones, and as many characters of them as tell one from the others.
        filters.push((r"\b01[0-9A-HJKMNP-TV-Z]{6,24}\b", "[ID]"));
        filters.push((r"\b01[0-9a-hjkmnp-tv-z]{24}\.jsonl", "[FILE].jsonl"));
        filters.push((r"\bh[0-9a-f]{24}\b", "[HASH]"));
        // Ids cut into another number of pieces each time.
        filters.push((r"takes \d+ tokens", "takes [TOKENS] tokens"));
        filters.push((r"each saves \d+", "each saves [TOKENS]"));
        filters.push((r#""score":[0-9.]+"#, r#""score":"[SCORE]""#));
        filters.push((r"\b20\d\d-\d\d-\d\d\b", "[DAY]"));
        insta::with_settings!({ filters => filters }, { insta::assert_snapshot!($output, @$expected) })
    }};
}
pub(crate) use told;

/// One of several work trees of a test.
struct Desk<'a> {
    env: &'a TestEnv,
    root: PathBuf,
}

impl<'a> Desk<'a> {
    /// The repository of the test itself.
    fn of(env: &'a TestEnv) -> Self {
        Self { env, root: env.root().to_owned() }
    }

    /// A folder beside it.
    fn beside(env: &'a TestEnv, name: &str) -> Self {
        let root = env.outside().join(name);
        fs::create_dir_all(&root).unwrap();
        Self { env, root }
    }

    /// A clone of the bare repository `hub.git`, made from this one the first time.
    fn clone_of(env: &'a TestEnv, name: &str) -> Self {
        let desk = Self { env, root: env.outside().join(name) };
        if !env.outside().join("hub.git").exists() {
            env.git(&["clone", "--quiet", "--bare", ".", "../hub.git"]);
            env.git(&["remote", "add", "origin", "../hub.git"]);
        }
        env.git(&["clone", "--quiet", "../hub.git", &format!("../{name}")]);
        desk
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command(args);
        command.current_dir(&self.root);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        bounded(&mut self.command(args))
    }

    fn ok(&self, args: &[&str]) -> Output {
        let output = self.run(args);
        assert_eq!(output.code, Some(0), "{args:?}\n{output}");
        output
    }

    fn json(&self, args: &[&str]) -> Vec<Value> {
        let output = self.run(&[args, &["--json"]].concat());
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
        output.json()
    }

    fn git(&self, args: &[&str]) -> String {
        let output = finish(self.env.sealed("git").args(args).current_dir(&self.root));
        assert!(output.code == Some(0), "git {args:?}\n{output}");
        output.stdout()
    }

    /// Commits everything there is.
    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", message]);
    }

    /// Takes over what the others have pushed, and pushes.
    fn exchange(&self) {
        self.git(&["pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main"]);
        self.git(&["push", "--quiet", "origin", "HEAD:main"]);
    }

    /// `agent remember` with a context, a lesson and more arguments; the id.
    fn remember(&self, context: &str, lesson: &str, more: &[&str]) -> String {
        let args = ["agent", "remember", "--type", "error", "--context", context];
        let lines = self.json(&[&args[..], &["--lesson", lesson], more].concat());
        assert_eq!(lines.len(), 1, "{lines:?}");
        lines[0]["id"].as_str().unwrap().to_owned()
    }

    /// The lessons that answer, best first.
    fn recall(&self, args: &[&str]) -> Vec<String> {
        texts(&self.json(&[&["agent", "recall"], args].concat()))
    }

    /// All lessons that count, the newest first.
    fn list(&self, args: &[&str]) -> Vec<String> {
        texts(&self.json(&[&["agent", "memory", "list", "-n", "100000"], args].concat()))
    }

    /// All lessons that count, sorted.
    fn sorted(&self) -> Vec<String> {
        let mut lessons = self.list(&[]);
        lessons.sort();
        lessons
    }

    /// Every file of lessons with its text, by path.
    fn files(&self) -> Vec<(PathBuf, String)> {
        files_in(&self.root.join(FOLDER))
    }

    /// Every line of every file. One that is no record fails the test.
    fn records(&self) -> Vec<Value> {
        records_in(&self.root.join(FOLDER))
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

fn texts(lines: &[Value]) -> Vec<String> {
    lines.iter().map(|line| line["lesson"].as_str().unwrap().to_owned()).collect()
}

fn files_in(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    let files = entries.filter(|entry| {
        entry.file_type().is_file() && entry.path().extension().is_some_and(|it| it == "jsonl")
    });
    let text = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    files.map(|entry| text(entry.into_path())).collect()
}

fn records_in(folder: &Path) -> Vec<Value> {
    let files = files_in(folder);
    let lines = files.iter().flat_map(|(_, text)| text.lines());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A record as other programs write it, without an id.
fn foreign(timestamp: &str, context: &str, lesson: &str) -> String {
    serde_json::json!({
        "timestamp": timestamp,
        "agent_id": "script",
        "event_type": "error",
        "context": context,
        "command": "",
        "lesson": lesson,
        "success_rate": "",
        "tags": [],
    })
    .to_string()
}
