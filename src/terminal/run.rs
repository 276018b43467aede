//! A run on a terminal: what happens as it happens, approvals in between, Markdown as it comes.

mod ahead;
mod ended;

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use rustyline::{DefaultEditor, ExternalPrinter as _, error::ReadlineError};

use super::{
    call::{self, Command},
    screen::Screen,
    show::{ACCENT, BAD, BOLD, CAUTION, FAINT, GOOD, PLAIN, Span, diff},
    ui::{escape_control_line, exact_line, visible},
};
use elophanto_agent::{Answer, Approval, Approver, Event, permissions::Action, tools::TODO_LIST};
use elophanto_app::Reporter;

/// Lines of the result of a call that failed.
const MOST_RESULT: usize = 6;
const THINKS: &str = "the model thinks";

/// The person at the terminal, or nobody.
pub struct Terminal {
    pub screen: Screen,
    /// Whether somebody can answer.
    is_attended: bool,
    /// Whether the answer is shown as it is made.
    streams: bool,
    /// The call that comes next was just shown.
    is_approved: bool,
    /// The work tree.
    root: PathBuf,
    /// How all of an output is looked at; `None` where it is not kept.
    way: Option<String>,
    is_chat: bool,
    /// The command that runs.
    command: Option<Command>,
    /// What the model said last, as far as it was shown as it came.
    said: String,
    /// A call came after that.
    is_over: bool,
    /// Set by Ctrl-C at a question: the run is to end.
    cancelled: Arc<AtomicBool>,
    /// What was typed before a question was there, and answers something else.
    ahead: String,
    /// What goes on while a question waits for its answer.
    beside: Option<Box<Beside>>,
}

/// Runs beside a question until it is answered, which the second says; what it hands to the first is shown
/// above the line that is typed.
pub type Beside = dyn FnMut(&mut dyn FnMut(String), &AtomicBool) + Send;

impl Terminal {
    pub fn new(screen: Screen, root: PathBuf, cancelled: &Arc<AtomicBool>) -> Self {
        Self {
            is_attended: io::stdin().is_terminal() && io::stderr().is_terminal(),
            streams: screen.streams(),
            screen,
            is_approved: false,
            root,
            way: None,
            is_chat: false,
            command: None,
            said: String::new(),
            is_over: false,
            cancelled: Arc::clone(cancelled),
            ahead: String::new(),
            beside: None,
        }
    }

    /// Has something go on beside each question from now on.
    pub fn set_beside(&mut self, beside: Option<Box<Beside>>) {
        self.beside = beside;
    }

    /// What was typed before questions were there: no answer to them, and kept for what comes next.
    pub fn take_typed_ahead(&mut self) -> String {
        std::mem::take(&mut self.ahead)
    }

    /// The same in a conversation, which has commands of its own.
    pub fn in_chat(self) -> Self {
        Self { is_chat: true, way: Some("`/output` shows all of it".to_owned()), ..self }
    }

    /// Whether somebody can answer.
    pub fn is_attended(&self) -> bool {
        self.is_attended
    }

    /// The work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn read(&mut self, prompt: &str) -> Option<String> {
        if !self.is_attended {
            return None;
        }
        self.screen.rest();
        let mut editor = DefaultEditor::new().ok()?;
        // What was typed before the question answers something else.
        self.ahead.push_str(&ahead::typed());
        let printer = self.beside.is_some().then(|| editor.create_external_printer());
        let answer = match (&mut self.beside, printer) {
            (Some(beside), Some(Ok(mut printer))) => {
                let is_read = AtomicBool::new(false);
                thread::scope(|scope| {
                    scope.spawn(|| beside(&mut |text| drop(printer.print(text)), &is_read));
                    let answer = editor.readline(prompt);
                    is_read.store(true, Ordering::Relaxed);
                    answer
                })
            }
            _ => editor.readline(prompt),
        };
        match answer {
            Ok(line) => Some(line),
            Err(ReadlineError::Interrupted) => {
                self.cancelled.store(true, Ordering::Relaxed);
                None
            }
            Err(_) => None,
        }
    }

    /// A question of ours, or of the agent.
    pub fn choose(&mut self, question: &str, options: &[String]) -> Option<String> {
        self.screen.end_answer();
        if !self.is_attended {
            return None;
        }
        self.screen.rest();
        self.screen.say(&[], "");
        for line in visible(question).lines() {
            self.screen.say(&[Span::new(line, BOLD)], "");
        }
        for (number, option) in options.iter().enumerate() {
            let option = format!("{}. {}", number + 1, escape_control_line(option));
            self.screen.say(&[Span::new(option, PLAIN)], "  ");
        }
        let answer = self.read("> ")?;
        let chosen = answer.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        Some(chosen.and_then(|at| options.get(at)).cloned().unwrap_or(answer))
    }

    fn say(&self, depth: u32, spans: &[Span]) {
        self.screen.say(spans, &"  ".repeat(depth as usize));
    }

    fn called(&mut self, tool: &str, failed: bool, text: &str, seconds: f64, depth: u32) {
        let indent = "  ".repeat(depth as usize);
        let (how, style) = if failed { ("failed", BAD) } else { ("done", GOOD) };
        let mut end = vec![
            Span::new(format!("  {tool} "), FAINT),
            Span::new(how, style),
            Span::new(format!(" in {seconds:.1} s"), FAINT),
        ];
        match self.command.take() {
            Some(command) => {
                self.screen.quote(&command.folded(text, self.way.as_deref()), &indent);
                if failed {
                    end.push(Span::new(format!(": {}", call::how_it_ended(text)), PLAIN));
                }
                self.say(depth, &end);
            }
            None => {
                self.say(depth, &end);
                self.screen.quote(&call::cut(text, if failed { MOST_RESULT } else { 0 }), &indent);
            }
        }
    }
}

impl Approver for Terminal {
    fn approve(&mut self, request: &Approval) -> Answer {
        self.screen.end_answer();
        if !self.is_attended {
            return Answer::Nobody;
        }
        self.screen.rest();
        let level = request.level.name();
        self.screen.say(&[], "");
        let tool = Span::new(exact_line(&request.tool), BOLD);
        self.screen.say(&[tool, Span::new(format!(" ({level}) wants to run:"), PLAIN)], "");
        // All of it, however long: what is approved was shown.
        let shown: Vec<_> = request.shown.lines().map(exact_line).collect();
        self.screen.quote(&diff::lines(&shown.join("\n")), "");
        self.is_approved = true;
        for reason in &request.reasons {
            let because = Span::new("asks because ", CAUTION);
            self.screen.say(&[because, Span::new(exact_line(reason), PLAIN)], "  ");
        }
        if request.is_tainted {
            let text = "text from outside is in this conversation: look twice";
            self.screen.say(&[Span::new(text, CAUTION)], "  ");
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
        let answer = loop {
            match self.read(&choices) {
                Some(line) if line.trim() == "/stop" => {
                    self.cancelled.store(true, Ordering::Relaxed);
                    break None;
                }
                Some(line) if line.trim().starts_with('/') => {
                    let text = "this has to be answered first; `/stop` ends the run";
                    self.screen.say(&[Span::new(text, CAUTION)], "  ");
                }
                answer => break answer,
            }
        };
        self.screen.busy(THINKS);
        let Some(answer) = answer else { return Answer::Nobody };
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
        let answer = self.choose(question, options);
        self.screen.busy(THINKS);
        answer
    }

    fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Begun { run, .. } => {
                if !self.is_chat {
                    self.way = Some(format!("`elophanto agent runs show {run}`"));
                }
                self.screen.busy(THINKS);
            }
            Event::Planned { plan, depth } => {
                for (number, step) in plan.steps.iter().enumerate() {
                    let number = Span::new(format!("{}. ", number + 1), ACCENT);
                    self.say(*depth, &[number, Span::new(escape_control_line(step), PLAIN)]);
                }
            }
            Event::Text(text) => {
                if self.streams {
                    if std::mem::take(&mut self.is_over) {
                        self.said.clear();
                    }
                    self.said.push_str(text);
                    self.screen.answer(text);
                }
            }
            Event::Restart => {
                self.said.clear();
                self.screen.restart();
            }
            // The list is all that is shown of it.
            Event::Calling { tool: TODO_LIST, .. } => {
                self.screen.end_answer();
            }
            Event::Called { tool: TODO_LIST, failed: false, .. } => {}
            Event::Todo { items, depth } => {
                self.screen.rest();
                items.iter().for_each(|item| self.say(*depth, &call::todo(item)));
                self.screen.busy(THINKS);
            }
            Event::Calling { tool, action, shown, depth } => {
                self.is_over = true;
                self.screen.rest();
                self.screen.end_answer();
                let head = call::head(tool, action, shown, &self.root);
                self.say(*depth, &head);
                // Who approved has seen all of it.
                if !std::mem::take(&mut self.is_approved) {
                    let indent = "  ".repeat(*depth as usize);
                    self.screen.quote(&call::body(action, shown), &indent);
                }
                let is_command = matches!(action, Action::Shell { .. });
                self.command = is_command.then(Command::default);
                self.screen.busy(&if is_command { "running".to_owned() } else { exact_line(tool) });
            }
            Event::Output { text, .. } => {
                let text = visible(text).replace('\t', "    ");
                self.screen.live(text.lines());
                if let Some(command) = &mut self.command {
                    command.said(&text);
                }
            }
            Event::Called { tool, failed, text, seconds, depth } => {
                self.screen.rest();
                self.called(tool, *failed, text, *seconds, *depth);
                self.screen.busy(THINKS);
            }
            Event::Progress { tool, text, depth } => {
                let text = format!("  {tool}: {}", escape_control_line(text));
                self.say(*depth, &[Span::new(text, PLAIN)]);
            }
            Event::Unmade { tool, reason, depth } => {
                self.is_approved = false;
                let tool = Span::new(format!("  {tool} was not run: "), BAD);
                self.say(*depth, &[tool, Span::new(escape_control_line(reason), PLAIN)]);
            }
            Event::Reflected { note, is_unexpected, depth } => {
                if *is_unexpected {
                    let note = format!("  … {}", escape_control_line(note));
                    self.say(*depth, &[Span::new(note, CAUTION)]);
                }
            }
            Event::Compacted { messages } => {
                let (screen, messages) = (&self.screen as &dyn Reporter, *messages);
                screen.note(format_args!("{messages} older messages are now a summary"));
            }
            Event::Tainted { origin } => (&self.screen as &dyn Reporter).note(format_args!(
                "text from outside is in the conversation ({}): what reaches beyond this work tree \
                 asks from now on",
                escape_control_line(origin)
            )),
            Event::Warning(message) => self.screen.warn(&escape_control_line(message)),
            Event::SubTask { goal, depth } => {
                let goal = Span::new(escape_control_line(goal), PLAIN);
                self.say(*depth, &[Span::new("task: ", BOLD), goal]);
            }
            Event::Reader { number, question, state, depth } => {
                self.screen.rest();
                self.say(*depth, &call::reader(*number, question, *state));
                self.screen.busy(THINKS);
            }
            Event::Ended(_) => self.screen.rest(),
        }
    }
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
