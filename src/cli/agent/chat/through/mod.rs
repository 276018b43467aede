//! A conversation through the gateway that runs: what is typed goes there, what happens is shown as it
//! is where the agent works here.

mod asked;
mod elsewhere;
mod prompt;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    time::Duration,
};

use serde_json::Value;

use crate::cli::{CliError, Result, Ui, report, visible};
use crate::{
    gateway::{
        client::{Conversation, Heard},
        files::Reached,
        waiting::Waiting,
    },
    terminal::{
        input::{Input, Typed},
        remote,
        run::Terminal,
    },
};
use elophanto_agent::{Approver, Event};
use elophanto_app::{
    Error,
    gateway::message::{Asked, Chat, Command, TaskComplete},
};
use elophanto_base::mutex::lock;

/// How often whoever waits looks whether the run is to end.
const LOOKS: Duration = Duration::from_millis(50);
/// How long the gateway may take to say how the conversation stands.
const GREETING: Duration = Duration::from_secs(10);

/// A message of the gateway; or why it is over.
type Message = Result<Value, String>;

/// A conversation at a terminal, held by the gateway.
struct Through<'a> {
    conversation: Conversation,
    heard: Arc<Mutex<Receiver<Message>>>,
    /// What has come and was not looked at yet.
    inbox: VecDeque<Value>,
    waiting: Waiting,
    /// Messages of the conversation that a run has begun for, and the whole answer of each.
    answers: BTreeMap<String, String>,
    /// Runs, and the messages that they answer.
    runs: BTreeMap<String, String>,
    /// Answers to approvals, of which only a refusal is told.
    answered: BTreeSet<String>,
    /// A run that others began goes on by what was answered here: it is shown to its end.
    follows: bool,
    /// What the run waits for that goes on in this conversation, where nobody can be asked here.
    stuck: Option<Stuck>,
    /// What the gateway calls the repository.
    repository: &'a str,
    terminal: &'a mut Terminal,
    cancelled: &'a Arc<AtomicBool>,
}

/// An approval that somebody else has to give.
struct Stuck {
    id: Value,
    what: String,
}

/// Talks until the user leaves.
///
/// # Errors
/// When the gateway lets nobody in, or ends.
pub fn talk(
    reached: &Reached,
    input: &mut Input,
    terminal: &mut Terminal,
    cancelled: &Arc<AtomicBool>,
    ui: &mut Ui,
) -> Result<()> {
    let (sender, heard) = channel();
    let conversation = Conversation::open(&reached.socket, move |it| {
        drop(sender.send(match it {
            Heard::Message(text) => serde_json::from_str(&text).map_err(|cause| cause.to_string()),
            Heard::End(why) => Err(why),
        }));
    })?;
    let mut through = Through {
        conversation,
        heard: Arc::new(Mutex::new(heard)),
        inbox: VecDeque::new(),
        waiting: Waiting::default(),
        answers: BTreeMap::new(),
        runs: BTreeMap::new(),
        answered: BTreeSet::new(),
        follows: false,
        stuck: None,
        repository: &reached.name,
        terminal,
        cancelled,
    };
    ui.talk(format_args!(
        "through the gateway, process {} (`/help` says what else there is; `--no-gateway` works alone)",
        reached.pid
    ));
    through.greet(ui)?;
    let mut above = input.above_prompt();
    loop {
        through.look(ui)?;
        input.typed_ahead(&through.terminal.take_typed_ahead());
        match through.at_prompt(input, above.as_mut())? {
            Typed::Line(line) if matches!(line.as_str(), "/quit" | "/exit" | "/q") => return Ok(()),
            // Meant for what waits, which is asked now: no message of its own.
            Typed::Line(line)
                if line.chars().count() == 1 && through.inbox.iter().any(elsewhere::waits) => {}
            Typed::Line(line) => {
                through.ask(&said(&line), ui)?;
            }
            Typed::Nothing => {}
            Typed::End => return Ok(()),
        }
        ui.flush()?;
    }
}

/// A line, as the gateway is told of it.
fn said(line: &str) -> Asked {
    match line.strip_prefix('/') {
        Some(line) => {
            let (name, args) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            command(name, args.trim())
        }
        None => Asked::Chat(Chat { content: line.to_owned(), attachments: Vec::new() }),
    }
}

fn command(name: &str, args: &str) -> Asked {
    Asked::Command(Command { name: name.to_owned(), args: args.to_owned() })
}

/// That the conversation is over.
fn gone(why: &str) -> CliError {
    Error::new(why)
        .hint(
            "what it had taken goes on, or is said to be cut off, when a gateway runs again; what you \
             typed just now may have to be typed again",
        )
        .hint("`elophanto gateway --ensure` starts one, `--no-gateway` works alone")
}

impl Through<'_> {
    /// Waits until the gateway has said how the conversation stands, goes on in this repository, and asks
    /// what waits for an answer.
    fn greet(&mut self, ui: &mut Ui) -> Result<()> {
        let standing = loop {
            let message = self.next(GREETING)?.ok_or_else(|| {
                Error::new("the gateway does not say how the conversation stands")
            })?;
            match message["type"].as_str() {
                Some("status") => break message,
                _ => self.hear(&message, ui)?,
            }
        };
        let mut left = standing["data"]["approvals"].as_u64().unwrap_or(0);
        while left > 0
            && let Some(message) = self.next(GREETING)?
        {
            left -= u64::from(message["type"] == "approval_request");
            self.hear(&message, ui)?;
        }
        if standing["data"]["repository"] != self.repository {
            self.ask(&command("repo", self.repository), ui)?;
        }
        self.follow(ui)
    }

    /// Shows a run to its end that goes on by what was answered here.
    fn follow(&mut self, ui: &mut Ui) -> Result<()> {
        self.cancelled.store(!self.follows, Ordering::Relaxed);
        while self.follows {
            self.stop_if_wanted();
            if let Some(message) = self.next(LOOKS)? {
                self.hear(&message, ui)?;
            }
        }
        self.cancelled.store(true, Ordering::Relaxed);
        self.terminal.screen.rest();
        Ok(())
    }

    fn stop_if_wanted(&mut self) {
        if self.cancelled.swap(false, Ordering::Relaxed) {
            let (id, _) = self.conversation.tell(&command("stop", ""));
            self.answered.insert(id);
        }
    }

    /// Says something, and shows what comes until it is answered.
    fn ask(&mut self, asked: &Asked, ui: &mut Ui) -> Result<()> {
        let (id, message) = self.conversation.tell(asked);
        self.waiting.sent(&message);
        self.cancelled.store(false, Ordering::Relaxed);
        let mut is_taken = false;
        while !self.waiting.is_answered(&id) {
            let has_begun =
                !matches!(asked, Asked::Chat(_)) || self.runs.values().any(|of| *of == id);
            if !has_begun && self.cancelled.load(Ordering::Relaxed) {
                ui.talk("it waits for its turn behind another run, and stays in line: `/stop all` drops it");
                break;
            }
            if let Some(stuck) = self.stuck.take_if(|_| is_taken && !has_begun) {
                return Err(stuck.error());
            }
            self.stop_if_wanted();
            if let Some(message) = self.next(LOOKS)? {
                is_taken |= message["data"]["accepted"] == id.as_str();
                self.hear(&message, ui)?;
            }
        }
        // From here on a signal ends this program.
        self.cancelled.store(true, Ordering::Relaxed);
        self.terminal.screen.rest();
        Ok(())
    }

    /// Shows what has come meanwhile.
    fn look(&mut self, ui: &mut Ui) -> Result<()> {
        while let Some(message) = self.next(Duration::ZERO)? {
            self.hear(&message, ui)?;
        }
        if self.follows { self.follow(ui) } else { Ok(()) }
    }

    /// The next message; `None` if none comes in time.
    fn next(&mut self, limit: Duration) -> Result<Option<Value>> {
        match self.inbox.pop_front() {
            Some(message) => Ok(Some(message)),
            None => self.next_heard(limit),
        }
    }

    fn next_heard(&mut self, limit: Duration) -> Result<Option<Value>> {
        let heard = lock(&self.heard).recv_timeout(limit);
        match heard {
            Ok(Ok(message)) => Ok(Some(message)),
            Ok(Err(why)) => Err(gone(&why)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::new("the gateway is gone")),
        }
    }

    fn hear(&mut self, message: &Value, ui: &mut Ui) -> Result<()> {
        let data = &message["data"];
        let of = data["reply_to"].as_str().unwrap_or_default();
        let is_ours = !self.waiting.is_answered(of);
        self.waiting.heard(message);
        match message["type"].as_str() {
            Some("response") => self.answer(data, of, is_ours, ui),
            Some("event") => {
                self.happen(data);
                Ok(())
            }
            Some("approval_request") => self.approve(data),
            Some("error") if is_ours || of.is_empty() || self.answered.remove(of) => {
                self.terminal.screen.rest();
                let text = data["detail"].as_str().unwrap_or_default();
                report(&Error::new(text).hints_of(data["hint"].as_str()));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn answer(&mut self, data: &Value, of: &str, is_ours: bool, ui: &mut Ui) -> Result<()> {
        let content = data["content"].as_str().unwrap_or_default();
        if data["done"] != true {
            self.terminal.tell(&Event::Text(content));
        } else if let Some(answer) = self.answers.get_mut(of) {
            content.clone_into(answer);
        } else if (is_ours || data["scheduled"].is_string()) && !content.trim().is_empty() {
            self.terminal.screen.rest();
            ui.line(visible(content.trim_end()))?;
            ui.flush()?;
        }
        Ok(())
    }

    fn happen(&mut self, data: &Value) {
        let answer = self.note(data);
        if data["event"] != "task_complete" {
            return remote::tell(self.terminal, data);
        }
        self.follows = false;
        if let Ok(complete) = serde_json::from_value::<TaskComplete>(data.clone()) {
            self.terminal.ended(&complete, &answer, None);
        }
    }

    /// Which run answers which message, and what waits no more; of a run that has ended, its answer.
    fn note(&mut self, data: &Value) -> String {
        let run = data["run"].as_str().unwrap_or_default();
        match (data["event"].as_str(), data["reply_to"].as_str()) {
            (Some("begun"), Some(of)) => {
                self.runs.insert(run.to_owned(), of.to_owned());
                self.answers.insert(of.to_owned(), String::new());
            }
            (Some("task_complete"), _) => {
                let of = self.runs.remove(run).unwrap_or_default();
                return self.answers.remove(&of).unwrap_or_default();
            }
            (Some("approval_settled"), _) => {
                let id = &data["request_id"];
                self.stuck.take_if(|stuck| stuck.id == *id);
                self.inbox.retain(|waits| waits["data"]["request_id"] != *id);
            }
            _ => {}
        }
        String::new()
    }
}
