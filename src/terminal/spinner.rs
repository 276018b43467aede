//! What goes on now, with the seconds since, and the last lines that a command said: on a terminal,
//! below everything that stays.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use elophanto_base::mutex::lock;

/// What is over sooner is not worth the flicker.
const DELAY: Duration = Duration::from_millis(250);
const TICK: Duration = Duration::from_millis(100);
/// Lines of a command that are shown while it runs.
const LIVE: usize = 5;

/// Shown until it is dropped.
pub struct Spinner {
    shown: Arc<Mutex<Shown>>,
    is_over: Arc<AtomicBool>,
    ticker: Option<JoinHandle<()>>,
}

/// What is drawn; held by whoever draws or prints.
struct Shown {
    bar: ProgressBar,
    is_drawn: bool,
    what: String,
    /// How far it is.
    words: String,
    lines: VecDeque<String>,
}

impl Spinner {
    /// Begins to count. `what` is one line, safe to show.
    pub fn start(what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {seconds}{msg}") {
            let seconds = |state: &ProgressState, to: &mut dyn std::fmt::Write| {
                let _ = write!(to, "{} s", state.elapsed().as_secs());
            };
            bar.set_style(style.with_key("seconds", seconds));
        }
        let shown = Shown {
            bar,
            is_drawn: false,
            what: what.to_owned(),
            words: String::new(),
            lines: VecDeque::new(),
        };
        let (shown, is_over) = (Arc::new(Mutex::new(shown)), Arc::new(AtomicBool::new(false)));
        let (drawn, ends) = (Arc::clone(&shown), Arc::clone(&is_over));
        let tick = move || {
            thread::park_timeout(DELAY);
            while !ends.load(Ordering::Relaxed) {
                lock(&drawn).draw();
                thread::park_timeout(TICK);
            }
        };
        let ticker = thread::Builder::new().name("spinner".to_owned()).spawn(tick).ok();
        Self { shown, is_over, ticker }
    }

    /// Lines that came in, safe to show and no wider than the terminal.
    pub fn lines(&self, lines: impl Iterator<Item = String>) {
        let mut shown = lock(&self.shown);
        shown.lines.extend(lines);
        let over = shown.lines.len().saturating_sub(LIVE);
        shown.lines.drain(..over);
    }

    /// How far it is, in a few words; none are as before.
    pub fn progress(&self, words: &str) {
        words.clone_into(&mut lock(&self.shown).words);
    }

    /// Prints while nothing of it is shown.
    pub fn beside<R>(&self, print: impl FnOnce() -> R) -> R {
        let shown = lock(&self.shown);
        if shown.is_drawn { shown.bar.suspend(print) } else { print() }
    }
}

impl Shown {
    fn draw(&mut self) {
        self.is_drawn = true;
        let Self { what, words, lines, .. } = self;
        let comma = if words.is_empty() { "" } else { ", " };
        let lines: String = lines.iter().map(|line| format!("\n{line}")).collect();
        let prefix = format!("{what}{comma}{words}");
        self.bar.set_prefix(prefix);
        self.bar.set_message(lines);
        self.bar.tick();
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(ticker) = self.ticker.take() {
            ticker.thread().unpark();
            let _ = ticker.join();
        }
        let shown = lock(&self.shown);
        if shown.is_drawn {
            shown.bar.finish_and_clear();
        }
    }
}
