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

use serde::Deserialize;

use super::ui::Ui;
use crate::wire::run::{ApprovalWire, RunLineWire};
use elophanto_agent::{Answer, Approval, Approver, Event};

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
    fn say(&mut self, event: &RunLineWire<'_>) {
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
                    self.say(&RunLineWire::Warning { message: &message });
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
        self.say(&RunLineWire::ApprovalRequest(ApprovalWire::of(self.asked, request)));
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
        self.say(&RunLineWire::Question { id, question, options });
        self.answer(|wire| wire.text.is_some(), "\"text\": \"...\"")?.text
    }

    fn tell(&mut self, event: &Event<'_>) {
        self.say(&event.into());
    }
}
