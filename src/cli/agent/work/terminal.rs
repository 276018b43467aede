//! A run on a terminal: what happens as it happens, approvals in between, Markdown as it comes.

use std::{
    io::{self, IsTerminal},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rustyline::{DefaultEditor, error::ReadlineError};
use termimad::MadSkin;

use super::super::super::ui::{Ui, escape_control_line, exact_line, visible};
use elophanto_agent::{
    Answer, Approval, Approver, Event, Finished, Outcome, Spent, level_name, permissions::Action,
};
use elophanto_base::counted::counted;

/// Lines of a result.
const MOST_RESULT: usize = 6;
/// Lines of a call that nobody was asked about.
const MOST_CALL: usize = 12;

/// The person at the terminal, or nobody.
pub struct Terminal<'a> {
    ui: &'a mut Ui,
    /// Whether somebody can answer.
    is_attended: bool,
    /// Whether the answer is shown as it is made.
    streams: bool,
    /// Text that no whole block is of yet.
    pending: String,
    /// The call that comes next was just shown.
    is_approved: bool,
    /// What was shown of the answer that is being made.
    pub shown: String,
    /// Set by Ctrl-C at a question: the run is to end.
    cancelled: Arc<AtomicBool>,
}

impl<'a> Terminal<'a> {
    pub fn new(ui: &'a mut Ui, cancelled: &Arc<AtomicBool>) -> Self {
        let is_attended = io::stdin().is_terminal() && io::stderr().is_terminal();
        let streams = ui.is_terminal();
        Self {
            ui,
            is_attended,
            streams,
            pending: String::new(),
            is_approved: false,
            shown: String::new(),
            cancelled: Arc::clone(cancelled),
        }
    }

    /// Whether somebody can answer.
    pub fn is_attended(&self) -> bool {
        self.is_attended
    }

    /// Shows how a run ended: its answer, unless that was shown as it came, and what it did.
    pub fn end(&mut self, finished: &Finished) {
        self.end_text();
        if self.shown.trim().is_empty() {
            self.markdown(&finished.answer);
        }
        self.shown.clear();
        for warning in &finished.warnings {
            self.ui.warn(escape_control_line(warning));
        }
        if finished.outcome != Outcome::Done {
            let (outcome, reason) = (finished.outcome.name(), finished.end.reason());
            let mut lines = reason.lines().map(escape_control_line);
            self.ui.talk(format_args!("{outcome}: {}", lines.next().unwrap_or_default()));
            lines.for_each(|line| self.ui.talk(line));
        }
        let files = finished.touched.len();
        let Spent { input_tokens, output_tokens, usd_micros, .. } = finished.spent;
        self.ui.talk(format_args!(
            "run {}: {}, {}, {}, {}, ${:.4}",
            finished.run,
            counted(finished.steps, "step"),
            counted(files, "file"),
            counted(finished.commits.len(), "commit"),
            counted(input_tokens + output_tokens, "token"),
            usd_micros as f64 / 1e6,
        ));
        if files > 0 {
            self.ui.talk(format_args!("`elophanto agent undo {}` takes it back", finished.run));
        }
    }

    /// Shows what has come of the answer, and forgets it.
    pub fn end_text(&mut self) {
        let rest = std::mem::take(&mut self.pending);
        self.block(&rest);
    }

    /// Shows a whole text.
    pub fn markdown(&mut self, text: &str) {
        if !self.ui.is_terminal() {
            let _ = self.ui.line(text.trim_end());
            return;
        }
        self.block(text);
    }

    fn block(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        self.shown.push_str(text);
        // Escaped first: what comes out of a model must not steer the terminal.
        let safe = visible(text.trim_matches('\n'));
        let skin = if self.ui.colour { MadSkin::default() } else { MadSkin::no_style() };
        let _ = self.ui.line(skin.term_text(&safe)).and_then(|()| self.ui.flush());
    }

    fn read(&mut self, prompt: &str) -> Option<String> {
        if !self.is_attended {
            return None;
        }
        let mut editor = DefaultEditor::new().ok()?;
        // What was typed before the question answers something else.
        forget_typed();
        match editor.readline(prompt) {
            Ok(line) => Some(line),
            Err(ReadlineError::Interrupted) => {
                self.cancelled.store(true, Ordering::Relaxed);
                None
            }
            Err(_) => None,
        }
    }

    fn say(&self, depth: u32, text: &str) {
        let indent = "  ".repeat(depth as usize);
        self.ui.talk(format_args!("{indent}{text}"));
    }
}

impl Approver for Terminal<'_> {
    fn approve(&mut self, request: &Approval) -> Answer {
        self.end_text();
        if !self.is_attended {
            return Answer::Nobody;
        }
        let level = level_name(request.level);
        self.ui.talk(format_args!("\n{} ({level}) wants to run:", exact_line(&request.tool)));
        // All of it, however long: what is approved was shown.
        for line in request.shown.lines() {
            self.ui.talk(format_args!("  | {}", exact_line(line)));
        }
        self.is_approved = true;
        for reason in &request.reasons {
            self.ui.talk(format_args!("  asks because {}", exact_line(reason)));
        }
        if request.is_tainted {
            self.ui.talk("  text from outside is in this conversation: look twice");
        }
        let mut choices = "[y] once, ".to_owned();
        if request.can_be_kept {
            choices.push_str(&format!("[s] {} for this session, ", scope(&request.action)));
        }
        if request.can_be_edits {
            choices.push_str("[e] all edits in this work tree for this session, ");
        }
        if request.can_be_rule {
            choices.push_str("[r] as a rule, ");
        }
        choices.push_str("[N] no: ");
        let Some(answer) = self.read(&choices) else { return Answer::Nobody };
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => Answer::Once,
            "s" if request.can_be_kept => Answer::Session,
            "e" if request.can_be_edits => Answer::Edits,
            "r" if request.can_be_rule => Answer::Rule,
            "" | "n" | "no" => Answer::No(None),
            // What else is said is why not.
            _ => Answer::No(Some(answer)),
        }
    }

    fn ask(&mut self, question: &str, options: &[String]) -> Option<String> {
        self.end_text();
        if !self.is_attended {
            return None;
        }
        self.ui.talk(format_args!("\n{}", visible(question)));
        for (number, option) in options.iter().enumerate() {
            self.ui.talk(format_args!("  {}. {}", number + 1, escape_control_line(option)));
        }
        let answer = self.read("> ")?;
        let chosen = answer.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        Some(chosen.and_then(|at| options.get(at)).cloned().unwrap_or(answer))
    }

    fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Begun { .. } => {}
            Event::Planned { plan, depth } => {
                for (number, step) in plan.steps.iter().enumerate() {
                    self.say(*depth, &format!("{}. {}", number + 1, escape_control_line(step)));
                }
            }
            Event::Text(text) => {
                if self.streams {
                    self.pending.push_str(text);
                    // A block is whole at an empty line outside of code.
                    while let Some(at) = end_of_block(&self.pending) {
                        let rest = self.pending.split_off(at);
                        let block = std::mem::replace(&mut self.pending, rest);
                        self.block(&block);
                    }
                }
            }
            Event::Restart => {
                self.pending.clear();
                self.shown.clear();
            }
            Event::Calling { tool, shown, depth } => {
                self.end_text();
                self.shown.clear();
                let (first, rest) = shown.split_once('\n').unwrap_or((shown, ""));
                self.say(*depth, &format!("→ {tool} {}", escape_control_line(first)));
                // Who approved has seen all of it.
                for line in cut(rest, if self.is_approved { 0 } else { MOST_CALL }) {
                    self.say(*depth, &format!("  | {}", escape_control_line(&line)));
                }
                self.is_approved = false;
            }
            Event::Called { tool, failed, text, seconds, depth } => {
                let how = if *failed { "failed" } else { "done" };
                self.say(*depth, &format!("  {tool} {how} in {seconds:.1} s"));
                for line in cut(text, if *failed { MOST_RESULT } else { 0 }) {
                    self.say(*depth, &format!("  | {}", escape_control_line(&line)));
                }
            }
            Event::Progress { tool, text, depth } => {
                self.say(*depth, &format!("  {tool}: {}", escape_control_line(text)));
            }
            Event::Unmade { tool, reason, depth } => {
                self.is_approved = false;
                self.say(*depth, &format!("  {tool} was not run: {}", escape_control_line(reason)));
            }
            Event::Reflected { note, depth } => {
                self.say(*depth, &format!("  … {}", escape_control_line(note)));
            }
            Event::Compacted { messages } => {
                self.ui.note(format_args!("{messages} older messages are now a summary"));
            }
            Event::Tainted { origin } => {
                self.ui.note(format_args!(
                    "text from outside is in the conversation ({}): what reaches beyond this work \
                     tree asks from now on",
                    escape_control_line(origin)
                ));
            }
            Event::Warning(message) => self.ui.warn(escape_control_line(message)),
            Event::SubTask { goal, depth } => {
                self.say(*depth, &format!("task: {}", escape_control_line(goal)));
            }
            Event::Ended(_) => self.end_text(),
        }
    }
}

/// Drops what the terminal has of lines that nobody has read yet.
fn forget_typed() {
    // SAFETY: takes a number and changes nothing in this process; an error, as where standard input
    // is no terminal, is of no interest.
    unsafe { libc::tcflush(libc::STDIN_FILENO, libc::TCIFLUSH) };
}

/// What `[s]` would approve besides this very call.
fn scope(action: &Action) -> &'static str {
    match action {
        Action::Shell { .. } => "these commands",
        Action::Write { .. } => "these files",
        Action::Reach { .. } => "this host",
        _ => "this tool",
    }
}

/// The first lines, and how many there are more.
fn cut(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().take(most).map(str::to_owned).collect();
    let more = text.lines().count().saturating_sub(most);
    if more > 0 && most > 0 {
        lines.push(format!("… {}", counted(more, "more line")));
    }
    lines
}

/// Where the first block of a text ends: behind an empty line that is not inside a fence.
fn end_of_block(text: &str) -> Option<usize> {
    let (mut at, mut is_code) = (0, false);
    for line in text.split_inclusive('\n') {
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_code = !is_code;
        }
        if trimmed.is_empty() && line.ends_with('\n') && !is_code && at > 1 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(end_of_block(text).map(|at| &text[..at]), expected, "{text:?}");
    }

    #[test]
    fn blocks_end_at_empty_lines() {
        check("", None);
        check("a line", None);
        check("a line\nanother", None);
        check("a line\n\nanother", Some("a line\n\n"));
        check("```\ncode\n\nmore\n", None);
        check("```\ncode\n\nmore\n```\n\nend", Some("```\ncode\n\nmore\n```\n\n"));
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("a\nb\nc", 2), ["a", "b", "… 1 more line"]);
        assert_eq!(cut("a\nb", 2), ["a", "b"]);
        assert!(cut("a\nb", 0).is_empty());
    }
}
