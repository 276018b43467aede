//! What a use case tells and asks on the way, whoever sits at the door.

use std::{
    fmt::Display,
    sync::{Mutex, PoisonError},
};

use crate::{Error, Result};

/// How something is told that stops nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Something the user should know.
    Note,
    /// Something that went wrong.
    Warning,
    /// Something said in passing.
    Talk,
}

/// A door, as a use case sees it: a terminal, a server, a program that uses the library. What is told
/// may hold text from outside; a door makes it harmless for where it is shown.
pub trait Reporter {
    /// Tells something that stops nothing.
    fn tell(&self, tone: Tone, text: &str);

    /// Asks whether to go on. Where nobody can answer, the answer is no.
    ///
    /// # Errors
    /// When the answer cannot be read.
    fn confirm(&self, question: &str) -> std::io::Result<bool> {
        let _ = question;
        Ok(false)
    }

    /// Whether a person sees how far something is.
    fn is_watched(&self) -> bool {
        false
    }

    /// Whether nobody waits any more for what is done: then nothing more is written.
    fn is_gone(&self) -> bool {
        false
    }

    /// Begins to show how far something is; `what` is counted. It ends when it is dropped.
    fn progress(&self, what: &'static str) -> Box<dyn Progress> {
        let _ = what;
        Box::new(Silent)
    }
}

/// How far something is.
pub trait Progress: Sync {
    /// So many of so many are done.
    fn update(&self, done: usize, all: usize);
}

impl dyn Reporter + '_ {
    /// Something the user should know.
    pub fn note(&self, text: impl Display) {
        self.tell(Tone::Note, &text.to_string());
    }

    /// Something that went wrong but stops nothing.
    pub fn warn(&self, text: impl Display) {
        self.tell(Tone::Warning, &text.to_string());
    }

    /// Ends what is done if nobody waits for it any more; to be asked before something is written.
    ///
    /// # Errors
    /// When nobody waits.
    pub fn still_wanted(&self) -> Result<()> {
        match self.is_gone() {
            true => Err(Error::new("the call was cancelled: nothing more was written")),
            false => Ok(()),
        }
    }

    /// Something said in passing.
    pub fn talk(&self, text: impl Display) {
        self.tell(Tone::Talk, &text.to_string());
    }
}

/// Nobody: nothing is told, and every question is answered with no.
pub struct Silent;

impl Reporter for Silent {
    fn tell(&self, _: Tone, _: &str) {}
}

/// Keeps what is told, for who shows it later; every question is answered with no.
#[derive(Debug, Default)]
pub struct Heard(Mutex<Vec<String>>);

impl Heard {
    /// What was told so far.
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Reporter for Heard {
    fn tell(&self, _: Tone, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
    }
}

impl Progress for Silent {
    fn update(&self, _: usize, _: usize) {}
}
