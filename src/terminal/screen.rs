//! Everything that a run shows on a terminal goes through here: the answer as it comes, what is said
//! beside it, what goes on now. What is said while an answer comes waits for its end, and no warning
//! is said twice.

use std::{
    collections::HashSet,
    io,
    sync::{Arc, Mutex},
};

use super::{
    show::{ACCENT, CAUTION, Canvas, FAINT, PLAIN, Span, markdown::Markdown},
    spinner::Spinner,
    ui::{Ui, escape_control_line, visible},
};
use elophanto_app::{
    Reporter,
    reporter::{Progress, Tone},
};
use elophanto_base::mutex::lock;

/// One for each process that talks with a person; its copies are the same one.
#[derive(Clone)]
pub struct Screen(Arc<Mutex<Inner>>);

struct Inner {
    ui: Ui,
    /// Whether something may be written over.
    moves: bool,
    answer: Markdown,
    /// Lines of an answer are shown, and it has not ended.
    is_open: bool,
    /// Something of the answer that is being made was shown.
    is_shown: bool,
    held: Vec<(Tone, String)>,
    /// Notes and warnings.
    told: HashSet<String>,
    spinner: Option<Spinner>,
}

impl Screen {
    /// `moves` says whether a terminal can be written over.
    pub fn new(ui: Ui, moves: bool) -> Self {
        let moves = moves && ui.columns()[1].is_some();
        Self(Arc::new(Mutex::new(Inner {
            ui,
            moves,
            answer: Markdown::default(),
            is_open: false,
            is_shown: false,
            held: Vec::new(),
            told: HashSet::new(),
            spinner: None,
        })))
    }

    /// Whether the answer can be shown as it comes.
    pub fn streams(&self) -> bool {
        lock(&self.0).ui.is_terminal()
    }

    /// A piece of an answer.
    pub fn answer(&self, text: &str) {
        let mut inner = lock(&self.0);
        let canvas = inner.answer_canvas();
        let lines = inner.answer.push(text, canvas);
        inner.answered(&lines);
    }

    /// A whole answer; where no terminal is, as it is.
    pub fn whole_answer(&self, text: &str) {
        let mut inner = lock(&self.0);
        if inner.ui.is_terminal() {
            let canvas = inner.answer_canvas();
            let mut lines = inner.answer.push(text.trim_matches('\n'), canvas);
            lines.extend(inner.answer.end(canvas));
            inner.answered(&lines);
        } else {
            let _ = inner.ui.line(text.trim_end()).and_then(|()| inner.ui.flush());
        }
        inner.end_answer();
    }

    /// The answer so far is void.
    pub fn restart(&self) {
        let mut inner = lock(&self.0);
        inner.answer = Markdown::default();
        inner.is_shown = false;
        if inner.is_open {
            inner.end_answer();
            inner.say(&[Span::new("the answer begins again", FAINT)], "");
        }
    }

    /// No answer is being made any more: what waited for that is said. Whether something of it was
    /// shown since this was asked last.
    pub fn end_answer(&self) -> bool {
        let mut inner = lock(&self.0);
        inner.end_answer();
        std::mem::take(&mut inner.is_shown)
    }

    /// A line beside the answer, wrapped at words, moved in by so much.
    pub fn say(&self, spans: &[Span], indent: &str) {
        let mut inner = lock(&self.0);
        inner.end_answer();
        inner.say(spans, indent);
    }

    /// Lines of something, each behind a bar; none is wrapped but by the terminal.
    pub fn quote(&self, lines: &[Vec<Span>], indent: &str) {
        let mut inner = lock(&self.0);
        inner.end_answer();
        let canvas = inner.talk_canvas();
        let bar = Span::new(format!("{indent}  | "), FAINT);
        let painted = lines.iter().map(|line| {
            let spans: Vec<_> = [bar.clone()].into_iter().chain(line.iter().cloned()).collect();
            canvas.paint(&safe(&spans))
        });
        let painted: Vec<_> = painted.collect();
        inner.print(|ui| painted.iter().for_each(|line| ui.painted(line)));
    }

    /// What goes on from now on.
    pub fn busy(&self, what: &str) {
        let mut inner = lock(&self.0);
        inner.spinner = None;
        if inner.moves {
            inner.spinner = Some(Spinner::start(what));
        }
    }

    /// Nothing goes on any more.
    pub fn rest(&self) {
        let mut inner = lock(&self.0);
        inner.end_answer();
        inner.spinner = None;
    }

    /// The last lines of what a command says. Safe to show.
    pub fn live<'l>(&self, lines: impl Iterator<Item = &'l str>) {
        let inner = lock(&self.0);
        let canvas = inner.talk_canvas();
        let room = Canvas { width: canvas.width.saturating_sub(1), ..canvas };
        if let Some(spinner) = &inner.spinner {
            let short = |line: &str| {
                let spans = [Span::new(line, FAINT)];
                room.wrap(&spans, &[Span::new("  | ", FAINT)], &[]).swap_remove(0)
            };
            spinner.lines(lines.map(short));
        }
    }

    /// A warning of the run, unless it was said before.
    pub fn warn(&self, text: &str) {
        self.tell(Tone::Warning, text);
    }
}

impl Inner {
    fn answer_canvas(&self) -> Canvas {
        let width = self.ui.columns()[0].unwrap_or(usize::MAX);
        Canvas { width, colour: self.ui.colour }
    }

    fn talk_canvas(&self) -> Canvas {
        let width = self.ui.columns()[1].unwrap_or(usize::MAX);
        Canvas { width, colour: self.ui.talk_colour }
    }

    fn print(&mut self, print: impl FnOnce(&mut Ui)) {
        let ui = &mut self.ui;
        match &self.spinner {
            Some(spinner) => spinner.beside(|| print(ui)),
            None => print(ui),
        }
    }

    fn answered(&mut self, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        (self.is_open, self.is_shown) = (true, true);
        self.print(|ui| {
            // A reader that is gone ends nothing: the run is written down all the same.
            let _ = lines.iter().try_for_each(|line| ui.line(line)).and_then(|()| ui.flush());
        });
    }

    fn end_answer(&mut self) {
        let canvas = self.answer_canvas();
        let lines = self.answer.end(canvas);
        self.answered(&lines);
        self.is_open = false;
        for (tone, text) in std::mem::take(&mut self.held) {
            self.told(tone, &text);
        }
    }

    fn say(&mut self, spans: &[Span], indent: &str) {
        let pad = [Span::new(indent, PLAIN)];
        let lines = self.talk_canvas().wrap(&safe(spans), &pad, &pad);
        self.print(|ui| lines.iter().for_each(|line| ui.painted(line)));
    }

    fn told(&mut self, tone: Tone, text: &str) {
        let (sign, style) = match tone {
            Tone::Note => ("note: ", ACCENT),
            Tone::Warning => ("warning: ", CAUTION),
            Tone::Talk => ("", PLAIN),
        };
        for (number, line) in visible(text).lines().enumerate() {
            let sign = if number == 0 { sign } else { "" };
            self.say(&[Span::new(sign, style), Span::new(line, PLAIN)], "");
        }
    }
}

/// The same once more: whoever forgets it steers no terminal.
fn safe(spans: &[Span]) -> Vec<Span> {
    spans.iter().map(|span| Span::new(escape_control_line(&span.text), span.style)).collect()
}

impl Reporter for Screen {
    fn tell(&self, tone: Tone, text: &str) {
        let mut inner = lock(&self.0);
        if tone != Tone::Talk && !inner.told.insert(text.to_owned()) {
            return;
        }
        if inner.is_open {
            inner.held.push((tone, text.to_owned()));
        } else {
            inner.told(tone, text);
        }
    }

    fn confirm(&self, question: &str) -> io::Result<bool> {
        let mut inner = lock(&self.0);
        inner.end_answer();
        inner.spinner = None;
        inner.ui.confirm(question)
    }

    fn is_watched(&self) -> bool {
        lock(&self.0).ui.is_watched()
    }

    fn progress(&self, what: &'static str) -> Box<dyn Progress> {
        Box::new(OnScreen { screen: self.clone(), what })
    }
}

/// How far something is, beside what goes on.
struct OnScreen {
    screen: Screen,
    what: &'static str,
}

impl OnScreen {
    fn show(&self, words: &str) {
        if let Some(spinner) = &lock(&self.screen.0).spinner {
            spinner.progress(words);
        }
    }
}

impl Progress for OnScreen {
    fn update(&self, done: usize, all: usize) {
        if done < all {
            self.show(&format!("{done}/{all} {}", self.what));
        }
    }
}

impl Drop for OnScreen {
    fn drop(&mut self) {
        self.show("");
    }
}
