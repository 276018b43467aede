//! A scripted model, a small world, tools of all kinds, and somebody who answers.

use std::{
    cell::Cell,
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    agent::*,
    llm::{Delta, Message, Reply, Request, Sink, StopReason, Task, ToolCall, Usage},
    permissions::{Action, Call, Decision, Layer, Level, Mode, Verdict},
};

/// What the model does when it is asked for a step.
#[derive(Debug, Clone)]
pub enum Say {
    Text(String),
    Calls(Vec<(String, Value)>),
    Refuses,
    Fails(BrainErrorKind),
    /// The user ends the run while the model answers.
    Cancels,
}

pub fn text(text: &str) -> Say {
    Say::Text(text.to_owned())
}

pub fn call(tool: &str, arguments: Value) -> Say {
    Say::Calls(vec![(tool.to_owned(), arguments)])
}

pub struct Script {
    pub steps: VecDeque<Say>,
    /// Said when there are no more steps.
    pub last: Say,
    pub plan: Value,
    pub reflection: Value,
    pub judgement: Value,
    pub asked: Vec<(Task, Request)>,
    pub cancelled: Arc<AtomicBool>,
    /// Instead of the steps.
    pub obeys: Option<fn(&Request) -> Say>,
}

impl Brain for Script {
    fn ask(
        &mut self,
        task: Task,
        request: &Request,
        sink: Option<Sink<'_>>,
    ) -> Result<Thought, BrainError> {
        self.asked.push((task, request.clone()));
        let form = request.schema.as_ref().map(|schema| schema.name.as_str());
        let say = match (task, form) {
            (_, Some("plan")) => Say::Text(self.plan.to_string()),
            (_, Some("reflection")) => Say::Text(self.reflection.to_string()),
            (_, Some("judgement")) => Say::Text(self.judgement.to_string()),
            (Task::Summary, _) => text("the summary"),
            _ => match self.obeys {
                Some(obeys) => obeys(request),
                None => self.steps.pop_front().unwrap_or(self.last.clone()),
            },
        };
        let mut reply = Reply {
            text: String::new(),
            value: None,
            tool_calls: Vec::new(),
            stop: StopReason::End,
            usage: Usage { input: 10, output: 5, ..Usage::default() },
            model: "m".to_owned(),
            attempts: 1,
        };
        match say {
            Say::Text(text) => reply.text = text,
            Say::Refuses => reply.stop = StopReason::Refused,
            Say::Calls(calls) => {
                let of = |(name, arguments)| ToolCall { id: "1".to_owned(), name, arguments };
                reply.tool_calls = calls.into_iter().map(of).collect();
            }
            Say::Cancels => self.cancelled.store(true, Ordering::Relaxed),
            Say::Fails(kind) => {
                let (message, hint) = ("it failed".to_owned(), None);
                return Err(BrainError { message, hint, kind });
            }
        }
        if let Some(sink) = sink {
            let _ = sink(Delta::Text(reply.text.clone()));
        }
        Ok(Thought { reply, model: "p/m".to_owned(), usd_micros: Some(7) })
    }
}

pub struct FakeWorld {
    pub gathered: Gathered,
    pub mode: Mode,
    pub changed: Vec<PathBuf>,
    pub before: Result<(), String>,
    pub remembered: Vec<TaskSummary>,
    pub heard: Vec<String>,
    pub rules: usize,
    pub checkpoints: usize,
}

impl World for FakeWorld {
    fn begun(&mut self, _run: ulid::Ulid) {}

    fn gather(&mut self, _goal: &str) -> Gathered {
        self.gathered.clone()
    }

    /// The order of the real one: taint before mode.
    fn decide(
        &mut self,
        call: &Call<'_>,
        is_tainted: bool,
        is_attended: bool,
        _session: &Session,
    ) -> Verdict {
        let has_effect = call.action.writes_or_reaches();
        let (mut decision, layer) = match self.mode {
            _ if is_tainted && has_effect => (Decision::Ask, Layer::Taint),
            Mode::Full => (Decision::Allow, Layer::Mode),
            Mode::Smart if !has_effect => (Decision::Allow, Layer::Mode),
            _ => (Decision::Ask, Layer::Mode),
        };
        if decision == Decision::Ask && !is_attended {
            decision = Decision::Deny;
        }
        let reasons = vec!["it says so".to_owned()];
        let can_be_kept = layer == Layer::Mode;
        let commands = match &call.action {
            Action::Shell { line, .. } => vec![line.split(' ').map(str::to_owned).collect()],
            _ => Vec::new(),
        };
        Verdict { decision, layer, reasons, can_be_kept, commands }
    }

    fn before(&mut self, _action: &Action) -> Result<(), String> {
        self.checkpoints += 1;
        self.before.clone()
    }

    fn after(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.changed)
    }

    fn remember(&mut self, summary: &TaskSummary) -> Result<Vec<PathBuf>, String> {
        self.remembered.push(summary.clone());
        Ok(vec![PathBuf::from("knowledge/learned/tasks/one.md")])
    }

    fn heard(&mut self, message: &str) {
        self.heard.push(message.to_owned());
    }

    fn keep_rule(&mut self, _call: &Call<'_>, _verdict: &Verdict) -> Result<(), String> {
        self.rules += 1;
        Ok(())
    }
}

#[derive(Default)]
pub struct Person {
    /// In turn; then [`Answer::Nobody`].
    pub answers: VecDeque<Answer>,
    pub always: Option<Answer>,
    pub requests: Vec<Approval>,
    pub questions: Vec<String>,
    pub told: Vec<String>,
}

impl Approver for Person {
    fn approve(&mut self, request: &Approval) -> Answer {
        self.requests.push(request.clone());
        self.answers.pop_front().or(self.always.clone()).unwrap_or(Answer::Nobody)
    }

    fn ask(&mut self, question: &str, _options: &[String]) -> Option<String> {
        self.questions.push(question.to_owned());
        None
    }

    fn tell(&mut self, event: &Event<'_>) {
        let debug = format!("{event:?}");
        let name = debug.split([' ', '(']).next().unwrap_or_default();
        self.told.push(name.to_owned());
    }
}

type Act = Box<dyn Fn(&Value, &mut dyn Host) -> Result<Output, ToolError> + Send + Sync>;

pub struct Fake {
    spec: Spec,
    action: Action,
    act: Act,
}

impl Tool for Fake {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn intent(&self, arguments: &Value, _host: &dyn Host) -> Result<Intent, ToolError> {
        if arguments.get("bad").is_some() {
            return Err(ToolError::Arguments("`bad` is bad".to_owned()));
        }
        let mut action = self.action.clone();
        if let (Action::Shell { line, .. }, Some(given)) = (&mut action, arguments["line"].as_str())
        {
            given.clone_into(line);
        }
        Ok(Intent { action, shown: arguments.to_string() })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        (self.act)(arguments, host)
    }
}

pub fn tool(
    name: &str,
    level: Level,
    action: Action,
    is_untrusted: bool,
    act: impl Fn(&Value, &mut dyn Host) -> Result<Output, ToolError> + Send + Sync + 'static,
) -> Box<dyn Tool> {
    let input = json!({
        "type": "object",
        "properties": { "path": { "type": "string" }, "line": { "type": "string" } },
    });
    let (name, description) = (name.to_owned(), format!("does {name}"));
    let source = Source::BuiltIn;
    let spec = Spec { name, description, input, level, source, is_untrusted };
    Box::new(Fake { spec, action, act: Box::new(act) })
}

pub fn said(text: &str) -> Result<Output, ToolError> {
    Ok(Output { text: text.to_owned(), ..Output::default() })
}

/// `look`, `read` (untrusted), `write`, `shell` (untrusted), `web` (untrusted), `fails`.
pub fn usual_tools(writes: &Arc<Mutex<Vec<String>>>) -> Vec<Box<dyn Tool>> {
    let count = |writes: &Arc<Mutex<Vec<String>>>, name: &'static str| {
        let writes = Arc::clone(writes);
        move |arguments: &Value, _: &mut dyn Host| {
            writes.lock().unwrap().push(name.to_owned());
            let mut output = said(&format!("{name} done"))?;
            if name == "write" {
                output.touched = vec![PathBuf::from(arguments["path"].as_str().unwrap_or("a.md"))];
                output.commits = vec!["c0ffee".to_owned()];
            }
            Ok(output)
        }
    };
    let paths = || vec![PathBuf::from("/r/a.md")];
    let shell = || Action::Shell { line: "ls".into(), folder: "/r".into() };
    vec![
        tool("look", Level::Safe, Action::Look, false, |arguments, _| {
            said(&format!("seen {arguments}"))
        }),
        tool("read", Level::Safe, Action::Read { paths: paths() }, true, |_, _| said("words")),
        tool(
            "write",
            Level::Destructive,
            Action::Write { paths: paths() },
            false,
            count(writes, "write"),
        ),
        tool("shell", Level::Destructive, shell(), true, count(writes, "shell")),
        tool(
            "web",
            Level::Moderate,
            Action::Reach { host: "a.test".into() },
            true,
            count(writes, "web"),
        ),
        tool("fails", Level::Safe, Action::Look, false, |_, _| {
            Err(ToolError::Failed("it broke".to_owned()))
        }),
    ]
}

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
            plan: json!({ "answer_at_once": false, "steps": [] }),
            reflection: json!({
                "as_expected": true, "progress": true, "change": null, "done": false
            }),
            judgement: json!({
                "title": "A task", "reached": "yes", "outcome": "It went well.",
                "root_cause": null, "failed_approaches": [], "lesson": null, "pattern": null
            }),
            asked: Vec::new(),
            cancelled: Arc::clone(&cancelled),
            obeys: None,
        };
        let world = FakeWorld {
            gathered: Gathered::default(),
            mode,
            changed: Vec::new(),
            before: Ok(()),
            remembered: Vec::new(),
            heard: Vec::new(),
            rules: 0,
            checkpoints: 0,
        };
        Self {
            brain,
            world,
            tools,
            person: Person::default(),
            settings: Settings::new("/r", mode),
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
        self.sessions.create("terminal", "ada", now()).unwrap()
    }

    pub fn run(&mut self, goal: &str) -> Finished {
        let mut session = self.session();
        self.run_in(goal, &mut session)
    }

    pub fn run_in(&mut self, goal: &str, session: &mut Session) -> Finished {
        self.try_in(goal, session).unwrap()
    }

    pub fn try_in(&mut self, goal: &str, session: &mut Session) -> Result<Finished, AgentError> {
        let mut agent = Agent {
            brain: &mut self.brain,
            world: &mut self.world,
            tools: &self.tools,
            settings: self.settings.clone(),
            trails: &self.trails,
            sessions: &self.sessions,
            cancelled: &self.cancelled,
            now,
        };
        run_session(goal, session, &mut self.person, &mut agent)
    }

    pub fn trail(&self, finished: &Finished) -> Vec<Kind> {
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
