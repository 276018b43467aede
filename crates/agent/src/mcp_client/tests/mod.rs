//! Real servers: a small program that behaves or misbehaves as it is told.

mod calls;
mod ends;
mod http;
mod offers;

use std::{fs, path::PathBuf, time::Instant};

use serde_json::{Value, json};

use super::*;
use crate::{Host, Output, ToolError, permissions::Level};

/// Folder, environment and names that are taken.
pub(super) struct Bench {
    folder: tempfile::TempDir,
    environment: Environment,
    taken: BTreeSet<String>,
    credentials: BTreeMap<String, Arc<dyn Credentials>>,
    patience: Duration,
}

impl Bench {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("server.py"), include_str!("server.py")).unwrap();
        let path = "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin".to_owned();
        let environment =
            [("PATH".to_owned(), path), ("TOKEN".to_owned(), "secret".to_owned())].into();
        let taken = ["file_read".to_owned()].into();
        let (credentials, patience) = (BTreeMap::new(), Duration::from_secs(20));
        Self { folder, environment, taken, credentials, patience }
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(super) fn entry(&self, name: &str, arguments: &[&str]) -> Entry {
        let script = self.at("server.py").to_str().unwrap().to_owned();
        let mut command = vec!["python3".to_owned(), script];
        command.extend(arguments.iter().map(|&word| word.to_owned()));
        Entry { trusted: true, ..Entry::new(name, command) }
    }

    pub(super) fn start(&self, entries: &[Entry]) -> Started {
        let folder = &self.at("");
        let surroundings = Surroundings {
            environment: &self.environment,
            folder,
            taken: &self.taken,
            credentials: &self.credentials,
            patience: self.patience,
        };
        Servers::start(entries, &surroundings).unwrap()
    }

    /// A well-behaved server.
    pub(super) fn good(&self) -> Started {
        let started = self.start(&[self.entry("t", &["good"])]);
        assert_eq!(started.problems, [""; 0]);
        started
    }
}

impl Started {
    pub(super) fn call(
        &self,
        tool: &str,
        arguments: &Value,
        host: &mut Caller,
    ) -> Result<Output, ToolError> {
        let tool = self.tools.iter().find(|t| t.spec().name == tool).expect("there is that tool");
        tool.execute(arguments, host)
    }

    /// What a call says, good or bad.
    pub(super) fn said(&self, tool: &str, text: &str) -> String {
        match self.call(tool, &json!({ "text": text }), &mut Caller::default()) {
            Ok(output) => output.text,
            Err(cause) => format!("{cause:?}"),
        }
    }
}

pub(super) struct Caller {
    pub patience: Duration,
    pub max_output: usize,
    pub cancelled_at: Option<Instant>,
}

impl Default for Caller {
    fn default() -> Self {
        Self { patience: Duration::from_secs(20), max_output: 10_000, cancelled_at: None }
    }
}

impl Host for Caller {
    fn root(&self) -> &Path {
        Path::new("/")
    }
    fn is_cancelled(&self) -> bool {
        self.cancelled_at.is_some_and(|at| Instant::now() >= at)
    }
    fn patience(&self) -> Duration {
        self.patience
    }
    fn max_output(&self) -> usize {
        self.max_output
    }
    fn ask_user(&mut self, _: &str, _: &[String]) -> Option<String> {
        None
    }
    fn think(&mut self, _: &str, _: &str, _: &str) -> Result<String, ToolError> {
        Err(ToolError::Cancelled)
    }
    fn call(&mut self, _: &str, _: Value) -> Result<Output, ToolError> {
        Err(ToolError::Cancelled)
    }
    fn sub_task(&mut self, _: &str, _: &[&str]) -> Result<String, ToolError> {
        Err(ToolError::Cancelled)
    }
}
