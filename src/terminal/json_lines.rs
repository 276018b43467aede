//! A run as JSON Lines: what happens on standard output, answers on standard input.

use std::{
    io::{self, BufRead, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ui::Ui;
use elophanto_agent::{Answer, Approval, Approver, Event, Finished, ReaderState, Todo};

/// Bytes of one answer.
const MOST_ANSWER: u64 = 64 * 1024;
/// How often whoever waits for an answer looks whether the run is to end.
const LOOKS: Duration = Duration::from_millis(50);

/// One line of standard output.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventWire<'a> {
    Begun {
        run: String,
        session: String,
    },
    Plan {
        steps: &'a [String],
        depth: u32,
    },
    Text {
        text: &'a str,
    },
    Restart,
    Calling {
        tool: &'a str,
        shown: &'a str,
        depth: u32,
    },
    Called {
        tool: &'a str,
        failed: bool,
        text: &'a str,
        seconds: f64,
        depth: u32,
    },
    Todo {
        items: Vec<TodoWire<'a>>,
        depth: u32,
    },
    /// Whole lines that a command says, as it says them.
    Output {
        tool: &'a str,
        text: &'a str,
        depth: u32,
    },
    Progress {
        tool: &'a str,
        text: &'a str,
        depth: u32,
    },
    Unmade {
        tool: &'a str,
        reason: &'a str,
        depth: u32,
    },
    Reflected {
        note: &'a str,
        depth: u32,
    },
    Compacted {
        messages: usize,
    },
    Tainted {
        origin: &'a str,
    },
    Warning {
        message: &'a str,
    },
    /// A task inside the task. Of readers that work side by side there is one as each begins, with what
    /// it may use, and one as it ends, with what it used.
    SubTask {
        goal: &'a str,
        depth: u32,
        #[serde(flatten)]
        reader: Option<ReaderWire>,
    },
    ApprovalRequest(ApprovalWire<'a>),
    Question {
        id: u64,
        question: &'a str,
        options: &'a [String],
    },
    Ended(EndedWire<'a>),
}

/// Something that is to be done: `state` is `open`, `doing` or `done`.
#[derive(Serialize)]
pub struct TodoWire<'a> {
    text: &'a str,
    state: &'static str,
}

impl<'a> TodoWire<'a> {
    fn of(item: &'a Todo) -> Self {
        Self { text: &item.text, state: item.state.name() }
    }
}

/// Which reader, from 1, and where it stands: `begun`, `answered`, `partly`, `failed` or `cancelled`.
#[derive(Serialize)]
pub struct ReaderWire {
    reader: usize,
    state: &'static str,
    steps: u32,
    tokens: u64,
}

impl ReaderWire {
    fn of(reader: usize, state: ReaderState) -> Self {
        let (state, steps, tokens) = match state {
            ReaderState::Begun { steps, tokens } => ("begun", steps, tokens),
            ReaderState::Ended { end, steps, tokens } => (end.name(), steps, tokens),
        };
        Self { reader, state, steps, tokens }
    }
}

/// A call that waits for `{"id": ID, "answer": "once"}` (or `session`, `rule`, `no`).
#[derive(Serialize)]
pub struct ApprovalWire<'a> {
    id: u64,
    run: String,
    session: String,
    tool: &'a str,
    level: &'a str,
    arguments: &'a Value,
    /// What exactly will run, and its effect.
    shown: &'a str,
    reasons: &'a [String],
    commands: &'a [Vec<String>],
    /// Whether `session` may be answered.
    can_be_kept: bool,
    /// Whether `edits` may be answered: all edits of files in this work tree, for the session.
    can_be_edits: bool,
    /// Whether `rule` may be answered.
    can_be_rule: bool,
    tainted: bool,
    depth: u32,
}

/// How a run ended.
#[derive(Serialize)]
pub struct EndedWire<'a> {
    pub run: String,
    pub session: String,
    pub outcome: &'a str,
    pub reason: String,
    pub answer: &'a str,
    pub files: Vec<String>,
    pub commits: &'a [String],
    pub notes: Vec<String>,
    /// Calls that were made and that change, run or reach something; 0: nothing was changed.
    pub effects: usize,
    pub steps: u32,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Of the calls whose price is known.
    pub usd: f64,
    pub warnings: &'a [String],
}

impl<'a> EndedWire<'a> {
    pub fn of(finished: &'a Finished) -> Self {
        let texts = |paths: &[std::path::PathBuf]| {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
        };
        Self {
            run: finished.run.to_string(),
            session: finished.session.to_string(),
            outcome: finished.outcome.name(),
            reason: finished.reason(),
            answer: &finished.answer,
            files: texts(&finished.touched),
            commits: &finished.commits,
            notes: texts(&finished.notes),
            effects: finished.effects,
            steps: finished.steps,
            input_tokens: finished.spent.input_tokens,
            output_tokens: finished.spent.output_tokens,
            usd: finished.spent.usd_micros as f64 / 1e6,
            warnings: &finished.warnings,
        }
    }
}

/// What may be answered to an approval.
const WORDS: [&str; 7] = ["once", "yes", "session", "edits", "rule", "no", "deny"];

/// One line of standard input.
#[derive(Deserialize)]
struct AnswerWire {
    id: u64,
    answer: Option<String>,
    /// Of a question; why not, of an approval.
    text: Option<String>,
}

/// Whoever reads the lines and writes the answers.
pub struct Wire<'a> {
    ui: &'a mut Ui,
    asked: u64,
    /// Lines of standard input, from the first question on.
    lines: Option<Receiver<Option<String>>>,
    cancelled: Arc<AtomicBool>,
}

impl<'a> Wire<'a> {
    /// While an answer is waited for, the run ends when `cancelled` is set.
    pub fn new(ui: &'a mut Ui, cancelled: &Arc<AtomicBool>) -> Self {
        Self { ui, asked: 0, lines: None, cancelled: Arc::clone(cancelled) }
    }

    /// A reader that is gone ends nothing: the run is written down all the same.
    fn say(&mut self, event: &EventWire) {
        let _ = self.ui.json(event).and_then(|()| self.ui.flush());
    }

    /// The answer to the last question; `None` at the end of the input, or when the run is to end.
    /// What answers nothing that was asked is passed over, with a warning.
    fn answer(&mut self, takes: impl Fn(&AnswerWire) -> bool, forms: &str) -> Option<AnswerWire> {
        loop {
            let lines = self.lines.get_or_insert_with(|| lines(MOST_ANSWER));
            let line = match lines.recv_timeout(LOOKS) {
                Ok(line) => line.unwrap_or_default(),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.cancelled.load(Ordering::Relaxed) => {
                    return None;
                }
                Err(RecvTimeoutError::Timeout) => continue,
            };
            if line.trim().is_empty() {
                continue;
            }
            let asked = self.asked;
            match serde_json::from_str::<AnswerWire>(&line) {
                Ok(answer) if answer.id == asked && takes(&answer) => return Some(answer),
                // Of a question before, which somebody else has answered or nobody has.
                Ok(answer) if answer.id < asked => {}
                _ => {
                    let message =
                        format!("no answer to {asked}: write {{\"id\": {asked}, {forms}}}");
                    self.say(&EventWire::Warning { message: &message });
                }
            }
        }
    }
}

/// Standard input, read by a thread: a read that waits cannot be ended. Of a line that has more bytes
/// than `most`, or is no UTF-8, there is nothing but that it was there.
pub fn lines(most: u64) -> Receiver<Option<String>> {
    let (sender, lines) = sync_channel(1);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(line)) = line(&mut input, most) {
            if sender.send(String::from_utf8(line).ok().filter(|line| !line.is_empty())).is_err() {
                break;
            }
        }
    });
    lines
}

/// The next line; empty where it is too long, `None` at the end.
fn line(input: &mut impl BufRead, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    if input.by_ref().take(most + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 <= most || line.ends_with(b"\n") {
        return Ok(Some(line));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Vec::new()))
}

impl Approver for Wire<'_> {
    fn approve(&mut self, request: &Approval) -> Answer {
        self.asked += 1;
        let wire = ApprovalWire {
            id: self.asked,
            run: request.run.to_string(),
            session: request.session.to_string(),
            tool: &request.tool,
            level: request.level.name(),
            arguments: &request.arguments,
            shown: &request.shown,
            reasons: &request.reasons,
            commands: &request.commands,
            can_be_kept: request.can_be_kept,
            can_be_edits: request.can_be_edits,
            can_be_rule: request.can_be_rule,
            tainted: request.is_tainted,
            depth: request.depth,
        };
        self.say(&EventWire::ApprovalRequest(wire));
        let takes =
            |wire: &AnswerWire| wire.answer.as_deref().is_some_and(|word| WORDS.contains(&word));
        match self
            .answer(takes, "\"answer\": \"once\" | \"session\" | \"edits\" | \"rule\" | \"no\"")
        {
            None => Answer::Nobody,
            Some(wire) => match wire.answer.as_deref() {
                Some("once" | "yes") => Answer::Once,
                Some("session") => Answer::Session,
                Some("edits") => Answer::Edits,
                Some("rule") => Answer::Rule,
                _ => Answer::No(wire.text),
            },
        }
    }

    fn ask(&mut self, question: &str, options: &[String]) -> Option<String> {
        self.asked += 1;
        self.say(&EventWire::Question { id: self.asked, question, options });
        self.answer(|wire| wire.text.is_some(), "\"text\": \"...\"")?.text
    }

    fn tell(&mut self, event: &Event<'_>) {
        let wire = match event {
            Event::Begun { run, session } => {
                EventWire::Begun { run: run.to_string(), session: session.to_string() }
            }
            Event::Planned { plan, depth } => EventWire::Plan { steps: &plan.steps, depth: *depth },
            Event::Text(text) => EventWire::Text { text },
            Event::Restart => EventWire::Restart,
            Event::Calling { tool, shown, depth, .. } => {
                EventWire::Calling { tool, shown, depth: *depth }
            }
            Event::Called { tool, failed, text, seconds, depth } => {
                EventWire::Called { tool, failed: *failed, text, seconds: *seconds, depth: *depth }
            }
            Event::Todo { items, depth } => {
                EventWire::Todo { items: items.iter().map(TodoWire::of).collect(), depth: *depth }
            }
            Event::Output { tool, text, depth } => EventWire::Output { tool, text, depth: *depth },
            Event::Progress { tool, text, depth } => {
                EventWire::Progress { tool, text, depth: *depth }
            }
            Event::Unmade { tool, reason, depth } => {
                EventWire::Unmade { tool, reason, depth: *depth }
            }
            Event::Reflected { note, depth, .. } => EventWire::Reflected { note, depth: *depth },
            Event::Compacted { messages } => EventWire::Compacted { messages: *messages },
            Event::Tainted { origin } => EventWire::Tainted { origin },
            Event::Warning(message) => EventWire::Warning { message },
            Event::SubTask { goal, depth } => {
                EventWire::SubTask { goal, depth: *depth, reader: None }
            }
            Event::Reader { number, question: goal, state, depth } => {
                let reader = Some(ReaderWire::of(*number, *state));
                EventWire::SubTask { goal, depth: *depth, reader }
            }
            Event::Ended(finished) => EventWire::Ended(EndedWire::of(finished)),
        };
        self.say(&wire);
    }
}
