//! Tools tried as the loop uses them: intent, then execute.

mod ask_user;
mod delegate_reading;
mod file_delete;
mod file_edit;
mod file_list;
mod file_move;
mod file_read;
mod file_search;
mod file_write;
mod git_commit;
mod git_diff;
mod git_log;
mod git_status;
mod hostile;
mod llm_call;
mod shell_execute;
mod todo_list;
mod web_fetch;
mod web_search;

use std::{
    cell::Cell,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

use super::*;
use crate::{Host, Intent, Output, Reading, Todo, ToolError};

/// A work tree of its own and whoever calls.
pub(super) struct Try {
    _folder: TempDir,
    root: PathBuf,
    pub(super) max: usize,
    pub(super) answer: Option<String>,
    pub(super) cancelled: Cell<bool>,
    pub(super) asked: Vec<String>,
    /// What programs said, as it came.
    pub(super) said: Vec<String>,
    pub(super) todo: Vec<Todo>,
    pub(super) takes_images: bool,
    pub(super) readings: Vec<Reading>,
}

/// A note with a private key from line 4 on, and one with a block that is none; both made up.
pub(super) fn note_with_key(label: &str) -> (String, Vec<&'static str>) {
    let key = vec![
        "Ro7jsCYUlYbHp6VHWVnD8dPCi7M0orfeM+omErX6V1t1m/0JeVB44EUmVThYJyp6",
        "lBcgQFqAiABDQsaJsqGwodqbTEPcwHgq1oi85Un5CfM6dh9Z2n/4jkPsiqJPWL63",
        "moB35D0R6Z1mO2OGVt8ilkl3mVqhQp0T2gKNTnBt9CnSVoJC2dIdxINRSaxsZisd",
        "2rTq9VbXk4LmZ0pWc8YsQf1GhJ7uNaEd",
    ];
    let dashes = "-----";
    let body = key.join("\n");
    let block = format!("{dashes}BEGIN {label}{dashes}\n{body}\n{dashes}END {label}{dashes}");
    (format!("# Server\n\nSee:\n{block}\n\nAll of it.\n"), key)
}

impl Try {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Beside the root there is something that must stay out of reach.
        fs::write(folder.path().join("outside.txt"), "outside\n").unwrap();
        let root = folder.path().canonicalize().unwrap().join("root");
        fs::create_dir(&root).unwrap();
        let made = Self {
            _folder: folder,
            root,
            max: 20_000,
            answer: None,
            cancelled: Cell::new(false),
            asked: Vec::new(),
            said: Vec::new(),
            todo: Vec::new(),
            takes_images: false,
            readings: Vec::new(),
        };
        for (path, text) in files {
            made.write(path, text);
        }
        made
    }

    /// The same, with all files in a first commit.
    pub(super) fn git(files: &[(&str, &str)]) -> Self {
        let made = Self::new(files);
        made.run(&["init", "--quiet", "--initial-branch=main"]);
        made.run(&["config", "user.name", "Ada"]);
        made.run(&["config", "user.email", "ada@example.org"]);
        if !files.is_empty() {
            made.run(&["add", "--all"]);
            made.run(&["commit", "--quiet", "--no-verify", "--message=first"]);
        }
        made
    }

    pub(super) fn repository(&self) -> Arc<Git> {
        let found = elophanto_repo::locate(&self.root).unwrap();
        Arc::new(Git::of(&found).unwrap())
    }

    /// Stdout of git, which has to succeed.
    #[track_caller]
    pub(super) fn run(&self, arguments: &[&str]) -> String {
        self.feed(arguments, "")
    }

    #[track_caller]
    pub(super) fn feed(&self, arguments: &[&str], input: &str) -> String {
        use std::io::Write;
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(&self.root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}\n{input}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(super) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let full = self.root.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
    }

    pub(super) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.root.join(path)).ok()
    }

    pub(super) fn text(&self, path: &str) -> String {
        self.bytes(path).map(|bytes| String::from_utf8(bytes).unwrap()).unwrap_or_default()
    }

    pub(super) fn link(&self, to: impl AsRef<Path>, path: &str) {
        std::os::unix::fs::symlink(to, self.root.join(path)).unwrap();
    }

    /// Intent and execution, as after an approval.
    pub(super) fn call(&mut self, tool: &dyn Tool, arguments: Value) -> Result<Output, ToolError> {
        tool.intent(&arguments, self)?;
        tool.execute(&arguments, self)
    }

    pub(super) fn intent(&self, tool: &dyn Tool, arguments: &Value) -> Intent {
        tool.intent(arguments, self).unwrap()
    }

    /// Text of a call that goes right.
    #[track_caller]
    pub(super) fn good(&mut self, tool: &dyn Tool, arguments: Value) -> String {
        let output = self.call(tool, arguments).unwrap();
        assert!(!output.failed, "{}", output.text);
        assert!(output.text.len() <= self.max);
        output.text
    }

    /// A call that is not made, for a reason that has these words in it.
    #[track_caller]
    pub(super) fn refused(&mut self, tool: &dyn Tool, arguments: Value, words: &str) {
        let said = match self.call(tool, arguments.clone()) {
            Err(cause) => cause.to_string(),
            Ok(output) => panic!("{arguments} went right: {}", output.text),
        };
        assert!(said.contains(words), "{arguments}: {said}");
    }

    /// What lies beside the root is as it was.
    #[track_caller]
    pub(super) fn outside_is_untouched(&self) {
        let above = self.root.parent().unwrap();
        assert_eq!(fs::read(above.join("outside.txt")).unwrap(), b"outside\n");
        assert_eq!(fs::read_dir(above).unwrap().count(), 2);
    }
}

impl Host for Try {
    fn root(&self) -> &Path {
        &self.root
    }
    fn is_cancelled(&self) -> bool {
        self.cancelled.get()
    }
    fn patience(&self) -> Duration {
        Duration::from_secs(30)
    }
    fn max_output(&self) -> usize {
        self.max
    }
    fn ask_user(&mut self, question: &str, options: &[String]) -> Option<String> {
        self.asked.push(format!("{question} {options:?}"));
        self.answer.clone()
    }
    fn think(&mut self, task: &str, system: &str, prompt: &str) -> Result<String, ToolError> {
        self.asked.push(format!("{task}|{system}|{prompt}"));
        self.answer.clone().ok_or_else(|| ToolError::Failed("no model".into()))
    }
    fn call(&mut self, _: &str, _: Value) -> Result<Output, ToolError> {
        unreachable!("no built-in tool calls another")
    }
    fn todo(&mut self, items: &[Todo]) {
        self.todo = items.to_vec();
    }
    fn said(&mut self, lines: &str) {
        self.said.push(lines.to_owned());
    }
    fn takes_images(&self) -> bool {
        self.takes_images
    }
    fn delegate(&mut self, questions: &[String]) -> Result<Vec<Reading>, ToolError> {
        self.asked.extend_from_slice(questions);
        Ok(self.readings.clone())
    }
    fn sub_task(&mut self, _: &str, _: &[&str]) -> Result<String, ToolError> {
        unreachable!("no built-in tool runs a task")
    }
}

/// Names of the tools that have tests here, sorted: a tool without is not shipped.
const TESTED: &[&str] = &[
    "ask_user", "delegate_reading", "file_delete", "file_edit", "file_list", "file_move",
    "file_read", "file_search", "file_write", "git_commit", "git_diff", "git_log", "git_status",
    "llm_call", "shell_execute", "todo_list", "web_fetch", "web_search",
];

/// Every built-in tool, with nothing behind the closures.
fn all(repository: Arc<Git>) -> Vec<Box<dyn Tool>> {
    let mut tools = files(Arc::new(|_| false));
    let along = Box::new(|_: &Proposed<'_>| Ok(()));
    tools.extend(git(repository, Arc::new(|_| false), Box::new(refuse_secrets), along));
    tools.push(shell(Box::new(|_, _| Err("no shell".into())), Arc::new(|_| false)));
    let search = Search { host: "search.example".into(), ask: Box::new(|_, _, _| Ok(Vec::new())) };
    tools.extend(web(Box::new(|_, _, _| Err("no web".into())), search));
    tools.extend([ask_user(), model(), readers(3), todo_list()]);
    tools
}

#[test]
fn every_tool_has_tests_and_a_whole_spec() {
    let tried = Try::git(&[]);
    let tools = all(tried.repository());
    let mut names: Vec<String> = tools.iter().map(|tool| tool.spec().name).collect();
    names.sort_unstable();
    assert_eq!(names, TESTED);
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tools/tests");
    for tool in &tools {
        let spec = tool.spec();
        let tests = fs::read_to_string(here.join(format!("{}.rs", spec.name))).unwrap();
        assert!(tests.matches("#[test]").count() > 0, "{}", spec.name);
        assert!((40..600).contains(&spec.description.len()), "{}", spec.name);
        assert_eq!(spec.input["additionalProperties"], false);
        let properties = spec.input["properties"].as_object().unwrap();
        for name in spec.input["required"].as_array().unwrap() {
            assert!(properties.contains_key(name.as_str().unwrap()));
        }
    }
}
