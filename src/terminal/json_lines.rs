//! A run as JSON Lines: what happens on standard output, answers on standard input.

use std::{
    io::{self, BufRead, Read},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::ui::Ui;
use elophanto_agent::{Answer, Approval, Approver, Event, Finished, ReaderState, Todo};

/// Bytes of one answer.
const MOST_ANSWER: u64 = 64 * 1024;
/// How often whoever waits for an answer looks whether the run is to end.
const LOOKS: Duration = Duration::from_millis(50);

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
    fn say(&mut self, event: &Value) {
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
                    self.say(&json!({ "type": "warning", "message": message }));
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
        self.say(&json!({
            "type": "approval_request",
            "id": self.asked,
            "run": request.run.to_string(),
            "session": request.session.to_string(),
            "tool": request.tool,
            "level": request.level.name(),
            "arguments": request.arguments,
            // What exactly will run, and its effect.
            "shown": request.shown,
            "reasons": request.reasons,
            "commands": request.commands,
            // Whether `session` may be answered; `edits`, all edits of files in this work tree for the
            // session; and `rule`.
            "can_be_kept": request.can_be_kept,
            "can_be_edits": request.can_be_edits,
            "can_be_rule": request.can_be_rule,
            "tainted": request.is_tainted,
            "depth": request.depth,
        }));
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
        let id = self.asked;
        self.say(
            &json!({ "type": "question", "id": id, "question": question, "options": options }),
        );
        self.answer(|wire| wire.text.is_some(), "\"text\": \"...\"")?.text
    }

    fn tell(&mut self, event: &Event<'_>) {
        self.say(&line_of(event));
    }
}

/// What happens, as one line of standard output.
fn line_of(event: &Event<'_>) -> Value {
    match event {
        Event::Begun { run, session } => {
            json!({ "type": "begun", "run": run.to_string(), "session": session.to_string() })
        }
        Event::Planned { plan, depth } => {
            json!({ "type": "plan", "steps": plan.steps, "depth": depth })
        }
        Event::Text(text) => json!({ "type": "text", "text": text }),
        Event::Restart => json!({ "type": "restart" }),
        Event::Calling { tool, shown, depth, .. } => {
            json!({ "type": "calling", "tool": tool, "shown": shown, "depth": depth })
        }
        Event::Called { tool, failed, text, seconds, depth } => json!({
            "type": "called",
            "tool": tool,
            "failed": failed,
            "text": text,
            "seconds": seconds,
            "depth": depth,
        }),
        Event::Todo { items, depth } => {
            // `open`, `doing` or `done`.
            let item = |item: &Todo| json!({ "text": item.text, "state": item.state.name() });
            let items: Vec<Value> = items.iter().map(item).collect();
            json!({ "type": "todo", "items": items, "depth": depth })
        }
        // Whole lines that a command says, as it says them.
        Event::Output { tool, text, depth } => {
            json!({ "type": "output", "tool": tool, "text": text, "depth": depth })
        }
        Event::Progress { tool, text, depth } => {
            json!({ "type": "progress", "tool": tool, "text": text, "depth": depth })
        }
        Event::Unmade { tool, reason, depth } => {
            json!({ "type": "unmade", "tool": tool, "reason": reason, "depth": depth })
        }
        Event::Reflected { note, depth, .. } => {
            json!({ "type": "reflected", "note": note, "depth": depth })
        }
        Event::Compacted { messages } => json!({ "type": "compacted", "messages": messages }),
        Event::Tainted { origin } => json!({ "type": "tainted", "origin": origin }),
        Event::Warning(message) => json!({ "type": "warning", "message": message }),
        // A task inside the task.
        Event::SubTask { goal, depth } => {
            json!({ "type": "sub_task", "goal": goal, "depth": depth })
        }
        // The same of readers that work side by side, counted from 1: one line as each begins, with
        // what it may use, and one as it ends, with what it used.
        Event::Reader { number, question, state, depth } => {
            let (state, steps, tokens) = match state {
                ReaderState::Begun { steps, tokens } => ("begun", steps, tokens),
                ReaderState::Ended { end, steps, tokens } => (end.name(), steps, tokens),
            };
            json!({
                "type": "sub_task",
                "goal": question,
                "depth": depth,
                "reader": number,
                "state": state,
                "steps": steps,
                "tokens": tokens,
            })
        }
        Event::Ended(finished) => ended(finished),
    }
}

/// How a run ended.
fn ended(finished: &Finished) -> Value {
    let texts = |paths: &[PathBuf]| -> Vec<String> {
        paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
    };
    json!({
        "type": "ended",
        "run": finished.run.to_string(),
        "session": finished.session.to_string(),
        "outcome": finished.outcome.name(),
        "reason": finished.reason(),
        "answer": finished.answer,
        "files": texts(&finished.touched),
        "commits": finished.commits,
        "notes": texts(&finished.notes),
        // Calls that were made and that change, run or reach something; 0: nothing was changed.
        "effects": finished.effects,
        "steps": finished.steps,
        "input_tokens": finished.spent.input_tokens,
        "output_tokens": finished.spent.output_tokens,
        // Of the calls whose price is known.
        "usd": finished.spent.usd_micros as f64 / 1e6,
        "warnings": finished.warnings,
    })
}
