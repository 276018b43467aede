//! Standard output, standard error, progress: nothing else prints.
//!
//! Stdout carries data, stderr carries talk. Text from outside goes through [`visible`] before it
//! reaches a terminal.

mod out;

use std::{
    fmt::Display,
    io::{self, BufRead, IsTerminal, Read, Write},
    sync::Mutex,
    time::{Duration, Instant},
};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use schemars::JsonSchema;
use serde::Serialize;

use super::{secret_input::is_stdin_taken, system};
use crate::wire::{misfit, printed_json};
use elophanto_app::{Error, Reporter, Result, reporter::Tone};
pub use elophanto_base::visible::{escape_control_line, exact_line, visible};
use out::Out;

/// How a command ended, when it did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With what was asked for.
    Done,
    /// An honest no.
    Negative,
}

/// A bar that appears sooner would only flicker.
const PROGRESS_DELAY: Duration = Duration::from_millis(250);

/// Of a terminal that does not say how wide it is.
const USUAL_COLUMNS: usize = 80;

/// Most bytes of an answer to a question.
const MOST_ANSWER: u64 = 1_024;

/// The user's terminal, or what stands in for it.
pub struct Ui {
    /// Stdout is JSON Lines.
    pub json: bool,
    /// Stdout is a terminal that shows colours.
    pub colour: bool,
    /// Stdout is a terminal that follows links.
    pub links: bool,
    /// Stderr is a terminal that shows colours.
    pub talk_colour: bool,
    /// Colours are shown nowhere.
    plain: bool,
    terminal: bool,
    out: Out,
}

impl Ui {
    /// Looks at the streams once.
    pub fn new(json: bool, plain: bool) -> Self {
        let terminal = io::stdout().is_terminal();
        Self {
            json,
            colour: terminal && !plain,
            talk_colour: io::stderr().is_terminal() && !plain,
            plain,
            terminal,
            links: terminal && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout),
            out: Out::Stdout(io::BufWriter::new(io::stdout())),
        }
    }

    /// Another one for the same streams, for whoever only talks while this one is lent.
    pub fn beside(&self) -> Self {
        match self.out {
            Out::Stderr => self.aside(),
            _ => Self::new(self.json, self.plain),
        }
    }

    /// The same with data on stderr: stdout is for something else.
    pub fn aside(&self) -> Self {
        let new = Self::new(self.json, self.plain);
        Self { colour: false, links: false, terminal: false, out: Out::Stderr, ..new }
    }

    /// Prints nothing, and nobody can be asked or told anything.
    pub fn silent() -> Self {
        Self {
            json: true,
            colour: false,
            links: false,
            talk_colour: false,
            plain: true,
            terminal: false,
            out: Out::Nowhere,
        }
    }

    /// Standard input, at most one byte more than `most`; `None` if it is a terminal.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn input(&self, most: u64) -> io::Result<Option<Vec<u8>>> {
        if io::stdin().is_terminal() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        io::stdin().lock().take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Whether a person reads stdout.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// A line of data: JSON if asked for, else text.
    pub fn emit<T: Serialize + JsonSchema>(&mut self, wire: &T, text: impl Display) -> Result<()> {
        if self.json { self.json(wire) } else { self.line(text) }
    }

    /// The same, which is all that a command has to say.
    pub fn done<T: Serialize + JsonSchema>(
        &mut self,
        wire: &T,
        text: impl Display,
    ) -> Result<Outcome> {
        self.emit(wire, text)?;
        Ok(Outcome::Done)
    }

    /// How a list ends: of an empty one it is said that it is.
    pub fn listed(&self, is_empty: bool, nothing: impl Display) -> Outcome {
        if is_empty { self.nothing(nothing) } else { Outcome::Done }
    }

    /// Says of a list that there is nothing to show, and which command makes the first one.
    pub fn nothing(&self, said: impl Display) -> Outcome {
        self.talk(said);
        Outcome::Negative
    }

    /// A line of JSON, which is as its schema says.
    pub fn json<T: Serialize + JsonSchema>(&mut self, wire: &T) -> Result<()> {
        let text = printed_json(wire)?;
        debug_assert_eq!(misfit::<T>(&text), None, "{}", std::any::type_name::<T>());
        self.line(text)
    }

    /// A line of text on stdout.
    pub fn line(&mut self, text: impl Display) -> Result<()> {
        Ok(writeln!(self.out, "{text}")?)
    }

    /// Bytes on stdout, as they are.
    pub fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.out.write_all(bytes)?)
    }

    /// Hands everything to the reader.
    pub fn flush(&mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }

    /// Something the user should know, on stderr.
    pub fn note(&self, text: impl Display) {
        self.say(format_args!("note: {}", visible(&text.to_string())));
    }

    /// Something that went wrong but stops nothing, on stderr.
    pub fn warn(&self, text: impl Display) {
        self.say(format_args!("warning: {}", visible(&text.to_string())));
    }

    /// Whether somebody is there who could answer.
    pub fn can_ask(&self) -> bool {
        let nobody = matches!(self.out, Out::Nowhere);
        let is_there = io::stdin().is_terminal() && io::stderr().is_terminal();
        !nobody && is_there && !is_stdin_taken()
    }

    /// Asks whether to go on. Where nobody can answer, the answer is no.
    ///
    /// # Errors
    /// When the answer can't be read.
    pub fn confirm(&self, question: &str) -> io::Result<bool> {
        if !self.can_ask() {
            return Ok(false);
        }
        let _ = write!(io::stderr().lock(), "{} [y/N] ", visible(question));
        let mut answer = String::new();
        io::stdin().lock().take(MOST_ANSWER).read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// A line on stderr.
    pub fn talk(&self, text: impl Display) {
        self.say(visible(&text.to_string()));
    }

    /// A line on stderr that is safe to show already, with colours of ours.
    pub fn painted(&self, text: &str) {
        self.say(text);
    }

    /// Columns of the terminals that stdout and stderr are; `None` of what is none.
    pub fn columns(&self) -> [Option<usize>; 2] {
        let of = |is_terminal: bool, columns: usize| {
            is_terminal.then_some(if columns == 0 { USUAL_COLUMNS } else { columns })
        };
        let [out, err] = system::columns();
        [of(self.terminal, out), of(io::stderr().is_terminal(), err)]
    }

    /// Where nothing is printed, nobody reads stderr along.
    fn say(&self, text: impl Display) {
        if !matches!(self.out, Out::Nowhere) {
            say(text);
        }
    }
}

impl Reporter for Ui {
    fn tell(&self, tone: Tone, text: &str) {
        match tone {
            Tone::Note => self.note(text),
            Tone::Warning => self.warn(text),
            Tone::Talk => self.talk(text),
        }
    }

    fn confirm(&self, question: &str) -> io::Result<bool> {
        Self::confirm(self, question)
    }

    fn is_watched(&self) -> bool {
        !matches!(self.out, Out::Nowhere) && io::stderr().is_terminal()
    }

    fn progress(&self, what: &'static str) -> Box<dyn elophanto_app::reporter::Progress> {
        Box::new(Progress::of(what))
    }
}

/// The failure that ends a command.
pub fn report(error: &Error) {
    say(format_args!("error: {}", visible(error.message())));
    for cause in error.causes() {
        say(format_args!("caused by: {}", visible(&cause)));
    }
    for hint in error.hints() {
        say(format_args!("hint: {}", visible(hint)));
    }
}

/// A note, for where no [`Ui`] is at hand.
pub fn say_note(text: &str) {
    say(format_args!("note: {}", visible(text)));
}

fn say(text: impl Display) {
    // Nobody can be told that stderr is closed.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// How long it takes is told once so many-th of it are done.
const LEAST_KNOWN: usize = 50;

/// A bar on stderr, shown on a terminal once it has been worth waiting for.
pub struct Progress {
    state: Mutex<(Instant, Option<ProgressBar>)>,
    shown: bool,
    /// What is counted.
    what: &'static str,
}

impl Progress {
    /// Starts the clock.
    pub fn of(what: &'static str) -> Self {
        let state = Mutex::new((Instant::now(), None));
        Self { state, shown: io::stderr().is_terminal(), what }
    }
}

impl elophanto_app::reporter::Progress for Progress {
    fn update(&self, done: usize, all: usize) {
        if !self.shown {
            return;
        }
        let Ok(mut state) = self.state.lock() else { return };
        if state.1.is_none() && state.0.elapsed() >= PROGRESS_DELAY && done < all {
            let bar = ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr());
            let template = format!("{{bar:30}} {{pos}}/{{len}} {}{{msg}}", self.what);
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            state.1 = Some(bar);
        }
        if let Some(bar) = &state.1 {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
            // By all that was done so far: a bar that begins in the middle knows of nothing before.
            let left =
                state.0.elapsed().mul_f64(all.saturating_sub(done) as f64 / done.max(1) as f64);
            if done * LEAST_KNOWN >= all {
                bar.set_message(format!(", {} left", HumanDuration(left)));
            }
        }
    }
}

/// Takes the bar away.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Ok(mut state) = self.state.lock()
            && let Some(bar) = state.1.take()
        {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_a_terminal_raw() {
        for (text, shown) in [
            ("plain äöü 日本", "plain äöü 日本"),
            ("\x1b[2J\x1b]52;c;aGk=\x07", "␛[2J␛]52;c;aGk=␇"),
            ("over\rwritten", "over␍written"),
            ("a\u{202e}b\u{200b}c\u{9b}d", "a<U+202E>b<U+200B>c<U+009B>d"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(escape_control_line("a\nb\tc"), "a␊b␉c");
    }
}
