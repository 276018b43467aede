//! A host whose models and users answer what a test says.

use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use super::scene::Scene;
use crate::{Host, Output, ToolError, plugins::fixture::files};

/// The answer of a coder: the files of a working plugin with these changes.
pub(super) fn code(changed: &[(&str, &str)]) -> String {
    let mut all: BTreeMap<&str, &str> = files().into_iter().collect();
    all.extend(changed.iter().copied());
    let files: Vec<Value> =
        all.iter().map(|(path, content)| json!({"path": path, "content": content})).collect();
    json!({ "files": files }).to_string()
}

pub(super) const APPROVED: &str = r#"{"approved": true, "findings": ["README.md: fine"]}"#;

pub(super) struct Scripted {
    pub root: PathBuf,
    /// Answers by task, in their order; what is not there is an error.
    pub thoughts: BTreeMap<&'static str, VecDeque<String>>,
    pub answers: VecDeque<Option<&'static str>>,
    /// Done when a question is asked.
    pub on_question: Option<Box<dyn Fn()>>,
    /// A tool that permissions do not allow.
    pub denied: &'static str,
    pub found: &'static str,
    /// The user ends the run after so many calls, thoughts and questions.
    pub cancel_after: usize,
    pub steps: usize,
    pub prompts: Vec<(String, String)>,
    pub calls: Vec<(String, Value)>,
    pub questions: Vec<String>,
}

impl Scripted {
    pub(super) fn new(scene: &Scene, codes: &[String], reviews: &[&str]) -> Self {
        let reviews = reviews.iter().map(|review| (*review).to_owned()).collect();
        let plan = VecDeque::from(["Reads a word, says it in capitals.".to_owned()]);
        Self {
            root: scene.world.root.clone(),
            thoughts: BTreeMap::from([
                ("planning", plan),
                ("coding", codes.iter().cloned().collect()),
                ("review", reviews),
            ]),
            answers: VecDeque::from([Some("deploy")]),
            on_question: None,
            denied: "",
            found: "",
            cancel_after: usize::MAX,
            steps: 0,
            prompts: Vec::new(),
            calls: Vec::new(),
            questions: Vec::new(),
        }
    }
}

impl Host for Scripted {
    fn root(&self) -> &Path {
        &self.root
    }
    fn is_cancelled(&self) -> bool {
        self.steps >= self.cancel_after
    }
    fn patience(&self) -> Duration {
        Duration::from_secs(3)
    }
    fn max_output(&self) -> usize {
        20_000
    }
    fn ask_user(&mut self, question: &str, _: &[String]) -> Option<String> {
        self.steps += 1;
        self.questions.push(question.to_owned());
        if let Some(act) = &self.on_question {
            act();
        }
        self.answers.pop_front().flatten().map(str::to_owned)
    }
    fn think(&mut self, task: &str, _: &str, prompt: &str) -> Result<String, ToolError> {
        self.steps += 1;
        self.prompts.push((task.to_owned(), prompt.to_owned()));
        let answer = self.thoughts.get_mut(task).and_then(VecDeque::pop_front);
        answer.ok_or_else(|| ToolError::Failed(format!("no model for {task}")))
    }
    fn call(&mut self, tool: &str, arguments: Value) -> Result<Output, ToolError> {
        self.steps += 1;
        self.calls.push((tool.to_owned(), arguments.clone()));
        if tool == self.denied {
            return Err(ToolError::Refused(format!("{tool} is not allowed")));
        }
        let given = arguments["path"].as_str().unwrap_or_default();
        let path = self.root.join(given);
        let mut output = Output::default();
        match tool {
            "file_write" => {
                let there = fs::read(&path).ok().map(|bytes| blake3::hash(&bytes).to_hex());
                let expected = arguments["expected"].as_str();
                let shown = there.as_ref().map(|hash| &hash[..16]);
                assert_eq!(shown, expected, "writes over what it has not read");
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, arguments["text"].as_str().unwrap()).unwrap();
                output.touched.push(given.into());
            }
            "file_delete" => fs::remove_file(path).unwrap(),
            "file_read" => match fs::read_to_string(path) {
                Ok(text) => output.text = text,
                Err(_) => output.failed = true,
            },
            "knowledge_search" => output.text = self.found.to_owned(),
            "knowledge_write" => output.touched.push("knowledge/learned/failures/x.md".into()),
            other => panic!("called {other}"),
        }
        Ok(output)
    }
    fn sub_task(&mut self, _: &str, _: &[&str]) -> Result<String, ToolError> {
        Err(ToolError::Failed("no tasks".to_owned()))
    }
}
