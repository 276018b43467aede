//! `agent run` and `agent undo`, whole: the real program, real git, the real sandbox, and a model
//! that follows a script.

mod branch;
mod budget;
mod chat;
mod conversations;
mod fence;
mod history;
mod honest;
pub mod images;
mod interrupted;
mod misbehaving;
mod others;
mod pages;
mod patch;
mod permissions;
mod planted;
mod poisoned;
mod protected;
mod readers;
mod recorded;
mod refactoring;
mod screen;
mod stash;
mod tainted;
mod task;
mod terminal;
mod undo;
mod unwritten;
mod worktree;

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    env::{Output, TestEnv},
    fake::script::Model,
};

/// Longer takes only what hangs.
const HANGS: Duration = Duration::from_secs(120);

/// A repository whose user has a scripted model.
struct Bench {
    env: TestEnv,
    model: Model,
}

/// A run that has ended.
#[derive(Debug)]
struct Told {
    output: Output,
    events: Vec<Value>,
}

impl Bench {
    /// In an empty repository with one commit.
    fn new(model: Model) -> Self {
        Self::with(model, &[("README.md", "# Otters\n\nThey swim.\n")])
    }

    /// With these files, committed.
    fn with(model: Model, files: &[(&str, &str)]) -> Self {
        let env = TestEnv::with(files);
        env.write_settings(&model.settings());
        env.commit("First");
        Self { env, model }
    }

    /// The same with more settings of the user.
    fn set(self, more: &str) -> Self {
        self.env.write_settings(&format!("{}{more}", self.model.settings()));
        self
    }

    /// The same with notes about tasks in the knowledge base.
    fn noting(self) -> Self {
        self.set("agent.notes: knowledge\n")
    }

    /// The user's own rules.
    fn rules(&self, text: &str) {
        std::fs::write(self.home(".config/elophanto/permissions.yaml"), text).unwrap();
    }

    fn home(&self, path: &str) -> std::path::PathBuf {
        self.env.outside().join("home").join(path)
    }

    fn command(&self, goal: &str, more: &[&str]) -> Command {
        let mut command = self.env.command(&[&["agent", "run", goal, "--json"], more].concat());
        // Programs of the system first: those below a home folder are not to be had in the sandbox.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("/usr/bin:/bin:{path}"));
        command
    }

    /// A run in which everything that asks is answered with this.
    fn run(&self, goal: &str, more: &[&str], answer: &str) -> Told {
        self.run_with(goal, more, |_| Some(answer.to_owned()))
    }

    /// A run in which `answers` says what is answered; `None` closes standard input.
    fn run_with(
        &self,
        goal: &str,
        more: &[&str],
        answers: impl FnMut(&Value) -> Option<String>,
    ) -> Told {
        drive(&mut self.command(goal, more), answers)
    }

    /// What git has of this file at HEAD.
    fn committed(&self, path: &str) -> String {
        self.env.git(&["show", &format!("HEAD:{path}")])
    }

    /// The text of all notes in a folder of the knowledge base.
    fn learned(&self, folder: &str) -> Vec<String> {
        let files = self.env.files();
        let below = std::path::Path::new("knowledge/learned").join(folder);
        let texts = files.into_iter().filter(|(path, _)| path.starts_with(&below));
        texts.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect()
    }
}

impl Told {
    /// Events of a type.
    fn all(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().filter(|event| event["type"] == kind).collect()
    }

    /// The last event.
    fn ended(&self) -> &Value {
        let last = self.events.last().unwrap_or_else(|| panic!("no events\n{}", self.output));
        assert_eq!(last["type"], "ended", "{}", self.output);
        last
    }

    fn outcome(&self) -> &str {
        self.ended()["outcome"].as_str().unwrap()
    }

    fn run(&self) -> &str {
        self.ended()["run"].as_str().unwrap()
    }

    fn session(&self) -> &str {
        self.ended()["session"].as_str().unwrap()
    }

    /// Names of the tools that were run.
    fn ran(&self) -> Vec<&str> {
        self.all("called").iter().map(|event| event["tool"].as_str().unwrap()).collect()
    }

    /// What was asked for: tool and what was shown.
    fn asked(&self) -> Vec<&str> {
        self.all("approval_request").iter().map(|it| it["tool"].as_str().unwrap()).collect()
    }

    /// Texts of the results.
    fn results(&self) -> Vec<&str> {
        self.all("called").iter().map(|event| event["text"].as_str().unwrap()).collect()
    }

    /// Why calls were not made.
    fn unmade(&self) -> Vec<&str> {
        self.all("unmade").iter().map(|event| event["reason"].as_str().unwrap()).collect()
    }

    /// The run ended right.
    #[track_caller]
    fn done(&self) -> &Self {
        assert_eq!(self.output.code, Some(0), "{}", self.output);
        assert_eq!(self.outcome(), "done", "{}", self.output);
        self
    }
}

/// A program at work, its events as they come.
struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<Vec<u8>>,
    stderr: std::thread::JoinHandle<Vec<u8>>,
    events: Vec<Value>,
    stdout: Vec<u8>,
    deadline: Instant,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while stdout.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        });
        let mut pipe = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            bytes
        });
        let (stdin, deadline) = (child.stdin.take(), Instant::now() + HANGS);
        Self { child, stdin, lines, stderr, events: Vec::new(), stdout: Vec::new(), deadline }
    }

    /// The next event; `None` at the end.
    fn next(&mut self) -> Option<Value> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => {
                let text = String::from_utf8_lossy(&line);
                let event = serde_json::from_str(&text)
                    .unwrap_or_else(|cause| panic!("not JSON ({cause}): {text}"));
                self.stdout.extend_from_slice(&line);
                self.events.push(event);
                self.events.last().cloned()
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let _ = self.child.kill();
                panic!("it hangs\n{}", String::from_utf8_lossy(&self.stdout));
            }
        }
    }

    /// Waits for an event of a type.
    fn until(&mut self, kind: &str) -> Value {
        loop {
            match self.next() {
                Some(event) if event["type"] == kind => return event,
                Some(_) => {}
                None => panic!("no `{kind}`\n{}", String::from_utf8_lossy(&self.stdout)),
            }
        }
    }

    fn answer(&mut self, asked: &Value, answer: Option<&str>) {
        let Some(answer) = answer else {
            self.stdin = None;
            return;
        };
        let key = if asked["type"] == "question" { "text" } else { "answer" };
        let line = json!({ "id": asked["id"], key: answer });
        if let Some(stdin) = &mut self.stdin {
            // It may have ended.
            let _ = writeln!(stdin, "{line}").and_then(|()| stdin.flush());
        }
    }

    fn signal(&self, signal: i32) {
        // SAFETY: only sends a signal, to a child that has not been waited for.
        unsafe { libc::kill(self.child.id().cast_signed(), signal) };
    }

    /// Reads to the end, answering what asks.
    fn finish(mut self, mut answers: impl FnMut(&Value) -> Option<String>) -> Told {
        while let Some(event) = self.next() {
            if event["type"] == "approval_request" || event["type"] == "question" {
                let answer = answers(&event);
                self.answer(&event, answer.as_deref());
            }
        }
        self.stdin = None;
        let code = self.child.wait().unwrap().code();
        let stderr = self.stderr.join().unwrap();
        let output = Output { code, stdout: self.stdout, stderr };
        assert!(!output.stderr().contains("panicked"), "{output}");
        Told { output, events: self.events }
    }
}

/// Runs a program to its end, answering what asks.
fn drive(command: &mut Command, answers: impl FnMut(&Value) -> Option<String>) -> Told {
    Running::start(command).finish(answers)
}
