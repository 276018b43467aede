//! An editor as a test has it, on the streams of the real program.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::env::TestEnv;

/// Longer takes only what hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is answered to a request of the agent; `None` leaves it waiting.
pub type Answers = Box<dyn FnMut(&Value) -> Option<Value>>;

pub struct Editor {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    next: u64,
    /// Updates of sessions, as they came.
    pub told: Vec<Value>,
    /// Parameters of requests of the agent.
    pub asked: Vec<Value>,
    pub answers: Answers,
}

/// The answer that chooses an option.
pub fn choose(option: &str) -> Value {
    json!({ "outcome": { "outcome": "selected", "optionId": option } })
}

/// The program as an editor starts it: programs of the system first, as those below a home folder are
/// not to be had in the sandbox.
pub fn command(env: &TestEnv) -> Command {
    let mut command = env.command(&["acp"]);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("/usr/bin:/bin:{path}"));
    command
}

impl Editor {
    /// Everything that asks is answered with this option.
    pub fn begin(env: &TestEnv, option: &'static str) -> Self {
        let mut editor = Self::spawn(&mut command(env));
        editor.answers = Box::new(move |_| Some(choose(option)));
        editor.hello(json!({}));
        editor
    }

    pub fn spawn(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut pipe = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = pipe.read_to_string(&mut text);
            text
        });
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            lines,
            stderr: Some(stderr),
            next: 1,
            told: Vec::new(),
            asked: Vec::new(),
            answers: Box::new(|_| None),
        }
    }

    pub fn hello(&mut self, capabilities: Value) -> Value {
        let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        self.ask("initialize", params).unwrap()
    }

    /// A new session in a folder; its id.
    pub fn open(&mut self, folder: &Path) -> String {
        let session = self.ask("session/new", json!({ "cwd": folder, "mcpServers": [] })).unwrap();
        session["sessionId"].as_str().unwrap().to_owned()
    }

    /// Says something and waits until it is done; why it stopped.
    pub fn say(&mut self, session: &str, text: &str) -> Result<String, (i64, String)> {
        let id = self.begin_to_say(session, text);
        let answer = self.wait_for(id)?;
        Ok(answer["stopReason"].as_str().unwrap().to_owned())
    }

    pub fn begin_to_say(&mut self, session: &str, text: &str) -> u64 {
        let blocks = json!([{ "type": "text", "text": text }]);
        self.begin_to_ask("session/prompt", json!({ "sessionId": session, "prompt": blocks }))
    }

    pub fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    pub fn begin_to_ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request.to_string());
        id
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Result<Value, (i64, String)> {
        let id = self.begin_to_ask(method, params);
        self.wait_for(id)
    }

    pub fn wait_for(&mut self, id: u64) -> Result<Value, (i64, String)> {
        loop {
            let message = self.next().unwrap_or_else(|| panic!("no answer to {id}: it ended"));
            if message["id"] == id && message["method"].is_null() {
                return match &message["error"] {
                    Value::Null => Ok(message["result"].clone()),
                    error => {
                        let text = error["message"].as_str().unwrap().to_owned();
                        Err((error["code"].as_i64().unwrap(), text))
                    }
                };
            }
        }
    }

    /// The next message, kept and answered where it is an update or a request; `None` at the end.
    pub fn next(&mut self) -> Option<Value> {
        let line = match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return None,
            Err(_) => panic!("it hangs; told {:#?}", self.told.last()),
        };
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|cause| panic!("{cause}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        match message["method"].as_str() {
            Some("session/update") => {
                let mut update = message["params"]["update"].clone();
                update["session"] = message["params"]["sessionId"].clone();
                self.told.push(update);
            }
            Some(_) if !message["id"].is_null() => {
                self.asked.push(message["params"].clone());
                if let Some(result) = (self.answers)(&message["params"]) {
                    let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                    self.send(&answer.to_string());
                }
            }
            _ => {}
        }
        Some(message)
    }

    /// Waits until something was told.
    pub fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(found) = self.told.iter().find(|told| is_it(told)) {
                return found.clone();
            }
            self.next().expect("it ended");
        }
    }

    /// Waits until the agent has asked so often.
    pub fn until_asked(&mut self, count: usize) {
        while self.asked.len() < count {
            self.next().expect("it ended");
        }
    }

    /// Updates of a kind.
    pub fn all(&self, kind: &str) -> Vec<&Value> {
        self.told.iter().filter(|told| told["sessionUpdate"] == kind).collect()
    }

    /// What the agent said, all pieces together.
    pub fn text(&self) -> String {
        let chunks = self.all("agent_message_chunk").into_iter();
        chunks.map(|chunk| chunk["content"]["text"].as_str().unwrap()).collect()
    }

    /// What was told beside the answer.
    pub fn notes(&self) -> String {
        let chunks = self.all("agent_thought_chunk").into_iter();
        chunks.map(|chunk| chunk["content"]["text"].as_str().unwrap()).collect()
    }

    /// Each call by its title, with its last status.
    pub fn calls(&self) -> Vec<(String, String)> {
        let mut calls: Vec<(Value, String, String)> = Vec::new();
        for told in &self.told {
            let status = told["status"].as_str();
            if told["sessionUpdate"] == "tool_call" {
                let title = told["title"].as_str().unwrap().to_owned();
                calls.push((
                    told["toolCallId"].clone(),
                    title,
                    status.unwrap_or("pending").to_owned(),
                ));
            } else if let (Some(call), Some(status)) =
                (calls.iter_mut().find(|it| it.0 == told["toolCallId"]), status)
            {
                call.2 = status.to_owned();
            }
        }
        calls.into_iter().map(|(_, title, status)| (title, status)).collect()
    }

    /// The ids of the options that were offered with a request.
    pub fn offered(&self, request: usize) -> Vec<&str> {
        let options = self.asked[request]["options"].as_array().unwrap().iter();
        options.map(|option| option["optionId"].as_str().unwrap()).collect()
    }

    /// Closes standard input; exit code and what was said on standard error.
    pub fn end(mut self) -> (Option<i32>, String) {
        self.stdin = None;
        while self.next().is_some() {}
        let code = self.wait();
        (code, self.stderr.take().unwrap().join().unwrap())
    }

    /// Kills the program where it is.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn wait(&mut self) -> Option<i32> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
