//! All that a run needs, scripted.

mod script;
mod tools;
mod world;

use std::{
    cell::Cell,
    path::Path,
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use jiff::Timestamp;
use serde_json::json;
use tempfile::TempDir;

pub use script::{Say, Script, call, text};
pub use tools::{said, tool, usual_tools};
pub use world::{FakeWorld, Person};

use crate::{permissions::Mode, *};
use elophanto_models::llm::{Message, Request};

thread_local! {
    static TICKS: Cell<i64> = const { Cell::new(0) };
}

/// A clock that goes on by a millisecond each time it is looked at.
pub fn now() -> Timestamp {
    TICKS.with(|ticks| {
        ticks.set(ticks.get() + 1);
        Timestamp::from_millisecond(1_780_000_000_000 + ticks.get()).unwrap()
    })
}

/// All that a run needs.
pub struct Bench {
    pub brain: Script,
    pub world: FakeWorld,
    pub tools: Toolbox,
    pub person: Person,
    pub settings: Settings,
    pub given: Vec<Attachment>,
    pub writes: Arc<Mutex<Vec<String>>>,
    pub trails: Trails,
    pub sessions: Sessions,
    pub cancelled: Arc<AtomicBool>,
    folder: TempDir,
}

impl Bench {
    pub fn new(mode: Mode, steps: impl IntoIterator<Item = Say>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (writes, cancelled) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let (tools, problems) = Toolbox::of(usual_tools(&writes));
        assert_eq!(problems, []);
        let brain = Script {
            steps: steps.into_iter().collect(),
            last: text("All done."),
            plan: json!({ "answer_at_once": false, "steps": [], "tools": [] }),
            reflection: json!({
                "as_expected": true, "progress": true, "change": null, "done": false
            }),
            judgement: json!({
                "title": "A task", "reached": "yes", "outcome": "It went well.",
                "root_cause": null, "failed_approaches": [], "lesson": null, "pattern": null
            }),
            asked: Vec::new(),
            cancelled: Arc::clone(&cancelled),
            tokens_left: None,
            obeys: None,
        };
        let world = FakeWorld {
            gathered: Gathered::default(),
            mode,
            changed: Vec::new(),
            remarks: Vec::new(),
            before: Ok(()),
            remembered: Vec::new(),
            heard: Vec::new(),
            rules: 0,
            checkpoints: 0,
            beyond_undo: Vec::new(),
            ignores_absence: false,
            image: Err("it is gone".to_owned()),
        };
        Self {
            brain,
            world,
            tools,
            person: Person::default(),
            settings: Settings::new("/r", mode),
            given: Vec::new(),
            writes,
            trails: Trails::new(folder.path().join("runs")),
            sessions: Sessions::new(folder.path().join("sessions")),
            cancelled,
            folder,
        }
    }

    pub fn add(&mut self, tool: Box<dyn Tool>) {
        self.tools.add(tool).unwrap();
    }

    pub fn session(&self) -> Session {
        Session::new("terminal", "ada", now())
    }

    pub fn run(&mut self, goal: &str) -> Finished {
        let mut session = self.session();
        self.run_in(goal, &mut session)
    }

    pub fn run_in(&mut self, goal: &str, session: &mut Session) -> Finished {
        self.try_in(goal, session).unwrap()
    }

    pub fn try_in(&mut self, goal: &str, session: &mut Session) -> Result<Finished, AgentError> {
        let brain = Mutex::new(&mut self.brain);
        let mut agent = Agent {
            brain: &brain,
            world: &mut self.world,
            tools: &self.tools,
            settings: self.settings.clone(),
            given: &self.given,
            trails: &self.trails,
            sessions: &self.sessions,
            cancelled: &self.cancelled,
            now,
        };
        run_session(goal, session, &mut self.person, &mut agent)
    }

    pub fn trail(&self, finished: &Finished) -> Vec<EntryKind> {
        let trail = self.trails.read(&finished.run.to_string()).unwrap();
        assert_eq!(trail.damage, [""; 0]);
        trail.entries.into_iter().map(|entry| entry.kind).collect()
    }

    pub fn writes(&self) -> Vec<String> {
        self.writes.lock().unwrap().clone()
    }

    /// Requests for steps.
    pub fn step_requests(&self) -> Vec<&Request> {
        let steps = self.brain.asked.iter().filter(|(_, request)| !request.tools.is_empty());
        steps.map(|(_, request)| request).collect()
    }

    pub fn last_results(&self) -> Vec<String> {
        let last = self.step_requests().last().map(|request| request.messages.clone());
        let text = |message| match message {
            Message::Tool { text, .. } => Some(text),
            _ => None,
        };
        last.unwrap_or_default().into_iter().filter_map(text).collect()
    }

    /// All files below the state folder, as text.
    pub fn on_disk(&self) -> String {
        let mut all = String::new();
        for folder in ["runs", "sessions"] {
            let files = std::fs::read_dir(self.folder.path().join(folder)).unwrap();
            for file in files {
                all += &String::from_utf8_lossy(&std::fs::read(file.unwrap().path()).unwrap());
            }
        }
        all
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}
